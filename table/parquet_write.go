package table

import (
	"bytes"
	"fmt"
	"reflect"
	"runtime"
	"sync"

	"github.com/parquet-go/parquet-go"

	"github.com/kgen-go/kgen/ir"
)

const (
	// A row group has rowGroupRows, or fewer rows of many columns, so that it has
	// at most rowGroupValues: a writer holds the encoded pages of one.
	rowGroupRows   = 1 << 20
	rowGroupValues = 1 << 23
	// dictionaryBytes is the size from which on the values of a row group are
	// written as they are. A first page of different values exceeds it.
	dictionaryBytes = 1 << 16
)

// NewWriter begins a file in row groups of about a million rows. The columns of
// a row group are encoded in parallel. The same rows give the same bytes.
func (Parquet) NewWriter(stage *Stage, path string, columns []Field) (Writer, error) {
	if len(columns) == 0 {
		return nil, fmt.Errorf("%s: a Parquet file needs a column", path)
	}
	out, err := stage.Create(path)
	if err != nil {
		return nil, err
	}
	root := parquetRoot{}
	for _, c := range columns {
		root.fields = append(root.fields, parquetField{parquetNode(c.Kind), c.Column})
	}
	w := &parquetWriter{Writer: parquet.NewWriter(out, &parquet.WriterConfig{
		CreatedBy:          "kgen",
		Schema:             parquet.NewSchema("kgen", root),
		Compression:        &parquet.Snappy,
		ColumnPageBuffers:  parquet.NewBufferPool(),
		PageBufferSize:     1 << 17,
		WriteBufferSize:    1 << 18,
		DataPageVersion:    1,
		DictionaryMaxBytes: dictionaryBytes,
		SchemaConfig:       parquet.DefaultSchemaConfig(),
	}), groupRows: max(1, min(rowGroupRows, rowGroupValues/len(columns)))}
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
	columns   []*parquet.ColumnWriter
	groupRows int // of a full row group
	rows      int // of the row group that is being written
}

// Write encodes rows, and writes the row groups that they complete.
func (w *parquetWriter) Write(columns []ir.Column) error {
	for lo, rows := 0, columns[0].Len(); lo < rows; {
		hi := min(rows, lo+w.groupRows-w.rows)
		w.rows += hi - lo
		full := w.rows == w.groupRows
		err := w.each(func(i int) error {
			if err := writeValues(w.columns[i], Rows(columns[i], lo, hi)); err != nil || !full {
				return err
			}
			return w.columns[i].Flush()
		})
		if err == nil && full {
			err = w.Flush()
			w.rows = 0
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
	return w.Writer.Close()
}

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
				values[i] = parquet.ByteArrayValue(bytes.TrimRight(s[i][:], "\x00"))
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
