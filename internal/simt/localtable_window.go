package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Rows that lie in the order of the high bits of their index need little of a large table at a
// time. A work-group takes consecutive tiles, and has a window of the table in local memory: the
// elements whose index has the high bits of that of the tile's first row. When another tile has
// others, the window is combined with global memory, and begins anew there. Rows outside, of a tile
// in which the high bits change, combine in global memory.

// window is the elements of tables at one index that lie in local memory at a time.
type window struct {
	index    tile.ID
	elements int64     // a power of two
	first    *loop.Var // of the function at hand: the first of them
}

// windowOf returns the window of the table of an operation, or nil.
func (l *lowering) windowOf(t *tile.Kernel, op *tile.Op) *window {
	if op.WindowBits == 0 || op.Domain != 0 || l.schedule.Part > 0 || !l.target.Atomics64 || !t.Recomputable(op.Args[0]) {
		return nil
	}
	return &window{index: op.Args[0], elements: 1 << op.WindowBits}
}

// shareWindows gives tables at one index one window.
func (p *localTables) shareWindows() {
	p.windows = nil
	for _, t := range p.tables {
		if t.window == nil {
			continue
		}
		at := slices.IndexFunc(p.windows, func(w *window) bool { return *w == *t.window })
		if at < 0 {
			at = len(p.windows)
			p.windows = append(p.windows, t.window)
		}
		t.window = p.windows[at]
	}
}

// hasWindows reports whether work-groups have windows of tables.
func (w walking) hasWindows() bool { return w.localTables != nil && len(w.localTables.windows) > 0 }

// declareWindows declares where windows are.
func (p *localTables) declareWindows(e *function) {
	for _, of := range p.windows {
		of.first = e.b.Decl("window", loop.Int(0))
	}
}

// moveWindows moves the windows to where the first row of the tile is. All work-items go the same
// way.
func (w walking) moveWindows(e *rowBody) {
	if !w.hasWindows() {
		return
	}
	for _, of := range w.localTables.windows {
		bin := e.at(of.index, e.first)
		outside := number(bin.Type().Kind, of.elements-1)
		first := e.b.Let("first", loop.ToCounter(loop.Sub(bin, loop.Apply(ir.OpAnd, bin, outside))))
		e.b.If(loop.Ne(first, of.first), func() {
			e.b.Barrier(loop.WorkgroupScope)
			w.eachWindowed(of, e.flushWindow)
			e.b.Barrier(loop.WorkgroupScope)
			w.eachWindowed(of, func(t *localTable) { e.eachElement(t, func(v elementView) { t.form.begin(v) }) })
			e.b.Barrier(loop.WorkgroupScope)
			e.b.Assign(of.first, first)
		}, nil)
	}
}

// eachWindowed calls body for the tables of a window.
func (w walking) eachWindowed(of *window, body func(t *localTable)) {
	for _, t := range w.localTables.tables {
		if t.window == of {
			body(t)
		}
	}
}

// flushWindow combines the window of a table with global memory.
func (e *function) flushWindow(t *localTable) {
	op := &e.Ops[t.op]
	e.eachElement(t, func(v elementView) {
		x := v.b.Let("x", t.form.value(v))
		e.unlessIdentity(op.Monoid.Identity[0], x, func() {
			at := e.b.Let("at", loop.Add(t.window.first, v.bin))
			e.b.If(e.inTable(op, at), func() { e.updateGlobal(op, at, x) }, nil)
		})
	})
}

// combineInWindow combines x in the window of a table, if the element is there, else by otherwise.
func (e *function) combineInWindow(t *localTable, bin, x loop.Expr, otherwise func()) {
	at := e.b.Let("in_window", loop.Sub(bin, t.window.first))
	isInside := loop.And(loop.Ge(at, loop.Int(0)), loop.Lt(at, loop.Int(t.window.elements)))
	e.b.If(isInside, func() { t.form.combine(e.tableElement(t, at), x) }, otherwise)
}
