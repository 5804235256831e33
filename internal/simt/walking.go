package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/plan"
)

// walking is the scheme of kernels whose rows may be taken in any order and leave
// nothing but folds and tables. As many work-groups as run at once walk over the
// tiles, so that few folds and tables have to be combined in the end.
type walking struct{ flat }

// maxWorkItems is how many work-items of such a kernel a compute unit is to run.
const maxWorkItems = 2048

// maxWalkers is how many work-groups there are at most, if the schedule's chunk says:
// each has a row of tables.
const maxWalkers = 1 << 14

// keepsFolds reports whether work-items can keep the folds of their rows from tile to
// tile. In parts, the folds of tiles are combined after the last part.
func (l *lowering) keepsFolds(t *tile.Kernel) bool {
	return l.schedule.Part == 0 && t.Has((*tile.Op).IsReduction) && l.hasTablesOnly(t) && !t.Has(leavesMore)
}

// foldsByTile reports whether each tile leaves a fold of its rows, which may be taken in any
// order, because they leave more, too. Work-groups that walked over the rows would overlap
// fewer accesses to memory: where columns of 4 bytes are stored beside a sum, it took 1.10
// to 1.16 times as long on an H100.
func (l *lowering) foldsByTile(t *tile.Kernel) bool {
	return t.Has((*tile.Op).IsReduction) && l.hasTablesOnly(t) && !l.keepsFolds(t)
}

// walks reports whether work-groups walk over the tiles.
func (s shape) walks() bool {
	return s.claims || s.localTables != nil && !s.localTables.perTile || s.keeps || s.remembered > 0
}

// leavesMore reports whether rows leave anything but folds, tables and failed checks.
func leavesMore(op *tile.Op) bool {
	return !op.Epilogue && op.HasEffect() && !op.IsReduction() && !isTableUpdate(op) && !op.IsLimited() && op.Kind != tile.Check && !isClaim(op) && op.Room == 0
}

func (w walking) prepare() {
	if w.keeps {
		w.folds, w.folded = w.walkers(w.rowSpan.most(w.launches)), w.walkers(w.rowSpan.rows(w.launches))
		if near := w.nearTables(); near != nil {
			far := w.areFar(near)
			w.folded = plan.Add(plan.Mul(far, w.folded), plan.Mul(plan.Sub(plan.Const(1), far), w.withNear(near).walkers(w.rowSpan.rows(w.launches))))
		}
	}
	w.flat.prepare()
}

// main launches the kernel. Where the plan knows how many keys a sample has, it launches that with the places for as many.
func (w walking) main() {
	fitted := w.fitted()
	if i := slices.IndexFunc(fitted, func(in fittedPlaces) bool { return in.name == w.schedule.Places }); i >= 0 {
		w.with(fitted[i].places).walk(w.Name)
		return
	}
	w.walk(w.Name)
	if near := w.nearTables(); near != nil {
		w.launchNear(near)
	}
	if w.schedule.Places == "" {
		for _, in := range fitted {
			w.inStead(in)
		}
	}
}

// walk writes and launches the function that walks over the rows.
func (w walking) walk(name string) {
	e := w.function(name)
	e.until, e.effects, e.retention = w.lastPhase(), true, w.strategy
	e.begin()
	if w.ownBytes > 0 {
		w.declareOwn(e.function)
	}
	if w.localTables != nil {
		w.beginTables(e.function)
	}
	if w.remembered > 0 {
		e.beginRemembered()
	}
	if w.listed > 0 {
		e.beginList()
	}
	if w.kernel.near != nil {
		e.copyNear()
	}
	if w.keeps {
		e.declareReductions()
	}
	eachTile, start := w.eachTile, w.pollLimited
	if w.partitions() {
		eachTile, start = w.eachOwnTile, w.startPart
		for _, of := range w.partitioned() {
			e.isLeftOut[of.op] = e.b.Decl("is_left_out", loop.False)
		}
	}
	if w.movesWindows() || w.isSerial && w.schedule.Part == 0 && w.chunk() == 1 {
		eachTile = w.eachOwnTile
	}
	eachTile(e.tileBody, func() {
		start(e)
		w.startTile(e)
		w.moveWindows(e)
		w.strategy.run(w.launches, e)
		if !w.keeps {
			e.publishReductions(w.states, e.reductions())
		}
		w.endTile(e)
	})
	if w.claims {
		w.endLastWorkgroup(e)
	}
	if w.keeps {
		e.tile = &loop.ID{Kind: loop.WorkgroupID}
		e.publishReductions(w.states, e.reductions())
	}
	var rows map[int]string
	if w.localTables != nil {
		rows = w.flushTables(e.function)
	}
	w.launchTiles(e.function, launch{workgroup: w.workgroup, grid: w.walkers(plan.Rows()), describe: w.describe})
	if w.localTables == nil {
		return
	}
	for _, table := range w.localTables.tables {
		if name := rows[table.op]; name != "" {
			w.foldTable(table, name)
		}
	}
}

func (w walking) describe(v *plan.Variant) {
	v.Schedule.Scheme = SchemeFlat
	if w.kernel.near != nil {
		v.LocalBytes = plan.Const(w.nearBytes(w.kernel.near))
	}
	if w.remembered == rememberedLaunched && w.localTables == nil && w.ownBytes == 0 {
		v.LocalBytes = plan.Const(w.rememberedBytes(w.lowering, w.Kernel))
	}
	if w.localTables == nil || w.localTables.bytes == 0 {
		return
	}
	v.Schedule.Table = plan.Local
	if i := slices.IndexFunc(fittedTo, func(in fittedPlaces) bool { return in.bucket == w.bucket && in.copies == w.copies }); i >= 0 {
		v.Schedule.Places = fittedTo[i].name
	}
	if w.target.LaunchedLocal > 0 && w.localTables.bytes+w.localTables.beside > ownBudget {
		v.LocalBytes = plan.Const(w.localTables.bytes)
	}
}

// pollLimited finds out whether rows are left out.
func (w walking) pollLimited(e *rowBody) {
	e.pollLimited()
	if w.OnlyEnters() {
		for i := range w.With((*tile.Op).IsLimited) {
			e.b.If(e.hasLeftOut(i), func() { e.b.Break() }, nil)
		}
	}
}

// walkers returns how many work-groups walk over the tiles of some rows: as many as
// run at once, or as the schedule's chunk says.
func (w walking) walkers(rows plan.Expr) plan.Expr {
	if w.ownBytes > 0 {
		return plan.Max(plan.Min(w.manyWalkers(rows), plan.Const(ownBytes/w.ownBytes)), plan.Const(1))
	}
	return w.manyWalkers(rows)
}

// manyWalkers is walkers without a limit of memory.
func (w walking) manyWalkers(rows plan.Expr) plan.Expr {
	slices := w.slices()
	if w.chunk() > 1 {
		walkers := plan.Max(plan.Min(plan.CeilDiv(rows, plan.Const(w.rows()*int64(w.chunk()))), plan.Const(maxWalkers/slices)), plan.Const(1))
		return times(walkers, slices)
	}
	atOnce := int64(max(maxWorkItems/w.workgroup, 1))
	isWide := 2*w.workgroup >= maxWorkItems // and lists of rows leave registers for no second one
	if w.isSerial {
		atOnce = serialWalkers
	}
	if w.localTables != nil && w.localTables.bytes > sharedBudget || w.kernel.near != nil || w.listed > 0 && isWide {
		atOnce = 1
	}
	tiles := plan.CeilDiv(rows, plan.Const(w.rows()))
	if w.lone.moved {
		return plan.Max(tiles, plan.Const(1))
	}
	many := plan.Mul(plan.Property("units"), plan.Const(atOnce))
	if slices > 1 {
		many = plan.CeilDiv(plan.Max(plan.Sub(many, plan.Const(slices-1)), plan.Const(1)), plan.Const(slices)) // rounded down
	}
	return times(plan.Max(plan.Min(tiles, many), plan.Const(1)), slices)
}

// slices returns how many work-groups take the same tiles.
func (w walking) slices() int64 {
	if w.localTables == nil {
		return 1
	}
	return w.localTables.slices
}

// times returns n times x.
func times(x plan.Expr, n int64) plan.Expr {
	if n == 1 {
		return x
	}
	return plan.Mul(x, plan.Const(n))
}

// walker returns which of the work-groups this is that take tiles of their own, and how many
// there are.
func (w walking) walker() (walker, walkers loop.Expr) {
	walker, walkers = &loop.ID{Kind: loop.WorkgroupID}, &loop.ID{Kind: loop.WorkgroupCount}
	if n := w.slices(); n > 1 {
		return loop.Div(walker, loop.Int(n)), loop.Div(walkers, loop.Int(n))
	}
	return walker, walkers
}

// eachTile walks through every so many-th tile of the launch.
func (w walking) eachTile(e *tileBody, body func()) {
	if w.chunk() > 1 {
		e.chunk = w.chunk()
	}
	workgroup, workgroups := w.walker()
	at := e.b.Decl("tile", loop.Add(w.rowSpan.firstTile(e.function), workgroup))
	tiles := e.b.Let("tiles", loop.Add(loop.Div(loop.Sub(e.arguments.rows, loop.Int(1)), loop.Int(e.kernel.rows())), loop.Int(1)))
	e.b.While(loop.Lt(at, tiles), func() {
		e.tile, e.isLastTile = at, loop.Ge(loop.Add(at, workgroups), tiles)
		body()
		e.b.Assign(at, loop.Add(at, workgroups))
	})
}
