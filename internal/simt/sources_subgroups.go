package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// countBySubgroups is countSums where each subgroup adds up the lengths before a stored end: the end before
// tells it where they begin, so that it waits for no other one.
func (e *rowBody) countBySubgroups(i int, first, end, stop loop.Expr, found *tileSources) {
	op := &e.Ops[i]
	st := single(e.kernel, slot{stateKey: stateKey{i, 0}, kind: ir.I32, counts: true})
	if op.HasShorts() {
		e.countShorts(op, st, first, end, stop, found)
		return
	}
	own, ends := e.b.Storage("lengths", loop.ArrayOf(lengthsTogether, e.heldLength(op))), e.b.Storage("ends", loop.ArrayOf(lengthsTogether, loop.Counter))
	eachLength := func(body func(j *loop.Var)) { e.b.For("j", loop.Int(0), loop.Int(lengthsTogether), body) }
	few := e.b.Decl("few", loop.Add(first, &loop.ID{Kind: loop.SubgroupID}))
	e.b.While(loop.Le(few, end), func() {
		source := e.b.Let("source", loop.Add(loop.Mul(few, loop.Int(int64(op.Width))), loop.Mul(sublane(), loop.Int(lengthsTogether))))
		begin := e.b.Let("begin", loop.Sub(loop.ToCounter(e.endBefore(op, few)), e.first))
		e.loadLengths(op, own, source, stop)
		sum := e.b.Decl("sum_of_lengths", loop.Int(0))
		eachLength(func(j *loop.Var) { e.b.Assign(sum, loop.Add(sum, e.lengthOf(op, loop.At(own, j)))) })
		scanned := e.scanSubgroup(st, []loop.Expr{loop.ToKind(ir.I32, sum)}, e.subgroup.Width)
		place := e.b.Decl("place", loop.Add(begin, loop.Sub(loop.ToCounter(scanned[0]), sum)))
		if op.HasWords() {
			e.markHeads(op, found, own, ends, source, place)
		} else {
			eachLength(func(j *loop.Var) {
				e.b.Assign(place, loop.Add(place, loop.At(own, j)))
				e.b.Store(ends, j, loop.Choose(loop.Lt(loop.Add(source, j), stop), place, e.count)) // rows that do not exist end behind the tile
			})
			// Where tiles are smaller, most rows end where others do.
			e.b.If(loop.Eq(e.count, loop.Int(e.kernel.rows())), func() { e.turn(ends) }, nil)
			eachLength(func(j *loop.Var) { e.countEnd(found.shared, e.b.Let("place", loop.At(ends, j))) })
		}
		e.b.Assign(few, loop.Add(few, loop.Int(int64(e.workgroup/e.subgroup.Width))))
	})
}

// turn moves the elements of an array around, by another distance for each few lanes of a subgroup, which it returns. If lanes count
// neighbouring rows with it, they then do so in different banks of local memory.
func (e *rowBody) turn(elements *loop.Var) (distance loop.Expr) {
	length := int64(elements.T.Len)
	distance = e.b.Let("distance", loop.Div(sublane(), loop.Int(max(int64(e.subgroup.Width)/length, 1))))
	turned := e.b.Storage("turned", elements.T)
	each := func(body func(j *loop.Var)) { e.b.For("j", loop.Int(0), loop.Int(length), body) }
	for bit := int64(1); bit < length; bit *= 2 {
		moves := e.b.Let("moves", loop.Ne(loop.Apply(ir.OpAnd, distance, loop.Int(bit)), loop.Int(0)))
		each(func(j *loop.Var) {
			from := loop.Apply(ir.OpAnd, loop.Add(j, loop.Int(bit)), loop.Int(length-1))
			e.b.Store(turned, j, loop.Choose(moves, loop.At(elements, from), loop.At(elements, j)))
		})
		each(func(j *loop.Var) { e.b.Store(elements, j, loop.At(turned, j)) })
	}
	return distance
}
