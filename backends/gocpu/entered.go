package gocpu

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Rows may be combined by the slot of a limited hash table, in the kernel that enters their keys
// there. Each worker then has a table of its own, with the elements of groups beside their keys.
// So rows meet no other worker, and few groups stay in the nearest caches, however many slots the
// common table has: the worker's begins small, and searches in it end where they begin, which a
// processor predicts, as most of its slots are free. When it has no room for the groups of more
// rows, and at the end, the worker enters its groups in the common table, combines their elements
// with those of the slots, and begins anew, with more slots if there may be.

const (
	// HashGroups is the most groups of a hash table that rows of any order enter: for as many a
	// worker's table has slots.
	HashGroups = 1 << 14

	// Bins is how large the range of a sample of keys may be if that of all is worth a pass: elements of
	// as many bins stay in the second cache, or near it.
	Bins = 1 << 18

	// Sample is how many rows say how groups are made, and are sorted to choose those that an order
	// with a limit can have: few beside the rows, of which there are 64 times as many or more, and more
	// than one in two of as many has the keys of another if there are HashGroups groups.
	Sample = 1 << 14

	// ownSlots is the most slots of a worker's table.
	ownSlots = slotsPerOwn * HashGroups

	// slotsPerOwn is how many slots there are for each group: with half as many, more than one search
	// in ten goes on, and takes twice as long.
	slotsPerOwn = 8

	// enteredRows is after how many rows a worker makes sure that its table has room for as many groups.
	enteredRows = 256
)

// entered is the table of a worker that enters rows in a limited hash table.
type entered struct {
	op     *tile.Op
	rows   *loop.Var         // of each slot: the first row with its keys, or a word of these, or -1,
	homes  *loop.Var         // the slot from which on the common table is searched for these,
	keys   []*loop.Var       // the keys,
	tables map[int]*loop.Var // and the elements of their group, by the stream of the table

	groups *loop.Var // how many slots are taken
	last   *loop.Var // the last slot, of a power of two
	taken  *loop.Var // how many slots of the common table this worker has taken
}

// ownMemory is memory for a worker's table that a range function takes as an argument.
type ownMemory struct {
	name string
	kind ir.Kind
}

// bySlot lists the updates at the slot that an operation finds.
func (k *kernel) bySlot(insert *tile.Op) (list []*tile.Op) {
	for _, op := range k.With(k.CombinesEntered) {
		if op.Args[0] == insert.Res[0] {
			list = append(list, op)
		}
	}
	return list
}

// enteredParameters adds the memory of the workers' tables.
func (g *body) enteredParameters(f *rangeFunc) {
	for _, op := range g.rowOps() {
		if !op.IsLimited() || op.PartBits > 0 {
			continue
		}
		param := func(name string, kind ir.Kind) *loop.Var {
			f.args = append(f.args, argument{stream: -1, own: &ownMemory{name, kind}})
			return g.b.Param(name, loop.SliceOf(loop.ScalarOf(kind)))
		}
		e := &entered{op: op, rows: param("first_rows", ir.I64), homes: param("homes", ir.I64), tables: map[int]*loop.Var{}}
		for _, s := range op.Keys {
			e.keys = append(e.keys, param(streamName(g.Streams[s])+"_own", g.Streams[s].Kind))
		}
		for _, update := range g.bySlot(op) {
			if s := update.Stream; e.tables[s] == nil {
				e.tables[s] = param(streamName(g.Streams[s])+"_own", g.Streams[s].Kind)
			}
		}
		g.entered = append(g.entered, e)
	}
}

// ownLength returns how many slots a worker has memory for: as many as the groups of all rows, and
// those of enteredRows, need at most.
func (d *driver) ownLength() loop.Expr {
	// The least power of two that is enough is less than twice as much.
	enough := loop.Mul(loop.Add(d.rows, loop.Int(enteredRows)), loop.Int(2*slotsPerOwn))
	return loop.Least(enough, loop.Int(ownSlots))
}

// makeOwn makes memory for the tables of so many workers that enter rows. The memory is kept for the
// next call unless each worker makes its own.
func (d *driver) makeOwn(workers loop.Expr, isKept bool) {
	d.own = map[*ownMemory]*loop.Var{}
	for _, a := range d.f.args {
		if a.own == nil {
			continue
		}
		length := loop.Mul(d.ownLength(), workers)
		if isKept {
			d.own[a.own] = d.b.MakeKept(a.own.name, loop.ScalarOf(a.own.kind), length)
		} else {
			d.own[a.own] = d.b.Make(a.own.name, loop.ScalarOf(a.own.kind), length)
		}
	}
}

// shareOwn gives a worker its part of what was made for all of them.
func (d *driver) shareOwn(worker loop.Expr) {
	all := d.own
	d.own = map[*ownMemory]*loop.Var{}
	for _, a := range d.f.args {
		if m := a.own; m != nil {
			length := d.ownLength()
			d.own[m] = d.b.Slice(m.name, all[m], loop.Mul(worker, length), loop.Mul(loop.Add(worker, loop.Int(1)), length))
		}
	}
}

// beginEntered declares the state of a worker's table, which has no groups.
func (g *body) beginEntered(e *entered) {
	e.groups = g.b.Decl("groups", loop.Int(0))
	e.last = g.b.Decl("last_own", loop.Int(slotsPerOwn*enteredRows-1))
	e.taken = g.b.Decl("taken", loop.ConstOf(ir.Int(ir.I64, 0)))
	e.clear(g.b)
}

// clear frees all slots.
func (e *entered) clear(b *loop.Builder) {
	slots := b.Slice("slots", e.rows, loop.Int(0), loop.Add(e.last, loop.Int(1)))
	b.For("i", loop.Int(0), loop.LenOf(slots), func(i *loop.Var) { b.Store(slots, i, loop.ConstOf(ir.Int(ir.I64, -1))) })
}

// next returns the slot behind another.
func (e *entered) next(slot loop.Expr) loop.Expr {
	return loop.Apply(ir.OpAnd, loop.Add(slot, loop.Int(1)), e.last)
}

// enterGroup finds the slot of the row, or takes one. A row that is left out has slot -1.
func (g *body) enterGroup(e *entered) {
	b, op := g.b, e.op
	keys := make([]loop.Expr, len(op.Keys))
	for i, key := range op.Args[4:] {
		keys[i] = b.Let("key", g.expr(key))
	}
	home := b.Let("home", g.expr(op.Args[1])) // its low bits are bits of the hash, too
	at := b.Decl("slot", loop.Apply(ir.OpAnd, loop.ToCounter(home), e.last))
	search := func() {
		isFree := loop.Lt(loop.At(e.rows, at), loop.ConstOf(ir.Int(ir.I64, 0)))
		differs := isFree
		if len(keys) == 0 { // what is entered is the keys themselves
			differs = loop.Ne(loop.At(e.rows, at), g.expr(op.Args[0]))
		}
		for i, key := range keys {
			differs = loop.Or(loop.KeyNe(key, loop.At(e.keys[i], at)), differs)
		}
		b.While(differs, func() {
			b.If(isFree, func() {
				b.Store(e.rows, at, g.expr(op.Args[0]))
				b.Store(e.homes, at, home)
				for i, key := range keys {
					b.Store(e.keys[i], at, key)
				}
				for _, update := range g.bySlot(op) {
					b.Store(e.tables[update.Stream], at, loop.ConstOf(update.Monoid.Identity[0]))
				}
				b.Assign(e.groups, loop.Add(e.groups, loop.Int(1)))
				b.Break()
			}, nil)
			b.Assign(at, e.next(at))
		})
	}
	if g.OnlyEnters() {
		search()
	} else {
		b.If(loop.Le(e.taken, g.expr(op.Args[3])), search, func() { b.Assign(at, loop.Int(-1)) })
	}
	g.values[op.Res[0]] = loop.ToKind(ir.I64, at)
}

// leave enters the groups in the common table, and forgets them, if there is no room for those of
// more rows or none follow. If they are more than the limit by themselves, the worker enters no
// more rows.
func (g *body) leave(e *entered, isEnd loop.Expr) {
	b, op := g.b, e.op
	limit := g.expr(op.Args[3])
	one := loop.ConstOf(ir.Int(ir.I64, 1))
	isFull := loop.Gt(loop.Mul(loop.Add(e.groups, loop.Int(enteredRows)), loop.Int(slotsPerOwn)), loop.Add(e.last, loop.Int(1)))
	isMore := loop.Gt(loop.ToKind(ir.I64, e.groups), limit)
	b.If(loop.Or(loop.Or(isEnd, isFull), isMore), func() {
		isAlone := !g.splits()
		b.For("own", loop.Int(0), loop.Add(e.last, loop.Int(1)), func(own *loop.Var) {
			row := b.Let("row", loop.At(e.rows, own))
			b.If(loop.Ge(row, loop.ConstOf(ir.Int(ir.I64, 0))), func() { g.leaveGroup(e, own, row, limit, isAlone) }, nil)
		})
		b.If(isMore, func() { b.Assign(e.taken, loop.Add(limit, one)) }, nil)
		b.If(loop.And(isFull, loop.Le(loop.Mul(loop.Add(e.last, loop.Int(1)), loop.Int(2)), loop.LenOf(e.rows))),
			func() { b.Assign(e.last, loop.Add(loop.Mul(e.last, loop.Int(2)), loop.Int(1))) }, nil)
		b.Assign(e.groups, loop.Int(0))
		e.clear(b)
	}, nil)
}

// leaveGroup enters the group in a slot of the worker in the common table.
func (g *body) leaveGroup(e *entered, own *loop.Var, row, limit loop.Expr, isAlone bool) {
	b, op := g.b, e.op
	t := g.hashTable(op, op.Args[2])
	t.Limit, t.Taken = limit, e.taken
	t.Found = b.Decl("found", loop.ConstOf(ir.Int(ir.I64, -1)))
	keys := make([]loop.Expr, len(e.keys))
	for i, key := range e.keys {
		keys[i] = loop.At(key, own)
	}
	t.Insert(b, row, loop.At(e.homes, own), keys, isAlone)
	b.If(loop.Ge(t.Found, loop.ConstOf(ir.Int(ir.I64, 0))), func() {
		at := b.Let("at", loop.ToCounter(t.Found))
		for _, update := range g.bySlot(op) {
			g.combineAt(update, at, loop.At(e.tables[update.Stream], own), isAlone)
		}
	}, nil)
}

// combineAt combines x with an element of a common table.
func (g *body) combineAt(update *tile.Op, at, x loop.Expr, isAlone bool) {
	table := g.whole[update.Stream]
	if isAlone {
		g.combine(update, table, at, x)
		return
	}
	atomic, _ := loop.AtomicOf(update.Monoid.Combine[0].Operator)
	g.b.Atomic(atomic, table, at, x)
}

// enteredBlocks runs over the rows of views from lo to hi, so few at a time that a worker's table has room.
func (g *body) enteredBlocks(views []int, lo, hi loop.Expr) {
	g.b.ForStep("block", lo, hi, enteredRows, func(block *loop.Var) {
		end := g.b.Let("end", loop.Least(loop.Add(block, loop.Int(enteredRows)), hi))
		rows := func() {
			outer := g.entered
			g.entered = nil
			for _, e := range outer {
				g.entered = append(g.entered, g.cutEntered(e))
			}
			g.loop(views, block, end)
			g.entered = outer
		}
		if g.OnlyEnters() {
			e := g.entered[0]
			g.b.If(loop.Le(e.taken, g.expr(e.op.Args[3])), rows, nil)
		} else {
			rows()
		}
		for _, e := range g.entered {
			g.leave(e, loop.Eq(end, hi))
		}
	})
}

// cutEntered returns a table whose columns are cut to the slots in use, so that Go compares a slot
// with one length.
func (g *body) cutEntered(e *entered) *entered {
	cut := *e
	var length loop.Expr = loop.Add(e.last, loop.Int(1))
	column := func(m *loop.Var) *loop.Var {
		v := g.b.Slice(m.Name, m, loop.Int(0), length)
		length = loop.LenOf(v)
		return v
	}
	cut.rows, cut.keys, cut.tables = column(e.rows), nil, map[int]*loop.Var{}
	for _, key := range e.keys {
		cut.keys = append(cut.keys, column(key))
	}
	for _, update := range g.bySlot(e.op) {
		if cut.tables[update.Stream] == nil {
			cut.tables[update.Stream] = column(e.tables[update.Stream])
		}
	}
	return &cut
}

// updateOwn combines a value with the element of the worker's table at the slot of the row, if it
// has one.
func (g *body) updateOwn(e *entered, op *tile.Op) {
	at, x := loop.ToCounter(g.expr(op.Args[0])), g.expr(op.Args[1])
	combine := func() { g.combine(op, e.tables[op.Stream], at, x) }
	if g.OnlyEnters() {
		combine()
	} else {
		g.b.If(loop.Ge(at, loop.Int(0)), combine, nil)
	}
}

// enteredOf returns the worker's table of an operation that enters rows, or combines them by its
// slots; nil if there is none.
func (g *body) enteredOf(op *tile.Op) *entered {
	for _, e := range g.entered {
		if e.op == op || g.CombinesEntered(op) && op.Args[0] == e.op.Res[0] {
			return e
		}
	}
	return nil
}
