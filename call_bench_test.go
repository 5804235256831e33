package kgen_test

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/kgen-go/kgen"
	"github.com/kgen-go/kgen/internal/device/worker"
)

// BenchmarkCall measures what a call costs, with its columns and results on the device that
// KGEN_BENCH_DEVICE names, beside the device's own time for the fills and kernels: medians,
// in microseconds. The parts are those of [worker.Parts], each without the ones within it:
// what the caller's side does, what passes between the processes, what the worker does until
// all is queued, its wait for the device, and what it does then.
func BenchmarkCall(b *testing.B) {
	name := cmp.Or(os.Getenv("KGEN_BENCH_DEVICE"), "gocpu")
	d, err := kgen.Open(b.Context(), name)
	if err != nil {
		b.Skip(err)
	}
	defer d.Close()
	const head = "pipeline p(x: [n]i64, k: i64) {\n"
	for _, p := range []struct{ name, text string }{
		{"sum", "\treturn s: sum(x + k)\n}\n"},
		{"scan", "\ty = scan(add, x)\n\treturn y: y + k\n}\n"},
		{"filter", "\treturn y: x[x > k]\n}\n"},
		{"bins", "\tb = bins(x & 15, 16)\n\treturn s: sum(x + k, by: b), c: count(by: b)\n}\n"},
		{"filter_bins_first", "\tl = x > k\n\tb = bins((x & 15)[l], 16)\n\treturn f: first(x[l], by: b, else: 0), c: count(by: b)\n}\n"},
	} {
		program, err := kgen.Compile(head+p.text, "")
		if err != nil {
			b.Fatal(err)
		}
		for _, rows := range []int{1 << 10, 1 << 20, 1 << 24} {
			b.Run(p.name+"/"+strconv.Itoa(rows), func(b *testing.B) { benchmarkCall(b, d, program, rows) })
		}
	}
}

func benchmarkCall(b *testing.B, d *kgen.Device, program *kgen.Program, rows int) {
	e, err := program.On(b.Context(), d)
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	x := make([]int64, rows)
	for i := range x {
		x[i] = int64(i % 1000)
	}
	column, err := kgen.Upload(b.Context(), d, x)
	if err != nil {
		b.Fatal(err)
	}
	defer column.Free()
	var took []time.Duration
	var parts [5][]time.Duration
	call := func(k int) {
		begun := time.Now()
		out, err := e.Run(b.Context(), kgen.Args{"x": column, "k": k % 300}, kgen.KeepAll())
		if err != nil {
			b.Fatal(err)
		}
		all := time.Since(begun)
		took = append(took, all)
		for i, part := range apart(out.Parts(), all) {
			parts[i] = append(parts[i], part)
		}
		out.Free()
	}
	for k := range 10 { // the first compiles
		call(k)
	}
	took, parts = nil, [5][]time.Duration{}
	for k := 0; b.Loop(); k++ {
		call(k)
	}
	b.ReportMetric(0, "ns/op")
	median := func(times []time.Duration) float64 {
		slices.Sort(times)
		return float64(times[len(times)/2].Nanoseconds()) / 1e3
	}
	b.ReportMetric(median(took), "µs/call")
	for i, name := range []string{"caller", "passing", "queueing", "waiting", "rest"} {
		b.ReportMetric(median(parts[i]), "µs/"+name)
	}
	if out, err := e.Run(b.Context(), kgen.Args{"x": column, "k": 150}, kgen.Repeat(100)); err == nil {
		device := median(out.Times)
		b.ReportMetric(device, "µs/device")
		b.ReportMetric(median(took)-device, "µs/beside")
	}
}

// apart returns the parts of a call without those within them.
func apart(p worker.Parts, all time.Duration) [5]time.Duration {
	return [5]time.Duration{all - p.Client, p.Client - p.Worker, p.Queued, p.Waited, p.Worker - p.Queued - p.Waited}
}
