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
	g.seeStates(i)
	if g.restarts(i) {
		return
	}
	if g.Ops[i].Exclusive {
		g.foldAtEnd(i)
		return
	}
	g.fold(i)
}

// seeStates makes the states of operation i its results.
func (g *body) seeStates(i int) {
	for f, result := range g.Ops[i].Res {
		if s := g.state[stateKey{i, f}]; s != nil {
			g.values[result] = s
		}
	}
}

// fold updates the states of operation i by this row.
func (g *body) fold(i int) {
	op := &g.Ops[i]
	if g.slot != nil && i == g.begunOp() {
		g.b.Assign(g.slot, loop.Add(g.slot, loop.ToCounter(g.expr(op.Args[0]))))
		return
	}
	element := func(field int) loop.Expr { return g.expr(op.Args[field]) }
	now := func(field int) loop.Expr { return g.state[stateKey{i, field}] }
	chosen := assignChoice(g.b, op.Monoid, func(field int) *loop.Var { return g.state[stateKey{i, field}] }, now, element)
	for f := len(op.Res) - 1; f >= 0; f-- { // flags last: others are combined by what they were
		s := g.state[stateKey{i, f}]
		if s == nil || chosen[f] {
			continue
		}
		other, restarts := op.Monoid.Restart(f)
		if !restarts {
			g.b.Assign(s, backends.Combine(op.Monoid.Combine[f], now, element))
			continue
		}
		g.foldRestarting(op, f, s, element(0), backends.Combine(other, now, element), element(f))
	}
}

// assignChoice updates the fields of a state that become those of the later state
// all together, or stay, and returns which. None does if there is but one.
func assignChoice(b *loop.Builder, m *tile.Monoid, state func(field int) *loop.Var, earlier, later func(field int) loop.Expr) map[int]bool {
	fields := map[int]bool{}
	var condition *tile.Expr
	for f := range m.Fields {
		if c, ok := m.Choice(f); ok && state(f) != nil && (condition == nil || c.Equal(condition)) {
			condition, fields[f] = c, true
		}
	}
	if len(fields) < 2 {
		return nil
	}
	b.If(backends.Combine(condition, earlier, later), func() {
		for f := range m.Fields {
			if fields[f] {
				b.Assign(state(f), later(f))
			}
		}
	}, nil)
	return fields
}

// foldRestarting starts s anew with x where head holds, and else makes it next.
// An integer sum is masked instead of branched over.
func (g *body) foldRestarting(op *tile.Op, field int, s *loop.Var, head, next, x loop.Expr) {
	if c, ok := head.(*loop.Const); ok && c.Value.IsTrue() {
		g.b.Assign(s, x)
		return
	}
	sum, ok := next.(*loop.Binary)
	if ok && sum.Op == ir.OpAdd && s.T.Kind.IsInteger() && (g.summary || g.branchlessSegments != 0) {
		keep := loop.Sub(g.number(s.T.Kind, head), loop.To(s.T, loop.Int(1)))
		g.remark(remarkMaskedSum)
		g.b.Assign(s, loop.Add(loop.Apply(ir.OpAnd, s, keep), x))
		return
	}
	if next == loop.Expr(s) {
		if g.branchlessSegments != 0 || g.summary {
			g.b.Assign(s, loop.Choose(head, x, s))
			return
		}
		g.b.If(head, func() { g.b.Assign(s, x) }, nil)
		return
	}
	g.b.If(head, func() { g.b.Assign(s, x) }, func() { g.b.Assign(s, next) })
}

// storeSegments writes the results of the open segment, which those of its later
// rows replace.
func (g *body) storeSegments() {
	var stores []*tile.Op
	if d := g.Domains[g.branchlessSegments]; g.slot != nil { // the state of the count stays as it was
		number := loop.ToKind(ir.I64, g.slot)
		g.values[d.Position], g.values[d.Counter] = number, loop.Add(number, loop.ConstOf(ir.Int(ir.I64, 1)))
	}
	for i := range g.Ops {
		op := &g.Ops[i]
		if g.sinkDomain[i] != g.branchlessSegments || op.Epilogue || !g.needed[i] {
			continue
		}
		switch {
		case op.Does(tile.Writes):
			stores = append(stores, op)
		case g.slot == nil || op.Res[0] != g.Domains[g.branchlessSegments].Position:
			g.op(i, g.branchlessSegments)
		}
	}
	g.remark(remarkSegments)
	values := make([]loop.Expr, len(stores))
	for i, op := range stores {
		values[i] = g.expr(op.Args[0])
	}
	if g.slot != nil {
		g.storeAll(stores, values, g.slot)
		return
	}
	g.storeAll(stores, values, g.expr(g.Domains[g.branchlessSegments].Position))
}
