package gocpu

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
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

// visits reports whether all that rows do is behind one filter, which needs a branch for it: a state goes on, or something is
// dear. Then the rows that are selected may be listed first, and these visited: a branch that is guessed wrong takes ten times
// as long as to list a row.
func (g *body) visits(views []int) bool {
	const d = 1
	if len(views) == 0 || len(g.Domains) < 2 || g.Domains[d].Kind != tile.Compact || g.branchFree(d) || g.sumsOnly(d) || !g.hasRows(d) || g.closing != 0 {
		return false
	}
	for other := d + 1; other < len(g.Domains); other++ {
		if !g.Inside(other, d) {
			return false
		}
	}
	again := g.neededInside(d)
	for i := range g.Ops {
		op := &g.Ops[i]
		switch {
		case !g.needed[i] || op.Epilogue || g.sinkDomain[i] == tile.Uniform:
		case g.sinkDomain[i] == 0 && (!op.IsMap() && !op.LoadsElement() && !op.IsRowNumber() || again[i] && op.IsDear()):
			return false
		}
	}
	return true
}

// neededInside marks operations on all rows whose values rows of d use.
func (g *body) neededInside(d int) []bool {
	again := make([]bool, len(g.Ops))
	var use func(values ...tile.ID)
	use = func(values ...tile.ID) {
		for _, v := range values {
			if i := g.Values[v].Op; v != 0 && g.sinkDomain[i] == 0 && !again[i] {
				again[i] = true
				use(g.Ops[i].Args...)
			}
		}
	}
	for i := range g.Ops {
		if g.needed[i] && !g.Ops[i].Epilogue && g.sinkDomain[i] != tile.Uniform && g.Inside(g.sinkDomain[i], d) {
			use(g.Ops[i].Args...)
		}
	}
	for child := d + 1; child < len(g.Domains); child++ {
		use(g.Domains[child].Guard, g.Domains[child].Open)
	}
	return again
}

// fewVisited is how many rows of a block are few: a branch is hardly ever guessed wrong if the last block had no more
// of either kind.
const fewVisited = selectedRows / 16

// blocksOfVisited handles the rows in blocks as long as there are enough. A block lists the rows that are selected first
// if the last one had some of both kinds. The remaining rows stay in the views.
func (g *body) blocksOfVisited(views []int) {
	const d = 1
	g.remark(remarkVisited)
	numbers, again := g.numbers(), g.neededInside(d)
	mixed := g.b.Decl("mixed", loop.True)
	judge := func(count *loop.Var) {
		g.b.Assign(mixed, loop.And(loop.Gt(count, loop.Int(fewVisited)), loop.Lt(count, loop.Int(selectedRows-fewVisited))))
	}
	var begun *loop.Var
	if g.asksForRows() {
		begun = g.b.Decl("begun", g.first)
		g.first = begun
	}
	g.inBlocks(views, selectedRows, func() {
		g.b.If(mixed, func() {
			count := g.list(numbers, g.conditions(g.Domains[d].Guard))
			g.b.For("j", loop.Int(0), count, func(j *loop.Var) {
				g.index = g.b.Let("i", numberAt(numbers, j))
				for i := range g.Ops {
					if again[i] && g.needed[i] {
						g.op(i, 0)
					}
				}
				g.block(d)
			})
			judge(count)
		}, func() {
			g.values = g.uniformValues()
			count := g.b.Decl("count", loop.Int(0))
			g.b.For("i", loop.Int(0), loop.Int(selectedRows), func(i *loop.Var) {
				g.index = i
				g.rowOf(0)
				g.b.If(g.expr(g.Domains[d].Guard), func() {
					g.b.Assign(count, loop.Add(count, loop.Int(1)))
					g.block(d)
				}, nil)
			})
			judge(count)
		})
		if begun != nil {
			g.b.Assign(begun, loop.Add(begun, loop.Int(selectedRows)))
		}
	})
}

// asksForRows reports whether rows need their numbers, of their own or to see whether there is a row before.
func (g *body) asksForRows() bool {
	for i := range g.Ops {
		op := &g.Ops[i]
		if g.needed[i] && (op.IsRowNumber() || op.Kind == tile.Head && g.integerKey(op) == 0 || op.Kind == tile.Shift && op.Distance != 1) {
			return true
		}
	}
	return false
}
