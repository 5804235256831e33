package main

import (
	"strings"
	"testing"
)

// benchstat reads a name without spaces, a number of runs, and values with units.
func TestBenchfmt(t *testing.T) {
	r := report{Device: "cuda:0", Rates: []rate{
		{Workload: "filter 50 %", Rows: 1024, Device: "cuda:0", Form: "scheme=lookback,items=4", Time: 1500, Rate: 2.5},
		{Workload: "filter 50 %", Rows: 1024, Form: "select", Time: 3000, Rate: 1.25},
		{Workload: "sum", Problem: "no time"},
	}}
	_, lines, _ := strings.Cut(r.benchfmt(), "device: cuda:0\n")
	want := "Benchmarkfilter_50_%/rows=1024/device=cuda:0/form=scheme=lookback,items=4\t1\t1500 ns/op\t2500000000 B/s\n" +
		"Benchmarkfilter_50_%/rows=1024/device=CUB/form=select\t1\t3000 ns/op\t1250000000 B/s\n"
	if lines != want {
		t.Errorf("%s", lines)
	}
}
