package gocpu

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// listedColumns is the number of stored columns from which on a selection lists the rows
// first: of fewer, a row has room in the registers, and to store every row is as fast.
const listedColumns = 5

// gatheredColumns are gathered by one loop at most: each reads where the row is once for all of them. More than
// eight of 16 columns were slower, as their places leave the registers; one by itself took 1.1 to 2.2 times as long as eight.
const gatheredColumns = 8

// lists reports whether the rows are nothing but a selection of many columns. If every row
// of these were stored, most stores would be in vain where few rows are selected, and
// so many streams at once do not fit the registers, nor the ways of the nearest cache.
func (g *body) lists(views []int) bool {
	const d = 1
	return len(g.Domains) == 2 && len(g.storesOf(d)) >= listedColumns && g.compactsOnly(views)
}

// storesOf lists what is stored of the rows of d.
func (g *body) storesOf(d int) (list []*tile.Op) {
	for i := range g.Ops {
		if op := &g.Ops[i]; g.needed[i] && g.sinkDomain[i] == d && op.Does(tile.Writes) && !op.Epilogue {
			list = append(list, op)
		}
	}
	return list
}

// blocksOfListed handles the rows in blocks as long as there are enough. The numbers of the
// rows that are selected are listed first, and then these are gathered, equally many columns at
// a time. The remaining rows stay in the views.
func (g *body) blocksOfListed(views []int) {
	const d = 1
	place := g.state[stateKey{g.Values[g.Domains[d].Counter].Op, 0}]
	g.remark(remarkListed)
	numbers := g.numbers()
	stores := g.storesOf(d)
	loops := (len(stores) + gatheredColumns - 1) / gatheredColumns
	g.inBlocks(views, selectedRows, func() {
		count := g.list(numbers, []tile.ID{g.Domains[d].Guard})
		first := g.b.Let("first", loop.ToCounter(place))
		end := g.b.Let("end", loop.Add(first, count))
		for together := range slices.Chunk(stores, (len(stores)+loops-1)/loops) {
			g.gatherListed(together, numbers, first, end)
		}
		g.b.Assign(place, loop.To(place.T, end))
	})
}

// gatherListed stores columns of the listed rows from place first on.
func (g *body) gatherListed(stores []*tile.Op, numbers *loop.Var, first, end loop.Expr) {
	var places []*loop.Var
	for _, op := range stores {
		g.note(op)
		out := g.b.Slice(streamName(g.Streams[op.Stream])+"_places", g.whole[op.Stream], first, end)
		if places = append(places, out); len(places) > 1 {
			g.b.Cut(out, loop.Int(0), loop.LenOf(places[0])) // so that Go checks no index
		}
	}
	g.b.For("j", loop.Int(0), loop.LenOf(places[0]), func(j *loop.Var) {
		g.index = g.b.Let("i", numberAt(numbers, j))
		for k, op := range stores {
			g.b.Store(places[k], j, g.expr(op.Args[0]))
		}
	})
}

// visited returns a filter that needs a branch for its rows, since a state goes on or something is dear, and whose rows may
// be listed first and visited when the others of a block are done, or 0: a branch that is guessed wrong takes ten times as
// long as to list a row.
func (g *body) visited(views []int) int {
	if len(views) == 0 || g.closing != 0 {
		return 0
	}
	for d := 1; d < len(g.Domains); d++ {
		if g.Lists(d) && !g.branchFree(d) && !g.sumsOnly(d) && g.hasRows(d) {
			return d
		}
	}
	return 0
}

// neededInside returns the operations on all rows whose values rows of d use.
func (g *body) neededInside(d int) map[int]bool {
	return g.NeededInside(d, func(op int) int {
		if !g.needed[op] {
			return tile.Uniform
		}
		return g.sinkDomain[op]
	})
}

// fewVisited is how many rows of a block are few: a branch is hardly ever guessed wrong if the last block had no more
// of either kind.
const fewVisited = selectedRows / 16

// blocksOfVisited handles the rows in blocks as long as there are enough. A block lists the rows of d first
// if the last one had some of both kinds. The remaining rows stay in the views.
func (g *body) blocksOfVisited(views []int, d int) {
	g.remark(remarkVisited)
	numbers, again, conditions := g.numbers(), g.neededInside(d), g.conditions(g.Domains[d].Guard)
	mixed := g.b.Decl("mixed", loop.True)
	var begun *loop.Var
	if g.asksForRows() {
		begun = g.b.Decl("begun", g.first)
		g.first = begun
	}
	rows := func(count *loop.Var, visit func()) {
		g.b.For("i", loop.Int(0), loop.Int(selectedRows), func(i *loop.Var) {
			g.index = i
			g.rowBeside(d, visit)
		})
		g.values = g.uniformValues()
	}
	g.inBlocks(views, selectedRows, func() {
		g.values = g.uniformValues()
		count := g.b.Decl("count", loop.Int(0))
		g.b.If(mixed, func() {
			rows(count, func() {
				g.b.Store(numbers, inBlock(count), loop.ToKind(ir.U8, g.index))
				g.b.Assign(count, loop.Add(count, loop.ToCounter(g.bitOfAll(conditions))))
			})
			g.b.For("j", loop.Int(0), count, func(j *loop.Var) {
				g.index = g.b.Let("i", numberAt(numbers, j))
				for i := range g.Ops {
					if again[i] {
						g.op(i, 0)
					}
				}
				g.block(d)
			})
			g.values = g.uniformValues()
		}, func() {
			rows(count, func() {
				g.b.If(g.expr(g.Domains[d].Guard), func() {
					g.b.Assign(count, loop.Add(count, loop.Int(1)))
					g.block(d)
				}, nil)
			})
		})
		g.b.Assign(mixed, loop.And(loop.Gt(count, loop.Int(fewVisited)), loop.Lt(count, loop.Int(selectedRows-fewVisited))))
		if begun != nil {
			g.b.Assign(begun, loop.Add(begun, loop.Int(selectedRows)))
		}
	})
}

// rowBeside writes a row with all that is derived from it, but what visit writes in place of the rows of d.
func (g *body) rowBeside(d int, visit func()) {
	outer := g.ending
	g.ending = nil
	g.rowOf(0)
	for child := 1; child < len(g.Domains); child++ {
		switch {
		case child == d:
			visit()
		case g.Domains[child].Parent == 0:
			g.child(child)
		}
	}
	g.finishRow()
	g.ending = outer
}

// asksForRows reports whether rows need their numbers, of their own or to see whether there is a row before.
func (g *body) asksForRows() bool {
	for i := range g.Ops {
		op := &g.Ops[i]
		if g.needed[i] && (op.IsRowNumber() || op.Kind == tile.Head && g.integerKey(op) == 0 || op.Kind == tile.Shift && op.Distance != 1 || op.Kind == tile.Partners || op.Kind == tile.Pairs || op.Kind == tile.Source) {
			return true
		}
	}
	return false
}
