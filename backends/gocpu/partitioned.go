package gocpu

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Where rows have been partitioned, those of a part of the table lie together, and one worker has
// them all: ranges of rows begin where parts do. So it enters rows in the common table itself, where
// no other worker looks, and combines them there, in their order. The part lies in its cache.

// Likewise with rows that have been partitioned by the high bits of their bins, and the window of a table
// that has these bins.

// hasParts reports whether an operation is on rows that have been partitioned, each part of which
// touches memory of its own.
func (k *kernel) hasParts(op *tile.Op) bool {
	return op.IsLimited() && op.PartBits > 0 || op.WindowBits > 0 && op.Does(tile.Combines) && k.Recomputable(op.Args[0])
}

// partitioned returns an operation of this body on partitioned rows, or nil.
func (g *body) partitioned() *tile.Op {
	for _, op := range g.rowOps() {
		if g.hasParts(op) {
			return op
		}
	}
	return nil
}

// partOf returns a function that computes the part of a row.
func (g *body) partOf(op *tile.Op) func(row loop.Expr) loop.Expr {
	if op.WindowBits > 0 {
		return func(row loop.Expr) loop.Expr {
			return loop.Apply(ir.OpShr, g.at(op.Args[0], row), loop.ConstOf(ir.Int(g.Values[op.Args[0]].Kind, int64(op.WindowBits))))
		}
	}
	last := g.b.Let("last_of_part", loop.Sub(loop.Apply(ir.OpShr, g.expr(op.Args[2]), loop.ConstOf(ir.Int(ir.I64, int64(op.PartBits)))), loop.ConstOf(ir.Int(ir.I64, 1))))
	return func(row loop.Expr) loop.Expr { return loop.Apply(ir.OpAndNot, g.at(op.Args[1], row), last) }
}

// partBegin returns the first row, from row at on, before which a part begins; at most the number of rows.
func (g *body) partBegin(at *loop.Var) loop.Expr {
	partOf := g.partOf(g.partitioned())
	begin := g.b.Decl("begin", at)
	g.b.If(loop.And(loop.Gt(at, loop.Int(0)), loop.Lt(at, g.length)), func() {
		part := g.b.Let("part", partOf(loop.Sub(at, loop.Int(1))))
		end := g.b.Decl("end", g.length)
		g.b.While(loop.Lt(begin, end), func() {
			middle := g.b.Let("middle", loop.Add(begin, loop.Div(loop.Sub(end, begin), loop.Int(2))))
			g.b.If(loop.Le(partOf(middle), part), func() { g.b.Assign(begin, loop.Add(middle, loop.Int(1))) }, func() { g.b.Assign(end, middle) })
		})
	}, nil)
	return begin
}

// keepsOrder reports whether ranges of rows are not free to begin elsewhere.
func (k *kernel) keepsOrder() bool {
	return k.Has(func(op *tile.Op) bool { return op.Cuts() || op.Counts() || op.IsReduction() || op.IsChunkwise() })
}
