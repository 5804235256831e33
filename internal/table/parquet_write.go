package table

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kgen-go/kgen/ir"
)

const (
	// A row group has rowGroupRows, or fewer if its values would have more than
	// rowGroupBytes before compression, because a writer holds its pages.
	rowGroupRows  = 1 << 20
	rowGroupBytes = 1 << 25
	// A page has pageBytes, or less if all columns together would have more
	// than pagesBytes: a writer holds several times as much, for pages that are
	// being filled and for dictionaries that do not pay.
	pageBytes  = 1 << 17
	pagesBytes = 1 << 21
)

// NewWriter begins a file in row groups of up to a million rows. The columns of
// a row group are encoded in parallel. The same rows give the same bytes.
func (Parquet) NewWriter(stage *Stage, path string, columns []Field) (Writer, error) {
	if len(columns) == 0 {
		return nil, fmt.Errorf("%s: a Parquet file needs a column", path)
	}
	file, err := stage.Create(path)
	if err != nil {
		return nil, err
	}
	page := max(1<<12, min(pageBytes, pagesBytes/len(columns)))
	w := &parquetWriter{path: path, out: file, fields: columns, notText: make([]bool, len(columns))}
	rowBytes := 0
	for _, c := range columns {
		w.columns = append(w.columns, newChunkEncoder(c, page))
		rowBytes += writtenBytes(c.Kind)
	}
	w.groupRows = max(1, min(rowGroupRows, rowGroupBytes/rowBytes))
	return w, w.emit([]byte(parquetMagic))
}

// writtenBytes returns the most bytes that a value has in a page.
func writtenBytes(k ir.Kind) int {
	if k == ir.Char8 || k == ir.Text { // and its length, of a text as a guess
		return 4 + 8
	}
	return max(4, k.Size())
}

type parquetWriter struct {
	path      string
	out       io.Writer
	at        int64 // where the next byte goes
	fields    []Field
	notText   []bool // the columns with a char8 that is not UTF-8
	columns   []chunkEncoder
	groupRows int // of a full row group
	rows      int // of the row group that is being written
	meta      format.FileMetaData
	indexes   [][]pageIndex // by row group and column
}

// Write encodes rows, and writes the row groups that they complete.
func (w *parquetWriter) Write(columns []ir.Column) error {
	for lo, rows := 0, columns[0].Len(); lo < rows; {
		hi := min(rows, lo+w.groupRows-w.rows)
		w.rows += hi - lo
		full := w.rows == w.groupRows
		faults := make([]error, len(columns))
		w.each(func(i int) {
			part := Rows(columns[i], lo, hi)
			if row := tooLong(part); row >= 0 {
				faults[i] = &DataError{Column: w.fields[i].Column, Row: w.meta.NumRows + int64(w.rows-(hi-lo)+row),
					Msg: fmt.Sprintf("%s has more than the %d digits of a DECIMAL of 8 bytes; .csv holds it", AppendRow(nil, part, row), precision)}
			}
			w.notText[i] = w.notText[i] || !isText(part)
			w.columns[i].write(part)
			if full {
				w.columns[i].flush()
			}
		})
		for _, fault := range faults {
			if fault != nil {
				return writing(w.path, fault)
			}
		}
		if full {
			if err := w.writeGroup(); err != nil {
				return err
			}
		}
		lo = hi
	}
	return nil
}

// writeGroup writes the pages of a row group, which the columns have flushed.
func (w *parquetWriter) writeGroup() error {
	group := format.RowGroup{NumRows: int64(w.rows), FileOffset: w.at, Ordinal: int16(len(w.meta.RowGroups))}
	indexes := make([]pageIndex, len(w.columns))
	for i, c := range w.columns {
		chunk, index := c.chunk(w.at)
		chunk.PathInSchema = []string{w.fields[i].Column}
		for _, bytes := range c.pages() {
			if err := w.emit(bytes); err != nil {
				return err
			}
		}
		group.Columns = append(group.Columns, format.ColumnChunk{MetaData: chunk})
		group.TotalByteSize += chunk.TotalUncompressedSize
		group.TotalCompressedSize += chunk.TotalCompressedSize
		indexes[i] = index
		c.reset()
	}
	w.meta.RowGroups = append(w.meta.RowGroups, group)
	w.indexes = append(w.indexes, indexes)
	w.meta.NumRows += int64(w.rows)
	w.rows = 0
	return nil
}

// Close writes the last row group, the indexes of pages and the footer.
func (w *parquetWriter) Close() error {
	w.each(func(i int) { w.columns[i].flush() })
	if w.rows > 0 {
		if err := w.writeGroup(); err != nil {
			return err
		}
	}
	if err := w.writeIndexes(); err != nil {
		return err
	}
	w.meta.Version, w.meta.CreatedBy = 2, "kgen"
	w.meta.Schema = []format.SchemaElement{{Name: "kgen", NumChildren: thrift.New(int32(len(w.fields)))}}
	for i, f := range w.fields {
		w.meta.Schema = append(w.meta.Schema, schemaElement(f, w.notText[i]))
		w.meta.ColumnOrders = append(w.meta.ColumnOrders, format.ColumnOrder{Value: &format.TypeDefinedOrder{}})
	}
	start := w.at
	if err := w.emitThrift(&w.meta); err != nil {
		return err
	}
	return w.emit(append(binary.LittleEndian.AppendUint32(nil, uint32(w.at-start)), parquetMagic...))
}

// writeIndexes writes the positions of pages and their bounds. If one column
// has a NaN, no column has bounds by page, because readers expect all or none.
func (w *parquetWriter) writeIndexes() error {
	bounded := !slices.ContainsFunc(w.indexes, func(columns []pageIndex) bool {
		return slices.ContainsFunc(columns, func(i pageIndex) bool { return i.bounds == nil })
	})
	for g, columns := range w.indexes {
		for i := range columns {
			if chunk := &w.meta.RowGroups[g].Columns[i]; bounded {
				chunk.ColumnIndexOffset = w.at
				if err := w.emitThrift(columns[i].bounds); err != nil {
					return err
				}
				chunk.ColumnIndexLength = int32(w.at - chunk.ColumnIndexOffset)
			}
		}
	}
	for g, columns := range w.indexes {
		for i := range columns {
			chunk := &w.meta.RowGroups[g].Columns[i]
			chunk.OffsetIndexOffset = w.at
			if err := w.emitThrift(&columns[i].places); err != nil {
				return err
			}
			chunk.OffsetIndexLength = int32(w.at - chunk.OffsetIndexOffset)
		}
	}
	return nil
}

func (w *parquetWriter) emit(data []byte) error {
	n, err := w.out.Write(data)
	w.at += int64(n)
	return err
}

func (w *parquetWriter) emitThrift(structure any) error {
	data, err := encodeThrift(structure)
	if err != nil {
		return err
	}
	return w.emit(data)
}

func encodeThrift(structure any) ([]byte, error) {
	var out bytes.Buffer
	err := thrift.NewEncoder(new(thrift.CompactProtocol).NewWriter(&out)).Encode(structure)
	return out.Bytes(), err
}

// schemaElement returns the type of a column. A column with a char8 that is not
// UTF-8 is not annotated as text.
func schemaElement(f Field, notText bool) format.SchemaElement {
	repetition := format.Required
	if f.mayMiss() {
		repetition = format.Optional
	}
	e := format.SchemaElement{Name: f.Column, RepetitionType: thrift.New(repetition), Type: thrift.New(storedType(f.Kind))}
	annotate := func(logical format.LogicalTypeValue, converted deprecated.ConvertedType) {
		e.LogicalType, e.ConvertedType = format.LogicalType{Value: logical}, thrift.New(converted)
	}
	switch k := f.Kind; {
	case k == ir.Bool || k.IsFloat() || notText:
	case k == ir.Date:
		annotate(&format.DateType{}, deprecated.Date)
	case k == ir.Timestamp:
		annotate(&format.TimestampType{IsAdjustedToUTC: true, Unit: format.TimeUnit{Value: &format.MicroSeconds{}}}, deprecated.TimestampMicros)
	case k.IsDecimal():
		annotate(&format.DecimalType{Scale: int32(k.Scale()), Precision: precision}, deprecated.Decimal)
		e.Scale, e.Precision = thrift.New(int32(k.Scale())), thrift.New(int32(precision))
	case k == ir.Char8 || k == ir.Text:
		annotate(&format.StringType{}, deprecated.UTF8)
	default:
		converted := map[ir.Kind]deprecated.ConvertedType{
			ir.I8: deprecated.Int8, ir.I16: deprecated.Int16, ir.I32: deprecated.Int32, ir.I64: deprecated.Int64,
			ir.U8: deprecated.Uint8, ir.U16: deprecated.Uint16, ir.U32: deprecated.Uint32, ir.U64: deprecated.Uint64,
		}
		annotate(&format.IntType{BitWidth: int8(8 * k.Size()), IsSigned: !k.IsUnsigned()}, converted[k])
	}
	return e
}

// storedType returns how the values of a kind are stored.
func storedType(k ir.Kind) format.Type {
	switch {
	case k == ir.Bool:
		return format.Boolean
	case k == ir.F32:
		return format.Float
	case k == ir.F64:
		return format.Double
	case k == ir.Char8 || k == ir.Text:
		return format.ByteArray
	case k.Size() == 8:
		return format.Int64
	}
	return format.Int32
}

// isText reports whether every char8 in c is UTF-8.
func isText(c ir.Column) bool {
	if c.Kind == ir.Text {
		return !slices.ContainsFunc(c.Slice.([]int32), func(code int32) bool { return !utf8.ValidString(c.Texts[code]) })
	}
	values, ok := c.Slice.([][8]byte)
	if !ok {
		return true
	}
	const high = 0x8080808080808080 // the bits that ASCII leaves clear
	for i := range values {
		if binary.LittleEndian.Uint64(values[i][:])&high != 0 && !utf8.Valid(trimmed(&values[i])) {
			return false
		}
	}
	return true
}

// trimmed returns a char8 without the zero bytes at its end.
func trimmed(value *[8]byte) []byte { return bytes.TrimRight(value[:], "\x00") }

// each does something for every column, in parallel.
func (w *parquetWriter) each(do func(column int)) {
	var group sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range w.columns {
		free <- struct{}{}
		group.Go(func() {
			do(i)
			<-free
		})
	}
	group.Wait()
}
