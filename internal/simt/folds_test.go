package simt

import (
	"testing"

	"github.com/kgen-go/kgen/internal/compile"
)

const foldsText = "pipeline folds(x: [n]i64, y: [n]u16) {\n\treturn a: first(y, else: 1), b: last(x, else: 2), c: argmax(x), d: min(x), e: sum(y)\n}\n"

// Rows that are folded to the first, the last or the row of an extreme lie in any order in work-items, and no column passes
// through local memory for it.
func TestFoldsTakeRowsInAnyOrder(t *testing.T) {
	program := compiled(t, foldsText, compile.Options{Level: "onepass"})
	for _, logical := range program.Kernels {
		k := newKernel(logical.Rowed(), shape{placement: workgroupPlacement{}, workgroup: 256, budget: localBudget}, nil, func(int) bool { return true })
		if k.needsOrder() || k.arena.bytes > 0 {
			t.Errorf("%s: %d bytes of local memory for the order of rows", logical.Name, k.arena.bytes)
		}
	}
}

// Folds of a work-group share their shuffles and barriers as far as local memory goes.
func TestFoldsTogether(t *testing.T) {
	program := compiled(t, foldsText, compile.Options{Level: "onepass"})
	for _, test := range []struct {
		subgroup  Subgroup
		workgroup int
		together  bool
	}{{SubgroupOf(32), 256, true}, {Subgroup{}, 256, false}, {SubgroupOf(32), 1024, true}} {
		k := newKernel(program.Kernels[0].Rowed(), shape{placement: workgroupPlacement{}, workgroup: test.workgroup, subgroup: test.subgroup, budget: localBudget}, nil, func(int) bool { return true })
		reductions, list := k.reductions(), k.foldedTogether(k.reductions())
		n := 0
		for _, ops := range list {
			n += len(ops)
			if bytes := k.stateOf(ops).bytes() * k.collective.elements(k); test.together && bytes > foldBytes {
				t.Errorf("%d work-items: %d bytes", test.workgroup, bytes)
			}
		}
		if n != len(reductions) || len(list) < len(reductions) != test.together {
			t.Errorf("%d work-items: %d reductions in %d folds of %d", test.workgroup, len(reductions), len(list), n)
		}
	}
}
