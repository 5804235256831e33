package fuse

import (
	"math"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/plan"
)

// The cost of a kernel on a measured machine is a launch, its bytes, and what its rows take
// beyond that, worked out by hand.
func TestMeasuredCost(t *testing.T) {
	const n = AssumedRows
	machine := plan.Machine{Device: "measured", Units: 4, Subgroup: 32,
		Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5, plan.RateScan: 1e-9, plan.RatePrefix: 2e-6, plan.RateLookback: 3e-9, plan.RateBranch: 2e-9,
			plan.RateBeside: 5e-9},
		Curves: map[string]plan.Curve{
			plan.CurveGather: {{Bytes: 1 << 20, Seconds: 1e-9}, {Bytes: 1 << 24, Seconds: 9e-9}},
			plan.CurveLocal:  {{Bytes: 1 << 10, Seconds: 4e-9}},
			plan.CurveAtomic: {{Bytes: 1 << 10, Seconds: 50e-9}, {Bytes: 1 << 20, Seconds: 70e-9}},
		}}
	for _, test := range []struct {
		parameters, body string
		bytes            float64
		beyond           float64 // nanoseconds
	}{
		{"x: [n]i64", "return y: x + 1", 16 * n, 0},
		{"x: [n]i64", "return y: scan(add, x)", 16 * n, 2000 + 3*n},
		{"x: [n]i64", "return y: scan(add, x), z: scan(max, x)", 24 * n, 2000 + 3*n + 5*n},
		{"x: [n]i32", "return y: x[x > 0]", 4*n + 2*n, 2000 + 3*n + 2*n},
		{"i: [n]i32, x: [m]i64", "return y: x[i]", (4 + 8 + 8) * n, (1 + 0.75*8) * n},                // a table of 2^23 bytes
		{"i: [n]i32, x: [m]i64, z: [m]i64", "return y: x[i], w: z[i]", (4 + 2*(8+8)) * n, 2 * 9 * n}, // two, which share a cache
		{"i: [n]i32", "return c: count(by: bins(i, 100))", 4*n + 2*8*100, 4 * n},
		{"i: [n]i32", "return c: count(by: bins(i, 4096))", 4*n + 2*8*4096, (50 + 0.5*20) * n}, // of 2^15 bytes
	} {
		f, err := Fuse(graph(t, test.parameters, test.body), LevelOnePass, machine)
		if err != nil {
			t.Fatal(err)
		}
		got := f.Cost()
		if want := 1e-5 + test.bytes/1e10 + test.beyond*1e-9; math.Abs(got/want-1) > 1e-6 {
			t.Errorf("%s: %g s, not %g", test.body, got, want)
		}
		f.Machine.Curves, f.tried = nil, nil
		f.Machine.Rates = map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5}
		if got, want := f.Cost(), 1e-5+test.bytes/1e10; math.Abs(got/want-1) > 1e-6 {
			t.Errorf("%s on a declared machine: %g s, not %g", test.body, got, want)
		}
	}
}

// A prefix that waits for another one of its kernel takes more than two, which decides level auto.
func TestMeasuredWaiting(t *testing.T) {
	const n = AssumedRows
	for _, test := range []struct {
		waiting float64
		plan    string
	}{{1e-9, "partial1 offset1 add1 partial2 offset2 add2"}, {4e-9, "partial1 offset1 add1 | partial2 offset2 add2"}} {
		machine := plan.Machine{Device: "measured", Units: 4, Subgroup: 32, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5, plan.RateScan: 3e-9, plan.RateLookback: 3e-9, plan.RateWaiting: test.waiting}}
		f, err := Fuse(graph(t, "x: [n]i64", "return y: scan(max, scan(add, x))"), LevelAuto, machine)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(f.String()); got != test.plan {
			t.Errorf("%s, not %s", got, test.plan)
		}
		if got, want := f.Cost(), min(1e-5+16*n/1e10+(2*3e-9+test.waiting)*n, 2e-5+32*n/1e10+2*3e-9*n); math.Abs(got/want-1) > 1e-6 {
			t.Errorf("%g s, not %g", got, want)
		}
	}
}

// A prefix over segments that end in its kernel takes longer still: as long as decides whether groups are
// kept in the kernel that finds them.
func TestMeasuredClosing(t *testing.T) {
	for _, test := range []struct {
		closing float64
		kernels int
	}{{1e-10, 1}, {9e-9, 2}} {
		machine := plan.Machine{Device: "measured", Units: 4, Subgroup: 32, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5,
			plan.RateScan: 3e-9, plan.RateLookback: 1e-10, plan.RateWaiting: 50e-9, plan.RateClosing: test.closing}}
		f, err := Fuse(graph(t, "x: [n]i64, y: [n]i64", "g = runs(x)\n\tc = count(by: g)\n\treturn c: c[c > 2], s: sum(y, by: g)[c > 2]"), LevelAuto, machine)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Groups) != test.kernels {
			t.Errorf("%d kernels where such a prefix takes %g s a row: %s", len(f.Groups), test.closing, f)
		}
	}
}

// A kernel with two cuts runs on one core, and so does what its rows take beyond bytes.
func TestMeasuredCostOnOneCore(t *testing.T) {
	const n = AssumedRows
	machine := plan.Machine{Device: "measured", Units: 4, Subgroup: 1, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5, plan.RateLookback: 3e-9},
		Curves: map[string]plan.Curve{plan.CurveGather: {{Bytes: 8, Seconds: 1e-9}}}}
	f, err := Fuse(graph(t, "x: [n]i64", "return y: scan(add, scan(add, x) + 1)"), "partial offset add map", machine)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.Cost(), 1e-5+4*(16*n/1e10+2*3e-9*n); math.Abs(got/want-1) > 1e-6 {
		t.Errorf("%g s, not %g", got, want)
	}
}

// Operators take time by their number and kind; on cores those that a prefix is made of take
// it twice, unless one core runs everything.
func TestMeasuredOperators(t *testing.T) {
	const n = AssumedRows
	for _, test := range []struct {
		body     string
		subgroup int
		bytes    float64
		beyond   float64 // nanoseconds
	}{
		{"return y: (x + 1) / (x | 1)", 32, 16 * n, (2*1 + 6 + 2*1) * n}, // the divisor is checked: a comparison, and 1 in its place
		{"return y: scan(add, x * 3)", 32, 16 * n, (10 + 1) * n},
		{"return y: scan(add, x * 3)", 1, 16 * n, (10 + 2*1) * n},
		{"return y: scan(add, x * 3) + (x - 2)", 1, 16 * n, (10 + 2*1 + 2) * n}, // the rest is computed once
		{"return y: x[x * 3 > 0]", 1, 12 * n, (4 + 2*1) * n},                    // so are rows that are only moved
	} {
		machine := plan.Machine{Device: "measured", Units: 4, Subgroup: test.subgroup,
			Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5, plan.RateOperator: 1e-9, plan.RateDear: 6e-9, plan.RateLookback: 10e-9, plan.RateSelect: 4e-9}}
		f, err := Fuse(graph(t, "x: [n]i64", test.body), LevelOnePass, machine)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := f.Cost(), 1e-5+test.bytes/1e10+test.beyond*1e-9; math.Abs(got/want-1) > 1e-6 {
			t.Errorf("%s by subgroups of %d: %g s, not %g", test.body, test.subgroup, got, want)
		}
	}
}

// Cores compute twice what a prefix is made of, unless rows or segments can be moved when the
// prefix is known.
func TestComputedTwice(t *testing.T) {
	for _, test := range []struct {
		body  string
		twice bool
	}{
		{"return y: scan(add, x * 3)", true},
		{"return y: x[x * 3 > 0]", false},
		{"g = runs(x * 3)\nreturn c: count(by: g)", false},
		{"g = runs(x * 3)\nreturn c: count(by: g), y: x + 1", true}, // rows are stored, too
	} {
		var costs [2]float64
		for i, subgroup := range []int{1, 32} {
			machine := plan.Machine{Device: "measured", Units: 4, Subgroup: subgroup,
				Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5, plan.RateOperator: 1e-9}}
			f, err := Fuse(graph(t, "x: [n]i64", test.body), LevelOnePass, machine)
			if err != nil {
				t.Fatal(err)
			}
			costs[i] = f.Cost()
		}
		if costs[0] < costs[1] || (costs[0] > costs[1]) != test.twice {
			t.Errorf("%s: %g s on cores, %g s elsewhere", test.body, costs[0], costs[1])
		}
	}
}

// A column that is also read at one place is not gathered.
func TestReadAtAPlace(t *testing.T) {
	machine := plan.Machine{Device: "measured", Units: 4, Subgroup: 32, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5},
		Curves: map[string]plan.Curve{plan.CurveGather: {{Bytes: 8, Seconds: 1e-6}}}}
	f, err := Fuse(graph(t, "x: [n]i64", "return y: x + 1, last: x[len(x) - 1]"), "map scalar", machine)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.Cost(), 1e-5+16*AssumedRows/1e10; math.Abs(got/want-1) > 1e-3 {
		t.Errorf("%g s, not %g", got, want)
	}
}
