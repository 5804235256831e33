package table

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/kgen-go/kgen/ir"
)

// ParseScalar reads a scalar of kind k as files and --set write it.
func ParseScalar(k ir.Kind, text string) (ir.Scalar, error) {
	b := newBuilder(k)
	if err := b.add(text); err != nil {
		return ir.Scalar{}, err
	}
	return b.column().At(0), nil
}

// AppendScalar appends s in its shortest form that ParseScalar reads back.
func AppendScalar(out []byte, s ir.Scalar) []byte {
	return valueAppender(columnOf(s))(out, 0)
}

// AppendRow appends a row of c as AppendScalar does; of a text the string, if c has the
// dictionary.
func AppendRow(out []byte, c ir.Column, row int) []byte { return valueAppender(c)(out, row) }

// columnOf returns a column of one row.
func columnOf(s ir.Scalar) ir.Column {
	c := ir.NewColumn(s.Kind, 1)
	c.Set(0, s)
	return c
}

// rowAppender appends the text of a row to out.
type rowAppender func(out []byte, row int) []byte

// valueAppender returns a function that appends a row of c in the shortest form
// that ParseScalar reads back.
func valueAppender(c ir.Column) rowAppender {
	switch s := c.Slice.(type) {
	case []bool:
		return func(out []byte, row int) []byte { return strconv.AppendBool(out, s[row]) }
	case []int8:
		return appendInts(s)
	case []int16:
		return appendInts(s)
	case []int32:
		switch {
		case c.Kind == ir.Date:
			return func(out []byte, row int) []byte { return appendDate(out, int64(s[row])) }
		case c.Texts != nil:
			return func(out []byte, row int) []byte { return append(out, c.Texts[s[row]]...) }
		}
		return appendInts(s)
	case []int64:
		switch scale := c.Kind.Scale(); {
		case c.Kind == ir.Timestamp:
			return func(out []byte, row int) []byte { return ir.AppendTimestamp(out, s[row]) }
		case scale > 0:
			return func(out []byte, row int) []byte { return ir.AppendDecimal(out, s[row], scale) }
		}
		return appendInts(s)
	case []uint8:
		return appendUints(s)
	case []uint16:
		return appendUints(s)
	case []uint32:
		return appendUints(s)
	case []uint64:
		return appendUints(s)
	case []float32:
		return func(out []byte, row int) []byte { return appendFloat(out, float64(s[row]), 32) }
	case []float64:
		return func(out []byte, row int) []byte { return appendFloat(out, s[row], 64) }
	case [][8]byte:
		return func(out []byte, row int) []byte { return append(out, trimChar8(&s[row])...) }
	}
	panic(fmt.Sprintf("table: no columns of %v", c.Kind))
}

func appendInts[T int8 | int16 | int32 | int64](s []T) rowAppender {
	return func(out []byte, row int) []byte { return strconv.AppendInt(out, int64(s[row]), 10) }
}

func appendUints[T uint8 | uint16 | uint32 | uint64](s []T) rowAppender {
	return func(out []byte, row int) []byte { return strconv.AppendUint(out, uint64(s[row]), 10) }
}

// trimChar8 returns the text in v, whose end is padded with NUL.
func trimChar8(v *[8]byte) []byte { return bytes.TrimRight(v[:], "\x00") }

// appendFloat avoids exponents as people do. Negative zero has a decimal point:
// readers take -0 for the integer, which is 0.
func appendFloat(out []byte, f float64, bits int) []byte {
	if f == 0 && math.Signbit(f) {
		return append(out, "-0.0"...)
	}
	if magnitude := math.Abs(f); magnitude != 0 && (magnitude < 1e-5 || magnitude >= 1e21) {
		return strconv.AppendFloat(out, f, 'g', -1, bits)
	}
	return strconv.AppendFloat(out, f, 'f', -1, bits)
}

const secondsPerDay = 24 * 60 * 60

// appendDate writes days since 1970-01-01 as YYYY-MM-DD; years of more digits
// and those before year 0 are written in full.
func appendDate(out []byte, days int64) []byte {
	return time.Unix(days*secondsPerDay, 0).UTC().AppendFormat(out, time.DateOnly)
}

// builder collects the rows of one column.
type builder interface {
	add(text string) error // the error says what is wrong with text, without its position
	addRow(c ir.Column)    // adds the first row of c
	column() ir.Column     // valid until reset
	reset()                // begins a new column in the same memory
}

type rows[T any] struct {
	kind  ir.Kind
	slice []T
	parse func(text string) (T, error)
}

func (r *rows[T]) add(text string) error {
	v, err := r.parse(text)
	if err != nil {
		return faultOf(r.kind, text, err)
	}
	r.slice = append(r.slice, v)
	return nil
}

func (r *rows[T]) addRow(c ir.Column) { r.slice = append(r.slice, c.Slice.([]T)[0]) }

func (r *rows[T]) reset() { r.slice = r.slice[:0] }

func (r *rows[T]) column() ir.Column {
	if r.slice == nil {
		return ir.NewColumn(r.kind, 0)
	}
	return ir.Column{Kind: r.kind, Slice: r.slice}
}

func newBuilder(k ir.Kind) builder {
	switch k {
	case ir.Bool:
		return &rows[bool]{kind: k, parse: parseBool}
	case ir.I8:
		return integers[int8](k)
	case ir.I16:
		return integers[int16](k)
	case ir.I32:
		return integers[int32](k)
	case ir.I64:
		return integers[int64](k)
	case ir.U8:
		return unsigned[uint8](k)
	case ir.U16:
		return unsigned[uint16](k)
	case ir.U32:
		return unsigned[uint32](k)
	case ir.U64:
		return unsigned[uint64](k)
	case ir.F32:
		return &rows[float32]{kind: k, parse: func(text string) (float32, error) {
			f, err := strconv.ParseFloat(trim(text), 32)
			return float32(f), err
		}}
	case ir.F64:
		return &rows[float64]{kind: k, parse: func(text string) (float64, error) {
			return strconv.ParseFloat(trim(text), 64)
		}}
	case ir.Text: // without a dictionary
		return integers[int32](k)
	case ir.Date:
		return &rows[int32]{kind: k, parse: parseDate}
	case ir.Timestamp:
		return &rows[int64]{kind: k, parse: func(text string) (int64, error) { return parseTimestamp(text, exact) }}
	case ir.Char8:
		return &rows[[8]byte]{kind: k, parse: parseChar8}
	}
	if k.IsDecimal() {
		return &rows[int64]{kind: k, parse: func(text string) (int64, error) { return parseDecimal(text, k.Scale()) }}
	}
	panic(fmt.Sprintf("table: no columns of %v", k))
}

func integers[T int8 | int16 | int32 | int64](k ir.Kind) builder {
	bits := 8 * k.Size()
	return &rows[T]{kind: k, parse: func(text string) (T, error) {
		text = trim(text)
		if i, err := strconv.Atoi(text); err == nil && int64(T(i)) == int64(i) {
			return T(i), nil // the fast path
		}
		i, err := strconv.ParseInt(text, 10, bits)
		return T(i), err
	}}
}

func unsigned[T uint8 | uint16 | uint32 | uint64](k ir.Kind) builder {
	bits := 8 * k.Size()
	return &rows[T]{kind: k, parse: func(text string) (T, error) {
		text = strings.TrimPrefix(trim(text), "+")
		if strings.HasPrefix(text, "-") && strings.Trim(text[1:], "0123456789") == "" && len(text) > 1 {
			return 0, strconv.ErrRange
		}
		i, err := strconv.ParseUint(text, 10, bits)
		return T(i), err
	}}
}

// trim drops the blanks around a number, which files often align.
func trim(text string) string {
	if n := len(text); n > 0 && (text[0] <= ' ' || text[n-1] <= ' ') {
		return strings.TrimSpace(text)
	}
	return text
}

func parseBool(text string) (bool, error) {
	switch trim(text) {
	case "true", "1", "TRUE", "True":
		return true, nil
	case "false", "0", "FALSE", "False":
		return false, nil
	}
	return false, strconv.ErrSyntax
}

func parseChar8(text string) (v [8]byte, err error) {
	if len(text) > len(v) {
		return v, strconv.ErrRange
	}
	copy(v[:], text)
	return v, nil
}

// parseDate reads YYYY-MM-DD, and years of more digits or with a sign as
// appendDate writes them.
func parseDate(text string) (int32, error) {
	text = trim(text)
	unsignedText, negative := strings.CutPrefix(text, "-")
	n := len(unsignedText)
	if n < len(time.DateOnly) || n > len(time.DateOnly)+3 || unsignedText[n-3] != '-' || unsignedText[n-6] != '-' {
		return 0, strconv.ErrSyntax
	}
	year, ok1 := digits(unsignedText[:n-6])
	month, ok2 := digits(unsignedText[n-5 : n-3])
	day, ok3 := digits(unsignedText[n-2:])
	if !ok1 || !ok2 || !ok3 {
		return 0, strconv.ErrSyntax
	}
	if negative {
		year = -year
	}
	date := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if date.Day() != day || date.Month() != time.Month(month) {
		return 0, errNoSuchDay
	}
	days := date.Unix() / secondsPerDay
	if days != int64(int32(days)) {
		return 0, strconv.ErrRange
	}
	return int32(days), nil
}

var errNoSuchDay = errors.New("the calendar has no such day")

func digits(text string) (int, bool) {
	n := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
		n = n*10 + int(text[i]-'0')
	}
	return n, true
}

// maxShown is how many bytes of an invalid text a message shows.
const maxShown = 40

func quote(text string) string {
	if len(text) > maxShown {
		return strconv.Quote(text[:maxShown]) + "..."
	}
	return strconv.Quote(text)
}

// faultOf says what is wrong with text and what is expected.
func faultOf(k ir.Kind, text string, err error) error {
	shown, name := quote(text), k.String()
	var written *patternError
	switch {
	case k != ir.Char8 && trim(text) == "":
		return fmt.Errorf("the field is empty, but every row needs %s; the parameter may say what such rows have: missing", expected(k))
	case k == ir.Char8:
		return fmt.Errorf("%s has %d bytes; a char8 holds at most 8", shown, len(text))
	case errors.As(err, &written):
		return fmt.Errorf("%s is not a %s as %s writes it%w", shown, name, written.text, err)
	case errors.Is(err, errNoSuchDay), errors.Is(err, errNoSuchTime), errors.Is(err, errTooFine), errors.Is(err, errTooManyDigits):
		return fmt.Errorf("%s is not a %s: %w", shown, name, err)
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%s is out of range for %s; %s", shown, name, limits(k))
	}
	return fmt.Errorf("%s is not %s", shown, expected(k))
}

// expected describes how a value of kind k is written.
func expected(k ir.Kind) string {
	switch {
	case k == ir.Bool:
		return "a bool (true, false, 1 or 0)"
	case k == ir.Date:
		return "a date (YYYY-MM-DD)"
	case k == ir.Timestamp:
		return "a timestamp (YYYY-MM-DDThh:mm:ssZ)"
	case k == ir.Text:
		return "a text"
	case k.IsDecimal():
		return fmt.Sprintf("a number with at most %d digits after the point (%v)", k.Scale(), k)
	case k.IsFloat():
		return fmt.Sprintf("a number (%s)", k)
	}
	return fmt.Sprintf("an integer (%s)", k)
}

func limits(k ir.Kind) string {
	bits := uint(8 * k.Size())
	switch {
	case k == ir.Date:
		return fmt.Sprintf("dates reach from %s to %s", appendDate(nil, math.MinInt32), appendDate(nil, math.MaxInt32))
	case k == ir.Timestamp:
		return fmt.Sprintf("timestamps reach from %s to %s", ir.AppendTimestamp(nil, math.MinInt64), ir.AppendTimestamp(nil, math.MaxInt64))
	case k.IsDecimal():
		return fmt.Sprintf("it holds %s to %s", ir.AppendDecimal(nil, math.MinInt64, k.Scale()), ir.AppendDecimal(nil, math.MaxInt64, k.Scale()))
	case k == ir.F32:
		return fmt.Sprintf("its largest number is %g", math.MaxFloat32)
	case k == ir.F64:
		return fmt.Sprintf("its largest number is %g", math.MaxFloat64)
	case k.IsUnsigned():
		return fmt.Sprintf("it holds 0 to %d", uint64(math.MaxUint64)>>(64-bits))
	}
	return fmt.Sprintf("it holds %d to %d", int64(math.MinInt64)>>(64-bits), int64(math.MaxInt64)>>(64-bits))
}
