package table

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"sync"
	"syscall"

	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
)

// npyChunk is how many bytes of an array are read at once.
const npyChunk = 1 << 20

// read returns the array as a column of the field's kind.
func (a *npyArray) read(source *Source, field Field, done *progress) (ir.Column, error) {
	convert, ok := a.dtype.forField(field)
	if !ok {
		return ir.Column{}, &DataError{Msg: fmt.Sprintf("column %s for parameter %s has the dtype %s; %s is read from %s",
			quoteName(field.Column), field.Param, a.dtype.text, field.what(), dtypesOf(field))}
	}
	column, err := source.column(field.Kind, a.rows)
	if err != nil {
		return ir.Column{}, err
	}
	out := raw.Bytes(column)
	size, width := int64(a.dtype.size), int64(field.Kind.Size())
	var buffers sync.Pool // of *[]byte
	atOnce := int64(npyChunk) / size
	type part struct {
		bytes int64
		err   error
	}
	row := int64(0)
	next := func() (int64, error) {
		if row >= a.rows {
			return 0, io.EOF
		}
		lo := row
		row += atOnce
		return lo, nil
	}
	read := func(lo int64) part {
		rows := min(atOnce, a.rows-lo)
		elements := out[lo*width : (lo+rows)*width]
		values := elements
		if convert.numbers != nil {
			buffer, ok := buffers.Get().(*[]byte)
			if !ok {
				b := make([]byte, npyChunk)
				buffer = &b
			}
			defer buffers.Put(buffer)
			values = (*buffer)[:rows*size]
		}
		if _, err := io.ReadFull(io.NewSectionReader(a.in, a.offset+lo*size, rows*size), values); err != nil {
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				err = errChanged // its size was right
			}
			return part{err: err}
		}
		if a.dtype.swapped {
			swapBytes(values, a.dtype.size)
		}
		if convert.numbers != nil {
			if i := int64(convert.numbers(elements, values)); i >= 0 {
				value := values[i*size : (i+1)*size]
				return part{err: &DataError{Column: field.Column, Row: lo + i, Msg: a.dtype.unfit(field.Kind, convert, value)}}
			}
		}
		return part{bytes: rows * size}
	}
	err = inOrder(nil, next, read, func(p part) error {
		if p.err == nil {
			done.add(p.bytes)
		}
		return p.err
	})
	return column, err
}

// to returns the conversion of elements to kind k; false if there is none.
func (t npyType) to(k ir.Kind, r rounding) (conversion, bool) {
	switch t.code {
	case 'b':
		return conversion{numbers: each(func(v uint8) (bool, bool) { return v != 0, true })}, k == ir.Bool
	case 'i':
		switch t.size {
		case 1:
			return fromInteger[int8](k, ir.I8)
		case 2:
			return fromInteger[int16](k, ir.I16)
		case 4:
			return fromInteger[int32](k, ir.I32)
		}
		return fromInteger[int64](k, ir.I64)
	case 'u':
		switch t.size {
		case 1:
			return fromInteger[uint8](k, ir.U8)
		case 2:
			return fromInteger[uint16](k, ir.U16)
		case 4:
			return fromInteger[uint32](k, ir.U32)
		}
		return fromInteger[uint64](k, ir.U64)
	case 'f':
		return fromFloat(k, t.size == 8)
	case 'M':
		c, ok := fromDays[int64](k)
		if t.unit != "D" {
			c, ok = fromTimestamp(k, npyDigits[t.unit], r)
		}
		return c, ok
	case 'S':
		if t.size == 8 {
			return conversion{}, k == ir.Char8
		}
		return conversion{numbers: t.pad}, k == ir.Char8
	}
	return conversion{}, false
}

// pad makes strings of fewer than 8 bytes char8; out is zero.
func (t npyType) pad(out, values []byte) int {
	for row := range len(out) / 8 {
		copy(out[row*8:], values[row*t.size:(row+1)*t.size])
	}
	return -1
}

// unfit says what is wrong with an element.
func (t npyType) unfit(k ir.Kind, c conversion, value []byte) string {
	if t.code != 'M' {
		return unfit(k, c.text(value))
	}
	switch v := load[int64](value); {
	case v == notATime:
		return fmt.Sprintf("the %s is NaT, but every row needs a %[1]s; the parameter may say what such rows have: missing", k)
	case t.unit == "D":
		return faultOf(k, fmt.Sprintf("%d days since 1970-01-01", v), strconv.ErrRange).Error()
	}
	return unfit(k, c.text(value))
}

// notATime is NumPy's NaT.
const notATime = math.MinInt64

// forField returns the conversion to elements of a field, in which a NaT may be missing.
func (t npyType) forField(f Field) (conversion, bool) {
	if f.Present {
		return conversion{numbers: func(out, values []byte) int {
			for row := range out {
				out[row] = 1
				if t.code == 'M' && load[int64](values[8*row:]) == notATime {
					out[row] = 0
				}
			}
			return -1
		}}, true
	}
	if f.Like != nil {
		return conversion{numbers: func(out, values []byte) int {
			for row := range out {
				store(out[row:], f.Like.Matches(string(bytes.TrimRight(values[row*t.size:(row+1)*t.size], "\x00"))))
			}
			return -1
		}}, t.code == 'S'
	}
	c, ok := t.to(f.Kind, f.Round)
	if ok && t.code == 'M' {
		c = c.withNaT(f)
	}
	return c, ok
}

// withNaT gives a NaT what a field has there, or refuses it.
func (c conversion) withNaT(f Field) conversion {
	convert, size := c.numbers, f.Kind.Size()
	if convert == nil {
		convert = func(out, values []byte) int { copy(out, values); return -1 }
	}
	c.numbers = func(out, values []byte) int {
		for row := 0; row < len(values)/8; row++ {
			at := slices.Index(raw.SliceOf[int64](values[8*row:]), notATime)
			if at < 0 {
				at = len(values)/8 - row
			}
			if bad := convert(out[row*size:], values[8*row:8*(row+at)]); bad >= 0 {
				return row + bad
			}
			if row += at; row == len(values)/8 {
				break
			}
			if !f.mayMiss() {
				return row
			}
			copy(out[row*size:], raw.Bytes(columnOf(f.Missing)))
		}
		return -1
	}
	return c
}

// dtypesOf describes the arrays from which a field is read.
func dtypesOf(f Field) string {
	switch k := f.Kind; {
	case f.Like != nil:
		return "S1 to S8 arrays, and in CSV and Parquet files"
	case k == ir.Bool:
		return "bool arrays, and from integers that are 0 or 1"
	case k == ir.Date:
		return "M8[D] arrays, and from finer ones of midnights"
	case k == ir.Timestamp:
		return "M8[s], M8[ms], M8[us], M8[ns] and M8[D] arrays"
	case k == ir.Text:
		return "CSV and Parquet files, and from no arrays"
	case k == ir.Char8:
		return "S1 to S8 arrays"
	case k.IsFloat():
		return "arrays of integers and floats"
	}
	return "arrays of integers"
}

// swapBytes changes the byte order of elements.
func swapBytes(values []byte, size int) {
	switch size {
	case 2:
		for i, v := range raw.SliceOf[uint16](values) {
			binary.NativeEndian.PutUint16(values[2*i:], bits.ReverseBytes16(v))
		}
	case 4:
		for i, v := range raw.SliceOf[uint32](values) {
			binary.NativeEndian.PutUint32(values[4*i:], bits.ReverseBytes32(v))
		}
	case 8:
		for i, v := range raw.SliceOf[uint64](values) {
			binary.NativeEndian.PutUint64(values[8*i:], bits.ReverseBytes64(v))
		}
	}
}

// npyWriter writes an array for each column.
type npyWriter struct {
	files []npyFile
	rows  int64
	days  []byte // of dates, 8 bytes each
}

type npyFile struct {
	kind ir.Kind
	out  npyOutput
}

// npyOutput is a file of a stage that is not a stream.
type npyOutput interface {
	io.Writer
	io.WriterAt
}

// add begins the array of a column.
func (w *npyWriter) add(stage *Stage, path string, f Field) error {
	k := f.Kind
	if k == ir.Text {
		return fmt.Errorf("%s: arrays hold no texts; write .csv or .parquet", path)
	}
	if f.mayMiss() {
		return fmt.Errorf("%s: some rows of %s have no value, which arrays cannot say; write .csv, .parquet or .jsonl", path, f.Column)
	}
	if k.IsDecimal() {
		return fmt.Errorf("%s: arrays hold no decimals; write .csv or .parquet, or return unscaled(x) or f64(x)", path)
	}
	created, err := stage.Create(path)
	if err != nil {
		return err
	}
	header := npyHeader(k, 0)
	out, ok := created.(npyOutput)
	if ok {
		_, err = out.WriteAt(header, 0) // as Close will have to do
	}
	if !ok || errors.Is(err, syscall.ESPIPE) {
		return fmt.Errorf("%s is a stream; a NumPy array needs a file, whose beginning gets the number of rows at the end", path)
	}
	if err != nil {
		return err
	}
	w.files = append(w.files, npyFile{k, out})
	_, err = out.Write(header)
	return err
}

// Write implements Writer.
func (w *npyWriter) Write(columns []ir.Column) error {
	for i, c := range columns {
		if err := w.writeColumn(w.files[i].out, c); err != nil {
			return err
		}
	}
	if len(columns) > 0 {
		w.rows += int64(columns[0].Len())
	}
	return nil
}

func (w *npyWriter) writeColumn(out io.Writer, c ir.Column) error {
	if c.Kind == ir.Timestamp {
		if at := slices.Index(c.Slice.([]int64), notATime); at >= 0 {
			return fmt.Errorf("row %d: NumPy would take the timestamp %s for NaT", w.rows+int64(at), ir.AppendTimestamp(nil, notATime))
		}
	}
	if c.Kind != ir.Date {
		_, err := out.Write(raw.Bytes(c))
		return err
	}
	const atOnce = npyChunk / 8
	dates := c.Slice.([]int32)
	for lo := 0; lo < len(dates); lo += atOnce {
		w.days = w.days[:0]
		for _, day := range dates[lo:min(lo+atOnce, len(dates))] {
			w.days = binary.NativeEndian.AppendUint64(w.days, uint64(int64(day)))
		}
		if _, err := out.Write(w.days); err != nil {
			return err
		}
	}
	return nil
}

// Close writes the number of rows.
func (w *npyWriter) Close() error {
	for _, f := range w.files {
		if _, err := f.out.WriteAt(npyHeader(f.kind, w.rows), 0); err != nil {
			return err
		}
	}
	return nil
}
