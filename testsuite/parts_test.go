package testsuite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/kgen-go/kgen/backends/simt"
	"github.com/kgen-go/kgen/backends/simt/simttest"
	"github.com/kgen-go/kgen/compile"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/plan/exec"
)

// TestParts runs the corpus in launches of one tile or a few, at every level, by
// every scheme and by all variants of aggregation, on an emulated device. Runs
// of rows, neighbours and prefixes cross the edges of parts.
func TestParts(t *testing.T) {
	entries, err := Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	var plans, cut atomic.Int64
	t.Cleanup(func() {
		if cut.Load() < plans.Load()*9/10 {
			t.Errorf("of %d plans only %d launched a kernel more than twice", plans.Load(), cut.Load())
		}
	})
	for i, entry := range entries {
		variants := variantsOf(entry.Pipeline, plan.Variants...)
		t.Run(entry.Name, func(t *testing.T) {
			t.Parallel()
			for j, level := range fuse.Levels {
				for k, scheme := range []string{simt.SchemeLookback, simt.SchemePublished} {
					schedule := plan.Schedule{Workgroup: 4, Items: 2, Scheme: scheme, Variant: variants[(i+j+k)%len(variants)], Part: []int64{1, 16, 31}[(i+j)%3]}
					if scheme == simt.SchemePublished {
						schedule.Chunk = 1 + (i+j)%3
					}
					program, _, err := compile.Compile(entry.Pipeline, compile.Options{Level: level, Variant: schedule.Variant})
					var unsupported *fuse.Unsupported
					if errors.As(err, &unsupported) {
						t.Skip(err)
					}
					if err != nil {
						t.Fatal(err)
					}
					lowered, err := simt.Lower(program, schedule)
					if err != nil {
						t.Errorf("%s, %+v: %v", level, schedule, err)
						continue
					}
					most := int64(0) // launches of one kernel
					run := func(in exec.Inputs) (*exec.Result, error) {
						launches := map[string]int64{}
						return exec.Run(context.Background(), simttest.NewDevice(lowered.Kernels, rand.New(rand.NewPCG(1, 2))), lowered.Plan, in, exec.Options{Event: func(e exec.Event) {
							if e.Step == "launch" {
								launches[e.Name]++
								most = max(most, launches[e.Name])
							}
						}})
					}
					agreeOn(t, lowered.Plan, run, entry.Pipeline, fmt.Sprintf("%s, %+v, own data", level, schedule), entry.Columns)
					for seed, rows := range []int{0, 1, 24, 110} {
						shape := Shapes()[(i+2*j+k+seed)%len(Shapes())]
						data := RandomData{Rows: rows, Shape: shape, Seed: uint64(seed), Whole: true, Careless: seed == 2}
						agreeOn(t, lowered.Plan, run, entry.Pipeline, fmt.Sprintf("%s, %+v, %+v", level, schedule, data), data.Columns(entry.Pipeline))
					}
					if plans.Add(1); most > 2 {
						cut.Add(1)
					}
				}
			}
		})
	}
}
