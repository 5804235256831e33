package simt

import (
	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// A hash table of few keys takes the rows of all work-groups. Almost every row only finds
// that its keys are there, but so many looks at few places of global memory are slow. So a
// work-group that walks over its tiles remembers what it has found there, in local memory;
// see remembered.go. A row whose keys are remembered need not be entered.
//
// If there are too many keys, searches get long. One that is too long says so in the first
// slot, and then no work-group enters more rows. Nobody counts up to the table's limit: the
// plan counts the slots that are taken.

// longestSearch is how many slots a search in a limited table looks at. In one that is a
// quarter full, none has to look at as many, unless keys meet by their hashes.
const longestSearch = 32

// limitedTables counts the limited tables of a kernel.
func limitedTables(t *tile.Kernel) (n int64) {
	for range t.With((*tile.Op).IsLimited) {
		n++
	}
	return n
}

// pollLimited finds out, at the start of a tile, whether rows are left out.
func (e *rowBody) pollLimited() {
	if !e.effects {
		return
	}
	for i, op := range e.With((*tile.Op).IsLimited) {
		table, memory := e.limitedTable(op), e.memoryOf(i)
		isLeftOut := marksLeftOut(table)
		if memory != nil {
			e.tellLeftOut(isLeftOut, memory)
			isLeftOut = memory.leavesOut()
		}
		e.isLeftOut[i] = e.b.Let("is_left_out", e.forAnyOfSubgroup(isLeftOut))
	}
}

// marksLeftOut returns whether the mark of a table says that rows are left out.
func marksLeftOut(table backends.HashTable) loop.Expr {
	return loop.Eq(loop.VolatileAt(table.Memory, loop.Int(0)), leftOut(table.Memory))
}

// tellLeftOut lets one work-item tell the work-group if rows are left out.
func (e *function) tellLeftOut(isLeftOut loop.Expr, m *memory) {
	e.b.If(loop.Eq(e.localID, loop.Int(0)), func() {
		e.b.If(isLeftOut, func() { e.leaveOut(m) }, nil)
	}, nil)
}

// forAnyOfSubgroup returns whether x holds for any work-item of the subgroup, if there are
// subgroups. Then they go the same way.
func (e *function) forAnyOfSubgroup(x loop.Expr) loop.Expr {
	if !e.subgroup.divides(e.workgroup) {
		return x
	}
	return loop.Not(e.subgroup.isEmpty(e.subgroup.ballot(x)))
}

// hasLeftOut returns whether rows of the tile are left out, as far as the scheme looks for that.
func (e *rowBody) hasLeftOut(i int) loop.Expr {
	if is := e.isLeftOut[i]; is != nil {
		return is
	}
	return loop.False
}

// leavesOut reports whether the work-group has been told that rows are left out.
func (m *memory) leavesOut() loop.Expr {
	return loop.Eq(loop.VolatileAt(m.words, m.flag()), leftOut(m.words))
}

// leaveOut tells the work-group that rows are left out.
func (e *function) leaveOut(m *memory) {
	e.b.Atomic(loop.AtomicExchange, m.words, m.flag(), leftOut(m.words))
}

// limitedTable returns the hash table of an operation.
func (e *function) limitedTable(op *tile.Op) backends.HashTable {
	s := e.Streams[op.Stream]
	return e.hashTable(op, e.arguments.buffer(s.Buffer, s.Kind, plan.ReadsWrites), nil)
}

// free is what a slot has that no row has taken.
func free(memory *loop.Var) loop.Expr { return number(memory.T.Kind, -1) }

// leftOut is tile.LeftOut as an element of memory.
func leftOut(memory *loop.Var) loop.Expr { return number(memory.T.Kind, tile.LeftOut) }

// enter enters the row in a limited table, unless a row with its keys is remembered.
func (e *rowBody) enter(i int) {
	op := &e.Ops[i]
	if of := e.enteredOf(i); of != nil {
		e.settle(i, of)
		return
	}
	entering := e.entering(i)
	if e.uses[op.Res[0]] > 0 {
		entering.found = e.b.Decl("slot", loop.ConstOf(ir.Int(ir.I64, -1)))
	}
	e.b.If(loop.Not(e.hasLeftOut(i)), func() {
		if entering.memory == nil {
			e.enterGlobally(entering)
		} else {
			e.knowOrEnter(entering)
		}
	}, nil)
	if entering.found != nil {
		e.define(op.Res[0], entering.found)
	}
}

// knowOrEnter enters a row unless its keys are remembered. Then they are, in place of others
// if need be.
func (e *rowBody) knowOrEnter(s *entry) {
	place := e.b.Decl("place", s.placeOf(loop.Apply(ir.OpAnd, loop.ToCounter(s.row), loop.Int(looks-1)))) // of another row, unless one is free
	isKnown := e.b.Decl("is_known", loop.False)
	e.look(s, func(loop.Expr) { e.b.Assign(isKnown, loop.True) }, func(at loop.Expr) { e.b.Assign(place, at) })
	e.b.If(loop.Not(isKnown), func() {
		e.enterGlobally(s)
		e.b.Atomic(loop.AtomicExchange, s.memory.words, s.memory.word(place), s.word)
	}, nil)
}

// enterGlobally enters a row in global memory: it looks before it claims.
func (e *rowBody) enterGlobally(s *entry) {
	t, free := s.table, free(s.table.Memory)
	found := func(at loop.Expr) {
		if s.found != nil {
			e.b.Assign(s.found, at)
		}
		e.b.Break()
	}
	last := e.b.Let("last_slot", loop.Sub(t.Slots, loop.ConstOf(ir.Int(ir.I64, 1))))
	at := e.b.Decl("at_slot", s.home)
	steps := e.b.Decl("steps", loop.Int(0))
	e.b.While(loop.True, func() {
		held := e.b.Decl("held", loop.VolatileAt(t.Memory, at))
		e.b.If(loop.Eq(held, free), func() { e.b.Assign(held, e.b.CompareExchange("before", t.Memory, at, free, s.row)) }, nil)
		e.b.If(loop.Eq(held, leftOut(t.Memory)), func() { e.b.Break() }, nil)
		e.b.If(loop.Eq(held, free), func() { found(at) }, nil)
		e.b.If(loop.Not(t.Differ(s.row, held, s.keys)), func() {
			if len(s.keys) > 0 {
				e.b.If(loop.Lt(s.row, held), func() { e.b.Atomic(loop.AtomicMin, t.Memory, at, s.row) }, nil)
			}
			found(at)
		}, nil)
		e.b.Assign(at, loop.Apply(ir.OpAnd, loop.Add(at, loop.ConstOf(ir.Int(ir.I64, 1))), last))
		e.b.Assign(steps, loop.Add(steps, loop.Int(1)))
		e.b.If(loop.Eq(steps, loop.Int(longestSearch)), func() {
			e.b.Atomic(loop.AtomicExchange, t.Memory, loop.Int(0), leftOut(t.Memory))
			if s.memory != nil {
				e.leaveOut(s.memory)
			}
			e.b.Break()
		}, nil)
		if s.memory != nil { // others of the work-group have given up: three loads a step, one after the other, are for nothing
			e.b.If(s.memory.leavesOut(), func() { e.b.Break() }, nil)
		}
	})
}
