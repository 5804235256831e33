package table

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/kgen-go/kgen/ir"
)

// likeFields are whether strings are like a pattern, where a row without one is an error
// and where it is false.
func likeFields(column string) []Field {
	pattern := ir.Pattern("%gr_en%")
	return []Field{
		{Column: column, Param: "green", Kind: ir.Bool, Like: &pattern},
		{Column: column, Param: "known", Kind: ir.Bool, Like: &pattern, Missing: ir.BoolScalar(false)},
	}
}

func TestLikeInCSV(t *testing.T) {
	path := writeTemp(t, "name\ndark green\n\"a \"\"grxen\"\"\"\n\"\"\n grün\n")
	got, err := readFile(t.Context(), path, likeFields("name"), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []bool{true, true, false, false}
	for _, c := range got {
		if d := cmp.Diff(want, c.Slice); d != "" {
			t.Error(d)
		}
	}
}

func TestLikeInNumPy(t *testing.T) {
	path := writeArray(t, t.TempDir(), "x.npy", npyOf("|S6", 3, []byte("green\x00grey\x00\x00agreen")...))
	got, err := readFile(t.Context(), path, likeFields("x")[:1], nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]bool{true, false, true}, got[0].Slice); d != "" {
		t.Error(d)
	}
	path = writeArray(t, t.TempDir(), "x.npy", npyOf("<i4", 2, little([]int32{5, 6})...))
	if _, err := readFile(t.Context(), path, likeFields("x")[:1], nil); err == nil || !strings.Contains(err.Error(), `whether a text is like "%gr_en%" is read from S1 to S8 arrays`) {
		t.Errorf("numbers: %v", err)
	}
}

// Strings with and without a dictionary, and rows without one.
func TestLikeInParquet(t *testing.T) {
	for _, e := range []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.DeltaLengthByteArray, &parquet.DeltaByteArray} {
		for _, missing := range []bool{false, true} {
			var values []parquet.Value
			var want []bool
			for row := range 5000 {
				name := fmt.Sprintf("a %d gr%cen thing", row%97, "e x"[row%3])
				if row%5 == 0 {
					name = strings.Repeat("red", row%40)
				}
				if missing && row%7 == 0 {
					values, want = append(values, parquet.Value{}), append(want, false)
					continue
				}
				values, want = append(values, parquet.ByteArrayValue([]byte(name)).Level(0, 1, 0)), append(want, row%5 != 0)
			}
			path := writeValuesFile(t, []parquetValues{{parquet.Optional(parquet.Encoded(parquet.String(), e)), values}}, 1000)
			for _, f := range likeFields("a") {
				got, err := readFile(t.Context(), path, []Field{f}, nil)
				switch {
				case missing && f.Missing.Kind == ir.Invalid:
					if err == nil || !strings.Contains(err.Error(), "the value is NULL") {
						t.Errorf("%v: a NULL: %v", e, err)
					}
				case err != nil:
					t.Errorf("%v: %v", e, err)
				default:
					if d := cmp.Diff(want, got[0].Slice); d != "" {
						t.Errorf("%v: %s", e, d)
					}
				}
			}
		}
	}
}
