package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Rows of one group wait for each other: atomic operations on one word of local memory take a cycle
// each. If a vote finds that many rows of a subgroup have the place of the first one, they are combined
// by shuffles, and the first one alone updates the element beside that place.

// leastSkewed is how many rows of a subgroup have one place at least where they are combined first.
const leastSkewed = 12

// unlessSkewed runs rows, in another form if the rows of the subgroup are skewed: the first of a few tells.
func (e *rowBody) unlessSkewed(list []*entered, rows func()) {
	if len(list) != 1 || !e.subgroup.divides(e.workgroup) || !e.combinesByShuffles(list[0]) {
		rows()
		return
	}
	isFirst := e.hasFirstPlace(loop.At(e.settled[list[0].op], loop.Int(0)))
	count := loop.Apply(ir.OpPopcount, e.subgroup.ballot(isFirst))
	e.b.If(loop.Ge(count, number(e.subgroup.Mask, leastSkewed)), func() {
		e.isSkewed = true
		rows()
		e.isSkewed = false
	}, rows)
}

// combinesByShuffles reports whether any table beside remembered keys takes what a subgroup combines.
func (e *rowBody) combinesByShuffles(of *entered) bool {
	for _, t := range e.localTables.tables {
		if t.entered == of && e.Ops[t.op].Domain == 0 && !t.form.isCount() {
			return true
		}
	}
	return false
}

// hasFirstPlace names whether a place is that of the first row of the subgroup.
func (e *rowBody) hasFirstPlace(place loop.Expr) loop.Expr {
	at := loop.ToKind(ir.U32, place)
	return e.b.Let("is_first", loop.Eq(at, loop.CallOf(broadcast[ir.U32], at, number(ir.U32, 0))))
}

// combineSkewed combines x beside the place of the row at hand, with those of the subgroup that have the place of
// the first row.
func (e *rowBody) combineSkewed(t *localTable, op *tile.Op, x loop.Expr) {
	isFirst := e.hasFirstPlace(t.cache.slot)
	all := e.b.Decl("all", x)
	lanes{}.combine(e, &tables{isFirst: isFirst, several: loop.True}, t.op, all)
	e.b.If(loop.Or(loop.Eq(sublane(), loop.Int(0)), loop.Not(isFirst)), func() { t.form.combine(e.cachedElement(t, t.cache.slot), all) }, nil)
}
