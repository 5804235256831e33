package kgen_test

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/kgen-go/kgen"
)

// held is what this process and those of devices hold.
type held struct {
	files           int
	heap, processes int64 // bytes
}

// measured returns what is held now.
func measured(t *testing.T) (h held) {
	t.Helper()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	h.heap = int64(stats.HeapAlloc)
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	h.files = len(files)
	for _, number := range children(t) {
		var total, resident int64
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", number)) // it may have ended
		fmt.Sscan(string(text), &total, &resident)
		h.processes += resident * int64(os.Getpagesize())
	}
	return h
}

// TestCallsLeakNothing: after many calls whose columns stay and are freed, processes hold no more memory and
// files than after some.
func TestCallsLeakNothing(t *testing.T) {
	const rows = 20_000
	for _, name := range []string{"vector", "gocpu", "opencl:0", "cuda:0"} {
		t.Run(name, func(t *testing.T) {
			d := open(t, name)
			e := on(t, d, "pipeline p(x: [n]i64, k: i64) {\n\treturn y: x * k, s: sum(x)\n}\n")
			x := make([]int64, rows)
			run := func() {
				column, err := kgen.Upload(t.Context(), d, x)
				if err != nil {
					t.Fatal(err)
				}
				defer column.Free()
				out, err := e.Run(t.Context(), kgen.Args{"x": column, "k": 3}, kgen.KeepAll())
				if err != nil {
					t.Fatal(err)
				}
				out.Free()
			}
			for range 100 {
				run()
			}
			before := measured(t)
			calls := testCalls
			for range calls {
				run()
			}
			after, most := measured(t), int64(calls)*rows*8/4
			if after.files > before.files+2 || after.heap > before.heap+most || after.processes > before.processes+most {
				t.Errorf("%d calls: %+v, then %+v", calls, before, after)
			}
		})
	}
}
