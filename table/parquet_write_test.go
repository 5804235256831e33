package table

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kgen-go/kgen/ir"
)

// openWritten writes t and opens it with parquet-go's own reader.
func openWritten(t *testing.T, columns []Named) (*parquet.File, []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.parquet")
	if err := Write(t.Context(), path, Table{Columns: columns}, nil); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return file, data
}

// TestWriteParquet: types, order and names of columns, row groups, compression
// and statistics, as other readers see them.
func TestWriteParquet(t *testing.T) {
	rows := rowGroupRows + 100
	i64, text := ir.NewColumn(ir.I64, rows), ir.NewColumn(ir.Char8, rows)
	for row := range rows {
		i64.Set(row, ir.Int(ir.I64, int64(row)))
		text.Set(row, ir.Char8Scalar([]string{"AIR", "", "12345678"}[row%3]))
	}
	columns := []Named{{"z", i64}, {"a, \"b\"\n", text}, {"", Rows(i64, 0, rows)}, {"Z", text}, {"a.b", i64}}
	file, data := openWritten(t, columns)
	meta := file.Metadata()
	if len(meta.RowGroups) != 2 || meta.RowGroups[0].NumRows != rowGroupRows || meta.NumRows != int64(rows) || meta.CreatedBy != "kgen" {
		t.Errorf("%d row groups, %d rows, by %q", len(meta.RowGroups), meta.NumRows, meta.CreatedBy)
	}
	for i, c := range columns {
		if name := meta.Schema[1+i].Name; name != c.Name {
			t.Errorf("column %d is %q, want %q", i, name, c.Name)
		}
		for g := range meta.RowGroups {
			m := &meta.RowGroups[g].Columns[i].MetaData
			if m.Codec != format.Snappy || m.Statistics.NullCount != 0 {
				t.Errorf("column %d: %v, %d nulls", i, m.Codec, m.Statistics.NullCount)
			}
			least, most := parquet.ByteArrayValue(nil), parquet.ByteArrayValue([]byte("AIR"))
			if c.Data.Kind == ir.I64 {
				least, most = parquet.Int64Value(int64(g*rowGroupRows)), parquet.Int64Value(int64(min(rows, (g+1)*rowGroupRows)-1))
			}
			if !bytes.Equal(m.Statistics.MinValue, least.Bytes()) || !bytes.Equal(m.Statistics.MaxValue, most.Bytes()) {
				t.Errorf("column %d of row group %d: %q to %q", i, g, m.Statistics.MinValue, m.Statistics.MaxValue)
			}
		}
	}
	if _, again := openWritten(t, columns); !bytes.Equal(data, again) {
		t.Error("other bytes the second time")
	}
	// In other parts.
	path := filepath.Join(t.TempDir(), "parts.parquet")
	stage := NewStage(t.Context(), nil)
	defer stage.Abort()
	var fields []Field
	for _, c := range columns {
		fields = append(fields, Field{Column: c.Name, Kind: c.Data.Kind})
	}
	w, err := stage.NewWriter(path, fields)
	if err != nil {
		t.Fatal(err)
	}
	for lo := 0; lo < rows; {
		hi := min(rows, lo+rows/3+1)
		var part []ir.Column
		for _, c := range columns {
			part = append(part, Rows(c.Data, lo, hi))
		}
		if err := w.Write(part); err != nil {
			t.Fatal(err)
		}
		lo = hi
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := stage.Commit(); err != nil {
		t.Fatal(err)
	}
	got, err := readFile(t.Context(), path, fields, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range columns {
		if !bytes.Equal(Bytes(c.Data), Bytes(got[i])) {
			t.Errorf("column %d differs", i)
		}
	}
}

// TestParquetRowGroupsOfManyColumns: they have fewer rows.
func TestParquetRowGroupsOfManyColumns(t *testing.T) {
	const rows = rowGroupValues / 256
	c := ir.NewColumn(ir.Bool, rows+1)
	var columns []Named
	for i := range 256 {
		columns = append(columns, Named{fmt.Sprint(i), c})
	}
	file, _ := openWritten(t, columns)
	if groups := file.RowGroups(); len(groups) != 2 || groups[0].NumRows() != rows || groups[1].NumRows() != 1 {
		t.Errorf("%d row groups", len(groups))
	}
}

func TestWrittenTypes(t *testing.T) {
	columns, _ := someColumns(3, false, 1)
	file, _ := openWritten(t, columns)
	var types []string
	for i := range columns {
		e := &file.Metadata().Schema[1+i]
		types = append(types, typeName(e))
		if e.RepetitionType.V != format.Required {
			t.Errorf("%s is %v", e.Name, e.RepetitionType.V)
		}
	}
	want := []string{"BOOLEAN", "INT(8,true) (INT32)", "INT(16,true) (INT32)", "INT(32,true) (INT32)", "INT(64,true) (INT64)",
		"INT(8,false) (INT32)", "INT(16,false) (INT32)", "INT(32,false) (INT32)", "INT(64,false) (INT64)", "FLOAT", "DOUBLE", "DATE (INT32)", "STRING (BYTE_ARRAY)"}
	if d := cmp.Diff(want, types); d != "" {
		t.Error(d)
	}
}

func TestWriteManyParquetColumns(t *testing.T) {
	var columns []Named
	var fields []Field
	for i := range 100 {
		c := sequence(5)
		c.Set(0, ir.Int(c.Kind, int64(i)))
		columns = append(columns, Named{fmt.Sprint("c", i), c})
		fields = append(fields, Field{fmt.Sprint("c", i), "p", c.Kind})
	}
	path := filepath.Join(t.TempDir(), "out.parquet")
	if err := Write(t.Context(), path, Table{Columns: columns}, nil); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(fields)
	got, err := readFile(t.Context(), path, fields, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if got[i].At(0).Int64() != int64(99-i) {
			t.Errorf("column %s begins with %d", fields[i].Column, got[i].At(0).Int64())
		}
	}
}

func TestWriteParquetFails(t *testing.T) {
	if err := Write(t.Context(), filepath.Join(t.TempDir(), "out.parquet"), Table{}, nil); err == nil {
		t.Error("no columns: no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	folder := t.TempDir()
	stage := NewStage(ctx, nil)
	w, err := stage.NewWriter(filepath.Join(folder, "out.parquet"), []Field{{Column: "a", Kind: ir.I64}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write([]ir.Column{sequence(10)}); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := w.Close(); err != context.Canceled {
		t.Errorf("error %v", err)
	}
	stage.Abort()
	if names := folderNames(t, folder); len(names) != 0 {
		t.Errorf("the folder holds %v", names)
	}
}
