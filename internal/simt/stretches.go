package simt

import (
	"maps"
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Rows may be combined by their number alone, so many neighbours in each element of a table: the sum of each 256
// lengths, say. All rows that a subgroup loads at once are then of one element. So work-items add up their own,
// the subgroup folds these in registers, and one atomic operation is left of so many rows.

// stretchOf returns how many neighbouring rows, a power of two, an operation adds up in each element of a table; 0 if
// that does not follow from their numbers alone.
func (k *kernel) stretchOf(op *tile.Op) int64 {
	if k.ranks != nil || !op.Does(tile.Combines) || !op.Contiguous || op.Epilogue || op.Domain != 0 || op.Monoid.Combine[0].Operator != ir.OpAdd {
		return 0
	}
	kind := k.Streams[op.Stream].Kind
	index := &k.Ops[k.Values[op.Args[0]].Op]
	if !kind.IsInteger() || kind.Size() < 4 || !index.IsMap() || index.Operator != ir.OpShr {
		return 0
	}
	row, by := &k.Ops[k.Values[index.Args[0]].Op], &k.Ops[k.Values[index.Args[1]].Op]
	if row.Kind != tile.Row || by.Kind != tile.Const || by.Const.Int64() < 0 || by.Const.Int64() >= int64(bitsIn(ir.U32)) {
		return 0
	}
	return 1 << by.Const.Int64()
}

// lanes returns how many neighbouring work-items add up together: those of a subgroup, if there are subgroups.
func (s shape) lanes() int {
	if s.subgroup.divides(s.workgroup) {
		return s.subgroup.Width
	}
	return min(s.workgroup, neighbours)
}

// mostTogether returns how many neighbouring rows a work-item may have of those that are added up together, a power
// of two; 0 if no operation adds up neighbours.
func (k *kernel) mostTogether() int {
	most := int64(0)
	for i := range k.Ops {
		if rows := k.stretchOf(&k.Ops[i]) / int64(k.lanes()); rows > 0 && (most == 0 || rows < most) {
			most = rows
		}
	}
	return int(most)
}

// addsStretch reports whether neighbouring work-items add up what operation i adds to an element of a table: the rows of a vector
// are of one.
func (k *kernel) addsStretch(i int) bool {
	return !k.needsOrder() && k.workgroup%k.lanes() == 0 && int64(k.vector()) <= k.stretchOf(&k.Ops[i])
}

// stretchLanes returns how many neighbouring work-items have rows of one element at a time.
func (k *kernel) stretchLanes(op *tile.Op) int {
	return int(min(int64(k.lanes()), k.stretchOf(op)/int64(k.vector())))
}

// hasStretch reports whether these have all rows of an element, which then need not be combined with others.
func (k *kernel) hasStretch(op *tile.Op) bool {
	return int64(k.stretchLanes(op)*k.vector()) == k.stretchOf(op)
}

// noteStretches notes which buffers have sums that a kernel stores, and which have others, too.
func (l *lowering) noteStretches(k *kernel) {
	for i := range k.Ops {
		op := &k.Ops[i]
		if !op.Does(tile.Combines) || op.Epilogue {
			continue
		}
		buffer := k.Streams[op.Stream].Buffer
		others, isKnown := l.stored[buffer]
		l.stored[buffer] = (others || !isKnown) && k.stretchOf(op) > 0 && k.addsStretch(i) && k.hasStretch(op)
	}
}

// withoutFills returns steps without the fills of buffers all of whose elements are stored.
func (l *lowering) withoutFills(steps []plan.Step) (list []plan.Step) {
	for _, s := range steps {
		if s.Init != nil && l.stored[s.Init.Buffer] {
			continue
		}
		if s.If != nil {
			choice := *s.If
			choice.Then, choice.Else = l.withoutFills(choice.Then), l.withoutFills(choice.Else)
			s.If = &choice
		}
		list = append(list, s)
	}
	return list
}

// openStretches declares what the work-item's rows of a phase add up.
func (e *rowBody) openStretches(phase int) {
	e.stretches = map[int]*loop.Var{}
	for i := range e.Ops {
		if e.effects && e.phase[i] == phase && e.addsStretch(i) {
			kind := e.Streams[e.Ops[i].Stream].Kind
			e.stretches[i] = e.b.Storage("stretch_sums", loop.ArrayOf(e.items/e.vector(), loop.ScalarOf(kind)))
		}
	}
}

// addToStretch adds the row at hand to those of its stretch.
func (e *rowBody) addToStretch(i int) {
	sums, at := e.stretches[i], e.b.Let("stretch", loop.Div(e.item, loop.Int(int64(e.vector()))))
	e.b.Store(sums, at, loop.Add(loop.At(sums, at), e.b.Let("x", e.expr(e.Ops[i].Args[1]))))
}

// closeStretches adds what neighbouring work-items have to the table.
func (e *rowBody) closeStretches() {
	for _, i := range slices.Sorted(maps.Keys(e.stretches)) {
		op, sums := &e.Ops[i], e.stretches[i]
		length := number(ir.I64, e.stretchOf(op))
		e.b.For("stretch", loop.Int(0), loop.Int(int64(e.items/e.vector())), func(stretch *loop.Var) {
			all := e.b.Decl("all", loop.At(sums, stretch))
			isFirst := e.foldNeighbours(op, all)
			first := e.b.Let("at", e.heldAt(e.localID, loop.Mul(stretch, loop.Int(int64(e.vector())))))
			e.b.If(loop.And(isFirst, loop.Lt(first, e.count)), func() {
				element := loop.ToCounter(loop.Div(loop.ToKind(ir.I64, loop.Add(e.first, first)), length))
				if e.hasStretch(op) {
					e.b.Store(e.arguments.buffer(e.Streams[op.Stream].Buffer, e.Streams[op.Stream].Kind, plan.Writes), element, all)
				} else {
					e.updateGlobal(op, element, all)
				}
			}, nil)
		})
	}
	e.stretches = nil
}

// foldNeighbours combines the states of an update that neighbouring work-items have in that of the first of them, and
// returns whether this is one.
func (e *rowBody) foldNeighbours(op *tile.Op, all *loop.Var) (isFirst loop.Expr) {
	lanes := loop.Int(int64(e.stretchLanes(op)))
	if e.subgroup.divides(e.workgroup) {
		e.foldNeighbourLanes(op, all, e.stretchLanes(op))
		return loop.Eq(loop.Mul(loop.Div(sublane(), lanes), lanes), sublane())
	}
	kind := e.Streams[op.Stream].Kind
	states := e.localArray("neighbours_"+kind.String(), kind, e.workgroup)
	e.barrier() // those before have been read
	e.b.Store(states, e.localID, all)
	e.barrier()
	isFirst = loop.Eq(loop.Mul(loop.Div(e.localID, lanes), lanes), e.localID)
	e.b.If(isFirst, func() {
		e.b.For("other", loop.Add(e.localID, loop.Int(1)), loop.Add(e.localID, lanes), func(other *loop.Var) {
			e.b.Assign(all, combined(op, all, loop.At(states, other)))
		})
	}, nil)
	return isFirst
}
