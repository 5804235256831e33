package columns

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
)

func load(t *testing.T, text string) *ir.Pipeline {
	t.Helper()
	pipelines, errs := ir.Load("x.kg", []byte(text))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	return pipelines[0]
}

func request(p *ir.Pipeline, rows int64) Request {
	return Request{Pipeline: p, Seed: 1, Rows: func(*ir.Domain) int64 { return rows },
		New:    func(n int64) ([]byte, error) { return raw.Bytes(ir.NewColumn(ir.I64, int(n+7)/8))[:n], nil },
		Scalar: func(v *ir.Value) (ir.Scalar, error) { return v.Const, nil }}
}

func generated(t *testing.T, p *ir.Pipeline, spec string, rows int64) []ir.Column {
	t.Helper()
	s, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Make(t.Context(), request(p, rows))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ints(c ir.Column) (list []int64) {
	for i := range c.Len() {
		list = append(list, c.At(i).Int64())
	}
	return list
}

// Columns of the names and types of TPC-H are TPC-H's.
func TestRelation(t *testing.T) {
	p := load(t, "pipeline p(l_orderkey: [n]i64, l_quantity: [n]i64) { return s: sum(l_orderkey + l_quantity) }")
	c := generated(t, p, "auto", 1000)
	keys, quantities := ints(c[0]), ints(c[1])
	if len(keys) != 1000 || !slices.IsSorted(keys) || keys[0] != 1 || slices.Min(quantities) < 1 || slices.Max(quantities) > 50 {
		t.Errorf("%v %v", keys[:10], quantities[:10])
	}
	again := generated(t, p, "lineitem", 1000)
	if !slices.Equal(ints(again[0]), keys) {
		t.Error("another relation by name")
	}
	other := generated(t, p, "lineitem+l_quantity=uniform:min=7:max=7", 1000)
	if !slices.Equal(ints(other[0]), keys) || slices.Max(ints(other[1])) != 7 || slices.Min(ints(other[1])) != 7 {
		t.Error("a column of another kind beside a relation")
	}
}

func TestDistributions(t *testing.T) {
	p := load(t, "pipeline p(key: [n]i32, x: [n]f64, b: [n]bool, c: [n]char8, d: [n]date) { return x, b, c, d, key }")
	c := generated(t, p, "unique", 100)
	keys := ints(c[0])
	slices.Sort(keys)
	if len(slices.Compact(keys)) != 100 {
		t.Error("not unique")
	}
	if c = generated(t, p, "key=repeated:mean-run=10", 100); len(slices.Compact(ints(c[0]))) != 10 {
		t.Errorf("%v", ints(c[0]))
	}
	if c = generated(t, p, "auto", 0); c[0].Len() != 0 {
		t.Error("no rows")
	}
}

// What follows from the use of columns passes the checks of every pipeline of the
// examples and of the corpus that columns can be generated for.
func TestByUse(t *testing.T) {
	var failed []string
	made := 0
	for _, pattern := range []string{"../../../examples/*/*.kg", "../../../testsuite/corpus/*.kg"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatal(pattern, err)
		}
		for i, path := range paths {
			if i%3 > 0 && strings.Contains(pattern, "corpus") {
				continue // each third shows every way to use a column
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			pipelines, errs := ir.Load(path, text)
			if errs.Err() != nil {
				continue
			}
			for _, p := range pipelines {
				if slices.ContainsFunc(p.Params, func(v *ir.Value) bool {
					return v.Type.IsScalar() && v.Const.Kind == ir.Invalid && v.Literal == nil
				}) {
					continue
				}
				s, _ := Parse(Automatic)
				c, err := s.Make(t.Context(), request(p, 60))
				if err != nil {
					t.Errorf("%s: %v", path, err)
					continue
				}
				made++
				if _, err := interp.Run(p, c); err != nil {
					failed = append(failed, filepath.Base(path)+": "+err.Error())
				}
			}
		}
	}
	t.Logf("%d of %d fail:\n%s", len(failed), made, strings.Join(failed, "\n"))
	if made < 50 || len(failed)*8 > made {
		t.Errorf("%d of %d pipelines fail a check", len(failed), made)
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "no kind of data",
		"gauss":                 `no kind of data "gauss"`,
		"unique:max=4":          "unique has no option max",
		"uniform:max=much":      "a number is needed",
		"uniform+zipf":          "two kinds",
		"x=unique+x=unique":     "two kinds",
		"repeated:mean-run=1.5": "a number is needed",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	p := load(t, "pipeline p(x: [n]i32) { return x }")
	s, _ := Parse("y=unique")
	if _, err := s.Make(t.Context(), request(p, 10)); err == nil || !strings.Contains(err.Error(), "no column y") {
		t.Error(err)
	}
}

// The domains of a pipeline are tables of one database, whose sizes belong together.
func TestDatabases(t *testing.T) {
	star := load(t, "pipeline p(lo_orderdate: [l]i32, lo_revenue: [l]i32, d_datekey: [d]i32, d_yearmonth: [d]text, month: text = \"May1994\") {\n"+
		"\tday = find(lo_orderdate, in: d_datekey[d_yearmonth == month || d_yearmonth == \"Jun1994\"])\n\treturn n: count(day >= 0), s: sum(lo_revenue)\n}")
	c := generated(t, star, "auto", 1000)
	if c[0].Len() != 1000 || c[2].Len() != 2557 || c[3].Texts[c[3].At(0).Int64()] != "Jan1992" || c[4].Texts[c[4].At(0).Int64()] != "May1994" {
		t.Errorf("%d lines, %d days, the first in %v", c[0].Len(), c[2].Len(), c[3].Texts)
	}
	other := generated(t, star, "ssb+month=Jul1996", 1000)
	if other[4].Texts[other[4].At(0).Int64()] != "Jul1996" {
		t.Error("the scalar is not what the spec says")
	}
	for _, spec := range []string{"auto", "ssb", "ssb+month=Jul1996"} {
		found, err := interp.Run(star, generated(t, star, spec, 1000))
		if err != nil || found[0].At(0).Int64() == 0 || found[0].At(0).Int64() == 1000 {
			t.Errorf("%s: %v of 1000 rows are in two months, %v", spec, found, err)
		}
	}
	cube := load(t, "pipeline p(article: [n]i32, component: [n]i32, value: [n]f64, dimension: [h]i32, target: [q]i32) { return s: sum(value), d: max(dimension), n: len(target), a: max(article), c: max(component) }")
	if c = generated(t, cube, "cube:targets=2519", 5000); c[0].Len() != 5000 || c[3].Len() != 36037 || c[4].Len() != 2069 {
		t.Errorf("%d facts, %d ancestors, %d targets", c[0].Len(), c[3].Len(), c[4].Len())
	}
}

// Scalars take values, domains a share of the rows, and texts are words.
func TestOfParameters(t *testing.T) {
	p := load(t, "pipeline p(key: [n]u32, other: [m]i32, name: [m]text, bits: u32 = 5, size: i64 = 4) {\n\treturn a: key >> bits, other, name, c: count(by: bins(key, size))\n}")
	c := generated(t, p, "auto+bits=3+size=1000+other=unique:share=0.25", 400)
	if c[0].Len() != 400 || c[1].Len() != 100 || c[2].Len() != 100 || c[3].At(0).Int64() != 3 || c[4].At(0).Int64() != 1000 {
		t.Errorf("%d, %d and %d rows, bits %v, size %v", c[0].Len(), c[1].Len(), c[2].Len(), c[3].At(0), c[4].At(0))
	}
	if top := slices.Max(ints(c[0])); top < 500 || top > 999 {
		t.Errorf("keys to %d do not fit bins of 1000", top)
	}
	if texts := c[2].Texts; len(texts) < 50 || !slices.IsSorted(texts) {
		t.Errorf("texts are %v", texts)
	}
	for text, want := range map[string]string{"auto+bits=many": "bits", "auto+key=7": "no kind of data", "auto+none=7": "no column none", "auto+other=unique:share=2": "a number is needed"} {
		s, err := Parse(text)
		if err == nil {
			_, err = s.Make(t.Context(), request(p, 10))
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
