package cuda

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// persistentSchedules have small tiles and one to four subgroups that take rows;
// folds are published one to three rounds ahead, and the ring has the fewest
// possible stages or one more.
var persistentSchedules = []plan.Schedule{
	{Workgroup: 160, Items: 4, Scheme: simt.SchemePersistent, Lookahead: 2, Ring: 4},
	{Workgroup: 128, Items: 2, Scheme: simt.SchemePersistent, Lookahead: 1, Ring: 3},
	{Workgroup: 192, Items: 3, Scheme: simt.SchemePersistent, Lookahead: 3, Ring: 5},
	{Workgroup: 160, Items: 2, Scheme: simt.SchemePersistent, Lookahead: 1, Ring: 4},
	{Workgroup: 128, Items: 4, Scheme: simt.SchemePersistent, Lookahead: 2, Ring: 5},
	{Workgroup: 224, Items: 1, Scheme: simt.SchemePersistent, Lookahead: 3, Ring: 6},
}

// persistentWorkgroups is the number of work-groups: few, so that little data fills many
// rounds.
const persistentWorkgroups = 3

// TestCUDAEmulationPersistent runs the pipelines of the corpus that have a cut with
// persistent work-groups, in the emulation with all checks: each by one schedule, or
// with KGEN_CUDAEMU_PERSISTENT=all by all of them. No plan may give up. The longest
// input goes around the ring more than once.
func TestCUDAEmulationPersistent(t *testing.T) {
	entries, err := testsuite.Load("../corpus")
	if err != nil {
		t.Fatal(err)
	}
	emulators := newEmulators(t, emu.Options{Check: true, Resident: persistentWorkgroups, Limit: time.Minute})
	sample.Log(t)
	var walked atomic.Int64
	t.Run("corpus", func(t *testing.T) {
		for i, entry := range entries {
			if !sample.Takes(i) || kerneltest.SkipsSorts(entry.Pipeline) {
				continue
			}
			t.Run(entry.Name, func(t *testing.T) {
				t.Parallel()
				e := <-emulators
				defer func() { emulators <- e }()
				for j, schedule := range persistentSchedules {
					if os.Getenv("KGEN_CUDAEMU_PERSISTENT") != "all" && j != i%len(persistentSchedules) {
						continue
					}
					made := kerneltest.Make(t, cuda.Emitter(), entry, fuse.LevelOnePass, schedule)
					if !isPersistent(made.Plan) {
						t.Skip("no kernel has a cut")
					}
					walked.Add(1)
					for k, c := range persistentCases(i+j, schedule, kerneltest.MostRows(entry.Pipeline)) {
						in := entry.Columns
						if k > 0 {
							in = c.Columns(entry.Pipeline)
						}
						what := fmt.Sprintf("%+v, %+v", schedule, c)
						kerneltest.Agree(t, made.Plan, e.Runner(made), entry.Pipeline, what, in)
					}
				}
			})
		}
	})
	if least := int64(sample.Least(50)); walked.Load() < least {
		t.Errorf("only %d programs were persistent", walked.Load())
	}
}

// TestCUDAEmulationPersistentFolds runs pipelines that fold the rows between selected
// ones, by persistent work-groups as large as on a device: only their tiles may have
// more folds than fit local memory. By shape, no tile, some, or all have more.
func TestCUDAEmulationPersistentFolds(t *testing.T) {
	emulators := newEmulators(t, emu.Options{Check: true, Resident: persistentWorkgroups, Limit: time.Minute})
	schedule := plan.Schedule{Scheme: simt.SchemePersistent}
	sample.Log(t)
	for i, name := range []string{"grade_counts", "char8_codes", "runs_sharing_a_key", "selected_rows", "sums_by_two_runs"} {
		if i%3 != 0 && !sample.Everything() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entry, err := testsuite.LoadEntry("../corpus/" + name + ".kg")
			if err != nil {
				t.Fatal(err)
			}
			made := kerneltest.Make(t, cuda.Emitter(), entry, fuse.LevelOnePass, schedule)
			chosen := made.Plan.Kernels[0].Variants[0].Schedule
			tile := int(chosen.Rows())
			e := <-emulators
			defer func() { emulators <- e }()
			for _, shape := range []testsuite.Shape{testsuite.Distinct, testsuite.Runs, testsuite.Edges} {
				c := testsuite.RandomData{Rows: persistentWorkgroups*tile*(chosen.Lookahead+2) + tile + 7, Tile: tile, Shape: shape, Whole: true}
				what := fmt.Sprintf("%+v, %+v", chosen, c)
				kerneltest.Agree(t, made.Plan, e.Runner(made), entry.Pipeline, what, c.Columns(entry.Pipeline))
			}
		})
	}
}

// TestCUDAEmulationPersistentManyColumns runs rows of 80 bytes: a ring of such rows
// fits only with fewer subgroups.
func TestCUDAEmulationPersistentManyColumns(t *testing.T) {
	const columns = 10
	var parameters, sums []string
	for i := range columns {
		parameters = append(parameters, fmt.Sprintf("c%d: [n]i64", i))
		sums = append(sums, fmt.Sprintf("s%d: sum(c%d, by: g)", i, i))
	}
	text := fmt.Sprintf("pipeline wide(%s) {\n\tg = runs(c0)\n\treturn %s\n}\n", strings.Join(parameters, ", "), strings.Join(sums, ", "))
	pipelines, errs := ir.Load("wide.kg", []byte(text))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	entry := testsuite.Entry{Name: "wide", Pipeline: pipelines[0]}
	made := kerneltest.Make(t, cuda.Emitter(), entry, fuse.LevelOnePass, plan.Schedule{Scheme: simt.SchemePersistent})
	fitsMultiprocessor(t, made.Plan)
	chosen := made.Plan.Kernels[0].Variants[0].Schedule
	if !strings.Contains(made.Texts()["wide.cu"], "kgen_bulk_copy_i64") {
		t.Errorf("%+v: no copies bring the columns", chosen)
	}
	emulators := newEmulators(t, emu.Options{Check: true, Resident: persistentWorkgroups, Limit: time.Minute})
	e := <-emulators
	tile := int(chosen.Rows())
	c := testsuite.RandomData{Rows: persistentWorkgroups*tile*(chosen.Ring+chosen.Lookahead) + tile + 7, Tile: tile, Shape: testsuite.Runs}
	what := fmt.Sprintf("%+v, %+v", chosen, c)
	kerneltest.Agree(t, made.Plan, e.Runner(made), entry.Pipeline, what, c.Columns(entry.Pipeline))
}

// persistentCases are inputs for a schedule; the first stands for the pipeline's own
// data.
func persistentCases(number int, s plan.Schedule, most int) []testsuite.RandomData {
	tile := int(s.Rows())
	round := persistentWorkgroups * tile
	cases := []testsuite.RandomData{{}}
	for k, rows := range []int{0, 1, tile + 1, round * (s.Lookahead + 1), round*(s.Ring+s.Lookahead+1) + tile + 7} {
		cases = append(cases, testsuite.RandomData{Rows: min(rows, most), Tile: tile, Shape: testsuite.Shapes()[(number+k)%len(testsuite.Shapes())], Seed: uint64(k), Whole: true, Careless: k == 2})
	}
	return cases
}

// isPersistent reports whether a kernel of a plan is persistent.
func isPersistent(p *plan.Plan) bool {
	return slices.ContainsFunc(p.Kernels, func(k plan.Kernel) bool { return k.Variants[0].Schedule.Scheme == simt.SchemePersistent })
}

// fitsMultiprocessor requires that no kernel needs more local memory than a
// multiprocessor has: its plan would give up on every device.
func fitsMultiprocessor(t *testing.T, p *plan.Plan) {
	for _, k := range p.Kernels {
		v := &k.Variants[0]
		if bytes, most := v.LocalBytes.Const+v.OwnBytes, emu.Machine(emu.Options{}).LocalBytes; bytes > most {
			t.Errorf("%s at level %s, %+v: %d bytes of local memory, of %d", k.Name, p.Level, v.Schedule, bytes, most)
		}
	}
}

// TestPersistentCorpus holds which pipelines are persistent: all that have a kernel
// with one cut, unless a kernel has several cuts or folds chunks. Such a pipeline is
// refused with the reason.
func TestPersistentCorpus(t *testing.T) {
	entries, err := testsuite.Load("../corpus")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	levels, share := []string{fuse.LevelOnePass, fuse.LevelAuto, fuse.LevelPaper3}, 1
	if sample.Log(t); !sample.Everything() {
		share = len(levels) // a level for each
	}
	for i, entry := range entries {
		for j, level := range levels {
			if (i+j)%share != 0 {
				continue
			}
			program, _, err := compile.Compile(entry.Pipeline, compile.Options{Level: level, Options: fuse.Options{Short: true}})
			if err != nil {
				t.Fatal(err)
			}
			want := "flat"
			for _, k := range program.Kernels {
				_, cuts := k.Unnumbered().Phases((*tile.Op).IsPrefix)
				switch {
				case slices.ContainsFunc(k.Ops, func(op tile.Op) bool { return op.Kind == tile.ChunkScan }):
					want = "a tile would have to hold whole chunks"
				case len(cuts) > 1:
					want = fmt.Sprintf("there are %d cuts, each needs the state of the one before, and a round exchanges states once; choose scheme=lookback or another level of fusion", len(cuts))
				case len(cuts) == 1 && want == "flat":
					want = simt.SchemePersistent
				}
			}
			made, err := cuda.Emitter().Make(program, plan.Schedule{Scheme: simt.SchemePersistent})
			if err == nil {
				fitsMultiprocessor(t, made.Plan)
			}
			switch {
			case err != nil && !(strings.Contains(err.Error(), "scheme=persistent: kernel "+entry.Pipeline.Name) && strings.Contains(err.Error(), want)):
				t.Errorf("%s at level %s is refused: %v; want %s", entry.Name, level, err, want)
			case err == nil && isPersistent(made.Plan) != (want == simt.SchemePersistent), err == nil && strings.Contains(want, " "):
				t.Errorf("%s at level %s is persistent: %v; want %s", entry.Name, level, isPersistent(made.Plan), want)
			case strings.Contains(want, "cuts"):
				want = "several cuts"
			}
			count[level+": "+want]++
		}
	}
	if count["onepass: "+simt.SchemePersistent] < 50/share || count["auto: several cuts"] == 0 && share == 1 || count["paper3: a tile would have to hold whole chunks"] < 50/share {
		t.Errorf("pipelines: %v", count)
	}
	t.Log(count)
}

// Impossible rounds are refused with a message that proposes a correction.
func TestPersistentRefused(t *testing.T) {
	const (
		scan   = "pipeline p(x: [n]i64) {\n\treturn s: scan(add, x)\n}\n"
		nested = "pipeline p(x: [n]i64, budget: i64) {\n\ts = scan(add, x)\n\tfits = s <= budget\n\treturn x[fits], s[fits], sum: sum(x[fits])\n}\n"
	)
	for _, c := range []struct {
		source, level string
		emitter       kernels.Emitter
		schedule      plan.Schedule
		want          string // "" if it is accepted
	}{
		{scan, fuse.LevelOnePass, cuda.Emitter(), plan.Schedule{}, ""},
		{scan, fuse.LevelOnePass, cuda.Emitter(), plan.Schedule{Workgroup: 128, Items: 1, Ring: 3, Lookahead: 1}, ""},
		{scan, fuse.LevelOnePass, cuda.Emitter(), plan.Schedule{Workgroup: 1024, Ring: 12, Lookahead: 8}, ""},
		{scan, fuse.LevelOnePass, cuda.Emitter(), plan.Schedule{Workgroup: 1024, Ring: 64, Lookahead: 8}, "a ring of this schedule takes more registers, or more local memory, than a work-group has"},
		{scan, fuse.LevelOnePass, opencl.Emitter(), plan.Schedule{}, "it takes subgroups of 32; choose scheme=lookback"},
		{scan, fuse.LevelOnePass, cuda.Emitter(), plan.Schedule{Part: 1000}, "for parts choose scheme=lookback"},
		{nested, fuse.LevelAuto, cuda.Emitter(), plan.Schedule{}, "kernel p_kernel1: there are 2 cuts, each needs the state of the one before, and a round exchanges states once; choose scheme=lookback or another level of fusion"},
		{nested, fuse.LevelOnePass, cuda.Emitter(), plan.Schedule{}, ""},
		{scan, fuse.LevelNone, cuda.Emitter(), plan.Schedule{}, "a tile would have to hold whole chunks"},
		{scan, fuse.LevelOnePass, cuda.Emitter(), plan.Schedule{Workgroup: 96}, "workgroup=96: a work-group has subgroups of 32 that take rows, at least one, and 3 for control"},
		{scan, fuse.LevelOnePass, cuda.Emitter(), plan.Schedule{Workgroup: 100}, "workgroup=100: a work-group has subgroups of 32"},
		{scan, fuse.LevelOnePass, cuda.Emitter(), plan.Schedule{Ring: 3}, "ring=3: with lookahead=2 work-groups would wait for each other forever; the ring has at least 4 stages"},
		{scan, fuse.LevelOnePass, cuda.Emitter(), plan.Schedule{Ring: 4, Lookahead: 3}, "ring=4: with lookahead=3 work-groups would wait for each other forever; the ring has at least 5 stages"},
	} {
		pipelines, errs := ir.Load("p.kg", []byte(c.source))
		if err := errs.Err(); err != nil {
			t.Fatal(err)
		}
		program, _, err := compile.Compile(pipelines[0], compile.Options{Level: c.level})
		if err != nil {
			t.Fatal(err)
		}
		c.schedule.Scheme = simt.SchemePersistent
		made, err := c.emitter.Make(program, c.schedule)
		switch {
		case c.want == "" && (err != nil || !isPersistent(made.Plan)):
			t.Errorf("%s at %s, %+v is not persistent: %v", c.source, c.level, c.schedule, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), "pipeline p: scheme=persistent: ") || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s at %s, %+v: %v, want %s", c.source, c.level, c.schedule, err, c.want)
		}
	}
}

// lacking is the emulation with a capability removed.
type lacking struct {
	*emu.Device
	capability plan.Cap
}

func (d lacking) Machine() plan.Machine {
	m := d.Device.Machine()
	delete(m.Caps, d.capability)
	return m
}

// A persistent plan says which capability a machine lacks, and its fallback does
// the work.
func TestPersistentFallsBack(t *testing.T) {
	entries, err := testsuite.Load("../corpus")
	if err != nil {
		t.Fatal(err)
	}
	entry := entries[slices.IndexFunc(entries, func(e testsuite.Entry) bool { return e.Name == "prefix_scans" })]
	e := newEmulator(t, checked)
	made := kerneltest.Make(t, cuda.Emitter(), entry, fuse.LevelOnePass, persistentSchedules[0])
	for _, c := range []plan.Cap{plan.CapBulkCopy, plan.CapResident} {
		run := func(in exec.Inputs) (result *exec.Result, err error) {
			err = e.Use(t.Context(), made.Texts(), func(d *emu.Device) (err error) {
				result, err = exec.Run(t.Context(), lacking{d, c}, made.Plan, in, exec.Options{})
				return err
			})
			if err == nil && (len(result.GaveUp) != 1 || !strings.Contains(result.GaveUp[0].Reason, string(c))) {
				t.Errorf("without %s: gave up: %v", c, result.GaveUp)
			} else if err == nil {
				result.GaveUp = nil
			}
			return result, err
		}
		kerneltest.Agree(t, made.Plan, run, entry.Pipeline, "without "+string(c), entry.Columns)
	}
}
