package gocpu

import (
	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Nested loops compare a block of rows with a block of others at a time, which stays in the
// cache. So what the others have is read from memory once for each block of rows.
const (
	nestedRows   = 64
	nestedOthers = 2048
)

// nested is what an operation has found of the rows of a block.
type nested struct {
	hi           *loop.Var // the end of the range of rows
	first, until *loop.Var // the rows of the block
	found        *loop.Var // per row of it: how many partners it has or the first one, or where the next one goes
}

// beginNested declares what an operation finds; no rows have been compared.
func (g *body) beginNested(op *tile.Op, lo, hi *loop.Var) {
	g.nested[op] = &nested{hi, g.b.Decl("first", loop.Expr(lo)), g.b.Decl("until", loop.Expr(lo)),
		g.b.Storage("found", loop.ArrayOf(nestedRows, loop.ScalarOf(ir.I64)))}
}

// partners names how many partners the row has, or the first one.
func (g *body) partners(i int) {
	op := &g.Ops[i]
	g.compareBlock(i, op.Args[0], op.Args[1:], func(loop.Expr) loop.Expr { return noPartners(op) }, func(n *nested, at, other loop.Expr) {
		if !op.First {
			g.b.Store(n.found, at, loop.Add(loop.At(n.found, at), loop.ConstOf(ir.Int(ir.I64, 1))))
			return
		}
		g.b.If(loop.Lt(loop.At(n.found, at), loop.ConstOf(ir.Int(ir.I64, 0))), func() { g.b.Store(n.found, at, loop.ToKind(ir.I64, other)) }, nil)
	})
	n := g.nested[op]
	g.values[op.Res[0]] = g.b.Let(g.name(op.Res[0]), loop.At(n.found, loop.Sub(g.rowAt(), n.first)))
}

// pairs stores the partners of the row.
func (g *body) pairs(i int) {
	op := &g.Ops[i]
	begin := func(row loop.Expr) loop.Expr { return g.at(op.Args[0], row) }
	g.compareBlock(i, op.Args[1], op.Args[2:], begin, func(n *nested, at, other loop.Expr) {
		next := g.b.Let("next", loop.At(n.found, at))
		g.b.Store(g.whole[op.Stream], loop.ToCounter(next), loop.ToKind(ir.I64, other))
		g.b.Store(n.found, at, loop.Add(next, loop.ConstOf(ir.Int(ir.I64, 1))))
	})
}

// noPartners is what the operation Partners finds if there are none.
func noPartners(op *tile.Op) loop.Expr {
	if op.First {
		return loop.ConstOf(ir.Int(ir.I64, -1))
	}
	return loop.ConstOf(ir.Int(ir.I64, 0))
}

// compareBlock compares the row, and those that follow in a block, with all others, unless
// that has been done.
func (g *body) compareBlock(i int, others tile.ID, keys []tile.ID, begin func(row loop.Expr) loop.Expr, equal func(n *nested, at, other loop.Expr)) {
	op := &g.Ops[i]
	n := g.nested[op]
	columns := make([]*loop.Var, len(op.Keys))
	for k, stream := range op.Keys {
		columns[k] = g.whole[stream]
	}
	g.b.If(loop.Ge(g.rowAt(), n.until), func() {
		g.b.Assign(n.first, g.rowAt())
		g.b.Assign(n.until, loop.Least(loop.Add(n.first, loop.Int(nestedRows)), n.hi))
		g.b.For("row", n.first, n.until, func(row *loop.Var) { g.b.Store(n.found, loop.Sub(row, n.first), begin(row)) })
		end := g.b.Let("others", loop.ToCounter(g.expr(others)))
		g.b.ForStep("block", loop.Int(0), end, nestedOthers, func(block *loop.Var) {
			blockEnd := g.b.Let("block_end", loop.Least(loop.Add(block, loop.Int(nestedOthers)), end))
			g.b.For("row", n.first, n.until, func(row *loop.Var) {
				at := g.b.Let("at", loop.Sub(row, n.first))
				own := make([]loop.Expr, len(keys))
				for k, key := range keys {
					own[k] = g.b.Let("key", g.at(key, row))
				}
				backends.Compare(g.b, columns, own, block, blockEnd, func(other loop.Expr) { equal(n, at, other) })
			})
		})
	}, nil)
}
