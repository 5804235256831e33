package testsuite

import (
	"bytes"
	"maps"
	"testing"

	"github.com/kgen-go/kgen/backends/kernels"
	"github.com/kgen-go/kgen/plan"
)

// isSame reports whether two programs differ by the name of their level only.
func isSame(t *testing.T, x, y *kernels.Program) bool {
	var plans [2][]byte
	for i, p := range []*kernels.Program{x, y} {
		var unnamed *plan.Plan
		for host, next := p.Plan, &unnamed; host != nil; host, next = host.Fallback, &(*next).Fallback {
			same := *host
			same.Level, *next = "", &same
		}
		var err error
		if plans[i], err = plan.Encode(unnamed); err != nil {
			t.Fatal(err)
		}
	}
	return bytes.Equal(plans[0], plans[1]) && maps.Equal(x.Texts(), y.Texts())
}

// largestTile returns the most rows that a group of a plan's kernels covers.
func largestTile(p *plan.Plan) (rows int) {
	for ; p != nil; p = p.Fallback {
		for _, k := range p.Kernels {
			rows = max(rows, int(k.Variants[0].Schedule.Rows()))
		}
	}
	return rows
}
