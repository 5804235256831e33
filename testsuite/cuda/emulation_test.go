package cuda

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/device/cache"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// cudaSchedule has tiles of few rows and blocks of two warps, so that barriers
// matter and little data fills several tiles. KGEN_CUDAEMU_SCHEDULE=default
// takes the tiles that users get, static numbers tiles by blocks, and published
// means plans that do not wait.
var cudaSchedule = map[string]plan.Schedule{
	"":          {Workgroup: 64, Items: 4},
	"default":   {},
	"static":    {Workgroup: 64, Items: 4, IDs: plan.Static},
	"published": {Workgroup: 64, Items: 4, Scheme: simt.SchemePublished},
}[os.Getenv("KGEN_CUDAEMU_SCHEDULE")]

// TestCUDAEmulation runs the corpus, as emitted CUDA C++, in the emulation with
// all checks, and compares the results. KGEN_CUDAEMU_LEVELS chooses levels other
// than onepass.
func TestCUDAEmulation(t *testing.T) {
	levels := strings.Split(cmp.Or(os.Getenv("KGEN_CUDAEMU_LEVELS"), fuse.LevelOnePass), ",")
	kerneltest.RunCorpus(t, "../corpus", cuda.Emitter(), newEmulators(t, checked), sample.Takes, kerneltest.LevelChoices(levels, cudaSchedule))
}

// TestCUDAEmulationVariants runs the pipelines of the corpus that aggregate
// groups, with the variants of aggregation: each pipeline with one variant at
// one level, or with KGEN_CUDAEMU_VARIANTS=all with all variants at every
// level.
func TestCUDAEmulationVariants(t *testing.T) {
	all := os.Getenv("KGEN_CUDAEMU_VARIANTS") == "all"
	kerneltest.RunCorpus(t, "../corpus", cuda.Emitter(), newEmulators(t, checked), sample.Takes, kerneltest.VariantChoices(all, cudaSchedule))
}

// TestCUDAEmulationParts runs the corpus in several launches of each kernel, as
// inputs of 2^31 rows and more do: each pipeline at one level, or with
// KGEN_CUDAEMU_PARTS=all at all.
func TestCUDAEmulationParts(t *testing.T) {
	kerneltest.RunCorpus(t, "../corpus", cuda.Emitter(), newEmulators(t, checked), sample.Takes, kerneltest.PartChoices(os.Getenv("KGEN_CUDAEMU_PARTS") == "all", cudaSchedule))
}

// TestCUDAEmulationChildren runs the pipelines of the corpus that repeat rows, with kernels that launch
// kernels, of which some fail.
func TestCUDAEmulationChildren(t *testing.T) {
	schedule := cudaSchedule
	schedule.Sources = plan.PerChild
	ran := false
	kerneltest.RunCorpus(t, "../corpus", cuda.Emitter(), newEmulators(t, checked), sample.TakesAll, func(i int, entry testsuite.Entry) []kerneltest.Choice {
		if !slices.ContainsFunc(entry.Pipeline.Values, func(v *ir.Value) bool { return v.Op == ir.OpRepeat }) {
			return nil
		}
		ran = true
		return []kerneltest.Choice{{Level: fuse.LevelAuto, Schedule: schedule}}
	})
	if !ran {
		t.Error("no pipeline of the corpus repeats rows")
	}
}

// TestCUDAEmulationRefusedChildren repeats rows of several pages by as many launches of a kernel, so that
// the emulation, which refuses a launch in four, refuses some.
func TestCUDAEmulationRefusedChildren(t *testing.T) {
	entry, err := testsuite.LoadEntry("../corpus/run_length_decode.kg")
	if err != nil {
		t.Fatal(err)
	}
	schedule := plan.Schedule{Sources: plan.PerChild}
	made := kerneltest.Make(t, cuda.Emitter(), entry, fuse.LevelAuto, schedule)
	e := emulator{newEmulator(t, checked)}
	value, times := ir.NewColumn(ir.I32, 100_000), ir.NewColumn(ir.I32, 100_000)
	for i := range times.Len() {
		value.Set(i, ir.Int(ir.I32, int64(i)))
		times.Set(i, ir.Int(ir.I32, int64(i%1000/999))) // the last row of a thousand once
	}
	kerneltest.Agree(t, made.Plan, e.Runner(made), entry.Pipeline, "seven pages", []ir.Column{value, times})
}

// checked emulations report all faults.
var checked = emu.Options{Check: true, Limit: time.Minute}

// newEmulators returns an emulation for each core. KGEN_CUDAEMU_SEED decides the
// order of threads.
func newEmulators(t *testing.T, options emu.Options) chan emulator {
	t.Helper()
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("KGEN_CUDAEMU_SEED"), "1"), 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	emulators := make(chan emulator, runtime.GOMAXPROCS(0))
	for i := range cap(emulators) {
		options.Seed = seed + uint64(i)
		emulators <- emulator{newEmulator(t, options)}
	}
	return emulators
}

// emulator is an emulation as a device of the corpus.
type emulator struct{ *emu.Emulator }

func (e emulator) Runner(made *kernels.Program) func(exec.Inputs) (*exec.Result, error) {
	return func(in exec.Inputs) (*exec.Result, error) {
		return e.Run(context.Background(), emu.Request{Plan: made.Plan, Texts: made.Texts(), Inputs: in})
	}
}

// newEmulator skips the test if there is no g++; with KGEN_REQUIRE_CUDAEMU,
// which .ci/run sets, the test fails.
func newEmulator(t *testing.T, options emu.Options) *emu.Emulator {
	t.Helper()
	built, err := cache.Open("cudaemu")
	if err != nil {
		t.Fatal(err)
	}
	options.Cache = built
	e, err := emu.New(t.Context(), options)
	var missing *emu.MissingError
	if errors.As(err, &missing) && os.Getenv("KGEN_REQUIRE_CUDAEMU") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// TestCUDAEmulationLarge runs some pipelines with the tiles of users on many
// tiles, without checks: 200000 rows, or KGEN_CUDAEMU_ROWS. Only two of them
// run unless KGEN_TEST_ALL is set.
func TestCUDAEmulationLarge(t *testing.T) {
	rows, err := strconv.Atoi(cmp.Or(os.Getenv("KGEN_CUDAEMU_ROWS"), "200000"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := testsuite.Load("../corpus")
	if err != nil {
		t.Fatal(err)
	}
	e := emulator{newEmulator(t, emu.Options{Seed: uint64(rows), Limit: 5 * time.Minute})}
	for i, name := range []string{"ordered_aggregation", "filter_two_columns", "prefix_scans", "histogram_bytes", "scan_by_runs", "moving_average", "drawdown"} {
		at := slices.IndexFunc(entries, func(e testsuite.Entry) bool { return e.Name == name })
		if at < 0 {
			t.Fatalf("the corpus has no %s", name)
		}
		if i > 1 && !sample.Everything() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p := entries[at].Pipeline
			made := kerneltest.Make(t, cuda.Emitter(), entries[at], fuse.LevelOnePass, plan.Schedule{})
			data := testsuite.RandomData{Rows: rows, Shape: testsuite.Shapes()[i%len(testsuite.Shapes())], Seed: uint64(i), Whole: true}
			kerneltest.Agree(t, made.Plan, e.Runner(made), p, fmt.Sprintf("%+v", data), data.Columns(p))
		})
	}
}
