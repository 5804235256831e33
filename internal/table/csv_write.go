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
	return &lineWriter{out: out, line: csvLine}, nil
}

// csvLine returns a function that appends a record of columns.
func csvLine(columns []ir.Column) rowAppender {
	appenders := make([]rowAppender, len(columns))
	for i, c := range columns {
		appenders[i] = valueAppender(c)
		if s, ok := c.Slice.([][8]byte); ok {
			alone := len(columns) == 1
			appenders[i] = func(out []byte, row int) []byte { return appendField(out, trimChar8(&s[row]), alone) }
		}
		if s, ok := c.Slice.([]int32); ok && c.Texts != nil {
			alone := len(columns) == 1
			appenders[i] = func(out []byte, row int) []byte { return appendField(out, c.Texts[s[row]], alone) }
		}
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
