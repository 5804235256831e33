package main

import (
	"fmt"
	"math"

	"github.com/kgen-go/kgen/plan"
)

// spreads are the distributions of keys, in the order of the table.
var spreads = []string{"uniform", "skewed", "sorted", "constant"}

// favourite is the key that all rows have in common, or 80 % of them.
const favourite = 5

// spreadOf returns a distribution of the keys 0 to below n.
func spreadOf[T uint8 | int32](kind plan.Kind, spread string, n int64) distribution {
	key := map[string]func(i, rows int64) int64{
		"uniform": func(i, _ int64) int64 { return int64(random(11, i) % uint64(n)) },
		"skewed": func(i, _ int64) int64 {
			if random(12, i)%10 < 8 {
				return favourite
			}
			return int64(random(11, i) % uint64(n))
		},
		"sorted":   func(i, rows int64) int64 { return int64(float64(i) / float64(rows) * float64(n)) },
		"constant": func(int64, int64) int64 { return favourite },
	}[spread]
	return distribution{kind: kind, fill: func(data []byte, lo, hi int64) {
		list := elements[T](data)
		for i := lo; i < hi; i++ {
			list[i] = T(key(i, int64(len(list))))
		}
	}}
}

func init() {
	for _, spread := range spreads {
		distributions["bytes "+spread] = spreadOf[uint8](plan.U8, spread, 256)
		for _, n := range []int64{256, 1024, 8192, 32768, 65536, 1 << 20, 1 << 24} {
			distributions[fmt.Sprintf("%d %s", n, spread)] = spreadOf[int32](plan.I32, spread, n)
		}
	}
}

// bin is what the plain loop has of a bin.
type bin struct {
	rows, total int64
	low, high   int32
}

// manyBins are so many that each worker reads all rows and has some of the bins, in place of a table of
// all bins for some of the rows.
const manyBins = 1 << 20

// combinedByBin combines the rows by their key, below n.
func combinedByBin(a args, n int, key func(i int64) int) []bin {
	var value []int32
	if len(a.columns) > 1 {
		value = ints(a, 1)
	}
	combine := func(table []bin, first int, lo, hi int64) {
		for i := range table {
			table[i].low, table[i].high = math.MaxInt32, math.MinInt32
		}
		for i := lo; i < hi; i++ {
			at := uint(key(i) - first)
			if at >= uint(len(table)) {
				continue
			}
			b := &table[at]
			b.rows++
			if value != nil {
				b.total += int64(value[i])
				b.low, b.high = min(b.low, value[i]), max(b.high, value[i])
			}
		}
	}
	if n > manyBins {
		all := make([]bin, n)
		parallel(int64(n), func(_ int, lo, hi int64) { combine(all[lo:hi], int(lo), 0, a.rows) })
		return all
	}
	tables := make([][]bin, workers())
	parallel(a.rows, func(worker int, lo, hi int64) {
		tables[worker] = make([]bin, n)
		combine(tables[worker], 0, lo, hi)
	})
	all := tables[0]
	for _, table := range tables[1:] {
		for i, b := range table {
			all[i].rows += b.rows
			all[i].total += b.total
			all[i].low, all[i].high = min(all[i].low, b.low), max(all[i].high, b.high)
		}
	}
	return all
}

// columnsOf returns the digests of results that follow from the bins.
func columnsOf(bins []bin, results ...func(b bin) int64) answer {
	digests := make([]digest, len(results))
	for _, b := range bins {
		for i, result := range results {
			digests[i].add(result(b))
		}
	}
	return several(digests...)
}

func rowsOf(b bin) int64  { return b.rows }
func totalOf(b bin) int64 { return b.total }
func lowOf(b bin) int64 {
	if b.rows == 0 {
		return 0
	}
	return int64(b.low)
}
func highOf(b bin) int64 {
	if b.rows == 0 {
		return 0
	}
	return int64(b.high)
}
func meanOf(b bin) int64 {
	if b.rows == 0 {
		return 0
	}
	return int64(math.Float64bits(float64(b.total) / float64(b.rows)))
}

// byBins are the workloads of tables.
func byBins() (list []workload) {
	add := func(name, pipeline, key string, n int, peers []peer, best float64, results ...func(b bin) int64) {
		for _, spread := range spreads {
			w := workload{name: name + ", " + spread, pipeline: pipeline, columns: []column{{"key", key + " " + spread}}, peers: peers, goal: goals{best: best, opencl: .9 * best}}
			if len(results) > 1 || pipeline[0] != 'c' {
				w.columns = append(w.columns, column{"value", "value"})
			}
			w.expect = func(a args) answer {
				at := func(i int64) int { return int(ints(a, 0)[i]) }
				if key == "bytes" {
					at = func(i int64) int { return int(a.columns[0].Data[i]) }
				}
				return columnsOf(combinedByBin(a, n, at), results...)
			}
			list = append(list, w)
		}
	}
	histogram := func(command string, n int) []peer {
		return []peer{{name: "CUB HistogramEven", command: fmt.Sprintf("%s %d", command, n)}}
	}
	add("count of bytes", "count_bytes", "bytes", 256, histogram("bytes", 256), .85, rowsOf)
	for _, n := range []int{256, 8192, 32768, 65536, 1 << 20, 1 << 24} {
		var peers []peer
		if n <= 65536 {
			peers = histogram("bins", n)
		}
		goal := map[int]float64{256: 1, 8192: 1, 32768: 1, 65536: .45, 1 << 20: .20, 1 << 24: .18}[n]
		add(fmt.Sprintf("count by %d bins", n), fmt.Sprintf("count_%d", n), fmt.Sprint(n), n, peers, goal, rowsOf)
	}
	for _, n := range []int{1024, 8192, 1 << 20, 1 << 24} {
		goal := map[int]float64{1024: 1, 8192: .8, 1 << 20: .21, 1 << 24: .16}[n]
		add(fmt.Sprintf("sum by %d bins", n), fmt.Sprintf("sum_%d", n), fmt.Sprint(n), n, nil, goal, totalOf)
	}
	add("avg by 1024 bins", "avg_1024", "1024", 1024, nil, .97, meanOf)
	add("count, sum, min, max by 1024 bins", "four_1024", "1024", 1024, nil, .60, rowsOf, totalOf, lowOf, highOf)
	list[len(list)-len(spreads)].goal = goals{best: .80, opencl: .72} // uniform
	return list
}
