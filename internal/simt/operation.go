package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// operation is how one kind of operation is written in each place where it may
// stand. A kind without an entry cannot stand there.
type operation struct {
	// value computes the result from the operands.
	value func(e *rowBody, op *tile.Op) loop.Expr
	// row writes the operation for the row at hand.
	row func(e *rowBody, i int)
	// end writes the operation after all rows.
	end func(e *rowBody, i int)
}

// operations has the lowering of each kind.
var operations [tile.StoreScalar + 1]operation

func init() { // the functions use the table
	operations = [...]operation{
		tile.Const:       {value: constant, row: (*rowBody).nameShared, end: (*rowBody).nameResult},
		tile.Scalar:      {value: scalar, row: (*rowBody).nameShared, end: (*rowBody).nameResult},
		tile.Length:      {value: length, row: (*rowBody).nameShared, end: (*rowBody).nameResult},
		tile.Row:         {value: rowNumber, row: (*rowBody).nameShared},
		tile.Load:        {value: (*rowBody).load, row: (*rowBody).nameShared, end: (*rowBody).nameResult},
		tile.Shift:       {value: (*rowBody).shift, row: (*rowBody).nameValue},
		tile.Map:         {value: (*rowBody).mapped, row: (*rowBody).nameShared, end: (*rowBody).nameResult},
		tile.Head:        {value: (*rowBody).head, row: (*rowBody).nameValue},
		tile.Ended:       {value: (*rowBody).ended, row: (*rowBody).nameShared},
		tile.Scan:        {row: (*rowBody).foldBeforeEnd},
		tile.Rank:        {row: func(*rowBody, int) {}}, // ranking.go finds the places of all rows of a tile
		tile.Order:       {row: func(*rowBody, int) {}}, // likewise ranking_order.go
		tile.Claim:       {row: withEffects((*rowBody).claimNumber)},
		tile.ChunkScan:   {row: (*rowBody).foldBeforeEnd},
		tile.Reduce:      {row: (*rowBody).foldAlways},
		tile.Total:       {end: (*rowBody).nameTotal},
		tile.Store:       {row: withEffects((*rowBody).storeOrCollect), end: direct((*rowBody).store)},
		tile.Update:      {row: withEffects((*rowBody).combineRow), end: direct((*rowBody).update)},
		tile.Search:      {value: (*rowBody).search, row: (*rowBody).nameValue},
		tile.Source:      {value: (*rowBody).source, row: (*rowBody).nameValue},
		tile.Placed:      {value: (*rowBody).placed, row: (*rowBody).nameValue},
		tile.Insert:      {row: withEffects((*rowBody).insert)},
		tile.Enter:       {row: withEffects((*rowBody).enterWord)},
		tile.Cuckoo:      {row: withEffects((*rowBody).enterCuckoo)},
		tile.Probe:       {value: (*rowBody).probe, row: (*rowBody).nameValue},
		tile.Match:       {value: (*rowBody).match, row: (*rowBody).nameValue},
		tile.EnterParts:  {row: func(*rowBody, int) {}}, // entered_parts.go enters all rows of a tile together
		tile.GroupParts:  {row: func(*rowBody, int) {}}, // likewise group_parts.go
		tile.Partners:    {value: (*rowBody).partners, row: (*rowBody).nameValue},
		tile.Pairs:       {row: withEffects((*rowBody).pairs)},
		tile.Check:       {row: withEffects(direct((*rowBody).check)), end: direct((*rowBody).check)},
		tile.ScanTotals:  {end: func(*rowBody, int) {}}, // scanned before
		tile.StoreScalar: {end: direct((*rowBody).storeScalar)},
	}
}

// op writes operation i at its own place.
func (e *rowBody) op(i int) { operations[e.Ops[i].Kind].row(e, i) }

// pure returns the result of an operation that only computes.
func (e *rowBody) pure(op *tile.Op) loop.Expr { return operations[op.Kind].value(e, op) }

// withEffects leaves an operation out of functions whose rows only fold, and names
// its source.
func withEffects(write func(e *rowBody, i int)) func(e *rowBody, i int) {
	return func(e *rowBody, i int) {
		if e.effects {
			e.note(&e.Ops[i])
			write(e, i)
		}
	}
}

// direct writes an operation in the same way at any place.
func direct(write func(e *rowBody, op *tile.Op)) func(e *rowBody, i int) {
	return func(e *rowBody, i int) { write(e, &e.Ops[i]) }
}

func constant(_ *rowBody, op *tile.Op) loop.Expr { return loop.ConstOf(op.Const) }

func scalar(e *rowBody, op *tile.Op) loop.Expr {
	return e.arguments.scalar(op.Ref, e.Values[op.Res[0]].Kind)
}

func length(e *rowBody, op *tile.Op) loop.Expr { return e.length(op.Ref) }

func rowNumber(e *rowBody, _ *tile.Op) loop.Expr { return loop.ToKind(ir.I64, e.row) }

func (e *rowBody) load(op *tile.Op) loop.Expr {
	if op.LoadsElement() {
		return e.element(op, e.row)
	}
	if x := e.ahead[e.Values[op.Res[0]].Op]; x != nil {
		return x
	}
	return e.loadAt(op, e.expr(op.Args[0]))
}

// ended returns what holds at the row, or at the end at hand.
func (e *rowBody) ended(op *tile.Op) loop.Expr {
	if e.now == atEnd && e.HasEnded(op, e.closing) {
		return e.expr(op.Args[1])
	}
	return e.expr(op.Args[0])
}

func (e *rowBody) mapped(op *tile.Op) loop.Expr {
	return e.ofBothSides(op, e.apply(op, e.exprs(op.Args)))
}

func (e *function) apply(op *tile.Op, args []loop.Expr) loop.Expr {
	if op.Operator == ir.OpCast {
		return loop.ToKind(e.Values[op.Res[0]].Kind, args[0])
	}
	return loop.Apply(op.Operator, args...)
}

// nameShared names a result that is used more than once, or later.
func (e *rowBody) nameShared(i int) {
	op := &e.Ops[i]
	v := op.Res[0]
	if e.now == 0 && e.isLate(i) {
		return
	}
	if e.uses[v] > 1 && !e.isFree(v) || e.crosses(v) || op.Checked {
		e.nameValue(i)
	}
}

// nameValue names a result.
func (e *rowBody) nameValue(i int) { e.define(e.Ops[i].Res[0], e.pure(&e.Ops[i])) }

// nameResult names a result after all rows.
func (e *rowBody) nameResult(i int) { e.named(e.Ops[i].Res[0], e.pure(&e.Ops[i])) }

// nameTotal names the fold over all rows.
func (e *rowBody) nameTotal(i int) { e.named(e.Ops[i].Res[0], e.expr(e.Ops[i].Args[0])) }

// foldBeforeEnd folds the row; after all rows, replay does.
func (e *rowBody) foldBeforeEnd(i int) {
	if e.now != atEnd {
		e.fold(i)
	}
}

// foldAlways folds the row, and those that come after all others.
func (e *rowBody) foldAlways(i int) {
	if e.now == atEnd {
		e.advance(e.running, i, e.exprs(e.Ops[i].Args))
		return
	}
	e.fold(i)
}

// storeOrCollect stores at once, or collects what local memory brings together.
func (e *rowBody) storeOrCollect(i int) {
	if e.isMovedWord(i) {
		return
	}
	if e.arena.collected[i] && e.now != atEnd {
		e.collect(i)
		return
	}
	if w := e.arena.wordsOf(e.Ops[i].Stream); w != nil && e.now != atEnd {
		e.putWord(w, &e.Ops[i])
		return
	}
	e.store(&e.Ops[i])
}

// storeScalar hands a scalar to the host.
func (e *rowBody) storeScalar(op *tile.Op) {
	kind := e.Values[op.Args[0]].Kind
	e.b.Store(e.arguments.buffer(e.lowering.cell(op.Ref, kind), kind, plan.Writes), loop.Int(0), e.expr(op.Args[0]))
}
