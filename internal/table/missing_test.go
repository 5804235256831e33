package table

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/kgen-go/kgen/ir"
)

// missingFields are a column with fill, and which of its rows have a value.
func missingFields(name string, fill ir.Scalar) []Field {
	return []Field{
		{Column: name, Param: "x", Kind: fill.Kind, Missing: fill},
		{Column: name, Param: "there", Kind: ir.Bool, Present: true},
	}
}

func TestMissingInCSV(t *testing.T) {
	path := writeTemp(t, strings.ReplaceAll("n,t,name\n1,1970-01-02,AIR\n,,\n 3 , ,x\n", "\n", "\r\n"))
	fields := append(missingFields("n", ir.Int(ir.I32, -7)), missingFields("t", ir.Int(ir.Timestamp, 5))...)
	fields = append(fields, missingFields("name", ir.Char8Scalar("none"))...)
	got, err := readFile(t.Context(), path, fields, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []any{[]int32{1, -7, 3}, []bool{true, false, true}, []int64{86400e6, 5, 5}, []bool{true, false, false},
		[][8]byte{ir.Char8Scalar("AIR").Bytes(), ir.Char8Scalar("none").Bytes(), ir.Char8Scalar("x").Bytes()}, []bool{true, false, true}}
	for i, c := range got {
		if d := cmp.Diff(want[i], c.Slice); d != "" {
			t.Errorf("field %d: %s", i, d)
		}
	}
	if _, err := readFile(t.Context(), path, []Field{{Column: "n", Param: "n", Kind: ir.I32}}, nil); err == nil || !strings.Contains(err.Error(), "the field is empty") {
		t.Errorf("without a value to take instead: %v", err)
	}
}

func TestMissingInNumPy(t *testing.T) {
	times := []int64{math.MinInt64, 7, math.MinInt64, math.MinInt64, -3, math.MinInt64}
	path := writeArray(t, t.TempDir(), "x.npy", npyOf("<M8[s]", len(times), little(times)...))
	for i, f := range missingFields("x", ir.Int(ir.Timestamp, 11)) {
		got, err := readFile(t.Context(), path, []Field{f}, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := []any{[]int64{11, 7e6, 11, 11, -3e6, 11}, []bool{false, true, false, false, true, false}}[i]
		if d := cmp.Diff(want, got[0].Slice); d != "" {
			t.Error(d)
		}
	}
	path = writeArray(t, t.TempDir(), "x.npy", npyOf("<i4", 2, little([]int32{5, 6})...))
	if got, err := readFile(t.Context(), path, missingFields("x", ir.Int(ir.I64, 0))[1:], nil); err != nil || !cmp.Equal(got[0].Slice, []bool{true, true}) {
		t.Errorf("%v, %v", got, err)
	}
}

// Pages of every encoding with no, some and all values missing.
func TestMissingInParquet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, share := range []int{0, 1, 50, 99, 100} {
		var values []parquet.Value
		var want []int64
		var there []bool
		for row := range 3000 {
			if r.IntN(100) < share {
				values, want, there = append(values, parquet.Value{}), append(want, -1), append(there, false)
				continue
			}
			x := int64(row) * 3 % 700
			values, want, there = append(values, parquet.Int64Value(x).Level(0, 1, 0)), append(want, x), append(there, true)
		}
		for _, e := range []parquet.Node{
			parquet.Encoded(parquet.Int(64), &parquet.Plain), parquet.Encoded(parquet.Int(64), &parquet.RLEDictionary),
			parquet.Encoded(parquet.Int(64), &parquet.DeltaBinaryPacked),
		} {
			name := fmt.Sprintf("%d %% missing, %v", share, e.Encoding())
			path := writeValuesFile(t, []parquetValues{{parquet.Optional(e), values}}, 1000)
			got, err := readFile(t.Context(), path, missingFields("a", ir.Int(ir.I64, -1)), nil)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if d := cmp.Diff(want, got[0].Slice); d != "" {
				t.Errorf("%s: %.300s", name, d)
			}
			if d := cmp.Diff(there, got[1].Slice); d != "" {
				t.Errorf("%s: %.300s", name, d)
			}
			if share == 50 { // 256 and more do not fit; the message has the row of the file
				_, err = readFile(t.Context(), path, missingFields("a", ir.Int(ir.U8, 0)), nil)
				first := 0
				for want[first] < 256 {
					first++
				}
				if said := fmt.Sprintf(`row %d: "%d" is out of range for u8`, first, want[first]); err == nil || !strings.Contains(err.Error(), said) {
					t.Errorf("%s: error %v, want %s", name, err, said)
				}
			}
		}
	}
}

// Files of DuckDB: a column with NULLs.
func TestMissingFromDuckDB(t *testing.T) {
	got, err := readFile(t.Context(), "testdata/duckdb_zstd.parquet", missingFields("holes", ir.Int(ir.I64, math.MinInt64)), nil)
	if err != nil {
		t.Fatal(err)
	}
	missing := 0
	for row, there := range got[1].Slice.([]bool) {
		if x := got[0].Slice.([]int64)[row]; there == (x == math.MinInt64) {
			t.Fatalf("row %d is %d, and has a value: %v", row, x, there)
		}
		if !there {
			missing++
		}
	}
	if missing == 0 || !got[1].At(176).IsTrue() || got[1].At(177).IsTrue() {
		t.Errorf("%d rows are missing", missing)
	}
}
