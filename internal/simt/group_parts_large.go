package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Rows of a key that has very many would be all of one work-group, and others would wait for it. So a part of more rows than two blocks is
// gone through by as many work-groups as it has blocks: first all of them mark their keys in one bitmap in global memory, by which the work-group of the
// part numbers its groups, stores their keys and begins their folds. Then each folds its rows by the same numbers, and combines what it has with these folds.
//
// A part so large that lies in a block has its first or its last row, so a work-group looks at the parts of these two.

// loadsOfBlock is how many times a work-group loads rows for a block.
const loadsOfBlock = 32

// blockRows returns how many rows a block has.
func (s *groupingParts) blockRows() int64 { return int64(loadsOfBlock * rowsAtOnce * s.workgroup) }

// blocks returns how many blocks there are.
func (s *groupingParts) blocks() plan.Expr {
	return plan.Max(plan.CeilDiv(s.lowering.bufferLength(s.Streams[s.op.Keys[0]].Buffer), plan.Const(s.blockRows())), plan.Const(1))
}

// addBitmaps adds a bitmap for every second block: no two parts have their first whole block among the same two.
func (s *groupingParts) addBitmaps() {
	s.large = s.fresh(s.Name + "_large")
	bitmaps := plan.CeilDiv(plan.Add(s.blocks(), plan.Const(1)), plan.Const(2))
	s.addBuffer(plan.Buffer{Name: s.large, Kind: plan.U32, Role: plan.Status, Length: plan.Mul(bitmaps, plan.Const(s.parts.words))})
}

// isLarge returns whether the part has more rows than two blocks.
func (g *groupedPart) isLarge() loop.Expr {
	return loop.Gt(loop.Sub(g.end, g.first), loop.Int(2*g.of.blockRows()))
}

// inBitmap returns where a word of the bitmap of a large part lies.
func (g *groupedPart) inBitmap(at loop.Expr) loop.Expr {
	block := loop.Add(loop.Div(g.first, loop.Int(g.of.blockRows())), loop.Int(1))
	return loop.Add(loop.Mul(loop.Div(block, loop.Int(2)), loop.Int(g.tables.words)), at)
}

// readBitmap reads the bitmap of a large part.
func (g *groupedPart) readBitmap() {
	large := g.arguments.buffer(g.of.large, ir.U32, plan.Reads)
	g.eachPlace(loop.Int(g.tables.words), func(at loop.Expr) { g.b.Store(g.memory, at, loop.At(large, g.inBitmap(at))) })
}

// beginFolds begins the folds of a large part.
func (g *groupedPart) beginFolds(groups loop.Expr) {
	g.eachPlace(groups, func(at loop.Expr) {
		for _, f := range g.op.Folds {
			to := g.stream(f.To)
			g.b.Store(to, loop.Add(g.first, at), loop.To(to.T.Elem(), loop.ConstOf(f.Monoid.Identity[0])))
		}
	})
}

// markLarge writes the launch that marks the keys of large parts.
func (s *groupingParts) markLarge() {
	g := s.part(s.Name+"_mark", false)
	g.eachLarge(func() {
		g.markRows()
		g.barrier()
		large := g.arguments.buffer(s.large, ir.U32, plan.ReadsWrites)
		g.eachPlace(loop.Int(g.tables.words), func(at loop.Expr) {
			word := g.b.Let("marked", loop.At(g.memory, at))
			g.b.If(loop.Ne(word, number(ir.U32, 0)), func() { g.b.Atomic(loop.AtomicOr, large, g.inBitmap(at), word) }, nil)
		})
		g.barrier()
	})
	s.launchBlocks(g, s.flat.describe)
}

// foldLarge writes the launch that folds the rows of large parts.
func (s *groupingParts) foldLarge() {
	g := s.part(s.Name+"_fold", true)
	g.eachLarge(func() {
		g.readBitmap()
		g.barrier()
		groups := g.number(func(_, _ loop.Expr) {})
		g.b.If(g.fits(groups), func() {
			g.eachRound(groups, func(k int, place, x loop.Expr) {
				f := g.op.Folds[k]
				x = g.b.Let("x", loop.To(loop.ScalarOf(g.Streams[f.To].Kind), x))
				g.unlessIdentity(f.Monoid.Identity[0], x, func() {
					g.combineAt(g.Streams[f.To].Buffer, g.Streams[f.To].Kind, f.Monoid.Combine[0], place, x)
				})
			})
		}, nil)
		g.barrier()
	})
	s.launchBlocks(g, s.describe)
}

// launchBlocks ends a function and launches it over all blocks.
func (s *groupingParts) launchBlocks(g *groupedPart, describe func(v *plan.Variant)) {
	s.addLaunch(g.function, launch{workgroup: s.workgroup, grid: s.blocks(), describe: describe, step: func(kernel string, _ plan.Schedule) plan.Step {
		return plan.Step{Launch: &plan.Launch{Kernel: kernel, Rows: s.span}}
	}})
}

// eachLarge calls body for each large part of which rows lie in the block of the work-group.
func (g *groupedPart) eachLarge(body func()) {
	rows := g.of.blockRows()
	all := g.b.Let("all_rows", g.boundOf(1, loop.Int(1<<g.op.PartBits-1)))
	begin := g.b.Let("block_begin", loop.Mul(&loop.ID{Kind: loop.WorkgroupID}, loop.Int(rows)))
	stop := g.b.Let("block_end", loop.Add(begin, loop.Least(loop.Int(rows), loop.Sub(all, begin))))
	g.b.If(loop.Lt(begin, stop), func() {
		words := g.stream(g.op.Keys[0])
		partOf := func(row loop.Expr) loop.Expr {
			return loop.ToCounter(loop.Apply(ir.OpShr, keyOfWord(loop.At(words, row)), number(ir.U32, int64(keyBits-g.op.PartBits))))
		}
		part := g.b.Decl("part", partOf(begin))
		last := g.b.Let("last_part", partOf(loop.Sub(stop, loop.Int(1))))
		g.b.While(loop.True, func() {
			g.ofPart(part)
			g.begin = g.b.Let("from_row", loop.Greatest(g.first, begin))
			g.stop = g.b.Let("to_row", loop.Least(g.end, stop))
			g.b.If(g.isLarge(), body, nil)
			g.b.If(loop.Eq(part, last), func() { g.b.Break() }, nil)
			g.b.Assign(part, last)
		})
	}, nil)
}
