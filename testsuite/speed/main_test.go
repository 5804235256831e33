package main

import (
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
