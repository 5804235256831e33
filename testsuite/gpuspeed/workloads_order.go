package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

func init() {
	distributions["16 uniform"] = spreadOf[int32](plan.I32, "uniform", 16)
	distributions["131072 uniform"] = spreadOf[int32](plan.I32, "uniform", 1<<17)
	for i := range int64(8) {
		distributions[fmt.Sprintf("long %d", i)] = distribution{kind: plan.I64, fill: each(func(row int64) int64 { return int64(random(20+i, row)) })}
	}
	distributions["any u32"] = distribution{kind: plan.U32, fill: each(func(row int64) uint32 { return uint32(random(17, row)) })}
	distributions["other value"] = distribution{kind: plan.I32, fill: each(func(row int64) int32 { return int32(random(18, row)) })}
	distributions["other u32"] = distribution{kind: plan.U32, fill: each(func(row int64) uint32 { return uint32(random(18, row)) })}
	distributions["any u64"] = distribution{kind: plan.U64, fill: each(func(row int64) uint64 { return random(19, row) })}
	distributions["40 bits"] = distribution{kind: plan.I64, fill: each(func(row int64) int64 { return int64(random(21, row) >> 24) })}
	distributions["any double"] = distribution{kind: plan.F64, fill: each(anyDouble)}
}

// anyDouble is row i of a column in which all 64 bits vary. It has no NaN and no
// infinity: CUB and the language order NaN differently. Nor does -0 occur.
func anyDouble(i int64) float64 {
	bits := random(13, i)
	if bits>>52&0x7ff == 0x7ff {
		bits ^= 1 << 62
	}
	return math.Float64frombits(bits)
}

// keyed is a row and its key as an unsigned integer of the same order.
type keyed struct {
	key uint64
	row uint32
}

func keyOfInt(x int32) uint64 { return uint64(uint32(x) ^ 1<<31) }

// keyOfFloat is for floats that are neither NaN nor -0.
func keyOfFloat(x float64) uint64 {
	bits := math.Float64bits(x)
	if bits>>63 == 1 {
		return ^bits
	}
	return bits | 1<<63
}

// sortedRows returns all rows by ascending key, rows of equal keys in row order. It
// sorts by one byte of the key's bits after another, the least significant first;
// each worker moves a range of rows.
func sortedRows(n int64, bits int, key func(row int64) uint64) []keyed {
	from, to := make([]keyed, n), make([]keyed, n)
	parallel(n, func(_ int, lo, hi int64) {
		for i := lo; i < hi; i++ {
			from[i] = keyed{key(i), uint32(i)}
		}
	})
	places := make([][256]int64, workers()) // of the next row that a worker moves, by byte
	for shift := 0; shift < bits; shift += 8 {
		parallel(n, func(worker int, lo, hi int64) {
			var counts [256]int64
			for _, k := range from[lo:hi] {
				counts[byte(k.key>>shift)]++
			}
			places[worker] = counts
		})
		equal, place := false, int64(0)
		for b := range 256 {
			first := place
			for worker := range places {
				count := places[worker][b]
				places[worker][b] = place
				place += count
			}
			equal = equal || place-first == n
		}
		if equal {
			continue
		}
		parallel(n, func(worker int, lo, hi int64) {
			next := places[worker]
			for _, k := range from[lo:hi] {
				b := byte(k.key >> shift)
				to[next[b]] = k
				next[b]++
			}
		})
		from, to = to, from
	}
	return from
}

// rowsInOrder returns the digest of the first rows in order, all if limit is 0.
func rowsInOrder(sorted []keyed, limit int) answer {
	if limit > 0 {
		sorted = sorted[:min(limit, len(sorted))]
	}
	var d digest
	for _, k := range sorted {
		d.add(int64(k.row))
	}
	return one(d)
}

// groupsOf returns the digests of keys, sums and counts of the bins that have rows.
func groupsOf(bins []bin) answer {
	return groupsInOrder(bins, func(number int64) int64 { return number })
}

// spreadGroupsOf is groupsOf for the bins of keys that lie anywhere.
func spreadGroupsOf(bins []bin) answer {
	return groupsInOrder(bins, func(number int64) int64 { return int64(numberings["spread"].key(number)) })
}

// groupsInOrder returns the digests of the keys, sums and counts of the bins that have rows, in the order
// of keys that follow from their numbers.
func groupsInOrder(bins []bin, keys ...func(number int64) int64) answer {
	var numbers []int64
	for i, b := range bins {
		if b.rows > 0 {
			numbers = append(numbers, int64(i))
		}
	}
	for _, key := range slices.Backward(keys) { // each sort is stable
		before := slices.Clone(numbers)
		for i, of := range sortedRows(int64(len(numbers)), 64, func(i int64) uint64 { return uint64(key(before[i])) ^ 1<<63 }) {
			numbers[i] = before[of.row]
		}
	}
	digests := make([]digest, len(keys)+2)
	for _, number := range numbers {
		b := bins[number]
		for i, key := range keys {
			digests[i].add(key(number))
		}
		digests[len(keys)].add(b.total)
		digests[len(keys)+1].add(b.rows)
	}
	return several(digests...)
}

// spreadGroups are the numbers of groups whose keys lie far apart.
var spreadGroups = []int{16, 256, 1024, 4096, 8192, 16384, 32768, 65536, 1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 21, 1 << 22, 1 << 23, 1 << 24, 1 << 27}

// groupGoals are goals of some numbers of groups, dense or spread, in milliseconds.
var groupGoals = map[int]float64{16: .56, 1024: .75, 4096: 1.06, 65536: 2.6, 1 << 20: 3.7, 1 << 24: 5.2, 1 << 27: 6.8}

func init() {
	for _, n := range spreadGroups {
		distributions[fmt.Sprintf("any of %d spread keys", n)] = distribution{kind: plan.I32,
			fill: each(func(i int64) int32 { return numberings["spread"].key(int64(random(14, i) % uint64(n))) })}
	}
}

// byOrder are the workloads that sort.
func byOrder() (list []workload) {
	add := func(name, pipeline, from, peerName, command string, limit int, within float64) {
		w := workload{name: name, pipeline: pipeline, columns: []column{{"key", from}}, within: within, asked: true}
		w.goal.openclCUB = .75
		w.peers = []peer{{name: peerName, command: fmt.Sprintf("%s %d", command, limit)}}
		if limit > 0 {
			w.set = map[string]int64{"limit": int64(limit)}
		}
		w.expect = func(a args) answer {
			if a.columns[0].Kind == plan.F64 {
				keys := floats(a, 0)
				return rowsInOrder(sortedRows(a.rows, 64, func(row int64) uint64 { return keyOfFloat(keys[row]) }), limit)
			}
			keys := ints(a, 0)
			return rowsInOrder(sortedRows(a.rows, 32, func(row int64) uint64 { return keyOfInt(keys[row]) }), limit)
		}
		list = append(list, w)
	}
	const pairs = "CUB SortPairs, u32 rows"
	add("order of i32", "order_i32", "value", pairs, "order32", 0, 5.5)
	add("order of i32, 17 bits", "order_i32", "131072 uniform", pairs, "order32", 0, 3.7)
	add("order of i32, 16 values", "order_i32", "16 uniform", pairs, "order32", 0, 1.6)
	add("order of i32, all equal", "order_i32", "256 constant", pairs, "order32", 0, .95)
	for i, limit := range []int{10, 1000, 100_000} {
		add(fmt.Sprintf("order of i32, limit %d", limit), "least", "value", pairs+", all of them", "order32", limit, []float64{.27, .28, .39}[i])
	}
	add("order of f64", "order_f64", "any double", pairs, "order64", 0, 14.8)
	list = append(list, wideOrders()...)
	for _, w := range []struct {
		columns int
		within  float64
	}{{1, 12}, {2, 0}, {4, 17}, {8, 24}} {
		list = append(list, following(w.columns, w.within))
	}
	list = append(list, sortedColumns()...)
	for _, n := range []int{16, 1024, 65536, 1 << 20, 1 << 24} {
		list = append(list, workload{
			name: fmt.Sprintf("sum, count by %d groups", n), pipeline: "sum_groups",
			columns: []column{{"key", fmt.Sprintf("%d uniform", n)}, {"value", "value"}},
			expect: func(a args) answer {
				keys := ints(a, 0)
				return groupsOf(combinedByBin(a, n, func(i int64) int { return int(keys[i]) }))
			},
			peers: []peer{
				{name: "CUB SortPairs, ReduceByKey", command: "groups"},
				{name: "CUB SortPairs, ReduceByKey, sums alone", command: "groupsums", results: 2, perRow: 8, each: 12},
			},
			within: groupGoals[n], goal: goals{openclWithin: groupGoals[n] / .7}, asked: true,
		})
	}
	for _, n := range spreadGroups {
		list = append(list, workload{
			name: fmt.Sprintf("sum, count by %d spread groups", n), pipeline: "sum_groups",
			columns: []column{{"key", fmt.Sprintf("any of %d spread keys", n)}, {"value", "value"}},
			expect: func(a args) answer {
				keys, number := ints(a, 0), numberings["spread"].number
				return spreadGroupsOf(combinedByBin(a, n, func(i int64) int { return int(number(keys[i])) }))
			},
			within: groupGoals[n], goal: goals{openclWithin: groupGoals[n] / .7}, asked: true,
		})
	}
	return list
}

// wideOrders are orders of 64 bits of keys that CUB takes as long for as for f64.
func wideOrders() []workload {
	rows := func(bits int, key func(a args, row int64) uint64) func(a args) answer {
		return func(a args) answer {
			return rowsInOrder(sortedRows(a.rows, bits, func(row int64) uint64 { return key(a, row) }), 0)
		}
	}
	long := rows(64, func(a args, row int64) uint64 { return uint64(integerAt(a.columns[0], row)) ^ 1<<63 })
	pair := rows(64, func(a args, row int64) uint64 { return uint64(ints(a, 0)[row])<<32 | keyOfInt(ints(a, 1)[row]) }) // no date is negative
	return []workload{
		{name: "order of i64", pipeline: "order_i64", columns: []column{{"key", "long 0"}}, within: 14.8, asked: true, expect: long},
		{name: "order of i64, 40 bits", pipeline: "order_i64", columns: []column{{"key", "40 bits"}}, within: 9.5, asked: true, expect: long},
		{name: "order of date and i32", pipeline: "order_two", columns: []column{{"one", "date"}, {"two", "value"}}, within: 14.8, asked: true, expect: pair},
	}
}

// following is a workload that sorts columns of i64 by an i32 key.
func following(columns int, within float64) workload {
	w := workload{name: fmt.Sprintf("%d columns by an i32 key", columns), pipeline: fmt.Sprintf("follow_%d", columns), within: within, asked: true}
	w.columns = []column{{"key", "value"}}
	for i := range columns {
		w.columns = append(w.columns, column{fmt.Sprintf("x%d", i), fmt.Sprintf("long %d", i)})
	}
	w.expect = func(a args) answer {
		keys := ints(a, 0)
		return columnsInOrder(a.columns[1:], sortedRows(a.rows, 32, func(row int64) uint64 { return keyOfInt(keys[row]) }))
	}
	return w
}

// sortedColumns are the workloads that sort narrow columns, by all bits of a key or by its lowest.
func sortedColumns() (list []workload) {
	add := func(name, pipeline string, columns []column, bits int, key func(a args, row int64) uint64, p peer, within float64) {
		list = append(list, workload{name: name, pipeline: pipeline, columns: columns, within: within, goal: goals{openclCUB: .75}, asked: true, peers: []peer{p}, expect: func(a args) answer {
			return columnsInOrder(a.columns, sortedRows(a.rows, bits, func(row int64) uint64 { return key(a, row) }))
		}})
	}
	first := func(a args, row int64) uint64 { return uint64(integerAt(a.columns[0], row)) }
	add("sorted pairs of u32", "sorted_pairs", []column{{"key", "any u32"}, {"value", "other u32"}}, 32, first, peer{name: "CUB SortPairs", command: "pairs32"}, 6.15)
	add("sorted u32", "sorted_u32", []column{{"key", "any u32"}}, 32, first, peer{name: "CUB SortKeys", command: "keys32"}, 4.1)
	add("sorted u64", "sorted_u64", []column{{"key", "any u64"}}, 64, first, peer{name: "CUB SortKeys", command: "keys64"}, 11.6)
	for i, ways := range []int{16, 256, 4096} {
		low := func(a args, row int64) uint64 { return uint64(integerAt(a.columns[0], row)) & uint64(ways-1) }
		add(fmt.Sprintf("partition of pairs by %d", ways), fmt.Sprintf("partition_%d", ways), []column{{"key", "value"}, {"value", "other value"}}, 16, low,
			peer{name: "CUB SortPairs of low bits", command: fmt.Sprintf("partition %d", []int{4, 8, 12}[i])}, []float64{1.57, 1.90, 3.05}[i])
	}
	return list
}

// columnsInOrder returns the digests of columns of integers, whose rows are in order.
func columnsInOrder(columns []exec.Column, sorted []keyed) answer {
	made := make([]digest, len(columns))
	for i, x := range columns {
		sums := make([]uint64, workers())
		parallel(int64(len(sorted)), func(worker int, lo, hi int64) {
			for place := lo; place < hi; place++ {
				sums[worker] += hash(place, integerAt(x, int64(sorted[place].row)))
			}
		})
		made[i].Rows = int64(len(sorted))
		for _, sum := range sums {
			made[i].Sum += sum
		}
	}
	return several(made...)
}

// integerAt returns a row of a column of integers of 32 or 64 bits.
func integerAt(x exec.Column, row int64) int64 {
	switch x.Kind {
	case plan.I32:
		return int64(elements[int32](x.Data)[row])
	case plan.U32:
		return int64(elements[uint32](x.Data)[row])
	}
	return elements[int64](x.Data)[row]
}
