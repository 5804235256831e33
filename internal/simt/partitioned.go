package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// Rows that have been partitioned by the slots of a limited table have few groups wherever one
// looks. So a work-group takes consecutive tiles, and what it remembers changes with the part
// of the rows that it is in. When most of its places are taken, the elements beside them are
// combined with those of the slots, and all is forgotten.

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
func (m *memory) mostTaken() int64 { return m.places / 4 * 3 }

// taken is the place of the word that counts the places that are taken.
func (m *memory) taken() loop.Expr { return loop.Int(m.places + 2) }

// countTaken counts a place that is taken.
func (e *function) countTaken(m *memory) {
	e.b.Atomic(loop.AtomicAdd, m.words, m.place(m.taken()), number(m.words.T.Kind, 1))
}

// startPart finds out, at the start of a tile, whether rows are left out, and forgets what is
// remembered if that is much. All work-items of the work-group go the same way.
func (w walking) startPart(e *rowBody) {
	for _, of := range w.partitioned() {
		e.tellLeftOut(marksLeftOut(e.limitedTable(&e.Ops[of.op])), e.memoryOf(of.op))
	}
	e.b.Barrier(loop.WorkgroupScope)
	var isFull []loop.Expr
	for _, of := range w.partitioned() {
		memory := e.memoryOf(of.op)
		word := func(place loop.Expr) loop.Expr { return loop.At(memory.words, memory.place(place)) } // equal for all, between the barriers
		e.isLeftOut[of.op] = e.b.Let("is_left_out", loop.Eq(word(memory.flag()), leftOut(memory.words)))
		isFull = append(isFull, e.b.Let("is_full", loop.Gt(word(memory.taken()), number(memory.words.T.Kind, memory.mostTaken()))))
	}
	e.b.Barrier(loop.WorkgroupScope)
	for i, of := range w.partitioned() {
		if w.OnlyEnters() {
			e.b.If(e.isLeftOut[of.op], func() { e.b.Break() }, nil)
		}
		e.b.If(isFull[i], func() { w.forget(e.function, of) }, nil)
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
