package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Where a phase does no more than to ask a table of bits which rows a mask keeps, the bits of a work-item's rows are shifted
// into a word, one behind the other, also of rows that are no longer there. That takes two instructions for a row, and no
// condition, where a test takes four.

// shiftedBits is what such a phase asks.
type shiftedBits struct {
	guard, word tile.ID // whether rows are kept, and the word whose lowest bit tells
}

// shiftsBits returns what the phase at hand asks, if that is all that it does, of what it has loaded ahead.
func (e *rowBody) shiftsBits(gathers []int) (asked shiftedBits, ok bool) {
	if len(e.selections) > 0 {
		return asked, false
	}
	for i := range e.Ops {
		op := &e.Ops[i]
		switch {
		case op.Epilogue:
		case op.IsPrefix():
			return asked, false
		case e.phase[i] != e.now || !e.isNeeded(i):
		case ok || len(op.Res) != 1 || !e.keepsBits(op.Res[0]) || op.Domain > 0 && !e.isTold(op.Domain):
			return asked, false
		default:
			asked.guard = op.Res[0]
			if asked.word, ok = e.lowestBit(asked.guard); !ok || !e.isReady(asked.word, gathers) {
				return asked, false
			}
		}
	}
	return asked, ok
}

// lowestBit returns the word whose lowest bit v is, if v tests one under the assumptions at hand.
func (e *rowBody) lowestBit(v tile.ID) (word tile.ID, ok bool) {
	test := e.assumed(v)
	if !test.IsMap() || test.Operator != ir.OpNe || !e.IsConst(test.Args[1], 0) {
		return 0, false
	}
	bit := e.assumed(test.Args[0])
	if !bit.IsMap() || bit.Operator != ir.OpAnd || !e.IsConst(bit.Args[1], 1) || e.Values[bit.Args[0]].Kind != ir.U32 {
		return 0, false
	}
	return bit.Args[0], true
}

// assumed returns the operation that makes v: of two of which a condition that is assumed chooses, that one.
func (e *rowBody) assumed(v tile.ID) *tile.Op {
	op := &e.Ops[e.Values[v].Op]
	for op.IsMap() && op.Operator == ir.OpSelect {
		holds, isConst := e.uniform[op.Args[0]].(*loop.Const)
		if !isConst {
			break
		}
		v = op.Args[2]
		if holds.Value.IsTrue() {
			v = op.Args[1]
		}
		op = &e.Ops[e.Values[v].Op]
	}
	return op
}

// isReady reports whether v follows from what is known before the phase, and from what it has loaded ahead.
func (e *rowBody) isReady(v tile.ID, gathers []int) bool {
	op := e.assumed(v)
	if op.LoadsAt() {
		return slices.Contains(gathers, e.Values[op.Res[0]].Op)
	}
	if e.isKnownBefore(v) {
		return true
	}
	return op.IsMap() && !slices.ContainsFunc(op.Args, func(arg tile.ID) bool { return !e.isReady(arg, gathers) })
}

// shiftBits asks for all rows of the work-item, those of a whole tile.
func (e *rowBody) shiftBits(asked shiftedBits, rows func(body func())) {
	kept := e.kept[asked.guard]
	last := number(ir.U32, bitsOfRows-1)
	rows(func() {
		before := loop.Apply(ir.OpShr, kept, number(ir.U32, 1))
		e.b.Assign(kept, loop.Apply(ir.OpOr, before, loop.Apply(ir.OpShl, e.expr(asked.word), last)))
	})
	bits := loop.Expr(kept)
	if e.items < bitsOfRows {
		bits = loop.Apply(ir.OpShr, kept, number(ir.U32, int64(bitsOfRows-e.items)))
	}
	if d := e.Values[asked.guard].Domain; d > 0 {
		bits = loop.Apply(ir.OpAnd, bits, e.kept[e.Domains[d].Guard])
	}
	e.b.Assign(kept, bits)
}
