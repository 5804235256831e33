package table

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

func writeFile(t *testing.T, name string, table Table) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := Write(t.Context(), path, table, nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestJSONLines(t *testing.T) {
	days := ir.Column{Kind: ir.Date, Slice: []int32{0, -719529}}
	text := ir.NewColumn(ir.Char8, 2)
	text.Set(0, ir.Char8Scalar("a\"\n\x00b"))
	text.Set(1, ir.Char8Scalar("<é"))
	got := writeFile(t, "x.jsonl", Table{Columns: []Named{
		{"key", ir.Column{Kind: ir.I64, Slice: []int64{math.MinInt64, 2}}},
		{"u", ir.Column{Kind: ir.U64, Slice: []uint64{math.MaxUint64, 0}}},
		{"flag", ir.Column{Kind: ir.Bool, Slice: []bool{true, false}}},
		{"f", ir.Column{Kind: ir.F64, Slice: []float64{math.Copysign(0, -1), math.NaN()}}},
		{"g", ir.Column{Kind: ir.F32, Slice: []float32{0.1, float32(math.Inf(-1))}}},
		{"day \"one\"", days},
		{"text", text},
	}})
	want := `{"key":-9223372036854775808,"u":18446744073709551615,"flag":true,"f":-0.0,"g":0.1,"day \"one\"":"1970-01-01","text":"a\"\n\u0000b"}` + "\n" +
		`{"key":2,"u":0,"flag":false,"f":"NaN","g":"-Inf","day \"one\"":"-0001-12-31","text":"<é"}` + "\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestJSONLinesAreJSON: a parser finds every value of every kind.
func TestJSONLinesAreJSON(t *testing.T) {
	for k := ir.Bool; k <= ir.Char8; k++ {
		if k == ir.Text { // TestTexts has it
			continue
		}
		c := limitsOf(k)
		for row := range c.Len() {
			if refuseJSON("", Rows(c, row, row+1), 0) != nil {
				c.Set(row, ir.Scalar{Kind: k})
			}
		}
		text := writeFile(t, "x.jsonl", Table{Columns: []Named{{"a", c}}})
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if len(lines) != c.Len() {
			t.Fatalf("%v: %d lines for %d rows", k, len(lines), c.Len())
		}
		for row, line := range lines {
			var object struct{ A any }
			decoder := json.NewDecoder(strings.NewReader(line))
			decoder.UseNumber()
			if err := decoder.Decode(&object); err != nil {
				t.Errorf("%v: %s: %v", k, line, err)
				continue
			}
			want := string(AppendScalar(nil, c.At(row)))
			if got := fmt.Sprint(object.A); got != want {
				t.Errorf("%v: %s reads as %q, want %q", k, line, got, want)
			}
		}
	}
}

// TestJSONOfBytes: text that is not UTF-8 is an error, and never another text.
func TestJSONOfBytes(t *testing.T) {
	c := ir.NewColumn(ir.Char8, batchRows+2)
	c.Set(batchRows, ir.Char8Scalar("é\uFFFD"))
	c.Set(batchRows+1, ir.Char8Scalar("a\xffb"))
	table := Table{Name: "g", Columns: []Named{{"n", sequence(c.Len())}, {"key", c}}}
	const fault = `column "key", row 1048577: "a\xffb" is not UTF-8, and JSON is; .csv, .parquet and .npy hold any bytes`
	path := filepath.Join(t.TempDir(), "x.jsonl")
	if err := Write(t.Context(), path, table, nil); err == nil || err.Error() != "writing "+path+": "+fault {
		t.Errorf("JSON lines: error %v", err)
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) > 0 {
		t.Errorf("left: %v", files)
	}
	if err := table.RefuseJSON(); err == nil || err.Error() != "g: "+fault {
		t.Errorf("JSON: error %v", err)
	}
	table.Columns[1].Data = Rows(c, 0, batchRows+1)
	if err := table.RefuseJSON(); err != nil {
		t.Error(err)
	}
}

func TestJSONLinesOfNothing(t *testing.T) {
	if got := writeFile(t, "x.jsonl", Table{Columns: []Named{{"a", sequence(0)}}}); got != "" {
		t.Errorf("got %q", got)
	}
}

func BenchmarkWriteJSONLines(b *testing.B) {
	all := lineitemTable(b)
	path := filepath.Join(b.TempDir(), "x.jsonl")
	for b.Loop() {
		if err := Write(b.Context(), path, all, nil); err != nil {
			b.Fatal(err)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
}
