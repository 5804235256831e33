package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Where the end of the last of each few repeated rows is stored, and the lengths of all, the work-group adds
// lengths up from a stored end on, so that it sees all ends in its tile.

// lengthsTogether is of how many neighbouring lengths a work-item adds up at a time.
const lengthsTogether = 8

// countSums is countEnds where the end of the last of each few rows is stored, and the lengths of all: from the
// first few on the work-group adds up lengths.
func (e *rowBody) countSums(i int, first, end loop.Expr, found *tileSources) {
	op := &e.Ops[i]
	width := int64(op.Width)
	stop := e.b.Let("stop", loop.Least(loop.Mul(loop.Add(end, loop.Int(1)), loop.Int(width)), e.repeated(op)))
	if e.collective.inRegisters() && op.Width == lengthsTogether*e.subgroup.Width {
		e.countBySubgroups(i, first, end, stop, found)
		return
	}
	begin := e.b.Decl("begin", loop.Sub(loop.ToCounter(e.endBefore(op, first)), e.first)) // of the rows that follow
	row := e.b.Decl("of_group", loop.Mul(first, loop.Int(width)))
	own := e.b.Storage("lengths", loop.ArrayOf(lengthsTogether, e.heldLength(op)))
	next := e.b.Storage("next_lengths", loop.ArrayOf(lengthsTogether, e.heldLength(op)))
	eachLength := func(body func(j *loop.Var)) { e.b.For("j", loop.Int(0), loop.Int(lengthsTogether), body) }
	step := loop.Int(int64(e.workgroup * lengthsTogether))
	source := e.b.Decl("source", loop.Add(row, loop.Mul(e.localID, loop.Int(lengthsTogether))))
	e.loadLengths(op, own, source, stop)
	e.b.While(loop.Lt(row, stop), func() {
		e.loadLengths(op, next, e.b.Let("ahead", loop.Add(source, step)), stop) // does not wait for the scan
		sum := e.b.Decl("sum_of_lengths", loop.Int(0))
		eachLength(func(j *loop.Var) { e.b.Assign(sum, loop.Add(sum, e.lengthOf(op, loop.At(own, j)))) })
		before, all := e.sumBefore(i, loop.ToKind(ir.I32, sum))
		place := e.b.Decl("place", loop.Add(begin, loop.ToCounter(before)))
		eachLength(func(j *loop.Var) {
			if op.HasWords() {
				e.b.Assign(place, loop.Add(place, e.markHead(op, found, loop.At(own, j), loop.Add(source, j), place)))
			} else {
				e.b.Assign(place, loop.Add(place, loop.At(own, j)))
				e.b.If(loop.Lt(loop.Add(source, j), stop), func() { e.countEnd(found.shared, place) }, nil)
			}
			e.b.Store(own, j, loop.At(next, j))
		})
		e.b.Assign(begin, loop.Add(begin, loop.ToCounter(all)))
		e.b.Assign(row, loop.Add(row, step))
		e.b.Assign(source, loop.Add(source, step))
		e.barrier() // before the next sums
	})
}

// heldLength is the type in which a work-item holds lengths, or the words that tell them.
func (e *rowBody) heldLength(op *tile.Op) loop.Type {
	if op.HasWords() {
		return loop.ScalarOf(ir.U32)
	}
	return loop.Counter
}

// loadLengths loads the lengths of neighbouring rows before stop, or their words, from source on; of others 0.
func (e *rowBody) loadLengths(op *tile.Op, own *loop.Var, source, stop loop.Expr) {
	lengths, held := e.stream(op.Keys[0]), e.heldLength(op)
	each := func() {
		e.b.For("j", loop.Int(0), loop.Int(lengthsTogether), func(j *loop.Var) {
			e.b.Store(own, j, loop.To(held, loop.Int(0)))
			at := e.b.Let("at", loop.Add(source, j))
			e.b.If(loop.Lt(at, stop), func() { e.b.Store(own, j, loop.To(held, loop.At(lengths, at))) }, nil)
		})
	}
	wide := loop.Wide(lengths.T)
	if wide == 0 || lengthsTogether%wide != 0 {
		each()
		return
	}
	e.b.If(loop.Le(loop.Add(source, loop.Int(lengthsTogether)), stop), func() {
		for some := 0; some < lengthsTogether; some += wide {
			for j, length := range e.b.LoadWide("length", lengths, loop.Add(source, loop.Int(int64(some)))) {
				e.b.Store(own, loop.Int(int64(some+j)), loop.To(held, length))
			}
		}
	}, each)
}

// sourceAmong returns the source of a row among the few whose last one ends behind it, and where the rows of that begin.
func (e *rowBody) sourceAmong(op *tile.Op, few, row loop.Expr) (source, begin *loop.Var) {
	few = e.b.Let("few", few)
	source, end := e.b.Decl("source", loop.Mul(few, loop.Int(int64(op.Width)))), e.b.Decl("end", e.endBefore(op, few))
	last := e.b.Let("last", loop.Sub(loop.Least(loop.Mul(loop.Add(few, loop.Int(1)), loop.Int(int64(op.Width))), e.repeated(op)), loop.Int(1)))
	length := func() loop.Expr { return loop.ToKind(ir.I64, loop.At(e.stream(op.Keys[0]), source)) }
	if op.HasWords() {
		told := e.b.Decl("length", number(ir.I64, 0))
		next := func() { e.b.Assign(told, loop.ToKind(ir.I64, e.lengthOf(op, loop.At(e.stream(op.Keys[0]), source)))) }
		next()
		e.b.While(loop.And(loop.Lt(source, last), loop.Le(loop.Add(end, told), row)), func() {
			e.b.Assign(end, loop.Add(end, told))
			e.b.Assign(source, loop.Add(source, loop.Int(1)))
			next()
		})
		return source, end
	}
	e.b.While(loop.And(loop.Lt(source, last), loop.Le(loop.Add(end, length()), row)), func() {
		e.b.Assign(end, loop.Add(end, length()))
		e.b.Assign(source, loop.Add(source, loop.Int(1)))
	})
	return source, end
}

// endBefore returns where the rows before a few end.
func (e *rowBody) endBefore(op *tile.Op, few loop.Expr) loop.Expr {
	before := loop.At(e.stream(op.Stream), loop.Greatest(loop.Sub(few, loop.Int(1)), loop.Int(0)))
	return loop.Choose(loop.Gt(few, loop.Int(0)), loop.ToKind(ir.I64, before), number(ir.I64, 0))
}

// repeated returns how many rows are repeated.
func (e *rowBody) repeated(op *tile.Op) loop.Expr {
	return loop.ToCounter(e.arguments.value("repeated", plan.Len(op.Sources)))
}
