package simt

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/simt/simttest"
	"github.com/kgen-go/kgen/plan"
)

// counts compiles a count of rows per run at a level.
func counts(t *testing.T, level, variant string) *backends.Program {
	t.Helper()
	program := compiled(t, "pipeline counts(k: [n]i32) {\n\tg = runs(k)\n\treturn key: first(k, by: g), rows: count(by: g)\n}\n", compile.Options{Level: level, Variant: variant})
	return program
}

// TestRefusedSchedules holds the messages for schedules that are refused.
func TestRefusedSchedules(t *testing.T) {
	for _, c := range []struct {
		schedule plan.Schedule
		want     string
	}{
		{plan.Schedule{Chunk: 2}, "chunk=2: under scheme=lookback each work-group of kernel counts_kernel1 takes one tile; several are a choice of scheme=published"},
		{plan.Schedule{Scheme: SchemePublished, Offsets: plan.Broadcast}, "offsets=broadcast can only add, and kernel counts_kernel1 has another fold (aggregate)"},
		{plan.Schedule{Scheme: SchemePublished, Offsets: plan.Broadcast, Variant: plan.Direct, Part: 1 << 20}, "part=1048576: offsets=broadcast is for 32768 tiles at most, and inputs in parts have more; choose offsets=scan"},
		{plan.Schedule{Occupancy: 4}, "occupancy=4: these kernels cannot say how many registers they may have; leave it out"},
	} {
		_, err := Lower(counts(t, fuse.LevelOnePass, c.schedule.Variant), c.schedule)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, not %q", c.schedule, err, c.want)
		}
	}
}

// TestOccupancy holds that kernels with rows leave registers for as many work-groups
// as the schedule says, but not for more than a compute unit runs.
func TestOccupancy(t *testing.T) {
	target := Target{Subgroup: SubgroupOf(32), Occupancy: true}
	for want, refused := range map[string]plan.Schedule{
		"scheme=persistent: one work-group per compute unit processes all rows with the others: omit ids, chunk, offsets, occupancy and part": {Scheme: SchemePersistent, Occupancy: 2},
		"occupancy=-1: there are registers for at least one work-group":                                                                       {Occupancy: -1},
	} {
		if _, err := target.Lower(counts(t, fuse.LevelOnePass, ""), refused); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, not %q", refused, err, want)
		}
	}
	for _, c := range []struct{ workgroup, occupancy, want int }{{64, 7, 7}, {256, 7, 7}, {256, 32, 8}, {512, 32, 4}, {256, 0, 0}} {
		lowered, err := target.Lower(counts(t, fuse.LevelOnePass, ""), plan.Schedule{Workgroup: c.workgroup, Occupancy: c.occupancy})
		if err != nil {
			t.Fatal(err)
		}
		for p := lowered.Plan; p != nil; p = p.Fallback {
			for i := range p.Kernels {
				want := c.want
				if v := p.Kernels[i].Variants[0]; v.Grid.String() == plan.Const(1).String() {
					want = 0
				} else if got := v.Schedule.Occupancy; got != want {
					t.Errorf("%+v: the plan of %s says %d", c, v.Entry, got)
				}
				if f := lowered.Kernels[i].Funcs[0]; f.Occupancy != want {
					t.Errorf("%+v: %s leaves registers for %d work-groups", c, f.Name, f.Occupancy)
				}
			}
			lowered.Kernels = lowered.Kernels[len(p.Kernels):]
		}
	}
}

// TestChunkOfTiles holds that work-groups walk through tiles, and how many.
func TestChunkOfTiles(t *testing.T) {
	lowered, err := Lower(counts(t, fuse.LevelPaper2, plan.PrivateVar), plan.Schedule{Workgroup: 8, Items: 2, Chunk: 3, Scheme: SchemePublished, Variant: plan.PrivateVar})
	if err != nil {
		t.Fatal(err)
	}
	last := lowered.Plan.Kernels[len(lowered.Plan.Kernels)-1].Variants[0].Schedule
	if want := (plan.Schedule{Workgroup: 8, Items: 2, Chunk: 3, Scheme: SchemeFlat, Variant: plan.PrivateVar}); last != want || last.Rows() != 48 {
		t.Errorf("the aggregation has the schedule %+v, not %+v", last, want)
	}
}

// TestTooManyToBroadcast holds that offsets are not broadcast past 2^15 tiles.
func TestTooManyToBroadcast(t *testing.T) {
	lowered, err := Lower(counts(t, fuse.LevelOnePass, plan.Direct), plan.Schedule{Workgroup: 4, Items: 1, Scheme: SchemePublished, Offsets: plan.Broadcast, Variant: plan.Direct})
	if err != nil {
		t.Fatal(err)
	}
	const rows = 4*maxBroadcast + 1
	keys := make([]int32, rows)
	_, err = exec.Run(t.Context(), simttest.NewDevice(lowered.Kernels, rand.New(rand.NewPCG(1, 1))), lowered.Plan, exec.Inputs{Columns: map[string]exec.Column{
		"k": {Kind: plan.I32, Data: unsafe.Slice((*byte)(unsafe.Pointer(&keys[0])), 4*rows)}}}, exec.Options{})
	var gaveUp *exec.GiveUpError
	if !errors.As(err, &gaveUp) || !strings.Contains(gaveUp.Reason, "would take 32769 work-groups, and is made for at most 32768") {
		t.Errorf("got %v", err)
	}
}
