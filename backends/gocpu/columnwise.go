package gocpu

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
)

// streamsAtOnce are the columns that a loop reads or writes at once, if its results share what
// they are computed from. Columns may begin at pages, so that their elements of a row fall to
// one set of the nearest cache, which has as many ways.
const streamsAtOnce = 8

// columnRows are the rows of a block that is handled column by column: few enough that memory
// still sees all columns grow at once, and as many as a core predicts the end of.
const columnRows = 64

// mostUnrolled is how many operations a row of such a loop has at most if it handles four rows
// at once: with more, the steps of the loop count for little.
const mostUnrolled = 8

// columnGroups returns the stores of a row in groups that share nothing but what they load, to
// be stored one group after the other for a block of rows: a core stores faster to one column
// than to several in turns. It returns nothing if there is one group, or the rows do more than
// store and fold what follows from columns.
func (g *body) columnGroups() [][]bool {
	if g.summary || len(g.Domains) > 1 || g.numbersRows() {
		return nil
	}
	var groups []columnGroup
	for i := range g.Ops {
		op := &g.Ops[i]
		if !g.needed[i] || op.Epilogue || op.Domain == tile.Uniform || op.IsMap() || op.LoadsElement() {
			continue
		}
		isStore := op.Does(tile.Writes) && len(op.Args) == 1
		if !isStore && !g.foldsIntegers(op) {
			return nil
		}
		own := columnGroup{ops: g.NeededBy(func(j int) bool { return j == i }), streams: map[int]bool{}, stores: isStore}
		for _, arg := range op.Args {
			g.markLoads(arg, own.streams)
		}
		if isStore {
			own.streams[op.Stream] = true
		}
		joined := slices.IndexFunc(groups, func(of columnGroup) bool { return g.belongs(&own, &of) })
		if joined < 0 {
			groups = append(groups, own)
			continue
		}
		groups[joined].add(&own)
	}
	stores := 0
	var list [][]bool
	for _, group := range groups {
		if group.stores {
			stores++
		}
		list = append(list, group.ops)
	}
	if stores < 2 || g.repeatsDear(list) {
		return nil
	}
	return list
}

// columnGroup is what is computed in one loop over a block.
type columnGroup struct {
	ops     []bool
	streams map[int]bool
	stores  bool
}

func (c *columnGroup) add(d *columnGroup) {
	for i, isNeeded := range d.ops {
		c.ops[i] = c.ops[i] || isNeeded
	}
	for s := range d.streams {
		c.streams[s] = true
	}
	c.stores = c.stores || d.stores
}

// belongs reports whether the results of c are computed with those of d: they share an operator,
// or one only folds what the other loads.
func (g *body) belongs(c, d *columnGroup) bool {
	streams := len(d.streams)
	for s := range c.streams {
		if !d.streams[s] {
			streams++
		}
	}
	if streams > streamsAtOnce {
		return false
	}
	if streams == len(d.streams) && !c.stores || streams == len(c.streams) && !d.stores {
		return true
	}
	for i := range g.With((*tile.Op).IsMap) {
		if c.ops[i] && d.ops[i] && g.Ops[i].Domain != tile.Uniform {
			return true
		}
	}
	return false
}

// foldsIntegers reports whether op folds integers over all rows. Folds of floats wait for
// themselves, for which the loops of other columns have time.
func (g *body) foldsIntegers(op *tile.Op) bool {
	return op.Kind == tile.Reduce && !slices.ContainsFunc(op.Args, func(v tile.ID) bool { return !g.Values[v].Kind.IsInteger() })
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
	g.inBlocks(views, columnRows, func() {
		for _, group := range groups {
			g.needed = group
			at := int64(1)
			if g.isShort(group) {
				at = unrolledRows
			}
			g.b.ForStep("i", loop.Int(0), loop.Int(columnRows), at, func(i *loop.Var) {
				for row := range at {
					g.values, g.index = g.uniformValues(), i
					if row > 0 {
						g.index = loop.Add(i, loop.Int(row))
					}
					g.block(0)
				}
			})
			g.values = g.uniformValues()
		}
	})
	g.needed = all
}

// isShort reports whether a row of a group has few operations, none of them dear.
func (g *body) isShort(group []bool) bool {
	operations := 0
	for i := range g.Ops {
		if op := &g.Ops[i]; group[i] && !op.Epilogue && op.Domain != tile.Uniform {
			if op.IsDear() {
				return false
			}
			operations++
		}
	}
	return operations <= mostUnrolled
}
