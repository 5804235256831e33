package fuse

import (
	"math"
	"regexp"
	"testing"

	"github.com/kgen-go/kgen/plan"
)

// A row that reaches into a column takes as long as caches are small for that and what others bring meanwhile: all of
// columns as large, of a larger one as much as the small one has. What is reached in its order is read as other columns are.
func TestMeasuredReaches(t *testing.T) {
	small := 1 + 1.0/11 // of two times 2^12 bytes
	machine := plan.Machine{Device: "measured", Units: 1, Subgroup: 1, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5},
		Curves: map[string]plan.Curve{plan.CurveGather: {{Bytes: 1 << 12, Seconds: 1e-9}, {Bytes: 1 << 23, Seconds: 2e-9}, {Bytes: 1 << 24, Seconds: 3e-9}}}}
	for _, test := range []struct {
		body   string
		beyond float64 // ns a row
	}{
		{"return a: x[i]", 2},
		{"return a: x[i], b: y[i]", 3 + 3},
		{"return a: x[i], b: x[y]", 2 + 2}, // of one column
		{"c = count(by: bins(i, 512))\n\treturn a: c[i] + x", 1},
		{"c = count(by: bins(i, 512))\n\treturn a: c[i] + x[i]", small + 2},
		{"return a: x[i], b: y[i[i > 5]]", 2 + math.Log2(1.5) + 3.0/2}, // into which half as many rows reach
		{"return a: x[index(y) + 1]", 0},
		{"return a: x[index(y) + 1], b: y[i]", 2},
		{"return a: x[-index(y)]", 2},
		{"return a: x[index(i)[i > 5]]", 0},
		{"g = runs(i)\n\treturn a: sum(x, by: g)[g]", 0},
		{"return a: x[scan(add, i64(i > 5))]", 0},
		{"return a: x[scan(add, i)]", 2},
		{"return a: x[scan(add, i64(i > 5), by: runs(i))]", 2},
		{"return a: x[scan(max, i)]", 0},
	} {
		parameters := "x: [n]i64"
		for _, name := range []string{"y", "i"} {
			if regexp.MustCompile(`\b` + name + `\b`).MatchString(test.body) {
				parameters += ", " + name + ": [n]i64"
			}
		}
		f, err := Fuse(graph(t, parameters, test.body), LevelOnePass, machine)
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.Program()
		if err != nil {
			t.Fatal(err)
		}
		got := 0.0
		for _, k := range p.Kernels {
			got += f.beyondBytes(k) + f.Graph.unreached(k, f.Graph.rowsOfKernel(k))/1e10
		}
		if want := test.beyond * 1e-9 * AssumedRows; math.Abs(got-want) > 2e-3*1e-9*AssumedRows {
			t.Errorf("%s: %g ns a row, not %g", test.body, got*1e9/AssumedRows, test.beyond)
		}
	}
}

// A filter by what a search in its kernel has found has no branch that is guessed beyond that of the search, where searches
// are measured.
func TestMeasuredFound(t *testing.T) {
	for _, test := range []struct {
		hit      string
		curve    string
		branches float64
	}{
		{"f >= 0", plan.CurveSearch, 0},
		{"f >= 0", plan.CurveGather, 1},
		{"a > 5", plan.CurveSearch, 1},
		{"f > a", plan.CurveSearch, 1},
	} {
		g := graphOf(t, "a: [n]i64, b: [m]i64, v: [m]i64", "f = find(a, in: b)\n\thit = "+test.hit+"\n\treturn v: v[f[hit]]", Options{Hash: DefaultHash, Cores: true, Short: true})
		cost := func(branch float64) float64 {
			f, err := Fuse(g, LevelOnePass, plan.Machine{Device: "measured", Units: 1, Subgroup: 1, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5, plan.RateBranch: branch},
				Curves: map[string]plan.Curve{test.curve: {{Bytes: 1, Seconds: 1e-9}}}})
			if err != nil {
				t.Fatal(err)
			}
			return f.Cost()
		}
		if got := (cost(1e-9) - cost(0)) * 1e9 / AssumedRows; math.Abs(got-test.branches) > 1e-6 {
			t.Errorf("%s, %s measured: %g branches a row, not %g", test.hit, test.curve, got, test.branches)
		}
	}
}
