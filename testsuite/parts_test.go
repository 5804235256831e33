package testsuite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"sync/atomic"
	"testing"

	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/simt/simttest"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// TestParts runs the corpus in launches of one tile or a few, at every level,
// with every scheme and all variants of aggregation, on an emulated device.
// Runs of rows, neighbours and prefixes cross the edges of parts.
func TestParts(t *testing.T) {
	entries, err := testsuite.Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	var plans, cut atomic.Int64
	t.Cleanup(func() {
		if cut.Load() < plans.Load()*4/5 {
			t.Errorf("of %d plans only %d launched a kernel more than twice", plans.Load(), cut.Load())
		}
	})
	sample.Log(t)
	for i, entry := range entries {
		if !sample.TakesMore(i) || kerneltest.SkipsSorts(entry.Pipeline) {
			continue
		}
		variants := kerneltest.VariantsOf(entry.Pipeline, plan.Variants...)
		t.Run(entry.Name, func(t *testing.T) {
			t.Parallel()
			for j, level := range fuse.Levels {
				if kerneltest.SkipsLevel(entry.Pipeline, i, j) {
					continue
				}
				for k, scheme := range []string{simt.SchemeLookback, simt.SchemePublished} {
					if !sample.TakesSetting(i, j+k, 2) || kerneltest.HasManyBins(entry.Pipeline) && (i/3+j+k)%2 == 0 {
						continue
					}
					schedule := plan.Schedule{Workgroup: 4, Items: 2, Scheme: scheme, Variant: variants[(i+j+k)%len(variants)], Part: []int64{1, 16, 31}[(i+j)%3]}
					if scheme == simt.SchemePublished {
						schedule.Chunk = 1 + (i+j)%3
					} else if i%2 == 0 {
						schedule.IDs = plan.Static
					}
					program, _, err := compile.Compile(entry.Pipeline, longOptions(level, schedule.Variant))
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
					kerneltest.Agree(t, lowered.Plan, run, entry.Pipeline, fmt.Sprintf("%s, %+v, own data", level, schedule), entry.Columns)
					for seed, rows := range []int{0, 1, 24, 110} {
						shape := testsuite.Shapes()[(i+2*j+k+seed)%len(testsuite.Shapes())]
						data := testsuite.RandomData{Rows: min(rows, kerneltest.MostRows(entry.Pipeline)/4), Shape: shape, Seed: uint64(seed), Whole: true, Careless: seed == 2}
						kerneltest.Agree(t, lowered.Plan, run, entry.Pipeline, fmt.Sprintf("%s, %+v, %+v", level, schedule, data), data.Columns(entry.Pipeline))
					}
					if plans.Add(1); most > 2 {
						cut.Add(1)
					}
				}
			}
		})
	}
}

// longPipelines have no column of 32 bits, so every 32-bit value in their
// kernels is kgen's own.
const longPipelines = `pipeline numbers(x: [n]u8) {
	s = scan(add, i64(x))
	b = bins(x, 256)
	return kept: x[x != 7], rows: len(x), prefix: last(s, else: 0), edges: count(prev(x, 1, 0) != x),
		far: count(next(x, 5000000000, 7) == 9), rows_of: count(by: b), last_of: max(i64(index(x)), by: b, else: -1)
}

pipeline groups_of_rows(k: [n]u8, x: [n]i64) {
	g = runs(k)
	return key: first(k, by: g), rows: count(by: g), total: sum(x, by: g), greatest: max(x, by: g), at: last(i64(index(x)), by: g),
		number: scan(add, 1, by: g), wide: x[x > prev(x, 1, 0)], mean: avg(x)
}

pipeline checked(x: [n]i64, i: [n]i64) {
	return quotient: x / i, gathered: x[i], large: index(x)[x > 5]
}
`

// TestPartsAreLong checks that kernels in parts number and count rows with 64
// bits, which parts of a few rows cannot show.
func TestPartsAreLong(t *testing.T) {
	pipelines, errs := ir.Load("long.kg", []byte(longPipelines))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	narrow := regexp.MustCompile(`.*\bint\b.*`)
	inTile := regexp.MustCompile(`\bint offset[0-9]*\[|\bint at[0-9]* = offset|offset[0-9]*\[item\] = \(int\)offset`) // within a tile
	for _, p := range pipelines {
		for _, level := range fuse.Levels {
			for _, variant := range kerneltest.VariantsOf(p, plan.Variants...) {
				for _, scheme := range []string{simt.SchemeLookback, simt.SchemePublished} {
					program, _, err := compile.Compile(p, longOptions(level, variant))
					if err != nil {
						t.Fatal(err)
					}
					made, err := opencl.Emitter().Make(program, plan.Schedule{Scheme: scheme, Variant: variant, Part: plan.PartRows})
					if err != nil {
						t.Fatal(err)
					}
					for _, f := range made.Files {
						for _, line := range narrow.FindAllString(string(f.Text), -1) {
							if !inTile.MatchString(line) {
								t.Errorf("%s, %s, %s, %s: 32 bits in %s", f.Name, level, variant, scheme, line)
							}
						}
					}
				}
			}
		}
	}
}

// longOptions is emulatedOptions for columns of any length.
func longOptions(level, variant string) compile.Options {
	options := kerneltest.EmulatedOptions(level, variant)
	options.Short = false
	return options
}
