package table

import (
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// NewWriter writes a header; rows follow with each number in its shortest form.
func (CSV) NewWriter(stage *Stage, path string, columns []Field) (Writer, error) {
	out, err := stage.Create(path)
	if err != nil {
		return nil, err
	}
	var header []byte
	for i, c := range columns {
		header = appendField(separate(header, i), []byte(c.Column), len(columns) == 1)
	}
	if _, err := out.Write(append(header, '\n')); err != nil {
		return nil, err
	}
	return &lineWriter{out: out, line: func(c []ir.Column) rowAppender { return csvLine(columns, c) }}, nil
}

// csvLine returns a function that appends a record of columns.
func csvLine(fields []Field, columns []ir.Column) rowAppender {
	appenders := make([]rowAppender, len(columns))
	alone := len(columns) == 1
	empty := string(appendField(nil, "", alone))
	for i, c := range columns {
		appendValue := valueAppender(c)
		if s, ok := c.Slice.([][8]byte); ok {
			appendValue = func(out []byte, row int) []byte { return appendField(out, trimChar8(&s[row]), alone) }
		}
		if s, ok := c.Slice.([]int32); ok && c.Texts != nil {
			appendValue = func(out []byte, row int) []byte { return appendField(out, c.Texts[s[row]], alone) }
		}
		appenders[i] = fields[i].withMissing(c, appendValue, empty)
	}
	return func(out []byte, row int) []byte {
		for i, appendValue := range appenders {
			out = appendValue(separate(out, i), row)
		}
		return append(out, '\n')
	}
}

func separate(line []byte, i int) []byte {
	if i > 0 {
		line = append(line, ',')
	}
	return line
}

// appendField appends text, quoted if necessary. An empty field that is alone
// in its row is quoted too, because readers skip empty lines.
func appendField[T []byte | string](line []byte, text T, alone bool) []byte {
	if len(text) > 0 && !strings.ContainsAny(string(text), "\",\r\n") || len(text) == 0 && !alone {
		return append(line, text...)
	}
	line = append(line, '"')
	line = append(line, strings.ReplaceAll(string(text), `"`, `""`)...)
	return append(line, '"')
}
