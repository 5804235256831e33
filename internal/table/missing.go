package table

import (
	"bytes"
	"errors"

	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
)

// A row of a file may have no value in a column: an empty field of CSV, NULL in Parquet,
// NaT in NumPy. A field says what such a row has instead, or takes only whether there is a
// value; otherwise it is an error.

// mayMiss reports whether rows of the field's column need no value.
func (f Field) mayMiss() bool { return f.Present || f.Missing.Kind != ir.Invalid }

// newFieldBuilder returns a builder for the texts of a field.
func newFieldBuilder(f Field) builder {
	if f.Present {
		return &rows[bool]{kind: ir.Bool, parse: func(text string) (bool, error) { return trim(text) != "", nil }}
	}
	b := f.newBuilder()
	if f.mayMiss() {
		return &missingBuilder{b, f, columnOf(f.Missing)}
	}
	return b
}

// newBuilder returns a builder for texts that have a value.
func (f Field) newBuilder() builder {
	switch {
	case f.Like != nil:
		return &rows[bool]{kind: ir.Bool, parse: func(text string) (bool, error) { return f.Like.Matches(text), nil }}
	case f.Texts != nil:
		return newTextBuilder(f.Texts)
	case f.Kind == ir.Date && f.Pattern != nil:
		return &rows[int32]{kind: f.Kind, parse: f.Pattern.date}
	case f.Kind == ir.Timestamp && f.Pattern != nil:
		return &rows[int64]{kind: f.Kind, parse: func(text string) (int64, error) { return f.Pattern.timestamp(text, f.Round) }}
	case f.Kind == ir.Timestamp:
		return &rows[int64]{kind: f.Kind, parse: func(text string) (int64, error) { return parseTimestamp(text, f.Round) }}
	}
	return newBuilder(f.Kind)
}

// withMissing returns a function that appends a row of a column, or text where the row has
// no value in the file.
func (f Field) withMissing(c ir.Column, appendValue rowAppender, text string) rowAppender {
	if !f.mayMiss() {
		return appendValue
	}
	missing, values, size := raw.Bytes(columnOf(f.Missing)), raw.Bytes(c), f.Kind.Size()
	return func(out []byte, row int) []byte {
		if bytes.Equal(values[row*size:(row+1)*size], missing) {
			return append(out, text...)
		}
		return appendValue(out, row)
	}
}

// missingElement returns what a row has that gets no value; nil if all get one.
func missingElement[E any](f Field) *E {
	if !f.mayMiss() {
		return nil
	}
	return &columnOf(f.Missing).Slice.([]E)[0]
}

// fill returns what a row without a value has, as a column of one row.
func (f Field) fill() (ir.Column, error) {
	c := columnOf(f.Missing)
	if f.Kind != ir.Text {
		return c, nil
	}
	code, err := f.Texts.Code(f.MissingText)
	c.Set(0, ir.Int(ir.Text, int64(code)))
	return c, err
}

// missingBuilder adds what a field has where a text is empty.
type missingBuilder struct {
	builder
	field   Field
	missing ir.Column // of one row
}

func (b *missingBuilder) add(text string) error {
	k := b.field.Kind
	switch {
	case text != "" && (k == ir.Char8 || k == ir.Text || b.field.Like != nil || trim(text) != ""):
		return b.builder.add(text)
	case b.field.Texts != nil:
		return b.builder.add(b.field.MissingText)
	}
	b.addRow(b.missing)
	return nil
}

// spread moves the first values of out to the rows that have one, by a byte 0 or 1 for
// each row; the others get fill.
func spread(out, present, fill []byte, values int) {
	size := len(fill)
	for row := len(present) - 1; row >= 0; row-- {
		to := out[row*size : (row+1)*size]
		if present[row] == 0 {
			copy(to, fill)
			continue
		}
		values--
		copy(to, out[values*size:(values+1)*size])
	}
}

// inRow moves a fault of value i to the row that has it.
func inRow(err error, first int64, present []byte) error {
	var fault *valueFault
	if !errors.As(err, &fault) {
		return err
	}
	value := fault.row - first
	for row, there := range present {
		if there == 1 {
			if value == 0 {
				return &valueFault{row: first + int64(row), msg: fault.msg}
			}
			value--
		}
	}
	return err
}
