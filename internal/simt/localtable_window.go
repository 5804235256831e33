package simt

import (
	"math/bits"
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
//
// A window that is too large for local memory has slices. So many work-groups, neighbours by their
// numbers, take the same tiles, and each has one slice: it combines the rows of that, and leaves
// others alone. So all but one of them find the rows in the second-level cache. A table of counts
// in any order that is twice as large as local memory is a window of two slices that never moves.

// window is the elements of tables at one index that lie in local memory at a time, or of which
// each of several work-groups has a slice there.
type window struct {
	index    tile.ID
	elements int64     // a power of two
	isFixed  bool      // it is the whole table
	first    *loop.Var // of the function at hand: the first of them, or of the slice
}

// Most slices of a window that moves, and of one that does not: where all rows are of one slice,
// the work-groups of others only read.
const maxSlices, maxFixedSlices = 8, 2

// windowOf returns the window of the table of an operation, or nil.
func (l *lowering) windowOf(t *tile.Kernel, op *tile.Op) *window {
	if op.WindowBits == 0 || op.Domain != 0 || l.schedule.Part > 0 || !t.Recomputable(op.Args[0]) {
		return nil
	}
	return &window{index: op.Args[0], elements: 1 << op.WindowBits}
}

// slice cuts the windows of all tables in slices that fit the largest budget, if as a whole these
// do not, and reports whether it has. Work-groups then read rows several times, so these must leave
// nothing but tables.
func (p *localTables) slice(l *lowering, k *tile.Kernel, all []*localTable, budget, copiesOfCounts int64) bool {
	if len(p.tables) == len(all) && p.has()[0] == int64(len(all)) || len(p.entered) > 0 || len(all) == 0 || !l.leavesTables(k, all) {
		return false
	}
	most, index, fixed := int64(maxSlices), k.Ops[all[0].op].Args[0], make([]*window, len(all))
	for i, t := range all {
		op := &k.Ops[t.op]
		switch {
		case op.Args[0] != index || op.Domain != 0:
			return false
		case t.window != nil:
		case l.target.LaunchedLocal > 0 && t.isKnown && t.form.isCount():
			fixed[i] = &window{index: index, elements: powerOfTwo(t.length), isFixed: true}
			most = maxFixedSlices
		default:
			return false
		}
	}
	for i, t := range all {
		if fixed[i] != nil {
			t.window = fixed[i]
		}
	}
	for p.slices = 2; p.slices <= most; p.slices *= 2 {
		if p.choose(k, all, budget, copiesOfCounts); len(p.tables) == len(all) {
			return true
		}
	}
	p.slices = 1
	for i, t := range all {
		if fixed[i] != nil {
			t.window = nil
		}
	}
	return false
}

// leavesTables reports whether rows leave nothing but these tables and failed checks.
func (l *lowering) leavesTables(k *tile.Kernel, all []*localTable) bool {
	if l.suffix != "" || l.schedule.Part > 0 {
		return false
	}
	updates := 0
	for _, t := range all {
		updates += 1 + len(t.others)
	}
	return !k.Has(func(op *tile.Op) bool {
		if isTableUpdate(op) {
			updates--
			return false
		}
		return op.IsReduction() || !op.Epilogue && op.HasEffect() && op.Kind != tile.Check
	}) && updates == 0
}

// powerOfTwo returns the least one that is not below n.
func powerOfTwo(n int64) int64 { return 1 << bits.Len64(uint64(n-1)) }

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

// declareWindows declares where windows are, or the work-group's slices of them.
func (p *localTables) declareWindows(e *function) {
	for _, of := range p.windows {
		of.first = e.b.Decl("window", loop.Mul(p.sliceOf(), loop.Int(of.elements/p.slices)))
	}
}

// sliceOf returns which slice of windows the work-group has.
func (p *localTables) sliceOf() loop.Expr {
	if p.slices == 1 {
		return loop.Int(0)
	}
	return loop.Apply(ir.OpAnd, &loop.ID{Kind: loop.WorkgroupID}, loop.Int(p.slices-1))
}

// movesWindows reports whether any window moves.
func (w walking) movesWindows() bool {
	return w.hasWindows() && slices.ContainsFunc(w.localTables.windows, func(of *window) bool { return !of.isFixed })
}

// moveWindows moves the windows to where the first row of the tile is. All work-items go the same
// way.
func (w walking) moveWindows(e *rowBody) {
	if !w.movesWindows() {
		return
	}
	p := w.localTables
	for _, of := range p.windows {
		bin := e.at(of.index, e.first)
		outside := number(bin.Type().Kind, of.elements-1)
		first := e.b.Let("first", loop.Add(loop.ToCounter(loop.Sub(bin, loop.Apply(ir.OpAnd, bin, outside))), loop.Mul(p.sliceOf(), loop.Int(of.elements/p.slices))))
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

// combineInWindow combines x in the window of a table, or in the work-group's slice of it, if the
// element is there. Another work-group has other slices; elements outside are combined by otherwise.
func (e *function) combineInWindow(t *localTable, bin, x loop.Expr, otherwise func()) {
	p, of := e.localTables, t.window
	at := e.b.Let("in_window", loop.Sub(bin, of.first))
	isIn := func(at loop.Expr, elements int64) loop.Expr {
		return loop.And(loop.Ge(at, loop.Int(0)), loop.Lt(at, loop.Int(elements)))
	}
	e.b.If(isIn(at, t.elements), func() { t.form.combine(e.tableElement(t, at), x) }, func() {
		switch {
		case of.isFixed:
		case p.slices == 1:
			otherwise()
		default: // the first work-group takes what no slice has
			isOutside := loop.Not(isIn(at, of.elements))
			e.b.If(loop.And(loop.Eq(p.sliceOf(), loop.Int(0)), isOutside), otherwise, nil)
		}
	})
}
