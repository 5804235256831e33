package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFormats(t *testing.T) {
	load := workload{name: "sum by runs", bytes: 8}
	times := [][]time.Duration{{2 * time.Microsecond, time.Microsecond, 3 * time.Microsecond}, {4 * time.Microsecond, 4 * time.Microsecond, 4 * time.Microsecond}}
	if got, want := tableLine(load, 1000, 2, times), "sum by runs\t2\t2.00\t4.0\t4.00\t0.50\t\t\t\n"; got != want {
		t.Errorf("a line is %q, want %q", got, want)
	}
	lines := benchLines(load, 1000, 2, times[:1])
	for _, want := range []string{
		"Benchmarksum_by_runs/form=emitted/workers=2-", "\t1\t2000 ns/op\t4000000000 B/s\n", "\t1\t1000 ns/op\t8000000000 B/s\n", "\t1\t3000 ns/op\t",
	} {
		if !strings.Contains(lines, want) {
			t.Errorf("no %q in\n%s", want, lines)
		}
	}
}

// TestInProcess runs every workload on the devices that compile nothing, over few rows.
func TestInProcess(t *testing.T) {
	t.Chdir("../..") // where the pipelines are
	all := slices.Concat(workloads, tableWorkloads)
	var out strings.Builder
	if err := (comparison{rows: 20000, rounds: 1, interpreted: 1, cores: []int{1, 2}, processor: true}).run(&out, all); err != nil {
		t.Fatal(err)
	}
	for _, load := range all {
		if !strings.Contains(out.String(), load.name+"\t") {
			t.Errorf("no line of %s in\n%s", load.name, out.String())
		}
	}
}
