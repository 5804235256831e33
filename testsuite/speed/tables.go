package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/kgen-go/kgen/generated/bench"
	"github.com/kgen-go/kgen/generated/tables"
)

// The data of workloads with sorts and tables, beside that of the others.
var (
	wide, wideID []int64
	id, weight   []int32
	texts        [][8]byte

	scratch     tables.Scratch // for intermediate columns of emitted Go
	withScratch = tables.WithScratch(&scratch)

	filteredColumns bench.FilterColumnsResult
	extremes        bench.ExtremesResult
	having          bench.HavingResult
	orderedInts     tables.OrderIntsResult
	orderedWide     tables.OrderWideResult
	orderedTexts    tables.OrderTextsResult
	orderedPairs    tables.OrderPairsResult
	leastRows       tables.LeastRowsResult
	groups          tables.SumGroupsResult
	joined          tables.SumJoinedResult
	found           tables.SumFoundResult
	foundRows       tables.FindRowsResult
	binSums         tables.SumBinsResult
	binRows         tables.ArgminBinsResult
	repeated        tables.RepeatRowsResult
)

func clearTables() {
	wide, wideID, id, weight, texts, scratch = nil, nil, nil, nil, nil, tables.Scratch{}
	filteredColumns, extremes, having = bench.FilterColumnsResult{}, bench.ExtremesResult{}, bench.HavingResult{}
	orderedInts, orderedWide, orderedTexts = tables.OrderIntsResult{}, tables.OrderWideResult{}, tables.OrderTextsResult{}
	orderedPairs, leastRows, groups = tables.OrderPairsResult{}, tables.LeastRowsResult{}, tables.SumGroupsResult{}
	binSums, binRows, repeated = tables.SumBinsResult{}, tables.ArgminBinsResult{}, tables.RepeatRowsResult{}
	joined, found, foundRows = tables.SumJoinedResult{}, tables.SumFoundResult{}, tables.FindRowsResult{}
}

// tableWorkloads are lines for the devices that compile nothing: more filters and runs, sorts, and
// pipelines with tables.
var tableWorkloads = buildTableWorkloads()

func buildTableWorkloads() []workload {
	var list []workload
	add := func(name, pipeline string, prepare func(rows int), args func() []any, emitted func(workers int)) {
		list = append(list, workload{name: name, pipeline: pipeline, prepare: prepare, args: args, emitted: emitted})
	}
	const tenth = -1717986918 // the limit below which a tenth of all numbers lies
	add("filter of two columns, 10 %", "filter_columns",
		func(rows int) { value, wide, price = randomInts(rows), randomWide(rows, 1<<62), randomFloats(rows) },
		func() []any { return []any{value, wide, price, int32(tenth)} },
		func(workers int) {
			must(bench.FilterColumnsInto(&filteredColumns, value, wide, price, tenth, bench.WithWorkers(workers)))
		})
	runs := func(rows int) { key, value = randomRuns(rows, 8), randomInts(rows) }
	add("MIN and MAX, runs of 8", "extremes", runs, func() []any { return []any{key, value} },
		func(workers int) { must(bench.ExtremesInto(&extremes, key, value, bench.WithWorkers(workers))) })
	add("HAVING, runs of 8", "having", runs, func() []any { return []any{key, value, int64(8)} },
		func(workers int) { must(bench.HavingInto(&having, key, value, 8, bench.WithWorkers(workers))) })

	add("order i32", "order_ints", func(rows int) { key = randomInts(rows) }, func() []any { return []any{key} },
		func(workers int) {
			must(tables.OrderIntsInto(&orderedInts, key, tables.WithWorkers(workers), withScratch))
		})
	for _, order := range []struct {
		name  string
		below int64
	}{{"order i64", 1 << 62}, {"order i64 below 1000", 1000}} {
		add(order.name, "order_wide", func(rows int) { wide = randomWide(rows, order.below) }, func() []any { return []any{wide} },
			func(workers int) {
				must(tables.OrderWideInto(&orderedWide, wide, tables.WithWorkers(workers), withScratch))
			})
	}
	add("order char8", "order_texts", func(rows int) { texts = randomTexts(rows) }, func() []any { return []any{texts} },
		func(workers int) {
			must(tables.OrderTextsInto(&orderedTexts, texts, tables.WithWorkers(workers), withScratch))
		})
	add("order i32 and f64", "order_pairs", func(rows int) { key, price = randomKeys(rows, 1000, false), randomFloats(rows) },
		func() []any { return []any{key, price} },
		func(workers int) {
			must(tables.OrderPairsInto(&orderedPairs, key, price, tables.WithWorkers(workers), withScratch))
		})
	add("1000 least of f64", "least_rows", func(rows int) { price = randomFloats(rows) }, func() []any { return []any{price, int64(1000)} },
		func(workers int) {
			must(tables.LeastRowsInto(&leastRows, price, 1000, tables.WithWorkers(workers), withScratch))
		})

	for _, c := range []struct {
		keys   int
		spread bool
	}{{16, false}, {1 << 16, false}, {1 << 10, true}, {1 << 16, true}, {1 << 22, true}} {
		add("groups of "+keysText(c.keys, c.spread), "sum_groups",
			func(rows int) { key, value = randomKeys(rows, c.keys, c.spread), randomInts(rows) },
			func() []any { return []any{key, value} },
			func(workers int) {
				must(tables.SumGroupsInto(&groups, key, value, tables.WithWorkers(workers), withScratch))
			})
	}
	for _, c := range []struct {
		name   string
		times  int
		spread bool
	}{{"join, dense keys", 1, false}, {"join, spread keys", 1, true}, {"join, 4 rows a key", 4, true}} {
		add(c.name, "sum_joined",
			func(rows int) {
				key, value = randomKeys(rows, 1<<16, c.spread), randomInts(rows)
				id, weight = randomDimension(1<<16, c.times, c.spread)
			},
			func() []any { return []any{key, value, id, weight} },
			func(workers int) {
				must(tables.SumJoinedInto(&joined, key, value, id, weight, tables.WithWorkers(workers), withScratch))
			})
	}
	for _, c := range []struct {
		name   string
		spread bool
	}{{"find, dense keys", false}, {"find, spread keys", true}} {
		add(c.name, "sum_found",
			func(rows int) {
				key = randomKeys(rows, 1<<16, c.spread)
				id, weight = randomDimension(1<<16, 1, c.spread)
			},
			func() []any { return []any{key, id, weight} },
			func(workers int) {
				must(tables.SumFoundInto(&found, key, id, weight, tables.WithWorkers(workers), withScratch))
			})
	}
	add("find i64", "find_rows",
		func(rows int) {
			wideID = randomWide(1<<16, 1<<62)
			wide = make([]int64, rows)
			for i, k := range randomKeys(rows, len(wideID), false) {
				wide[i] = wideID[k]
			}
		},
		func() []any { return []any{wide, wideID} },
		func(workers int) {
			must(tables.FindRowsInto(&foundRows, wide, wideID, tables.WithWorkers(workers), withScratch))
		})
	for _, bins := range []int{256, 1 << 16} {
		add(fmt.Sprintf("COUNT+SUM, %d bins", bins), "sum_bins",
			func(rows int) { key, value = randomKeys(rows, bins, false), randomInts(rows) },
			func() []any { return []any{key, value, int64(bins)} },
			func(workers int) {
				must(tables.SumBinsInto(&binSums, key, value, int64(bins), tables.WithWorkers(workers), withScratch))
			})
	}
	add("argmin of 256 bins", "argmin_bins",
		func(rows int) { key, wide = randomKeys(rows, 256, false), randomWide(rows, 1<<62) },
		func() []any { return []any{key, wide, int64(256)} },
		func(workers int) {
			must(tables.ArgminBinsInto(&binRows, key, wide, 256, tables.WithWorkers(workers), withScratch))
		})
	add("repeat, 0 to 3 times", "repeat_rows",
		func(rows int) { wide, key = randomWide(rows, 1<<62), randomKeys(rows, 4, false) },
		func() []any { return []any{wide, key} },
		func(workers int) {
			must(tables.RepeatRowsInto(&repeated, wide, key, tables.WithWorkers(workers), withScratch))
		})
	return list
}

func keysText(keys int, spread bool) string {
	if spread {
		return fmt.Sprintf("%d spread keys", keys)
	}
	return fmt.Sprintf("%d dense keys", keys)
}

// keyOf spreads the numbers of keys over all 32 bits.
func keyOf(k int, spread bool) int32 {
	if spread {
		return int32(uint32(k) * 2654435761)
	}
	return int32(k)
}

func randomKeys(rows, keys int, spread bool) []int32 {
	r := rand.New(rand.NewPCG(9, 10))
	list := make([]int32, rows)
	for i := range list {
		list[i] = keyOf(r.IntN(keys), spread)
	}
	return list
}

// randomDimension makes rows of which so many have each of some keys, in any order.
func randomDimension(keys, times int, spread bool) (id, weight []int32) {
	id, weight = make([]int32, keys*times), make([]int32, keys*times)
	for i, k := range rand.New(rand.NewPCG(11, 12)).Perm(len(id)) {
		id[i], weight[i] = keyOf(k%keys, spread), int32(k%1000)
	}
	return id, weight
}

func randomWide(rows int, below int64) []int64 {
	r := rand.New(rand.NewPCG(13, 14))
	list := make([]int64, rows)
	for i := range list {
		list[i] = r.Int64N(below)
	}
	return list
}

// randomTexts returns texts of 8 capital letters.
func randomTexts(rows int) [][8]byte {
	r := rand.New(rand.NewPCG(15, 16))
	list := make([][8]byte, rows)
	for i := range list {
		for j := range list[i] {
			list[i][j] = 'A' + byte(r.IntN(26))
		}
	}
	return list
}
