package testsuite

import (
	"math"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/irtest"
	"github.com/kgen-go/kgen/ir"
)

func floats(values ...float64) ir.Column { return ir.Column{Kind: ir.F64, Slice: values} }

// differs applies change to the last row of the first result.
func differs(t *testing.T, p *ir.Pipeline, in []ir.Column, change func(float64) float64) bool {
	t.Helper()
	want, err := Expect(p, in)
	if err != nil {
		t.Fatal(err)
	}
	if d := want.Differ(want.Results, nil); d != "" {
		t.Fatalf("a result differs from itself: %s", d)
	}
	got := slices.Clone(want.Results)
	values := slices.Clone(got[0].Slice.([]float64))
	values[len(values)-1] = change(values[len(values)-1])
	got[0] = floats(values...)
	return want.Differ(got, nil) != ""
}

func nextUp(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }

// Sums are compared as the language says: exactly if no order rounds, else
// within 2·eps·(rows + 1)·Σ|x|; values computed from such sums are not
// compared.
func TestFloatComparison(t *testing.T) {
	const sum = "pipeline p(x: [n]f64) {\n\treturn s: sum(x)\n}"
	add := func(d float64) func(float64) float64 { return func(x float64) float64 { return x + d } }
	for _, c := range []struct {
		name    string
		source  string
		x       []float64
		change  func(float64) float64
		differs bool
	}{
		{"no sum, one bit", "pipeline p(x: [n]f64) {\n\treturn y: x / 3\n}", []float64{1, 2}, nextUp, true},
		{"NaN for a number", "pipeline p(x: [n]f64) {\n\treturn y: x / 3\n}", []float64{1, 2}, func(float64) float64 { return math.NaN() }, true},
		{"another NaN", "pipeline p(x: [n]f64) {\n\treturn y: x / 3\n}", []float64{1, math.NaN()},
			func(float64) float64 { return math.Float64frombits(0xfff8000000000123) }, false},
		{"-0.0 for 0.0", "pipeline p(x: [n]f64) {\n\treturn y: x * 1\n}", []float64{1, 0}, func(float64) float64 { return math.Copysign(0, -1) }, true},
		{"whole numbers", sum, []float64{1, 2, 1 << 52}, nextUp, true},
		{"multiples of 1/8", sum, []float64{0.125, 2, 0.25}, nextUp, true},
		{"too many bits", sum, []float64{0.1, 2, 0.3}, nextUp, false},
		{"a sum that cancels, within", sum, []float64{1e16, 0.1, -1e16}, add(32), false},
		{"a sum that cancels, beyond", sum, []float64{1e16, 0.1, -1e16}, add(40), true},
		{"a sum, beyond", sum, []float64{0.1, 0.2, 0.3}, add(1e-14), true},
		{"an average, beyond", "pipeline p(x: [n]f64) {\n\treturn s: avg(x)\n}", []float64{0.1, 0.2, 0.3}, add(1e-14), true},
		{"infinities do not round", sum, []float64{1, math.Inf(1)}, func(float64) float64 { return 7 }, true},
		{"a scan, within", "pipeline p(x: [n]f64) {\n\treturn s: scan(add, x)\n}", []float64{1e16, 0.1, -1e16}, add(16), false},
		{"the first of an exclusive scan", "pipeline p(x: [n]f64) {\n\treturn s: exscan(add, x)\n}", []float64{0.1}, add(1e-300), true},
		{"a group, beyond what it adds itself", "pipeline p(x: [n]f64) {\n\treturn s: sum(x, by: starts(x < 1))\n}", []float64{1e16, 0.1, 0.2}, add(1), true},
		{"a product, within", "pipeline p(x: [n]f64) {\n\treturn s: scan(mul, x)\n}", []float64{0.1, 0.3}, nextUp, false},
		{"a product, beyond", "pipeline p(x: [n]f64) {\n\treturn s: scan(mul, x)\n}", []float64{0.1, 0.3}, add(1e-15), true},
		{"a product of whole numbers", "pipeline p(x: [n]f64) {\n\treturn s: scan(mul, x)\n}", []float64{3, 5}, nextUp, true},
		{"a product that may overflow on the way", "pipeline p(x: [n]f64) {\n\treturn s: scan(mul, x)\n}", []float64{1e200, 1e200, 0}, add(1), false},
		{"computed from a sum that rounds", "pipeline p(x: [n]f64) {\n\treturn s: sum(x) - 0.1\n}", []float64{0.1, 0.2}, add(1), false},
		{"computed from a sum that does not", "pipeline p(x: [n]f64) {\n\treturn s: sum(x) / 3\n}", []float64{1, 2}, nextUp, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := differs(t, irtest.Load(t, c.source), []ir.Column{floats(c.x...)}, c.change); d != c.differs {
				t.Errorf("differs %v, want %v", d, c.differs)
			}
		})
	}
}

// Rows of a pipeline that returns unordered may come in any order, the same for
// all columns of a domain.
func TestUnorderedComparison(t *testing.T) {
	p := irtest.Load(t, "pipeline p(a: [n]i32, b: [n]i32) {\n\treturn unordered a, b\n}")
	ints := func(values ...int32) ir.Column { return ir.Column{Kind: ir.I32, Slice: values} }
	want, err := Expect(p, []ir.Column{ints(1, 2, 1), ints(5, 6, 7)})
	if err != nil {
		t.Fatal(err)
	}
	if d := want.Differ([]ir.Column{ints(2, 1, 1), ints(6, 7, 5)}, nil); d != "" {
		t.Errorf("another order differs: %s", d)
	}
	if want.Differ([]ir.Column{ints(2, 1, 1), ints(5, 6, 7)}, nil) == "" {
		t.Error("another order of one column alone does not differ")
	}
}

// A failed check must be the same, in the same row.
func TestCheckComparison(t *testing.T) {
	p := irtest.Load(t, "pipeline p(a: [n]i32, b: [n]i32) {\n\treturn q: a / b, r: a % (b - 1)\n}")
	ints := func(values ...int32) ir.Column { return ir.Column{Kind: ir.I32, Slice: values} }
	want, err := Expect(p, []ir.Column{ints(1, 2, 1), ints(1, 0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	failed := func(site int, row int64) error { return &ir.CheckError{Site: &p.Sites[site], Row: row} }
	if d := want.Differ(nil, failed(0, 1)); d != "" {
		t.Errorf("the check that fails differs: %s", d)
	}
	for _, err := range []error{failed(0, 2), failed(1, 0), nil} {
		if want.Differ([]ir.Column{ints(0, 0, 0), ints(0, 0, 0)}, err) == "" {
			t.Errorf("%v does not differ", err)
		}
	}
}

// How a float may differ from the interpreter's follows from a known Finish only.
func TestUnknownFinishPanics(t *testing.T) {
	p := irtest.Load(t, "pipeline p(x: [n]f64) {\n\treturn r: sum(x)\n}\n")
	a := ir.OpSum.Aggregate()
	defer func() {
		a.Finish = ir.FinishField
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	a.Finish = 99
	isQuotient(p.Results[0].Value)
}
