package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Words tell how often rows are repeated, and where something begins for each: the partners of a left row, say. At the first row of
// a tile that repeats another one, its head, the number of that and what its word tells are left in local memory. The greatest place of a head
// up to a row tells which these are, so nothing is read for each row.

// lengthOf returns the length that a word tells, or the length that is held in place of it.
func (e *rowBody) lengthOf(op *tile.Op, held loop.Expr) loop.Expr {
	if !op.HasWords() {
		return held
	}
	length := e.b.Decl("length", loop.Int(0))
	few := e.fewOf(op, held)
	e.b.Assign(length, loop.ToCounter(few))
	e.b.If(e.areMany(op, few), func() {
		e.b.Assign(length, loop.ToCounter(loop.ToKind(ir.U32, e.manyOf(op, held))))
	}, nil)
	return length
}

// toldFrom returns where a word says that something begins, less so many as a place.
func (e *rowBody) toldFrom(op *tile.Op, word, place loop.Expr) loop.Expr {
	begin := e.b.Decl("told", e.lowOf(op, word))
	e.b.If(e.areMany(op, e.fewOf(op, word)), func() {
		e.b.Assign(begin, loop.ToKind(ir.U32, loop.Apply(ir.OpShr, e.manyOf(op, word), number(ir.U64, 32))))
	}, nil)
	return loop.Sub(begin, loop.ToKind(ir.U32, place))
}

// fewOf and lowOf return the high and the low bits of a word.
func (e *rowBody) fewOf(op *tile.Op, word loop.Expr) loop.Expr {
	return e.b.Let("few", loop.Apply(ir.OpShr, word, e.lowBits(op)))
}

func (e *rowBody) lowOf(op *tile.Op, word loop.Expr) loop.Expr {
	mask := loop.Sub(loop.Apply(ir.OpShl, number(ir.U32, 1), e.lowBits(op)), number(ir.U32, 1))
	return loop.Apply(ir.OpAnd, word, mask)
}

func (e *rowBody) lowBits(op *tile.Op) loop.Expr { return loop.ToKind(ir.U32, e.expr(op.Args[2])) }

// areMany returns whether the low bits are the row of what tells a word.
func (e *rowBody) areMany(op *tile.Op, few loop.Expr) loop.Expr {
	return loop.Eq(few, loop.ToKind(ir.U32, e.expr(op.Args[3])))
}

// manyOf returns what tells such a word.
func (e *rowBody) manyOf(op *tile.Op, word loop.Expr) loop.Expr {
	return loop.At(e.stream(op.Keys[1]), loop.ToCounter(e.lowOf(op, word)))
}

// markHeads marks the heads of the rows whose words a work-item has, the first of which begins at a place in the tile; begins is memory for where
// each does.
func (e *rowBody) markHeads(op *tile.Op, found *tileSources, words, begins *loop.Var, source, place loop.Expr) {
	eachWord := func(body func(j *loop.Var)) { e.b.For("j", loop.Int(0), loop.Int(lengthsTogether), body) }
	at := e.b.Decl("begins_at", place)
	eachWord(func(j *loop.Var) {
		e.b.Store(begins, j, at)
		e.b.Assign(at, loop.Add(at, e.lengthOf(op, loop.At(words, j))))
	})
	turned := e.b.Decl("turned", loop.Int(0))
	// Where tiles are smaller, most rows begin where others do.
	e.b.If(loop.Eq(e.count, loop.Int(e.kernel.rows())), func() {
		e.turn(words)
		e.b.Assign(turned, e.turn(begins))
	}, nil)
	eachWord(func(j *loop.Var) {
		of := loop.Add(source, loop.Apply(ir.OpAnd, loop.Add(j, turned), loop.Int(lengthsTogether-1)))
		e.markHead(op, found, loop.At(words, j), of, e.b.Let("begin", loop.At(begins, j)))
	})
}

// markHead marks the head of a row that begins at a place in the tile, if it has one, and returns its length.
func (e *rowBody) markHead(op *tile.Op, found *tileSources, word, source, place loop.Expr) (length loop.Expr) {
	word = e.b.Let("word", word)
	length = e.lengthOf(op, word)
	at := e.b.Let("at", loop.Greatest(place, loop.Int(0)))
	e.b.If(loop.And(loop.Lt(place, e.count), loop.Gt(length, loop.Sub(at, place))), func() {
		e.b.Store(found.shared, e.sourcePlace(at), loop.ToKind(ir.I32, loop.Add(source, loop.Int(1)))) // 0 is no head
		e.b.Store(found.told.shared, e.sourcePlace(at), e.toldFrom(op, word, place))
	}, nil)
	return length
}

// spreadHeads lets each row have what is left at its head.
func (e *rowBody) spreadHeads(i int, found *tileSources) {
	start := e.b.Let("first_place", loop.Mul(e.localID, loop.Int(int64(e.items))))
	last := e.b.Decl("last_head", loop.Int(0)) // one more than its place
	sources := e.b.Storage("own_sources", loop.ArrayOf(e.items, loop.ScalarOf(ir.I32)))
	e.eachCounter(found.shared, func(item, source loop.Expr) {
		e.b.Store(sources, item, source)
		e.b.If(loop.Ne(source, number(ir.I32, 0)), func() { e.b.Assign(last, loop.Add(loop.Add(start, item), loop.Int(1))) }, nil)
	})
	told := e.b.Storage("own_told", loop.ArrayOf(e.items, loop.ScalarOf(ir.U32)))
	e.eachCounter(found.told.shared, func(item, x loop.Expr) { e.b.Store(told, item, x) })
	st := single(e.kernel, slot{stateKey: stateKey{i, 1}, kind: ir.I32, counts: true})
	before, _ := e.blockScan(st, []loop.Expr{loop.ToKind(ir.I32, last)}, duringScan{})
	head := e.b.Let("head", loop.Greatest(loop.Sub(loop.ToCounter(before[0]), loop.Int(1)), loop.Int(0)))
	source, from := e.b.Decl("source", loop.At(found.shared, e.sourcePlace(head))), e.b.Decl("from", loop.At(found.told.shared, e.sourcePlace(head)))
	e.barrier() // before work-items have their rows
	e.b.For("item", loop.Int(0), loop.Int(int64(e.items)), func(item *loop.Var) {
		own := e.b.Let("own", loop.At(sources, item))
		e.b.If(loop.Ne(own, number(ir.I32, 0)), func() {
			e.b.Assign(source, own)
			e.b.Assign(from, loop.At(told, item))
		}, nil)
		e.b.Store(sources, item, loop.Sub(source, number(ir.I32, 1)))
		e.b.Store(told, item, from)
	})
	e.storeCounters(found.shared, sources)
	e.storeCounters(found.told.shared, told)
}

// storeCounters stores what a work-item has for as many neighbouring rows as it takes.
func (e *rowBody) storeCounters(counters, own *loop.Var) {
	start := e.b.Let("start", e.sourcePlace(loop.Mul(e.localID, loop.Int(int64(e.items)))))
	if !e.countsWide() {
		e.b.For("item", loop.Int(0), loop.Int(int64(e.items)), func(item *loop.Var) {
			e.b.Store(counters, loop.Add(start, item), loop.At(own, item))
		})
		return
	}
	e.b.For("i", loop.Int(0), loop.Int(int64(e.items/wideCounters)), func(i *loop.Var) {
		item, list := e.b.Let("item", loop.Mul(i, loop.Int(wideCounters))), make([]loop.Expr, wideCounters)
		for j := range list {
			list[j] = loop.At(own, loop.Add(item, loop.Int(int64(j))))
		}
		e.b.StoreWide(counters, loop.Add(start, item), list)
	})
}
