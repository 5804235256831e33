package table

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/kgen-go/kgen/ir"
)

// parquetOptions is how a test file is written.
type parquetOptions struct {
	codec     compress.Codec
	version   int // of data pages
	groupRows int
	pageBytes int
}

// plainNode is the type of a column of kind k, without an encoding.
func plainNode(k ir.Kind) parquet.Node {
	if k == ir.Bool {
		return parquetNode(k)
	}
	return parquet.Leaf(parquetNode(k).Type())
}

// canEncode reports whether e can hold values of a node's type.
func canEncode(node parquet.Node, e encoding.Encoding) bool {
	if e == &parquet.RLEDictionary {
		return true
	}
	switch node.Type().Kind() {
	case parquet.Boolean:
		return encoding.CanEncodeBoolean(e)
	case parquet.Int32:
		return encoding.CanEncodeInt32(e)
	case parquet.Int64:
		return encoding.CanEncodeInt64(e)
	case parquet.Float:
		return encoding.CanEncodeFloat(e)
	case parquet.Double:
		return encoding.CanEncodeDouble(e)
	case parquet.ByteArray:
		return encoding.CanEncodeByteArray(e)
	case parquet.FixedLenByteArray:
		return encoding.CanEncodeFixedLenByteArray(e)
	}
	return false
}

// writeParquet writes columns as nodes, one for each, and returns the path.
func writeParquet(t testing.TB, o parquetOptions, columns []Named, nodes ...parquet.Node) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	root := parquetRoot{}
	for i, c := range columns {
		root.fields = append(root.fields, parquetField{nodes[i], c.Name})
	}
	config := parquet.DefaultWriterConfig()
	config.Schema = parquet.NewSchema("test", root)
	config.Compression = o.codec
	config.DataPageVersion = max(1, o.version)
	if o.pageBytes > 0 {
		config.PageBufferSize = o.pageBytes
	}
	w := parquet.NewWriter(f, config)
	rows := 0
	if len(columns) > 0 {
		rows = columns[0].Data.Len()
	}
	group := rows
	if o.groupRows > 0 {
		group = o.groupRows
	}
	for lo := 0; lo < rows; lo += group {
		for i, c := range w.ColumnWriters() {
			part := Rows(columns[i].Data, lo, min(rows, lo+group))
			level := 0
			if nodes[i].Optional() {
				level = 1
			}
			if err := writeLevels(c, part, level); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// writeLevels writes the rows of c at a definition level.
func writeLevels(w *parquet.ColumnWriter, c ir.Column, level int) error {
	if level == 0 {
		return writeValues(w, c)
	}
	for row := range c.Len() {
		s := c.At(row)
		var v parquet.Value
		switch {
		case s.Kind == ir.Bool:
			v = parquet.BooleanValue(s.IsTrue())
		case s.Kind == ir.F32:
			v = parquet.FloatValue(float32(s.Float64()))
		case s.Kind == ir.F64:
			v = parquet.DoubleValue(s.Float64())
		case s.Kind == ir.Char8:
			v = parquet.ByteArrayValue(AppendScalar(nil, s))
		case s.Kind.Size() == 8:
			v = parquet.Int64Value(int64(s.Bits))
		default:
			v = parquet.Int32Value(int32(s.Int64()))
		}
		if _, err := w.WriteRowValues([]parquet.Value{v.Level(0, level, 0)}); err != nil {
			return err
		}
	}
	return nil
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
	case ir.Timestamp:
		node = parquet.Timestamp(parquet.Microsecond)
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
