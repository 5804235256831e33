package interp

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestOrder(t *testing.T) {
	runExamples(t, []example{
		{"stable", `(k: [n]i32) { p = order(k)
			return p, k: k[p] }`,
			[]any{[]int32{2, 1, 2, 1, 0}}, []any{[]int64{4, 1, 3, 0, 2}, []int32{0, 1, 1, 2, 2}}},
		{"stable where it descends", `(k: [n]i8, s: [n]char8) { p = order(desc(k), s)
			return p, q: order(desc(k)) }`,
			[]any{[]int8{-1, 5, -1, 5}, chars("d", "b", "c", "a")}, []any{[]int64{3, 1, 2, 0}, []int64{1, 3, 0, 2}}},
		{"floats", `(k: [n]f64) { return up: order(k), down: order(desc(k)) }`,
			[]any{[]float64{nan, 0, inf, negativeZero, -inf, nan}},
			[]any{[]int64{4, 1, 3, 2, 0, 5}, []int64{0, 5, 2, 1, 3, 4}}},
		{"down to the least of a type", `(a: [n]u8, b: [n]i64) { return p: order(desc(a)), q: order(desc(b)) }`,
			[]any{[]uint8{0, 255, 7}, []int64{-1 << 63, 1<<63 - 1, 0}}, []any{[]int64{1, 2, 0}, []int64{1, 2, 0}}},
		{"limit", `(k: [n]i32, a: i64, b: u64) { return x: order(k, limit: a), y: order(k, limit: b), z: order(k, limit: 0) }`,
			[]any{[]int32{3, 1, 2}, []int64{2}, []uint64{1<<64 - 1}}, []any{[]int64{1, 2}, []int64{1, 2, 0}, []int64{}}},
		{"no rows", `(k: [n]i32) { return x: order(k), y: order(desc(k), limit: 5) }`,
			[]any{[]int32{}}, []any{[]int64{}, []int64{}}},
	})
}

func TestFind(t *testing.T) {
	runExamples(t, []example{
		{"smallest equal row", `(a: [n]i32, b: [m]i32) { return f: find(a, in: b) }`,
			[]any{[]int32{7, 8, 9}, []int32{9, 7, 7}}, []any{[]int64{1, -1, 0}}},
		{"floats", `(a: [n]f32, b: [m]f32) { return f: find(a, in: b) }`,
			[]any{[]float32{0, float32(nan), 1}, []float32{float32(nan), float32(negativeZero)}}, []any{[]int64{1, 0, -1}}},
		{"two keys", `(a: [n]i32, b: [n]char8, c: [m]i32, d: [m]char8) { return f: find((a, b), in: (c, d)) }`,
			[]any{[]int32{1, 1, 2}, chars("x", "y", "x"), []int32{1, 2, 1}, chars("y", "x", "y")}, []any{[]int64{-1, 0, 1}}},
		{"found rows are rows of the right side", `(a: [n]i32, b: [m]i32, v: [m]i32) { f = find(a, in: b)
			hit = f >= 0
			return v: v[f[hit]] }`,
			[]any{[]int32{5, 6, 7}, []int32{7, 5}, []int32{70, 50}}, []any{[]int32{50, 70}}},
		{"in nothing", `(a: [n]i32, b: [m]i32) { return f: find(a, in: b) }`,
			[]any{[]int32{5, 6}, []int32{}}, []any{[]int64{-1, -1}}},
	})
}

func TestJoin(t *testing.T) {
	runExamples(t, []example{
		{"by left row, then right row", `(a: [n]i32, b: [m]i32) { j = join(a, b)
			return l: j.left, r: j.right, k: a[j.left] }`,
			[]any{[]int32{2, 1, 3, 2}, []int32{1, 2, 2}}, []any{[]int64{0, 0, 1, 3, 3}, []int64{1, 2, 0, 1, 2}, []int32{2, 2, 1, 2, 2}}},
		{"nothing in common", `(a: [n]i32, b: [m]i32) { return l: join(a, b).left }`,
			[]any{[]int32{2}, []int32{1}}, []any{[]int64{}}},
		{"no rows", `(a: [n]i32, b: [m]i32) { return r: join(a, b).right }`,
			[]any{[]int32{}, []int32{}}, []any{[]int64{}}},
	})
}

// randomKeys returns n keys of few values.
func randomKeys(random *rand.Rand, n int) []int32 {
	keys := make([]int32, n)
	for i := range keys {
		keys[i] = int32(random.IntN(n/3+2)) - 2
	}
	return keys
}

// find and join against nested loops; order against slices' stable sort.
func TestMatchesAgreeWithNestedLoops(t *testing.T) {
	p := load(t, `(a: [n]i32, b: [n]i32, c: [m]i32, d: [m]i32) {
		j = join((a, b), (c, d))
		return f: find((a, b), in: (c, d)), l: j.left, r: j.right, o: order(a, desc(b)) }`)
	random := rand.New(rand.NewPCG(9, 10))
	for n := range 40 {
		a, b := randomKeys(random, n), randomKeys(random, n)
		m := random.IntN(30)
		c, d := randomKeys(random, m), randomKeys(random, m)
		find, left, right, order := make([]int64, n), []int64{}, []int64{}, make([]int64, n)
		for i := range n {
			find[i], order[i] = -1, int64(i)
			for j := m - 1; j >= 0; j-- {
				if a[i] == c[j] && b[i] == d[j] {
					find[i] = int64(j)
				}
			}
			for j := range m {
				if a[i] == c[j] && b[i] == d[j] {
					left, right = append(left, int64(i)), append(right, int64(j))
				}
			}
		}
		slices.SortStableFunc(order, func(x, y int64) int {
			if a[x] != a[y] {
				return int(a[x] - a[y])
			}
			return int(b[y] - b[x])
		})
		equalResults(t, p, run(t, p, a, b, c, d), []any{find, left, right, order})
		if t.Failed() {
			t.Fatal(fmt.Sprint("keys: ", a, b, c, d))
		}
	}
}

// Grouping against Go maps.
func TestGroupsAgreeWithMaps(t *testing.T) {
	p := load(t, `(k: [n]i32, x: [n]i64) { g = groups(k)
		return k: first(k, by: g), c: count(by: g), s: sum(x, by: g), lo: min(x, by: g), hi: max(x, by: g), l: last(x, by: g), i: argmax(x, by: g), a: avg(x, by: g) }`)
	random := rand.New(rand.NewPCG(11, 12))
	for n := range 60 {
		k, x := randomKeys(random, n), make([]int64, n)
		type group struct{ count, sum, low, high, last, argmax int64 }
		groups := map[int32]*group{}
		for i := range x {
			x[i] = random.Int64N(20) - 10
			g := groups[k[i]]
			if g == nil {
				g = &group{low: x[i], high: x[i] - 1}
				groups[k[i]] = g
			}
			g.count++
			g.sum += x[i]
			g.low = min(g.low, x[i])
			if x[i] > g.high {
				g.high, g.argmax = x[i], int64(i)
			}
			g.last = x[i]
		}
		keys := []int32{}
		for key := range groups {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		columns := [6][]int64{{}, {}, {}, {}, {}, {}}
		averages := []float64{}
		for _, key := range keys {
			g := groups[key]
			for i, value := range []int64{g.count, g.sum, g.low, g.high, g.last, g.argmax} {
				columns[i] = append(columns[i], value)
			}
			averages = append(averages, float64(g.sum)/float64(g.count))
		}
		equalResults(t, p, run(t, p, k, x), []any{keys, columns[0], columns[1], columns[2], columns[3], columns[4], columns[5], averages})
	}
}
