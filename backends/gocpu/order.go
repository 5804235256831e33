package gocpu

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Few rows are sorted by insertion: a summary makes a list of their numbers in the order of their words,
// from which the rows then have their places. One worker does both.

// counters returns how many numbers a range function has for its ranks.
func counters(op *tile.Op) int64 {
	if op.Kind == tile.Order {
		return FewRows
	}
	return op.Digits
}

// ordersRows reports whether a kernel sorts few rows.
func (k *kernel) ordersRows() bool {
	return k.Has(func(op *tile.Op) bool { return op.Kind == tile.Order })
}

// beginOrder makes room for the words that are sorted; else the list of rows becomes places.
func (g *body) beginOrder(op *tile.Op, lo, hi *loop.Var) {
	rank := op.Res[0]
	list := g.b.Window("list", g.counts[rank], loop.Int(0), FewRows)
	if g.summary {
		g.counts[rank] = list
		g.words = g.b.Make("words", loop.ScalarOf(g.Values[op.Args[0]].Kind), loop.Int(FewRows))
		return
	}
	places := g.b.Make("places", loop.ScalarOf(ir.I64), loop.Int(FewRows))
	g.b.For("place", lo, hi, func(place *loop.Var) {
		g.b.Store(places, loop.ToCounter(loop.At(list, place)), loop.ToKind(ir.I64, place))
	})
	g.counts[rank] = places
}

// order inserts a row behind those of lesser and of equal words, or names its place.
func (g *body) order(i int) {
	op := &g.Ops[i]
	rank := op.Res[0]
	list, words := g.counts[rank], g.words
	if !g.summary {
		g.values[rank] = g.b.Let(g.name(rank), loop.At(list, g.index))
		return
	}
	word := g.b.Let("word", g.expr(op.Args[0]))
	at := g.b.Decl("at", g.index)
	before := loop.Sub(at, loop.Int(1))
	g.b.While(loop.And(loop.Gt(at, loop.Int(0)), loop.Gt(loop.At(words, before), word)), func() {
		g.b.Store(words, at, loop.At(words, before))
		g.b.Store(list, at, loop.At(list, before))
		g.b.Assign(at, before)
	})
	g.b.Store(words, at, word)
	g.b.Store(list, at, loop.ToKind(ir.I64, g.index))
}
