package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// If most rows have one key, one work-group has them all, and waits for memory alone. So all work-groups find out before which blocks of
// the rows of large parts have one hash, and whoever has entered it passes such a block without a look at its rows.

// hashesPassed is how many rows a work-item compares at once that may have one hash, and blocksPassed how many blocks it passes at once.
// A block has as many rows as a work-group compares so.
const hashesPassed, blocksPassed = 16, 8

// A part is large that has the rows of so many blocks, and of so many parts on average.
const (
	largeBlocks = 4
	largeParts  = 8
)

// blockRows returns how many rows a block has.
func (s shape) blockRows() int64 { return int64(hashesPassed * s.workgroup) }

// blocksOfHashes returns how many blocks the sorted rows are.
func (s *enteringParts) blocksOfHashes() plan.Expr {
	return plan.Max(plan.CeilDiv(s.lowering.bufferLength(s.Streams[s.op.Keys[1]].Buffer), plan.Const(s.blockRows())), plan.Const(1))
}

// findAlike writes a launch that tells of each block its hash above bit 32, if all of its rows are of a large part and have it, else 0.
func (s *enteringParts) findAlike(e *partBody) {
	ends, hashes := e.stream(e.op.Keys[0]), e.stream(e.op.Keys[1])
	rows := loop.Int(s.blockRows())
	first := e.b.Let("first_row", loop.Mul(e.tile, rows))
	all := e.b.Let("all_rows", loop.ToCounter(loop.At(ends, loop.Int(1<<e.op.PartBits-1))))
	hash, others := e.b.Decl("hash", number(ir.U32, 0)), e.b.Decl("others", number(ir.U32, 1))
	e.b.If(loop.Le(loop.Add(first, rows), all), func() {
		e.b.Assign(hash, loop.At(hashes, first))
		part := e.b.Let("part", loop.ToCounter(loop.Apply(ir.OpShr, hash, number(ir.U32, hashBits-int64(e.op.PartBits)))))
		begun := e.b.Decl("begin", number(ir.I64, 0))
		e.b.If(loop.Gt(part, loop.Int(0)), func() { e.b.Assign(begun, loop.At(ends, loop.Sub(part, loop.Int(1)))) }, nil)
		size := loop.Sub(loop.ToCounter(loop.At(ends, part)), loop.ToCounter(begun))
		large := loop.Add(loop.Int(largeBlocks*s.blockRows()), loop.Mul(loop.Int(largeParts), loop.Div(all, loop.Int(1<<e.op.PartBits))))
		e.b.If(loop.Ge(size, large), func() {
			e.b.Assign(others, e.othersThan(hash, loop.Add(first, e.localID)))
		}, nil)
	}, nil)
	differ := e.localArray("differ", ir.U32, 1)
	e.b.If(loop.Eq(e.localID, loop.Int(0)), func() { e.b.Store(differ, loop.Int(0), number(ir.U32, 0)) }, nil)
	e.barrier()
	e.b.If(loop.Ne(others, number(ir.U32, 0)), func() { e.b.Atomic(loop.AtomicExchange, differ, loop.Int(0), number(ir.U32, 1)) }, nil)
	e.barrier()
	e.b.If(loop.Eq(e.localID, loop.Int(0)), func() {
		areAlike := loop.Eq(loop.At(differ, loop.Int(0)), number(ir.U32, 0))
		e.b.Store(e.arguments.buffer(s.alike, ir.U64, plan.Writes), e.tile, loop.Choose(areAlike, alikeWord(hash), number(ir.U64, 0)))
	}, nil)
	s.addLaunch(e.function, launch{workgroup: s.workgroup, grid: s.blocksOfHashes(), describe: s.describe, step: func(kernel string, _ plan.Schedule) plan.Step {
		return plan.Step{Launch: &plan.Launch{Kernel: kernel, Rows: s.span}}
	}})
}

// alikeWord returns what is told of a block whose rows have a hash.
func alikeWord(hash loop.Expr) loop.Expr {
	return loop.Apply(ir.OpOr, loop.ToKind(ir.U64, hash), number(ir.U64, 1<<hashBits))
}

// othersThan returns 0 if some rows have a hash, from one on as far apart as those of a work-item.
func (e *partBody) othersThan(hash, row loop.Expr) loop.Expr {
	hashes, others := e.stream(e.op.Keys[1]), loop.Expr(number(ir.U32, 0))
	row = e.b.Let("compared", row)
	for i := range hashesPassed {
		next := e.b.Let("next", loop.At(hashes, loop.Add(row, loop.Int(int64(i*e.workgroup)))))
		others = loop.Apply(ir.OpOr, others, loop.Apply(ir.OpXor, next, hash))
	}
	return e.b.Let("others", others)
}

// passAlike moves on from a row of a work-item as long as its next rows all have a hash that it has entered, which need nothing more.
func (e *partBody) passAlike(s *enteringParts, row *loop.Var, end, entered loop.Expr) {
	rows, workgroup := loop.Int(s.blockRows()), loop.Int(int64(e.workgroup))
	alike := e.arguments.buffer(s.alike, ir.U64, plan.Reads)
	last := e.b.Let("last_block", loop.Sub(loop.ToCounter(e.arguments.value("blocks", s.blocksOfHashes())), loop.Int(1)))
	wanted := e.b.Let("wanted_block", alikeWord(entered))
	e.b.While(loop.Le(loop.Add(row, rows), end), func() {
		block := e.b.Let("block", loop.Div(row, rows))
		others := loop.Expr(number(ir.U64, 0))
		var differs []loop.Expr
		for i := range blocksPassed {
			other := e.b.Let("other", loop.Apply(ir.OpXor, loop.At(alike, loop.Least(loop.Add(block, loop.Int(int64(i))), last)), wanted))
			differs = append(differs, other)
			others = loop.Apply(ir.OpOr, others, other)
		}
		isFirst, areAll := e.b.Let("is_first", loop.Eq(differs[0], number(ir.U64, 0))), loop.Eq(others, number(ir.U64, 0))
		passed := e.b.Decl("passed", loop.Choose(areAll, loop.Int(blocksPassed), loop.Int(1)))
		e.b.If(isFirst, func() {
			ahead := loop.Sub(loop.Mul(loop.Add(block, passed), rows), row) // up to the next block
			e.b.Assign(row, loop.Add(row, loop.Mul(loop.Div(loop.Add(ahead, loop.Int(int64(e.workgroup-1))), workgroup), workgroup)))
		}, func() {
			e.b.If(loop.Ne(e.othersThan(entered, row), number(ir.U32, 0)), func() { e.b.Break() }, nil)
			e.b.Assign(row, loop.Add(row, rows))
		})
	})
}
