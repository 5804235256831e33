package interp

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// program is a pipeline of several operators and an independent computation of
// its results.
type program struct {
	name, source string
	data         func(random *rand.Rand, n int) []any
	want         func(in []any) []any
}

// ints returns n values in [0, below).
func ints[T int32 | int64 | uint8 | float64](random *rand.Rand, n, below int) []T {
	values := make([]T, n)
	for i := range values {
		values[i] = T(random.IntN(below))
	}
	return values
}

var programs = []program{
	{
		name: "sessions: gaps over 30 split the clicks of a user",
		source: `(user: [n]i32, time: [n]i64) {
			p = order(user, time)
			u = user[p]
			t = time[p]
			s = starts(u != prev(u, 1, 0) || t - prev(t, 1, 0) > 30)
			return user: first(u, by: s), from: first(t, by: s), to: last(t, by: s), clicks: count(by: s)
		}`,
		data: func(random *rand.Rand, n int) []any {
			return []any{ints[int32](random, n, 4), ints[int64](random, n, 500)}
		},
		want: func(in []any) []any {
			clicks := map[int32][]int64{}
			for i, user := range in[0].([]int32) {
				clicks[user] = append(clicks[user], in[1].([]int64)[i])
			}
			users, from, to, count := []int32{}, []int64{}, []int64{}, []int64{}
			for user := range int32(4) {
				slices.Sort(clicks[user])
				for i, t := range clicks[user] {
					if i == 0 || t-clicks[user][i-1] > 30 {
						users, from, to, count = append(users, user), append(from, t), append(to, t), append(count, 0)
					}
					to[len(to)-1] = t
					count[len(count)-1]++
				}
			}
			return []any{users, from, to, count}
		},
	},
	{
		name: "sparse matrix times vector",
		source: `(start: [r]i64, column: [z]i32, value: [z]f64, x: [c]f64) {
			rows = index(start) < len(start) - 1
			e = repeat((next(start, 1, 0) - start)[rows])
			return y: sum(align(value * x[column], to: e), by: e)
		}`,
		data: func(random *rand.Rand, n int) []any {
			lengths := ints[int64](random, n, 4)
			start := []int64{0}
			for _, length := range lengths {
				start = append(start, start[len(start)-1]+length)
			}
			entries := int(start[n])
			return []any{start, ints[int32](random, entries, 10), ints[float64](random, entries, 9), ints[float64](random, 10, 9)}
		},
		want: func(in []any) []any {
			start := in[0].([]int64)
			y := make([]float64, len(start)-1)
			for row := range y {
				for entry := start[row]; entry < start[row+1]; entry++ {
					y[row] += in[2].([]float64)[entry] * in[3].([]float64)[in[1].([]int32)[entry]]
				}
			}
			return []any{y}
		},
	},
	{
		name: "a step of breadth-first search",
		source: `(level: [v]i32, start: [v]i64, degree: [v]i64, target: [m]i32, current: i32) {
			front = level == current
			e = repeat(degree[front])
			t = target[start[front][e] + exscan(add, 1, by: e)]
			hit = count(by: bins(t[level[t] < 0], level)) > 0
			return level: select(hit, current + 1, level), found: count(hit)
		}`,
		data: func(random *rand.Rand, n int) []any {
			n++
			level, degree, start := ints[int32](random, n, 4), ints[int64](random, n, 4), make([]int64, n)
			edges := int64(0)
			for i := range level {
				level[i]--
				start[i] = edges
				edges += degree[i]
			}
			return []any{level, start, degree, ints[int32](random, int(edges), n), []int32{1}}
		},
		want: func(in []any) []any {
			level := in[0].([]int32)
			after, found := slices.Clone(level), int64(0)
			for v, l := range level {
				if l != 1 {
					continue
				}
				first, degree := in[1].([]int64)[v], in[2].([]int64)[v]
				for _, to := range in[3].([]int32)[first : first+degree] {
					if level[to] < 0 && after[to] < 0 {
						after[to] = 2
						found++
					}
				}
			}
			return []any{after, []int64{found}}
		},
	},
	{
		name: "a step of k-means",
		source: `(x: [n]f64, y: [n]f64, cx: [k]f64, cy: [k]f64) {
			e = repeat(align(len(cx), to: x))
			c = exscan(add, 1, by: e)
			dx = x[e] - cx[c]
			dy = y[e] - cy[c]
			best = bins(c[argmin(dx * dx + dy * dy, by: e)], cx)
			return best, x: sum(x, by: best), y: sum(y, by: best), n: count(by: best)
		}`,
		data: func(random *rand.Rand, n int) []any {
			return []any{ints[float64](random, n, 10), ints[float64](random, n, 10), ints[float64](random, 3, 10), ints[float64](random, 3, 10)}
		},
		want: func(in []any) []any {
			x, y, cx, cy := in[0].([]float64), in[1].([]float64), in[2].([]float64), in[3].([]float64)
			best, sx, sy, n := make([]int64, len(x)), make([]float64, 3), make([]float64, 3), make([]int64, 3)
			for i := range x {
				distance := func(c int64) float64 { return (x[i]-cx[c])*(x[i]-cx[c]) + (y[i]-cy[c])*(y[i]-cy[c]) }
				for c := range int64(3) {
					if distance(c) < distance(best[i]) {
						best[i] = c
					}
				}
				sx[best[i]] += x[i]
				sy[best[i]] += y[i]
				n[best[i]]++
			}
			return []any{best, sx, sy, n}
		},
	},
	{
		name: "filter, join, group, top three",
		source: `(customer: [o]i32, key: [o]i32, day: [o]date, building: [c]i32, line: [l]i32, price: [l]f64) {
			mine = day < date("1970-01-20") && find(customer, in: building) >= 0
			j = join(line, key[mine])
			g = groups(line[j.left], day[mine][j.right])
			revenue = sum(price[j.left], by: g)
			k = first(line[j.left], by: g)
			p = order(desc(revenue), k, limit: 3)
			return key: k[p], revenue: revenue[p], day: first(day[mine][j.right], by: g)[p]
		}`,
		data: func(random *rand.Rand, n int) []any {
			keys := make([]int32, n)
			for i, k := range random.Perm(n) {
				keys[i] = int32(k)
			}
			return []any{ints[int32](random, n, 5), keys, ints[int32](random, n, 30), []int32{1, 3}, ints[int32](random, 3*n, n+5), ints[float64](random, 3*n, 9)}
		},
		want: func(in []any) []any {
			type order struct {
				key, day int32
				revenue  float64
			}
			var found []order
			for i, key := range in[1].([]int32) {
				o := order{key: key, day: in[2].([]int32)[i]}
				if customer := in[0].([]int32)[i]; o.day >= 19 || customer != 1 && customer != 3 {
					continue
				}
				lines := 0
				for l, line := range in[4].([]int32) {
					if line == key {
						lines++
						o.revenue += in[5].([]float64)[l]
					}
				}
				if lines > 0 {
					found = append(found, o)
				}
			}
			slices.SortFunc(found, func(a, b order) int { return cmp.Or(cmp.Compare(b.revenue, a.revenue), cmp.Compare(a.key, b.key)) })
			keys, revenues, days := []int32{}, []float64{}, []int32{}
			for _, o := range found[:min(3, len(found))] {
				keys, revenues, days = append(keys, o.key), append(revenues, o.revenue), append(days, o.day)
			}
			return []any{keys, revenues, days}
		},
	},
	{
		name: "having, share and the difference to a group's mean",
		source: `(k: [n]i32, v: [n]i32) {
			g = groups(k)
			c = count(by: g)
			keep = c > 2
			return k: first(k, by: g)[keep], c[keep], share: f64(sum(v, by: g)[keep]) / f64(sum(v)), off: f64(v) - avg(v, by: g)[g]
		}`,
		data: func(random *rand.Rand, n int) []any {
			return []any{ints[int32](random, n, 6), ints[int32](random, n, 50)}
		},
		want: func(in []any) []any {
			k, v := in[0].([]int32), in[1].([]int32)
			var count, sum [6]int64
			total := int64(0)
			for i := range k {
				count[k[i]]++
				sum[k[i]] += int64(v[i])
				total += int64(v[i])
			}
			keys, counts, shares, off := []int32{}, []int64{}, []float64{}, make([]float64, len(k))
			for key := range count {
				if count[key] > 2 {
					keys, counts = append(keys, int32(key)), append(counts, count[key])
					shares = append(shares, float64(sum[key])/float64(total))
				}
			}
			for i := range k {
				off[i] = float64(v[i]) - float64(sum[k[i]])/float64(count[k[i]])
			}
			return []any{keys, counts, shares, off}
		},
	},
	{
		name: "moving average of seven, histogram and run lengths",
		source: `(x: [n]f64, b: [n]u8) {
			c = scan(add, x)
			r = runs(b)
			back = repeat(count(by: r))
			return avg: (c - prev(c, 7, 0)) / f64(least(index(x) + 1, 7)), h: count(by: bins(b, 4)), decoded: first(b, by: r)[back]
		}`,
		data: func(random *rand.Rand, n int) []any {
			return []any{ints[float64](random, n, 100), ints[uint8](random, n, 4)}
		},
		want: func(in []any) []any {
			x, b := in[0].([]float64), in[1].([]uint8)
			average, histogram := make([]float64, len(x)), make([]int64, 4)
			for i := range x {
				window := x[max(0, i-6) : i+1]
				for _, value := range window {
					average[i] += value
				}
				average[i] /= float64(len(window))
				histogram[b[i]]++
			}
			return []any{average, histogram, b}
		},
	},
}

func TestPrograms(t *testing.T) {
	for _, test := range programs {
		t.Run(test.name, func(t *testing.T) {
			p := load(t, test.source)
			random := rand.New(rand.NewPCG(13, 14))
			for n := range 50 {
				in := test.data(random, n)
				equalResults(t, p, run(t, p, in...), test.want(in))
				if t.Failed() {
					t.Fatalf("n = %d: %v", n, in)
				}
			}
		})
	}
}

// Two ways to write one thing give one result.
func TestLaws(t *testing.T) {
	for _, test := range []struct{ name, source string }{
		{"runs are what a scan of heads numbers", `(k: [n]i32, x: [n]i64) {
			head = index(k) == 0 || k != prev(k, 1, 0)
			b = bins(scan(add, i64(head)) - 1, count(head))
			g = runs(k)
			return a: first(k, by: g), same: first(k, by: b), b: sum(x, by: g), same_: sum(x, by: b) }`},
		{"groups are runs of the sorted keys", `(k: [n]i32, x: [n]i64) {
			p = order(k)
			g = groups(k)
			r = runs(k[p])
			return a: sum(x, by: g), same: sum(x[p], by: r), b: last(x, by: g), same_: last(x[p], by: r), c: g[p], same__: r }`},
		{"exscan is the scan before", `(k: [n]i32, x: [n]i64) {
			g = runs(k)
			return a: exscan(add, x, by: g), same: scan(add, x, by: g) - x, b: exscan(max, k), same_: prev(scan(max, k), 1, -2147483648) }`},
		{"a compaction gathers the true rows", `(k: [n]i32, x: [n]i64) {
			m = x > 2
			i = index(x)[m]
			return a: x[m], same: x[i], b: count(m), same_: len(k[m]) }`},
		{"an extreme is the first of an order", `(k: [n]i32, x: [n]i64) {
			p = order(desc(x))
			g = runs(k)
			return a: max(x, else: 0), same: first(x[p], else: 0), b: x[argmin(x, by: g)], same_: min(x, by: g) }`},
		{"a join with distinct keys is a find", `(k: [n]i32, x: [n]i64) {
			g = groups(k)
			f = find(k, in: first(k, by: g))
			j = join(k, first(k, by: g))
			return a: f, same: j.right, b: index(x), same_: j.left, c: g, same__: f }`},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := load(t, test.source)
			random := rand.New(rand.NewPCG(15, 16))
			for n := range 50 {
				out := run(t, p, ints[int32](random, n, 5), ints[int64](random, n, 5))
				for i := 0; i < len(out); i += 2 {
					if a, b := text(out[i]), text(out[i+1]); a != b {
						t.Fatalf("n = %d: %s is %s, %s is %s", n, p.Results[i].Label, a, p.Results[i+1].Label, b)
					}
				}
			}
		})
	}
}
