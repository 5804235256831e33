package fuse

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/plan"
)

// Tables of known length lie in local memory as far as they have room there, the smallest first; a count has 4 bytes of it.
func TestMeasuredTables(t *testing.T) {
	machine := plan.Machine{Device: "measured", Units: 4, Subgroup: 32, LocalBytes: 228 << 10, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5},
		Curves: map[string]plan.Curve{plan.CurveLocal: {{Bytes: 1 << 10, Seconds: 4e-9}}, plan.CurveAtomic: {{Bytes: 1 << 10, Seconds: 50e-9}}}}
	for _, test := range []struct {
		results string
		beyond  float64 // ns a row
	}{
		{"c: count(by: bins(i, 12000))", 4},
		{"c: count(by: bins(i, 12000)), s: sum(x, by: bins(i, 12000))", 4 + 4},                                     // of 48,000 and 96,000 bytes
		{"c: count(by: bins(i, 12000)), s: sum(x, by: bins(i, 12000)), t: sum(x, by: bins(i, 12001))", 4 + 4 + 50}, // no room for both
		{"c: count(by: bins(i, 12000)), d: count(by: bins(i, 12001)), e: count(by: bins(i, 12002))", 4 + 4 + 4},    // of 4 bytes
		{"c: count(by: bins(i, 12000)), p: scan(add, x)", 50},                                                      // of tiles
		{"m: product(x, by: bins(i, 4)), p: scan(add, x)", 4 + 20.0/4/4},                                           // which work-items of four units exchange in turn
	} {
		parameters := "i: [n]i64"
		if strings.Contains(test.results, "x") {
			parameters += ", x: [n]i64"
		}
		f, err := Fuse(graph(t, parameters, "return "+test.results), LevelOnePass, machine)
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.Program()
		if err != nil {
			t.Fatal(err)
		}
		got := 0.0
		for _, k := range p.Kernels {
			got += f.beyondBytes(k)
		}
		if want := test.beyond * 1e-9 * AssumedRows; math.Abs(got/want-1) > 1e-3 {
			t.Errorf("%s: %g ns a row, not %g", test.results, got*1e9/AssumedRows, test.beyond)
		}
	}
}

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
			plan.CurveTile:   {{Bytes: 1 << 10, Seconds: 20e-9}},
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
		{"x: [n]i32", "return y: x[x > 0]", 4*n + 2*n, 2000 + 3*n},                                                // stored over each other until one is selected
		{"x: [n]i32, z: [n]i32", "return y: x[x > 0], s: sum(z[x > 0])", 8*n + 2*n, 2000 + 3*n},                   // or added up as nothing
		{"x: [n]i32", "return y: scan(add, x[x > 0])", 4*n + 2*n, 2000 + 3*n + 5*0.5*n + 2*n},                     // a branch
		{"x: [n]f64", "s = x[x > 0.0]\n\treturn y: s / (s + 1.0)", 8*n + 4*n, 2000 + 3*n + 2*n},                   // dear
		{"x: [n]i32, z: [n]i32", "s = x > 0\n\treturn c: count(by: bins(z[s] & 7, 8))", 8*n + 2*8*8, 0.5 * n * 4}, // rows are listed first
		{"i: [n]i32, x: [m]i64", "return y: x[i]", (4 + 8 + 8) * n, (1 + 0.75*8) * n},                             // a table of 2^23 bytes
		{"i: [n]i32, x: [m]i64, z: [m]i64", "return y: x[i], w: z[i]", (4 + 2*(8+8)) * n, 2 * 9 * n},              // two, which share a cache
		{"i: [n]i32", "return c: count(by: bins(i, 100))", 4*n + 2*8*100, 4 * n},
		{"i: [n]i32", "return c: count(by: bins(i, 4096))", 4*n + 2*8*4096, (50 + 0.5*20) * n}, // of 2^15 bytes
		{"i: [n]i64", "return c: count(by: bins(i, 100)), y: scan(add, i)", 16*n + 2*8*100, 2000 + 3*n + 20*n},
		{"i: [n]i64", "return c: count(by: bins(i, 4096)), y: scan(add, i)", 16*n + 2*8*4096, 2000 + 3*n + (50+0.5*20)*n},
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

// Of the scans of a prefix the dearest is the prefix. Where rows are selected beside it, that takes no more than
// to select them by itself.
func TestMeasuredBeside(t *testing.T) {
	const n = AssumedRows
	for _, test := range []struct {
		body               string
		bytes, nanoseconds float64
	}{
		{"return y: scan(add, x), z: scan(max, x)", 24 * n, 5 * n},
		{"return y: scan(add, x), z: x[x > 0]", (16 + 4) * n, 0.5 * n},
		{"return y: scan(add, x[x > 0])", (8 + 4) * n, 0.5 * n},
		{"return y: scan(add, x), z: scan(max, x), w: x[x > 0]", (24 + 4) * n, 5*n + 0.5*n},
	} {
		f, err := Fuse(graph(t, "x: [n]i64", test.body), LevelOnePass, plan.Machine{Device: "measured", Units: 4, Subgroup: 32,
			Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5, plan.RateLookback: 3e-9, plan.RateBeside: 5e-9, plan.RateSelect: 1e-9}})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := f.Cost(), 1e-5+test.bytes/1e10+(3*n+test.nanoseconds)*1e-9; math.Abs(got/want-1) > 1e-6 {
			t.Errorf("%s: %g s, not %g", test.body, got, want)
		}
	}
}

// On cores a scan beside another takes no more than in a loop of its own, unless rows have the branch of a head.
func TestMeasuredBesideOnCores(t *testing.T) {
	const n = AssumedRows
	for _, test := range []struct {
		subgroup         int
		body             string
		lookback, beside float64
		want             float64 // nanoseconds a row that beside adds to what it takes if it is free
	}{
		{1, "return y: scan(add, x), z: scan(max, x), w: scan(min, x)", 3e-9, 5e-9, 2 * 3},
		{1, "return y: scan(add, x), z: scan(max, x), w: scan(min, x)", 6e-9, 5e-9, 2 * 5},
		{32, "return y: scan(add, x), z: scan(max, x), w: scan(min, x)", 3e-9, 5e-9, 2 * 5},
		{1, "return y: sum(x, by: runs(x))", 3e-9, 5e-9, 5},
	} {
		cost := func(beside float64) float64 {
			f, err := Fuse(graph(t, "x: [n]i64", test.body), LevelOnePass, plan.Machine{Device: "measured", Units: 1, Subgroup: test.subgroup,
				Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5, plan.RateLookback: test.lookback, plan.RateBeside: beside}})
			if err != nil {
				t.Fatal(err)
			}
			return f.Cost()
		}
		if got := (cost(test.beside) - cost(0)) / n * 1e9; math.Abs(got-test.want) > 1e-6 {
			t.Errorf("%s, subgroups of %d, %g s beside: %g ns a row, not %g", test.body, test.subgroup, test.beside, got, test.want)
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

// Rows that are stored before a prefix that waits delay it, and rows that are stored with or
// after its results do not.
func TestMeasuredStoring(t *testing.T) {
	const n = AssumedRows
	machine := plan.Machine{Device: "measured", Units: 4, Subgroup: 32, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5, plan.RateLookback: 3e-9, plan.RateWaiting: 2e-9,
		plan.RateStoring: 7e-9}}
	for _, test := range []struct {
		body, level string
		bytes       float64
		beyond      float64 // nanoseconds a row
	}{
		{"return y: scan(max, scan(add, x))", "partial1 offset1 add1 partial2 offset2 add2", 16 * n, 2*3 + 2},
		{"a = scan(add, x)\n\treturn a, y: scan(max, a)", "partial1 offset1 add1 partial2 offset2 add2", 24 * n, 2*3 + 2 + 7},
		{"return y: scan(max, scan(add, x)), z: x + 1", "partial1 offset1 add1 partial2 offset2 add2 map", 24 * n, 2*3 + 2 + 7},
		{"return y: scan(add, x), z: x + 1", "partial offset add map", 24 * n, 3}, // one prefix, which nothing waits for
		{"a = scan(add, x)\n\tb = scan(max, a)\n\treturn a, b, c: scan(min, a + b)", "partial1 offset1 add1 partial2 offset2 add2 map partial3 offset3 add3", 32 * n, 3*3 + 2*(2+7)},
	} {
		f, err := Fuse(graph(t, "x: [n]i64", test.body), test.level, machine)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := f.Cost(), 1e-5+test.bytes/1e10+test.beyond*1e-9*n; math.Abs(got/want-1) > 1e-6 {
			t.Errorf("%s: %g s, not %g", test.body, got, want)
		}
	}
}

// What prefixes share is cleared by one launch for all of a kernel, and each waits; a scan of chunks in a kernel with a prefix
// waits for this as another one would.
func TestMeasuredPrefixes(t *testing.T) {
	const n = AssumedRows
	machine := plan.Machine{Device: "measured", Units: 4, Subgroup: 32, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-3, plan.RateCall: 5e-3, plan.RatePrefix: 4e-3,
		plan.RateLookback: 3e-9, plan.RateWaiting: 2e-9, plan.RateStoring: 7e-9}}
	chunks := float64(8 * n / ChunkRows)
	for _, test := range []struct {
		level string
		want  float64
	}{
		{"partial1 offset1 add1 partial2 offset2 add2", 1e-3 + 1e-3 + 2*3e-3 + 24*n/1e10 + (2*3+2+7)*1e-9*n},
		{"partial1 offset1 add1 | partial2 offset2 add2", 2*(1e-3+4e-3) + 32*n/1e10 + 2*3e-9*n},
		{"partial1 offset1 add1 partial2 offset2 | add2", 2e-3 + 1e-3 + 2*3e-3 + (40*n+3*chunks)/1e10 + (3+2+7)*1e-9*n},
	} {
		f, err := Fuse(graph(t, "x: [n]i64", "a = scan(add, x)\n\treturn a, y: scan(max, a)"), test.level, machine)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Cost(); math.Abs(got/test.want-1) > 1e-4 {
			t.Errorf("%s: %g s, not %g", test.level, got, test.want)
		}
	}
}

// What scans the totals of chunks waits for all work-groups, as a prefix does.
func TestMeasuredTotals(t *testing.T) {
	const n = AssumedRows
	machine := plan.Machine{Device: "measured", Units: 4, Subgroup: 32, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-3, plan.RatePrefix: 2e-4, plan.RateLookback: 3e-9}}
	f, err := Fuse(graph(t, "x: [n]i64", "return y: scan(add, x)"), "partial offset | add", machine)
	if err != nil {
		t.Fatal(err)
	}
	chunks := float64(8 * n / ChunkRows)
	if got, want := f.Cost(), 2*1e-3+2e-4+(16*n+2*chunks+16*n+chunks)/1e10; math.Abs(got/want-1) > 1e-3 {
		t.Errorf("%g s, not %g", got, want)
	}
}

// Where no rate says what it takes to close groups in the prefix that finds them, the width of its state does: HAVING
// is two kernels, unless it spares wide columns.
func TestDeclaredClosing(t *testing.T) {
	machine := plan.Machine{Device: "declared", Units: 4, Subgroup: 32, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-6}}
	sums := "return "
	for i := range 24 {
		sums += fmt.Sprintf("s%d: sum(y + %d, by: g)[c > 2], ", i, i)
	}
	for _, test := range []struct {
		body    string
		kernels int
	}{
		{"return s: sum(y, by: g)[c > 2]", 2},
		{sums + "k: first(x, by: g)[c > 2]", 1},
		{"z = x[y > 0]\n\th = runs(z)\n\treturn z: first(z, by: h), c", 2},
		{"h = runs(c[c > 2])\n\treturn n: count(by: h), s: sum(sum(y, by: g)[c > 2], by: h)", 2},
		{"z = x[y > 0]\n\tw = y[y > 0]\n\th = runs(z)\n\treturn z: first(z, by: h), s: sum(w, by: h), t: sum((y * 3)[y > 0], by: h), u: sum((y * 5)[y > 0], by: h), c", 2},
	} {
		g := graphOf(t, "x: [n]i64, y: [n]i64", "g = runs(x)\n\tc = count(by: g)\n\t"+test.body, Options{KeptAtOnce: true})
		f, err := Fuse(g, LevelAuto, machine)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Groups) != test.kernels {
			t.Errorf("%d kernels: %s", len(f.Groups), f)
		}
	}
}

// Each level of groups of groups takes more than the width of its state says.
func TestClosingLevels(t *testing.T) {
	machine := plan.Machine{Device: "declared", Units: 4, Subgroup: 32, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-6}}
	for levels, body := range map[int]string{
		1: "return c: c[c > 2], s: sum(y, by: g)[c > 2]",
		2: "return n: count(by: runs(c[c > 2])), s: sum(y, by: g)",
		3: "h = runs(c[c > 2])\n\tn = count(by: h)\n\treturn n: count(by: runs(n)), s: sum(y, by: g)",
	} {
		f, err := Fuse(graphOf(t, "x: [n]i64, y: [n]i64", "g = runs(x)\n\tc = count(by: g)\n\t"+body, Options{KeptAtOnce: true}), LevelOnePass, machine)
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.Program()
		if err != nil || len(p.Kernels) != 1 {
			t.Fatalf("%d levels: %s, %v", levels, f, err)
		}
		scan, _ := p.Kernels[0].Closes()
		got := f.closingBytes(p.Kernels[0]) / AssumedRows / float64(scan.Monoid.Words())
		if want := 1.5 * math.Pow(1.6, float64(levels-1)); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%d levels: %g bytes a word, not %g", levels, got, want)
		}
	}
}

// A prefix over segments that end in its kernel takes longer still: as long as decides whether groups are
// kept in the kernel that finds them, in a prefix of its own or in that of the groups.
func TestMeasuredClosing(t *testing.T) {
	for _, test := range []struct {
		atOnce  bool
		closing float64
		kernels int
	}{{false, 1e-10, 1}, {false, 9e-9, 2}, {true, 1e-10, 1}, {true, 9e-9, 2}} {
		machine := plan.Machine{Device: "measured", Units: 4, Subgroup: 32, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5,
			plan.RateScan: 3e-9, plan.RateLookback: 1e-10, plan.RateWaiting: 50e-9, plan.RateClosing: test.closing}}
		g := graphOf(t, "x: [n]i64, y: [n]i64", "g = runs(x)\n\tc = count(by: g)\n\treturn c: c[c > 2], s: sum(y, by: g)[c > 2]", Options{KeptAtOnce: test.atOnce})
		f, err := Fuse(g, LevelAuto, machine)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Groups) != test.kernels {
			t.Errorf("%d kernels where such a prefix takes %g s a row, at once: %t: %s", len(f.Groups), test.closing, test.atOnce, f)
		}
	}
}

// What is measured is a prefix whose state has few words, combined by few operators; others take as much more as they have more of both.
func TestMeasuredClosingStates(t *testing.T) {
	for _, test := range []struct {
		body string
		want float64
	}{
		{"k = c >= 8\n\treturn key: first(x, by: g)[k], count: c[k], total: sum(y, by: g)[k]", 1}, // as calibration does
		{"return n: count(by: runs(c[c > 2])), s: sum(y, by: g)", 13 * 40 / (7. * 12)},            // groups of groups
	} {
		cost := func(closing float64) float64 {
			machine := plan.Machine{Device: "measured", Units: 4, Subgroup: 32, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-6, plan.RateClosing: closing}}
			f, err := Fuse(graphOf(t, "x: [n]i32, y: [n]i32", "g = runs(x)\n\tc = count(by: g)\n\t"+test.body, Options{KeptAtOnce: true}), LevelOnePass, machine)
			if err != nil {
				t.Fatal(err)
			}
			if len(f.Groups) != 1 {
				t.Fatalf("%d kernels: %s", len(f.Groups), f)
			}
			return f.Cost()
		}
		if got := (cost(1e-9) - cost(0)) / AssumedRows / 1e-9; math.Abs(got/test.want-1) > 1e-6 {
			t.Errorf("%s: %g times as long as measured, not %g", test.body, got, test.want)
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
		var costs [3]float64 // on cores, on work-groups, on one core
		for i, subgroup := range []int{1, 32, 1} {
			machine := plan.Machine{Device: "measured", Units: 4 - 3*(i/2), Subgroup: subgroup,
				Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5, plan.RateOperator: 1e-9}}
			f, err := Fuse(graph(t, "x: [n]i64", test.body), LevelOnePass, machine)
			if err != nil {
				t.Fatal(err)
			}
			costs[i] = f.Cost()
		}
		if costs[2] != costs[1] {
			t.Errorf("%s: %g s on one core, %g s by work-groups", test.body, costs[2], costs[1])
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

// On a core each kernel takes a loop over its rows, so that kernels of few bytes are joined; a division by a constant
// is none.
func TestMeasuredLoop(t *testing.T) {
	const n = AssumedRows
	machine := plan.Machine{Device: "measured", Units: 1, Subgroup: 1, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5, plan.RateLoop: 2e-9, plan.RateOperator: 1e-9, plan.RateDear: 9e-9}}
	for _, test := range []struct {
		body, level string
		launches    float64
		bytes       float64
		beyond      float64 // nanoseconds a row
	}{
		{"return y: x + 1", LevelNone, 1, 16 * n, 2 + 1},
		{"a = x + 1\n\treturn a, y: a * 3", LevelNone, 2, 32 * n, 2 * (2 + 1)},
		{"a = x + 1\n\treturn a, y: a * 3", LevelAuto, 1, 24 * n, 2 + 2*1},
		{"return y: x / 10", LevelNone, 1, 16 * n, 2 + 1},
		{"return y: x % 16", LevelNone, 1, 16 * n, 2 + 1},
		{"return y: f64(x) / 10.0", LevelAuto, 1, 16 * n, 2 + 1 + 9}, // which has to be rounded
	} {
		f, err := Fuse(graph(t, "x: [n]i64", test.body), test.level, machine)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := f.Cost(), test.launches*1e-5+test.bytes/1e10+test.beyond*1e-9*n; math.Abs(got/want-1) > 1e-6 {
			t.Errorf("%s at %s: %g s, not %g", test.body, test.level, got, want)
		}
	}
}

// Few rows do not move all of a column that they reach into.
func TestMeasuredReach(t *testing.T) {
	const n = AssumedRows
	machine := plan.Machine{Device: "measured", Units: 1, Subgroup: 1, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5, plan.RateLoop: 0}}
	for _, test := range []struct {
		body  string
		bytes float64
	}{
		{"return y: x[5]", reachedLine},
		{"return y: x[x]", 2 * 8 * n}, // many rows reach into all of it
		{"b = bins(x, 4)\n\treturn y: first(x, by: b, else: 0)", 64 + 32 + 4*reachedLine},
	} {
		f, err := Fuse(graph(t, "x: [n]i64", test.body), LevelNone, machine)
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.Program()
		if err != nil {
			t.Fatal(err)
		}
		last := p.Kernels[len(p.Kernels)-1]
		if got, want := f.cost(last), 1e-5+test.bytes/1e10; math.Abs(got/want-1) > 1e-3 {
			t.Errorf("%s: %g s, not %g", test.body, got, want)
		}
	}
}

// A kernel that searches and computes hashes, or searches twice, takes longer than both by themselves if the table is beyond the
// cache, so that level auto keeps these apart, those of its slots and others.
func TestMeasuredSearch(t *testing.T) {
	const near, far = 1e-9, 30e-9
	for _, hashed := range []float64{near, far} {
		machine := plan.Machine{Device: "measured", Units: 1, Subgroup: 1, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5, plan.RateLoop: 1e-9},
			Curves: map[string]plan.Curve{plan.CurveSearch: {{Bytes: 1, Seconds: near}}, plan.CurveHashed: {{Bytes: 1, Seconds: hashed}}}}
		f, err := Fuse(graphOf(t, "a: [n]i64, b: [n]i64, c: [m]i64, d: [m]i64", "return row: find((a, b), in: (c, d)), other: find((b, a), in: (c, d))", Options{Hash: DefaultHash}), LevelAuto, machine)
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.Program()
		if err != nil {
			t.Fatal(err)
		}
		searches := 0
		for _, k := range p.Kernels {
			before := searches
			for i := range k.Ops {
				op := &k.Ops[i]
				if op.Kind != tile.Probe && op.Kind != tile.Insert {
					continue
				}
				searches++
				if hashed == far && searches > before+1 {
					t.Errorf("two tables are searched in one kernel: %s", f)
				}
				operators, _ := beside(k)
				if isApart := operators < hashOperators/2; isApart != (hashed == far) {
					t.Errorf("hashes cost %g s more where a kernel searches, and %d operators of them are there: %s", hashed, operators, f)
				}
				if got := f.Graph.tableBytes(k, op); got != 8*assumedSlots*AssumedRows {
					t.Errorf("a table has %g bytes", got)
				}
			}
		}
		if searches < 3 {
			t.Errorf("%d searches", searches)
		}
	}
}

// nanosecondsOfFirst returns what a row takes beyond its bytes in the first kernel, where one holds all stages.
func nanosecondsOfFirst(t *testing.T, machine plan.Machine, parameters, results string) float64 {
	t.Helper()
	g := graph(t, parameters, "return "+results)
	f, err := Fuse(g, strings.Join(names(g.Stages), " "), machine)
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Program()
	if err != nil {
		t.Fatal(err)
	}
	return f.beyondBytes(p.Kernels[0]) * 1e9 / AssumedRows
}

// On cores a filter whose rows are scanned has a branch unless they can be listed first.
func TestMeasuredListing(t *testing.T) {
	machine := plan.Machine{Device: "measured", Units: 1, Subgroup: 1, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5, plan.RateSelect: 1e-9, plan.RateBranch: 50e-9}}
	machine.Curves = map[string]plan.Curve{plan.CurveLocal: {{Bytes: 1 << 10}}}
	for result, want := range map[string]struct{ loops, workgroups float64 }{
		"scan(add, x[x > 0])":                             {1, 1},
		"scan(add, prev(x, 1, 0)[x > 0])":                 {50, 50},
		"count(by: runs(x[x > 0]))":                       {1 + 50*assumedSelected*headsWrong, 1},
		"count(by: runs(max(x, by: runs(x))))":            {50 * assumedGroups * headsWrong, 0},
		"product(x, by: bins(x % 4, 4)), z: scan(add, x)": {0, 0}, // workers exchange nothing
	} {
		for most, want := range map[int]float64{1: want.loops, 4096: want.workgroups} {
			machine.MaxWorkgroup = most
			if got := nanosecondsOfFirst(t, machine, "x: [n]i64", "y: "+result); math.Abs(got-want) > 0.01 {
				t.Errorf("%s, work-groups of up to %d: %g ns a row, not %g", result, most, got, want)
			}
		}
	}
}

// Quotients of floats take their own time where that is measured, and others that of what is dear.
func TestMeasuredQuotients(t *testing.T) {
	machine := plan.Machine{Device: "measured", Units: 1, Subgroup: 1, MaxWorkgroup: 4096, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5,
		plan.RateOperator: 1e-9, plan.RateDear: 100e-9, plan.RateQuotient: 20e-9}}
	for _, test := range []struct {
		column, result string
		want           float64
	}{
		{"i64", "x / (x | 1)", 100 + 3}, // with a check for zero
		{"i64", "x / 8", 1},
		{"f64", "x / x", 20},
		{"f32", "sqrt(x) + x", 20 + 1},
		{"f64", "x / 3.0", 20},
		{"date", "day(x)", 100},
	} {
		if got := nanosecondsOfFirst(t, machine, "x: [n]"+test.column, "y: "+test.result); math.Abs(got-test.want) > 0.01 {
			t.Errorf("%s of %s: %g ns a row, not %g", test.result, test.column, got, test.want)
		}
	}
}

// Where work-groups run in turn, what is computed for another row is computed once more.
func TestMeasuredShifts(t *testing.T) {
	machine := plan.Machine{Device: "measured", Units: 1, Subgroup: 1, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5, plan.RateOperator: 1e-9}}
	chain := "x"
	for range 6 {
		chain = "(" + chain + " * 3 + " + chain + ")"
	}
	for result, want := range map[string]struct{ loops, workgroups float64 }{
		"prev(x, 1, 0)":             {0, 0},
		"prev(x * 3, 1, 0)":         {1, 2},
		"prev(x * 3, 1, 0) + x * 3": {2, 3},
		"prev(" + chain + ", 1, 0)": {12, 24},
	} {
		for most, want := range map[int]float64{1: want.loops, 4096: want.workgroups} {
			machine.MaxWorkgroup = most
			if got := nanosecondsOfFirst(t, machine, "x: [n]i64", "y: "+result); math.Abs(got-want) > 0.01 {
				t.Errorf("%s, work-groups of up to %d: %g ns a row, not %g", result, most, got, want)
			}
		}
	}
}

// Where work-groups run in turn, a key that may be a slot takes what reaching into a table takes, and two keys a search, with what is
// computed beside it.
func TestMeasuredDirect(t *testing.T) {
	machine := plan.Machine{Device: "measured", Units: 1, Subgroup: 1, MaxWorkgroup: 4096, Rates: map[string]float64{plan.RateMemory: 1e10, plan.RateLaunch: 1e-5},
		Curves: map[string]plan.Curve{plan.CurveGather: {{Bytes: 1, Seconds: 1e-9}}, plan.CurveAtomic: {{Bytes: 1, Seconds: 2e-9}},
			plan.CurveSearch: {{Bytes: 1, Seconds: 10e-9}}, plan.CurveHashed: {{Bytes: 1, Seconds: 5e-9}}}}
	for _, test := range []struct {
		parameters, result string
		entered, found     float64
	}{
		{"a: [n]i64, c: [m]i64", "find(a, in: c)", 2, 1},
		{"a: [n]i64, b: [n]i64, c: [m]i64, d: [m]i64", "find((a, b), in: (c, d))", 10, 10},
	} {
		f, err := Fuse(graphOf(t, test.parameters, "return row: "+test.result, Options{Hash: DefaultHash}), LevelNone, machine)
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.Program()
		if err != nil {
			t.Fatal(err)
		}
		searches := 0
		for _, k := range p.Kernels {
			for i := range k.Ops {
				op := &k.Ops[i]
				if !isSearched(op) {
					continue
				}
				searches++
				want := test.found
				if op.Kind == tile.Insert {
					want = test.entered
				}
				if got := 1e9 * f.rowSeconds(k, op, f.Graph.rowsOfKernel(k)); math.Abs(got-want) > 0.01 {
					t.Errorf("%s: %s takes %g ns a row, not %g", test.result, op.Kind, got, want)
				}
			}
		}
		if searches != 2 {
			t.Errorf("%s: %d kernels search", test.result, searches)
		}
	}
}
