package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// What rows that a mask keeps read anywhere in memory is read before anything is done with it.
// Inside the branch of its row, each access would wait for that of the row before; as a load
// with no more than its own condition, those of all rows of a work-item overlap.

// eachGathered runs body for each of this work-item's rows, in a whole tile, after what kept rows
// gather.
func (e *rowBody) eachGathered(body func()) {
	gathers := e.gathersOfKept()
	ahead := map[int]*loop.Var{}
	for _, i := range gathers {
		v := e.Ops[i].Res[0]
		ahead[i] = e.b.Storage(e.name(v)+"_ahead", loop.ArrayOf(e.items, loop.ScalarOf(e.Values[v].Kind)))
	}
	for _, i := range gathers {
		op := &e.Ops[i]
		load := func() {
			e.eachRow(true, func() {
				at := loop.Choose(e.isKept(op.Domain), e.expr(op.Args[0]), number(ir.I64, -1))
				e.b.Store(ahead[i], e.item, e.loadAhead(op, at))
			})
		}
		if condition := e.placeOnlyIf(op.Args[0]); condition != nil {
			e.b.If(condition, load, nil)
		} else {
			load()
		}
	}
	rows := e.rowGathers()
	each := func(body func()) {
		e.eachRow(true, func() {
			for _, i := range gathers {
				e.ahead[i] = loop.At(ahead[i], e.item)
			}
			for _, g := range rows {
				e.gatherRow(g)
			}
			body()
		})
	}
	if asked, ok := e.shiftsBits(gathers); ok && len(rows) == 0 {
		e.shiftBits(asked, each)
	} else {
		each(body)
	}
	clear(e.ahead)
}

// gathersOfKept lists the loads from anywhere that the phase at hand makes for rows that masks keep,
// by places that are known before it.
func (e *rowBody) gathersOfKept() (list []int) {
	if e.masks == 0 || e.now == atEnd || e.now == 0 && e.listed == 0 { // all rows are many, and have no branches to begin with
		return nil
	}
	for i := range e.Ops {
		op := &e.Ops[i]
		if op.LoadsAt() && op.Domain != tile.Uniform && !op.Epilogue && e.phase[i] == e.now && e.uses[op.Res[0]] > 0 && e.isKnownBefore(op.Args[0]) {
			list = append(list, i)
		}
	}
	return list
}

// placeOnlyIf returns what is the same for all rows and has to hold for a place to be one, or nil: of two tables, as that of
// short codes and that of others, rows read one.
func (e *rowBody) placeOnlyIf(place tile.ID) loop.Expr {
	op := e.placeChosen(place)
	if op == nil {
		return nil
	}
	condition := e.expr(op.Args[0])
	if _, isConst := condition.(*loop.Const); isConst {
		return nil
	}
	none := ir.Int(ir.I64, -1).Bits
	switch {
	case e.IsConst(op.Args[2], none):
		return condition
	case e.IsConst(op.Args[1], none):
		return loop.Not(condition)
	}
	return nil
}

// placeChosen returns the operation that chooses a place by what is the same for all rows, or nil.
func (e *rowBody) placeChosen(place tile.ID) *tile.Op {
	op := &e.Ops[e.Values[place].Op]
	for op.IsMap() && op.Operator == ir.OpCast {
		op = &e.Ops[e.Values[op.Args[0]].Op]
	}
	if !op.IsMap() || op.Operator != ir.OpSelect || e.Values[op.Args[0]].Domain != tile.Uniform {
		return nil
	}
	return op
}

// loadAhead returns the element of an operation's stream at a place, or zero. If the table at hand is certainly the one that is
// read, and ends with a zero, that is read in place of none.
func (e *rowBody) loadAhead(op *tile.Op, at loop.Expr) loop.Expr {
	name := e.name(op.Res[0])
	if chosen := e.placeChosen(op.Args[0]); op.Padded && chosen != nil {
		isRead, isConst := e.uniform[chosen.Args[0]].(*loop.Const)
		short, isShort := e.shorts.place(at)
		_, isNear := e.near[op.Stream]
		if isConst && isRead.Value.IsTrue() && isShort && !isNear && !e.long && !e.Streams[op.Stream].Long {
			last := loop.Sub(loop.ToKind(ir.U32, e.elementsOf(op.Stream)), number(ir.U32, 1))
			return e.b.Let(name, loop.At(e.stream(op.Stream), loop.To(e.indexOf(op.Stream), loop.Least(short, last))))
		}
	}
	return e.loadInside(name, op.Stream, at)
}

// isKnownBefore reports whether v follows from rows and from what earlier phases have found.
func (e *rowBody) isKnownBefore(v tile.ID) bool {
	op := &e.Ops[e.Values[v].Op]
	switch {
	case e.Values[v].Domain == tile.Uniform, op.Kind == tile.Row, op.LoadsElement(), e.known(v) < e.now && e.crosses(v):
		return true
	case op.IsMap():
		return !slices.ContainsFunc(op.Args, func(arg tile.ID) bool { return !e.isKnownBefore(arg) })
	}
	return false
}

// isKept returns whether all masks up to domain d keep the row.
func (e *rowBody) isKept(d int) loop.Expr {
	kept := loop.Expr(loop.True)
	for ; d > 0; d = e.Domains[d].Parent {
		kept = loop.And(e.expr(e.Domains[d].Guard), kept)
		if e.isTold(d) {
			break
		}
	}
	return kept
}
