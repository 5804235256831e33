package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Where no atomic operation combines, an element is exchanged, and of n work-items that do so at once one succeeds: n
// rows of an element take n^2 exchanges. So the rows of a subgroup that have the element of one of them are combined by
// shuffles first, as long as they are several, and one work-item exchanges for them.

// leastShared is how many rows of a subgroup have one element at least where they are combined first: the shuffles take
// about as long as so many rows wait for each other.
const leastShared = 4

// noElement is where a row has no element.
const noElement = 1<<32 - 1

// sharesElement reports whether rows of a subgroup are combined before they reach the element of an update: if all of them
// are at work, and elements have no copies.
func (e *rowBody) sharesElement(op *tile.Op) bool {
	if !e.isWhole || op.Domain != 0 || e.now == atEnd || !e.subgroup.divides(e.workgroup) || keeps(op.Monoid.Combine[0].Operator) {
		return false
	}
	if t := e.localTableOf(op); t != nil && t.copies > 1 { // neighbours have different ones
		return false
	}
	return e.exchanges(op)
}

// exchanges reports whether an update exchanges elements again and again, until no other work-item has changed them.
func (e *function) exchanges(op *tile.Op) bool {
	if t := e.localTableOf(op); t != nil {
		_, isExchanged := t.form.(exchangedForm)
		return isExchanged
	}
	_, isDirect := directly(e.Streams[op.Stream].Kind, op.Monoid.Combine[0])
	return !isDirect
}

// converge lets the work-items of a subgroup begin a row together. Where they go on from a loop one by one, as an exchange or
// a search ends, what each loads for its next row is waited for one after the other.
func (e *rowBody) converge() {
	for i := range e.Ops {
		op := &e.Ops[i]
		if op.Domain == 0 && e.phase[i] == e.now && (op.Does(tile.Claims) && !op.Direct || op.Does(tile.Combines) && e.exchanges(op)) && e.subgroup.divides(e.workgroup) {
			e.b.Barrier(loop.SubgroupScope)
			return
		}
	}
}

// updateShared combines a value into an element of a table that other rows of the subgroup may have, too.
func (e *rowBody) updateShared(op *tile.Op, bin, value loop.Expr) {
	x := e.b.Decl("x", value)
	key := e.b.Decl("element", number(ir.U32, noElement))
	e.b.If(e.inTable(op, bin), func() { e.b.Assign(key, loop.ToKind(ir.U32, bin)) }, nil)
	updates := e.b.Decl("updates", loop.Ne(key, number(ir.U32, noElement)))
	left := e.b.Decl("left", updates)
	more := e.b.Decl("more", loop.True)
	e.b.While(more, func() {
		last := e.b.Let("last", loop.Greatest(e.subgroup.last(e.subgroup.ballot(left)), loop.Int(0)))
		shared := e.b.Let("shared", loop.CallOf(broadcast[ir.U32], key, loop.ToKind(ir.U32, last)))
		shares := e.b.Let("shares", loop.And(left, loop.Eq(key, shared)))
		e.b.Assign(more, loop.Ge(loop.Apply(ir.OpPopcount, e.subgroup.ballot(shares)), number(e.subgroup.Mask, leastShared)))
		e.b.If(more, func() {
			all := e.b.Decl("all", loop.Choose(shares, x, loop.ConstOf(op.Monoid.Identity[0])))
			e.foldSubgroup(op, all)
			kind := all.T.Kind
			word := wordOf(kind)
			total := e.b.Let("total", fromWord(kind, loop.CallOf(broadcast[word], toWord(word, all), number(ir.U32, 0))))
			e.b.If(shares, func() {
				e.b.Assign(x, total)
				e.b.Assign(updates, loop.Eq(sublane(), last))
				e.b.Assign(left, loop.False)
			}, nil)
		}, nil)
	})
	e.b.If(updates, func() { e.updateAt(op, loop.ToCounter(bin), x) }, nil)
}
