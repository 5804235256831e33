package simt

import (
	"math/rand/v2"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/simt/simttest"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// programs compiles the corpus at a level.
func programs(t *testing.T, level string) map[string]*backends.Program {
	paths, err := filepath.Glob("../../testsuite/corpus/*.kg")
	if err != nil || len(paths) == 0 {
		t.Fatal(err, paths)
	}
	list := map[string]*backends.Program{}
	for _, path := range paths {
		pipelines, err := ir.LoadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pipelines {
			program, _, err := compile.Compile(p, compile.Options{Level: level, Short: true})
			if err != nil {
				t.Fatal(err)
			}
			list[p.Name] = program
		}
	}
	return list
}

// TestCorpusLowers verifies loop programs and plan of every pipeline at every level.
func TestCorpusLowers(t *testing.T) {
	for _, level := range fuse.Levels {
		for name, program := range programs(t, level) {
			if _, err := Lower(program, plan.Schedule{}); err != nil {
				t.Errorf("%s at %s: %v", name, level, err)
			}
		}
	}
}

// TestGivingUp runs look-back on a device that keeps one work-group resident and
// starts the last first: a tile that waits for one that never starts gives up,
// and the fallback does the work.
func TestGivingUp(t *testing.T) {
	pipelines, errs := ir.Load("scan.kg", []byte("pipeline sums(x: [n]i32) {\n\treturn y: scan(add, i64(x)), last: last(x, else: -1)\n}\n"))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	program, _, err := compile.Compile(pipelines[0], compile.Options{Level: fuse.LevelOnePass})
	if err != nil {
		t.Fatal(err)
	}
	for _, starved := range []bool{false, true} {
		lowered, err := Target{}.lower(program, plan.Schedule{Workgroup: 4, Items: 2, Scheme: SchemeLookback}, 3*abortCheck)
		if err != nil {
			t.Fatal(err)
		}
		device := simttest.NewDevice(lowered.Kernels, rand.New(rand.NewPCG(1, 1)))
		device.Starved = starved
		x := make([]int32, 100)
		for i := range x {
			x[i] = int32(i)
		}
		fellBack := false
		result, err := exec.Run(t.Context(), device, lowered.Plan, exec.Inputs{Columns: map[string]exec.Column{
			"x": {Kind: plan.I32, Data: unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 400)}}},
			exec.Options{Event: func(e exec.Event) { fellBack = fellBack || e.Step == "fallback" }})
		if err != nil {
			t.Fatal(err)
		}
		if fellBack != starved {
			t.Errorf("starved %v: fell back %v", starved, fellBack)
		}
		y := unsafe.Slice((*int64)(unsafe.Pointer(&result.Columns["y"].Data[0])), 100)
		if y[99] != 4950 || int32(result.Scalars["last"].Bits) != 99 {
			t.Errorf("starved %v: sum %d, last %d", starved, y[99], int32(result.Scalars["last"].Bits))
		}
	}
}

// TestNamesOfUsers lowers columns that are called like what lowering adds.
func TestNamesOfUsers(t *testing.T) {
	pipelines, errs := ir.Load("clash.kg", []byte(`pipeline clash(tiles: [n]i64, n_length: [n]i64, x: [n]u8, x_words: [n]u8, b_low_words: [n]u8) {
	s = scan(add, tiles)
	b = bins(i64(x), 4)
	return total: sum(n_length), s, next: next(tiles, 1, 0), b_low: min(x_words, by: b, else: 0), high: max(b_low_words, by: b, else: 0)
}
`))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	for _, level := range fuse.Levels {
		program, _, err := compile.Compile(pipelines[0], compile.Options{Level: level})
		if err != nil {
			t.Fatal(err)
		}
		for _, scheme := range []string{SchemeLookback, SchemePublished} {
			if _, err := Lower(program, plan.Schedule{Scheme: scheme}); err != nil {
				t.Errorf("%s, %s: %v", level, scheme, err)
			}
		}
	}
}
