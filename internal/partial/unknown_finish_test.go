package partial

import (
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// Neither half of a cut makes up a result for a Finish that it does not know.
func TestUnknownFinishPanics(t *testing.T) {
	for op, p := range lowered(t, "pipeline p(x: [n]%[2]v) {\n\treturn r: %[1]v(x)\n}\n") {
		unknownFinish(t, op, "shard", func() { New(p) })
		classes, err := classify(p)
		if err != nil {
			t.Fatal(err)
		}
		s := newSplitter(p, nil, classes)
		if err := s.buildShard(); err != nil {
			t.Fatal(err)
		}
		unknownFinish(t, op, "finish", func() { s.buildFinish() })
	}
}

// unknownFinish runs place with an aggregate whose Finish has no case anywhere,
// and reports if it does not panic with a message of this package.
func unknownFinish(t *testing.T, op ir.Op, name string, place func()) {
	t.Helper()
	a := op.Aggregate()
	known := a.Finish
	defer func() {
		a.Finish = known
		if said, want := fmt.Sprint(recover()), fmt.Sprintf("partial: no finish 99 of %v", op); said != want {
			t.Errorf("%s of %v: %s, not %s", name, op, said, want)
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
