package ir

import (
	"fmt"
	"testing"
)

// Every aggregate has a complete row: a state, a result for each kind that it
// takes, and what is said of it.
func TestAggregateTable(t *testing.T) {
	for _, op := range Aggregates() {
		a := op.Aggregate()
		if a.name == "" || op.String() != a.name || a.takes == 0 || a.help.Doc == "" || a.help.Example == "" {
			t.Errorf("aggregate %d: %+v", op, a)
		}
		if a.takes != elements && a.takes != bools && a.hint == "" {
			t.Errorf("%v takes no bools, and does not say what is right", op)
		}
		if fields, known := map[AggregateFinish]int{FinishField: 1, FinishQuotient: 2, FinishRow: 2}[a.Finish]; !known || len(a.State) != fields {
			t.Errorf("%v finishes %d fields by %d", op, len(a.State), a.Finish)
		}
		for k := Bool; k <= Char8; k++ {
			if !a.Takes(k) {
				continue
			}
			if !a.Result(k).isElement() {
				t.Errorf("%v of %v gives %v", op, k, a.Result(k))
			}
			for i, f := range a.State {
				if f.Holders && (i == 0 || a.State[0].Fold != ReduceMin && a.State[0].Fold != ReduceMax) {
					t.Errorf("%v: no row holds the value of %s", op, a.State[0].Name)
				}
				if f.Name == "" || !f.Kind(k).isElement() || f.Fold == ReduceNone {
					t.Errorf("%v of %v: %+v", op, k, f)
				}
			}
		}
	}
}

// Kinds of sums are wide enough for what devices add in any order.
func TestFloatFold(t *testing.T) {
	p := mustLoad(t, `pipeline p(x: [n]f32, k: [n]i32) {
	return a: sum(x), b: avg(x, by: runs(k)), c: sum(k), d: max(x), e: first(x), f: scan(mul, x), g: scan(max, x), h: count(x > 0)
}`)
	want := []ReduceOp{ReduceAdd, ReduceAdd, ReduceNone, ReduceNone, ReduceNone, ReduceMul, ReduceNone, ReduceNone}
	for i, r := range p.Results {
		if got := r.Value.FloatFold(); got != want[i] {
			t.Errorf("%v folds floats by %v, not %v", r.Value.Op, got, want[i])
		}
	}
}

// A Finish that a place does not know is never taken for another.
func TestUnknownFinishPanics(t *testing.T) {
	p := mustLoad(t, "pipeline p(x: [n]f64) {\n\treturn r: sum(x)\n}\n")
	a := OpSum.Aggregate()
	for name, place := range map[string]func(){
		"Result":    func() { a.Result(F64) },
		"FloatFold": func() { p.Results[0].Value.FloatFold() },
	} {
		func() {
			defer func() {
				a.Finish = FinishField
				if said, want := fmt.Sprint(recover()), "ir: no finish 99 of sum"; said != want {
					t.Errorf("%s: %s, not %s", name, said, want)
				}
			}()
			a.Finish = 99
			place()
		}()
	}
}
