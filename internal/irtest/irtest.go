// Package irtest gives tests of other packages pipelines, and what these make of the table of aggregates.
package irtest

import (
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// Aggregates returns a pipeline for each aggregate. In its text, %[1]v is the
// aggregate, and %[2]v a kind that it takes.
func Aggregates(t *testing.T, text string) map[ir.Op]*ir.Pipeline {
	t.Helper()
	list := map[ir.Op]*ir.Pipeline{}
	for _, op := range ir.Aggregates() {
		k := ir.F64
		if !op.Aggregate().Takes(k) {
			k = ir.Bool
		}
		pipelines, errs := ir.Load("p.kg", fmt.Appendf(nil, text, op, k))
		if err := errs.Err(); err != nil {
			t.Fatal(err)
		}
		list[op] = pipelines[0]
	}
	return list
}

// UnknownFinish runs place while an aggregate has the Finish 99, for which no place
// has a case. It returns what place panics with.
func UnknownFinish(op ir.Op, place func()) (said string) {
	a := op.Aggregate()
	known := a.Finish
	defer func() {
		a.Finish = known
		said = fmt.Sprint(recover())
	}()
	a.Finish = 99
	place()
	return ""
}

// Load returns the first pipeline of a text.
func Load(t *testing.T, text string) *ir.Pipeline {
	t.Helper()
	pipelines, errs := ir.Load("test.kg", []byte(text))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	return pipelines[0]
}
