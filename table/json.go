package table

import (
	"encoding/json"
	"fmt"

	"github.com/kgen-go/kgen/ir"
)

// MarshalJSON makes t an object: name, rows, and for each column its name, type
// and values. Floats that JSON lacks, dates and char8 are strings.
func (t Table) MarshalJSON() ([]byte, error) {
	var out []byte
	out = append(out, `{"name":`...)
	out = appendJSONString(out, t.Name)
	out = fmt.Appendf(out, `,"rows":%d,"columns":[`, t.Rows())
	for i, c := range t.Columns {
		out = append(separate(out, i), `{"name":`...)
		out = appendJSONString(out, c.Name)
		out = fmt.Appendf(out, `,"type":"%s","values":[`, c.Data.Kind)
		for row := range c.Data.Len() {
			out = appendJSONScalar(separate(out, row), c.Data.At(row))
		}
		out = append(out, "]}"...)
	}
	return append(out, "]}"...), nil
}

func appendJSONScalar(out []byte, s ir.Scalar) []byte {
	text := AppendScalar(nil, s)
	quoted := s.Kind == ir.Date || s.Kind == ir.Char8
	if s.Kind.IsFloat() {
		last := text[len(text)-1]
		quoted = last < '0' || last > '9' // NaN, +Inf, -Inf
	}
	if quoted {
		return appendJSONString(out, string(text))
	}
	return append(out, text...)
}

func appendJSONString(out []byte, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // strings always marshal
	}
	return append(out, quoted...)
}
