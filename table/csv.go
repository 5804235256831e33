package table

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// CSV is comma-separated values with a header, as RFC 4180 has them.
type CSV struct{}

// Extensions returns the extension of CSV files.
func (CSV) Extensions() []string { return []string{".csv"} }

const byteOrderMark = "\uFEFF"

// Read reads the named columns of all records below the header.
func (CSV) Read(source *Source, path string, fields []Field) (columns []ir.Column, err error) {
	in, err := source.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = in.close(err) }()
	buffered := bufio.NewReaderSize(in, 1<<18)
	if start, _ := buffered.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
		buffered.Discard(len(byteOrderMark))
	}
	records := csv.NewReader(buffered)
	records.ReuseRecord = true
	header, err := records.Read()
	if err == io.EOF {
		return nil, &DataError{Msg: "the file is empty; its first line must name the columns" + wanted(fields)}
	}
	if err != nil {
		return nil, csvError(err, 0, 0)
	}
	header = slices.Clone(header) // the reader reuses it
	places, err := locate(header, fields)
	if err != nil {
		return nil, err
	}
	builders := make([]builder, len(fields))
	for i, f := range fields {
		builders[i] = newBuilder(f.Kind)
	}
	for row := int64(0); ; row++ {
		record, err := records.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, csvError(err, len(record), len(header))
		}
		for i, b := range builders {
			if err := b.add(record[places[i]]); err != nil {
				line, _ := records.FieldPos(places[i])
				return nil, &DataError{Line: line, Column: fields[i].Column, Row: row, Msg: err.Error()}
			}
		}
	}
	columns = make([]ir.Column, len(fields))
	for i, b := range builders {
		columns[i] = b.column()
	}
	return columns, nil
}

// csvError words the errors of encoding/csv; a ragged record has got fields
// where the header has want.
func csvError(err error, got, want int) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return err
	}
	e := &DataError{Line: parse.Line}
	switch {
	case errors.Is(err, csv.ErrFieldCount):
		e.Msg = fmt.Sprintf("the row has %d fields, the header %d", got, want)
	case errors.Is(err, csv.ErrBareQuote):
		e.Msg = fmt.Sprintf("byte %d: a quote inside a field; quote the whole field and write each quote in it twice", parse.Column)
	case errors.Is(err, csv.ErrQuote):
		e.Msg = fmt.Sprintf("byte %d: a quoted field is not closed, or text follows its closing quote", parse.Column)
	default:
		e.Msg = parse.Err.Error()
	}
	return e
}

// locate finds the position of each field in the header.
func locate(header []string, fields []Field) ([]int, error) {
	names := make([]string, len(header))
	for i, name := range header {
		names[i] = strings.TrimSpace(name)
	}
	places := make([]int, len(fields))
	for i, f := range fields {
		places[i] = -1
		for j, name := range names {
			if name != f.Column {
				continue
			}
			if places[i] >= 0 {
				return nil, &DataError{Line: 1, Msg: fmt.Sprintf("the header names the column %q twice, as number %d and %d", name, places[i]+1, j+1)}
			}
			places[i] = j
		}
		if places[i] < 0 {
			return nil, missingColumn(f, names)
		}
	}
	return places, nil
}

// missingColumn says which columns exist.
func missingColumn(f Field, names []string) error {
	const most = 40
	shown := names
	more := ""
	if len(shown) > most {
		shown, more = shown[:most], fmt.Sprintf(" and %d more", len(names)-most)
	}
	var quoted []string
	for _, n := range shown {
		quoted = append(quoted, quoteName(n))
	}
	return &DataError{Line: 1, Msg: fmt.Sprintf("no column %s for parameter %s; the file has %s%s (bind another by --bind %s=COLUMN)",
		quoteName(f.Column), f.Param, strings.Join(quoted, ", "), more, f.Param)}
}

// quoteName quotes a column name unless it is a plain word.
func quoteName(name string) string {
	plain := name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r == ',' || r == '"' || r > '~'
	})
	if plain && len(name) <= maxShown {
		return name
	}
	return quote(name)
}

func wanted(fields []Field) string {
	var names []string
	for _, f := range fields {
		names = append(names, quoteName(f.Column))
	}
	if len(names) == 0 {
		return ""
	}
	return ": " + strings.Join(names, ",")
}

// NewWriter writes a header; rows follow with each number in its shortest form.
func (CSV) NewWriter(stage *Stage, path string, columns []Field) (Writer, error) {
	out, err := stage.Create(path)
	if err != nil {
		return nil, err
	}
	w := &csvWriter{Writer: bufio.NewWriterSize(out, 1<<18)}
	for i, c := range columns {
		w.line = appendField(separate(w.line, i), []byte(c.Column), false)
	}
	w.Writer.Write(append(w.line, '\n'))
	return w, nil
}

type csvWriter struct {
	*bufio.Writer
	line, text []byte
}

// Write writes a line per row.
func (w *csvWriter) Write(columns []ir.Column) error {
	alone := len(columns) == 1
	for row := range columns[0].Len() {
		w.line = w.line[:0]
		for i, c := range columns {
			w.line = separate(w.line, i)
			if c.Kind == ir.Char8 {
				w.text = AppendScalar(w.text[:0], c.At(row))
				w.line = appendField(w.line, w.text, alone)
			} else {
				w.line = AppendScalar(w.line, c.At(row))
			}
		}
		if _, err := w.Writer.Write(append(w.line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// Close writes what is buffered.
func (w *csvWriter) Close() error { return w.Flush() }

func separate(line []byte, i int) []byte {
	if i > 0 {
		line = append(line, ',')
	}
	return line
}

// appendField appends text, in quotes where it needs them. An empty field that
// is alone in its row needs them too: readers skip empty lines.
func appendField(line, text []byte, alone bool) []byte {
	if len(text) == 0 && alone || strings.ContainsAny(string(text), "\",\r\n") {
		line = append(line, '"')
		line = append(line, strings.ReplaceAll(string(text), `"`, `""`)...)
		return append(line, '"')
	}
	return append(line, text...)
}
