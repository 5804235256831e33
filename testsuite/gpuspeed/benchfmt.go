package main

import (
	"fmt"
	"runtime"
	"strings"
)

// benchfmt returns the rates as lines of Go's benchmarks, which benchstat
// compares: run the command several times for its confidence intervals.
func (r *report) benchfmt() string {
	var out strings.Builder
	fmt.Fprintf(&out, "goos: %s\ngoarch: %s\npkg: github.com/kgen-go/kgen/testsuite/gpuspeed\ndevice: %s\n", runtime.GOOS, runtime.GOARCH, r.Device)
	word := strings.NewReplacer(" ", "_", "/", "_per_")
	for _, x := range r.Rates {
		if x.Time == 0 {
			continue
		}
		device := x.Device
		if x.peer() {
			device = "CUB"
		}
		fmt.Fprintf(&out, "Benchmark%s/rows=%d/device=%s/form=%s\t1\t%d ns/op\t%.0f B/s\n",
			word.Replace(x.Workload), x.Rows, word.Replace(device), word.Replace(x.Form), x.Time, x.Rate*1e9)
	}
	return out.String()
}
