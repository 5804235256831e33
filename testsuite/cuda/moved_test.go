package cuda

import (
	"fmt"
	"testing"
	"time"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/irtest"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// TestCUDAEmulationMoved makes tables of rows that move before they enter them, and looks up rows that move before: by keys
// that are slots, of which some rows have the same, and by others.
func TestCUDAEmulationMoved(t *testing.T) {
	const least = 1000
	p := irtest.Load(t, "pipeline p(k: [n]i32, in: [m]i32, x: [m]i32) {\n\tf = find(k, in: in)\n\thit = f >= 0\n\treturn total: sum(x[f[hit]]), row: find(in, in: k)\n}\n")
	schedule := plan.Schedule{}
	options := compile.For(fuse.LevelAuto, schedule).WithHash(schedule, cuda.HashGroups)
	options.Moved = least
	program, _, err := compile.Compile(p, options)
	if err != nil {
		t.Fatal(err)
	}
	made, err := cuda.Emitter().Make(program, schedule)
	if err != nil {
		t.Fatal(err)
	}
	emulators := newEmulators(t, emu.Options{Check: true, Limit: time.Minute})
	for name, key := range map[string]func(r int) int64{
		"slots":         func(r int) int64 { return int64(r) * 7919 % 4001 },
		"slots of many": func(r int) int64 { return int64(r) * 7919 % 601 },
		"one slot":      func(int) int64 { return 5 },
		"hashes":        func(r int) int64 { return int64(int32(uint32(r*7919%4001) * 2246822519)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := <-emulators
			defer func() { emulators <- e }()
			for _, rows := range [][2]int{{3 * least, 2*least + 7}, {9 * least, least}, {least, least - 1}} {
				in := []ir.Column{ir.NewColumn(ir.I32, rows[0]), ir.NewColumn(ir.I32, rows[1]), ir.NewColumn(ir.I32, rows[1])}
				for r := range rows[0] {
					in[0].Set(r, ir.Int(ir.I32, key(r*r)))
				}
				for r := range rows[1] {
					in[1].Set(r, ir.Int(ir.I32, key(r)))
					in[2].Set(r, ir.Int(ir.I32, int64(r%1000)))
				}
				kerneltest.Agree(t, made.Plan, e.Runner(made), p, fmt.Sprintf("%d rows", rows), in)
			}
		})
	}
}

// TestCUDAEmulationEntered lets emitted CUDA C++ enter words of few rows whose slots are no keys, of which several have one key, checked for races.
func TestCUDAEmulationEntered(t *testing.T) {
	p := irtest.Load(t, "pipeline p(k: [n]i32, in: [m]i32, x: [m]i32) {\n\tf = find(k, in: in)\n\treturn total: sum(x[f[f >= 0]])\n}\n")
	program, _, err := compile.Compile(p, compile.For(fuse.LevelAuto, plan.Schedule{}).WithHash(plan.Schedule{}, cuda.HashGroups))
	if err != nil {
		t.Fatal(err)
	}
	made, err := cuda.Emitter().Make(program, plan.Schedule{})
	if err != nil {
		t.Fatal(err)
	}
	e := <-newEmulators(t, emu.Options{Check: true, Limit: time.Minute})
	const left, right = 3000, 1700
	for _, span := range []int64{1000, 1 << 30} { // codes fit beside numbers of rows, or not
		in := []ir.Column{ir.NewColumn(ir.I32, left), ir.NewColumn(ir.I32, right), ir.NewColumn(ir.I32, right)}
		for r := range left {
			in[0].Set(r, ir.Int(ir.I32, int64(int32(uint32(r%1500)*2246822519))))
		}
		for r := range right {
			in[1].Set(r, ir.Int(ir.I32, int64(int32(uint32(r*r%1201)*2246822519))))
			in[2].Set(r, ir.Int(ir.I32, int64(r)*(span/right)))
		}
		kerneltest.Agree(t, made.Plan, e.Runner(made), p, fmt.Sprintf("values below %d", span), in)
	}
}
