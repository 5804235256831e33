package gocpu

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
)

// listedColumns is the number of stored columns from which on a selection lists the rows
// first: of fewer, a row has room in the registers, and to store every row is as fast.
const listedColumns = 5

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
// rows that are selected are listed first, and then each column is gathered by itself. The
// remaining rows stay in the views.
func (g *body) blocksOfListed(views []int) {
	const d = 1
	place := g.state[stateKey{g.Values[g.Domains[d].Counter].Op, 0}]
	g.remark(remarkListed)
	numbers := g.numbers()
	g.inBlocks(views, selectedRows, func() {
		count := g.list(numbers, []tile.ID{g.Domains[d].Guard})
		first := g.b.Let("first", loop.ToCounter(place))
		end := g.b.Let("end", loop.Add(first, count))
		for _, op := range g.storesOf(d) {
			g.note(op)
			out := g.b.Slice(streamName(g.Streams[op.Stream])+"_places", g.whole[op.Stream], first, end)
			g.b.For("j", loop.Int(0), loop.LenOf(out), func(j *loop.Var) {
				g.index = g.b.Let("i", numberAt(numbers, j))
				g.b.Store(out, j, g.expr(op.Args[0]))
			})
		}
		g.b.Assign(place, loop.To(place.T, end))
	})
}
