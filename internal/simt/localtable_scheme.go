package simt

import (
	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// tabling is the scheme of kernels whose rows combine in tables of local memory. As
// many work-groups as run at once walk over the tiles, so that few tables have to
// be combined in the end.
type tabling struct{ flat }

// maxWorkItems is how many work-items of such a kernel a compute unit is to run.
const maxWorkItems = 2048

// maxWalkers is how many work-groups there are at most, if the schedule's chunk says:
// each has a row of tables.
const maxWalkers = 1 << 14

func (t tabling) main() {
	e := t.function(t.Name)
	e.until, e.effects, e.retention = len(t.cuts), true, t.strategy
	e.begin()
	t.beginTables(e.function)
	t.eachTile(e.tileBody, func() {
		t.startTile(e)
		t.strategy.run(t.launches, e)
		e.publishReductions(t.states, e.reductions())
		t.endTile(e)
	})
	rows := t.flushTables(e.function)
	t.launchTiles(e.function, launch{workgroup: t.workgroup, grid: t.walkers(plan.Rows()), describe: t.describe})
	for _, table := range t.localTables.tables {
		if name := rows[table.op]; name != "" {
			t.foldTable(table, name)
		}
	}
}

func (t tabling) describe(v *plan.Variant) {
	v.Schedule.Scheme, v.Schedule.Table = SchemeFlat, plan.Local
	if t.target.LaunchedLocal > 0 && t.localTables.bytes+t.localTables.beside > ownBudget {
		v.LocalBytes = plan.Const(t.localTables.bytes)
	}
}

// walkers returns how many work-groups walk over the tiles of some rows: as many as
// run at once, or as the schedule's chunk says.
func (t tabling) walkers(rows plan.Expr) plan.Expr {
	if t.chunk() > 1 {
		return plan.Max(plan.Min(plan.CeilDiv(rows, plan.Const(t.rows()*int64(t.chunk()))), plan.Const(maxWalkers)), plan.Const(1))
	}
	atOnce := int64(max(maxWorkItems/t.workgroup, 1))
	if t.localTables.bytes > sharedBudget {
		atOnce = 1
	}
	tiles := plan.CeilDiv(rows, plan.Const(t.rows()))
	return plan.Max(plan.Min(tiles, plan.Mul(plan.Property("units"), plan.Const(atOnce))), plan.Const(1))
}

// eachTile walks through every so many-th tile of the launch.
func (t tabling) eachTile(e *tileBody, body func()) {
	if t.chunk() > 1 {
		e.chunk = t.chunk()
	}
	workgroup, workgroups := &loop.ID{Kind: loop.WorkgroupID}, &loop.ID{Kind: loop.WorkgroupCount}
	at := e.b.Decl("tile", loop.Add(t.rowSpan.firstTile(e.function), workgroup))
	tiles := e.b.Let("tiles", loop.Add(loop.Div(loop.Sub(e.arguments.rows, loop.Int(1)), loop.Int(e.kernel.rows())), loop.Int(1)))
	e.b.While(loop.Lt(at, tiles), func() {
		e.tile = at
		body()
		e.b.Assign(at, loop.Add(at, workgroups))
	})
}

// beginTables declares the tables and stores the identity in each element.
func (t tabling) beginTables(e *function) {
	p := t.localTables
	p.words, p.unread = map[ir.Kind]*loop.Var{}, map[int]*lateLength{}
	p.words[ir.U32] = e.localArray(arenaName, ir.U32, int(p.bytes/4))
	for _, table := range p.tables {
		if copied, _ := table.form.words(); copied == 2 {
			p.words[ir.U64] = e.arenaView(p.words[ir.U32], ir.U64)
		}
		if !table.isKnown {
			p.unread[table.op] = t.readLength(e, table)
		}
	}
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
func (t tabling) readLength(e *function, table *localTable) *lateLength {
	stream := e.Ops[table.op].Stream
	length := t.bufferLength(e.Streams[stream].Buffer)
	for _, other := range t.localTables.tables { // a table of the same bins and as much memory
		if late := t.localTables.unread[other.op]; late != nil && other.elements == table.elements && (other.cache == nil) == (table.cache == nil) && late.length.String() == length.String() {
			return late
		}
	}
	bins, capacity := e.b.Let("bins", e.elementsOf(stream)), loop.ConstOf(ir.Int(ir.I64, table.elements))
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
func (t tabling) flushTables(e *function) (rows map[int]string) {
	e.b.Barrier(loop.WorkgroupScope)
	rows = map[int]string{}
	for _, table := range t.localTables.tables {
		flush := func() { t.flushWhole(e, table, rows) }
		switch late := t.localTables.unread[table.op]; {
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
func (t tabling) flushWhole(e *function, table *localTable, rows map[int]string) {
	op := &t.Ops[table.op]
	stream := t.Streams[op.Stream]
	if t.target.Atomics64 {
		e.eachElement(table, func(v elementView) {
			x := v.b.Let("x", table.form.value(v))
			e.unlessIdentity(op.Monoid.Identity[0], x, func() { e.updateGlobal(op, v.bin, x) })
		})
		return
	}
	rows[table.op] = t.fresh(stream.Name + "_rows")
	t.addBuffer(plan.Buffer{Name: rows[table.op], Kind: plan.Kind(stream.Kind.String()), Role: plan.Temporary,
		Length: plan.Mul(t.walkers(t.rowSpan.most(t.launches)), plan.Const(table.elements))})
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
func (t tabling) foldTable(table *localTable, rows string) {
	op := &t.Ops[table.op]
	stream := t.Streams[op.Stream]
	e := t.function(t.Name + "_" + stream.Name)
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
		bins := e.b.Let("bins", e.elementsOf(op.Stream))
		fits := loop.Le(bins, loop.ConstOf(ir.Int(ir.I64, table.elements)))
		elements = e.b.Let("elements", loop.Choose(fits, loop.ToCounter(bins), loop.Int(0)))
	}
	isElement := loop.Lt(bin, elements)
	memory := e.arguments.buffer(rows, stream.Kind, plan.Reads)
	tables := loop.ToCounter(e.arguments.value("tables", t.walkers(t.rowSpan.rows(t.launches))))
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
		bins = plan.Min(t.bufferLength(stream.Buffer), bins)
	}
	t.followLaunch(e.function, launch{foldWorkgroup, plan.CeilDiv(plan.Rows(), plan.Const(foldLanes)), plan.ForwardNone, func(v *plan.Variant) {
		v.Schedule = plan.Schedule{Workgroup: foldWorkgroup, Scheme: SchemeFlat}
	}, func(kernel string, _ plan.Schedule) plan.Step {
		return plan.Step{Launch: &plan.Launch{Kernel: kernel, Rows: bins}}
	}})
}
