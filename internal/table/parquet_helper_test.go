package table

import (
	"os"
	"path/filepath"
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
