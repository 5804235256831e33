package plan

// Kind is an element type, named as in the language.
type Kind string

// The element types. A date is an i32 of days since 1970-01-01; a char8 is 8
// bytes, NUL-padded.
const (
	Bool  Kind = "bool"
	I8    Kind = "i8"
	I16   Kind = "i16"
	I32   Kind = "i32"
	I64   Kind = "i64"
	U8    Kind = "u8"
	U16   Kind = "u16"
	U32   Kind = "u32"
	U64   Kind = "u64"
	F32   Kind = "f32"
	F64   Kind = "f64"
	Date  Kind = "date"
	Char8 Kind = "char8"
)

// Size is the width of an element in bytes; 0 where k is no kind.
func (k Kind) Size() int {
	switch k {
	case Bool, I8, U8:
		return 1
	case I16, U16:
		return 2
	case I32, U32, F32, Date:
		return 4
	case I64, U64, F64, Char8:
		return 8
	}
	return 0
}

// Literal is a value as text: a number, true or false, a date as 1994-01-01,
// or a char8 in Go's double quotes.
type Literal string
