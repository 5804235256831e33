package simt

import (
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/plan"
)

// TestTileTables holds which kernels with a prefix have tables of their tiles in local
// memory, and of how many bytes.
func TestTileTables(t *testing.T) {
	portable := Target{}
	large := Target{Subgroup: SubgroupOf(32), Atomics64: true, MergesCounts: true, LaunchedLocal: 227 << 10}
	const selected = "x: [n]i64) {\n\tl = x > 0\n\tb = bins(x[l], "
	for _, test := range []struct {
		name, source string
		target       Target
		schedule     plan.Schedule
		bytes        int
	}{
		{"counts", selected + "16)\n\treturn x: x[l], c: count(by: b)", large, plan.Schedule{}, 16 * 4},
		{"copies of sums", selected + "16)\n\treturn x: x[l], s: sum(x[l], by: b)", large, plan.Schedule{}, 16 * (8 + 1) * 4},
		{"first rows beside counts", selected + "16)\n\treturn f: first(x[l], by: b, else: 0), c: count(by: b)", large, plan.Schedule{}, 16*4 + 16*8*8}, // a count says which bins have one
		{"two of 256", selected + "256)\n\treturn x: x[l], c: count(by: b), s: sum(x[l], by: b)", large, plan.Schedule{}, 256*4 + 256*(4+1)*4},
		{"tiles by several launches", selected + "16)\n\treturn x: x[l], c: count(by: b)", large, plan.Schedule{Scheme: SchemePublished}, 16 * 4},
		{"more bins", selected + "257)\n\treturn x: x[l], c: count(by: b)", large, plan.Schedule{}, 0},
		{"copies of counts", selected + "16)\n\treturn x: x[l], c: count(by: b)", portable, plan.Schedule{}, 16 * 8 * 4},
		{"in global memory", selected + "16)\n\treturn x: x[l], c: count(by: b)", large, plan.Schedule{Table: plan.Global}, 0},
	} {
		lowered, err := test.target.Lower(tablesProgram(t, test.source, compile.Options{Level: fuse.LevelOnePass}), test.schedule)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got := 0
		for _, k := range lowered.Kernels {
			for _, s := range k.Funcs[0].Body {
				if d, ok := s.(*loop.Decl); ok && d.Var.Name == "local_tables" {
					got = d.Var.T.Len * d.Var.T.Kind.Size()
				}
			}
		}
		if got != test.bytes {
			t.Errorf("%s: tables of %d bytes, not %d", test.name, got, test.bytes)
		}
	}
}
