package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// Rows that have been partitioned by the slots of a limited table have few groups wherever one
// looks. So a work-group takes consecutive tiles, and what it remembers changes with the part
// of the rows that it is in. When another part has begun, or most of its places are taken, the elements
// beside them are combined with those of the slots, and all is forgotten: keys of a part that is over take
// places in which others are looked for first.

// partitions reports whether what a work-group remembers changes from part to part.
func (w walking) partitions() bool { return len(w.partitioned()) > 0 }

// partitioned lists the limited tables of partitioned rows by whose slots rows combine.
func (w walking) partitioned() (list []*entered) {
	if w.localTables == nil {
		return nil
	}
	for _, of := range w.localTables.entered {
		if w.Ops[of.op].PartBits > 0 {
			list = append(list, of)
		}
	}
	return list
}

// mostTaken is how many places are taken before all is forgotten.
func (m *memory) mostTaken() int64 { return m.remembered / 4 * 3 }

// taken is the word that counts the places that are taken.
func (m *memory) taken() loop.Expr { return loop.Add(m.flag(), loop.Int(1)) }

// last is the word that has the part of the last row of the tile before, and lastBefore that which it had when the
// work-group last found out.
func (m *memory) last() loop.Expr       { return loop.Add(m.flag(), loop.Int(2)) }
func (m *memory) lastBefore() loop.Expr { return loop.Add(m.flag(), loop.Int(3)) }

// beginParts begins in the first part.
func (e *function) beginParts(m *memory) {
	e.b.If(loop.Eq(e.localID, loop.Int(0)), func() {
		e.b.Store(m.words, m.last(), number(m.words.T.Kind, 0))
		e.b.Store(m.words, m.lastBefore(), number(m.words.T.Kind, 0))
	}, nil)
}

// notePart leaves word of the part of a tile's last row, which is row i of the last work-item: the first of its slots.
func (e *rowBody) notePart(of *entered, s *entry, i loop.Expr, few int) {
	bits := e.Ops[of.op].PartBits
	isLast := loop.And(loop.Eq(i, loop.Int(int64(few-1))), loop.Eq(e.localID, loop.Int(int64(e.workgroup-1))))
	e.b.If(isLast, func() {
		part := loop.Apply(ir.OpAnd, s.home, loop.Sub(loop.ConstOf(ir.Int(ir.I64, 0)), loop.Apply(ir.OpShr, s.table.Slots, loop.ConstOf(ir.Int(ir.I64, int64(bits))))))
		e.b.Store(s.memory.words, s.memory.last(), loop.ToKind(s.memory.words.T.Kind, part))
	}, nil)
}

// countTaken counts a place that is taken.
func (e *function) countTaken(m *memory) {
	e.b.Atomic(loop.AtomicAdd, m.words, m.taken(), number(m.words.T.Kind, 1))
}

// tilesOfPart is after how many tiles a work-group finds out again in which part it is: its work-items wait for each
// other then, and no loads overlap.
const tilesOfPart = 4

// startPart finds out, at the start of some tiles, whether rows are left out, and forgets what is
// remembered if that is much, or of another part. All work-items of the work-group go the same way.
func (w walking) startPart(e *rowBody) {
	list := w.partitioned()
	isTime := loop.Eq(loop.Apply(ir.OpAnd, e.tile, loop.Int(tilesOfPart-1)), loop.Int(0))
	e.b.If(isTime, func() {
		for _, of := range list {
			e.tellLeftOut(marksLeftOut(e.limitedTable(&e.Ops[of.op])), e.memoryOf(of.op))
		}
		e.b.Barrier(loop.WorkgroupScope)
		var ends, last []loop.Expr
		for _, of := range list {
			m := e.memoryOf(of.op)
			word := func(at loop.Expr) loop.Expr { return loop.At(m.words, at) } // equal for all, between the barriers
			e.b.Assign(e.isLeftOut[of.op].(*loop.Var), loop.Eq(word(m.flag()), leftOut(m.words)))
			isFull := loop.Gt(word(m.taken()), number(m.words.T.Kind, m.mostTaken()))
			last = append(last, e.b.Let("last", word(m.last())))
			ends = append(ends, e.b.Let("ends", loop.Or(isFull, loop.Ne(last[len(last)-1], word(m.lastBefore())))))
		}
		e.b.Barrier(loop.WorkgroupScope)
		for i, of := range list {
			m := e.memoryOf(of.op)
			e.b.If(loop.Eq(e.localID, loop.Int(0)), func() { e.b.Store(m.words, m.lastBefore(), last[i]) }, nil)
			e.b.If(ends[i], func() { w.forget(e.function, of) }, nil)
		}
	}, nil)
	if w.OnlyEnters() {
		for _, of := range list {
			e.b.If(e.isLeftOut[of.op], func() { e.b.Break() }, nil)
		}
	}
}

// forget combines what lies beside remembered keys with the slots, and begins anew.
func (w walking) forget(e *function, of *entered) {
	for _, table := range w.localTables.tables {
		if table.entered == of {
			e.flushEntered(table)
		}
	}
	e.b.Barrier(loop.WorkgroupScope)
	for _, table := range w.localTables.tables {
		if table.entered == of {
			e.eachElement(table, func(v elementView) { table.form.begin(v) })
		}
	}
	e.beginMemory(e.memoryOf(of.op))
	e.b.Barrier(loop.WorkgroupScope)
}

// eachOwnTile walks through consecutive tiles, as many as other work-groups have.
func (w walking) eachOwnTile(e *tileBody, body func()) {
	workgroup, workgroups := w.walker()
	tiles := e.b.Let("tiles", loop.Add(loop.Div(loop.Sub(e.arguments.rows, loop.Int(1)), loop.Int(e.kernel.rows())), loop.Int(1)))
	own := e.b.Let("own", loop.Div(loop.Sub(loop.Add(tiles, workgroups), loop.Int(1)), workgroups))
	at := e.b.Decl("tile", loop.Mul(workgroup, own))
	end := e.b.Let("end", loop.Apply(ir.OpLeast, loop.Add(at, own), tiles))
	e.b.While(loop.Lt(at, end), func() {
		e.tile = at
		body()
		e.b.Assign(at, loop.Add(at, loop.Int(1)))
	})
}
