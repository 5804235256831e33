package simt

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// The variant of a subgroup: work-items whose rows have the index that the first one's row has
// combine these first, and the first one alone updates the element. All others update theirs.
// That takes shuffles, or local memory where the language has none. What is not a whole tile, or
// is under a condition, has work-items without a row, and rows may look for a slot of local
// memory: there each row is an operation.

// combineWithFirst combines the row at hand with those of its subgroup.
func (e *rowBody) combineWithFirst(t *tables, i int) {
	op := &e.Ops[i]
	members := e.membersOf(t)
	local := e.localTableOf(op)
	if !e.isWhole || op.Domain != 0 || e.ofFew != nil || members == nil || slices.ContainsFunc(t.ops, e.isPlacedByRow) ||
		local != nil && local.form.isCount() { // whose ones the device merges
		e.update(op)
		return
	}
	if t.item != e.item {
		t.item, t.run = e.item, e.runOf(t, "run")
		t.isFirst, t.several = members.compare(e, t)
	}
	x := e.b.Decl("x", e.expr(op.Args[1]))
	members.combine(e, t, i, x)
	updates := loop.Or(loop.Eq(members.lane(e), loop.Int(0)), loop.Not(t.isFirst))
	e.b.If(loop.And(loop.Ge(t.run, loop.Int(0)), updates), func() { e.updateAt(op, t.run, x) }, nil)
}

// members are the work-items that combine rows with the first one of them.
type members interface {
	// lane returns the number of the work-item among them.
	lane(e *rowBody) loop.Expr
	// compare returns whether the index of the row at hand is that of the first one's, and
	// whether that holds for others, too.
	compare(e *rowBody, t *tables) (isFirst, several loop.Expr)
	// combine adds what others of that index have to the x of the first one.
	combine(e *rowBody, t *tables, i int, x *loop.Var)
}

// membersOf returns who combines the rows of tables, or nil.
func (e *rowBody) membersOf(t *tables) members {
	switch {
	case e.subgroup.divides(e.workgroup):
		return lanes{}
	case e.subgroup.Width == 0 && e.workgroup%neighbours == 0 && !slices.ContainsFunc(t.ops, func(i int) bool { return e.localTableOf(&e.Ops[i]) != nil }):
		return neighbouring{}
	}
	return nil
}

// lanes are those of a subgroup, by shuffles.
type lanes struct{}

func (lanes) lane(*rowBody) loop.Expr { return sublane() }

func (lanes) compare(e *rowBody, t *tables) (isFirst, several loop.Expr) {
	run := loop.ToKind(ir.U32, t.run)
	first := loop.CallOf(broadcast[ir.U32], run, number(ir.U32, 0))
	isFirst = e.b.Let("is_first", loop.Eq(run, first))
	return isFirst, e.b.Let("several", loop.Ne(e.subgroup.ballot(isFirst), number(e.subgroup.Mask, 1)))
}

func (lanes) combine(e *rowBody, t *tables, i int, x *loop.Var) {
	e.b.If(t.several, func() {
		all := e.b.Decl("all", loop.Choose(t.isFirst, x, e.start(i)))
		e.foldSubgroup(&e.Ops[i], all)
		e.b.If(loop.Eq(sublane(), loop.Int(0)), func() { e.b.Assign(x, all) }, nil)
	}, nil)
}

// foldSubgroup combines the states of an update that the lanes of a subgroup have in the first one's.
func (e *function) foldSubgroup(op *tile.Op, all *loop.Var) {
	e.foldNeighbourLanes(op, all, e.subgroup.Width)
}

// foldNeighbourLanes combines those of so many neighbouring lanes, a power of two, in that of the first of them.
func (e *function) foldNeighbourLanes(op *tile.Op, all *loop.Var, lanes int) {
	kind := loop.ScalarOf(e.Streams[op.Stream].Kind).Kind
	word := wordOf(kind)
	for distance := lanes / 2; distance > 0; distance /= 2 {
		theirs := e.b.Let("theirs", fromWord(kind, loop.CallOf(shuffleDown[word], toWord(word, all), number(ir.U32, int64(distance)))))
		e.b.Assign(all, combined(op, all, theirs))
	}
}

// neighbours is how many work-items combine rows by local memory: as many as a warp has.
const neighbours = 32

// neighbouring are work-items with neighbouring numbers, by local memory.
type neighbouring struct{}

func (n neighbouring) lane(e *rowBody) loop.Expr {
	return loop.Sub(e.localID, n.first(e))
}

// first returns the number of the first of the work-items in the work-group.
func (n neighbouring) first(e *rowBody) loop.Expr {
	return loop.Mul(loop.Div(e.localID, loop.Int(neighbours)), loop.Int(neighbours))
}

// runs returns local memory for the indices of rows: that of each table has its own, since
// operations of several may alternate.
func (n neighbouring) runs(e *rowBody, t *tables) *loop.Var {
	return e.localArray(fmt.Sprintf("neighbours_run_%d", slices.Index(e.tables, t)), ir.U32, e.workgroup)
}

func (n neighbouring) compare(e *rowBody, t *tables) (isFirst, several loop.Expr) {
	run, runs := loop.ToKind(ir.U32, t.run), n.runs(e, t)
	e.barrier() // what is there has been read
	e.b.Store(runs, e.localID, run)
	e.barrier()
	isFirst = e.b.Let("is_first", loop.Eq(run, loop.At(runs, n.first(e))))
	return isFirst, nil // the first one sees it
}

func (n neighbouring) combine(e *rowBody, t *tables, i int, x *loop.Var) {
	op := &e.Ops[i]
	kind := loop.ScalarOf(e.Streams[op.Stream].Kind).Kind
	runs := n.runs(e, t)
	values := e.localArray("neighbours_"+kind.String(), kind, e.workgroup)
	if i != t.ops[0] {
		e.barrier() // those of the operation before have been read
	}
	e.b.Store(values, e.localID, x)
	e.barrier()
	e.b.If(loop.Eq(n.lane(e), loop.Int(0)), func() {
		e.b.For("other", loop.Add(e.localID, loop.Int(1)), loop.Add(e.localID, loop.Int(neighbours)), func(other *loop.Var) {
			e.b.If(loop.Eq(loop.At(runs, other), loop.At(runs, e.localID)), func() {
				theirs := e.b.Let("theirs", loop.At(values, other))
				e.b.Assign(x, combined(op, x, theirs))
			}, nil)
		})
	}, nil)
}

// combined returns the state of an update after two of its states.
func combined(op *tile.Op, before, after loop.Expr) loop.Expr {
	return backends.Combine(op.Monoid.Combine[0], func(int) loop.Expr { return before }, func(int) loop.Expr { return after })
}

// isPlacedByRow reports whether a row finds its place in a table of local memory by itself.
func (e *function) isPlacedByRow(i int) bool {
	t := e.localTableOf(&e.Ops[i])
	return t != nil && (t.cache != nil || t.entered != nil)
}
