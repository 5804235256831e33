package gocpu

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
)

// streamsAtOnce are the columns that a loop reads or writes at once. Columns tend to begin at
// pages, so that their elements of a row fall to one set of the nearest cache, which has as
// many ways.
const streamsAtOnce = 8

// columnGroups returns the stores of a row in groups of few columns, to be stored one group
// after the other for a block of rows; or nothing if all are few, or the rows do more than
// store what follows from columns.
func (g *body) columnGroups(views []int) (groups [][]bool) {
	if g.summary || len(views) <= streamsAtOnce || len(g.Domains) > 1 || g.numbersRows() {
		return nil
	}
	var streams map[int]bool
	for i := range g.Ops {
		op := &g.Ops[i]
		if !g.needed[i] || op.Epilogue || op.Domain == tile.Uniform || op.IsMap() || op.LoadsElement() {
			continue
		}
		if !op.Does(tile.Writes) || len(op.Args) != 1 {
			return nil
		}
		own := map[int]bool{op.Stream: true}
		g.markLoads(op.Args[0], own)
		together := len(own)
		for s := range streams {
			if !own[s] {
				together++
			}
		}
		if streams == nil || together > streamsAtOnce {
			streams = map[int]bool{}
			groups = append(groups, make([]bool, len(g.Ops)))
		}
		for s := range own {
			streams[s] = true
		}
		for j, isNeeded := range g.NeededBy(func(j int) bool { return j == i }) {
			last := groups[len(groups)-1]
			last[j] = last[j] || isNeeded
		}
	}
	if len(groups) < 2 || g.repeatsDear(groups) {
		return nil
	}
	return groups
}

// repeatsDear reports whether several groups compute something dear.
func (g *body) repeatsDear(groups [][]bool) bool {
	for i := range g.Ops {
		times := 0
		for _, group := range groups {
			if group[i] && g.Ops[i].IsDear() && g.Ops[i].Domain != tile.Uniform {
				times++
			}
		}
		if times > 1 {
			return true
		}
	}
	return false
}

// blocksOfColumns handles the rows in blocks as long as there are enough, in each group by
// group of columns. The remaining rows stay in the views.
func (g *body) blocksOfColumns(views []int, groups [][]bool) {
	all := g.needed
	g.remark(remarkColumns)
	g.inBlocks(views, func() {
		for _, group := range groups {
			g.needed = group
			g.b.For("i", loop.Int(0), loop.Int(selectedRows), func(i *loop.Var) {
				g.index = i
				g.block(0)
			})
			g.values = g.uniformValues()
		}
	})
	g.needed = all
}
