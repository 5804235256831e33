//go:build goexperiment.simd && amd64 && linux

package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/kgen-go/kgen/generated/bench"
	"github.com/kgen-go/kgen/generated/simd"
	"github.com/kgen-go/kgen/generated/simd/plain"
)

// workload is one line of the table for each number of rows.
type workload struct {
	name    string
	prepare func(rows int) forms
}

var workloads = buildWorkloads()

func buildWorkloads() []workload {
	var list []workload
	for _, percent := range []int{1, 10, 50, 90} {
		list = append(list, workload{fmt.Sprintf("filter i32 %d %%", percent), func(rows int) forms { return filterForms(rows, percent) }})
	}
	list = append(list, workload{"sum i32", sumIntForms}, workload{"sum i64", sumLongForms}, workload{"sum f64", sumFloatForms}, workload{"scan i32", scanForms})
	for _, run := range []int{1, 8, 128, 65536} {
		list = append(list, workload{fmt.Sprintf("COUNT, runs of %d", run), func(rows int) forms { return runForms(rows, run) }})
	}
	for _, days := range []int32{1, 30, 365} {
		list = append(list, workload{fmt.Sprintf("Q6, %d days", days), func(rows int) forms { return q6Forms(rows, days) }})
	}
	for _, percent := range []int{1, 10, 33} {
		list = append(list, workload{fmt.Sprintf("filter of i64 and f64, %d %%", percent), func(rows int) forms { return columnForms(rows, percent) }})
	}
	return append(list, workload{"x * slope + height", lineForms})
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func filterForms(rows, percent int) forms {
	limit := int32(math.MinInt32 + int64(percent)*(1<<32)/100)
	x, out := randomInts[int32](rows), make([]int32, rows)
	emitted, vectors := plain.FilterI32Result{X: make([]int32, rows)}, simd.FilterI32Result{X: make([]int32, rows)}
	last := out
	return forms{run: [formCount]func(){
		isPlain: func() {
			must(plain.FilterI32Into(&emitted, x, limit, plain.WithWorkers(1)))
			last = emitted.X
		},
		isEmitted: func() {
			must(simd.FilterI32Into(&vectors, x, limit, simd.WithWorkers(1)))
			last = vectors.X
		},
		isAVX2:   func() { last = out[:filter2(out, x, limit)] },
		isAVX512: func() { last = out[:filter512(out, x, limit)] },
		isNative: func() { last = out[:nativeFilter(&out[0], &x[0], int64(rows), limit)] },
	}, result: func() any { return hash(last) }}
}

func sumIntForms(rows int) forms {
	x, sum := randomInts[int32](rows), int64(0)
	var emitted plain.SumI32Result
	var vectors simd.SumI32Result
	return forms{run: [formCount]func(){
		isPlain: func() {
			must(plain.SumI32Into(&emitted, x, plain.WithWorkers(1)))
			sum = emitted.Total
		},
		isEmitted: func() {
			must(simd.SumI32Into(&vectors, x, simd.WithWorkers(1)))
			sum = vectors.Total
		},
		isFourSums: func() { sum = sumFourInts(x) },
		isAVX2:     func() { sum = sumInts2(x) },
		isAVX512:   func() { sum = sumInts512(x) },
		isNative:   func() { sum = nativeSumInts(&x[0], int64(rows)) },
	}, result: func() any { return sum }}
}

func sumLongForms(rows int) forms {
	x, sum := randomInts[int64](rows), int64(0)
	var emitted plain.SumI64Result
	var vectors simd.SumI64Result
	return forms{run: [formCount]func(){
		isPlain: func() {
			must(plain.SumI64Into(&emitted, x, plain.WithWorkers(1)))
			sum = emitted.Total
		},
		isEmitted: func() {
			must(simd.SumI64Into(&vectors, x, simd.WithWorkers(1)))
			sum = vectors.Total
		},
		isFourSums: func() { sum = sumFourLongs(x) },
		isAVX2:     func() { sum = sumLongs2(x) },
		isAVX512:   func() { sum = sumLongs512(x) },
		isNative:   func() { sum = nativeSumLongs(&x[0], int64(rows)) },
	}, result: func() any { return sum }}
}

func sumFloatForms(rows int) forms {
	x, sum := randomFloats(rows), 0.0
	var emitted plain.SumF64Result
	var vectors simd.SumF64Result
	return forms{run: [formCount]func(){
		isPlain: func() {
			must(plain.SumF64Into(&emitted, x, plain.WithWorkers(1)))
			sum = emitted.Total
		},
		isEmitted: func() {
			must(simd.SumF64Into(&vectors, x, simd.WithWorkers(1)))
			sum = vectors.Total
		},
		isFourSums: func() { sum = sumFourFloats(x) },
		isAVX2:     func() { sum = sumFloats2(x) },
		isAVX512:   func() { sum = sumFloats512(x) },
		isNative:   func() { sum = nativeSumFloats(&x[0], int64(rows)) },
	}, result: func() any { return sum }, agree: near}
}

func scanForms(rows int) forms {
	x, out := randomInts[int32](rows), make([]int32, rows)
	emitted := bench.ScanI32Result{Total: make([]int32, rows)}
	last := out
	return forms{run: [formCount]func(){
		isPlain: func() {
			must(bench.ScanI32Into(&emitted, x, bench.WithWorkers(1)))
			last = emitted.Total
		},
		isAVX2:   func() { scan2(out, x); last = out },
		isAVX512: func() { scan512(out, x); last = out },
	}, result: func() any { return hash(last) }}
}

func runForms(rows, run int) forms {
	key, outKey, outCount, found := randomRuns(rows, run), make([]int32, rows), make([]int64, rows), 0
	var emitted bench.CountRunsResult
	keys, counts := outKey, outCount
	own := func(f func(outKey []int32, outCount []int64, key []int32) int) func() {
		return func() {
			found = f(outKey, outCount, key)
			keys, counts = outKey[:found], outCount[:found]
		}
	}
	return forms{run: [formCount]func(){
		isPlain: func() {
			must(bench.CountRunsInto(&emitted, key, bench.WithWorkers(1)))
			keys, counts = emitted.Key, emitted.Count
		},
		isAVX2:   own(countRuns2),
		isAVX512: own(countRuns512),
	}, result: func() any { return [2]uint64{hash(keys), hash(counts)} }}
}

func q6Forms(rows int, days int32) forms {
	const from = 8766 // the beginning of 1994
	to := from + days
	r := rand.New(rand.NewPCG(5, 6))
	date, discount, quantity, price := make([]int32, rows), make([]float64, rows), make([]float64, rows), make([]float64, rows)
	for i := range date {
		date[i] = 8036 + int32(r.IntN(2526))
		discount[i] = float64(r.IntN(11)) / 100
		quantity[i] = float64(1 + r.IntN(50))
		price[i] = float64(90000+r.IntN(10000000)) / 100
	}
	sum := 0.0
	var emitted plain.Q6Result
	var vectors simd.Q6Result
	return forms{run: [formCount]func(){
		isPlain: func() {
			must(plain.Q6Into(&emitted, date, discount, quantity, price, from, to, plain.WithWorkers(1)))
			sum = emitted.Revenue
		},
		isEmitted: func() {
			must(simd.Q6Into(&vectors, date, discount, quantity, price, from, to, simd.WithWorkers(1)))
			sum = vectors.Revenue
		},
		isAVX2:   func() { sum = q62(date, discount, quantity, price, from, to) },
		isAVX512: func() { sum = q6512(date, discount, quantity, price, from, to) },
	}, result: func() any { return sum }, agree: near}
}

func columnForms(rows, percent int) forms {
	limit := int32(math.MinInt32 + int64(percent)*(1<<32)/100)
	x, y, z := randomInts[int32](rows), randomInts[int64](rows), randomFloats(rows)
	emitted, vectors := plain.FilterColumnsResult{Y: make([]int64, rows), Z: make([]float64, rows)}, simd.FilterColumnsResult{Y: make([]int64, rows), Z: make([]float64, rows)}
	var last []int64
	return forms{run: [formCount]func(){
		isPlain: func() {
			must(plain.FilterColumnsInto(&emitted, x, y, z, limit, plain.WithWorkers(1)))
			last = emitted.Y
		},
		isEmitted: func() {
			must(simd.FilterColumnsInto(&vectors, x, y, z, limit, simd.WithWorkers(1)))
			last = vectors.Y
		},
	}, result: func() any { return hash(last) }}
}

func lineForms(rows int) forms {
	x := randomFloats(rows)
	emitted, vectors := plain.LineF64Result{Y: make([]float64, rows)}, simd.LineF64Result{Y: make([]float64, rows)}
	var last []float64
	return forms{run: [formCount]func(){
		isPlain: func() {
			must(plain.LineF64Into(&emitted, x, 1.5, 3, plain.WithWorkers(1)))
			last = emitted.Y
		},
		isEmitted: func() {
			must(simd.LineF64Into(&vectors, x, 1.5, 3, simd.WithWorkers(1)))
			last = vectors.Y
		},
	}, result: func() any {
		sum := 0.0
		for _, y := range last {
			sum += y
		}
		return sum
	}}
}
