package simt

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/plan"
)

// Stores between cuts wait for the last one and pass through local memory, as far as work-items hold that many bytes of a row.
func TestStoresWait(t *testing.T) {
	const once, again = "partial1 offset1 add1", " partial2 offset2 add2"
	for _, test := range []struct {
		text      string
		level     string
		collected int // of all stores of rows
		stores    int
	}{
		{"a = scan(add, x)\n\treturn a, b: scan(max, a)", once + again, 2, 2},
		{"a = scan(add, x)\n\treturn a, c: a + 1, d: a + 2, b: scan(max, a)", once + " map1 map2" + again, 3, 4}, // two of 8 bytes wait
		{"a = scan(add, x)\n\treturn b: scan(max, a)", once + again, 1, 1},
		{"g = runs(x)\n\treturn key: first(x, by: g), total: sum(x, by: g), most: max(scan(add, x, by: g), by: g)", "mask " + once + again + " aggregate", 3, 3}, // at places of groups
	} {
		program := compiled(t, "pipeline wait(x: [n]i64) {\n\t"+test.text+"\n}\n", compile.Options{Level: test.level, Options: fuse.Options{Short: true}})
		if len(program.Kernels) != 1 {
			t.Fatalf("%s: %d kernels", test.text, len(program.Kernels))
		}
		s := shape{placement: workgroupPlacement{}, workgroup: 256, budget: localBudget}
		k := newKernel(program.Kernels[0], s, nil, func(int) bool { return true })
		if len(k.cuts) != 2 {
			t.Fatalf("%s: %d cuts", test.text, len(k.cuts))
		}
		stores := 0
		for range k.With(func(op *tile.Op) bool { return !op.Epilogue && op.Does(tile.Writes) }) {
			stores++
		}
		if len(k.arena.collected) != test.collected || stores != test.stores {
			t.Errorf("%s: %d of %d stores pass through local memory, not %d of %d", test.text, len(k.arena.collected), stores, test.collected, test.stores)
		}
	}
}

// A kernel that moves rows also stores what is computed beside that.
func TestStoresBesideMovedRows(t *testing.T) {
	const text = "pipeline moved(k: [n]i32, x: [n]f64) {\n\treturn p: order(k), y: x + x\n}\n"
	program := compiled(t, text, compile.Options{Level: "map1 histogram | partial offset add | pass1 | pass2 | pass3 | pass4 map2"})
	lowered, err := Lower(program, plan.Schedule{Part: 1 << 12})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range lowered.Plan.Buffers {
		writes := func(k plan.Kernel) bool {
			return slices.ContainsFunc(k.Variants[0].Args, func(a plan.Arg) bool { return a.Buffer == b.Name && a.Access != plan.Reads })
		}
		if b.Role == plan.Output && !slices.ContainsFunc(lowered.Plan.Kernels, writes) {
			t.Errorf("no kernel writes %s", b.Name)
		}
	}
}
