package gocpu

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// sumsOnly reports whether the selected rows of d do nothing but cheap arithmetic
// and sums.
func (k *kernel) sumsOnly(d int) bool {
	if k.Domains[d].Kind != tile.Compact {
		return false
	}
	sums := false
	for i := range k.Ops {
		op := &k.Ops[i]
		if op.Epilogue || op.Domain <= 0 || !k.Inside(op.Domain, d) {
			continue
		}
		switch {
		case op.Domain != d:
			return false
		case op.IsReduction():
			if op.Monoid.Kind != tile.Fold || op.Monoid.Combine[0].Operator != ir.OpAdd || op.Monoid.Fields[0].Kind == ir.F32 {
				return false
			}
			sums = true
		case !op.IsPure() || op.LoadsAt() || op.Seeks() || op.IsDear():
			return false
		}
	}
	return sums
}

// sumSelected sums over the selected rows of d. How many are selected is not
// known, and a branch that is taken half of the time costs more than it saves. But
// a row that the tests of one column exclude need not load the other columns. So
// the tests of one column are one branch, which is mispredicted less often than a
// branch per test, and the rest of the guard is a mask. Without other columns all
// of the guard is a mask.
func (g *body) sumSelected(d int) {
	conditions, rest := g.splitGuard(g.Domains[d].Guard)
	if !g.loadsMore(d, conditions) {
		conditions, rest = nil, append(conditions, rest...)
	}
	sums := func() { g.sums(d, rest) }
	switch {
	case len(conditions) == 0:
		sums()
	case len(conditions) == 1:
		g.b.If(g.expr(conditions[0]), sums, nil)
	default:
		g.b.If(loop.Ne(g.bitOfAll(conditions), loop.ConstOf(ir.Scalar{Kind: ir.U64})), sums, nil)
	}
}

// sums adds a row of d to the sums, if the rest of its guard holds.
func (g *body) sums(d int, rest []tile.ID) {
	if len(rest) == 0 {
		g.block(d)
		return
	}
	for i := range g.Ops {
		if g.needed[i] && g.sinkDomain[i] == d && !g.Ops[i].Epilogue && !g.Ops[i].IsReduction() {
			g.op(i, d)
		}
	}
	g.remark(remarkMask)
	mask := g.b.Let("mask", &loop.Unary{Op: ir.OpNeg, X: g.bitOfAll(rest)})
	for i, op := range g.With((*tile.Op).IsReduction) {
		if g.needed[i] && g.sinkDomain[i] == d {
			if s := g.state[stateKey{i, 0}]; s != nil {
				g.b.Assign(s, loop.Add(s, masked(g.expr(op.Args[0]), mask)))
			}
		}
	}
}

// loadsMore reports whether the selected rows of d need other columns than
// some conditions of their guard.
func (g *body) loadsMore(d int, conditions []tile.ID) bool {
	columns := map[int]bool{}
	for _, v := range conditions {
		g.markLoads(v, columns)
	}
	for i := range g.Ops {
		if op := &g.Ops[i]; g.needed[i] && g.sinkDomain[i] == d && !op.Epilogue {
			own := map[int]bool{}
			for _, v := range op.Args {
				g.markLoads(v, own)
			}
			if op.IsLoad() {
				own[op.Stream] = true
			}
			for s := range own {
				if !columns[s] {
					return true
				}
			}
		}
	}
	return false
}

// bitOfAll is 1 where all conditions hold, and 0 elsewhere, without a branch.
func (g *body) bitOfAll(conditions []tile.ID) loop.Expr {
	all := loop.ToKind(ir.U64, g.expr(conditions[0]))
	for _, v := range conditions[1:] {
		all = loop.Apply(ir.OpAnd, all, loop.ToKind(ir.U64, g.expr(v)))
	}
	return all
}

// masked returns x where the 64 bits of mask are ones, and 0 where they are zeros.
func masked(x, mask loop.Expr) loop.Expr {
	if x.Type().Kind == ir.F64 {
		return loop.FromBits(x.Type().Kind, loop.Apply(ir.OpAnd, loop.BitsOf(x), mask))
	}
	return loop.Apply(ir.OpAnd, x, loop.To(x.Type(), mask))
}

// splitGuard splits a guard of several conditions into those that need no
// other columns than the first, and the others.
func (k *kernel) splitGuard(guard tile.ID) (first, rest []tile.ID) {
	conditions := k.conditions(guard)
	columns := map[int]bool{}
	k.markLoads(conditions[0], columns)
	for _, v := range conditions {
		own := map[int]bool{}
		k.markLoads(v, own)
		same := len(rest) == 0
		for s := range own {
			same = same && columns[s]
		}
		if same {
			first = append(first, v)
		} else {
			rest = append(rest, v)
		}
	}
	return first, rest
}

// isConjunction reports whether v is a conjunction that is used for nothing else.
func (k *kernel) isConjunction(v tile.ID) bool {
	op := &k.Ops[k.Values[v].Op]
	return op.IsMap() && op.Operator == ir.OpLogicalAnd && k.uses[v] == 1
}

// isCheapConjunction reports whether all conditions of a conjunction may be tested where the first fails,
// as bits: a branch on each is mispredicted as often as rows pass and fail at random. They are flags or
// single comparisons; what else stands behind them, a candidate of few rows among it, waits for them.
func (k *kernel) isCheapConjunction(v tile.ID) bool {
	return k.isConjunction(v) && !slices.ContainsFunc(k.conditions(v), func(c tile.ID) bool {
		op := &k.Ops[k.Values[c].Op]
		return !op.LoadsElement() && !(op.IsMap() && op.Operator.IsComparison() && k.Values[op.Args[0]].Kind != ir.Bool && k.isCheap(c))
	})
}

// isCheap reports whether v follows from columns at the row by cheap operators.
func (k *kernel) isCheap(v tile.ID) bool {
	op := &k.Ops[k.Values[v].Op]
	return k.Values[v].Domain == tile.Uniform || op.Cuts() ||
		op.IsPure() && !op.IsDear() && !op.LoadsAt() && !op.Seeks() && !slices.ContainsFunc(op.Args, func(arg tile.ID) bool { return !k.isCheap(arg) })
}

// conditions flattens a conjunction.
func (k *kernel) conditions(v tile.ID) []tile.ID {
	if !k.isConjunction(v) {
		return []tile.ID{v}
	}
	args := k.Ops[k.Values[v].Op].Args
	return append(k.conditions(args[0]), k.conditions(args[1])...)
}

// conjunctions marks the operations that conditions looks through.
func (k *kernel) conjunctions(v tile.ID) {
	if k.isConjunction(v) {
		k.split[k.Values[v].Op] = true
		for _, arg := range k.Ops[k.Values[v].Op].Args {
			k.conjunctions(arg)
		}
	}
}
