package main

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/kgen-go/kgen/plan"
)

// Tables have a power of two of rows, and their keys are the numbers below it, not in
// their order: as they are, or spread over all numbers of 32 bits.

// orderOf is a permutation of the numbers below n, a power of two.
func orderOf(i, n int64) int64 { return (i*0x2545f491 + 0x3c6ef) & (n - 1) }

// numbering maps the numbers below the rows of a table to keys, and back.
type numbering struct {
	key    func(x int64) int32
	number func(key int32) uint32
}

var numberings = map[string]numbering{
	"dense":  {func(x int64) int32 { return int32(x) }, func(key int32) uint32 { return uint32(key) }},
	"spread": {func(x int64) int32 { return int32(uint32(x) * 0x9e3779b1) }, func(key int32) uint32 { return uint32(key) * 0xe8b2f51 }},
}

var tableRows = []int64{1 << 14, 1 << 15, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 27}

// fewLooks is how many rows are looked up where making the table is what is measured.
const fewLooks = 1 << 10

// leftRows is how many rows the left side of a join has.
const leftRows = 1 << 26

func init() {
	for _, m := range tableRows {
		for name, numbering := range numberings {
			key := numbering.key
			distributions[fmt.Sprintf("%d %s keys", m, name)] = distribution{kind: plan.I32, most: m,
				fill: each(func(i int64) int32 { return key(orderOf(i, m)) })}
			distributions[fmt.Sprintf("few of %d %s keys", m, name)] = distribution{kind: plan.I32, most: fewLooks,
				fill: each(func(i int64) int32 { return key(int64(random(14, i) % uint64(m))) })}
			distributions[fmt.Sprintf("any of %d %s keys", m, name)] = distribution{kind: plan.I32,
				fill: each(func(i int64) int32 { return key(int64(random(14, i) % uint64(m))) })}
			distributions[fmt.Sprintf("left, any of %d %s keys", m, name)] = distribution{kind: plan.I32, most: leftRows,
				fill: each(func(i int64) int32 { return key(int64(random(14, i) % uint64(m))) })}
			distributions[fmt.Sprintf("%d %s keys, four times each", m, name)] = distribution{kind: plan.I32, most: m,
				fill: each(func(i int64) int32 { return key(orderOf(i, m) / 4) })}
		}
		for name, key := range map[string]func(x int64) int64{"dense": func(x int64) int64 { return x }, "spread": longKey} {
			distributions[fmt.Sprintf("%d %s i64 keys", m, name)] = distribution{kind: plan.I64, most: m,
				fill: each(func(i int64) int64 { return key(orderOf(i, m)) })}
			distributions[fmt.Sprintf("any of %d %s i64 keys", m, name)] = distribution{kind: plan.I64,
				fill: each(func(i int64) int64 { return key(int64(random(14, i) % uint64(m))) })}
		}
		distributions[fmt.Sprintf("%d values", m)] = distribution{kind: plan.I32, most: m, fill: each(func(i int64) int32 { return int32(random(15, i) % 1000) })}
	}
	distributions["lengths below 9"] = distribution{kind: plan.I32, most: leftRows, fill: each(func(i int64) int32 { return int32(random(16, i) % 9) })}
	distributions["lengths of 1"] = distribution{kind: plan.I32, most: leftRows, fill: each(func(int64) int32 { return 1 })}
	distributions["lengths, one in 100"] = distribution{kind: plan.I32, most: leftRows, fill: each(func(i int64) int32 { return int32(random(16, i) % 100 / 99) })}
	distributions["lengths, one of 10000000"] = distribution{kind: plan.I32, most: leftRows, fill: each(func(i int64) int32 {
		if i == 12345 {
			return 10_000_000
		}
		return int32(random(16, i) % 3)
	})}
}

// rowsOfKeys returns the rows of a table in the order of the numbers of their keys, and
// where those of each number begin.
func rowsOfKeys(keys []int32, m int64, number func(int32) uint32) (rows []int32, begin []int) {
	begin = make([]int, m+1)
	for _, key := range keys {
		begin[number(key)+1]++
	}
	for i := range m {
		begin[i+1] += begin[i]
	}
	rows, next := make([]int32, len(keys)), slices.Clone(begin)
	for i, key := range keys {
		at := number(key)
		rows[next[at]] = int32(i)
		next[at]++
	}
	return rows, begin
}

// byJoin are the workloads that find, join and repeat.
func byJoin() (list []workload) {
	looks := func(what, which string, m int64, kind string, within float64) {
		name := fmt.Sprintf("%d %s keys", m, kind)
		list = append(list, workload{
			name: what + name, pipeline: "find_sum", within: within, asked: true,
			columns: []column{{"key", which + name}, {"in", name}, {"value", fmt.Sprintf("%d values", m)}},
			expect: func(a args) answer {
				number, values, keys := numberings[kind].number, make([]int32, m), ints(a, 0)
				for i, key := range ints(a, 1) {
					values[number(key)] = ints(a, 2)[i]
				}
				return sumOf(int64(len(keys)), func(i int64) int32 { return values[number(keys[i])] })
			},
		})
	}
	find := func(m int64, kind string, within float64) { looks("find in ", "any of ", m, kind, within) }
	find(1<<15, "dense", .28)
	find(1<<20, "dense", 1.79)
	find(1<<22, "dense", 1.79)
	find(1<<24, "dense", 3.73)
	find(1<<27, "dense", 6.71)
	find(1<<20, "spread", 1.99)
	find(1<<24, "spread", 7.46)
	find(1<<27, "spread", 7.46)
	for _, c := range []struct {
		m           int64
		long, pairs float64
	}{{1 << 20, 2.56, 4.13}, {1 << 24, 8.39, 15.8}} {
		list = append(list, findLong(c.m, "dense", 0), findLong(c.m, "spread", c.long), findPairs(c.m, c.pairs))
	}
	for _, kind := range []string{"dense", "spread"} {
		looks("table of ", "few of ", 1<<20, kind, .052)
		looks("table of ", "few of ", 1<<24, kind, .67)
		looks("table of ", "few of ", 1<<27, kind, 5.37)
	}
	join := func(m int64, kind string, partners int64, within float64) {
		name := fmt.Sprintf("%d %s keys", m, kind)
		right := name
		if partners > 1 {
			right = fmt.Sprintf("%d %s keys, four times each", m*partners, kind)
		}
		list = append(list, workload{
			name: "join with " + right, pipeline: "join_rows", within: within, asked: true,
			columns: []column{{"left", "left, any of " + name}, {"right", right}},
			expect: func(a args) answer {
				number := numberings[kind].number
				rows, begin := rowsOfKeys(ints(a, 1), m, number)
				var left, right digest
				for i, key := range ints(a, 0) {
					at := number(key)
					for _, row := range rows[begin[at]:begin[at+1]] {
						left.add(int64(i))
						right.add(int64(row))
					}
				}
				return several(left, right)
			},
		})
	}
	join(1<<20, "dense", 1, .79)
	join(1<<20, "spread", 1, .79)
	join(1<<24, "spread", 1, 2.24)
	join(1<<14, "spread", 4, 1.40)
	join(1<<18, "spread", 4, 1.68)
	join(1<<22, "spread", 4, 3.95)
	for _, c := range []struct {
		lengths string
		share   float64
	}{{"lengths below 9", .66}, {"lengths of 1", .65}, {"lengths, one of 10000000", .57}, {"lengths, one in 100", .55}} {
		list = append(list, workload{
			name: "repeat by " + c.lengths, pipeline: "repeat_rows", goal: goals{best: c.share}, asked: true,
			columns: []column{{"length", c.lengths}},
			expect: func(a args) answer {
				var rows digest
				for i, length := range ints(a, 0) {
					for range length {
						rows.add(int64(i))
					}
				}
				return one(rows)
			},
		})
	}
	return list
}

// findLong looks i64 keys up.
func findLong(m int64, numbering string, within float64) workload {
	name := fmt.Sprintf("%d %s i64 keys", m, numbering)
	return workload{
		name: "find in " + name, pipeline: "find_sum_long", within: within, asked: true,
		columns: []column{{"key", "any of " + name}, {"in", name}, {"value", fmt.Sprintf("%d values", m)}},
		expect:  func(a args) answer { return totalOfLooks(m, a.rows, ints(a, 2)) },
	}
}

// findPairs looks pairs of an i64 and an i32 up.
func findPairs(m int64, within float64) workload {
	long, short := fmt.Sprintf("%d spread i64 keys", m), fmt.Sprintf("%d dense keys", m)
	return workload{
		name: fmt.Sprintf("find in %d pairs of i64 and i32 keys", m), pipeline: "find_sum_pair", within: within, asked: true,
		columns: []column{{"key", "any of " + long}, {"other", "any of " + short}, {"in", long}, {"in_other", short}, {"value", fmt.Sprintf("%d values", m)}},
		expect:  func(a args) answer { return totalOfLooks(m, a.rows, ints(a, 4)) },
	}
}

// totalOfLooks is the sum of the values of the keys that n rows draw.
func totalOfLooks(m, n int64, list []int32) answer {
	values := make([]int32, m)
	for i, value := range list {
		values[orderOf(int64(i), m)] = value
	}
	return sumOf(n, func(i int64) int32 { return values[random(14, i)%uint64(m)] })
}

// sumOf is the sum of the values of n rows.
func sumOf(n int64, value func(i int64) int32) answer {
	total := atomic.Int64{}
	parallel(n, func(_ int, lo, hi int64) {
		part := int64(0)
		for i := lo; i < hi; i++ {
			part += int64(value(i))
		}
		total.Add(part)
	})
	return answer{Scalar: float64(total.Load())}
}
