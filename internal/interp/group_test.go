package interp

import (
	"testing"
)

func TestGroupings(t *testing.T) {
	n := float32(nan)
	zero := float32(negativeZero)
	runExamples(t, []example{
		{"runs", `(k: [n]i32, l: [n]bool) { return a: runs(k), b: runs(k, l) }`,
			[]any{[]int32{5, 5, 3, 3, 5}, []bool{true, false, false, false, false}},
			[]any{[]int64{0, 0, 1, 1, 2}, []int64{0, 1, 2, 2, 3}}},
		{"runs of floats", `(k: [n]f32) { g = runs(k)
			return g, c: count(by: g) }`,
			[]any{[]float32{0, zero, n, n, 1}}, []any{[]int64{0, 0, 1, 1, 2}, []int64{2, 2, 1}}},
		{"starts", `(m: [n]bool) { g = starts(m)
			return g, c: count(by: g) }`,
			[]any{[]bool{false, false, true, true, false}}, []any{[]int64{0, 0, 1, 2, 2}, []int64{2, 1, 2}}},
		{"groups ascend by key", `(k: [n]i32) { g = groups(k)
			return g, k: first(k, by: g), c: count(by: g) }`,
			[]any{[]int32{7, -1, 7, 3, -1, 7}}, []any{[]int64{2, 0, 2, 1, 0, 2}, []int32{-1, 3, 7}, []int64{2, 1, 3}}},
		{"groups of two keys", `(a: [n]u64, b: [n]char8) { g = groups(a, b)
			return g, a: first(a, by: g), b: first(b, by: g) }`,
			[]any{[]uint64{1 << 63, 2, 1 << 63, 2}, chars("a", "z", "\xff", "z")},
			[]any{[]int64{1, 0, 2, 0}, []uint64{2, 1 << 63, 1 << 63}, chars("z", "a", "\xff")}},
		{"groups of floats", `(k: [n]f64) { g = groups(k)
			return g, k: last(k, by: g) }`,
			[]any{[]float64{nan, inf, 0, negativeZero, -1, nan}},
			[]any{[]int64{3, 2, 1, 1, 0, 3}, []float64{-1, negativeZero, inf, nan}}},
		{"bins of a size", `(i: [n]u8, x: [n]i32) { b = bins(i, 4)
			return b, c: count(by: b), s: sum(x, by: b), m: min(x, by: b, else: -1), f: first(x, by: b, else: 0), l: last(x, by: b, else: 0) }`,
			[]any{[]uint8{3, 1, 3, 0}, []int32{10, 20, 5, 30}},
			[]any{[]int64{3, 1, 3, 0}, []int64{1, 1, 0, 2}, []int64{30, 20, 0, 15}, []int32{30, 20, -1, 5}, []int32{30, 20, 0, 10}, []int32{30, 20, 0, 5}}},
		{"bins of a column", `(i: [n]i32, d: [m]f64) { b = bins(i, d)
			return b, c: d + f64(count(by: b)) }`,
			[]any{[]int32{1, 1, 0}, []float64{0.5, 0.5, 0.5}}, []any{[]int64{1, 1, 0}, []float64{1.5, 2.5, 0.5}}},
		{"repeat", `(t: [m]u8, v: [m]i32) { e = repeat(t)
			return e, v: v[e], k: exscan(add, 1, by: e), c: count(by: e), s: sum(2, by: e) }`,
			[]any{[]uint8{2, 0, 3}, []int32{7, 8, 9}},
			[]any{[]int64{0, 0, 2, 2, 2}, []int32{7, 7, 9, 9, 9}, []int64{0, 1, 0, 1, 2}, []int64{2, 0, 3}, []int64{4, 0, 6}}},
		{"no rows", `(k: [n]i32, m: [n]bool) { r = runs(k)
			s = starts(m)
			g = groups(k)
			e = repeat(k)
			return r, s, g, a: count(by: r), b: sum(k, by: s), c: avg(k, by: g), e, d: count(by: e) }`,
			[]any{[]int32{}, []bool{}},
			[]any{[]int64{}, []int64{}, []int64{}, []int64{}, []int64{}, []float64{}, []int64{}, []int64{}}},
		{"no bins", `(i: [n]i32, size: i32) { return c: count(by: bins(i, size)) }`,
			[]any{[]int32{}, []int32{0}}, []any{[]int64{}}},
	})
}

func TestAggregates(t *testing.T) {
	runExamples(t, []example{
		{"of a column", `(x: [n]i32, m: [n]bool) { return s: sum(x), c: count(m), lo: min(x), hi: max(x), a: avg(x), f: first(x), l: last(x), i: argmin(x), j: argmax(x) }`,
			[]any{[]int32{3, -2, 9, -2, 9}, []bool{true, false, true, false, false}},
			[]any{[]int64{17}, []int64{2}, []int32{-2}, []int32{9}, []float64{3.4}, []int32{3}, []int32{9}, []int64{1}, []int64{2}}},
		{"by groups that are not neighbours", `(k: [n]i32, x: [n]i16, m: [n]bool) { g = groups(k)
			return s: sum(x, by: g), c: count(m, by: g), lo: min(x, by: g), hi: max(x, by: g), a: avg(x, by: g), f: first(x, by: g), l: last(x, by: g), i: argmin(x, by: g), j: argmax(x, by: g), w: x - i16(sum(x, by: g)[g]) }`,
			[]any{[]int32{2, 1, 2, 1, 2}, []int16{5, 7, 1, 7, 1}, []bool{true, true, true, false, false}},
			[]any{[]int64{14, 7}, []int64{1, 2}, []int16{7, 1}, []int16{7, 5}, []float64{7, 7.0 / 3}, []int16{7, 5}, []int16{7, 1},
				[]int64{1, 2}, []int64{1, 0}, []int16{-2, -7, -6, -7, -6}}},
		{"of no rows", `(x: [n]f64, m: [n]bool) { return s: sum(x), c: count(m), lo: min(x, else: 1), hi: max(x, else: 2), a: avg(x, else: 3), f: first(x, else: 4), l: last(x, else: 5), t: sum(i8(x)), u: sum(u8(x)) }`,
			[]any{[]float64{}, []bool{}},
			[]any{[]float64{0}, []int64{0}, []float64{1}, []float64{2}, []float64{3}, []float64{4}, []float64{5}, []int64{0}, []uint64{0}}},
		{"sums widen and wrap at 64 bits", `(a: [n]i8, b: [n]u32, c: [n]i64, d: [n]u64) { return a: sum(a), b: sum(b), c: sum(c), d: sum(d), e: avg(d), f: avg(c) }`,
			[]any{[]int8{-128, -128}, []uint32{1<<32 - 1, 2}, []int64{1<<63 - 1, 1}, []uint64{1 << 63, 1 << 62}},
			[]any{[]int64{-256}, []uint64{1<<32 + 1}, []int64{-1 << 63}, []uint64{3 << 62}, []float64{3 << 61}, []float64{-1 << 62}}},
		{"float sums are exact, then rounded", `(x: [n]f64, y: [n]f32) { return a: sum(x), b: avg(x), c: sum(y) }`,
			[]any{[]float64{1e100, 3, -1e100, 1}, []float32{1 << 24, 1, 0.5, 0}},
			[]any{[]float64{4}, []float64{1}, []float64{1<<24 + 1.5}}},
		{"NaN and infinity in sums", `(k: [n]i32, x: [n]f64) { g = runs(k)
			return s: sum(x, by: g) }`,
			[]any{[]int32{0, 0, 1, 1, 2, 3, 3}, []float64{inf, 1, inf, -inf, 5, nan, 1}}, []any{[]float64{inf, nan, 5, nan}}},
		{"zeros and NaN in extremes", `(k: [n]i32, x: [n]f64) { g = runs(k)
			return lo: min(x, by: g), hi: max(x, by: g), i: argmin(x, by: g), j: argmax(x, by: g) }`,
			[]any{[]int32{0, 0, 0, 1, 1, 1, 1}, []float64{0, negativeZero, 0, 5, nan, -9, nan}},
			[]any{[]float64{negativeZero, nan}, []float64{0, nan}, []int64{1, 4}, []int64{0, 4}}},
		{"of dates, char8 and bools", `(d: [n]date, s: [n]char8, m: [n]bool) { return a: min(d), b: max(s), c: first(m), e: argmax(s) }`,
			[]any{[]int32{4, -4}, chars("a", "\xe4"), []bool{true, false}},
			[]any{[]int32{-4}, chars("\xe4"), []bool{true}, []int64{1}}},
		{"a scalar argument is repeated", `(k: [n]i32, s: f64, t: bool) { g = groups(k)
			return a: sum(s, by: g), b: count(t, by: g), c: max(s, by: g), d: argmin(s, by: g) }`,
			[]any{[]int32{4, 2, 4}, []float64{0.5}, []bool{true}},
			[]any{[]float64{0.5, 1}, []int64{1, 2}, []float64{0.5, 0.5}, []int64{1, 0}}},
		{"by a compacted grouping, whose groups may be empty", `(k: [n]i32, m: [n]bool) { h = groups(k)[m]
			return c: count(by: h), f: first(k[m], by: h, else: -1) }`,
			[]any{[]int32{5, 3, 5, 4}, []bool{true, false, true, true}}, []any{[]int64{0, 1, 2}, []int32{-1, 4, 5}}},
	})
}
