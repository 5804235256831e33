package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Rows of one group wait for each other: atomic operations on one word of local memory take a cycle
// each. If a vote finds that many rows of a subgroup have the place of the first one, each work-item
// combines those of its few rows that have it, the subgroup combines these by shuffles, and one
// work-item updates the elements beside the place.

// leastSkewed is how many rows of a subgroup have one place at least where they are combined first.
const leastSkewed = 12

// common is the place that many rows of a subgroup have.
type common struct {
	place loop.Expr
	all   map[*tile.Op]*loop.Var // per update: what the work-item's rows combine there
}

// unlessSkewed runs rows, in another form if the rows of the subgroup are skewed: the first of a few tells.
func (e *rowBody) unlessSkewed(list []*entered, rows func()) {
	if len(list) != 1 || !e.subgroup.divides(e.workgroup) || len(e.sharedUpdates(list[0])) == 0 {
		rows()
		return
	}
	first := loop.ToKind(ir.U32, loop.At(e.settled[list[0].op], loop.Int(0)))
	shared := e.b.Let("shared_place", loop.CallOf(broadcast[ir.U32], first, number(ir.U32, 0)))
	count := loop.Apply(ir.OpPopcount, e.subgroup.ballot(loop.Eq(first, shared)))
	e.b.If(loop.Ge(count, number(e.subgroup.Mask, leastSkewed)), func() { e.combineSkewed(list[0], loop.ToCounter(shared), rows) }, rows)
}

// sharedUpdates lists the updates beside remembered keys for which a work-item combines rows. Ones are
// added as they come: the device merges them.
func (e *rowBody) sharedUpdates(of *entered) (list []*tile.Op) {
	for _, i := range updatesBy(e.Kernel, of.cache.index) {
		if op := &e.Ops[i]; !e.localTableOf(op).form.isCount() {
			list = append(list, op)
		}
	}
	return list
}

// combineSkewed runs rows, and combines what those at a place have beside it in the end.
func (e *rowBody) combineSkewed(of *entered, place loop.Expr, rows func()) {
	updates := e.sharedUpdates(of)
	e.common = &common{place: place, all: map[*tile.Op]*loop.Var{}}
	for _, op := range updates {
		e.common.all[op] = e.b.Decl("all", loop.ConstOf(op.Monoid.Identity[0]))
	}
	rows()
	all := e.common.all
	e.common = nil
	for _, op := range updates {
		e.foldSubgroup(op, all[op])
	}
	e.b.If(loop.Eq(sublane(), loop.Int(0)), func() {
		for _, op := range updates {
			t := e.localTableOf(op)
			t.form.combine(e.cachedElement(t, place), all[op])
		}
	}, nil)
}

// combineShared combines x with what the work-item's rows have at the place that many rows have, if the row at hand
// has that place, too.
func (e *rowBody) combineShared(t *localTable, op *tile.Op, x loop.Expr) {
	all := e.common.all[op]
	e.b.If(loop.Eq(t.cache.slot, e.common.place), func() { e.b.Assign(all, combined(op, all, x)) }, func() {
		t.form.combine(e.cachedElement(t, t.cache.slot), x)
	})
}
