package cuda

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/irtest"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// TestCUDAEmulationClaimed moves rows of groups of which nothing but keys and exact folds is asked: their tiles claim places,
// in whatever order they run, and rows of a subgroup with one digit are counted together. Where the order of rows
// matters, tiles claim none.
func TestCUDAEmulationClaimed(t *testing.T) {
	const resident = 3
	emulators := map[string]chan emulator{
		plan.Partitioned: newEmulators(t, emu.Options{Check: true, AnyLane: true, Resident: resident, Limit: time.Minute}),
		plan.Sort:        newEmulators(t, emu.Options{Check: true, Resident: resident, Limit: time.Minute}), // later passes keep the order
	}
	for name, c := range map[string]struct {
		keys, results string
		groups        string
		claims        bool
	}{
		"folds":     {"k", "key: first(k, by: g), total: sum(x, by: g), rows: count(x > 1000, by: g), low: min(x, by: g), mean: avg(x, by: g), any: any(x == 7, by: g)", plan.Partitioned, true},
		"word":      {"k", "key: first(k, by: g), total: sum(x, by: g), rows: count(by: g)", plan.Partitioned, true}, // key and value move in one
		"rows":      {"k", "total: sum(x, by: g)[g]", plan.Partitioned, true},
		"first":     {"k", "key: first(k, by: g), first: first(x, by: g)", plan.Partitioned, false},
		"floats":    {"k", "key: first(k, by: g), total: sum(f64(x) / 3, by: g)", plan.Partitioned, false},
		"row":       {"k", "key: first(k, by: g), row: argmax(x, by: g)", plan.Partitioned, false},
		"two words": {"i64(k % 5) * 4294967311, i64(k) * 4294967311", "total: sum(x, by: g), rows: count(by: g)", plan.Sort, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := "pipeline p(k: [n]i32, x: [n]i32) {\n\tg = groups(" + c.keys + ")\n\treturn " + c.results + "\n}\n"
			p := irtest.Load(t, text)
			schedule := plan.Schedule{Workgroup: 128, Groups: c.groups}
			program, _, err := compile.Compile(p, compile.For(fuse.LevelOnePass, schedule).WithHash(schedule, cuda.HashGroups))
			if err != nil {
				t.Fatal(err)
			}
			inAnyOrder := func(k *tile.Kernel) bool {
				return k.Domains[0].Plan == "n" && k.Has(func(op *tile.Op) bool { return op.AnyOrder })
			}
			if got := slices.ContainsFunc(program.Kernels, inAnyOrder); got != c.claims {
				t.Errorf("rows move in any order: %v, want %v", got, c.claims)
			}
			if !c.claims {
				return
			}
			e := <-emulators[c.groups]
			defer func() { emulators[c.groups] <- e }()
			for _, schedule.Items = range []int{3, 0} {
				made := kerneltest.Make(t, cuda.Emitter(), testsuite.Entry{Pipeline: p}, fuse.LevelOnePass, schedule)
				if !strings.Contains(string(made.Files[0].Text), "_claimed") {
					t.Fatalf("%+v: no tile claims places", schedule)
				}
				tile := max(schedule.Items, 4) * schedule.Workgroup * 3 / 4
				for _, rows := range []int{0, 1, 2*resident*tile + 7} {
					for of, key := range map[string]func(r uint64) uint64{
						"uniform":  func(r uint64) uint64 { return r * 2654435761 >> 7 % 90 },
						"skewed":   func(r uint64) uint64 { return r * (r % 5 / 4) * 2654435761 >> 7 % 90 },
						"constant": func(uint64) uint64 { return 3 },
					} {
						in := []ir.Column{ir.NewColumn(ir.I32, rows), ir.NewColumn(ir.I32, rows)}
						for r := range rows {
							in[0].Set(r, ir.Int(ir.I32, int64(int32(key(uint64(r))*2246822519))))
							in[1].Set(r, ir.Int(ir.I32, int64(r*r%4001-70)))
						}
						kerneltest.Agree(t, made.Plan, e.Runner(made), p, fmt.Sprintf("%+v, %d rows, %s", schedule, rows, of), in)
					}
				}
			}
		})
	}
}
