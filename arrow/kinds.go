package kgenarrow

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
)

// Why a value does not fit.
var (
	errRange      = errors.New("it is out of range")
	errFraction   = errors.New("it has a fraction")
	errTooFine    = errors.New("it has a part of a microsecond; Rounded rounds it")
	errNoMidnight = errors.New("it is not a midnight of UTC")
	errNoBool     = errors.New("a bool is 0 or 1")
	errTooLong    = errors.New("it has more than 8 bytes")
	errDigits     = errors.New("it has more digits after the point")
)

const (
	microsPerDay = 24 * 60 * 60 * 1_000_000
	millisPerDay = 24 * 60 * 60 * 1_000

	maxScale = 18 // of decimals that kgen has
)

// integerKind also reads the places of rows in a dictionary.
var integerKind = numberKind[int64]("int64")

// Numbers returns a column of integers, floats or decimals as numbers. Integers are read
// from integers, and from decimals that are whole; floats are the nearest ones.
func Numbers[T Number](c Column, options ...Option[T]) ([]T, error) {
	return numberKind[T](arrow.GetDataType[T]().Name()).read(c, options)
}

// Decimals returns a column of decimals or integers as a parameter decimal(scale) takes it:
// the number without its point, 1250 for 12.50 of a scale of 2. Each value has to fit
// exactly.
func Decimals(c Column, scale int, given ...Option[int64]) ([]int64, error) {
	if scale < 0 || scale > maxScale {
		return nil, fmt.Errorf("a decimal has 0 to %d digits after the point, not %d", maxScale, scale)
	}
	return kind[int64]{name: fmt.Sprintf("decimal(%d)", scale), open: func(a arrow.Array, _ options[int64]) reader[int64] {
		return openDecimals(a, scale)
	}}.read(c, given)
}

// Bools returns a column of bools, or of integers that are 0 or 1.
func Bools(c Column, options ...Option[bool]) ([]bool, error) {
	return kind[bool]{name: "bool", open: openBools}.read(c, options)
}

// Present returns which rows of a column have a value, whatever its type: what a parameter
// known: [n]bool present x takes.
func Present(c Column, options ...Option[bool]) ([]bool, error) {
	return kind[bool]{name: "bool", open: openPresent}.read(c, append(slices.Clip(options), Missing(false)))
}

// Matches returns of which rows of a column of strings a function holds, such as Matches of
// [github.com/kgen-go/kgen/ir.Pattern]: what a parameter green: [n]bool like "%green%" takes.
// Of arrays with a dictionary each string is asked for once.
func Matches(c Column, like func(text string) bool, options ...Option[bool]) ([]bool, error) {
	return kind[bool]{name: "text", open: openMatches(like)}.read(c, options)
}

// Dates returns a column of dates, or of timestamps at midnight of UTC, as days since
// 1970-01-01.
func Dates(c Column, options ...Option[int32]) ([]int32, error) {
	return kind[int32]{"date", openDates, viewDates}.read(c, options)
}

// Timestamps returns a column of timestamps of any unit and zone, or of dates, as
// microseconds since 1970 in UTC. Timestamps without a zone are taken for UTC.
func Timestamps(c Column, options ...Option[int64]) ([]int64, error) {
	return kind[int64]{"timestamp", openTimestamps, viewTimestamps}.read(c, options)
}

// Strings returns a column of strings or of bytes; equal ones mostly share their memory.
func Strings(c Column, options ...Option[string]) ([]string, error) {
	return kind[string]{name: "text", open: openStrings}.read(c, options)
}

// Char8s returns a column of strings or of bytes of at most eight bytes, padded with NUL.
func Char8s(c Column, options ...Option[[8]byte]) ([][8]byte, error) {
	return kind[[8]byte]{name: "char8", open: openChar8s}.read(c, options)
}

// Number is an element that is a number.
type Number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

func numberKind[T Number](name string) kind[T] {
	return kind[T]{name, openNumbers[T], func(a arrow.Array) []T {
		if a, ok := a.(interface{ Values() []T }); ok {
			return a.Values()
		}
		return nil
	}}
}

func openNumbers[T Number](a arrow.Array, _ options[T]) reader[T] {
	switch a := a.(type) {
	case *array.Int8:
		return fromIntegers[T](a.Value)
	case *array.Int16:
		return fromIntegers[T](a.Value)
	case *array.Int32:
		return fromIntegers[T](a.Value)
	case *array.Int64:
		return fromIntegers[T](a.Value)
	case *array.Uint8:
		return fromIntegers[T](a.Value)
	case *array.Uint16:
		return fromIntegers[T](a.Value)
	case *array.Uint32:
		return fromIntegers[T](a.Value)
	case *array.Uint64:
		return fromIntegers[T](a.Value)
	case *array.Float16:
		return fromFloats[T](func(row int) float32 { return a.Value(row).Float32() })
	case *array.Float32:
		return fromFloats[T](a.Value)
	case *array.Float64:
		return fromFloats[T](a.Value)
	}
	if exact := rationals(a); exact != nil {
		return fromDecimals[T](exact)
	}
	return nil
}

// rationals returns the values of decimals; nil if a has none.
func rationals(a arrow.Array) func(row int) *big.Rat {
	var unscaled func(row int) *big.Int
	switch a := a.(type) {
	case *array.Decimal32:
		unscaled = func(row int) *big.Int { return big.NewInt(int64(a.Value(row))) }
	case *array.Decimal64:
		unscaled = func(row int) *big.Int { return big.NewInt(int64(a.Value(row))) }
	case *array.Decimal128:
		unscaled = func(row int) *big.Int { return a.Value(row).BigInt() }
	case *array.Decimal256:
		unscaled = func(row int) *big.Int { return a.Value(row).BigInt() }
	default:
		return nil
	}
	scale := int64(a.DataType().(arrow.DecimalType).GetScale())
	if most := int64(decimal.MaxPrecision[decimal.Decimal256]()); scale < -most || scale > most {
		return nil
	}
	unit := tenTo(max(scale, -scale))
	if scale > 0 {
		unit.Inv(unit)
	}
	return func(row int) *big.Rat {
		v := new(big.Rat).SetInt(unscaled(row))
		return v.Mul(v, unit)
	}
}

func tenTo(n int64) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil))
}

func openDecimals(a arrow.Array, scale int) reader[int64] {
	exact := rationals(a)
	if exact == nil {
		if !arrow.IsInteger(a.DataType().ID()) {
			return nil
		}
		if whole, ok := a.(*array.Uint64); ok {
			exact = func(row int) *big.Rat { return new(big.Rat).SetUint64(whole.Value(row)) }
		} else {
			whole := openNumbers(a, options[int64]{})
			exact = func(row int) *big.Rat {
				v, _ := whole(row) // all but uint64 fit
				return new(big.Rat).SetInt64(v)
			}
		}
	}
	unit := tenTo(int64(scale))
	return func(row int) (int64, error) {
		v := exact(row)
		switch v.Mul(v, unit); {
		case !v.IsInt():
			return 0, errDigits
		case !v.Num().IsInt64():
			return 0, errRange
		}
		return v.Num().Int64(), nil
	}
}

func isFloat[T Number]() bool { return T(1)/T(2) != 0 }

func fromIntegers[T Number, P arrow.IntType | arrow.UintType](value func(int) P) reader[T] {
	float := isFloat[T]()
	return func(row int) (T, error) {
		v := value(row)
		t := T(v)
		if !float && (P(t) != v || (t < 0) != (v < 0)) {
			return 0, errRange
		}
		return t, nil
	}
}

func fromFloats[T Number, P float32 | float64](value func(int) P) reader[T] {
	if !isFloat[T]() {
		return nil
	}
	return func(row int) (T, error) {
		v := value(row)
		t := T(v)
		if math.IsInf(float64(t), 0) && !math.IsInf(float64(v), 0) {
			return 0, errRange
		}
		return t, nil
	}
}

// fromDecimals reads decimals by their values.
func fromDecimals[T Number](exact func(row int) *big.Rat) reader[T] {
	return func(row int) (T, error) {
		v := exact(row)
		switch any(T(0)).(type) {
		case float32:
			f, _ := v.Float32()
			if math.IsInf(float64(f), 0) {
				return 0, errRange
			}
			return T(f), nil
		case float64:
			f, _ := v.Float64()
			return T(f), nil
		}
		switch {
		case !v.IsInt():
			return 0, errFraction
		case v.Num().IsInt64():
			return fromIntegers[T](func(int) int64 { return v.Num().Int64() })(row)
		case v.Num().IsUint64():
			return fromIntegers[T](func(int) uint64 { return v.Num().Uint64() })(row)
		}
		return 0, errRange
	}
}

func openBools(a arrow.Array, _ options[bool]) reader[bool] {
	if a, ok := a.(*array.Boolean); ok {
		return func(row int) (bool, error) { return a.Value(row), nil }
	}
	if !arrow.IsInteger(a.DataType().ID()) {
		return nil
	}
	number := openNumbers(a, options[uint8]{})
	return func(row int) (bool, error) {
		v, err := number(row)
		if err != nil || v > 1 {
			return false, errNoBool
		}
		return v == 1, nil
	}
}

func openPresent(a arrow.Array, _ options[bool]) reader[bool] {
	switch a.DataType().ID() {
	case arrow.RUN_END_ENCODED, arrow.SPARSE_UNION, arrow.DENSE_UNION: // have their NULLs in other arrays
		return nil
	}
	return func(int) (bool, error) { return true, nil }
}

func openMatches(like func(text string) bool) func(arrow.Array, options[bool]) reader[bool] {
	return func(a arrow.Array, _ options[bool]) reader[bool] {
		text := openStrings(a, options[string]{})
		if text == nil {
			return nil
		}
		return func(row int) (bool, error) {
			v, err := text(row)
			return err == nil && like(v), err
		}
	}
}

func openDates(a arrow.Array, o options[int32]) reader[int32] {
	switch a := a.(type) {
	case *array.Date32:
		return func(row int) (int32, error) { return int32(a.Value(row)), nil }
	case *array.Date64:
		return func(row int) (int32, error) { return dayOf(int64(a.Value(row)), millisPerDay) }
	case *array.Timestamp:
		micros := openTimestamps(a, options[int64]{round: o.round})
		return func(row int) (int32, error) {
			v, err := micros(row)
			if err != nil {
				return 0, err
			}
			return dayOf(v, microsPerDay)
		}
	}
	return nil
}

// dayOf returns the day that begins at a time.
func dayOf(time, unitsPerDay int64) (int32, error) {
	day := time / unitsPerDay
	switch {
	case time%unitsPerDay != 0:
		return 0, errNoMidnight
	case day != int64(int32(day)):
		return 0, errRange
	}
	return int32(day), nil
}

func viewDates(a arrow.Array) []int32 {
	if a, ok := a.(*array.Date32); ok {
		return arrow.GetData[int32](arrow.GetBytes(a.Values()))
	}
	return nil
}

func openTimestamps(a arrow.Array, o options[int64]) reader[int64] {
	switch a := a.(type) {
	case *array.Date32:
		return func(row int) (int64, error) { return scaled(int64(a.Value(row)), microsPerDay) }
	case *array.Date64:
		return func(row int) (int64, error) { return scaled(int64(a.Value(row)), 1000) }
	case *array.Timestamp:
		switch a.DataType().(*arrow.TimestampType).Unit {
		case arrow.Second:
			return func(row int) (int64, error) { return scaled(int64(a.Value(row)), 1_000_000) }
		case arrow.Millisecond:
			return func(row int) (int64, error) { return scaled(int64(a.Value(row)), 1000) }
		case arrow.Microsecond:
			return func(row int) (int64, error) { return int64(a.Value(row)), nil }
		case arrow.Nanosecond:
			return func(row int) (int64, error) { return thousandth(int64(a.Value(row)), o.round) }
		}
	}
	return nil
}

// scaled multiplies.
func scaled(v, by int64) (int64, error) {
	if v*by/by != v {
		return 0, errRange
	}
	return v * by, nil
}

// thousandth divides by 1000, and rounds half to even if it may.
func thousandth(v int64, round bool) (int64, error) {
	q, rest := v/1000, v%1000
	switch {
	case rest != 0 && !round:
		return 0, errTooFine
	case rest > 500 || rest == 500 && q&1 != 0:
		q++
	case rest < -500 || rest == -500 && q&1 != 0:
		q--
	}
	return q, nil
}

func viewTimestamps(a arrow.Array) []int64 {
	if a, ok := a.(*array.Timestamp); ok && a.DataType().(*arrow.TimestampType).Unit == arrow.Microsecond {
		return arrow.GetData[int64](arrow.GetBytes(a.Values()))
	}
	return nil
}

// remembered bounds the strings that the reader of an array remembers, because rows repeat.
const remembered = 1 << 14

func openStrings(a arrow.Array, _ options[string]) reader[string] {
	bytes := openBytes(a)
	if bytes == nil {
		return nil
	}
	known := map[string]string{}
	return func(row int) (string, error) {
		v := bytes(row)
		text, ok := known[v]
		if !ok {
			text = strings.Clone(v)
			if len(known) < remembered {
				known[text] = text
			}
		}
		return text, nil
	}
}

func openChar8s(a arrow.Array, _ options[[8]byte]) reader[[8]byte] {
	bytes := openBytes(a)
	if bytes == nil {
		return nil
	}
	return func(row int) (v [8]byte, err error) {
		text := bytes(row)
		if len(text) > len(v) {
			return v, errTooLong
		}
		copy(v[:], text)
		return v, nil
	}
}

// openBytes returns a function that returns the bytes of a row; nil if it has none. Some
// are those of the array.
func openBytes(a arrow.Array) func(row int) string {
	switch a := a.(type) {
	case *array.String:
		return a.Value
	case *array.LargeString:
		return a.Value
	case *array.StringView:
		return a.Value
	case *array.Binary:
		return func(row int) string { return string(a.Value(row)) }
	case *array.LargeBinary:
		return func(row int) string { return string(a.Value(row)) }
	case *array.BinaryView:
		return func(row int) string { return string(a.Value(row)) }
	case *array.FixedSizeBinary:
		return func(row int) string { return string(a.Value(row)) }
	}
	return nil
}
