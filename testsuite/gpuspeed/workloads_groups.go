package main

import (
	"fmt"
	"math"

	"github.com/kgen-go/kgen/plan"
)

// groupRows are distributions of rows over groups, by the number of a row's group of n: other than
// uniform ones.
var groupRows = map[string]func(i, rows, n int64) int64{
	"skewed": func(i, _, n int64) int64 { // 80 % are of one group
		if random(12, i)%10 < 8 {
			return favourite
		}
		return int64(random(14, i) % uint64(n))
	},
	"zipf": func(i, _, n int64) int64 { // the exponent is about 1: logarithms of numbers are uniform
		u := float64(random(17, i)>>11) / (1 << 53)
		return min(int64(math.Pow(float64(n), u)), n) - 1
	},
	"clustered": func(i, rows, n int64) int64 { return int64(float64(i) / float64(rows) * float64(n)) }, // sorted, if keys are dense
}

// groupRowsOrder is the order in which workloads are listed.
var groupRowsOrder = []string{"skewed", "zipf", "clustered"}

// skewedGroups are the numbers of groups whose rows are not uniform.
var skewedGroups = []int{16, 1024, 4096, 65536, 1 << 20, 1 << 21, 1 << 22, 1 << 24}

// sortedGroups are the numbers of groups whose rows are sorted: keys lie so many bits apart that they have a range of as many as sortedBits.
var sortedGroups = []int{1 << 20, 1 << 22, 1 << 24}

const sortedBits = 30

func sortedKey(n int, number int64) int64 { return number * (1 << sortedBits / int64(n)) }

// wideGroups are the numbers of groups whose keys are wide, and wideGoals their shares of the copy.
var (
	wideGroups = []int{16, 1024, 4096, 1 << 20}
	wideGoals  = map[int]float64{16: .98, 1024: .76, 4096: .50, 1 << 20: .13}
)

// longKey and longNumber are inverse: keys of i64 that lie anywhere.
func longKey(number int64) int64 { return int64(uint64(number) * 0x9e3779b97f4a7c15) }
func longNumber(key int64) int64 { return int64(uint64(key) * 0xf1de83e19937733d) }

// randomGroups are the numbers of groups whose keys are random: those of spread ones are multiples of a number, for which
// a product by another may be a better hash than chance.
var randomGroups = []int{16, 1024, 4096, 65536, 1 << 20}

// randomKey and randomNumber are inverse: the finalizer of MurmurHash3, by A. Appleby.
func randomKey(number int64) int32 {
	x := uint32(number) + 77
	x = (x ^ x>>16) * 0x85ebca6b
	x = (x ^ x>>13) * 0xc2b2ae35
	return int32(x ^ x>>16)
}

func randomNumber(key int32) int64 {
	x := uint32(key)
	x = (x ^ x>>16) * 0x7ed1b41d
	x = (x ^ x>>13 ^ x>>26) * 0xa5cb9243
	return int64(uint32((x ^ x>>16) - 77))
}

// pairBits are the bits of a group's number that are the second of two keys.
const pairBits = 2

func firstOfPair(number int64) int32 { return numberings["spread"].key(number >> pairBits) }

func init() {
	for _, n := range skewedGroups {
		for name, numberOf := range groupRows {
			for kind, numbering := range numberings {
				distributions[fmt.Sprintf("%d %s groups, %s", n, kind, name)] = distribution{kind: plan.I32, fill: func(data []byte, lo, hi int64) {
					list := elements[int32](data)
					for i := lo; i < hi; i++ {
						list[i] = numbering.key(numberOf(i, int64(len(list)), int64(n)))
					}
				}}
			}
		}
	}
	for _, n := range sortedGroups {
		distributions[fmt.Sprintf("%d sorted keys", n)] = distribution{kind: plan.I32, fill: func(data []byte, lo, hi int64) {
			list := elements[int32](data)
			for i := lo; i < hi; i++ {
				list[i] = int32(sortedKey(n, groupRows["clustered"](i, int64(len(list)), int64(n))))
			}
		}}
	}
	for _, n := range randomGroups {
		distributions[fmt.Sprintf("any of %d random keys", n)] = distribution{kind: plan.I32, fill: each(func(i int64) int32 { return randomKey(int64(random(14, i) % uint64(n))) })}
	}
	for _, n := range wideGroups {
		number := func(i int64) int64 { return int64(random(14, i) % uint64(n)) }
		distributions[fmt.Sprintf("any of %d long keys", n)] = distribution{kind: plan.I64, fill: each(func(i int64) int64 { return longKey(number(i)) })}
		distributions[fmt.Sprintf("first of %d pairs", n)] = distribution{kind: plan.I32, fill: each(func(i int64) int32 { return firstOfPair(number(i)) })}
		distributions[fmt.Sprintf("second of %d pairs", n)] = distribution{kind: plan.I32, fill: each(func(i int64) int32 { return int32(number(i) & (1<<pairBits - 1)) })}
	}
}

// byGroups are groups whose rows are not uniform, and such of wide keys.
func byGroups() (list []workload) {
	for _, n := range skewedGroups {
		for _, kind := range []string{"dense", "spread"} {
			for _, name := range groupRowsOrder {
				label, expect := "groups", groupsOf
				if kind == "spread" {
					label, expect = "spread groups", spreadGroupsOf
				}
				list = append(list, workload{
					name: fmt.Sprintf("sum, count by %d %s, %s", n, label, name), pipeline: "sum_groups", asked: true,
					columns: []column{{"key", fmt.Sprintf("%d %s groups, %s", n, kind, name)}, {"value", "value"}},
					expect: func(a args) answer {
						keys, number := ints(a, 0), numberings[kind].number
						return expect(combinedByBin(a, n, func(i int64) int { return int(number(keys[i])) }))
					},
				})
			}
		}
	}
	for _, n := range sortedGroups {
		list = append(list, workload{
			name: fmt.Sprintf("sum, count by %d sorted groups", n), pipeline: "sum_groups", asked: true,
			columns: []column{{"key", fmt.Sprintf("%d sorted keys", n)}, {"value", "value"}},
			expect: func(a args) answer {
				keys, apart := ints(a, 0), sortedKey(n, 1)
				return groupsInOrder(combinedByBin(a, n, func(i int64) int { return int(int64(keys[i]) / apart) }), func(number int64) int64 { return sortedKey(n, number) })
			},
		})
	}
	for _, n := range randomGroups {
		list = append(list, workload{
			name: fmt.Sprintf("sum, count by %d random groups", n), pipeline: "sum_groups", within: groupGoals[n], asked: true,
			columns: []column{{"key", fmt.Sprintf("any of %d random keys", n)}, {"value", "value"}},
			expect: func(a args) answer {
				keys := ints(a, 0)
				bins := combinedByBin(a, n, func(i int64) int { return int(randomNumber(keys[i])) })
				return groupsInOrder(bins, func(number int64) int64 { return int64(randomKey(number)) })
			},
		})
	}
	for _, n := range wideGroups {
		list = append(list, workload{
			name: fmt.Sprintf("sum, count by %d groups of i64", n), pipeline: "sum_groups_i64", goal: goals{best: wideGoals[n]}, asked: true,
			columns: []column{{"key", fmt.Sprintf("any of %d long keys", n)}, {"value", "value"}},
			expect: func(a args) answer {
				keys := elements[int64](a.columns[0].Data)
				bins := combinedByBin(a, n, func(i int64) int { return int(longNumber(keys[i])) })
				return groupsInOrder(bins, longKey)
			},
		}, workload{
			name: fmt.Sprintf("sum, count by %d groups of two i32", n), pipeline: "sum_groups_two", goal: goals{best: wideGoals[n]}, asked: true,
			columns: []column{{"one", fmt.Sprintf("first of %d pairs", n)}, {"value", "value"}, {"two", fmt.Sprintf("second of %d pairs", n)}},
			expect: func(a args) answer {
				one, two, number := ints(a, 0), ints(a, 2), numberings["spread"].number
				bins := combinedByBin(a, n, func(i int64) int { return int(number(one[i])<<pairBits | uint32(two[i])) })
				first := func(number int64) int64 { return int64(firstOfPair(number)) }
				second := func(number int64) int64 { return number & (1<<pairBits - 1) }
				return groupsInOrder(bins, first, second)
			},
		})
	}
	return list
}
