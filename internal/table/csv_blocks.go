package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
)

// csvSizes are numbers of bytes.
type csvSizes struct {
	block  int // parsed at once, unless a record is longer
	record int // limit of a record, so that an open quote does not swallow the file
}

// csvBlocks cuts a file into blocks of whole records.
type csvBlocks struct {
	in     *Input
	sizes  csvSizes
	unused *csvBlock // if not nil, the next result of next
	rest   []byte    // already read, belongs to the next block
	err    error     // ended the reading
	line   int       // of the next block
	end    int64     // of the last block
	free   sync.Pool // of *csvBlock
}

func newCSVBlocks(in *Input, sizes csvSizes) *csvBlocks {
	if in.Size >= 0 { // a small file needs no large block; one more byte to see its end
		sizes.block = int(min(int64(sizes.block), max(in.Size+1, 1<<12)))
	}
	return &csvBlocks{in: in, sizes: sizes, line: 1}
}

// csvBlock is a part of a file and, once parsed, its rows.
type csvBlock struct {
	buffer  []byte
	text    []byte // in buffer
	line    int    // of its first byte, from 1
	end     int64  // offset of the byte after it
	endless bool   // it begins a record that is too long
	kept    bool   // keepCRLF has changed text

	builders []builder // by field
	rows     int64
	err      error // in a DataError, Row counts from the block's first
}

// next returns the next block, or io.EOF.
func (s *csvBlocks) next() (*csvBlock, error) {
	if b := s.unused; b != nil {
		s.unused = nil
		return b, nil
	}
	b, ok := s.free.Get().(*csvBlock)
	if !ok {
		b = &csvBlock{buffer: make([]byte, 0, s.sizes.block)}
	}
	buffer := append(b.buffer[:0], s.rest...)
	whole := 0
	for {
		for s.err == nil && len(buffer) < cap(buffer) {
			var n int
			n, s.err = s.in.Read(buffer[len(buffer):cap(buffer)])
			buffer = buffer[:len(buffer)+n]
		}
		if s.err == io.EOF {
			whole = len(buffer)
		} else {
			whole = wholeRecords(buffer)
		}
		if whole > 0 {
			break
		}
		if s.err != nil {
			return nil, s.err
		}
		if len(buffer) >= s.sizes.record {
			whole, b.endless = len(buffer), true
			break
		}
		buffer = slices.Grow(buffer, len(buffer))
	}
	b.buffer, b.text, b.kept = buffer, buffer[:whole], false
	s.rest = append(s.rest[:0], buffer[whole:]...)
	b.line = s.line
	s.line += bytes.Count(b.text, []byte("\n"))
	s.end += int64(whole)
	b.end = s.end
	return b, nil
}

// unread makes next return b again.
func (s *csvBlocks) unread(b *csvBlock) { s.unused = b }

// recycle ends the use of b. It may be called while next runs.
func (s *csvBlocks) recycle(b *csvBlock) {
	if cap(b.buffer) == s.sizes.block { // do not keep the larger buffer of a long record
		s.free.Put(b)
	}
}

// wholeRecords returns how many bytes of text, which begins with a record, are
// complete records: they end at the last line end after an even number of
// quotes. If a quote is misplaced, the result is wrong only after it, and the
// block with its line fails anyway.
func wholeRecords(text []byte) int {
	quote := []byte{'"'}
	quotes := bytes.Count(text, quote)
	for end := len(text); ; {
		i := bytes.LastIndexByte(text[:end], '\n')
		if i < 0 {
			return 0
		}
		quotes -= bytes.Count(text[i:end], quote)
		if quotes%2 == 0 {
			return i + 1
		}
		end = i
	}
}

// reader reads the records of b.
func (b *csvBlock) reader() *csv.Reader {
	if !b.kept {
		b.text, b.kept = keepCRLF(b.text), true
	}
	return csv.NewReader(bytes.NewReader(b.text))
}

var crlf, crcrlf = []byte("\r\n"), []byte("\r\r\n")

// keepCRLF prepares text, which begins with a record, for package encoding/csv,
// which reads each CRLF as LF: a CRLF between quotes gets a second CR.
func keepCRLF(text []byte) []byte {
	if !bytes.Contains(text, crlf) {
		return text
	}
	var kept []byte
	copied := 0
	for at := 0; ; {
		quote := bytes.IndexByte(text[at:], '"')
		if quote < 0 {
			break
		}
		at += quote + 1
		length := bytes.IndexByte(text[at:], '"')
		if length < 0 {
			length = len(text) - at
		}
		if quoted := text[at : at+length]; bytes.Contains(quoted, crlf) {
			kept = append(append(kept, text[copied:at]...), bytes.ReplaceAll(quoted, crlf, crcrlf)...)
			copied = at + length
		}
		at = min(at+length+1, len(text))
	}
	if copied == 0 {
		return text
	}
	return append(kept, text[copied:]...)
}

// parse reads the fields at places from the records of b, which have width
// fields each. It returns b.
func (b *csvBlock) parse(fields []Field, places []int, width int) *csvBlock {
	for len(b.builders) < len(fields) {
		b.builders = append(b.builders, newFieldBuilder(fields[len(b.builders)]))
	}
	for _, values := range b.builders {
		values.reset()
	}
	records := b.reader()
	records.ReuseRecord = true
	records.FieldsPerRecord = width
	for b.rows, b.err = 0, nil; ; b.rows++ {
		record, err := records.Read()
		if b.endless && records.InputOffset() == int64(len(b.text)) {
			b.err = &DataError{Line: b.line, Msg: fmt.Sprintf("a row of more than %d bytes begins here; perhaps a quote in it is not closed", len(b.text))}
			return b
		}
		if err == io.EOF {
			return b
		}
		if err != nil {
			b.err = csvError(err, b.line, len(record), width)
			return b
		}
		for i, values := range b.builders {
			if err := values.add(record[places[i]]); err != nil {
				line, _ := records.FieldPos(places[i])
				b.err = &DataError{Line: b.line + line - 1, Column: fields[i].Column, Row: b.rows, Msg: err.Error()}
				return b
			}
		}
	}
}

// growingColumns are columns to which rows are appended.
type growingColumns struct {
	source  *Source
	columns []ir.Column
	rows    int64 // rows in use
	room    int64 // capacity of each column in rows
}

func newGrowingColumns(source *Source, fields []Field) (*growingColumns, error) {
	g := &growingColumns{source: source, columns: make([]ir.Column, len(fields))}
	for i, f := range fields {
		var err error
		if g.columns[i], err = source.column(f.Kind, 0); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// append copies rows of all columns.
func (g *growingColumns) append(from []builder, rows int64) error {
	if need := g.rows + rows; need > g.room {
		err := g.resize(need + need/2)
		var limit *memory.LimitError
		if errors.As(err, &limit) { // these rows may still fit
			err = g.resize(need)
		}
		if err != nil {
			return err
		}
	}
	for i, b := range from {
		copy(raw.Bytes(Rows(g.columns[i], int(g.rows), int(g.room))), raw.Bytes(b.column()))
	}
	g.rows += rows
	return nil
}

// resize sets the capacity of each column. If it fails, some columns may
// already have the new capacity.
func (g *growingColumns) resize(room int64) error {
	for i, c := range g.columns {
		resized, err := g.source.resize(c, room)
		if err != nil {
			return err
		}
		g.columns[i] = resized
	}
	g.room = room
	return nil
}
