package cuda

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// TestCUDAEmulationClaimed partitions rows of groups of which nothing but keys and exact folds is asked: their tiles claim places,
// in whatever order they run, and rows of a subgroup with one digit are counted together. Where the order of rows
// matters, tiles claim none.
func TestCUDAEmulationClaimed(t *testing.T) {
	const resident = 3
	emulators := newEmulators(t, emu.Options{Check: true, AnyLane: true, Resident: resident, Limit: time.Minute})
	for name, results := range map[string]string{
		"folds":  "total: sum(x, by: g), rows: count(x > 1000, by: g), low: min(x, by: g), mean: avg(x, by: g), any: any(x == 7, by: g)",
		"first":  "first: first(x, by: g)",
		"floats": "total: sum(f64(x) / 3, by: g)",
		"row":    "row: argmax(x, by: g)",
		"rows":   "total: sum(x, by: g)[g]",
	} {
		claims := name == "folds" || name == "rows"
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := "pipeline p(k: [n]i32, x: [n]i32) {\n\tg = groups(k)\n\treturn key: first(k, by: g), " + results + "\n}\n"
			if name == "rows" {
				text = strings.Replace(text, "key: first(k, by: g), ", "", 1)
			}
			loaded, errs := ir.Load("groups.kg", []byte(text))
			if err := errs.Err(); err != nil {
				t.Fatal(err)
			}
			p := loaded[0]
			e := <-emulators
			defer func() { emulators <- e }()
			for _, items := range []int{1, 3, 0} {
				schedule := plan.Schedule{Workgroup: 128, Items: items, Groups: plan.Partitioned}
				made := kerneltest.Make(t, cuda.Emitter(), testsuite.Entry{Pipeline: p}, fuse.LevelOnePass, schedule)
				if got := strings.Contains(string(made.Files[0].Text), "_claimed"); got != claims {
					t.Fatalf("%+v: tiles claim places: %v", schedule, got)
				}
				if !claims {
					return
				}
				tile := max(items, 4) * schedule.Workgroup * 3 / 4
				for _, rows := range []int{0, 1, tile + 1, 2*resident*tile + 7} {
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
