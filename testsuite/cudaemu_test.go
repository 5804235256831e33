package testsuite

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

	"github.com/kgen-go/kgen/backends/cache"
	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/backends/kernels"
	"github.com/kgen-go/kgen/backends/simt"
	"github.com/kgen-go/kgen/compile"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/plan/exec"
)

// cudaSchedule has tiles of few rows and blocks of two warps, so that barriers
// matter and little data fills several tiles. KGEN_CUDAEMU_SCHEDULE=default
// takes the tiles that users get, and published those of plans that do not wait.
var cudaSchedule = map[string]plan.Schedule{
	"":          {Workgroup: 64, Items: 4},
	"default":   {},
	"published": {Workgroup: 64, Items: 4, Scheme: simt.SchemePublished},
}[os.Getenv("KGEN_CUDAEMU_SCHEDULE")]

// TestCUDAEmulation runs the corpus, as emitted CUDA C++, in the emulation with
// all checks, and compares the results: on the pipeline's own data, no row, one,
// a tile and one more, and several tiles. What a level shares with an earlier
// one runs once. KGEN_CUDAEMU_LEVELS chooses levels other than onepass, and
// KGEN_CUDAEMU_SEED the order of threads.
func TestCUDAEmulation(t *testing.T) {
	levels := []string{fuse.LevelOnePass}
	if chosen := os.Getenv("KGEN_CUDAEMU_LEVELS"); chosen != "" {
		levels = strings.Split(chosen, ",")
	}
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("KGEN_CUDAEMU_SEED"), "1"), 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	emulators := make(chan emulatorPair, runtime.GOMAXPROCS(0))
	for i := range cap(emulators) {
		options := emu.Options{Seed: seed + uint64(i), Limit: time.Minute}
		plain := newEmulator(t, options)
		options.Check = true
		emulators <- emulatorPair{newEmulator(t, options), plain}
	}
	t.Run("corpus", func(t *testing.T) {
		for i, entry := range entries {
			t.Run(entry.Name, func(t *testing.T) {
				t.Parallel()
				e := <-emulators
				defer func() { emulators <- e }()
				var done []*kernels.Program
				for j, level := range levels {
					made := makeCUDA(t, entry, level)
					if slices.ContainsFunc(done, func(p *kernels.Program) bool { return isSame(t, p, made) }) {
						continue
					}
					done = append(done, made)
					tile := largestTile(made.Plan)
					run := func(in exec.Inputs) (*exec.Result, error) { return e.run(made, in) }
					agreeOn(t, made.Plan, run, entry.Pipeline, level+", own data", entry.Columns)
					for k, rows := range []int{0, 1, tile + 1, 3*tile + 7} {
						if multipliesFloats(entry.Pipeline) {
							rows = min(rows, 15)
						}
						shape := Shapes()[(i+2*j+k)%len(Shapes())]
						data := RandomData{Rows: rows, Shape: shape, Seed: uint64(k), Whole: true, Careless: k == 2}
						agreeOn(t, made.Plan, run, entry.Pipeline, fmt.Sprintf("%s, %+v", level, data), data.Columns(entry.Pipeline))
					}
				}
			})
		}
	})
}

// emulatorPair is two emulations, one with checks and one without.
type emulatorPair struct{ checked, plain *emu.Emulator }

// run runs a program with checks. Memory that nothing wrote may be read on the
// way to a failed check only, which makes the results worthless anyway.
func (p emulatorPair) run(made *kernels.Program, in exec.Inputs) (*exec.Result, error) {
	request := emu.Request{Plan: made.Plan, Texts: made.Texts(), Inputs: in}
	result, err := p.checked.Run(context.Background(), request)
	var fault *emu.FaultError
	isHarmful := func(f emu.Fault) bool { return f.Kind != emu.Unwritten }
	if !errors.As(err, &fault) || slices.ContainsFunc(fault.Faults, isHarmful) {
		return result, err
	}
	var failed *exec.CheckError
	if _, plain := p.plain.Run(context.Background(), request); errors.As(plain, &failed) {
		return nil, plain
	}
	return nil, err
}

// newEmulator skips the test where there is no g++; KGEN_REQUIRE_CUDAEMU, which
// .ci/run sets, makes that a failure.
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

// makeCUDA emits a pipeline of the corpus; where other devices do not support
// it, the test is skipped.
func makeCUDA(t *testing.T, entry Entry, level string) *kernels.Program {
	t.Helper()
	program, _, err := compile.Compile(entry.Pipeline, compile.Options{Level: level})
	var unsupported *fuse.Unsupported
	if errors.As(err, &unsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	made, err := cuda.Emitter().Make(program, cudaSchedule)
	if err != nil {
		t.Fatal(err)
	}
	return made
}
