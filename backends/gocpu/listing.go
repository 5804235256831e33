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
