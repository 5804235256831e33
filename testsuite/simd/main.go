//go:build goexperiment.simd && amd64 && linux

// Command simd measures what vectors of simd/archsimd would gain: hand-written
// loops with AVX-512 and AVX2 beside the plain Go that kgen emits, and beside C
// with intrinsics. It takes Linux, an experiment of Go 1.26, and gcc:
//
//	GOEXPERIMENT=simd go run ./testsuite/simd
//
// Times are processor time of one worker, the least of interleaved runs.
package main

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"simd/archsimd"
	"slices"
	"text/tabwriter"

	"golang.org/x/sys/unix"
)

func main() {
	pattern := flag.String("run", ".", "workloads to measure, a regular expression")
	rounds := flag.Int("rounds", 9, "interleaved runs of which the least counts")
	flag.Parse()
	chosen, err := regexp.Compile(*pattern)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if !archsimd.X86.AVX512() {
		fmt.Fprintln(os.Stderr, "simd: this machine has no AVX-512")
		os.Exit(1)
	}
	if err := loadNative(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	debug.SetGCPercent(-1) // no collection while times are taken
	runtime.LockOSThread()
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "workload\trows\tplain ns/row\tplain, 4 sums\temitted\tby hand, AVX2\tby hand, AVX-512\tC, AVX-512\tplain/emitted\tplain/by hand\temitted/C\t")
	for _, load := range workloads {
		if !chosen.MatchString(load.name) {
			continue
		}
		for _, rows := range []int{1 << 16, 1 << 25} {
			times, err := measure(load.prepare(rows), rows, *rounds)
			if err != nil {
				fmt.Fprintln(os.Stderr, load.name+":", err)
				os.Exit(1)
			}
			fmt.Fprintln(w, line(load.name, rows, times))
			debug.FreeOSMemory()
		}
	}
	w.Flush()
}

// The forms of a workload, in the order of the table.
const (
	isPlain    = iota // as kgen emits it
	isFourSums        // plain, in four sums
	isEmitted         // as kgen emits it with --simd
	isAVX2            // the next two are of this folder
	isAVX512
	isNative // C
	formCount
)

// forms run a workload once each. A form that is nil is not measured. result
// returns what the last run computed.
type forms struct {
	run    [formCount]func()
	result func() any
	agree  func(x, y any) bool // nil is ==
}

// measure returns the least processor time of a row for each form.
func measure(f forms, rows, rounds int) ([formCount]float64, error) {
	var least [formCount]float64
	calls := max(1, 1<<22/rows)
	var want any
	for round := range rounds + 1 { // the first touches the memory, and compares
		for i, run := range f.run {
			if run == nil {
				continue
			}
			before := processorTime()
			for range calls {
				run()
			}
			took := (processorTime() - before) / float64(calls*rows)
			if round > 0 && (least[i] == 0 || took < least[i]) {
				least[i] = took
			}
			if round == 0 {
				got := f.result()
				if i == isPlain {
					want = got
				} else if f.agree == nil && got != want || f.agree != nil && !f.agree(got, want) {
					return least, fmt.Errorf("form %d has %v, plain Go %v", i, got, want)
				}
			}
		}
	}
	return least, nil
}

// processorTime is what this thread has had, in nanoseconds.
func processorTime() float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return float64(t.Nano())
}

// line is a line of the table.
func line(name string, rows int, times [formCount]float64) string {
	text := fmt.Sprintf("%s\t%d\t", name, rows)
	cell := func(x float64, format string) {
		if x != 0 && !math.IsInf(x, 0) && !math.IsNaN(x) {
			text += fmt.Sprintf(format, x)
		}
		text += "\t"
	}
	for _, t := range times {
		cell(t, "%.3f")
	}
	cell(times[isPlain]/times[isEmitted], "%.1f")
	cell(times[isPlain]/times[isAVX512], "%.1f")
	cell(times[isEmitted]/times[isNative], "%.2f")
	return text
}

// near compares sums of floats that were added in different orders.
func near(x, y any) bool {
	a, b := x.(float64), y.(float64)
	return math.Abs(a-b) <= 1e-6*(1+math.Abs(b))
}

// hash stands for a column in comparisons.
func hash[T int32 | int64](list []T) uint64 {
	h := uint64(len(list))
	for _, v := range list {
		h = h*0x9e3779b97f4a7c15 + uint64(v)
	}
	return h
}

func randomInts[T int32 | int64](rows int) []T {
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]T, rows)
	for i := range list {
		list[i] = T(r.Uint64())
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

// randomRuns returns ascending keys in runs of run rows on average.
func randomRuns(rows, run int) []int32 {
	r := rand.New(rand.NewPCG(3, 4))
	list := make([]int32, rows)
	for i := range list {
		if i > 0 {
			list[i] = list[i-1]
		}
		if run == 1 || r.IntN(run) == 0 {
			list[i]++
		}
	}
	return slices.Clip(list)
}
