package fuse

import "github.com/kgen-go/kgen/ir"

// ascends reports whether a column never falls from row to row, which follows from how it is made: such as the
// numbers of kept rows, of the groups of rows that lie together, and of rows that are repeated.
func (g *Graph) ascends(v *ir.Value) bool {
	is, isKnown := g.ascending[v]
	if !isKnown {
		is = g.findAscending(v)
		g.ascending[v] = is
	}
	return is
}

func (g *Graph) findAscending(v *ir.Value) bool {
	ascends := func(i int) bool { return v.Args[i].Type.IsScalar() || g.ascends(v.Args[i]) }
	switch v.Op {
	case ir.OpIndex, ir.OpRuns, ir.OpStarts, ir.OpExpand:
		return true
	case ir.OpScan, ir.OpExscan:
		lo, _, isBounded := g.Pipeline.Range(v.Args[0])
		return v.By == nil && (v.Reduce == ir.ReduceMax || v.Reduce == ir.ReduceAdd && isBounded && lo >= 0)
	case ir.OpCompact, ir.OpCast:
		return ascends(0)
	case ir.OpGather, ir.OpAdd, ir.OpLeast, ir.OpGreatest:
		return ascends(0) && ascends(1)
	case ir.OpSub:
		return ascends(0) && v.Args[1].Type.IsScalar()
	}
	return false
}
