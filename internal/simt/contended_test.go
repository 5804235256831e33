package simt

import (
	"testing"

	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/plan"
)

// Rows of one element are combined before it is exchanged, and work-items begin each row together.
func TestSharedElements(t *testing.T) {
	program := compiled(t, "pipeline shared(x: [n]i64, g: [n]i32) { return p: product(x, by: bins(g, 4)), n: count(by: bins(g, 4)) }\n", compile.Options{Level: "onepass"})
	for _, test := range []struct {
		subgroup Subgroup
		shares   int
	}{{SubgroupOf(32), 1}, {Subgroup{}, 0}} {
		k := newKernel(program.Kernels[0], shape{placement: workgroupPlacement{}, workgroup: 256, subgroup: test.subgroup, budget: localBudget, variant: plan.Direct}, nil, func(int) bool { return true })
		e := newBody(k, nil, "")
		e.isWhole = true
		shares := 0
		for _, op := range k.With(isTableUpdate) {
			if e.sharesElement(op) {
				shares++
			}
		}
		if shares != test.shares {
			t.Errorf("subgroups of %d: %d updates share elements, not %d", test.subgroup.Width, shares, test.shares)
		}
	}
}
