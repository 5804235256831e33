package fuse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// No kernel makes up a result for a Finish that it does not know: of all rows, of
// segments, of tables.
func TestUnknownFinishPanics(t *testing.T) {
	for name, by := range map[string]string{"rows": "", "segments": ", by: runs(k)", "tables": ", by: bins(k, 3)"} {
		for op, p := range lowered(t, "pipeline p(x: [n]%[2]v, k: [n]u8) {\n\treturn r: %[1]v(x"+by+"), rows: len(k)\n}\n") {
			unknownFinish(t, op, name, func() {
				g, err := fuse.Lower(p, fuse.Options{})
				if err != nil {
					t.Fatal(err)
				}
				f, err := fuse.Fuse(g, fuse.LevelNone, plan.Machine{})
				if err != nil {
					t.Fatal(err)
				}
				f.Program()
			})
		}
	}
}

// unknownFinish runs place with an aggregate whose Finish has no case anywhere,
// and reports if it does not panic with a message that names the aggregate.
func unknownFinish(t *testing.T, op ir.Op, name string, place func()) {
	t.Helper()
	a := op.Aggregate()
	known := a.Finish
	defer func() {
		a.Finish = known
		if said := fmt.Sprint(recover()); !strings.HasSuffix(said, " of "+op.String()) { // tables of first have no identity
			t.Errorf("%s of %v: %s", name, op, said)
		}
	}()
	a.Finish = 99
	place()
}

// lowered lists the aggregates that have a state, and pipelines with each.
func lowered(t *testing.T, text string) map[ir.Op]*ir.Pipeline {
	t.Helper()
	list := map[ir.Op]*ir.Pipeline{}
	for _, op := range ir.Aggregates() {
		if a := op.Aggregate(); len(a.State) > 0 {
			k := ir.F64
			if !a.Takes(k) {
				k = ir.Bool
			}
			pipelines, errs := ir.Load("p.kg", fmt.Appendf(nil, text, op, k))
			if err := errs.Err(); err != nil {
				t.Fatal(err)
			}
			list[op] = pipelines[0]
		}
	}
	return list
}
