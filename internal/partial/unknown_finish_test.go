package partial

import (
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/internal/irtest"
)

// Neither half of a cut makes up a result for a Finish that it does not know.
func TestUnknownFinishPanics(t *testing.T) {
	for op, p := range irtest.Aggregates(t, "pipeline p(x: [n]%[2]v) {\n\treturn r: %[1]v(x)\n}\n") {
		if op.Aggregate().GivesRow() { // shards cannot compute it
			continue
		}
		want := fmt.Sprintf("partial: no finish 99 of %v", op)
		if said := irtest.UnknownFinish(op, func() { New(p, Options{}) }); said != want {
			t.Errorf("shard: %s, not %s", said, want)
		}
		classes, err := classify(p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := newSplitter(p, nil, classes)
		if err := s.buildShard(); err != nil {
			t.Fatal(err)
		}
		if said := irtest.UnknownFinish(op, func() { s.buildFinish() }); said != want {
			t.Errorf("finish: %s, not %s", said, want)
		}
	}
}
