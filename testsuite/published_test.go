package testsuite_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// TestPublished runs the corpus on an emulated device whose work-groups process
// several tiles, at every level. If all folds are sums, tiles add to the
// offsets of later tiles.
func TestPublished(t *testing.T) {
	entries, err := testsuite.Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	broadcast := 0
	sample.Log(t)
	for i, entry := range entries {
		if !sample.TakesMore(i) || kerneltest.SkipsSorts(entry.Pipeline) {
			continue
		}
		for j, level := range fuse.Levels {
			if kerneltest.SkipsLevel(entry.Pipeline, i, j) {
				continue
			}
			variant := plan.Variants[(i+j)%len(plan.Variants)]
			program, _, err := compile.Compile(entry.Pipeline, kerneltest.EmulatedOptions(level, variant))
			if err != nil {
				t.Fatal(err)
			}
			schedule := plan.Schedule{Workgroup: 4, Items: 2, Chunk: 1 + (i+j)%3, Scheme: simt.SchemePublished, Offsets: plan.Broadcast, Variant: variant}
			lowered, err := simt.Lower(program, schedule)
			if err != nil && strings.Contains(err.Error(), "offsets=broadcast can only add") {
				schedule.Offsets = plan.Scan
				lowered, err = simt.Lower(program, schedule)
			}
			if err != nil {
				t.Errorf("%s at level %s: %v", entry.Name, level, err)
				continue
			}
			if slices.ContainsFunc(lowered.Plan.Kernels, func(k plan.Kernel) bool { return k.Variants[0].Schedule.Offsets == plan.Broadcast }) {
				broadcast++
			}
			for seed, rows := range []int{0, 1, 25, 110} {
				shape := testsuite.Shapes()[(i+2*j+seed)%len(testsuite.Shapes())]
				data := testsuite.RandomData{Rows: min(rows, kerneltest.MostRows(entry.Pipeline)/4), Shape: shape, Seed: uint64(seed), Whole: true}
				kerneltest.AgreeEmulated(t, lowered, entry.Pipeline, fmt.Sprintf("%s at level %s, %+v, %+v", entry.Name, level, schedule, data), data.Columns(entry.Pipeline))
			}
		}
	}
	if broadcast < sample.Least(200) {
		t.Errorf("only %d plans broadcast offsets", broadcast)
	}
}
