package simt

import (
	"slices"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// The variant of a subgroup: lanes whose rows have the index that the first lane's row has
// combine these first, by shuffles, and the first lane alone updates the element. All
// others update theirs. What is not a whole tile, or is under a condition, has lanes without
// a row, and rows may look for a slot of local memory: there each row is an operation.

// combineWithFirst combines the row at hand with those of its subgroup.
func (e *rowBody) combineWithFirst(t *tables, i int) {
	op := &e.Ops[i]
	local := e.localTableOf(op)
	if !e.isWhole || op.Domain != 0 || e.ofFew != nil || !e.subgroup.divides(e.workgroup) || slices.ContainsFunc(t.ops, e.isPlacedByRow) ||
		local != nil && local.form.isCount() { // whose ones the device merges
		e.update(op)
		return
	}
	lane := sublane()
	if t.item != e.item {
		t.item, t.run = e.item, e.runOf(t, "run")
		first := loop.CallOf(broadcast[ir.U32], loop.ToKind(ir.U32, t.run), number(ir.U32, 0))
		t.isFirst = e.b.Let("is_first", loop.Eq(loop.ToKind(ir.U32, t.run), first))
		t.several = e.b.Let("several", loop.Ne(e.subgroup.ballot(t.isFirst), number(e.subgroup.Mask, 1)))
	}
	kind := loop.ScalarOf(e.Streams[op.Stream].Kind).Kind
	word := wordOf(kind)
	x := e.b.Decl("x", e.expr(op.Args[1]))
	e.b.If(t.several, func() {
		all := e.b.Decl("all", loop.Choose(t.isFirst, x, e.start(i)))
		for distance := e.subgroup.Width / 2; distance > 0; distance /= 2 {
			theirs := e.b.Let("theirs", fromWord(kind, loop.CallOf(shuffleDown[word], toWord(word, all), number(ir.U32, int64(distance)))))
			e.b.Assign(all, backends.Combine(op.Monoid.Combine[0], func(int) loop.Expr { return all }, func(int) loop.Expr { return theirs }))
		}
		e.b.If(loop.Eq(lane, loop.Int(0)), func() { e.b.Assign(x, all) }, nil)
	}, nil)
	updates := loop.Or(loop.Eq(lane, loop.Int(0)), loop.Not(t.isFirst))
	e.b.If(loop.And(loop.Ge(t.run, loop.Int(0)), updates), func() { e.updateAt(op, t.run, x) }, nil)
}

// isPlacedByRow reports whether a row finds its place in a table of local memory by itself.
func (e *function) isPlacedByRow(i int) bool {
	t := e.localTableOf(&e.Ops[i])
	return t != nil && (t.cache != nil || t.entered != nil)
}
