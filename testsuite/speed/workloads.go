package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/kgen-go/kgen/generated/bench"
	"github.com/kgen-go/kgen/generated/bench/unfused"
	"github.com/kgen-go/kgen/testsuite/internal/peers"
)

// The data of the current workload. Runs reuse the memory of results.
var (
	key, value, date          []int32
	discount, quantity, price []float64
	outKey                    []int32
	outCount, outSum          []int64

	scanned  bench.ScanI32Result
	filtered bench.FilterI32Result
	counted  bench.CountRunsResult
	summed   bench.SumRunsResult
	revenue  bench.Q6Result
	lowest   bench.ArgminF64Result

	scannedUnfused  unfused.ScanI32Result
	filteredUnfused unfused.FilterI32Result
	countedUnfused  unfused.CountRunsResult
	summedUnfused   unfused.SumRunsResult
	revenueUnfused  unfused.Q6Result
	lowestUnfused   unfused.ArgminF64Result

	rowsFound  int
	peerResult float64
)

func clearData() {
	key, value, date, discount, quantity, price, outKey, outCount, outSum = nil, nil, nil, nil, nil, nil, nil, nil, nil
	scanned, filtered, counted, summed = bench.ScanI32Result{}, bench.FilterI32Result{}, bench.CountRunsResult{}, bench.SumRunsResult{}
	scannedUnfused, filteredUnfused = unfused.ScanI32Result{}, unfused.FilterI32Result{}
	countedUnfused, summedUnfused = unfused.CountRunsResult{}, unfused.SumRunsResult{}
}

var workloads = buildWorkloads()

func buildWorkloads() []workload {
	list := []workload{{
		pipeline: "scan_i32", args: func() []any { return []any{value} },
		name: "scan i32", bytes: 8,
		prepare: func(rows int) { value, outKey = randomInts(rows), make([]int32, rows) },
		emitted: func(workers int) { must(bench.ScanI32Into(&scanned, value, bench.WithWorkers(workers))) },
		unfused: func(workers int) { must(unfused.ScanI32Into(&scannedUnfused, value, unfused.WithWorkers(workers))) },
		peer:    func(workers int) { peers.Scan(outKey, value, workers) },
		agree:   func() error { return same("sums", scanned.Total, outKey) },
	}}
	for _, percent := range []int{1, 10, 50, 90} {
		limit := int32(math.MinInt32 + int64(percent)*(1<<32)/100)
		list = append(list, workload{
			pipeline: "filter_i32", args: func() []any { return []any{value, limit} },
			name: fmt.Sprintf("filter i32 %d %%", percent), bytes: 4 + 4*percent/100,
			prepare: func(rows int) { value, outKey = randomInts(rows), make([]int32, rows+1) },
			emitted: func(workers int) { must(bench.FilterI32Into(&filtered, value, limit, bench.WithWorkers(workers))) },
			unfused: func(workers int) {
				must(unfused.FilterI32Into(&filteredUnfused, value, limit, unfused.WithWorkers(workers)))
			},
			peer:  func(workers int) { rowsFound = peers.Filter(outKey, value, limit, workers) },
			agree: func() error { return same("rows", filtered.X, outKey[:rowsFound]) },
		})
	}
	for _, run := range []int{1, 8, 128, 65536} {
		list = append(list, workload{
			pipeline: "count_runs", args: func() []any { return []any{key} },
			name: fmt.Sprintf("COUNT, runs of %d", run), bytes: 4 + 12/run,
			prepare: func(rows int) {
				key = randomRuns(rows, run)
				outKey, outCount = make([]int32, rows), make([]int64, rows)
			},
			emitted: func(workers int) { must(bench.CountRunsInto(&counted, key, bench.WithWorkers(workers))) },
			unfused: func(workers int) { must(unfused.CountRunsInto(&countedUnfused, key, unfused.WithWorkers(workers))) },
			peer:    func(workers int) { rowsFound = peers.CountRuns(outKey, outCount, key, workers) },
			agree: func() error {
				return first(same("keys", counted.Key, outKey[:rowsFound]), same("counts", counted.Count, outCount[:rowsFound]))
			},
		})
	}
	for _, run := range []int{1, 8, 128, 65536} {
		list = append(list, workload{
			pipeline: "sum_runs", args: func() []any { return []any{key, value} },
			name: fmt.Sprintf("COUNT+SUM, runs of %d", run), bytes: 8 + 20/run,
			prepare: func(rows int) {
				key, value = randomRuns(rows, run), randomInts(rows)
				outKey, outCount, outSum = make([]int32, rows), make([]int64, rows), make([]int64, rows)
			},
			emitted: func(workers int) { must(bench.SumRunsInto(&summed, key, value, bench.WithWorkers(workers))) },
			unfused: func(workers int) {
				must(unfused.SumRunsInto(&summedUnfused, key, value, unfused.WithWorkers(workers)))
			},
			peer: func(workers int) { rowsFound = peers.SumRuns(outKey, outCount, outSum, key, value, workers) },
			agree: func() error {
				return first(same("keys", summed.Key, outKey[:rowsFound]), same("counts", summed.Count, outCount[:rowsFound]),
					same("sums", summed.Total, outSum[:rowsFound]))
			},
		})
	}
	const from, to = 8766, 9131 // 1994
	return append(list, workload{
		pipeline: "argmin_f64", args: func() []any { return []any{price} },
		name: "argmin f64", bytes: 8,
		prepare: func(rows int) { price = randomFloats(rows) },
		emitted: func(workers int) { must(bench.ArgminF64Into(&lowest, price, bench.WithWorkers(workers))) },
		unfused: func(workers int) { must(unfused.ArgminF64Into(&lowestUnfused, price, unfused.WithWorkers(workers))) },
		peer:    func(workers int) { rowsFound = peers.Argmin(price, workers) },
		agree:   func() error { return same("rows", []int64{lowest.Row}, []int64{int64(rowsFound)}) },
	}, workload{
		pipeline: "q6", args: func() []any { return []any{date, discount, quantity, price, int32(from), int32(to)} },
		name: "Q6", bytes: 28,
		prepare: randomLineitem,
		emitted: func(workers int) {
			must(bench.Q6Into(&revenue, date, discount, quantity, price, from, to, bench.WithWorkers(workers)))
		},
		unfused: func(workers int) {
			must(unfused.Q6Into(&revenueUnfused, date, discount, quantity, price, from, to, unfused.WithWorkers(workers)))
		},
		peer: func(workers int) { peerResult = peers.Q6(date, discount, quantity, price, from, to, workers) },
		agree: func() error {
			if math.Abs(revenue.Revenue-peerResult) > 1e-9*math.Abs(peerResult) {
				return fmt.Errorf("revenue %v, hand-written %v", revenue.Revenue, peerResult)
			}
			return nil
		},
	})
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func first(errors ...error) error {
	for _, err := range errors {
		if err != nil {
			return err
		}
	}
	return nil
}

func same[T comparable](what string, got, want []T) error {
	if !slices.Equal(got, want) {
		return fmt.Errorf("%s differ from those of the hand-written form", what)
	}
	return nil
}

func randomInts(rows int) []int32 {
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]int32, rows)
	for i := range list {
		list[i] = int32(r.Uint32())
	}
	return list
}

func randomFloats(rows int) []float64 {
	r := rand.New(rand.NewPCG(7, 8))
	list := make([]float64, rows)
	for i := range list {
		list[i] = r.NormFloat64()
	}
	return list
}

// randomRuns returns ascending keys in runs of run rows on average; runs of 1
// are all distinct.
func randomRuns(rows, run int) []int32 {
	r := rand.New(rand.NewPCG(3, 4))
	list := make([]int32, rows)
	k := int32(0)
	for i := range list {
		if run == 1 || r.IntN(run) == 0 {
			k++
		}
		list[i] = k
	}
	return list
}

// randomLineitem makes the columns of Q6 with the distributions of TPC-H.
func randomLineitem(rows int) {
	r := rand.New(rand.NewPCG(5, 6))
	date = make([]int32, rows)
	discount, quantity, price = make([]float64, rows), make([]float64, rows), make([]float64, rows)
	for i := range date {
		date[i] = 8036 + int32(r.IntN(2526))
		discount[i] = float64(r.IntN(11)) / 100
		quantity[i] = float64(1 + r.IntN(50))
		price[i] = float64(90000+r.IntN(10000000)) / 100
	}
}
