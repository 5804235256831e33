package interp

import (
	"math"
	"testing"
)

var (
	nan          = math.NaN()
	inf          = math.Inf(1)
	negativeZero = math.Copysign(0, -1)
)

func TestElementwise(t *testing.T) {
	runExamples(t, []example{
		{"wraps", `(x: [n]i8) { return a: x + 100, b: x * x, c: -x, d: ^x }`,
			[]any{[]int8{100, -128, 3}},
			[]any{[]int8{-56, -28, 103}, []int8{16, 0, 9}, []int8{-100, -128, -3}, []int8{-101, 127, -4}}},
		{"scalar operands combine with any column", `(x: [n]i32, s: i32) { return a: s - x, b: s + 1 }`,
			[]any{[]int32{1, 2}, []int32{10}}, []any{[]int32{9, 8}, []int32{11}}},
		{"shift counts of another type", `(x: [n]u8, c: [n]i64) { return a: x << c, b: x >> c }`,
			[]any{[]uint8{129, 129, 129}, []int64{1, 8, -1}},
			[]any{[]uint8{2, 129, 128}, []uint8{64, 129, 1}}},
		{"comparisons of floats", `(x: [n]f64) { return a: x == x, b: x < 1, c: x >= 0 }`,
			[]any{[]float64{nan, negativeZero, inf}},
			[]any{[]bool{false, true, true}, []bool{false, true, false}, []bool{false, true, true}}},
		{"least and greatest", `(x: [n]f32, y: [n]f32) { return a: least(x, y), b: greatest(x, y) }`,
			[]any{[]float32{0, float32(nan), 1}, []float32{float32(negativeZero), 5, 2}},
			[]any{[]float32{float32(negativeZero), float32(nan), 1}, []float32{0, float32(nan), 2}}},
		{"select", `(c: [n]bool, a: [n]i64) { return x: select(c, a, -1), y: select(!c && a > 1, 1, 0) }`,
			[]any{[]bool{true, false, false}, []int64{1, 2, 0}},
			[]any{[]int64{1, -1, -1}, []int64{0, 1, 0}}},
		{"logic", `(a: [n]bool, b: [n]bool) { return x: a && b, y: a || b, z: !a, w: a != b }`,
			[]any{[]bool{false, false, true, true}, []bool{false, true, false, true}},
			[]any{[]bool{false, false, false, true}, []bool{false, true, true, true}, []bool{true, true, false, false}, []bool{false, true, true, false}}},
		{"casts", `(x: [n]f64) { return a: i8(x), b: u64(x), c: f32(x), d: i64(x > 0) }`,
			[]any{[]float64{-1.5, 300, nan}},
			[]any{[]int8{-1, 127, 0}, []uint64{0, 300, 0}, []float32{-1.5, 300, float32(nan)}, []int64{0, 1, 0}}},
		{"dates", `(d: [n]date, e: [n]date) { return y: year(d), m: month(d), dd: day(d), next: d + 1, between: d - e, old: d < date("1970-01-01") }`,
			[]any{[]int32{-1, 11016}, []int32{1, 11000}},
			[]any{[]int32{1969, 2000}, []int32{12, 2}, []int32{31, 29}, []int32{0, 11017}, []int32{-2, 16}, []bool{true, false}}},
		{"char8", `(s: [n]char8) { return a: s == "AB", b: s < "B" }`,
			[]any{chars("AB", "A", "\xff")}, []any{[]bool{true, false, false}, []bool{true, true, false}}},
		{"no contraction", `(x: [n]f64, y: [n]f64) { return r: x * x - y }`,
			[]any{[]float64{1 + 0x1p-30}, []float64{1 + 0x1p-29}}, []any{[]float64{0}}},
		{"no rows", `(x: [n]i32) { return a: x / 1 + 2, b: x > 3 }`,
			[]any{[]int32{}}, []any{[]int32{}, []bool{}}},
	})
}

func TestRowOperators(t *testing.T) {
	runExamples(t, []example{
		{"compact", `(x: [n]i32, s: [n]char8) { m = x > 1
			return x[m], s[m], k: (x * 2)[m] + x[m] }`,
			[]any{[]int32{3, 1, 2}, chars("c", "a", "b")}, []any{[]int32{3, 2}, chars("c", "b"), []int32{9, 6}}},
		{"compact nothing", `(x: [n]i32) { return y: x[x > 9] }`, []any{[]int32{1}}, []any{[]int32{}}},
		{"gather", `(x: [m]i32, i: [k]u8, s: i64) { return y: x[i], z: x[s] }`,
			[]any{[]int32{5, 6, 7}, []uint8{2, 0, 2, 1}, []int64{1}}, []any{[]int32{7, 5, 7, 6}, []int32{6}}},
		{"gather by an index column", `(x: [n]i32) { i = index(x)[x > 1]
			return i, y: x[i] }`,
			[]any{[]int32{0, 2, 1, 3}}, []any{[]int64{1, 3}, []int32{2, 3}}},
		{"index and len", `(x: [n]bool) { return i: index(x), n: len(x), k: len(x[x]) }`,
			[]any{[]bool{true, false, true}}, []any{[]int64{0, 1, 2}, []int64{3}, []int64{2}}},
		{"prev and next", `(x: [n]i32, f: i32) { return a: prev(x, 1, 0), b: next(x, 2, f), c: prev(x, 0, 9), d: prev(x, 5, 9), e: next(x, 3, 9) }`,
			[]any{[]int32{1, 2, 3}, []int32{-1}},
			[]any{[]int32{0, 1, 2}, []int32{3, -1, -1}, []int32{1, 2, 3}, []int32{9, 9, 9}, []int32{9, 9, 9}}},
		{"prev and next by more than an int32", `(x: [n]i32) { return a: prev(x, 9223372036854775807, 7), b: next(x, 9223372036854775807, 8) }`,
			[]any{[]int32{1, 2}}, []any{[]int32{7, 7}, []int32{8, 8}}},
		{"align", `(x: [n]i32, y: [m]i32, s: i32) { return a: align(x, to: y) + y, b: align(s, to: y) }`,
			[]any{[]int32{1, 2}, []int32{10, 20}, []int32{7}}, []any{[]int32{11, 22}, []int32{7, 7}}},
		{"no rows", `(x: [n]i32) { return a: prev(x, 1, 0), b: index(x), c: x[index(x)], n: len(x) }`,
			[]any{[]int32{}}, []any{[]int32{}, []int64{}, []int32{}, []int64{0}}},
	})
}

func TestDefaults(t *testing.T) {
	p := load(t, `(x: [n]i32, from: date = date("1970-01-11"), k: i32 = 3) { return a: x + k, d: from }`)
	equalResults(t, p, run(t, p, []int32{1}, nil, nil), []any{[]int32{4}, []int32{10}})
	equalResults(t, p, run(t, p, []int32{1}, []int32{-5}, []int32{1}), []any{[]int32{2}, []int32{-5}})
}

func TestScans(t *testing.T) {
	runExamples(t, []example{
		{"add", `(x: [n]i8) { return a: scan(add, x), b: exscan(add, x) }`,
			[]any{[]int8{100, 27, 1, 5}}, []any{[]int8{100, 127, -128, -123}, []int8{0, 100, 127, -128}}},
		{"mul", `(x: [n]u8) { return a: scan(mul, x), b: exscan(mul, x) }`,
			[]any{[]uint8{3, 100, 2}}, []any{[]uint8{3, 44, 88}, []uint8{1, 3, 44}}},
		{"min and max", `(x: [n]i16) { return a: scan(min, x), b: exscan(min, x), c: scan(max, x), d: exscan(max, x) }`,
			[]any{[]int16{3, -5, 4}},
			[]any{[]int16{3, -5, -5}, []int16{32767, 3, -5}, []int16{3, 3, 4}, []int16{-32768, 3, 3}}},
		{"min and max of floats", `(x: [n]f64) { return a: scan(min, x), b: exscan(min, x), c: scan(max, x), d: exscan(max, x) }`,
			[]any{[]float64{0, negativeZero, nan, 1}},
			[]any{[]float64{0, negativeZero, nan, nan}, []float64{inf, 0, negativeZero, nan},
				[]float64{0, 0, nan, nan}, []float64{-inf, 0, 0, nan}}},
		{"and or xor", `(x: [n]u8) { return a: scan(and, x), b: exscan(and, x), c: scan(or, x), d: exscan(or, x), e: scan(xor, x), f: exscan(xor, x) }`,
			[]any{[]uint8{7, 13, 2}},
			[]any{[]uint8{7, 5, 0}, []uint8{255, 7, 5}, []uint8{7, 15, 15}, []uint8{0, 7, 15}, []uint8{7, 10, 8}, []uint8{0, 7, 10}}},
		{"and of signed integers and bools", `(x: [n]i32, m: [n]bool) { return a: exscan(and, x), b: exscan(and, m), c: scan(or, m) }`,
			[]any{[]int32{6, 3}, []bool{false, true}}, []any{[]int32{-1, 6}, []bool{true, false}, []bool{false, true}}},
		{"of dates and char8", `(d: [n]date, s: [n]char8) { return a: scan(max, d), b: exscan(min, d), c: scan(min, s), e: exscan(max, s) }`,
			[]any{[]int32{5, 9, 7}, chars("b", "a", "c")},
			[]any{[]int32{5, 9, 9}, []int32{math.MaxInt32, 5, 5}, chars("b", "a", "a"), chars("", "b", "b")}},
		{"by groups", `(k: [n]i32, x: [n]i32) { g = runs(k)
			return a: scan(add, x, by: g), b: exscan(add, x, by: g), c: exscan(add, 1, by: g) }`,
			[]any{[]int32{1, 1, 2, 2, 2, 1}, []int32{1, 2, 3, 4, 5, 6}},
			[]any{[]int32{1, 3, 3, 7, 12, 6}, []int32{0, 1, 0, 3, 7, 0}, []int64{0, 1, 0, 1, 2, 0}}},
		{"of floats, exact and rounded once", `(x: [n]f64) { return a: scan(add, x), b: exscan(add, x), c: scan(mul, x) }`,
			[]any{[]float64{1e100, 1, -1e100, 0.5}},
			[]any{[]float64{1e100, 1e100, 1, 1.5}, []float64{0, 1e100, 1e100, 1}, []float64{1e100, 1e100, -1e200, -5e199}}},
		{"of f32 stay f32", `(x: [n]f32) { return a: scan(add, x), b: scan(mul, x) }`,
			[]any{[]float32{1 << 24, 1, 1, 0.1}}, []any{[]float32{1 << 24, 1 << 24, 1<<24 + 2, 1<<24 + 2}, []float32{1 << 24, 1 << 24, 1 << 24, 0.1 * (1 << 24)}}},
		{"of no rows", `(x: [n]f64) { return a: scan(add, x), b: exscan(mul, x) }`,
			[]any{[]float64{}}, []any{[]float64{}, []float64{}}},
	})
}
