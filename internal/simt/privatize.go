package simt

import (
	"slices"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/plan"
)

// The variants of aggregation. A work-item may combine its rows before they reach a
// table. An atomic per row is the least work if runs of rows with equal index are
// short. If runs are long, combining first avoids many atomics on one element.

// hasUpdates reports whether rows are combined in tables.
func (k *kernel) hasUpdates() bool {
	return slices.ContainsFunc(k.Ops, func(op tile.Op) bool { return op.Does(tile.Combines) && !op.Epilogue })
}

// combinesByRow reports whether work-items combine nothing beyond a row.
func (s *shape) combinesByRow() bool { return s.variant == plan.Direct || s.variant == plan.Subgroup }

// wantsNeighbours reports whether the variant lets a work-item take consecutive
// rows although it could take any.
func (k *kernel) wantsNeighbours() bool {
	switch k.variant {
	case plan.Chunked, plan.PrivateVar, plan.PrivateArray:
		return k.hasUpdates()
	}
	return false
}

// tables are the updates of a phase at one index, whose rows a work-item
// combines itself.
type tables struct {
	variant string
	index   tile.ID
	ops     []int
	run     *loop.Var         // the index of the last row; none at first
	state   map[int]*loop.Var // per operation: the rows of the run so far; an array has an element per run

	// Of an array.
	runs  *loop.Var // the index of each
	count *loop.Var

	// Of a subgroup, for the row of an item; see leader.go.
	item    loop.Expr
	isFirst loop.Expr // whether the index is that of the first lane
	several loop.Expr // whether that holds for other lanes, too
}

// The index of a run that is outside of the table, and the index before the first.
const (
	outside = -1
	noRun   = -2
)

// variantOf returns how a work-item combines the rows of an operation: those of a stretch that it does not add up with
// its neighbours are a run.
func (k *kernel) variantOf(i int) string {
	switch {
	case k.stretchOf(&k.Ops[i]) == 0 || k.wantsNeighbours():
		return k.variant
	case k.addsStretch(i):
		return plan.Direct
	}
	return plan.PrivateVar
}

// openTables declares what the work-item's rows of a phase are combined in.
func (e *rowBody) openTables(phase int) {
	e.tables = nil
	if !e.effects {
		return
	}
	for i := range e.Ops {
		op := &e.Ops[i]
		variant := e.variantOf(i)
		if !op.Does(tile.Combines) || op.Epilogue || e.phase[i] != phase || variant != plan.PrivateVar && variant != plan.PrivateArray && variant != plan.Subgroup {
			continue
		}
		at := slices.IndexFunc(e.tables, func(t *tables) bool { return t.index == op.Args[0] && e.Ops[t.ops[0]].Domain == op.Domain })
		if at < 0 {
			at = len(e.tables)
			e.tables = append(e.tables, &tables{variant: variant, index: op.Args[0], state: map[int]*loop.Var{}})
		}
		e.tables[at].ops = append(e.tables[at].ops, i)
	}
	for _, t := range e.tables {
		if t.variant == plan.Subgroup { // which combines nothing beyond a row
			continue
		}
		t.run = e.b.Decl("run", loop.Int(noRun))
		if t.variant == plan.PrivateArray {
			t.runs = e.b.Storage("runs", loop.ArrayOf(e.items, loop.Counter))
			t.count = e.b.Decl("runs", loop.Int(0))
		}
		for _, i := range t.ops {
			name, kind := e.Streams[e.Ops[i].Stream].Name, e.Streams[e.Ops[i].Stream].Kind
			if t.variant == plan.PrivateArray {
				t.state[i] = e.b.Storage(name, loop.ArrayOf(e.items, loop.ScalarOf(kind)))
			} else {
				t.state[i] = e.b.Decl(name, e.start(i))
			}
		}
	}
}

// start is what the state of an update begins with.
func (e *function) start(i int) loop.Expr { return loop.ConstOf(e.Ops[i].Monoid.Identity[0]) }

// combineRow combines the row at hand with those of its run before it.
func (e *rowBody) combineRow(i int) {
	op := &e.Ops[i]
	if e.stretches[i] != nil && e.now != atEnd {
		e.addToStretch(i)
		return
	}
	at := slices.IndexFunc(e.tables, func(t *tables) bool { return slices.Contains(t.ops, i) })
	if at < 0 || e.now == atEnd {
		e.update(op)
		return
	}
	t := e.tables[at]
	if t.variant == plan.Subgroup {
		e.combineWithFirst(t, i)
		return
	}
	if i == t.ops[0] {
		run := e.runOf(t, "next")
		e.b.If(loop.Ne(run, t.run), func() { e.beginRun(t, run) }, nil)
	}
	combine := func(before loop.Expr) loop.Expr {
		x := e.b.Let("x", e.expr(op.Args[1]))
		return backends.Combine(op.Monoid.Combine[0], func(int) loop.Expr { return before }, func(int) loop.Expr { return x })
	}
	if t.variant == plan.PrivateArray {
		last := loop.Sub(t.count, loop.Int(1))
		e.b.Store(t.state[i], last, combine(loop.At(t.state[i], last)))
		return
	}
	e.b.Assign(t.state[i], combine(t.state[i]))
}

// runOf returns the index of the row at hand, or outside.
func (e *rowBody) runOf(t *tables, name string) *loop.Var {
	bin := e.b.Let("bin", e.expr(t.index))
	run := e.b.Decl(name, loop.Int(outside))
	e.b.If(e.inTable(&e.Ops[t.ops[0]], bin), func() { e.b.Assign(run, loop.ToCounter(bin)) }, nil)
	return run
}

// beginRun goes on to another run.
func (e *function) beginRun(t *tables, run loop.Expr) {
	if t.variant == plan.PrivateVar {
		e.flushRun(t)
		for _, i := range t.ops {
			e.b.Assign(t.state[i], e.start(i))
		}
	} else {
		e.b.Store(t.runs, t.count, run)
		for _, i := range t.ops {
			e.b.Store(t.state[i], t.count, e.start(i))
		}
		e.b.Assign(t.count, loop.Add(t.count, loop.Int(1)))
	}
	e.b.Assign(t.run, run)
}

// flushRun combines the rows of the last run into its elements.
func (e *function) flushRun(t *tables) {
	e.b.If(loop.Ge(t.run, loop.Int(0)), func() {
		for _, i := range t.ops {
			e.updateAt(&e.Ops[i], t.run, t.state[i])
		}
	}, nil)
}

// closeTables delivers what the work-item has combined.
func (e *rowBody) closeTables() {
	for _, t := range e.tables {
		if t.variant == plan.Subgroup {
			continue
		}
		if t.variant == plan.PrivateVar {
			e.flushRun(t)
			continue
		}
		e.b.For("slot", loop.Int(0), t.count, func(slot *loop.Var) {
			run := e.b.Let("run", loop.At(t.runs, slot))
			inside := loop.And(loop.Gt(slot, loop.Int(0)), loop.Lt(slot, loop.Sub(t.count, loop.Int(1))))
			e.b.If(loop.Ge(run, loop.Int(0)), func() {
				for _, i := range t.ops {
					op := &e.Ops[i]
					state := e.b.Let("state", loop.At(t.state[i], slot))
					update := func() { e.updateAt(op, run, state) }
					if op.Contiguous && e.Streams[op.Stream].Kind.Size() >= 4 {
						// Between the first and the last, a run lies here as a whole.
						e.b.If(inside, func() { e.b.Store(e.stream(op.Stream), run, state) }, update)
					} else {
						update()
					}
				}
			}, nil)
		})
	}
	e.tables = nil
}
