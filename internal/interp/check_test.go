package interp

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

func TestFailedChecks(t *testing.T) {
	for _, test := range []struct {
		name, source string
		in           []any
		kind         ir.CheckKind
		row          int64
		domain       string // "" for a scalar
	}{
		{"division", `(a: [n]i32, b: [n]i32) { return q: a / b }`,
			[]any{[]int32{1, 2, 3}, []int32{1, 0, 0}}, ir.CheckDivideByZero, 1, "n"},
		{"remainder", `(a: [n]u8, b: u8) { return q: a % b }`,
			[]any{[]uint8{1, 2}, []uint8{0}}, ir.CheckDivideByZero, 0, "n"},
		{"division of scalars", `(a: i64, b: i64) { return q: a / b }`,
			[]any{[]int64{1}, []int64{0}}, ir.CheckDivideByZero, 0, ""},
		{"division of filtered rows counts those", `(a: [n]i32, b: [n]i32) { k = a > 1
			return q: a[k] / b[k] }`,
			[]any{[]int32{1, 2, 3}, []int32{0, 1, 0}}, ir.CheckDivideByZero, 1, "k"},
		{"select and && do not guard", `(a: [n]i32) { return q: select(a != 0 && 10 / a > 1, a, 0) }`,
			[]any{[]int32{5, 0}}, ir.CheckDivideByZero, 1, "n"},
		{"index too large", `(x: [m]f64, i: [n]i32) { return y: x[i] }`,
			[]any{[]float64{1, 2}, []int32{0, 1, 2}}, ir.CheckIndexRange, 2, "n"},
		{"index negative", `(x: [m]f64, i: [n]i8) { return y: x[i] }`,
			[]any{[]float64{1, 2}, []int8{-1, 1}}, ir.CheckIndexRange, 0, "n"},
		{"index too large for an int", `(x: [m]f64, i: [n]u64) { return y: x[i] }`,
			[]any{[]float64{1, 2}, []uint64{1, math.MaxUint64}}, ir.CheckIndexRange, 1, "n"},
		{"index into nothing", `(x: [m]f64, i: [n]i32) { return y: x[i] }`,
			[]any{[]float64{}, []int32{-1}}, ir.CheckIndexRange, 0, "n"},
		{"scalar index", `(x: [m]f64, i: i32) { return y: x[i] }`,
			[]any{[]float64{}, []int32{0}}, ir.CheckIndexRange, 0, ""},
		{"bin", `(i: [n]i32, x: [n]i32) { b = bins(i, 2)
			return s: sum(x, by: b), w: b }`,
			[]any{[]int32{0, 1, 2, -1}, []int32{1, 1, 1, 1}}, ir.CheckBinRange, 2, "n"},
		{"bin of a column", `(i: [n]i32, d: [m]i32) { return c: d + i32(count(by: bins(i, d))) }`,
			[]any{[]int32{0}, []int32{}}, ir.CheckBinRange, 0, "n"},
		{"size of bins", `(i: [n]i32, size: i32) { return c: count(by: bins(i, size)) }`,
			[]any{[]int32{}, []int32{-3}}, ir.CheckBinSize, 0, ""},
		{"size before range of bins", `(i: [n]i32, size: i32) { return c: count(by: bins(i, size)) }`,
			[]any{[]int32{0, 0}, []int32{-3}}, ir.CheckBinSize, 0, ""},
		{"repeat", `(t: [m]i32) { return e: repeat(t) }`,
			[]any{[]int32{2, -1, -2}}, ir.CheckRepeatLength, 1, "m"},
		{"limit", `(k: [n]i32, c: i32) { return p: order(k, limit: c) }`,
			[]any{[]int32{1}, []int32{-1}}, ir.CheckLimit, 0, ""},
		{"align, too short", `(x: [n]i32, y: [m]i32) { return z: align(x, to: y) + y }`,
			[]any{[]int32{1}, []int32{1, 2}}, ir.CheckAlignLength, 0, ""},
		{"align, too long", `(x: [n]i32, y: [m]i32) { return z: align(x, to: y) + y }`,
			[]any{[]int32{1, 2, 3}, []int32{1, 2}}, ir.CheckAlignLength, 0, ""},
		{"min of nothing", `(x: [n]f64) { return y: min(x) }`, []any{[]float64{}}, ir.CheckEmpty, 0, ""},
		{"max of nothing", `(x: [n]f64) { return y: max(x[x > 5]) }`, []any{[]float64{3}}, ir.CheckEmpty, 0, ""},
		{"avg of nothing", `(x: [n]i64) { return y: avg(x) }`, []any{[]int64{}}, ir.CheckEmpty, 0, ""},
		{"first of nothing", `(x: [n]char8) { return y: first(x) }`, []any{[][8]byte{}}, ir.CheckEmpty, 0, ""},
		{"last of nothing", `(x: [n]bool) { return y: last(x) }`, []any{[]bool{}}, ir.CheckEmpty, 0, ""},
		{"argmin of nothing", `(x: [n]i64) { return y: argmin(x) }`, []any{[]int64{}}, ir.CheckEmpty, 0, ""},
		{"an empty bin", `(x: [n]i32) { b = bins(x, 4)
			return y: argmax(x, by: b) }`, []any{[]int32{0, 1, 3}}, ir.CheckEmpty, 2, "b"},
		{"lowest number, not lowest row", `(a: [n]i32, b: [n]i32, c: [n]i32) { return x: a / b, y: a / c }`,
			[]any{[]int32{1, 1, 1}, []int32{1, 1, 0}, []int32{0, 0, 0}}, ir.CheckDivideByZero, 2, "n"},
		{"operands first", `(a: [n]i32, b: [n]i32, x: [m]i32) { return y: x[a / b] }`,
			[]any{[]int32{9, 1}, []int32{1, 0}, []int32{5}}, ir.CheckDivideByZero, 1, "n"},
		{"rows that failed go on", `(a: [n]i32, b: [n]i32, x: [m]i32) {
			q = a / b
			i = x[q]
			c = count(by: bins(i, 3))
			r = repeat(i - 1)
			empty = sum(a, by: index(x)[q])
			return y: max(i), z: min(c), w: last(a[r]), v: align(c, to: a), empty }`,
			[]any{[]int32{1, 7}, []int32{0, 0}, []int32{}}, ir.CheckDivideByZero, 0, "n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := load(t, test.source)
			got := failure(t, p, test.in...)
			domain := ""
			if got.Site.Domain != nil {
				domain = got.Site.Domain.Name
			}
			if got.Site.Kind != test.kind || got.Row != test.row || domain != test.domain {
				t.Errorf("check %d, row %d of %q, want check %d, row %d of %q (%v)", got.Site.Kind, got.Row, domain, test.kind, test.row, test.domain, got)
			}
			if got.Site != &p.Sites[got.Site.Number] {
				t.Error("the site is not one of the pipeline's")
			}
		})
	}
}

func TestCheckErrorMessage(t *testing.T) {
	p := load(t, "(a: [n]i32, b: [n]i32) {\n\treturn q: a / b\n}")
	message := failure(t, p, []int32{1, 2}, []int32{1, 0}).Error()
	if !strings.HasPrefix(message, "test.kg:2:14: ") || !strings.HasSuffix(message, " (row 1 of n)") {
		t.Errorf("message is %q", message)
	}
}

func TestArgumentErrors(t *testing.T) {
	source := `(x: [n]i32, y: [n]f64, s: i64, d: date = date("1970-01-02")) { return z: x + i32(s), w: y, d }`
	i32s := func(s ...int32) ir.Column { return ir.Column{Kind: ir.I32, Slice: s} }
	f64s := func(s ...float64) ir.Column { return ir.Column{Kind: ir.F64, Slice: s} }
	i64s := func(s ...int64) ir.Column { return ir.Column{Kind: ir.I64, Slice: s} }
	none := ir.Column{}
	for _, test := range []struct {
		name string
		in   []ir.Column
		want string
	}{
		{"too few", []ir.Column{i32s(1)}, "takes 4 parameters, not 1"},
		{"missing column", []ir.Column{none, f64s(1), i64s(1), none}, "column x has no data"},
		{"missing scalar", []ir.Column{i32s(1), f64s(1), none, none}, "scalar s has no data"},
		{"lengths", []ir.Column{i32s(1, 2), f64s(1), i64s(1), none}, "column y has 1 rows and column x, of the same domain n, has 2"},
		{"wrong kind", []ir.Column{f64s(1), f64s(1), i64s(1), none}, "column x is i32"},
		{"wrong slice", []ir.Column{{Kind: ir.I32, Slice: []int64{1}}, f64s(1), i64s(1), none}, "column x is i32"},
		{"no slice at all", []ir.Column{{Kind: ir.I32, Slice: 7}, f64s(1), i64s(1), none}, "column x is i32"},
		{"days for a date", []ir.Column{i32s(1), f64s(1), i64s(1), i32s(1)}, "scalar d is date"},
		{"scalar of two rows", []ir.Column{i32s(1), f64s(1), i64s(1, 2), none}, "scalar s takes 1 row, not 2"},
		{"scalar of no rows", []ir.Column{i32s(1), f64s(1), i64s(), none}, "scalar s takes 1 row, not 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Run(load(t, source), test.in)
			var argument *ArgumentError
			if !errors.As(err, &argument) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want %q", err, test.want)
			}
		})
	}
}

func TestRowLimit(t *testing.T) {
	for _, test := range []struct {
		source string
		in     []any
		ok     bool
	}{
		{`(t: [m]i32) { return e: repeat(t) }`, []any{[]int32{5, 5}}, true},
		{`(t: [m]i32) { return e: repeat(t) }`, []any{[]int32{5, 6}}, false},
		{`(t: [m]u64) { return e: repeat(t) }`, []any{[]uint64{math.MaxUint64, 2}}, false},
		{`(t: [m]i64) { return e: repeat(t) }`, []any{[]int64{math.MaxInt64, math.MaxInt64}}, false},
		{`(i: [n]i32, s: u64) { return c: count(by: bins(i, s)) }`, []any{[]int32{0}, []uint64{10}}, true},
		{`(i: [n]i32, s: u64) { return c: count(by: bins(i, s)) }`, []any{[]int32{0}, []uint64{math.MaxUint64}}, false},
		{`(a: [n]i32, b: [m]i32) { return l: join(a, b).left }`, []any{[]int32{1, 1, 1, 1, 1}, []int32{1, 1}}, true},
		{`(a: [n]i32, b: [m]i32) { return l: join(a, b).left }`, []any{[]int32{1, 1, 1, 1}, []int32{1, 1, 1}}, false},
	} {
		p := load(t, test.source)
		_, err := Run(p, columns(p, test.in), RowLimit(10))
		var argument *ArgumentError
		if test.ok != (err == nil) || !test.ok && (!errors.As(err, &argument) || !argument.TooManyRows || !strings.HasPrefix(err.Error(), "test.kg:1:")) {
			t.Errorf("%s: error is %v", test.source, err)
		}
	}
}

// If a check fails and its row then asks for too many rows, the error is the
// failed check.
func TestFailedCheckBeforeRowLimit(t *testing.T) {
	p := load(t, `(a: [n]i32, b: [n]i32) { return e: repeat(select(a / b == 0, 100, 1)) }`)
	_, err := Run(p, columns(p, []any{[]int32{5}, []int32{0}}), RowLimit(10))
	var check *ir.CheckError
	if !errors.As(err, &check) || check.Site.Kind != ir.CheckDivideByZero {
		t.Errorf("error is %v", err)
	}
}

// A check that the verifier wrongly proved away must not pass in silence.
func TestUnprovenCheck(t *testing.T) {
	p := load(t, `(a: [n]i32, b: [n]i32) { return q: a / b }`)
	wrong := *p
	wrong.Sites = nil
	_, err := Run(&wrong, columns(p, []any{[]int32{1}, []int32{0}}))
	if err == nil || !strings.Contains(err.Error(), "verifier") {
		t.Errorf("error is %v", err)
	}
}

func TestShuffleUnordered(t *testing.T) {
	const rows = 100
	keys, values := make([]int32, rows), make([]int64, rows)
	for i := range keys {
		keys[i], values[i] = int32(i), int64(10*i)
	}
	body := `k: first(k, by: g), s: sum(x, by: g), n: count(k > 5) }`
	for _, unordered := range []bool{false, true} {
		word := "return "
		if unordered {
			word = "return unordered "
		}
		p := load(t, `(k: [n]i32, x: [n]i64) { g = groups(k)
			`+word+body)
		out, err := Run(p, columns(p, []any{keys, values}), ShuffleUnordered(1))
		if err != nil {
			t.Fatal(err)
		}
		gotKeys, gotSums := out[0].Slice.([]int32), out[1].Slice.([]int64)
		moved, seen := 0, map[int32]bool{}
		for i, k := range gotKeys {
			if gotSums[i] != 10*int64(k) {
				t.Fatalf("columns were permuted apart: key %d has sum %d", k, gotSums[i])
			}
			if int(k) != i {
				moved++
			}
			seen[k] = true
		}
		if len(seen) != rows || unordered != (moved > rows/2) {
			t.Errorf("unordered %v: %d of %d rows moved, %d distinct", unordered, moved, rows, len(seen))
		}
		if text(out[2].Slice) != text([]int64{94}) {
			t.Errorf("the scalar became %v", out[2].Slice)
		}
		again, err := Run(p, columns(p, []any{keys, values}), ShuffleUnordered(1))
		if err != nil || text(again[0].Slice) != text(gotKeys) {
			t.Error("a seed does not give the same permutation again")
		}
	}
}
