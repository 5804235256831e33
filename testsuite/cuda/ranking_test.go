package cuda

import (
	"fmt"
	"testing"
	"time"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// TestCUDAEmulationRanking sorts by work-groups that walk over the tiles, in the
// emulation with all checks. Few work-groups take several tiles each.
func TestCUDAEmulationRanking(t *testing.T) {
	const resident = 6
	emulators := newEmulators(t, emu.Options{Check: true, Resident: resident, Limit: time.Minute})
	sample.Log(t)
	for i, name := range []string{"sort_two_keys", "order_three_keys", "group_sum", "groups_of_floats", "top_k"} {
		if i%2 != 0 && !sample.Everything() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entry, err := testsuite.LoadEntry("../corpus/" + name + ".kg")
			if err != nil {
				t.Fatal(err)
			}
			e := <-emulators
			defer func() { emulators <- e }()
			for _, items := range []int{1 + i%3, 0} {
				schedule := plan.Schedule{Workgroup: 128 << (i % 2), Items: items}
				made := kerneltest.Make(t, cuda.Emitter(), entry, fuse.LevelOnePass, schedule)
				tile := int(schedule.Rows())
				if items == 0 { // tiles of few rows have 4 a work-item that does not only look back
					tile = 4 * schedule.Workgroup * 3 / 4
				}
				for k, rows := range []int{0, 1, tile + 1, 3*resident*tile + 7} {
					c := testsuite.RandomData{Rows: rows, Tile: tile, Shape: testsuite.Shapes()[(i+k)%len(testsuite.Shapes())], Seed: uint64(k), Whole: true}
					kerneltest.Agree(t, made.Plan, e.Runner(made), entry.Pipeline, fmt.Sprintf("%+v, %+v", schedule, c), c.Columns(entry.Pipeline))
				}
			}
		})
	}
}

// TestCUDAEmulationRankingAnyLane sorts where the lanes of a warp run in any order. Kernels that give rows their places
// in that order notice it, and the plan's fallback sorts; kernels by masks need no order.
func TestCUDAEmulationRankingAnyLane(t *testing.T) {
	e := emulator{newEmulator(t, emu.Options{Check: true, AnyLane: true, Limit: time.Minute})}
	entry, err := testsuite.LoadEntry("../corpus/sort_two_keys.kg")
	if err != nil {
		t.Fatal(err)
	}
	in := testsuite.RandomData{Rows: 700, Shape: testsuite.Distinct, Seed: 3, Whole: true}.Columns(entry.Pipeline)
	want, err := testsuite.Expect(entry.Pipeline, in)
	if err != nil {
		t.Fatal(err)
	}
	for _, rank := range []string{"", plan.Masks} {
		made := kerneltest.Make(t, cuda.Emitter(), entry, fuse.LevelOnePass, plan.Schedule{Workgroup: 128, Rank: rank})
		gaveUp := false
		got, err := testsuite.RunPlan(entry.Pipeline, made.Plan, func(in exec.Inputs) (*exec.Result, error) {
			result, err := e.Runner(made)(in)
			gaveUp = err == nil && len(result.GaveUp) > 0
			return result, err
		}, in)
		if difference := want.Differ(got, err); difference != "" {
			t.Fatalf("rank=%s: %s", rank, difference)
		}
		if gaveUp != (rank == "") {
			t.Errorf("rank=%s: a kernel has noticed that lanes run in another order: %v", rank, gaveUp)
		}
	}
}
