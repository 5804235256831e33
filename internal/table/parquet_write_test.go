package table

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kgen-go/kgen/internal/raw"
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
	const groupRows = rowGroupBytes / (3*8 + 2*12)
	rows := groupRows + 100
	i64, text := ir.NewColumn(ir.I64, rows), ir.NewColumn(ir.Char8, rows)
	for row := range rows {
		i64.Set(row, ir.Int(ir.I64, int64(row)))
		text.Set(row, ir.Char8Scalar([]string{"AIR", "", "12345678"}[row%3]))
	}
	columns := []Named{{"z", i64}, {"a, \"b\"\n", text}, {"", Rows(i64, 0, rows)}, {"Z", text}, {"a.b", i64}}
	file, data := openWritten(t, columns)
	meta := file.Metadata()
	if len(meta.RowGroups) != 2 || meta.RowGroups[0].NumRows != groupRows || meta.NumRows != int64(rows) || meta.CreatedBy != "kgen" {
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
				least, most = parquet.Int64Value(int64(g*groupRows)), parquet.Int64Value(int64(min(rows, (g+1)*groupRows)-1))
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
		if !bytes.Equal(raw.Bytes(c.Data), raw.Bytes(got[i])) {
			t.Errorf("column %d differs", i)
		}
	}
}

// TestParquetRowGroupsOfManyColumns: they have fewer rows, and smaller pages.
func TestParquetRowGroupsOfManyColumns(t *testing.T) {
	const rows = rowGroupBytes / (128*8 + 128*4)
	wide, narrow := ir.NewColumn(ir.I64, rows+1), ir.NewColumn(ir.Bool, rows+1)
	for row := range rows {
		wide.Set(row, ir.Int(ir.I64, int64(row)))
	}
	var columns []Named
	for i := range 128 {
		columns = append(columns, Named{fmt.Sprint("wide", i), wide}, Named{fmt.Sprint("narrow", i), narrow})
	}
	file, _ := openWritten(t, columns)
	if groups := file.RowGroups(); len(groups) != 2 || groups[0].NumRows() != rows || groups[1].NumRows() != 1 {
		t.Errorf("%d row groups", len(groups))
	}
	index, err := file.RowGroups()[0].ColumnChunks()[0].OffsetIndex()
	if err != nil {
		t.Fatal(err)
	}
	if pages := index.NumPages(); pages < 128*rows*8/pagesBytes {
		t.Errorf("%d pages in a column", pages)
	}
}

// TestParquetWriterMemory: what a writer of many columns holds is bounded, in
// the middle of a row group too.
func TestParquetWriterMemory(t *testing.T) {
	const columns, rows = 64, 1 << 12
	inUse := func() int64 {
		for range 3 { // what pools hold is freed only later
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	stage := NewStage(t.Context(), nil)
	defer stage.Abort()
	var fields []Field
	batch := make([]ir.Column, columns)
	for i := range columns {
		fields = append(fields, Field{Column: fmt.Sprint(i), Kind: ir.I64})
		batch[i] = ir.NewColumn(ir.I64, rows)
	}
	before := inUse()
	w, err := stage.NewWriter(filepath.Join(t.TempDir(), "out.parquet"), fields)
	if err != nil {
		t.Fatal(err)
	}
	most := int64(0)
	for n := range 32 { // two row groups of 16 batches
		for i, c := range batch {
			for row, s := 0, c.Slice.([]int64); row < rows; row++ {
				s[row] = int64((n*rows+row)*columns+i) * 0x1E3779B97F4A7C15
			}
		}
		if err := w.Write(batch); err != nil {
			t.Fatal(err)
		}
		if n%16 == 14 {
			most = max(most, inUse()-before)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if most > 3*rowGroupBytes {
		t.Errorf("%d bytes in use for row groups of %d", most, rowGroupBytes)
	}
	t.Logf("%d bytes in use", most)
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
		"INT(8,false) (INT32)", "INT(16,false) (INT32)", "INT(32,false) (INT32)", "INT(64,false) (INT64)", "FLOAT", "DOUBLE", "DATE (INT32)",
		"TIMESTAMP(isAdjustedToUTC=true,unit=MICROS) (INT64)", "STRING (BYTE_ARRAY)"}
	if d := cmp.Diff(want, types); d != "" {
		t.Error(d)
	}
}

// TestWriteTextOrBytes: columns are STRING only if all of their values are
// UTF-8, and are read back either way.
func TestWriteTextOrBytes(t *testing.T) {
	const rows = rowGroupRows + 3
	column := func(at int, value string) ir.Column {
		c := ir.NewColumn(ir.Char8, rows)
		for row := range rows {
			c.Set(row, ir.Char8Scalar([]string{"AIR", "Ünïcö", "", "a\x00b"}[row%4]))
		}
		c.Set(at, ir.Char8Scalar(value))
		return c
	}
	columns := []Named{
		{"text", column(0, "\u00ff\u00ff\u00ff\u00ff")},
		{"first", column(0, "\xff\xff\xff\xff\xff\xff\xff\xff")},
		{"last", column(rows-1, "\x80")},
		{"cut", column(7, "1234567\xc3")},
		{"number", Rows(sequence(rows), 0, rows)},
	}
	want := []string{"STRING (BYTE_ARRAY)", "BYTE_ARRAY", "BYTE_ARRAY", "BYTE_ARRAY", "INT(64,true) (INT64)"}
	path := filepath.Join(t.TempDir(), "out.parquet")
	if err := Write(t.Context(), path, Table{Columns: columns}, nil); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	var fields []Field
	for i, c := range columns {
		fields = append(fields, Field{Column: c.Name, Param: "p", Kind: c.Data.Kind})
		if got := typeName(&file.Metadata().Schema[1+i]); got != want[i] {
			t.Errorf("column %s is %s, want %s", c.Name, got, want[i])
		}
		if index, err := file.RowGroups()[1].ColumnChunks()[i].ColumnIndex(); err != nil || index.NumPages() == 0 {
			t.Errorf("column %s: index %v, %v", c.Name, index, err)
		}
	}
	got, err := readFile(t.Context(), path, fields, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range columns {
		if !bytes.Equal(raw.Bytes(c.Data), raw.Bytes(got[i])) {
			t.Errorf("column %s differs", c.Name)
		}
	}
}

// TestWriteNaN: a row group whose column has a NaN has no bounds, which other
// readers would skip it by; the others keep theirs.
func TestWriteNaN(t *testing.T) {
	const rows = rowGroupRows + 3
	narrow, wide := ir.NewColumn(ir.F32, rows), ir.NewColumn(ir.F64, rows)
	for row := range rows {
		narrow.Set(row, ir.Float(ir.F32, float64(row%5-2)))
		wide.Set(row, ir.Float(ir.F64, float64(row%5-2)))
	}
	narrow.Set(rows-2, ir.Float(ir.F32, math.NaN()))
	wide.Set(7, ir.Float(ir.F64, math.NaN()))
	file, data := openWritten(t, []Named{{"narrow", narrow}, {"number", Rows(sequence(rows), 0, rows)}, {"wide", wide}})
	want := [][]bool{{true, true, false}, {false, true, true}}
	for g, group := range file.Metadata().RowGroups {
		for i, column := range group.Columns {
			statistics := column.MetaData.Statistics
			if (statistics.MinValue != nil) != want[g][i] || (statistics.MaxValue != nil) != want[g][i] || column.ColumnIndexOffset != 0 {
				t.Errorf("row group %d, column %d: %v, index at %d", g, i, statistics, column.ColumnIndexOffset)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "again.parquet")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := readFile(t.Context(), path, []Field{{Column: "narrow", Param: "p", Kind: ir.F32}, {Column: "wide", Param: "p", Kind: ir.F64}}, nil)
	if err != nil || !bytes.Equal(raw.Bytes(got[0]), raw.Bytes(narrow)) || !bytes.Equal(raw.Bytes(got[1]), raw.Bytes(wide)) {
		t.Errorf("read back differently: %v", err)
	}
}

func TestWriteManyParquetColumns(t *testing.T) {
	var columns []Named
	var fields []Field
	for i := range 100 {
		c := sequence(5)
		c.Set(0, ir.Int(c.Kind, int64(i)))
		columns = append(columns, Named{fmt.Sprint("c", i), c})
		fields = append(fields, Field{Column: fmt.Sprint("c", i), Param: "p", Kind: c.Kind})
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
