package gocpu

import (
	"reflect"
	"slices"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
)

// updatesWith lists the updates that a row makes together, of which update i is one: those at one index of tables that
// have as many elements, so that one comparison is for all. Between them lies nothing that a delay could change.
func (g *body) updatesWith(i int) (list []int) {
	for j := range g.Ops {
		op := &g.Ops[j]
		switch {
		case !g.needed[j] || op.Epilogue || g.sinkDomain[j] != g.sinkDomain[i]:
		case op.Kind == tile.Update:
			if j == i || op.Args[0] == g.Ops[i].Args[0] && g.equallyLong(op, &g.Ops[i]) {
				list = append(list, j)
			}
		case !op.IsMap() && !op.LoadsElement() && !op.Does(tile.Reports):
			if slices.Contains(list, i) {
				return list
			}
			list = nil
		}
	}
	return list
}

// equallyLong reports whether the memory of two updates or stores has the same number of elements for sure.
func (k *kernel) equallyLong(a, b *tile.Op) bool {
	x, known := k.lengths[k.Streams[a.Stream].Buffer]
	return known && reflect.DeepEqual(x, k.lengths[k.Streams[b.Stream].Buffer])
}

// update combines a value into a table, after the last of the updates that are made with it; an index outside, which a
// check has reported, changes nothing.
func (g *body) update(i int) {
	op := &g.Ops[i]
	if e := g.enteredOf(op); e != nil {
		g.updateOwn(e, op)
		return
	}
	together := g.updatesWith(i)
	if i != together[len(together)-1] {
		return
	}
	at := g.b.Let("bin", loop.ToCounter(g.expr(op.Args[0])))
	values := make([]loop.Expr, len(together))
	for n, j := range together {
		values[n] = g.expr(g.Ops[j].Args[1])
	}
	g.b.If(loop.Inside(at, loop.LenOf(g.whole[g.Ops[together[0]].Stream])), func() {
		for n, j := range together {
			g.combine(&g.Ops[j], g.whole[g.Ops[j].Stream], at, values[n])
		}
	}, nil)
}

// combine combines x with an element, as an update does.
func (g *body) combine(update *tile.Op, table *loop.Var, at, x loop.Expr) {
	now := func(int) loop.Expr { return loop.At(table, at) }
	g.b.Store(table, at, backends.Combine(update.Monoid.Combine[0], now, func(int) loop.Expr { return x }))
}
