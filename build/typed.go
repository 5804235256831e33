package build

import (
	"reflect"

	"github.com/kgen-go/kgen/ir"
)

// Date stands for the element type date: days since 1970-01-01. Emitted
// functions take an int32.
type Date int32

// Timestamp stands for the element type timestamp: microseconds since 1970-01-01,
// in UTC. Emitted functions take an int64.
type Timestamp int64

// Text stands for the element type text: the place of a string in the sorted dictionary
// of all strings of a call. Emitted functions take an int32.
type Text int32

// Char8 stands for the element type char8: 8 bytes, padded with NUL at the end.
// Emitted functions take a [8]byte.
type Char8 [8]byte

// Element is satisfied by the Go types that stand for element types.
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | Date | Timestamp | Text | Char8
}

// KindOf returns the element type that T stands for.
func KindOf[T Element]() ir.Kind {
	switch t := reflect.TypeFor[T](); {
	case t == reflect.TypeFor[Date]():
		return ir.Date
	case t == reflect.TypeFor[Timestamp]():
		return ir.Timestamp
	case t == reflect.TypeFor[Text]():
		return ir.Text
	case t == reflect.TypeFor[Char8]():
		return ir.Char8
	default:
		return kinds[t.Kind()]
	}
}

var kinds = map[reflect.Kind]ir.Kind{
	reflect.Bool: ir.Bool, reflect.Int8: ir.I8, reflect.Int16: ir.I16, reflect.Int32: ir.I32, reflect.Int64: ir.I64,
	reflect.Uint8: ir.U8, reflect.Uint16: ir.U16, reflect.Uint32: ir.U32, reflect.Uint64: ir.U64,
	reflect.Float32: ir.F32, reflect.Float64: ir.F64,
}

// Column adds a parameter that is a column over a domain, in text
// name: [domain]T.
func Column[T Element](b *ir.Builder, name, domain string) ir.Operand {
	return b.Column(name, domain, KindOf[T]())
}

// Scalar adds a scalar parameter, in text name: T.
func Scalar[T Element](b *ir.Builder, name string) ir.Operand {
	return b.Scalar(name, KindOf[T]())
}

// Optional adds a scalar parameter with a default, in text name: T = value. The
// value is a Go constant or a constant operand such as b.Date("1994-01-01").
func Optional[T Element](b *ir.Builder, name string, value any) ir.Operand {
	return b.ScalarWithDefault(name, KindOf[T](), value)
}

// Cast converts x to the element type of T, in text T(x).
func Cast[T Element](b *ir.Builder, x any) ir.Operand { return b.Cast(KindOf[T](), x) }
