package gocpu

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
)

// Rows that a compaction handles together. Go loads an element again after
// each store, which might have changed it, unless it was loaded before; more
// rows or columns than this do not fit the registers.
const (
	unrolledRows    = 4
	unrolledColumns = 2
)

// unrolls reports whether the rows are nothing but compactions without
// branches, of few columns.
func (g *body) unrolls(views []int) bool {
	return len(views) <= unrolledColumns && g.compactsOnly(views)
}

// compactsOnly reports whether the rows are nothing but compactions without branches.
func (g *body) compactsOnly(views []int) bool {
	if g.summary || len(views) == 0 || len(g.Domains) < 2 || g.numbersRows() {
		return false
	}
	for d := 1; d < len(g.Domains); d++ {
		if g.Domains[d].Parent != 0 || g.Domains[d].Kind != tile.Compact || !g.branchFree(d) {
			return false
		}
	}
	for i := range g.Ops {
		op := &g.Ops[i]
		if op.Epilogue || op.Domain == tile.Uniform {
			continue
		}
		if g.sinkDomain[i] > 0 {
			if g.computesFromPlace(op) {
				return false
			}
			continue
		}
		if !op.IsMap() && !op.LoadsElement() {
			return false
		}
	}
	return true
}

// computesFromPlace reports whether op computes with the number of its row, which
// is not known before the rows before are stored.
func (g *body) computesFromPlace(op *tile.Op) bool {
	place := g.Domains[op.Domain].Position
	for n, arg := range op.Args {
		if arg == place && arg != 0 && (!op.Does(tile.Writes) || n == 0) {
			return true
		}
	}
	return false
}

// unrolled handles the rows four at a time as long as there are as many: first
// all four are loaded and computed, then stored. What is left stays in the views.
func (g *body) unrolled(views []int) {
	outer := map[int]*loop.Var{}
	for _, s := range views {
		outer[s] = g.view[s]
	}
	enough := loop.Ge(loop.LenOf(g.view[views[0]]), loop.Int(unrolledRows))
	g.b.While(enough, func() {
		for _, s := range views {
			g.view[s] = g.b.Window(streamName(g.Streams[s])+"_four", outer[s], loop.Int(0), unrolledRows)
			g.b.Cut(outer[s], loop.Int(unrolledRows), nil)
		}
		var rows [unrolledRows][]compacted
		for r := range rows {
			g.index = loop.Int(int64(r))
			g.values = g.uniformValues()
			g.loadAll(views)
			for i, op := range g.With((*tile.Op).IsMap) {
				if g.sinkDomain[i] == 0 && !op.Epilogue {
					g.op(i, 0)
				}
			}
			for d := 1; d < len(g.Domains); d++ {
				rows[r] = append(rows[r], g.compute(d))
			}
		}
		for _, row := range rows {
			for _, c := range row {
				g.storeAll(c.stores, c.values, g.expr(g.Domains[c.domain].Position))
				g.advance(c)
			}
		}
	})
	for _, s := range views {
		g.view[s] = outer[s]
	}
	g.values = g.uniformValues()
}

// loadAll loads the row's elements into variables.
func (g *body) loadAll(views []int) {
	for _, op := range g.With((*tile.Op).LoadsElement) {
		if !op.Epilogue {
			g.values[op.Res[0]] = g.b.Let(g.name(op.Res[0]), g.load(op))
		}
	}
}

// compacted is a row of a compaction, computed and not yet stored.
type compacted struct {
	domain int
	guard  loop.Expr
	stores []*tile.Op
	values []loop.Expr
	count  int // the operation that counts the selected rows
}

// compute computes a row of the compaction d.
func (g *body) compute(d int) compacted {
	g.remark(remarkOverwrite)
	c := compacted{domain: d, guard: g.b.Let("selected", g.selectedBit(d))}
	for i := range g.Ops {
		op := &g.Ops[i]
		if !g.needed[i] || g.sinkDomain[i] != d || op.Epilogue {
			continue
		}
		switch {
		case op.Does(tile.Writes):
			c.stores = append(c.stores, op)
		case op.Cuts():
			c.count = i
			g.values[op.Res[0]] = g.state[stateKey{i, 0}]
		default:
			if _, done := g.values[op.Res[0]]; !done {
				g.op(i, d)
			}
		}
	}
	for _, op := range c.stores {
		c.values = append(c.values, g.expr(op.Args[0]))
	}
	return c
}

// selectedBit returns whether a row of the compaction d is selected, as a flag or, of several
// conditions, as a bit.
func (g *body) selectedBit(d int) loop.Expr {
	guard := g.Domains[d].Guard
	if g.split[g.Values[guard].Op] {
		return g.bitOfAll(g.conditions(guard))
	}
	return g.expr(guard)
}

// branchFree reports whether the rows of a compaction may be computed for
// every row of the parent and stored over each other until one is selected.
// It needs stores at a count of the selected rows, and nothing expensive or
// that may fail.
func (g *body) branchFree(d int) bool {
	counted := false
	for i := range g.Ops {
		op := &g.Ops[i]
		if !g.needed[i] || op.Epilogue || !g.Inside(g.sinkDomain[i], d) || g.sinkDomain[i] == tile.Uniform {
			continue
		}
		if g.sinkDomain[i] != d {
			return false
		}
		switch {
		case op.Does(tile.Writes):
			if op.Args[1] != g.Domains[d].Position {
				return false
			}
		case op.Cuts():
			if op.Res[0] != g.Domains[d].Counter {
				return false
			}
			counted = true
		case !op.IsPure() || op.LoadsAt() || op.Seeks() || op.IsDear():
			return false
		}
	}
	for child := d + 1; child < len(g.Domains); child++ {
		if g.Domains[child].Parent == d && g.hasRows(child) {
			return false
		}
	}
	return counted
}

// compact writes the rows of d without a branch on its guard: each is stored
// at the next place, which advances only where the row is selected. A place
// past the end of the output belongs to the rows of the next range.
func (g *body) compact(d int) {
	c := g.compute(d)
	g.storeAll(c.stores, c.values, g.expr(g.Domains[d].Position))
	g.advance(c)
}

// advance moves to the next place where the row is selected.
func (g *body) advance(c compacted) {
	place := g.state[stateKey{c.count, 0}]
	g.b.Assign(place, loop.Add(place, loop.To(place.T, c.guard)))
}

// storeAll writes all columns of a derived row at one place, if that is within
// the range's part.
func (g *body) storeAll(stores []*tile.Op, values []loop.Expr, place loop.Expr) {
	if len(stores) == 0 {
		return
	}
	at := loop.ToCounter(place)
	if at != loop.Expr(g.slot) {
		at = g.b.Let("at", at)
	}
	store := func() {
		for i, op := range stores {
			g.b.Store(g.whole[op.Stream], at, values[i])
		}
	}
	if !g.boundsStores {
		store()
		return
	}
	g.remark(remarkLimit)
	g.b.If(loop.Inside(at, loop.LenOf(g.whole[stores[0].Stream])), store, nil) // Go needs no further check of the index
}
