package simt

import (
	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// beginTables declares the tables and stores the identity in each element.
func (w walking) beginTables(e *function) {
	p := w.localTables
	e.tabled = true
	p.words, p.unread = map[ir.Kind]*loop.Var{}, map[int]*lateLength{}
	if p.bytes > 0 {
		p.words[ir.U32] = e.localArray(p.name(), ir.U32, int(p.bytes/4))
	}
	if p.hasWide(func(t *localTable) bool { return e.own == nil || t.entered == nil }) {
		p.words[ir.U64] = e.arenaView(p.words[ir.U32], ir.U64)
	}
	for _, table := range p.tables {
		if !table.isKnown && table.entered == nil && table.window == nil {
			p.unread[table.op] = w.readLength(e, table)
		}
	}
	p.declareWindows(e)
	for _, table := range p.tables {
		e.eachElement(table, func(v elementView) { table.form.begin(v) })
	}
	e.beginCaches()
	e.b.Barrier(loop.WorkgroupScope)
}

// lateLength is what a work-group finds out about a table whose length was not known
// when the plan was made.
type lateLength struct {
	table    *localTable
	length   plan.Expr
	isWhole  loop.Expr // whether the whole table lies in local memory; true if there is no cache
	elements loop.Expr // those in local memory
	copies   loop.Expr
}

// readLength finds out how much of a table lies in local memory.
func (w walking) readLength(e *function, table *localTable) *lateLength {
	op := &e.Ops[table.op]
	length := w.tableLength(e.Kernel, op)
	for _, other := range w.localTables.tables { // a table of the same bins and as much memory
		if late := w.localTables.unread[other.op]; late != nil && other.elements == table.elements && (other.cache == nil) == (table.cache == nil) && late.length.String() == length.String() {
			return late
		}
	}
	bins, capacity := e.b.Let("bins", e.tableElements(op)), loop.ConstOf(ir.Int(ir.I64, table.elements))
	late := &lateLength{table: table, length: length, isWhole: loop.True}
	if table.cache != nil {
		late.isWhole = e.b.Let("whole", loop.Le(bins, capacity))
	}
	late.elements = e.b.Let("elements", loop.Choose(late.isWhole, loop.ToCounter(bins), loop.Int(table.elements)))
	copies := e.b.Decl("copies", loop.Int(1))
	twice := loop.Mul(bins, loop.ToKind(ir.I64, loop.Mul(copies, loop.Int(2))))
	e.b.While(loop.And(late.isWhole, loop.And(loop.Lt(copies, loop.Int(maxCopies)), loop.Le(twice, capacity))), func() {
		e.b.Assign(copies, loop.Mul(copies, loop.Int(2)))
	})
	late.copies = copies
	return late
}

// elementOf returns an element of local memory.
func (e *function) elementOf(table *localTable, bin, copies loop.Expr) elementView {
	return elementView{e, table, bin, copies, loop.Apply(ir.OpAnd, e.localID, loop.Sub(copies, loop.Int(1)))}
}

// tableElement is elementOf with the copies that the table has.
func (e *function) tableElement(table *localTable, bin loop.Expr) elementView {
	if late := e.localTables.unread[table.op]; late != nil {
		return e.elementOf(table, bin, late.copies)
	}
	return e.elementOf(table, bin, loop.Int(table.copies))
}

// eachElement calls body for the elements that the work-item begins and delivers.
func (e *function) eachElement(table *localTable, body func(v elementView)) {
	elements := loop.Expr(loop.Int(table.elements))
	if late := e.localTables.unread[table.op]; late != nil {
		elements = late.elements
	}
	e.eachPlace(elements, func(at loop.Expr) { body(e.tableElement(table, at)) })
}

// eachPlace deals places below n to the work-items.
func (e *function) eachPlace(n loop.Expr, body func(at loop.Expr)) {
	at := e.b.Decl("bin", e.localID)
	e.b.While(loop.Lt(at, n), func() {
		body(at)
		e.b.Assign(at, loop.Add(at, loop.Int(int64(e.workgroup))))
	})
}

// combineLocally combines x into an element of a table in local memory, if the
// element is there, else by otherwise.
func (e *function) combineLocally(table *localTable, bin, x loop.Expr, otherwise func()) {
	whole := func() { table.form.combine(e.tableElement(table, bin), x) }
	cached := func() {
		slot := table.cache.slot
		e.b.If(loop.Ge(slot, loop.Int(0)), func() { table.form.combine(e.cachedElement(table, slot), x) }, otherwise)
	}
	switch late := e.localTables.unread[table.op]; {
	case table.window != nil:
		e.combineInWindow(table, bin, x, otherwise)
	case table.cache == nil:
		whole()
	case late != nil:
		e.b.If(late.isWhole, whole, cached)
	default:
		cached()
	}
}

// flushTables combines the work-group's tables with those in global memory or, on
// devices that may lack the atomic operations, stores them in rows for foldTables.
func (w walking) flushTables(e *function) (rows map[int]string) {
	e.b.Barrier(loop.WorkgroupScope)
	rows = map[int]string{}
	for _, table := range w.localTables.tables {
		flush := func() { w.flushWhole(e, table, rows) }
		switch late := w.localTables.unread[table.op]; {
		case table.entered != nil:
			e.flushEntered(table)
		case table.window != nil:
			e.flushWindow(table)
		case table.cache == nil:
			flush()
		case late != nil:
			e.b.If(late.isWhole, flush, func() { e.flushCache(table) })
		default:
			e.flushCache(table)
		}
	}
	return rows
}

// flushWhole flushes a table that lies in local memory as a whole.
func (w walking) flushWhole(e *function, table *localTable, rows map[int]string) {
	op := &w.Ops[table.op]
	stream := w.Streams[op.Stream]
	if w.target.Atomics64 || w.localTables.perTile { // whose rows would take them themselves
		e.eachElement(table, func(v elementView) {
			x := v.b.Let("x", table.form.value(v))
			e.unlessIdentity(op.Monoid.Identity[0], x, func() { e.updateGlobal(op, v.bin, x) })
		})
		return
	}
	rows[table.op] = w.fresh(stream.Name + "_rows")
	w.addBuffer(plan.Buffer{Name: rows[table.op], Kind: plan.Kind(stream.Kind.String()), Role: plan.Temporary,
		Length: plan.Mul(w.walkers(w.rowSpan.most(w.launches)), plan.Const(table.elements))})
	memory := e.arguments.buffer(rows[table.op], stream.Kind, plan.Writes)
	e.eachElement(table, func(v elementView) {
		at := loop.Add(loop.Mul(&loop.ID{Kind: loop.WorkgroupID}, loop.Int(table.elements)), v.bin)
		e.b.Store(memory, at, table.form.value(v))
	})
}

// unlessIdentity runs body unless x is an integer that changes nothing.
func (e *function) unlessIdentity(identity ir.Scalar, x loop.Expr, body func()) {
	if !x.Type().Kind.IsInteger() {
		body()
		return
	}
	e.b.If(loop.Ne(x, loop.ConstOf(identity)), body, nil)
}

// foldWorkgroup is the size of work-groups that fold tables, and foldLanes how many
// of their work-items take one table at neighbouring elements; the others take other
// tables.
const foldWorkgroup, foldLanes = 256, 32

// foldTable adds the launch that combines the rows of flushTables with the table in
// global memory.
func (w walking) foldTable(table *localTable, rows string) {
	op := &w.Ops[table.op]
	stream := w.Streams[op.Stream]
	e := w.function(w.Name + "_" + stream.Name)
	e.localID = e.b.Let("local_id", &loop.ID{Kind: loop.LocalID})
	lane := e.b.Let("lane", loop.Apply(ir.OpAnd, e.localID, loop.Int(foldLanes-1)))
	slice := e.b.Let("slice", loop.Div(e.localID, loop.Int(foldLanes)))
	bin := e.b.Let("bin", loop.Add(loop.Mul(&loop.ID{Kind: loop.WorkgroupID}, loop.Int(foldLanes)), lane))
	combine := func(all *loop.Var, x loop.Expr) {
		next := e.b.Let("x", x)
		e.b.Assign(all, backends.Combine(op.Monoid.Combine[0], func(int) loop.Expr { return all }, func(int) loop.Expr { return next }))
	}
	all := e.b.Decl("all", loop.ConstOf(op.Monoid.Identity[0]))
	elements := loop.Expr(loop.Int(table.elements))
	if !table.isKnown {
		bins := e.b.Let("bins", e.tableElements(op))
		fits := loop.Le(bins, loop.ConstOf(ir.Int(ir.I64, table.elements)))
		elements = e.b.Let("elements", loop.Choose(fits, loop.ToCounter(bins), loop.Int(0)))
	}
	isElement := loop.Lt(bin, elements)
	memory := e.arguments.buffer(rows, stream.Kind, plan.Reads)
	tables := loop.ToCounter(e.arguments.value("tables", w.walkers(w.rowSpan.rows(w.launches))))
	e.b.If(isElement, func() {
		at := e.b.Decl("table", slice)
		e.b.While(loop.Lt(at, tables), func() {
			combine(all, loop.At(memory, loop.Add(loop.Mul(at, loop.Int(table.elements)), bin)))
			e.b.Assign(at, loop.Add(at, loop.Int(foldWorkgroup/foldLanes)))
		})
	}, nil)
	word := wordOf(stream.Kind)
	shared := e.localArray("slices", word, foldWorkgroup)
	e.b.Store(shared, e.localID, toWord(word, all))
	e.b.Barrier(loop.WorkgroupScope)
	e.b.If(loop.And(loop.Eq(slice, loop.Int(0)), isElement), func() {
		e.b.For("slice", loop.Int(1), loop.Int(foldWorkgroup/foldLanes), func(i *loop.Var) {
			combine(all, fromWord(stream.Kind, loop.At(shared, loop.Add(loop.Mul(i, loop.Int(foldLanes)), lane))))
		})
		out := e.stream(op.Stream)
		combine(all, loop.At(out, bin))
		e.b.Store(out, bin, all)
	}, nil)
	bins := plan.Const(table.elements)
	if !table.isKnown {
		bins = plan.Min(w.tableLength(w.Kernel, op), bins)
	}
	w.followLaunch(e.function, launch{workgroup: foldWorkgroup, grid: plan.CeilDiv(plan.Rows(), plan.Const(foldLanes)), describe: func(v *plan.Variant) {
		v.Schedule = plan.Schedule{Workgroup: foldWorkgroup, Scheme: SchemeFlat}
	}, step: func(kernel string, _ plan.Schedule) plan.Step {
		return plan.Step{Launch: &plan.Launch{Kernel: kernel, Rows: bins}}
	}})
}
