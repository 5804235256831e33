package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Rows may be combined by the slot of a limited table that has their keys, in the kernel that
// enters these. Then a work-group remembers, with each row, the slot of its keys, and has an
// element of every table beside it. Rows whose keys are remembered combine there. The elements
// are combined with those of the slots once, at the end. Rows whose keys are not remembered,
// because other keys have taken their places, combine in global memory: Rosenfeld et al.,
// "Performance Analysis and Automatic Tuning of Hash Aggregation on GPUs", DaMoN 2019, call
// that WORKGROUPLOCAL.

// leastRemembered is how many places are worth tables of their own.
const leastRemembered = 256

// enteredBudget is the local memory for what is remembered with tables beside it, if a launch
// brings it.
const enteredBudget = 200 << 10

// entered is a limited table by whose slots a kernel combines rows.
type entered struct {
	op     int   // the Insert
	memory int64 // the word in local memory at which what is remembered begins
	slots  int64 // and the slots of that, of 32 bits
	cache  *cache
}

// updatesBy lists the updates of tables at an index.
func updatesBy(t *tile.Kernel, index tile.ID) (list []int) {
	for i, op := range t.With(isTableUpdate) {
		if op.Args[0] == index {
			list = append(list, i)
		}
	}
	return list
}

// combinesBySlots reports whether rows combine by the slots of a limited table.
func combinesBySlots(t *tile.Kernel) bool {
	return t.Has(func(op *tile.Op) bool { return op.IsLimited() && len(updatesBy(t, op.Res[0])) > 0 })
}

// planEntered plans the limited tables by whose slots rows combine, and sets how many rows are
// remembered: none if the tables have no room beside them.
func (p *localTables) planEntered(l *lowering, t *tile.Kernel, s *shape) {
	if l.isIndependent() && s.remembered > 0 {
		p.planOwn(l, t, s)
		return
	}
	budget := l.budget()
	if l.target.LaunchedLocal > 0 && l.suffix == "" {
		budget = enteredBudget
	}
	least := int64(1)
	if combinesBySlots(t) {
		least = leastRemembered
	}
	for ; s.remembered >= least; s.remembered /= 2 {
		if p.enter(l, t, s.remembered); p.bytes+s.rememberedBytes(l, t) <= budget {
			p.taken = p.bytes
			return
		}
	}
	s.remembered = 0
	*p = localTables{}
}

// enter lays out the tables beside some remembered rows.
func (p *localTables) enter(l *lowering, t *tile.Kernel, remembered int64) {
	*p = localTables{}
	for i, op := range t.With((*tile.Op).IsLimited) {
		updates := updatesBy(t, op.Res[0])
		if len(updates) == 0 {
			continue
		}
		e := &entered{op: i, memory: p.bytes / 4, cache: &cache{index: op.Res[0], slots: remembered + 1, first: -1}}
		p.bytes += memoryBytes(remembered, l.wordOfKeys(t, op))
		e.slots = p.bytes / 4
		p.bytes += aligned16(4 * e.cache.slots)
		p.entered = append(p.entered, e)
		for _, j := range updates {
			update := &t.Ops[j]
			if first := p.like(t, update); first != nil {
				first.others = append(first.others, j)
				continue
			}
			table := &localTable{op: j, form: formOf(t, update), length: e.cache.slots, elements: e.cache.slots, copies: 1, cache: e.cache, entered: e, at: p.bytes / 4}
			p.tables, p.bytes = append(p.tables, table), p.bytes+table.bytes(1)
		}
	}
}

// enteredOf returns the limited table of an operation if rows combine by its slots.
func (e *function) enteredOf(i int) *entered {
	if e.localTables == nil || !e.tabled {
		return nil
	}
	for _, table := range e.localTables.entered {
		if table.op == i {
			return table
		}
	}
	return nil
}

// slotWords returns the memory of the slots of remembered rows, and the place of one.
func (e *function) slotWords(of *entered, place loop.Expr) (words *loop.Var, at loop.Expr) {
	at = loop.Add(loop.Int(of.slots), place)
	if e.own != nil {
		return e.own.place(ir.U32, at)
	}
	return e.localTables.words[ir.U32], at
}

// A row is settled when it is known where it combines: at a place beside a remembered row, or,
// below 0, in the slot -2-x of the table in global memory; nowhere if it is left out, which
// nowhere stands for. While places are looked at, the number below 0 is that of a free place.
const nowhere = -1

// below returns the number below 0 that stands for x, or what a number below 0 stands for.
func below(x loop.Expr) loop.Expr { return loop.Sub(loop.Int(nowhere-1), x) }

// settle finds where the row at hand combines, unless it is settled.
func (e *rowBody) settle(i int, of *entered) {
	if places := e.settled[i]; places != nil {
		of.cache.slot = e.b.Let("place", loop.ToCounter(loop.At(places, e.ofFew)))
		return
	}
	place := e.b.Decl("place", loop.Int(nowhere))
	of.cache.slot = place
	s, put := e.entering(i), func(x loop.Expr) { e.b.Assign(place, x) }
	e.b.If(loop.Not(e.hasLeftOut(i)), func() {
		e.look(s, put, func(at loop.Expr) { put(below(at)) })
		e.b.If(loop.Lt(place, loop.Int(0)), func() { e.takePlace(of, s, place, put) }, nil)
	}, nil)
}

// settling lists the limited tables whose rows are settled by a few.
func (e *rowBody) settling() (list []*entered) {
	if !e.effects || e.localTables == nil {
		return nil
	}
	for _, of := range e.localTables.entered {
		if op := &e.Ops[of.op]; op.Domain == 0 && e.phase[of.op] == e.now {
			list = append(list, of)
		}
	}
	return list
}

// eachSettled runs body for each of this work-item's rows, all of which exist if the tile is
// whole. A few are settled before they combine: their loads overlap, as no atomic operation is
// between them.
func (e *rowBody) eachSettled(list []*entered, whole bool, body func()) {
	e.eachFew(whole, func(few int, each func(body func(i *loop.Var))) {
		for _, of := range list {
			e.settled[of.op] = e.b.Storage("places", loop.ArrayOf(few, loop.ScalarOf(ir.I32)))
			e.settleFew(of, few, whole, each)
		}
		each(func(i *loop.Var) {
			e.ofFew = i
			body()
		})
		clear(e.settled)
	})
}

// settleFew settles a few rows. Looks, and rows that have to be entered, are loops that are
// not unrolled: what is done for each of a few rows is long enough.
func (e *rowBody) settleFew(of *entered, few int, whole bool, each func(body func(i *loop.Var))) {
	memory, places := e.memoryOf(of.op), e.settled[of.op]
	held := e.b.Storage("held", loop.ArrayOf(few, memory.words.T))
	put := func(i, x loop.Expr) { e.b.Store(places, i, loop.ToKind(ir.I32, x)) }
	place := func(i loop.Expr) loop.Expr { return loop.ToCounter(loop.At(places, i)) }
	each(func(i *loop.Var) { put(i, loop.Int(nowhere)) })
	e.b.If(loop.Not(e.hasLeftOut(of.op)), func() {
		look, isPending := e.b.Decl("look", loop.Int(0)), e.b.Decl("is_pending", loop.True)
		e.b.While(loop.And(isPending, loop.Lt(look, loop.Int(looksBeside))), func() {
			each(func(i *loop.Var) { e.b.Store(held, i, memory.at(e.entering(of.op).placeOf(look))) })
			here := e.b.Decl("is_pending_here", loop.False)
			each(func(i *loop.Var) {
				e.b.If(loop.Eq(place(i), loop.Int(nowhere)), func() {
					s := e.entering(of.op)
					at, seen := e.b.Let("at", s.placeOf(look)), e.b.Let("seen", loop.At(held, i))
					e.b.If(e.isKnown(s, seen), func() { put(i, at) }, func() {
						e.b.If(loop.Eq(seen, memory.free(s.isOwn)), func() { put(i, below(at)) }, func() { e.b.Assign(here, loop.True) })
					})
				}, nil)
			})
			e.b.Assign(isPending, e.goesOn(here, whole))
			e.b.Assign(look, loop.Add(look, loop.Int(1)))
		})
		e.takePlaces(of, whole, each, place, put)
	}, nil)
}

// goesOn returns whether x holds for the work-item or, in a whole tile, for any of its subgroup:
// these stay together.
func (e *function) goesOn(x loop.Expr, whole bool) loop.Expr {
	if whole {
		return e.forAnyOfSubgroup(x)
	}
	return x
}

// takePlaces settles the rows whose keys are not remembered, one after the other.
func (e *rowBody) takePlaces(of *entered, whole bool, each func(body func(i *loop.Var)), place func(i loop.Expr) loop.Expr, put func(i, x loop.Expr)) {
	op := &e.Ops[of.op]
	left := e.b.Decl("left", number(ir.U32, 0))
	bit := func(i loop.Expr) loop.Expr { return loop.Apply(ir.OpShl, number(ir.U32, 1), loop.ToKind(ir.U32, i)) }
	each(func(i *loop.Var) {
		e.b.If(loop.Lt(place(i), loop.Int(0)), func() { e.b.Assign(left, loop.Apply(ir.OpOr, left, bit(i))) }, nil)
	})
	isLeft := func() loop.Expr { return e.goesOn(loop.Ne(left, number(ir.U32, 0)), whole) }
	more, isFirst := e.b.Decl("more", isLeft()), e.b.Decl("is_first", loop.True)
	e.b.While(more, func() {
		s := &entry{table: e.limitedTable(op), memory: e.memoryOf(of.op), isOwn: loop.False}
		s.table.Slots = e.expr(op.Args[2])
		row, home, found := e.b.Decl("row", number(s.table.Memory.T.Kind, 0)), e.b.Decl("home", number(ir.I64, 0)), e.b.Decl("found", loop.Int(0))
		var keys []*loop.Var
		for _, v := range op.Args[4:] {
			keys = append(keys, e.b.Decl("key", loop.ConstOf(ir.Scalar{Kind: e.Values[v].Kind})))
		}
		chosen := e.b.Let("chosen", loop.Apply(ir.OpAnd, left, loop.Sub(number(ir.U32, 0), left))) // the bit of the first
		isChosen := func(i loop.Expr) loop.Expr { return loop.Eq(chosen, bit(i)) }
		each(func(i *loop.Var) {
			e.b.If(isChosen(i), func() {
				of := e.entering(of.op)
				e.b.Assign(row, of.row)
				e.b.Assign(home, of.home)
				for j, key := range of.keys {
					e.b.Assign(keys[j], key)
				}
				e.b.Assign(found, place(i))
			}, nil)
		})
		s.row, s.home = row, home
		for _, key := range keys {
			s.keys = append(s.keys, key)
		}
		e.remember(s)
		settled := loop.Expr(chosen)
		isPartitioned := op.PartBits > 0
		if whole && isPartitioned {
			settled = e.leading(s, loop.And(isFirst, loop.Ne(found, loop.Int(nowhere))), chosen)
		}
		e.b.If(loop.Ne(settled, number(ir.U32, 0)), func() {
			if isPartitioned {
				e.lookAgain(s, found)
			}
			e.b.If(loop.Lt(found, loop.Int(0)), func() {
				e.takePlace(of, s, loop.Expr(found), func(x loop.Expr) { e.b.Assign(found, x) })
			}, nil)
		}, nil)
		each(func(i *loop.Var) { e.b.If(loop.Eq(settled, bit(i)), func() { put(i, found) }, nil) })
		e.b.Assign(left, loop.Apply(ir.OpXor, left, settled))
		e.b.Assign(isFirst, loop.False)
		e.b.Assign(more, isLeft())
	})
}

// leading returns the bit of the row that a work-item settles: 0 if that of the lane before has the same
// key, the first time. Of neighbours with one key, which are new together, one then enters it, and
// others find it beside the place that they have seen free.
func (e *rowBody) leading(s *entry, isFirst, chosen loop.Expr) loop.Expr {
	if !s.memory.isKeys || !e.subgroup.divides(e.workgroup) {
		return chosen
	}
	before := func(x loop.Expr) loop.Expr {
		return loop.CallOf(shuffleUp[x.Type().Kind], x, number(ir.U32, 1))
	}
	theirs, theirKey := e.b.Let("theirs", before(chosen)), e.b.Let("their_word", before(s.word))
	waits := loop.And(isFirst, loop.And(loop.Gt(sublane(), loop.Int(0)), loop.And(loop.Ne(theirs, number(ir.U32, 0)), loop.Eq(theirKey, s.word))))
	return e.b.Let("settled", loop.Choose(waits, number(ir.U32, 0), chosen))
}

// lookAgain looks whether the place that a row has seen free remembers its keys by now.
func (e *rowBody) lookAgain(s *entry, found *loop.Var) {
	vacant := e.b.Let("vacant", below(found))
	e.b.If(loop.Ge(vacant, loop.Int(0)), func() {
		held := e.b.Let("held", s.memory.at(vacant))
		e.b.If(e.isKnown(s, held), func() { e.b.Assign(found, vacant) }, nil)
	}, nil)
}

// takePlace enters a row whose keys are not remembered. If a place is free, they are from now
// on: what lies beside it belongs to them until the end.
func (e *rowBody) takePlace(of *entered, s *entry, found loop.Expr, put func(x loop.Expr)) {
	vacant := e.b.Let("vacant", below(found))
	s.found = e.b.Decl("slot", loop.ConstOf(ir.Int(ir.I64, nowhere)))
	e.enterGlobally(s)
	put(loop.Int(nowhere))
	e.b.If(loop.Ge(s.found, loop.ConstOf(ir.Int(ir.I64, 0))), func() {
		put(below(loop.ToCounter(s.found)))
		e.b.If(loop.Ge(vacant, loop.Int(0)), func() {
			free := s.memory.free(s.isOwn)
			before := e.b.CompareExchange("before", s.memory.words, s.memory.place(vacant), free, s.word)
			e.b.If(loop.Eq(before, free), func() {
				words, at := e.slotWords(of, vacant)
				e.b.Store(words, at, loop.ToKind(ir.U32, s.found))
				if e.Ops[of.op].PartBits > 0 {
					e.countTaken(s.memory)
				}
				put(vacant)
			}, func() {
				e.b.If(e.isKnown(s, before), func() { put(vacant) }, nil)
			})
		}, nil)
	}, nil)
}

// updateEntered combines x where the row at hand is settled.
func (e *rowBody) updateEntered(t *localTable, op *tile.Op, x loop.Expr) {
	place := t.cache.slot
	e.b.If(loop.Ge(place, loop.Int(0)), func() {
		t.form.combine(e.cachedElement(t, place), x)
	}, func() {
		e.b.If(loop.Ne(place, loop.Int(nowhere)), func() { e.updateGlobal(op, below(place), x) }, nil)
	})
}

// flushEntered combines the elements of a table with those of the slots in global memory.
func (e *function) flushEntered(t *localTable) {
	memory := e.memoryOf(t.entered.op)
	e.eachPlace(loop.Int(t.cache.slots), func(at loop.Expr) {
		e.b.If(loop.Ne(memory.at(at), memory.freeAt(at)), func() {
			x := e.b.Let("x", t.form.value(e.cachedElement(t, at)))
			op := &e.Ops[t.op]
			e.unlessIdentity(op.Monoid.Identity[0], x, func() {
				words, place := e.slotWords(t.entered, at)
				e.updateGlobal(op, loop.ToCounter(loop.At(words, place)), x)
			})
		}, nil)
	})
}
