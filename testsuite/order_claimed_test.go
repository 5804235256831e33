package testsuite_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// TestLimitInAnyOrder has an order with a limit find its candidates in any order: as many as there is room for, more and fewer, with limits
// for which that is tried and others, by keys that are equal, too.
func TestLimitInAnyOrder(t *testing.T) {
	const text = "pipeline least(a: [n]i32, b: [n]u16, limit: i64) {\n\treturn least: order(a, limit: limit), desc: order(desc(b), limit: 3)\n}\n"
	loaded, errs := ir.Load("least.kg", []byte(text))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	p := loaded[0]
	claims := func(op *tile.Op) bool { return op.Kind == tile.Claim }
	sorts := func(op *tile.Op) bool { return op.Kind == tile.Order && op.Digits == 64 }
	for _, c := range []struct {
		level string
		room  int64
	}{{fuse.LevelAuto, 6}, {fuse.LevelAuto, 24}, {fuse.LevelOnePass, 1 << 10}, {fuse.LevelNone, 16}} {
		program, _, err := compile.Compile(p, compile.Options{Level: c.level, Options: fuse.Options{Short: true, Radix: 8, Sample: 2, Claimed: c.room}})
		if err != nil {
			t.Fatal(err)
		}
		claiming, sorting := kerneltest.KernelWith(program.Kernels, claims), kerneltest.KernelWith(program.Kernels, sorts)
		if isFused := c.level != fuse.LevelNone; isFused != (claiming != "") || sorting == "" {
			t.Fatalf("%s: kernel %q claims places, %q sorts what has them", c.level, claiming, sorting)
		}
		lowered, err := simt.Target{Atomics64: true}.Lower(program, plan.Schedule{Workgroup: 8, Items: 16})
		if err != nil {
			t.Fatal(err)
		}
		runs := map[string]int{}
		watched := kerneltest.Watching(lowered, uint64(c.room), func(name string) { runs[name]++ })
		cases := 0
		for _, rows := range []int{0, 127, 128, 300} {
			for shape, ordinal := range keyShapes {
				if rows < 128 && shape != "any" || c.level != fuse.LevelAuto && shape != "few values" {
					continue // simulated, which takes long
				}
				for _, limit := range []int64{0, 1, 11, 60} {
					r := rand.New(rand.NewPCG(uint64(rows), uint64(limit)))
					first := ir.NewColumn(ir.I64, 1)
					first.Set(0, ir.Int(ir.I64, limit))
					in := []ir.Column{keyColumn(ir.I32, rows, r, ordinal), keyColumn(ir.U16, rows, r, ordinal), first}
					kerneltest.Agree(t, lowered.Plan, watched, p, fmt.Sprintf("room for %d, %s, %d rows, limit %d, %s", c.room, c.level, rows, limit, shape), in)
					cases++
				}
			}
		}
		if n := runs[claiming]; claiming != "" && (n == 0 || n == cases) {
			t.Errorf("%s, room for %d: candidates are found in any order %d times of %d", c.level, c.room, n, cases)
		}
		if n := runs[sorting]; n == 0 || c.room < 1<<10 && claiming != "" && n == runs[claiming] {
			t.Errorf("%s, room for %d: candidates are sorted %d times of %d", c.level, c.room, n, runs[claiming])
		}
	}
}
