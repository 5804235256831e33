package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/ir"
)

func pipeline(t testing.TB, source string) *ir.Pipeline {
	t.Helper()
	all, errs := ir.Load("test.kg", []byte(source))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	return all[0]
}

const (
	oneDomain = `pipeline one(a: [n]i64, b: [n]f64, from: date = date("1994-01-01"), k: i8) {
	m = a > i64(k)
	return b[m], days: from - date("1970-01-01"), total: sum(b)
}`
	twoDomains = `pipeline two(a: [n]i64, b: [m]i64) { return a, b }`
	noDomain   = `pipeline none(k: i64) { return k: k + 1 }`
)

func TestBindAndRead(t *testing.T) {
	path := writeTemp(t, "a,x,b\n1,0.5,9\n2,1.5,9\n")
	b, err := Bind(pipeline(t, oneDomain), Flags{In: []string{path}, Bind: []string{"b=x"}, Set: []string{"k=-3"}})
	if err != nil {
		t.Fatal(err)
	}
	in, err := b.Read(NewSource(t.Context(), nil))
	if err != nil {
		t.Fatal(err)
	}
	want := []ir.Column{{Kind: ir.I64, Slice: []int64{1, 2}}, {Kind: ir.F64, Slice: []float64{0.5, 1.5}},
		{Kind: ir.Date, Slice: []int32{8766}}, {Kind: ir.I8, Slice: []int8{-3}}}
	if d := cmp.Diff(want, in); d != "" {
		t.Error(d)
	}
}

func TestBindDomains(t *testing.T) {
	path := writeTemp(t, "b\n5\n")
	b, err := Bind(pipeline(t, twoDomains), Flags{In: []string{"m=" + path, "n=-"}})
	if err != nil {
		t.Fatal(err)
	}
	in, err := b.Read(NewSource(t.Context(), strings.NewReader("a\n1\n2\n")))
	if err != nil {
		t.Fatal(err)
	}
	want := []ir.Column{{Kind: ir.I64, Slice: []int64{1, 2}}, {Kind: ir.I64, Slice: []int64{5}}}
	if d := cmp.Diff(want, in); d != "" {
		t.Error(d)
	}

	strange := filepath.Join(t.TempDir(), "a=b.csv")
	if err := os.WriteFile(strange, []byte("a,b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Bind(pipeline(t, oneDomain), Flags{In: []string{strange}, Set: []string{"k=1"}}); err != nil {
		t.Errorf("a path with =: %v", err)
	}
}

const times = "pipeline times(day: [n]date, at: [n]timestamp, from: date) { return day, at, from }"

func TestBadBinding(t *testing.T) {
	for _, c := range []struct {
		name, source string
		flags        Flags
		want         string
	}{
		{"no input", oneDomain, Flags{Set: []string{"k=1"}}, "pipeline one needs its columns (a, b): add --in FILE"},
		{"no input of two", twoDomains, Flags{}, "add --in n=FILE --in m=FILE"},
		{"one of two", twoDomains, Flags{In: []string{"m=x.csv"}}, "add --in FILE"},
		{"bare path for two", twoDomains, Flags{In: []string{"x.csv"}}, "has the column domains n, m; write --in n=FILE --in m=FILE"},
		{"unknown domain", twoDomains, Flags{In: []string{"q=x.csv"}}, "no column domain q; it has n, m"},
		{"domain twice", oneDomain, Flags{In: []string{"x.csv", "n=y.csv"}}, "the columns of n already come from x.csv"},
		{"standard input twice", twoDomains, Flags{In: []string{"n=-", "m=-"}}, "standard input already gives the columns of n"},
		{"no file", oneDomain, Flags{In: []string{"n="}}, "no file is named"},
		{"unknown format", oneDomain, Flags{In: []string{"x.xls"}}, "unknown file format .xls; known: .csv"},
		{"input for none", noDomain, Flags{In: []string{"x.csv"}}, "takes no columns"},
		{"scalar without default", oneDomain, Flags{In: []string{"x.csv"}}, "scalar parameter k (i8) has no default: add --set k=VALUE"},
		{"unknown scalar", oneDomain, Flags{Set: []string{"q=1"}}, "no scalar parameter q; it has from, k"},
		{"column as scalar", oneDomain, Flags{Set: []string{"a=1"}}, "no scalar parameter a; it has from, k"},
		{"scalar twice", oneDomain, Flags{Set: []string{"k=1", "k=2"}}, "k is set twice"},
		{"bad scalar", oneDomain, Flags{Set: []string{"k=200"}}, `--set k=200: "200" is out of range for i8`},
		{"no value", oneDomain, Flags{Set: []string{"k"}}, "write --set PARAMETER=VALUE"},
		{"unknown column parameter", oneDomain, Flags{Bind: []string{"k=x"}}, "no column parameter k; it has a, b"},
		{"bound twice", oneDomain, Flags{Bind: []string{"a=x", "a=y"}}, "a is bound twice"},
		{"no column", oneDomain, Flags{Bind: []string{"a="}}, "write --bind PARAMETER=COLUMN"},
		{"format of no date", oneDomain, Flags{In: []string{"x.csv"}, Format: []string{"a=%F"}}, "--format a=%F: pipeline one has no column a of a date or timestamp; it has none"},
		{"no pattern", times, Flags{Format: []string{"day"}}, "write --format PARAMETER=PATTERN"},
		{"bad pattern", times, Flags{Format: []string{"day=%q"}}, "--format day=%q: %q is not known; a pattern has %Y"},
		{"two patterns", times, Flags{Format: []string{"day=%F", "day=%F"}}, "day has a pattern already, %F"},
		{"pattern of a scalar", times, Flags{Format: []string{"from=%F"}}, "no column from of a date or timestamp; it has day, at"},
		{"pattern for Parquet", times, Flags{In: []string{"x.parquet"}, Format: []string{"day=%F"}}, "--format day=%F: x.parquet is no CSV file"},
		{"rounded date", times, Flags{Round: []string{"day"}}, "--round day: pipeline times has no column day of a timestamp; it has at"},
		{"no parameters at all", noDomain, Flags{Bind: []string{"a=b"}}, "no column parameter a; it has none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Bind(pipeline(t, c.source), c.flags)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v\n want %s", err, c.want)
			}
		})
	}
}

func sequence(n int) ir.Column {
	c := ir.NewColumn(ir.I64, n)
	for i := range n {
		c.Set(i, ir.Int(ir.I64, int64(i)))
	}
	return c
}

func results(t testing.TB) []Table {
	return Results(pipeline(t, oneDomain), []ir.Column{
		{Kind: ir.F64, Slice: []float64{0.5, 10.25}}, {Kind: ir.I32, Slice: []int32{8766}}, {Kind: ir.F64, Slice: []float64{1e6}}})
}

func TestResultsAndPrint(t *testing.T) {
	var out bytes.Buffer
	if err := Print(&out, results(t)); err != nil {
		t.Fatal(err)
	}
	want := `m:
    b
  0.5
10.25
2 rows

scalars:
days    total
8766  1000000
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
}

func TestPrintLongTable(t *testing.T) {
	text := func(n int) string {
		names := ir.NewColumn(ir.Char8, n)
		names.Set(0, ir.Char8Scalar("é\n"))
		var out bytes.Buffer
		if err := Print(&out, []Table{{Columns: []Named{{"row", sequence(n)}, {"name", names}}}}); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	long := strings.Split(text(1_234_567), "\n")
	if got := len(long); got != 1+10+1+10+1+1 {
		t.Errorf("%d lines", got)
	}
	for i, want := range map[int]string{0: "    row  name", 1: `      0  "é\n"`, 10: "      9", 11: "    ...  ...", 12: "1234557", 21: "1234566", 22: "1,234,567 rows"} {
		if long[i] != want {
			t.Errorf("line %d is %q, want %q", i, long[i], want)
		}
	}
	if got := strings.Count(text(longRows), "\n"); got != longRows+2 {
		t.Errorf("%d rows take %d lines", longRows, got)
	}
	if got := text(1); !strings.HasSuffix(got, "\n1 row\n") {
		t.Errorf("one row: %q", got)
	}
	if got := text(0 + 1)[:9]; got != "row  name" {
		t.Errorf("header %q", got)
	}
}

func TestJSON(t *testing.T) {
	var got bytes.Buffer
	err := Table{Name: `a"b`, Columns: []Named{
		{"f", ir.Column{Kind: ir.F64, Slice: []float64{1.5}}}, {"c", ir.Column{Kind: ir.Char8, Slice: [][8]byte{{'x', '"'}}}},
		{"d", ir.Column{Kind: ir.Date, Slice: []int32{0}}}, {"b", ir.Column{Kind: ir.Bool, Slice: []bool{true}}}}}.WriteJSON(&got)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"name":"a\"b","rows":1,"columns":[{"name":"f","type":"f64","values":[1.5]},{"name":"c","type":"char8","values":["x\""]},` +
		`{"name":"d","type":"date","values":["1970-01-01"]},{"name":"b","type":"bool","values":[true]}]}`
	if d := cmp.Diff(want, got.String()); d != "" {
		t.Error(d)
	}
	special := ir.NewColumn(ir.F32, 3)
	for i, text := range []string{"NaN", "+Inf", "-Inf"} {
		s, err := ParseScalar(ir.F32, text)
		if err != nil {
			t.Fatal(err)
		}
		special.Set(i, s)
	}
	got.Reset()
	if err := (Table{Columns: []Named{{"f", special}}}).WriteJSON(&got); err != nil || !strings.Contains(got.String(), `["NaN","+Inf","-Inf"]`) {
		t.Errorf("%s %v", &got, err)
	}
	long := ir.NewColumn(ir.I64, 100_000) // several pieces
	got.Reset()
	if err := (Table{Columns: []Named{{"x", long}}}).WriteJSON(&got); err != nil || got.Len() < 200_000 || !json.Valid(got.Bytes()) {
		t.Errorf("%d bytes, %v", got.Len(), err)
	}
}

func TestResultNamesDiffer(t *testing.T) {
	p := pipeline(t, "pipeline p(a: [n]i64) {\n\tn = runs(a)\n\tscalars = a[a > 0]\n\treturn a, k: first(a, by: n), scalars, s: sum(a)\n}")
	names, member := ResultNames(p)
	if got, want := fmt.Sprint(names, member), "[n k scalars scalars2] [0 1 2 3]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
