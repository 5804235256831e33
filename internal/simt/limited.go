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
// work-group that walks over its tiles remembers rows that it has found there, in local
// memory. A row whose keys are those of a remembered one before it need not be entered.
// Where local memory has atomic operations of 64 bits, it has a narrow key above its row.
//
// If there are too many keys, searches get long. One that is too long says so in the first
// slot, and then no work-group enters more rows. Nobody counts up to the table's limit: the
// plan counts the slots that are taken.

// The rows that a work-group remembers at most, a power of two: in kernels for which a launch
// brings local memory and that have no other use for it, in other kernels, and in fallbacks.
const rememberedLaunched, remembered, rememberedFallback = 8192, 4096, 2048

// looks are the places at which a work-group may remember a row: a power of two.
const looks = 4

// longestSearch is how many slots a search in a limited table looks at. In one that is a
// quarter full, none has to look at half as many, unless keys meet by their hashes.
const longestSearch = 64

// remembers returns how many rows work-groups remember for each limited table of a kernel:
// none if they do not walk over the rows.
func (l *lowering) remembers(t *tile.Kernel) int64 {
	tables := limitedTables(t)
	if tables == 0 || l.schedule.Part > 0 || l.schedule.Table == plan.Global || !l.hasTablesOnly(t) {
		return 0
	}
	rows := int64(remembered)
	switch {
	case l.suffix != "":
		rows = rememberedFallback
	case l.target.LaunchedLocal > 0 && tables == 1 && !t.Has(isTableUpdate):
		rows = rememberedLaunched
	}
	for share := int64(1); share < tables; share *= 2 {
		rows /= 2
	}
	return rows
}

// limitedTables counts the limited tables of a kernel.
func limitedTables(t *tile.Kernel) (n int64) {
	for range t.With((*tile.Op).IsLimited) {
		n++
	}
	return n
}

// rememberedBytes returns the local memory for what is remembered.
func (s shape) rememberedBytes(t *tile.Kernel) int64 {
	if s.remembered == 0 {
		return 0
	}
	return limitedTables(t) * aligned16(8*(s.remembered+1))
}

// memoryOf returns the rows that are remembered for a limited table, of which the last one
// is [tile.LeftOut] if rows are left out; nil if none are remembered.
func (e *function) memoryOf(op *tile.Op) *loop.Var {
	if e.remembered == 0 {
		return nil
	}
	kind, name := ir.I32, "remembered_"+e.Streams[op.Stream].Name
	if e.remembersKey(op) {
		kind = ir.I64
	}
	if e.remembered == rememberedLaunched {
		words := e.localArray(arenaName, ir.U32, int(e.remembered+1)*kind.Size()/4)
		return e.arenaView(words, kind)
	}
	return e.localArray(name, kind, int(e.remembered)+1)
}

// remembersKey reports whether the key of a row is remembered above the number of the row:
// if the bits of equal keys are equal.
func (e *function) remembersKey(op *tile.Op) bool {
	if !e.lowering.target.Atomics64 || len(op.Keys) != 1 {
		return false
	}
	k := e.Streams[op.Keys[0]].Kind
	return (k.IsInteger() || k.IsCoded()) && k.Size() <= 4
}

// memorable returns what is remembered of a row with some keys.
func (e *function) memorable(op *tile.Op, row loop.Expr, keys []loop.Expr) loop.Expr {
	if !e.remembersKey(op) {
		return row
	}
	key := loop.ToKind(ir.I64, loop.ToKind(ir.U32, keys[0]))
	return loop.Apply(ir.OpOr, loop.Apply(ir.OpShl, key, loop.ConstOf(ir.Int(ir.I64, numberBits))), loop.ToKind(ir.I64, row))
}

// isKnown returns whether a row that is remembered has some keys and comes before another.
func (e *rowBody) isKnown(op *tile.Op, held, row loop.Expr, keys []loop.Expr) loop.Expr {
	if !e.remembersKey(op) {
		comesFirst := loop.And(loop.Ge(held, number(ir.I32, 0)), loop.Le(held, row))
		return loop.And(comesFirst, loop.Not(e.limitedTable(op).Differ(row, held, keys)))
	}
	// The same key above, and no greater number below; numbers have a bit less than there is room for.
	exceeds := loop.Sub(e.memorable(op, row, keys), held)
	return loop.Le(loop.ToKind(ir.U64, exceeds), loop.ToKind(ir.U64, row))
}

// numberBits are the bits of the number of a row below its key.
const numberBits = 32

// beginRemembered forgets all rows.
func (e *function) beginRemembered() {
	for _, op := range e.With((*tile.Op).IsLimited) {
		e.eachPlace(loop.Int(e.remembered+1), func(at loop.Expr) { e.b.Store(e.memoryOf(op), at, free(e.memoryOf(op))) })
	}
	e.b.Barrier(loop.WorkgroupScope)
}

// pollLimited finds out, at the start of a tile, whether rows are left out.
func (e *rowBody) pollLimited() {
	if !e.effects {
		return
	}
	for i, op := range e.With((*tile.Op).IsLimited) {
		table, memory := e.limitedTable(op), e.memoryOf(op)
		isLeftOut := loop.Eq(loop.VolatileAt(table.Memory, loop.Int(0)), leftOut(table.Memory))
		if memory == nil {
			e.isLeftOut[i] = e.b.Let("is_left_out", isLeftOut)
			continue
		}
		e.b.If(loop.Eq(e.localID, loop.Int(0)), func() {
			e.b.If(isLeftOut, func() { e.b.Atomic(loop.AtomicExchange, memory, loop.Int(e.remembered), leftOut(memory)) }, nil)
		}, nil)
	}
}

// limitedTable returns the hash table of an operation.
func (e *function) limitedTable(op *tile.Op) backends.HashTable {
	s := e.Streams[op.Stream]
	return e.hashTable(op, e.arguments.buffer(s.Buffer, s.Kind, plan.ReadsWrites), nil)
}

// free is what an element of memory is that has no row.
func free(memory *loop.Var) loop.Expr { return number(memory.T.Kind, -1) }

// leftOut is tile.LeftOut as an element of memory.
func leftOut(memory *loop.Var) loop.Expr { return number(memory.T.Kind, tile.LeftOut) }

// enter enters the row in a limited table, unless a row with its keys is remembered. Looks are
// branches in branches: compilers for GPUs make several times as slow a kernel of a loop.
func (e *rowBody) enter(i int) {
	op := &e.Ops[i]
	table, memory := e.limitedTable(op), e.memoryOf(op)
	row, slot, keys := e.entering(&table, op)
	if memory == nil {
		search := func() { e.searchLimited(table, row, slot, keys, nil) }
		if at := e.isLeftOut[i]; at != nil {
			e.b.If(loop.Not(at), search, nil)
		} else {
			search()
		}
		return
	}
	isOpen := loop.Ne(loop.VolatileAt(memory, loop.Int(e.remembered)), leftOut(memory))
	e.b.If(isOpen, func() {
		first := e.b.Let("first", loop.ToCounter(loop.Apply(ir.OpAnd, slot, loop.ConstOf(ir.Int(ir.I64, e.remembered-1)))))
		placeOf := func(i loop.Expr) loop.Expr { return loop.Apply(ir.OpAnd, loop.Add(first, i), loop.Int(e.remembered-1)) }
		place := e.b.Decl("place", placeOf(loop.Apply(ir.OpAnd, loop.ToCounter(row), loop.Int(looks-1)))) // of another row, unless one is free
		isKnown := e.b.Decl("is_known", loop.False)
		var look func(i int)
		look = func(i int) {
			at := e.b.Let("at", placeOf(loop.Int(int64(i))))
			held := e.b.Let("held", loop.VolatileAt(memory, at))
			e.b.Assign(isKnown, e.isKnown(op, held, row, keys))
			next := func() { look(i + 1) }
			if i == looks-1 {
				next = nil
			}
			e.b.If(loop.Not(isKnown), func() {
				e.b.If(loop.Eq(held, free(memory)), func() { e.b.Assign(place, at) }, next)
			}, nil)
		}
		look(0)
		e.b.If(loop.Not(isKnown), func() {
			e.searchLimited(table, row, slot, keys, memory)
			e.b.Atomic(loop.AtomicExchange, memory, place, e.memorable(op, row, keys))
		}, nil)
	}, nil)
}

// entering names what is entered in a table.
func (e *rowBody) entering(table *backends.HashTable, op *tile.Op) (row, slot loop.Expr, keys []loop.Expr) {
	table.Slots = e.expr(op.Args[2])
	row = e.b.Let("entered", loop.ToKind(table.Memory.T.Kind, e.expr(op.Args[0])))
	slot = e.b.Let("own_slot", e.expr(op.Args[1]))
	for _, key := range e.exprs(op.Args[4:]) {
		keys = append(keys, e.b.Let("key", key))
	}
	return row, slot, keys
}

// searchLimited enters a row in global memory: it looks before it claims.
func (e *rowBody) searchLimited(t backends.HashTable, row, slot loop.Expr, keys []loop.Expr, remembered *loop.Var) {
	free := free(t.Memory)
	last := e.b.Let("last_slot", loop.Sub(t.Slots, loop.ConstOf(ir.Int(ir.I64, 1))))
	at := e.b.Decl("slot", slot)
	steps := e.b.Decl("steps", loop.Int(0))
	e.b.While(loop.True, func() {
		held := e.b.Decl("held", loop.VolatileAt(t.Memory, at))
		e.b.If(loop.Eq(held, free), func() { e.b.Assign(held, e.b.CompareExchange("before", t.Memory, at, free, row)) }, nil)
		e.b.If(loop.Or(loop.Eq(held, free), loop.Eq(held, leftOut(t.Memory))), func() { e.b.Break() }, nil)
		e.b.If(loop.Not(t.Differ(row, held, keys)), func() {
			if len(keys) > 0 {
				e.b.If(loop.Lt(row, held), func() { e.b.Atomic(loop.AtomicMin, t.Memory, at, row) }, nil)
			}
			e.b.Break()
		}, nil)
		e.b.Assign(at, loop.Apply(ir.OpAnd, loop.Add(at, loop.ConstOf(ir.Int(ir.I64, 1))), last))
		e.b.Assign(steps, loop.Add(steps, loop.Int(1)))
		e.b.If(loop.Eq(steps, loop.Int(longestSearch)), func() {
			e.b.Atomic(loop.AtomicExchange, t.Memory, loop.Int(0), leftOut(t.Memory))
			if remembered != nil {
				e.b.Atomic(loop.AtomicExchange, remembered, loop.Int(e.remembered), leftOut(remembered))
			}
			e.b.Break()
		}, nil)
	})
}
