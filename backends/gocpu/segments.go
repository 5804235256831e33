package gocpu

import (
	"maps"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// A kernel of whole segments (tile.Kernel.Closing) goes through the rows of a segment in a loop of its own, which ends at the
// next head: its few variables stay in registers, while those that results need wait in memory.
// One loop over all rows with a branch on heads takes 1.7 times as long.

// restarts reports whether all that scan i keeps begins anew at a head, or counts heads.
func (g *body) restarts(i int) bool {
	if g.closing == 0 || g.summary {
		return false
	}
	op, domain := &g.Ops[i], &g.Domains[g.closing]
	return i == g.Values[domain.Counter].Op || op.Cuts() && op.Segment == domain.Guard && len(op.Monoid.Fields) == 2
}

// segments handles length rows of the views, segment by segment.
func (g *body) segments(length loop.Expr) {
	before := maps.Clone(g.values)
	i := g.b.Decl("i", loop.Int(0))
	g.index = i
	decides := g.neededOps(firstHead, 0)
	rest := func(j int) bool { return !decides[j] }
	next := func() {
		g.finishRow()
		g.b.Assign(i, loop.Add(i, loop.Int(1)))
	}
	inside := loop.Lt(i, length)
	g.b.While(inside, func() {
		first := g.b.Let("first", i)
		var counts []func()
		g.b.While(inside, func() {
			g.values = maps.Clone(before)
			g.baseRow(func(j int) bool { return decides[j] })
			g.b.If(g.expr(g.Domains[g.closing].Guard), g.b.Break, nil)
			g.baseRow(rest)
			g.otherRows()
			counts = g.continueSegment(loop.Sub(i, first))
			next()
		})
		for _, count := range counts {
			count()
		}
		g.b.If(inside, func() {
			g.values = maps.Clone(before)
			g.baseRow(func(int) bool { return true })
			g.otherRows()
			g.beginSegment()
			next()
		}, nil)
	})
	g.values = g.uniformValues()
}

// baseRow writes the operations of the row at hand that are chosen.
func (g *body) baseRow(chosen func(op int) bool) {
	for i := range g.Ops {
		if g.needed[i] && g.sinkDomain[i] == 0 && !g.Ops[i].Epilogue && !g.split[i] && chosen(i) {
			g.op(i, 0)
		}
	}
}

// otherRows writes what the row is in derived domains beside that of the segments.
func (g *body) otherRows() {
	for child := 1; child < len(g.Domains); child++ {
		if g.Domains[child].Parent == 0 && child != g.closing {
			g.child(child)
		}
	}
}

// beginSegment closes the segment that is open, and begins another one with the row.
func (g *body) beginSegment() {
	if g.hasRows(g.closing) {
		g.b.If(g.expr(g.Domains[g.closing].Open), func() { g.block(g.closing) }, nil)
	}
	g.eachRestarting(func(op *tile.Op, field int, s *loop.Var) {
		switch {
		case op.Monoid.Kind == tile.Fold:
			g.b.Assign(s, loop.Add(s, loop.To(s.T, loop.Int(1))))
		case field == 0:
			g.b.Assign(s, loop.True)
		default:
			g.b.Assign(s, g.expr(op.Args[field]))
		}
	})
}

// continueSegment adds the row to the open segment. A sum of a constant is left to the functions
// that it returns, which add the constant so many times when the rows are done.
func (g *body) continueSegment(times loop.Expr) (counts []func()) {
	g.eachRestarting(func(op *tile.Op, field int, s *loop.Var) {
		next, ok := op.Monoid.Restart(field)
		if !ok {
			return
		}
		now := func(int) loop.Expr { return s }
		x := backends.Combine(next, now, func(int) loop.Expr { return g.expr(op.Args[field]) })
		if x == loop.Expr(s) {
			return
		}
		if sum, ok := x.(*loop.Binary); ok && sum.Op == ir.OpAdd && sum.X == loop.Expr(s) && s.T.Kind.IsInteger() {
			if c, ok := sum.Y.(*loop.Const); ok {
				counts = append(counts, func() { g.b.Assign(s, loop.Add(s, loop.Mul(loop.To(s.T, times), c))) })
				return
			}
		}
		g.b.Assign(s, x)
	})
	return counts
}

// eachRestarting visits the states that begin anew with a segment, and the number of segments.
func (g *body) eachRestarting(visit func(op *tile.Op, field int, s *loop.Var)) {
	for i := range g.Ops {
		if !g.needed[i] || !g.restarts(i) {
			continue
		}
		for f := range g.Ops[i].Res {
			if s := g.state[stateKey{i, f}]; s != nil {
				visit(&g.Ops[i], f, s)
			}
		}
	}
}
