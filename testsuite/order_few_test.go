package testsuite_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/simt/simttest"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// TestOrderOfFew sorts as many rows as one launch sorts, fewer and more, all of them and the first of
// them, by keys of one word. The rows are several blocks, or chunks of several parts of a work-group. Of many rows, keys that differ in few bits have passes of their own.
func TestOrderOfFew(t *testing.T) {
	const room = 192
	for i, kind := range []string{"i32", "u64", "f64", "bool"} {
		text := fmt.Sprintf("pipeline few(a: [n]%s) {\n\tr = order(desc(a))\n\treturn all: order(a), least: order(a, limit: 9), some: order(desc(a), limit: 40), first: a[r]\n}\n", kind)
		loaded, errs := ir.Load("few.kg", []byte(text))
		if err := errs.Err(); err != nil {
			t.Fatal(err)
		}
		p := loaded[0]
		program, _, err := compile.Compile(p, compile.Options{Level: fuse.LevelOnePass, Options: fuse.Options{Short: true, Radix: 8, Sample: 4}})
		if err != nil {
			t.Fatal(err)
		}
		if kerneltest.KernelWith(program.Kernels, func(op *tile.Op) bool { return op.Kind == tile.Order }) == "" {
			t.Errorf("%s: no launch sorts rows by itself", kind)
		}
		schedule := plan.Schedule{Workgroup: 8, Items: room / 8}
		if kind == "bool" {
			schedule = plan.Schedule{Workgroup: 64, Items: room / 64}
		}
		lowered, err := simt.Target{Atomics64: true}.Lower(program, schedule)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(lowered.Plan.Scalars, func(s plan.Scalar) bool { return s.Name == "order_room" })
		if at < 0 || lowered.Plan.Scalars[at].Init != plan.Literal(fmt.Sprint(room)) {
			t.Fatalf("%s: %v, not room for %d rows", kind, lowered.Plan.Scalars, room)
		}
		device := simttest.NewDevice(lowered.Kernels, rand.New(rand.NewPCG(1, 2)))
		for _, rows := range []int{0, 1, room - 1, room, 300} {
			for shape, ordinal := range keyShapes {
				if rows > room && shape != "all different" {
					continue // simulated, which takes long
				}
				r := rand.New(rand.NewPCG(uint64(rows), uint64(i)))
				in := []ir.Column{keyColumn(p.Params[0].Type.Kind, rows, r, ordinal)}
				run := func(in exec.Inputs) (*exec.Result, error) {
					return exec.Run(t.Context(), device, lowered.Plan, in, exec.Options{})
				}
				kerneltest.Agree(t, lowered.Plan, run, p, fmt.Sprintf("%s, %d rows, %s", kind, rows, shape), in)
			}
		}
	}
}

// TestOrderByWideDigits sorts rows by digits of one bit more where that saves a pass: by keys of nine bits, in two passes
// of five in place of three of four, whether the plan finds out or the program tells, and by keys of more and of fewer.
func TestOrderByWideDigits(t *testing.T) {
	const text = "pipeline digits(a: [n]u16) {\n\treturn all: order(a), low: order(a & 255), desc: order(desc(a)), known: order(bins(a & 511, 512)), key: a[order(a)]\n}\n"
	loaded, errs := ir.Load("digits.kg", []byte(text))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	p := loaded[0]
	program, _, err := compile.Compile(p, compile.Options{Level: fuse.LevelOnePass, Options: fuse.Options{Short: true, Radix: 4, Wide: true, Sample: 4}})
	if err != nil {
		t.Fatal(err)
	}
	lowered, err := simt.Target{Atomics64: true}.Lower(program, plan.Schedule{Workgroup: 8, Items: 4})
	if err != nil {
		t.Fatal(err)
	}
	device := simttest.NewDevice(lowered.Kernels, rand.New(rand.NewPCG(1, 2)))
	for _, most := range []uint64{2, 256, 512, 1024, 2048, 1 << 14, 1 << 16} { // numbers that keys may be
		for _, first := range []uint64{0, 1 << 15} {
			r := rand.New(rand.NewPCG(most, first))
			keys := ir.NewColumn(ir.U16, 150)
			for row := range keys.Len() {
				keys.Set(row, ir.Int(ir.U16, int64(first|r.Uint64N(most)|most>>1*uint64(row&1)))) // the highest bit differs
			}
			in := []ir.Column{keys}
			run := func(in exec.Inputs) (*exec.Result, error) {
				return exec.Run(t.Context(), device, lowered.Plan, in, exec.Options{})
			}
			kerneltest.Agree(t, lowered.Plan, run, p, fmt.Sprintf("%d keys from %d on", most, first), in)
		}
	}
}
