package ir

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Scalar is one typed element. Bits holds integers and dates sign- or
// zero-extended to 64 bits, bools as 0 or 1, f64 as its IEEE bits, f32 as its
// 32 IEEE bits, and char8 big-endian, so that unsigned order is byte order.
type Scalar struct {
	Kind Kind
	Bits uint64
}

// Int returns the scalar of kind k, an integer or stored as one, that is i wrapped to
// k's width.
func Int(k Kind, i int64) Scalar { return Scalar{k, wrap(k, uint64(i))} }

// Float returns the scalar of float kind k nearest to f.
func Float(k Kind, f float64) Scalar {
	if k == F32 {
		return Scalar{k, uint64(math.Float32bits(float32(f)))}
	}
	return Scalar{k, math.Float64bits(f)}
}

// BoolScalar returns b as a scalar.
func BoolScalar(b bool) Scalar {
	if b {
		return Scalar{Bool, 1}
	}
	return Scalar{Kind: Bool}
}

// Char8Scalar returns s, at most 8 bytes, as a scalar.
func Char8Scalar(s string) Scalar {
	var b [8]byte
	copy(b[:], s)
	return Scalar{Char8, binary.BigEndian.Uint64(b[:])}
}

// isValid reports whether s is an element of its kind, with no other bits set.
func (s Scalar) isValid() bool {
	switch s.Kind {
	case Bool:
		return s.Bits <= 1
	case F32:
		return s.Bits <= math.MaxUint32
	case Text: // a constant text is a string
		return false
	}
	return s.Kind.isElement() && wrap(s.Kind, s.Bits) == s.Bits
}

// Int64 returns the value of an integer, date or bool.
func (s Scalar) Int64() int64 { return int64(s.Bits) }

// IsTrue reports whether a bool is true.
func (s Scalar) IsTrue() bool { return s.Bits != 0 }

// Float64 returns the value of a float.
func (s Scalar) Float64() float64 {
	if s.Kind == F32 {
		return float64(math.Float32frombits(uint32(s.Bits)))
	}
	return math.Float64frombits(s.Bits)
}

// Bytes returns the 8 bytes of a char8.
func (s Scalar) Bytes() [8]byte {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], s.Bits)
	return b
}

// wrap keeps the low bits of x that kind k has and extends them by k's sign.
func wrap(k Kind, x uint64) uint64 {
	switch k {
	case I8:
		return uint64(int64(int8(x)))
	case I16:
		return uint64(int64(int16(x)))
	case I32, Date, Text:
		return uint64(int64(int32(x)))
	case U8:
		return uint64(uint8(x))
	case U16:
		return uint64(uint16(x))
	case U32:
		return uint64(uint32(x))
	}
	return x
}

// Column is the data of a column, or of a scalar as one row. Slice is the Go
// slice that generated Go code takes for Kind: []bool, []int8 ... []uint64,
// []float32, []float64, []int32 for date and text, []int64 for timestamp and decimals,
// [][8]byte for char8.
type Column struct {
	Kind  Kind
	Slice any
	Texts []string // of kind Text: the sorted dictionary, if it is known
}

// NewColumn returns n zero rows of kind k.
func NewColumn(k Kind, n int) Column {
	switch k.Stored() {
	case Bool:
		return Column{Kind: k, Slice: make([]bool, n)}
	case I8:
		return Column{Kind: k, Slice: make([]int8, n)}
	case I16:
		return Column{Kind: k, Slice: make([]int16, n)}
	case I32:
		return Column{Kind: k, Slice: make([]int32, n)}
	case I64:
		return Column{Kind: k, Slice: make([]int64, n)}
	case U8:
		return Column{Kind: k, Slice: make([]uint8, n)}
	case U16:
		return Column{Kind: k, Slice: make([]uint16, n)}
	case U32:
		return Column{Kind: k, Slice: make([]uint32, n)}
	case U64:
		return Column{Kind: k, Slice: make([]uint64, n)}
	case F32:
		return Column{Kind: k, Slice: make([]float32, n)}
	case F64:
		return Column{Kind: k, Slice: make([]float64, n)}
	case Char8:
		return Column{Kind: k, Slice: make([][8]byte, n)}
	}
	panic(fmt.Sprintf("ir: no columns of %v", k))
}

// Len returns the number of rows.
func (c Column) Len() int {
	switch s := c.Slice.(type) {
	case []bool:
		return len(s)
	case []int8:
		return len(s)
	case []int16:
		return len(s)
	case []int32:
		return len(s)
	case []int64:
		return len(s)
	case []uint8:
		return len(s)
	case []uint16:
		return len(s)
	case []uint32:
		return len(s)
	case []uint64:
		return len(s)
	case []float32:
		return len(s)
	case []float64:
		return len(s)
	case [][8]byte:
		return len(s)
	}
	panic(fmt.Sprintf("ir: no columns of %T", c.Slice))
}

// At returns row i.
func (c Column) At(i int) Scalar {
	switch s := c.Slice.(type) {
	case []bool:
		return BoolScalar(s[i])
	case []int8:
		return Int(c.Kind, int64(s[i]))
	case []int16:
		return Int(c.Kind, int64(s[i]))
	case []int32:
		return Int(c.Kind, int64(s[i]))
	case []int64:
		return Int(c.Kind, s[i])
	case []uint8:
		return Scalar{c.Kind, uint64(s[i])}
	case []uint16:
		return Scalar{c.Kind, uint64(s[i])}
	case []uint32:
		return Scalar{c.Kind, uint64(s[i])}
	case []uint64:
		return Scalar{c.Kind, s[i]}
	case []float32:
		return Scalar{c.Kind, uint64(math.Float32bits(s[i]))}
	case []float64:
		return Scalar{c.Kind, math.Float64bits(s[i])}
	case [][8]byte:
		return Scalar{c.Kind, binary.BigEndian.Uint64(s[i][:])}
	}
	panic(fmt.Sprintf("ir: no columns of %T", c.Slice))
}

// Set stores v, a scalar of the column's kind, in row i.
func (c Column) Set(i int, v Scalar) {
	switch s := c.Slice.(type) {
	case []bool:
		s[i] = v.Bits != 0
	case []int8:
		s[i] = int8(v.Bits)
	case []int16:
		s[i] = int16(v.Bits)
	case []int32:
		s[i] = int32(v.Bits)
	case []int64:
		s[i] = int64(v.Bits)
	case []uint8:
		s[i] = uint8(v.Bits)
	case []uint16:
		s[i] = uint16(v.Bits)
	case []uint32:
		s[i] = uint32(v.Bits)
	case []uint64:
		s[i] = v.Bits
	case []float32:
		s[i] = math.Float32frombits(uint32(v.Bits))
	case []float64:
		s[i] = math.Float64frombits(v.Bits)
	case [][8]byte:
		s[i] = v.Bytes()
	default:
		panic(fmt.Sprintf("ir: no columns of %T", c.Slice))
	}
}

// CheckError is a failed check: what every device and fusion level reports.
type CheckError struct {
	Site *Site
	Row  int64 // in Site.Domain; 0 for a scalar
}

// Error returns the position, what is wrong, and where in the data.
func (e *CheckError) Error() string {
	message := e.Site.Message
	if e.Site.Domain != nil {
		message += fmt.Sprintf(" (row %d of %s)", e.Row, e.Site.Domain)
	}
	if !e.Site.Pos.IsValid() {
		return message
	}
	return e.Site.Pos.String() + ": " + message
}

// ShareTexts gives the columns of kind Text in to the dictionary of those in from.
func ShareTexts(to, from []Column) {
	for _, c := range from {
		if c.Texts == nil {
			continue
		}
		for i := range to {
			if to[i].Kind == Text {
				to[i].Texts = c.Texts
			}
		}
		return
	}
}
