package tables_test

import (
	"maps"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/irtest"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// TestFewGroupsSpareTheRange groups rows of few keys that lie in a small range: where the sample has very few, kernels are
// those of keys that lie anywhere, and else those of bins.
func TestFewGroupsSpareTheRange(t *testing.T) {
	const sample, rows = 256, 256 << 6 // so 2 groups are very few
	p := irtest.Load(t, sumsText([]string{"i32"}))
	program, _, err := compile.Compile(p, compile.Options{Level: fuse.LevelOnePass, Options: fuse.Options{Short: true, Bins: 64, Hash: 2, HashGroups: 32, Partitions: true, Sample: sample}})
	if err != nil {
		t.Fatal(err)
	}
	lowered, err := simt.Target{Atomics64: true, LaunchedLocal: 200 << 10}.Lower(program, plan.Schedule{Workgroup: 64, Items: 4, Scheme: simt.SchemePublished})
	if err != nil {
		t.Fatal(err)
	}
	launched := func(groups uint64, apart int64) map[string]bool {
		names := map[string]bool{}
		run := kerneltest.Watching(lowered, 1, func(name string) { names[name] = true })
		in := groupsInput(p, rows, groups, func(key uint64, _ int) []ir.Scalar { return []ir.Scalar{ir.Int(ir.I32, int64(key)*apart)} })
		kerneltest.Agree(t, lowered.Plan, run, p, "groups", in)
		return names
	}
	hash, bins := launched(2, 1<<20), launched(20, 1)
	if maps.Equal(hash, bins) {
		t.Fatal("keys of a small range are grouped like others")
	}
	if got := launched(2, 1); !maps.Equal(got, hash) {
		t.Errorf("2 groups: launched %v, want %v", got, hash)
	}
	if got := launched(3, 1); !maps.Equal(got, bins) {
		t.Errorf("3 groups: launched %v, want %v", got, bins)
	}
}
