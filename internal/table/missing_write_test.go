package table

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/kgen-go/kgen/ir"
)

// missingValues are for each kind what a row without a value has, and what others have.
var missingValues = []struct{ missing, a, b ir.Scalar }{
	{ir.BoolScalar(true), ir.BoolScalar(false), ir.BoolScalar(false)},
	{ir.Int(ir.I8, -1), ir.Int(ir.I8, 0), ir.Int(ir.I8, 127)},
	{ir.Int(ir.U16, 0), ir.Int(ir.U16, 1), ir.Int(ir.U16, 65535)},
	{ir.Int(ir.I32, 7), ir.Int(ir.I32, -7), ir.Int(ir.I32, 8)},
	{ir.Int(ir.I64, -1), ir.Int(ir.I64, 1<<40), ir.Int(ir.I64, -2)},
	{ir.Float(ir.F32, 0.5), ir.Float(ir.F32, -1), ir.Float(ir.F32, 2)},
	{ir.Float(ir.F64, -1), ir.Float(ir.F64, 0.1), ir.Float(ir.F64, 1e300)},
	{ir.Int(ir.Date, 0), ir.Int(ir.Date, 1), ir.Int(ir.Date, -1)},
	{ir.Int(ir.Timestamp, 0), ir.Int(ir.Timestamp, 1), ir.Int(ir.Timestamp, -1)},
	{ir.Char8Scalar("none"), ir.Char8Scalar("a"), ir.Char8Scalar("b,\"")},
}

// Rows that have what stands for no value get none, in every format, however many they
// are; the others come back, and other readers of Parquet count the same.
func TestWriteMissing(t *testing.T) {
	for name, values := range map[string]func(r *rand.Rand, row int) int{ // 0 is missing
		"none":   func(r *rand.Rand, _ int) int { return 1 + r.IntN(2) },
		"some":   func(r *rand.Rand, _ int) int { return r.IntN(3) },
		"all":    func(*rand.Rand, int) int { return 0 },
		"late":   func(r *rand.Rand, row int) int { return min(row/70_000, 1) * (1 + r.IntN(2)) },
		"blocks": func(_ *rand.Rand, row int) int { return row / 35_000 % 3 },
	} {
		rows, extensions := 110_000, []string{".parquet"} // four pages
		if name == "some" {
			rows, extensions = 5000, []string{".csv", ".parquet"}
		}
		r := rand.New(rand.NewPCG(1, 2))
		choices := make([]int, rows)
		nulls := 0
		for row := range choices {
			if choices[row] = values(r, row); choices[row] == 0 {
				nulls++
			}
		}
		var columns []ir.Column
		var fields []Field
		for i, v := range missingValues {
			c := ir.NewColumn(v.missing.Kind, rows)
			for row, choice := range choices {
				c.Set(row, []ir.Scalar{v.missing, v.a, v.b}[choice])
			}
			columns = append(columns, c)
			fields = append(fields, Field{Column: fmt.Sprint("c", i), Kind: v.missing.Kind, Missing: v.missing})
		}
		for _, extension := range extensions {
			path := filepath.Join(t.TempDir(), "out"+extension)
			writeColumns(t, path, fields, columns)
			for i, v := range missingValues { // and with another value than the writer's
				got, err := readFile(t.Context(), path, []Field{
					{Column: fields[i].Column, Param: "x", Kind: v.a.Kind, Missing: v.a}, {Column: fields[i].Column, Param: "there", Kind: ir.Bool, Present: true},
				}, nil)
				if err != nil {
					t.Fatalf("%s of %s%s: %v", v.a.Kind, name, extension, err)
				}
				for row, choice := range choices {
					want := []ir.Scalar{v.a, v.a, v.b}[choice]
					if got[0].At(row) != want || got[1].At(row) != ir.BoolScalar(choice != 0) {
						t.Fatalf("%s of %s%s, row %d: %v, %v, want %v, %v", v.a.Kind, name, extension, row, got[0].At(row), got[1].At(row), want, choice != 0)
					}
				}
			}
			if extension == ".parquet" {
				countNulls(t, path, nulls)
			}
		}
	}
}

// countNulls compares with parquet-go's own reader.
func countNulls(t *testing.T, path string, want int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	columns := len(file.Schema().Fields())
	inStatistics, inIndex, read := make([]int, columns), make([]int, columns), make([]int, columns)
	for g, group := range file.RowGroups() {
		for i, chunk := range group.ColumnChunks() {
			inStatistics[i] += int(file.Metadata().RowGroups[g].Columns[i].MetaData.Statistics.NullCount)
			index, err := chunk.ColumnIndex()
			if err != nil {
				t.Fatal(err)
			}
			for page := range index.NumPages() {
				inIndex[i] += int(index.NullCount(page))
			}
		}
		rows := group.Rows()
		buffer := make([]parquet.Row, 1000)
		for {
			n, err := rows.ReadRows(buffer)
			for _, row := range buffer[:n] {
				for i, v := range row {
					if v.IsNull() {
						read[i]++
					}
				}
			}
			if err != nil {
				break
			}
		}
		rows.Close()
	}
	for i := range columns {
		if inStatistics[i] != want || inIndex[i] != want || read[i] != want {
			t.Errorf("column %d: %d nulls by statistics, %d by the index, %d read, want %d", i, inStatistics[i], inIndex[i], read[i], want)
		}
	}
}

func writeColumns(t *testing.T, path string, fields []Field, columns []ir.Column) {
	t.Helper()
	stage := NewStage(t.Context(), nil)
	defer stage.Abort()
	w, err := stage.NewWriter(path, fields)
	if err == nil {
		err = w.Write(columns)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = stage.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestWriteMissingAsText(t *testing.T) {
	fields := []Field{{Column: "x", Kind: ir.I32, Missing: ir.Int(ir.I32, -1)}, {Column: "y", Kind: ir.Char8, Missing: ir.Char8Scalar("-")}}
	columns := []ir.Column{{Kind: ir.I32, Slice: []int32{1, -1}}, {Kind: ir.Char8, Slice: [][8]byte{ir.Char8Scalar("-").Bytes(), ir.Char8Scalar("b").Bytes()}}}
	for name, want := range map[string]string{"out.csv": "x,y\n1,\n,b\n", "out.jsonl": "{\"x\":1,\"y\":null}\n{\"x\":null,\"y\":\"b\"}\n"} {
		path := filepath.Join(t.TempDir(), name)
		writeColumns(t, path, fields, columns)
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s: %q (%v), want %q", name, got, err, want)
		}
	}
	path := filepath.Join(t.TempDir(), "alone.csv")
	writeColumns(t, path, fields[:1], columns[:1])
	if got, err := os.ReadFile(path); err != nil || string(got) != "x\n1\n\"\"\n" {
		t.Errorf("a column alone: %q (%v)", got, err)
	}
	if _, err := NewStage(t.Context(), nil).NewWriter(t.TempDir(), fields); err == nil || !strings.Contains(err.Error(), "some rows of x have no value") {
		t.Errorf("arrays: %v", err)
	}
}
