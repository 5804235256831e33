package cuda

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/irtest"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// TestCUDAEmulationGatheredRows gathers columns that follow an order: lanes load rows of eight words together, if most of
// these are needed, and exchange their parts.
func TestCUDAEmulationGatheredRows(t *testing.T) {
	const workgroup = 64
	emulators := newEmulators(t, emu.Options{Check: true, Limit: time.Minute})
	for name, c := range map[string]struct {
		columns, results string
		together         bool
	}{
		"all":      {"a: [n]i64, b: [n]f64, c: [n]u64, d: [n]i32, e: [n]u32, f: [n]i64, g: [n]i64, h: [n]f64, i: [n]u16, j: [n]u64", "", true},
		"five":     {"a: [n]i64, b: [n]i64, c: [n]i64, d: [n]i64, e: [n]i64", "", false}, // of five words
		"filtered": {"a: [n]i64, b: [n]i64, c: [n]i64, d: [n]i64, e: [n]i64, f: [n]i64, g: [n]i64, h: [n]i64", "rows: a[r][b[r] > 0]", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			results := strings.TrimSpace(c.results)
			for _, column := range strings.Split(c.columns, ", ") {
				x, _, _ := strings.Cut(column, ":")
				if results != "" {
					results += ", "
				}
				results += fmt.Sprintf("%s: %s[r]", x, x)
			}
			p := irtest.Load(t, "pipeline p(k: [n]i32, "+c.columns+") {\n\tr = order(k)\n\treturn "+results+"\n}\n")
			e := <-emulators
			defer func() { emulators <- e }()
			made := kerneltest.Make(t, cuda.Emitter(), testsuite.Entry{Pipeline: p}, fuse.LevelOnePass, plan.Schedule{Workgroup: workgroup})
			if got := strings.Contains(string(made.Files[0].Text), "kgen_shuffle_u64"); got != c.together {
				t.Errorf("lanes load rows together: %v, want %v", got, c.together)
			}
			for i, rows := range []int{0, 1, workgroup - 1, workgroup, 3*workgroup + 5} {
				data := testsuite.RandomData{Rows: rows, Shape: testsuite.Distinct, Seed: uint64(i), Whole: true}
				kerneltest.Agree(t, made.Plan, e.Runner(made), p, fmt.Sprintf("%+v", data), data.Columns(p))
			}
		})
	}
}
