package kerneltest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// Device runs emitted kernels.
type Device interface {
	// Runner returns the function that runs a program.
	Runner(*kernels.Program) func(exec.Inputs) (*exec.Result, error)
}

// Choice is a way to compile a pipeline.
type Choice struct {
	Level    string
	Schedule plan.Schedule
}

// Chooser says how an entry of the corpus is compiled; i is its number.
type Chooser func(i int, entry testsuite.Entry) []Choice

// LevelChoices are these levels of fusion.
func LevelChoices(levels []string, schedule plan.Schedule) Chooser {
	return func(int, testsuite.Entry) (choices []Choice) {
		for _, level := range levels {
			choices = append(choices, Choice{level, schedule})
		}
		return choices
	}
}

// VariantChoices are the variants of aggregation with tables, for pipelines
// that aggregate groups: each pipeline with one variant at one level, or with
// all variants, each at two levels that differ between pipelines. (Emulated
// work-groups run all variants at every level.) Every other choice publishes,
// with several tiles per work-group, and broadcasts offsets if possible.
func VariantChoices(all bool, schedule plan.Schedule) Chooser {
	tables := plan.Variants[:len(plan.Variants)-1]
	return func(i int, entry testsuite.Entry) (choices []Choice) {
		if len(VariantsOf(entry.Pipeline, plan.Variants...)) == 1 {
			return nil
		}
		for j, level := range fuse.Levels {
			for k, variant := range tables {
				round := i / len(fuse.Levels) / len(tables) // of all pairs of a level and a variant
				chosen := j == i%len(fuse.Levels) && k == i/len(fuse.Levels)%len(tables)
				if all {
					chosen = (i+j+2*k)%len(fuse.Levels) < 2
				}
				if !chosen {
					continue
				}
				c := Choice{level, schedule}
				c.Schedule.Variant = variant
				if (round+j+k)%2 == 0 {
					c.Schedule.Scheme, c.Schedule.Chunk, c.Schedule.Offsets = simt.SchemePublished, 1+k%2, plan.Broadcast
				}
				choices = append(choices, c)
			}
		}
		return choices
	}
}

// PartChoices are parts of one tile or a few: each pipeline at one level, or at
// all levels, with a scheme and a variant that differ from pipeline to
// pipeline.
func PartChoices(all bool, schedule plan.Schedule) Chooser {
	return func(i int, entry testsuite.Entry) (choices []Choice) {
		variants := VariantsOf(entry.Pipeline, plan.Variants...)
		for j, level := range fuse.Levels {
			if !all && j != i%len(fuse.Levels) {
				continue
			}
			c := Choice{level, schedule}
			c.Schedule.Part, c.Schedule.Variant = []int64{1, 600}[(i/2+j)%2], variants[(i+j)%len(variants)]
			if (i+j)%2 == 0 {
				c.Schedule.Scheme, c.Schedule.Chunk = simt.SchemePublished, 1+i%2
			} else if i%4 < 2 {
				c.Schedule.Scheme, c.Schedule.IDs = simt.SchemeLookback, plan.Static
			}
			choices = append(choices, c)
		}
		return choices
	}
}

// RunCorpus runs the entries of the corpus in a folder that takes accepts by their
// number, each as choose says, on no row, one row, a tile and one more, and several
// tiles. Compilers are slow: pipelines run in parallel, one on each device, and a choice
// that gives the same program as an earlier one is skipped.
func RunCorpus[D Device](t *testing.T, folder string, emitter kernels.Emitter, devices chan D, takes func(int) bool, choose Chooser) {
	entries, err := testsuite.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	sample.Log(t)
	t.Run("corpus", func(t *testing.T) {
		for i, entry := range entries {
			choices := choose(i, entry)
			if Sorts(entry.Pipeline) && len(choices) > 1 { // which takes long
				choices = choices[i%len(choices):][:1]
			}
			if len(choices) == 0 || !takes(i) || SkipsSorts(entry.Pipeline) {
				continue
			}
			t.Run(entry.Name, func(t *testing.T) {
				t.Parallel()
				device := <-devices
				defer func() { devices <- device }()
				var done []*kernels.Program
				for j, c := range choices {
					made := Make(t, emitter, entry, c.Level, c.Schedule)
					if slices.ContainsFunc(done, func(p *kernels.Program) bool { return IsSame(t, p, made) }) {
						continue
					}
					done = append(done, made)
					run, tile := device.Runner(made), LargestTile(made.Plan)
					Agree(t, made.Plan, run, entry.Pipeline, fmt.Sprintf("%+v, own data", c), entry.Columns)
					for k, rows := range []int{0, 1, tile + 1, 3*tile + 7} {
						shape := testsuite.Shapes()[(i+2*j+k)%len(testsuite.Shapes())]
						data := testsuite.RandomData{Rows: min(rows, MostRows(entry.Pipeline)), Shape: shape, Seed: uint64(k), Whole: true, Careless: k == 2}
						Agree(t, made.Plan, run, entry.Pipeline, fmt.Sprintf("%+v, %+v", c, data), data.Columns(entry.Pipeline))
					}
				}
			})
		}
	})
}

// Make emits a pipeline of the corpus; if devices do not support it, the
// test is skipped.
func Make(t *testing.T, emitter kernels.Emitter, entry testsuite.Entry, level string, schedule plan.Schedule) *kernels.Program {
	t.Helper()
	options := compile.For(level, schedule).WithHash(schedule, cuda.HashGroups) // as for users of CUDA C++
	program, _, err := compile.Compile(entry.Pipeline, options)
	if err != nil {
		t.Fatal(err)
	}
	made, err := makeBy(schedule, func(s plan.Schedule) (*kernels.Program, error) { return emitter.Make(program, s) })
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// makeBy makes a value with a schedule or, if offsets cannot be broadcast,
// because only sums can, with a schedule that scans them.
func makeBy[T any](s plan.Schedule, make func(plan.Schedule) (T, error)) (T, error) {
	made, err := make(s)
	if err != nil && s.Offsets == plan.Broadcast {
		s.Offsets = plan.Scan
		return make(s)
	}
	return made, err
}

// RefusesPersistent reports whether a kernel cannot be persistent;
// TestPersistentCorpus knows which.
func RefusesPersistent(err error) bool {
	return err != nil && strings.Contains(err.Error(), "scheme="+simt.SchemePersistent+": ")
}

// IsSame reports whether two programs differ only in the name of their level.
func IsSame(t *testing.T, x, y *kernels.Program) bool {
	var plans [2][]byte
	for i, p := range []*kernels.Program{x, y} {
		var unnamed *plan.Plan
		for host, next := p.Plan, &unnamed; host != nil; host, next = host.Fallback, &(*next).Fallback {
			same := *host
			same.Level, *next = "", &same
		}
		var err error
		if plans[i], err = plan.Encode(unnamed); err != nil {
			t.Fatal(err)
		}
	}
	return bytes.Equal(plans[0], plans[1]) && maps.Equal(x.Texts(), y.Texts())
}

// LargestTile returns the most rows that a work-group of a plan's kernels
// covers.
func LargestTile(p *plan.Plan) (rows int) {
	for ; p != nil; p = p.Fallback {
		for _, k := range p.Kernels {
			rows = max(rows, int(k.Variants[0].Schedule.Rows()))
		}
	}
	return rows
}
