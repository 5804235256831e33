package table

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// CSV is comma-separated values with a header, as in RFC 4180: a quoted field
// keeps all its bytes, CRLF included. A field is read as the kind of the parameter
// that it is bound to:
//
//	integers       decimal, with an optional sign
//	f32, f64       what strconv.ParseFloat reads, to the nearest float
//	decimals       a sign, perhaps, and digits with a point or without; digits that the scale lacks are 0
//	bool           true, True, TRUE or 1; false, False, FALSE or 0
//	date           YYYY-MM-DD; a year of more digits or with a minus
//	timestamp      ISO 8601: a date alone, or T or a blank, hh:mm, :ss and a fraction, Z or an offset
//	char8          the bytes of the field, at most 8, filled up with zero bytes
//	text           the bytes of the field
//
// A field with a pattern has its dates and timestamps as that says. Blanks around all but char8 and text are ignored. What does not fit is an error, an
// empty field included, except as char8 and text, or where the parameter says what a row
// without a value has. Values are written in the shortest form that is read back: bools as true and false, negative zero as
// -0.0, and char8 without the zero bytes at its end.
type CSV struct{}

// Extensions returns the extension of CSV files.
func (CSV) Extensions() []string { return []string{".csv"} }

// Read reads the named columns of all records below the header.
func (CSV) Read(source *Source, path string, fields []Field) ([]ir.Column, error) {
	return readCSV(source, path, fields, csvSizes{block: 1 << 19, record: 64 << 20})
}

// Columns returns the fields of the header.
func (CSV) Columns(source *Source, path string) (names []string, err error) {
	in, err := source.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = in.close(err) }()
	return readHeader(newCSVBlocks(in, csvSizes{block: 1 << 12, record: 1 << 20}))
}

// readCSV cuts the file into blocks of whole records and parses several blocks
// at once.
func readCSV(source *Source, path string, fields []Field, sizes csvSizes) (columns []ir.Column, err error) {
	ctx, stop := context.WithCancel(source.Context)
	defer stop()
	stoppable := *source
	stoppable.Context = ctx
	in, err := stoppable.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = in.close(err) }()
	blocks := newCSVBlocks(in, sizes)
	header, err := readHeader(blocks)
	if err == io.EOF {
		return nil, &DataError{Msg: "the file is empty; its first line must name the columns" + wanted(fields)}
	}
	if err != nil {
		return nil, err
	}
	places, err := locate(header, fields)
	if err != nil {
		return nil, err
	}
	all, err := newGrowingColumns(source, fields)
	if err != nil {
		return nil, err
	}
	parse := func(b *csvBlock) *csvBlock { return b.parse(fields, places, len(header)) }
	err = inOrder(stop, blocks.next, parse, func(b *csvBlock) error {
		var data *DataError
		if errors.As(b.err, &data) {
			data.Row += all.rows
		}
		if b.err != nil {
			return b.err
		}
		if err := all.append(b.builders, b.rows); err != nil {
			return err
		}
		source.report(b.end, in.Size)
		blocks.recycle(b)
		return nil
	})
	if err == nil {
		err = all.resize(all.rows) // the final capacity
	}
	if err != nil {
		return nil, err
	}
	return all.columns, nil
}

const byteOrderMark = "\uFEFF"

// readHeader returns the first record, or io.EOF, and leaves blocks after it.
func readHeader(blocks *csvBlocks) ([]string, error) {
	first := true
	for {
		b, err := blocks.next()
		if err != nil {
			return nil, err
		}
		if first {
			b.text, first = bytes.TrimPrefix(b.text, []byte(byteOrderMark)), false
		}
		if b.endless {
			return nil, b.parse(nil, nil, 0).err
		}
		records := b.reader()
		header, err := records.Read()
		if err == io.EOF { // empty lines only
			blocks.recycle(b)
			continue
		}
		if err != nil {
			return nil, csvError(err, b.line, 0, 0)
		}
		offset := records.InputOffset()
		b.line += bytes.Count(b.text[:offset], []byte("\n"))
		b.text = b.text[offset:]
		blocks.unread(b)
		return header, nil
	}
}

// csvError rewords an error of encoding/csv, whose line numbers start at line.
// A ragged record has got fields; the header has want.
func csvError(err error, line, got, want int) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return err
	}
	e := &DataError{Line: line + parse.Line - 1}
	switch {
	case errors.Is(err, csv.ErrFieldCount):
		e.Msg = fmt.Sprintf("the row has %d fields, the header %d", got, want)
	case errors.Is(err, csv.ErrBareQuote):
		e.Msg = fmt.Sprintf("byte %d: a quote inside a field; quote the whole field and write each quote in it twice", parse.Column)
	case errors.Is(err, csv.ErrQuote):
		e.Msg = fmt.Sprintf("byte %d: a quoted field is not closed, or text follows its closing quote", parse.Column)
		if parse.StartLine < parse.Line {
			e.Msg += fmt.Sprintf("; its row begins in line %d", line+parse.StartLine-1)
		}
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
			missing := missingColumn(f, names)
			missing.Line = 1
			return nil, missing
		}
	}
	return places, nil
}

// missingColumn says which columns exist.
func missingColumn(f Field, names []string) *DataError {
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
	if len(quoted) == 0 {
		quoted = []string{"none"}
	}
	return &DataError{Msg: fmt.Sprintf("no column %s for parameter %s; the file has %s%s (bind another by --bind %s=COLUMN)",
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
