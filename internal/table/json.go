package table

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/kgen-go/kgen/ir"
)

// WriteJSON writes t as an object: name, rows, and for each column its name,
// type and values. Floats without a JSON number, dates and char8 are strings. t
// must have passed RefuseJSON.
func (t Table) WriteJSON(out io.Writer) error {
	const flushed = 1 << 16
	var text []byte
	text = append(text, `{"name":`...)
	text = appendJSONString(text, t.Name)
	text = fmt.Appendf(text, `,"rows":%d,"columns":[`, t.Rows())
	for i, c := range t.Columns {
		text = append(separate(text, i), `{"name":`...)
		text = appendJSONString(text, c.Name)
		text = fmt.Appendf(text, `,"type":"%s","values":[`, c.Data.Kind)
		appendValue := jsonAppender(c.Data)
		for row := range c.Data.Len() {
			if text = appendValue(separate(text, row), row); len(text) >= flushed {
				if _, err := out.Write(text); err != nil {
					return err
				}
				text = text[:0]
			}
		}
		text = append(text, "]}"...)
	}
	_, err := out.Write(append(text, "]}"...))
	return err
}

// jsonAppender returns a function that appends a row of c as a JSON value.
func jsonAppender(c ir.Column) rowAppender {
	appendText := valueAppender(c)
	quoted := func(out []byte, row int) []byte { return append(appendText(append(out, '"'), row), '"') }
	switch s := c.Slice.(type) {
	case []int32:
		if c.Texts != nil {
			return func(out []byte, row int) []byte { return appendJSONString(out, c.Texts[s[row]]) }
		}
	case [][8]byte:
		return func(out []byte, row int) []byte { return appendJSONString(out, trimChar8(&s[row])) }
	case []float32:
		return func(out []byte, row int) []byte {
			if isFinite(float64(s[row])) {
				return appendText(out, row)
			}
			return quoted(out, row)
		}
	case []float64:
		return func(out []byte, row int) []byte {
			if isFinite(s[row]) {
				return appendText(out, row)
			}
			return quoted(out, row)
		}
	}
	if c.Kind.IsCalendar() {
		return quoted
	}
	return appendText
}

// isFinite reports whether JSON has a number for f.
func isFinite(f float64) bool { return f-f == 0 }

// RefuseJSON reports the first row that JSON cannot represent, if any.
func (t Table) RefuseJSON() error {
	for _, c := range t.Columns {
		if err := refuseJSON(c.Name, c.Data, 0); err != nil {
			return errors.New(err.in(t.Name))
		}
	}
	return nil
}

// refuseJSON finds a char8 in c, whose first row is number first, that is not
// UTF-8. JSON is text: readers would take escaped bytes for characters, and
// replaced bytes could make different keys equal.
func refuseJSON(name string, c ir.Column, first int64) *DataError {
	refused := func(row int, text, formats string) *DataError {
		return &DataError{Column: name, Row: first + int64(row), Msg: fmt.Sprintf("%q is not UTF-8, and JSON is; %s hold any bytes", text, formats)}
	}
	switch s := c.Slice.(type) {
	case [][8]byte:
		for row := range s {
			if text := trimChar8(&s[row]); !utf8.Valid(text) {
				return refused(row, string(text), ".csv, .parquet and .npy")
			}
		}
	case []int32:
		for row, code := range s {
			if c.Texts != nil && !utf8.ValidString(c.Texts[code]) {
				return refused(row, c.Texts[code], ".csv and .parquet")
			}
		}
	}
	return nil
}

// appendJSONString appends text, which is UTF-8.
func appendJSONString[T []byte | string](out []byte, text T) []byte {
	out, _ = jsontext.AppendQuote(out, text)
	return out
}
