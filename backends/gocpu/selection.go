package gocpu

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// selectedRows are tested at once: their numbers fit a byte.
const selectedRows = 256

// selects reports whether the rows only sum selected rows, of which the tests of
// one column exclude some. Then the numbers of those that pass are listed first,
// for a block of rows, and these rows summed afterwards. A branch per row would be
// mispredicted as often as rows pass and fail at random, which costs more.
func (g *body) selects(views []int) bool {
	if !g.onlySums(views) {
		return false
	}
	first, _ := g.splitGuard(g.Domains[1].Guard)
	return g.loadsMore(1, first)
}

// onlySums reports whether the rows only sum selected rows.
func (g *body) onlySums(views []int) bool {
	if len(g.Domains) != 2 || len(views) == 0 || !g.sumsOnly(1) {
		return false
	}
	for i := range g.Ops {
		op := &g.Ops[i]
		if !g.needed[i] || op.Epilogue || g.sinkDomain[i] != 0 {
			continue
		}
		if !op.IsMap() && !op.LoadsElement() {
			return false
		}
	}
	return !g.numbersRows()
}

// blocksOfSelected handles the rows in blocks as long as there are enough. The
// remaining rows stay in the views.
func (g *body) blocksOfSelected(views []int) {
	const d = 1
	first, rest := g.splitGuard(g.Domains[d].Guard)
	g.remark(remarkSelected)
	numbers := g.numbers()
	g.inBlocks(views, selectedRows, func() {
		count := g.list(numbers, first)
		g.b.For("j", loop.Int(0), count, func(j *loop.Var) {
			g.index = g.b.Let("i", numberAt(numbers, j))
			g.sums(d, rest)
		})
	})
}

// numbers declares memory for the numbers of a block's rows.
func (g *body) numbers() *loop.Var {
	return g.b.Storage("selected", loop.ArrayOf(selectedRows, loop.ScalarOf(ir.U8)))
}

// inBlocks cuts the views to a block of rows, calls body, and goes on with the next as long
// as there are enough rows.
func (g *body) inBlocks(views []int, rows int, body func()) {
	outer := map[int]*loop.Var{}
	for _, s := range views {
		outer[s] = g.view[s]
	}
	kept := g.uniformValues()
	g.b.While(loop.Ge(loop.LenOf(outer[views[0]]), loop.Int(int64(rows))), func() {
		for _, s := range views {
			g.view[s] = g.b.Window(streamName(g.Streams[s])+"_block", outer[s], loop.Int(0), rows)
			g.b.Cut(outer[s], loop.Int(int64(rows)), nil)
		}
		body()
		g.values = g.uniformValues()
	})
	for _, s := range views {
		g.view[s] = outer[s]
	}
	g.values = kept
}

// list stores the numbers of the rows of a block for which all conditions hold, and returns
// how many these are.
func (g *body) list(numbers *loop.Var, conditions []tile.ID) (count *loop.Var) {
	count = g.b.Decl("count", loop.Int(0))
	g.b.For("i", loop.Int(0), loop.Int(selectedRows), func(i *loop.Var) {
		g.index = i
		g.rowOf(0)
		g.b.Store(numbers, inBlock(count), loop.ToKind(ir.U8, i))
		g.b.Assign(count, loop.Add(count, loop.ToCounter(g.bitOfAll(conditions))))
	})
	g.values = g.uniformValues()
	return count
}

// inBlock returns i as a row of a block, of which Go checks no index.
func inBlock(i loop.Expr) loop.Expr { return loop.Apply(ir.OpAnd, i, loop.Int(selectedRows-1)) }

// numberAt returns number j of the rows that are listed.
func numberAt(numbers *loop.Var, j loop.Expr) loop.Expr {
	return loop.ToCounter(loop.At(numbers, inBlock(j)))
}

// sumsInFours reports whether sums over selected rows, of which none is
// excluded beforehand, are of so few columns that four rows fit the registers:
// the steps of the loop cost as much as a row.
func (g *body) sumsInFours(views []int) bool {
	return len(views) <= unrolledColumns && g.onlySums(views) && !g.selects(views)
}

// inFours handles the rows four at a time as long as there are as many. The
// remaining rows stay in the views.
func (g *body) inFours(views []int) {
	outer := map[int]*loop.Var{}
	for _, s := range views {
		outer[s] = g.view[s]
	}
	kept := g.uniformValues()
	g.b.While(loop.Ge(loop.LenOf(outer[views[0]]), loop.Int(unrolledRows)), func() {
		for _, s := range views {
			g.view[s] = g.b.Window(streamName(g.Streams[s])+"_four", outer[s], loop.Int(0), unrolledRows)
			g.b.Cut(outer[s], loop.Int(unrolledRows), nil)
		}
		for row := range int64(unrolledRows) {
			g.values, g.index = g.uniformValues(), loop.Int(row)
			g.block(0)
		}
	})
	for _, s := range views {
		g.view[s] = outer[s]
	}
	g.values = kept
}
