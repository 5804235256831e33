package table

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// limitsOf returns a column with the values of kind k at which formats go wrong.
func limitsOf(k ir.Kind) ir.Column {
	var values []ir.Scalar
	switch {
	case k == ir.Bool:
		values = []ir.Scalar{ir.BoolScalar(true), ir.BoolScalar(false)}
	case k.IsFloat():
		for _, f := range []float64{0, math.Copysign(0, -1), 0.1, -1.5, 1e21, 1e20, 16777217, 9007199254740993, 1e-5, 9.99e-6, 3e-310,
			math.MaxFloat32, math.MaxFloat64, math.SmallestNonzeroFloat32, math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), math.NaN()} {
			values = append(values, ir.Float(k, f))
		}
	case k == ir.Char8:
		for _, text := range []string{"", "a", "12345678", `"`, `""`, ",", "\n", "\r", "\n\r", " x ", "é", "a\x00b", "\xff\xfe", "'", ";", "true", "NaN", "\\"} {
			values = append(values, ir.Char8Scalar(text))
		}
	default:
		bits := 8 * k.Size()
		for shift := range bits {
			for _, v := range []uint64{1<<shift - 1, 1 << shift, math.MaxUint64 << shift} {
				if k == ir.Timestamp && int64(v) == math.MinInt64 { // NumPy's NaT
					v++
				}
				values = append(values, ir.Int(k, int64(v)))
			}
		}
	}
	c := ir.NewColumn(k, len(values))
	for row, v := range values {
		c.Set(row, v)
	}
	return c
}

// outputs are the files that t can be written to by each format that reads.
func outputs(t *testing.T, columns int) []string {
	var files []string
	folder := t.TempDir()
	for _, f := range formats {
		if _, reads := f.(Reader); !reads {
			continue
		}
		if _, arrays := f.(NumPy); arrays {
			files = append(files, filepath.Join(folder, "arrays")+"/")
			if columns > 1 {
				continue
			}
		}
		for _, extension := range f.Extensions() {
			files = append(files, filepath.Join(folder, "file"+extension))
		}
	}
	return files
}

// columnNames returns the names of a table's columns in the order of their bytes.
func columnNames(t Table) (names []string) {
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return names
}

func checkFormats(t *testing.T, table Table) {
	t.Helper()
	var fields []Field
	for _, c := range table.Columns {
		fields = append(fields, Field{Column: c.Name, Param: "p", Kind: c.Data.Kind})
	}
	for _, path := range outputs(t, len(fields)) {
		if err := Write(t.Context(), path, table, nil); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		source := NewSource(t.Context(), nil)
		if rows, known, err := source.Rows(path); err != nil || known && rows != int64(table.Rows()) {
			t.Errorf("%s: says %d rows (%v), want %d", path, rows, err, table.Rows())
		}
		names, err := source.Columns(path)
		slices.Sort(names) // a folder has them by name
		if want := columnNames(table); err != nil || !slices.Equal(names, want) && filepath.Ext(path) != npyExtension {
			t.Errorf("%s: says the columns are %q (%v), want %q", path, names, err, want)
		}
		got, err := source.Read(path, fields)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		for i, c := range table.Columns {
			if got[i].Kind != c.Data.Kind {
				t.Errorf("%s: column %s is of kind %v", path, c.Name, got[i].Kind)
			}
			want, have := textOf(c.Data), textOf(got[i])
			if len(have) != len(want) {
				t.Errorf("%s: column %s has %d rows, want %d", path, c.Name, len(have), len(want))
				continue
			}
			for row := range want {
				if have[row] != want[row] {
					t.Errorf("%s: column %s, row %d: %s, want %s", path, c.Name, row, have[row], want[row])
					break
				}
			}
		}
		source.Memory.Close()
	}
}

// TestFormatsGiveBackWhatTheyWrote: every kind, alone and with others, and
// tables of no row, of one, and of many.
func TestFormatsGiveBackWhatTheyWrote(t *testing.T) {
	for k := ir.Bool; k <= ir.Char8; k++ {
		if k == ir.Text { // TestTexts has it
			continue
		}
		c := limitsOf(k)
		checkFormats(t, Table{Columns: []Named{{"alone", c}}})
		checkFormats(t, Table{Columns: []Named{{"alone", Rows(c, 0, 0)}}})
		for row := range min(c.Len(), 3) {
			checkFormats(t, Table{Columns: []Named{{"alone", Rows(c, row, row+1)}}})
		}
	}
	for _, rows := range []int{0, 1, 7, 10_000} {
		checkFormats(t, repeated(rows, ir.Bool, ir.Char8))
	}
	checkFormats(t, repeated(150_000, ir.Date, ir.Char8))
}

// repeated has a column of each kind from first to last, of limits repeated.
func repeated(rows int, first, last ir.Kind) Table {
	var t Table
	for k := first; k <= last; k++ {
		if k == ir.Text { // TestTexts has it
			continue
		}
		from, c := limitsOf(k), ir.NewColumn(k, rows)
		for row := range rows {
			c.Set(row, from.At(row%from.Len()))
		}
		t.Columns = append(t.Columns, Named{fmt.Sprintf("the %v", k), c})
	}
	return t
}

func TestFormatOf(t *testing.T) {
	folder := t.TempDir()
	for path, want := range map[string]Format{
		Standard: CSV{}, "x.csv": CSV{}, "X.CSV": CSV{}, "x.parquet": Parquet{}, "x.npy": NumPy{}, "x.jsonl": JSONLines{},
		folder: NumPy{}, "missing/": NumPy{}, "x.csv/": NumPy{}, "x.y/": NumPy{},
	} {
		if got, err := FormatOf(path); err != nil || got != want {
			t.Errorf("%s: %T, %v; want %T", path, got, err, want)
		}
	}
	for _, path := range []string{"", "x", "x.y", "x.csv.gz", filepath.Join(folder, "missing")} {
		_, err := FormatOf(path)
		if err == nil {
			t.Errorf("%s: no error", path)
			continue
		}
		for _, f := range formats {
			if !strings.Contains(err.Error(), f.Extensions()[0]) {
				t.Errorf("%s: %v: does not name %s", path, err, f.Extensions()[0])
			}
		}
	}
}

// TestReaderOf checks that every format on offer can be read.
func TestReaderOf(t *testing.T) {
	for path, want := range map[string]Reader{
		Standard: CSV{}, "x.csv": CSV{}, "x.parquet": Parquet{}, "x.npy": NumPy{}, t.TempDir(): NumPy{}, "x.jsonl/": NumPy{},
	} {
		if got, err := ReaderOf(path); err != nil || got != want {
			t.Errorf("%s: %T, %v; want %T", path, got, err, want)
		}
	}
	const known = ".csv .parquet .npy, and a folder of .npy files with a / at its end"
	for path, want := range map[string]string{
		"x":       "x: the extension says how a file is written, and this name has none; known: " + known,
		"x.foo":   "x.foo: unknown file format .foo; known: " + known,
		"x.jsonl": "x.jsonl: files of this format are written, not read; those that are read: " + known,
	} {
		if _, err := ReaderOf(path); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", path, err, want)
		}
	}
}
