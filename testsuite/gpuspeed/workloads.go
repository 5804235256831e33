package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// workload is a row of the table.
type workload struct {
	name     string
	pipeline string
	columns  []column          // the arguments, in order
	set      map[string]int64  // scalar arguments of i32 and date
	expect   func(args) answer // what it returns, by a plain loop
	peers    []peer            // how CUB does the same
	goal     goals
	within   float64 // a goal in milliseconds, or 0
	asked    bool    // runs only if -run chooses it
}

// column is a parameter and the distribution that it gets.
type column struct{ param, from string }

// peer is a command of peers.cu. If it computes less than the workload, it says
// how many of its results it has, and how many bytes each row and each row of the
// result move at least.
type peer struct {
	name         string
	command      string
	results      int
	perRow, each int64
}

// goals are shares of the copy and multiples of CUB's rate, and of OpenCL C also milliseconds; 0 is none.
type goals struct{ best, lookback, cub, opencl, openclCUB, openclWithin float64 }

func (g goals) onOpenCL() bool { return g.opencl+g.openclCUB+g.openclWithin > 0 }

// args are columns of a workload as a plain loop reads them.
type args struct {
	rows    int64
	columns []exec.Column
}

func ints(a args, i int) []int32       { return elements[int32](a.columns[i].Data) }
func floats(a args, i int) []float64   { return elements[float64](a.columns[i].Data) }
func one(d digest) answer              { return answer{Columns: []digest{d}} }
func several(digests ...digest) answer { return answer{Columns: digests} }

var runLengths = []int{1, 8, 128, 65536}

// workloads are the rows in the order of the table.
func workloads() []workload {
	list := []workload{{
		name: "inclusive scan", pipeline: "scan_i32", columns: []column{{"x", "value"}},
		expect: func(a args) answer {
			var d digest
			total := int32(0)
			for _, x := range ints(a, 0) {
				total += x
				d.add(int64(total))
			}
			return one(d)
		},
		peers: []peer{{name: "CUB InclusiveSum", command: "scan"}},
		goal:  goals{best: .92, lookback: .92, cub: 1.25, opencl: .90},
	}}
	for _, percent := range []int{1, 10, 50, 90} {
		w := workload{
			name: fmt.Sprintf("filter %d %%", percent), pipeline: "filter_i32", columns: []column{{"x", "percent"}},
			set: map[string]int64{"limit": int64(percent)},
			expect: func(a args) answer {
				var d digest
				for _, x := range ints(a, 0) {
					if x < int32(percent) {
						d.add(int64(x))
					}
				}
				return one(d)
			},
			peers: []peer{{name: "CUB Select::If", command: fmt.Sprintf("filter %d", percent)}},
			goal:  goals{best: .90, lookback: .80, cub: map[int]float64{1: 1.6, 90: 1.4}[percent], opencl: .90},
		}
		list = append(list, w)
	}
	for i, run := range runLengths {
		list = append(list, workload{
			name: fmt.Sprintf("COUNT, runs of %d", run), pipeline: "count_runs", columns: []column{{"key", fmt.Sprintf("key%d", run)}},
			expect: countsOfRuns,
			peers:  []peer{{name: "CUB RunLengthEncode", command: "count"}},
			goal:   goals{best: []float64{.88, .92, .88, .88}[i], lookback: []float64{.85, .76, .70, .70}[i], cub: []float64{1.3, 2, 2, 2}[i], opencl: .80},
		})
	}
	for i, run := range runLengths {
		list = append(list, workload{
			name: fmt.Sprintf("COUNT+SUM, runs of %d", run), pipeline: "sum_runs",
			columns: []column{{"key", fmt.Sprintf("key%d", run)}, {"value", "value"}},
			expect: func(a args) answer {
				var keys, counts, sums digest
				value := ints(a, 1)
				eachRun(ints(a, 0), func(key int32, lo, hi int) {
					sum := int64(0)
					for _, v := range value[lo:hi] {
						sum += int64(v)
					}
					keys.add(int64(key))
					counts.add(int64(hi - lo))
					sums.add(sum)
				})
				return several(keys, counts, sums)
			},
			peers: []peer{
				{name: "CUB ReduceByKey", command: "sum"},
				{name: "CUB ReduceByKey, i32 sums alone", command: "sum32", results: 1, perRow: 8, each: 8},
			},
			goal: goals{best: []float64{.87, .78, .72, .72}[i], lookback: []float64{.80, .70, .65, .65}[i], cub: []float64{1.25, 1.5, 1.5, 1.4}[i]},
		})
	}
	for i, run := range runLengths {
		list = append(list, workload{
			name: fmt.Sprintf("MIN+MAX, runs of %d", run), pipeline: "extremes",
			columns: []column{{"key", fmt.Sprintf("key%d", run)}, {"value", "value"}},
			expect: func(a args) answer {
				var keys, lows, highs digest
				value := ints(a, 1)
				eachRun(ints(a, 0), func(key int32, lo, hi int) {
					low, high := int32(math.MaxInt32), int32(math.MinInt32)
					for _, v := range value[lo:hi] {
						low, high = min(low, v), max(high, v)
					}
					keys.add(int64(key))
					lows.add(int64(low))
					highs.add(int64(high))
				})
				return several(keys, lows, highs)
			},
			peers: []peer{{name: "CUB ReduceByKey", command: "extremes"}},
			goal:  goals{best: []float64{.80, .60, .55, .60}[i], lookback: .55},
		})
	}
	return slices.Concat(list, others(), byRows(), byBins(), byOrder(), byGroups(), byJoin(), byStar())
}

// others are Q6 and the pipelines that no prototype covers.
func others() []workload {
	const from, to = 8766, 9131 // 1994
	list := []workload{{
		name: "Q6", pipeline: "q6",
		columns: []column{{"shipdate", "date"}, {"discount", "discount"}, {"quantity", "quantity"}, {"price", "price"}},
		set:     map[string]int64{"from": from, "to": to},
		expect: func(a args) answer {
			sum := 0.0
			date, discount, quantity, price := ints(a, 0), floats(a, 1), floats(a, 2), floats(a, 3)
			for i, d := range date {
				if d >= from && d < to && discount[i] >= 0.05 && discount[i] <= 0.07 && quantity[i] < 24 {
					sum += price[i] * discount[i]
				}
			}
			return answer{Scalar: sum}
		},
		peers: []peer{{name: "CUB TransformReduce", command: fmt.Sprintf("q6 %d %d", from, to)}},
		goal:  goals{best: 1, lookback: 1},
	}, {
		name: "three columns, two filtered", pipeline: "filter_columns", columns: []column{{"x", "percent"}, {"y", "long"}, {"z", "double"}},
		set: map[string]int64{"limit": 50},
		expect: func(a args) answer {
			var y, z digest
			long, double := elements[int64](a.columns[1].Data), elements[int64](a.columns[2].Data)
			for i, x := range ints(a, 0) {
				if x < 50 {
					y.add(long[i])
					z.add(double[i])
				}
			}
			return several(y, z)
		},
	}, {
		name: "filter, then runs", pipeline: "runs_below", columns: []column{{"key", "key8"}, {"value", "percent"}},
		set: map[string]int64{"limit": 50},
		expect: func(a args) answer {
			var keys, counts digest
			var kept []int32
			value := ints(a, 1)
			for i, k := range ints(a, 0) {
				if value[i] < 50 {
					kept = append(kept, k)
				}
			}
			eachRun(kept, func(key int32, lo, hi int) {
				keys.add(int64(key))
				counts.add(int64(hi - lo))
			})
			return several(keys, counts)
		},
	}, longRunsBelow(5), longRunsBelow(50), longRunsBelow(90), {
		name: "segmented scan", pipeline: "running_sums", columns: []column{{"key", "key128"}, {"value", "value"}},
		expect: func(a args) answer {
			var d digest
			value := ints(a, 1)
			eachRun(ints(a, 0), func(_ int32, lo, hi int) {
				total := int32(0)
				for _, v := range value[lo:hi] {
					total += v
					d.add(int64(total))
				}
			})
			return one(d)
		},
	}, {
		name: "two scans", pipeline: "two_scans", columns: []column{{"x", "value"}, {"y", "other"}},
		expect: func(a args) answer {
			var totals, tops digest
			total, top := int32(0), int32(math.MinInt32)
			y := ints(a, 1)
			for i, x := range ints(a, 0) {
				total += x
				top = max(top, y[i])
				totals.add(int64(total))
				tops.add(int64(top))
			}
			return several(totals, tops)
		},
	}}
	for i := range list[1:] {
		list[1+i].goal = goals{best: .65, lookback: .65}
	}
	return list
}

func countsOfRuns(a args) answer {
	var keys, counts digest
	eachRun(ints(a, 0), func(key int32, lo, hi int) {
		keys.add(int64(key))
		counts.add(int64(hi - lo))
	})
	return several(keys, counts)
}

// eachRun calls do for each run of equal keys.
func eachRun[K int32 | int64](keys []K, do func(key K, lo, hi int)) {
	for lo := 0; lo < len(keys); {
		hi := lo + 1
		for hi < len(keys) && keys[hi] == keys[lo] {
			hi++
		}
		do(keys[lo], lo, hi)
		lo = hi
	}
}

// arguments makes the columns of a workload.
func (w *workload) arguments(data *columns) (args, error) {
	a := args{rows: data.rows}
	for _, c := range w.columns {
		made, err := data.get(c.from)
		if err != nil {
			return a, err
		}
		a.columns = append(a.columns, made)
	}
	return a, nil
}

// inputs are the arguments in the form that a plan takes.
func (w *workload) inputs(p *plan.Plan, a args) exec.Inputs {
	in := exec.Inputs{Columns: map[string]exec.Column{}, Scalars: map[string]exec.Value{}}
	for i, c := range w.columns {
		in.Columns[c.param] = a.columns[i]
	}
	for _, port := range p.Ports {
		if value, ok := w.set[port.Name]; ok && port.Direction == plan.In {
			in.Scalars[port.Name] = exec.Value{Kind: port.Kind, Bits: uint64(value)}
		}
	}
	return in
}
