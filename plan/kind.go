package plan

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Kind is an element type, named as in the language.
type Kind string

// The element types. A date is an i32 of days since 1970-01-01, a timestamp an i64 of
// microseconds since then in UTC, a text an i32, its place in the sorted dictionary
// of all strings of a run; a char8 has 8 bytes, padded with NUL at the end. Beside these,
// decimal(0) to decimal(18) are kinds of ports, see [Kind.Scale].
const (
	Bool      Kind = "bool"
	I8        Kind = "i8"
	I16       Kind = "i16"
	I32       Kind = "i32"
	I64       Kind = "i64"
	U8        Kind = "u8"
	U16       Kind = "u16"
	U32       Kind = "u32"
	U64       Kind = "u64"
	F32       Kind = "f32"
	F64       Kind = "f64"
	Date      Kind = "date"
	Timestamp Kind = "timestamp"
	Text      Kind = "text"
	Char8     Kind = "char8"
)

// Scale returns how many digits a decimal has after its point; ok is false if k is no
// decimal. A decimal is held as its unscaled number: 1250 for the decimal(2) 12.50.
func (k Kind) Scale() (scale int, ok bool) {
	text, ok := strings.CutPrefix(string(k), "decimal(")
	if !ok {
		return 0, false
	}
	scale, err := strconv.Atoi(strings.TrimSuffix(text, ")"))
	return scale, err == nil && scale >= 0 && scale <= maxScale && string(k) == fmt.Sprintf("decimal(%d)", scale)
}

// Stored returns the kind of the buffers and scalars that hold values of k: i64 for a
// decimal, else k.
func (k Kind) Stored() Kind {
	if _, ok := k.Scale(); ok {
		return I64
	}
	return k
}

// Size returns the width of an element in bytes, or 0 if k is no kind.
func (k Kind) Size() int {
	switch k {
	case Bool, I8, U8:
		return 1
	case I16, U16:
		return 2
	case I32, U32, F32, Date, Text:
		return 4
	case I64, U64, F64, Timestamp, Char8:
		return 8
	}
	if _, ok := k.Scale(); ok {
		return 8
	}
	return 0
}

// Literal is a value as text: a number, true or false, a date as 1994-01-01 or,
// outside the years 0001 to 9999, as its days since 1970-01-01, a timestamp as its
// microseconds since then, a decimal as its unscaled number, or a char8 in Go's double
// quotes.
type Literal string

// Parse returns the value that the text stands for: an integer, date or timestamp
// extended to 64 bits by its sign, a bool as 0 or 1, a float as its IEEE bits,
// a char8 big-endian, so that unsigned order is byte order. "" is zero.
func (k Kind) Parse(text Literal) (uint64, error) {
	if text == "" && k.Size() > 0 {
		return 0, nil
	}
	value, err := k.parse(string(text))
	if err != nil {
		return 0, fmt.Errorf("%q is no %s: %s", text, k, err)
	}
	return value, nil
}

func (k Kind) parse(text string) (uint64, error) {
	width := k.Size() * 8
	switch k.Stored() {
	case Bool:
		switch text {
		case "false":
			return 0, nil
		case "true":
			return 1, nil
		}
		return 0, errors.New("write true or false")
	case I8, I16, I32, I64, Timestamp, Text:
		v, err := strconv.ParseInt(text, 10, width)
		return uint64(v), cause(err)
	case U8, U16, U32, U64:
		v, err := strconv.ParseUint(text, 10, width)
		return v, cause(err)
	case F32:
		v, err := strconv.ParseFloat(text, width)
		return uint64(math.Float32bits(float32(v))), cause(err)
	case F64:
		v, err := strconv.ParseFloat(text, width)
		return math.Float64bits(v), cause(err)
	case Date:
		// The type's extremes, with which min and max begin, have no calendar date.
		if days, err := strconv.ParseInt(text, 10, width); err == nil {
			return uint64(days), nil
		}
		day, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return 0, errors.New("write a day as 1994-01-01")
		}
		return uint64(day.Unix() / secondsOfDay), nil
	case Char8:
		s, err := strconv.Unquote(text)
		if err != nil || len(s) > 8 {
			return 0, errors.New("write at most 8 bytes in double quotes")
		}
		var b [8]byte
		copy(b[:], s)
		return binary.BigEndian.Uint64(b[:]), nil
	}
	return 0, fmt.Errorf("there are %s", kindNames)
}

const (
	secondsOfDay = 24 * 60 * 60
	maxScale     = 18
	kindNames    = "bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 date timestamp text char8 decimal(2)"
)

// cause returns the reason of an error of strconv, without text and function.
func cause(err error) error {
	var number *strconv.NumError
	if errors.As(err, &number) {
		return number.Err
	}
	return err
}

// IsInteger reports whether k is i8 to u64.
func (k Kind) IsInteger() bool {
	switch k {
	case I8, I16, I32, I64, U8, U16, U32, U64:
		return true
	}
	return false
}

// NoRow returns the word of an errors buffer of kind k that means no failing
// row, or 0 if k cannot hold rows.
func (k Kind) NoRow() uint64 {
	switch k {
	case I32:
		return math.MaxInt32
	case U32:
		return math.MaxUint32
	case I64:
		return math.MaxInt64
	case U64:
		return math.MaxUint64
	}
	return 0
}

// FillBits returns the value that Init stores in the elements of b, as by
// [Kind.Parse].
func (b *Buffer) FillBits() uint64 {
	if b.Role == Errors {
		return b.Kind.NoRow()
	}
	bits, _ := b.Kind.Parse(b.Fill) // validated
	return bits
}
