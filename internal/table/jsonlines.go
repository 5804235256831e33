package table

import "github.com/kgen-go/kgen/ir"

// JSONLines is one JSON object per row, each on its own line, for other
// programs. kgen writes it but does not read it.
type JSONLines struct{}

// Extensions returns the extension of files of JSON lines.
func (JSONLines) Extensions() []string { return []string{".jsonl"} }

// NewWriter begins a file of lines. Floats without a JSON number, dates and
// char8 are strings; a char8 that is not UTF-8 is an error.
func (JSONLines) NewWriter(stage *Stage, path string, columns []Field) (Writer, error) {
	out, err := stage.Create(path)
	if err != nil {
		return nil, err
	}
	names := make([][]byte, len(columns)) // with the punctuation around them
	for i, c := range columns {
		names[i] = append(appendJSONString(separate(nil, i), c.Column), ':')
	}
	line := func(data []ir.Column) rowAppender {
		appenders := make([]rowAppender, len(data))
		for i, c := range data {
			appenders[i] = columns[i].withMissing(c, jsonAppender(c), "null")
		}
		return func(out []byte, row int) []byte {
			out = append(out, '{')
			for i, appendValue := range appenders {
				out = appendValue(append(out, names[i]...), row)
			}
			return append(out, "}\n"...)
		}
	}
	return &jsonWriter{lineWriter{out: out, line: line}, path, columns, 0}, nil
}

// jsonWriter refuses rows that JSON cannot represent.
type jsonWriter struct {
	lineWriter
	path   string
	fields []Field
	rows   int64 // written
}

// Write implements Writer.
func (w *jsonWriter) Write(columns []ir.Column) error {
	for i, c := range columns {
		if err := refuseJSON(w.fields[i].Column, c, w.rows); err != nil {
			return writing(w.path, err)
		}
	}
	if len(columns) > 0 {
		w.rows += int64(columns[0].Len())
	}
	return w.lineWriter.Write(columns)
}
