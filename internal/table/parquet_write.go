package table

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kgen-go/kgen/ir"
)

const (
	// A row group has rowGroupRows, or fewer where its values would have more
	// than rowGroupBytes before they are compressed: a writer holds its pages.
	rowGroupRows  = 1 << 20
	rowGroupBytes = 1 << 25
	// A page has pageBytes, or less where all columns together would have more
	// than pagesBytes: a writer holds several times that much, for pages that
	// are being filled and for dictionaries that turn out not to pay.
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
	out := &redirected{file}
	root := parquetRoot{}
	rowBytes := 0
	for _, c := range columns {
		root.fields = append(root.fields, parquetField{parquetNode(c.Kind), c.Column})
		rowBytes += writtenBytes(c.Kind)
	}
	page := max(1<<12, min(pageBytes, pagesBytes/len(columns)))
	w := &parquetWriter{out: out, notText: make([]bool, len(columns)), withNaN: make([][]int, len(columns)), Writer: parquet.NewWriter(out, &parquet.WriterConfig{
		CreatedBy:          "kgen",
		Schema:             parquet.NewSchema("kgen", root),
		Compression:        &parquet.Snappy,
		ColumnPageBuffers:  parquet.NewBufferPool(),
		PageBufferSize:     page,
		WriteBufferSize:    1 << 18,
		DataPageVersion:    1,
		DictionaryMaxBytes: int64(page / 2), // a first page of different values exceeds it
		SchemaConfig:       parquet.DefaultSchemaConfig(),
	}), groupRows: max(1, min(rowGroupRows, rowGroupBytes/rowBytes))}
	w.columns = w.ColumnWriters()
	return w, nil
}

// parquetNode returns the type of a column.
func parquetNode(k ir.Kind) parquet.Node {
	var node parquet.Node
	switch k {
	case ir.Bool: // a dictionary of two is no shorter than bits
		return parquet.Leaf(parquet.BooleanType)
	case ir.F32:
		node = parquet.Leaf(parquet.FloatType)
	case ir.F64:
		node = parquet.Leaf(parquet.DoubleType)
	case ir.Date:
		node = parquet.Date()
	case ir.Char8:
		node = parquet.String()
	default:
		if node = parquet.Int(8 * k.Size()); k.IsUnsigned() {
			node = parquet.Uint(8 * k.Size())
		}
	}
	return parquet.Encoded(node, &parquet.RLEDictionary)
}

// writtenBytes returns what a value has in a page at most.
func writtenBytes(k ir.Kind) int {
	if k == ir.Char8 { // and its length
		return 4 + 8
	}
	return max(4, k.Size())
}

// parquetRoot is a schema with the columns in the order they were given; that
// of a parquet.Group is alphabetical.
type parquetRoot struct {
	parquet.Group
	fields []parquet.Field
}

func (r parquetRoot) Fields() []parquet.Field { return r.fields }

// GoType returns the type of no row: only whole columns are written.
func (r parquetRoot) GoType() reflect.Type { return reflect.TypeFor[struct{}]() }

type parquetField struct {
	parquet.Node
	name string
}

func (f parquetField) Name() string { return f.name }

// Value is never called: it would find the column in a row.
func (f parquetField) Value(row reflect.Value) reflect.Value { return row }

type parquetWriter struct {
	*parquet.Writer
	out       *redirected
	notText   []bool  // the columns that have shown a char8 that is no UTF-8
	withNaN   [][]int // by column: the row groups in which it has a NaN
	columns   []*parquet.ColumnWriter
	groupRows int // of a full row group
	rows      int // of the row group that is being written
	group     int // the number of that row group
}

// Write encodes rows, and writes the row groups that they complete.
func (w *parquetWriter) Write(columns []ir.Column) error {
	for lo, rows := 0, columns[0].Len(); lo < rows; {
		hi := min(rows, lo+w.groupRows-w.rows)
		w.rows += hi - lo
		full := w.rows == w.groupRows
		err := w.each(func(i int) error {
			part := Rows(columns[i], lo, hi)
			w.notText[i] = w.notText[i] || !isText(part)
			if !slices.Contains(w.withNaN[i], w.group) && hasNaN(part) {
				w.withNaN[i] = append(w.withNaN[i], w.group)
			}
			if err := writeValues(w.columns[i], part); err != nil || !full {
				return err
			}
			return w.columns[i].Flush()
		})
		if err == nil && full {
			err = w.Flush()
			w.rows, w.group = 0, w.group+1
		}
		if err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// Close writes the last row group and the footer.
func (w *parquetWriter) Close() error {
	if err := w.each(func(i int) error { return w.columns[i].Flush() }); err != nil {
		return err
	}
	if !slices.Contains(w.notText, true) && !slices.ContainsFunc(w.withNaN, func(groups []int) bool { return len(groups) > 0 }) {
		return w.Writer.Close()
	}
	// The footer alone says what is text and what the statistics are: what the
	// library writes as the end of the file is held back until that is corrected.
	file, end := w.out.Writer, &bytes.Buffer{}
	if err := w.Flush(); err != nil {
		return err
	}
	w.out.Writer = end
	if err := w.Writer.Close(); err != nil {
		return err
	}
	meta := w.File().Metadata()
	for i, not := range w.notText {
		if column := &meta.Schema[1+i]; not {
			column.LogicalType, column.ConvertedType = format.LogicalType{}, thrift.Null[deprecated.ConvertedType]{}
		}
	}
	w.dropBounds(meta)
	var footer bytes.Buffer
	if err := thrift.NewEncoder(new(thrift.CompactProtocol).NewWriter(&footer)).Encode(meta); err != nil {
		return err
	}
	const tail = 4 + len(parquetMagic)
	length := int(binary.LittleEndian.Uint32(end.Bytes()[end.Len()-tail:]))
	end.Truncate(end.Len() - tail - length)
	size := footer.Len()
	footer.Write(binary.LittleEndian.AppendUint32(nil, uint32(size)))
	footer.WriteString(parquetMagic)
	if _, err := end.WriteTo(file); err != nil {
		return err
	}
	_, err := footer.WriteTo(file)
	return err
}

// dropBounds removes the least and the largest value of the row groups where a
// column has a NaN. Those of the library are wrong where it writes a dictionary:
// what stands before the NaN is forgotten, and readers that skip by statistics
// would not find it. The index of bounds by page goes as a whole: readers take
// it for one piece.
func (w *parquetWriter) dropBounds(meta *format.FileMetaData) {
	found := false
	for i, groups := range w.withNaN {
		for _, group := range groups {
			statistics := &meta.RowGroups[group].Columns[i].MetaData.Statistics
			statistics.MinValue, statistics.MaxValue = nil, nil
			found = true
		}
	}
	for g := range meta.RowGroups {
		for i := range meta.RowGroups[g].Columns {
			if column := &meta.RowGroups[g].Columns[i]; found {
				column.ColumnIndexOffset, column.ColumnIndexLength = 0, 0
			}
		}
	}
}

// redirected is a writer that can be exchanged.
type redirected struct{ io.Writer }

// isText reports whether c has no char8 that is no UTF-8.
func isText(c ir.Column) bool {
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

// hasNaN reports whether c has a float that is no number.
func hasNaN(c ir.Column) bool {
	switch s := c.Slice.(type) {
	case []float32:
		return slices.ContainsFunc(s, func(f float32) bool { return f != f })
	case []float64:
		return slices.ContainsFunc(s, func(f float64) bool { return f != f })
	}
	return false
}

// trimmed returns a char8 without the zero bytes at its end.
func trimmed(value *[8]byte) []byte { return bytes.TrimRight(value[:], "\x00") }

// each does something for every column, in parallel.
func (w *parquetWriter) each(do func(column int) error) error {
	var group sync.WaitGroup
	errs := make([]error, len(w.columns))
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range w.columns {
		free <- struct{}{}
		group.Go(func() {
			errs[i] = do(i)
			<-free
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// writeValues writes all rows of c.
func writeValues(w *parquet.ColumnWriter, c ir.Column) error {
	switch s := c.Slice.(type) {
	case []bool:
		return writeAs(w, s, parquet.BooleanValue)
	case []int8:
		return writeAs(w, s, func(v int8) parquet.Value { return parquet.Int32Value(int32(v)) })
	case []int16:
		return writeAs(w, s, func(v int16) parquet.Value { return parquet.Int32Value(int32(v)) })
	case []int32:
		return writeAs(w, s, parquet.Int32Value)
	case []int64:
		return writeAs(w, s, parquet.Int64Value)
	case []uint8:
		return writeAs(w, s, func(v uint8) parquet.Value { return parquet.Int32Value(int32(v)) })
	case []uint16:
		return writeAs(w, s, func(v uint16) parquet.Value { return parquet.Int32Value(int32(v)) })
	case []uint32:
		return writeAs(w, s, func(v uint32) parquet.Value { return parquet.Int32Value(int32(v)) })
	case []uint64:
		return writeAs(w, s, func(v uint64) parquet.Value { return parquet.Int64Value(int64(v)) })
	case []float32:
		return writeAs(w, s, parquet.FloatValue)
	case []float64:
		return writeAs(w, s, parquet.DoubleValue)
	case [][8]byte:
		var values [writeBatch]parquet.Value
		for len(s) > 0 {
			n := min(len(s), writeBatch)
			for i := range n {
				values[i] = parquet.ByteArrayValue(trimmed(&s[i]))
			}
			if _, err := w.WriteRowValues(values[:n]); err != nil {
				return err
			}
			s = s[n:]
		}
		return nil
	}
	panic(fmt.Sprintf("table: no columns of %T", c.Slice))
}

// writeBatch is how many values are handed over at once.
const writeBatch = 512

func writeAs[T any](w *parquet.ColumnWriter, s []T, value func(T) parquet.Value) error {
	var values [writeBatch]parquet.Value
	for len(s) > 0 {
		n := min(len(s), writeBatch)
		for i, v := range s[:n] {
			values[i] = value(v)
		}
		if _, err := w.WriteRowValues(values[:n]); err != nil {
			return err
		}
		s = s[n:]
	}
	return nil
}
