package gocpu

import (
	"fmt"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// emitter is how operations of a kind are written. What a kind does not need is nil.
type emitter struct {
	begin func(g *body, op *tile.Op, lo, hi *loop.Var) // declares, before rows lo to hi, what a row hands on to the next
	row   func(g *body, i int)                         // writes operation i for the row at hand
	value func(g *body, op *tile.Op) loop.Expr         // returns the expression of a pure operation
	after func(d *driver, op *tile.Op)                 // writes the operation once, after the rows
}

// emitterOf is the table of emitters. (A function, as they call each other.)
func emitterOf(kind tile.OpKind) emitter {
	switch kind {
	case tile.Const:
		return emitter{value: (*body).constant}
	case tile.Scalar, tile.Length:
		return emitter{value: (*body).fromPlan}
	case tile.Row:
		return emitter{value: (*body).rowNumber}
	case tile.Load:
		return emitter{value: (*body).load, after: (*driver).nameLoad}
	case tile.Map:
		return emitter{value: (*body).apply, after: (*driver).nameMap}
	case tile.Ended:
		return emitter{value: (*body).ended}
	case tile.Shift:
		return emitter{begin: (*body).beginShift, row: (*body).shift}
	case tile.Head:
		return emitter{begin: (*body).beginHead, row: (*body).markHead}
	case tile.Scan, tile.ChunkScan:
		return emitter{row: (*body).scan}
	case tile.Rank:
		return emitter{begin: (*body).beginRank, row: (*body).rank}
	case tile.Order:
		return emitter{begin: (*body).beginOrder, row: (*body).order}
	case tile.Reduce:
		return emitter{row: (*body).foldAtEnd}
	case tile.Store:
		return emitter{row: (*body).store}
	case tile.Update:
		return emitter{row: (*body).update}
	case tile.Search:
		return emitter{value: (*body).search}
	case tile.Source:
		return emitter{begin: (*body).beginSource, row: (*body).nextSource}
	case tile.Insert:
		return emitter{begin: (*body).beginInsert, row: (*body).insert}
	case tile.Enter:
		return emitter{row: (*body).enter}
	case tile.Cuckoo:
		return emitter{row: (*body).enterCuckoo}
	case tile.Probe:
		return emitter{value: (*body).probe}
	case tile.Match:
		return emitter{value: (*body).match}
	case tile.Partners:
		return emitter{begin: (*body).beginNested, row: (*body).partners}
	case tile.Pairs:
		return emitter{begin: (*body).beginNested, row: (*body).pairs}
	case tile.MatchParts:
		return emitter{begin: (*body).beginParts, row: (*body).matchParts}
	case tile.PartnerParts:
		return emitter{begin: (*body).beginPartners, row: (*body).partnerParts}
	case tile.GroupParts:
		return emitter{begin: (*body).beginGroupParts, row: (*body).groupParts}
	case tile.Check:
		return emitter{begin: (*body).beginCheck, row: (*body).checkRow, after: func(d *driver, op *tile.Op) { d.check(op) }}
	case tile.Total:
		return emitter{after: (*driver).total}
	case tile.ScanTotals:
		return emitter{after: (*driver).scanTotals}
	case tile.StoreScalar:
		return emitter{after: (*driver).storeScalar}
	}
	return emitter{}
}

// refuse returns an error if a kernel has an operation that emitted Go has no
// form of.
func refuse(program *backends.Program) error {
	for _, k := range program.Kernels {
		for _, op := range k.With() {
			e := emitterOf(op.Kind)
			if op.Epilogue && e.after == nil || !op.Epilogue && e.row == nil && e.value == nil {
				return fmt.Errorf("pipeline %s: kernel %s: emitted Go has no form of the operation %v", program.Pipeline.Name, k.Name, op.Kind)
			}
		}
	}
	return nil
}

// constant returns a constant.
func (g *body) constant(op *tile.Op) loop.Expr { return loop.ConstOf(op.Const) }

// fromPlan returns a scalar or a length of the plan.
func (g *body) fromPlan(op *tile.Op) loop.Expr { return g.scalars[refKey(op)] }

// rowNumber returns the number of the row.
func (g *body) rowNumber(*tile.Op) loop.Expr { return loop.ToKind(ir.I64, g.rowAt()) }

// apply applies an element-wise operator.
func (g *body) apply(op *tile.Op) loop.Expr {
	args := g.exprs(op.Args)
	if op.Operator == ir.OpCast {
		return g.number(g.Values[op.Res[0]].Kind, args[0])
	}
	return loop.Apply(op.Operator, args...)
}

// ended returns what holds at the row, or where the last segment at hand closes.
func (g *body) ended(op *tile.Op) loop.Expr {
	if g.HasEnded(op, g.closes) {
		return g.expr(op.Args[1])
	}
	return g.expr(op.Args[0])
}
