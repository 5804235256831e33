package gocpu

import (
	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// scan updates the states of a scan: at once if its results include this row,
// else at the end of the row, when all have seen the states before it.
func (g *body) scan(i int) {
	op := &g.Ops[i]
	for f, result := range op.Res {
		if s := g.state[stateKey{i, f}]; s != nil {
			g.values[result] = s
		}
	}
	if op.Exclusive {
		g.ending = append(g.ending, func() { g.fold(i) })
		return
	}
	g.fold(i)
}

// fold updates the states of operation i by this row.
func (g *body) fold(i int) {
	op := &g.Ops[i]
	if g.slot != nil && i == g.begunOp() {
		g.b.Assign(g.slot, loop.Add(g.slot, loop.ToCounter(g.expr(op.Args[0]))))
		return
	}
	leaf := func(field int) loop.Expr { return g.expr(op.Args[field]) }
	now := func(field int) loop.Expr { return g.state[stateKey{i, field}] }
	for f := len(op.Res) - 1; f >= 0; f-- { // flags last: others are combined by what they were
		s := g.state[stateKey{i, f}]
		if s == nil {
			continue
		}
		other, restarts := op.Monoid.Restart(f)
		if !restarts {
			g.b.Assign(s, backends.Combine(op.Monoid.Combine[f], now, leaf))
			continue
		}
		g.foldRestarting(op, f, s, leaf(0), backends.Combine(other, now, leaf), leaf(f))
	}
}

// foldRestarting starts s anew with x where head holds, and else makes it next.
// An integer sum is masked instead of branched over.
func (g *body) foldRestarting(op *tile.Op, field int, s *loop.Var, head, next, x loop.Expr) {
	if c, ok := head.(*loop.Const); ok && c.Value.IsTrue() {
		g.b.Assign(s, x)
		return
	}
	sum, ok := next.(*loop.Binary)
	if ok && sum.Op == ir.OpAdd && s.T.Kind.IsInteger() && (g.summary || g.after != 0) {
		keep := loop.Sub(g.number(s.T.Kind, head), loop.To(s.T, loop.Int(1)))
		g.remark(remarkMaskedSum)
		g.b.Assign(s, loop.Add(loop.Apply(ir.OpAnd, s, keep), x))
		return
	}
	if next == loop.Expr(s) {
		if g.after != 0 || g.summary {
			g.b.Assign(s, loop.Choose(head, x, s))
			return
		}
		g.b.If(head, func() { g.b.Assign(s, x) }, nil)
		return
	}
	g.b.If(head, func() { g.b.Assign(s, x) }, func() { g.b.Assign(s, next) })
}

// storeGroups writes the results of the open group, which those of its later
// rows replace.
func (g *body) storeGroups() {
	var stores []*tile.Op
	for i := range g.Ops {
		op := &g.Ops[i]
		if g.home[i] != g.after || op.Epilogue || !g.needed[i] {
			continue
		}
		switch {
		case op.Kind == tile.Store:
			stores = append(stores, op)
		case g.slot == nil || op.Res[0] != g.Domains[g.after].Position:
			g.op(i, g.after)
		}
	}
	g.remark(remarkGroups)
	values := make([]loop.Expr, len(stores))
	for i, op := range stores {
		values[i] = g.expr(op.Args[0])
	}
	if g.slot != nil {
		g.storeAll(stores, values, g.slot)
		return
	}
	g.storeAll(stores, values, g.expr(g.Domains[g.after].Position))
}
