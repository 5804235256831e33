package table

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unsafe"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
)

// conversion turns stored values into elements of a kind.
type conversion struct {
	// numbers converts values of fixed width up to the first that does not fit,
	// whose position it returns; -1 if all fit. nil: the values already are
	// elements.
	numbers func(out, values []byte) int
	// array converts one byte array to an element; false if it does not fit.
	// nil: it is text.
	array func(out, value []byte) bool
	// text writes a stored value as in CSV.
	text func(value []byte) string
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type number interface{ integer | float32 | float64 }

// conversionTo returns the conversion of a column's values to elements of a field; false
// if there is none.
func conversionTo(f Field, e *format.SchemaElement) (conversion, bool) {
	k := f.Kind
	class, scale := classify(e)
	if f.Like != nil {
		return fromPattern(*f.Like), class == classText
	}
	wide := e.Type.V == format.Int64 || e.Type.V == format.Double
	switch class {
	case classSigned:
		if wide {
			return fromInteger[int64](k, ir.I64)
		}
		return fromInteger[int32](k, ir.I32)
	case classUnsigned:
		if wide {
			return fromInteger[uint64](k, ir.U64)
		}
		return fromInteger[uint32](k, ir.U32)
	case classFloat:
		return fromFloat(k, wide)
	case classBool:
		return conversion{}, k == ir.Bool
	case classDate:
		return fromDays[int32](k)
	case classTimestamp:
		if e.Type.V == format.Int96 {
			return fromInt96(k, f.Round)
		}
		return fromTimestamp(k, scale, f.Round)
	case classText:
		isLong := e.Type.V == format.FixedLenByteArray && e.TypeLength.V > 8
		if k == ir.Text && f.Texts != nil {
			return fromText(f.Texts), true
		}
		return conversion{text: func(value []byte) string { return string(value) }}, k == ir.Char8 && !isLong
	case classDecimal:
		return fromDecimal(k, e.Type.V, scale)
	}
	return conversion{}, false
}

// fromText takes byte arrays into a dictionary.
func fromText(texts *Texts) conversion {
	return conversion{
		array: func(out, value []byte) bool {
			code, err := texts.Code(string(value))
			store(out, code)
			return err == nil
		},
		text: func(value []byte) string { return string(value) },
	}
}

// fromPattern takes from byte arrays whether they are like a pattern: once for each of a
// dictionary's.
func fromPattern(pattern ir.Pattern) conversion {
	return conversion{
		array: func(out, value []byte) bool { store(out, pattern.Matches(string(value))); return true },
		text:  func(value []byte) string { return string(value) },
	}
}

// fromInteger converts from P, which is the element of kind same.
func fromInteger[P integer](k, same ir.Kind) (conversion, bool) {
	c := conversion{text: func(value []byte) string { return formatInteger(load[P](value)) }}
	switch k {
	case same:
	case ir.Bool:
		c.numbers = each(func(v P) (bool, bool) { return v != 0, v == 0 || v == 1 })
	case ir.I8:
		c.numbers = each(resize[int8, P])
	case ir.I16:
		c.numbers = each(resize[int16, P])
	case ir.I32:
		c.numbers = each(resize[int32, P])
	case ir.I64:
		c.numbers = each(resize[int64, P])
	case ir.U8:
		c.numbers = each(resize[uint8, P])
	case ir.U16:
		c.numbers = each(resize[uint16, P])
	case ir.U32:
		c.numbers = each(resize[uint32, P])
	case ir.U64:
		c.numbers = each(resize[uint64, P])
	case ir.F32:
		c.numbers = each(func(v P) (float32, bool) { return float32(v), true })
	case ir.F64:
		c.numbers = each(func(v P) (float64, bool) { return float64(v), true })
	default:
		if k.IsDecimal() {
			c.numbers = each(rescaled[P](0, k.Scale()))
		}
		return c, k.IsDecimal()
	}
	return c, true
}

func fromFloat(k ir.Kind, wide bool) (conversion, bool) {
	switch {
	case k == ir.F32 && !wide, k == ir.F64 && wide:
		return conversion{}, true
	case k == ir.F64:
		return conversion{numbers: each(func(v float32) (float64, bool) { return float64(v), true })}, true
	case k == ir.F32:
		return conversion{
			numbers: each(func(v float64) (float32, bool) {
				f := float32(v)
				return f, !math.IsInf(float64(f), 0) || math.IsInf(v, 0)
			}),
			text: func(value []byte) string { return strconv.FormatFloat(load[float64](value), 'g', -1, 64) },
		}, true
	}
	return conversion{}, false
}

// each turns the conversion of one value into a conversion of many.
func each[K, P any](convert func(P) (K, bool)) func(out, values []byte) int {
	return func(out, values []byte) int {
		from := raw.SliceOf[P](values)
		to := raw.SliceOf[K](out)[:len(from)]
		for i, v := range from {
			element, ok := convert(v)
			if !ok {
				return i
			}
			to[i] = element
		}
		return -1
	}
}

// resize converts an integer to another type of integer; false if it does not fit.
func resize[K, P integer](v P) (K, bool) {
	k := K(v)
	return k, P(k) == v && (k < 0) == (v < 0)
}

func load[P any](value []byte) P { return *(*P)(unsafe.Pointer(unsafe.SliceData(value))) }

func store[K any](out []byte, v K) { *(*K)(unsafe.Pointer(unsafe.SliceData(out))) = v }

func formatInteger[P integer](v P) string {
	if v < 0 {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatUint(uint64(v), 10)
}

// fromDecimal converts integers, in their physical type, over a power of ten.
func fromDecimal(k ir.Kind, physical format.Type, scale int) (conversion, bool) {
	switch k {
	case ir.I8:
		return decimalTo(k, physical, scale, wholeOf[int8](scale))
	case ir.I16:
		return decimalTo(k, physical, scale, wholeOf[int16](scale))
	case ir.I32:
		return decimalTo(k, physical, scale, wholeOf[int32](scale))
	case ir.I64:
		return decimalTo(k, physical, scale, wholeOf[int64](scale))
	case ir.U8:
		return decimalTo(k, physical, scale, wholeOf[uint8](scale))
	case ir.U16:
		return decimalTo(k, physical, scale, wholeOf[uint16](scale))
	case ir.U32:
		return decimalTo(k, physical, scale, wholeOf[uint32](scale))
	case ir.U64:
		return decimalTo(k, physical, scale, wholeOf[uint64](scale))
	case ir.F32:
		return decimalTo(k, physical, scale, func(v int64) (float32, bool) { return decimalFloat32(v, scale), true })
	case ir.F64:
		return decimalTo(k, physical, scale, func(v int64) (float64, bool) { return decimalFloat64(v, scale), true })
	}
	if k.IsDecimal() {
		return toDecimal(k, physical, scale)
	}
	return conversion{}, false
}

func decimalTo[K number](k ir.Kind, physical format.Type, scale int, convert func(int64) (K, bool)) (conversion, bool) {
	switch physical {
	case format.Int32:
		return conversion{
			numbers: each(func(v int32) (K, bool) { return convert(int64(v)) }),
			text:    func(value []byte) string { return decimalText(big.NewInt(int64(load[int32](value))), scale) },
		}, true
	case format.Int64:
		return conversion{
			numbers: each(convert),
			text:    func(value []byte) string { return decimalText(big.NewInt(load[int64](value)), scale) },
		}, true
	}
	return conversion{
		array: func(out, value []byte) bool {
			if len(value) > maxDecimalBytes {
				return false
			}
			unscaled, ok := shortInteger(value)
			if !ok {
				return storeDecimal(k, out, decimalText(longInteger(value), scale))
			}
			element, ok := convert(unscaled)
			store(out, element)
			return ok
		},
		text: func(value []byte) string {
			if len(value) > maxDecimalBytes {
				return fmt.Sprintf("a DECIMAL of %d bytes", len(value))
			}
			return decimalText(longInteger(value), scale)
		},
	}, true
}

// maxDecimalBytes holds the digits of any scale that is read.
const maxDecimalBytes = 32

// wholeOf returns the conversion of decimals without a fraction.
func wholeOf[K integer](scale int) func(int64) (K, bool) {
	if scale > 18 { // no int64 has so many digits before its fraction
		return func(v int64) (K, bool) { return 0, v == 0 }
	}
	unit := int64(1)
	for range scale {
		unit *= 10
	}
	return func(v int64) (K, bool) {
		if unit > 1 {
			if v%unit != 0 {
				return 0, false
			}
			v /= unit
		}
		return resize[K](v)
	}
}

// exactPowers are the powers of ten that a float64 holds exactly.
var exactPowers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// decimalFloat64 returns the float64 nearest to v / 10^scale: by a division, if
// both numbers are exact.
func decimalFloat64(v int64, scale int) float64 {
	if v > -1<<53 && v < 1<<53 && scale < len(exactPowers) {
		return float64(v) / exactPowers[scale]
	}
	f, _ := strconv.ParseFloat(strconv.FormatInt(v, 10)+"e-"+strconv.Itoa(scale), 64)
	return f
}

// decimalFloat32 returns the float32 nearest to v / 10^scale. Rounding twice is
// wrong only if the first result lies halfway between two float32.
func decimalFloat32(v int64, scale int) float32 {
	const below = 52 - 23 // the bits that a float32 lacks
	f := decimalFloat64(v, scale)
	if math.Float64bits(f)&(1<<below-1) != 1<<(below-1) && scale < len(exactPowers) {
		return float32(f)
	}
	short, _ := strconv.ParseFloat(strconv.FormatInt(v, 10)+"e-"+strconv.Itoa(scale), 32)
	return float32(short)
}

// shortInteger reads a big-endian integer that an int64 holds.
func shortInteger(value []byte) (int64, bool) {
	for len(value) > 8 { // drop bytes that only repeat the sign
		if sign := byte(int8(value[1]) >> 7); value[0] != sign {
			return 0, false
		}
		value = value[1:]
	}
	var wide [8]byte
	if len(value) > 0 && value[0] >= 0x80 {
		binary.BigEndian.PutUint64(wide[:], math.MaxUint64)
	}
	copy(wide[8-len(value):], value)
	return int64(binary.BigEndian.Uint64(wide[:])), true
}

// longInteger reads a big-endian integer in two's complement.
func longInteger(value []byte) *big.Int {
	v := new(big.Int).SetBytes(value)
	if len(value) > 0 && value[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(value))))
	}
	return v
}

// decimalText writes a DECIMAL with all digits of its scale.
func decimalText(unscaled *big.Int, scale int) string {
	digits := new(big.Int).Abs(unscaled).String()
	if scale > 0 {
		if len(digits) <= scale {
			digits = strings.Repeat("0", scale+1-len(digits)) + digits
		}
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if unscaled.Sign() < 0 {
		return "-" + digits
	}
	return digits
}

// storeDecimal stores the element that text stands for.
func storeDecimal(k ir.Kind, out []byte, text string) bool {
	if k.IsInteger() {
		if whole, fraction, _ := strings.Cut(text, "."); strings.Trim(fraction, "0") == "" {
			text = whole
		}
	}
	s, err := ParseScalar(k, text)
	if err != nil {
		return false
	}
	raw.FromBytes(k, out[:k.Size()]).Set(0, s)
	return true
}

// unfit says what is wrong with a stored value, in the words that CSV has for
// its text.
func unfit(k ir.Kind, text string) string {
	if whole, fraction, _ := strings.Cut(text, "."); k.IsInteger() && strings.Trim(fraction, "0") == "" {
		text = whole
	}
	if _, err := ParseScalar(k, text); err != nil {
		return err.Error()
	}
	return faultOf(k, text, strconv.ErrRange).Error()
}
