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
const enteredBudget = 226 << 10

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
		budget = min(enteredBudget, l.target.LaunchedLocal)
	}
	least := int64(2 * looksBeside)
	if combinesBySlots(t) {
		least = leastRemembered
	}
	for ; s.remembered >= least; s.places = s.fewer() {
		if p.enter(l, t, s.places); p.bytes+s.rememberedBytes(l, t) <= budget {
			p.taken = p.bytes
			return
		}
	}
	s.places = places{}
	*p = localTables{}
}

// enter lays out the tables beside some remembered rows.
func (p *localTables) enter(l *lowering, t *tile.Kernel, in places) {
	*p = localTables{}
	for i, op := range t.With((*tile.Op).IsLimited) {
		updates := updatesBy(t, op.Res[0])
		if len(updates) == 0 {
			continue
		}
		e := &entered{op: i, memory: p.bytes / 4, cache: &cache{index: op.Res[0], slots: in.all(), first: -1}}
		p.bytes += in.memoryBytes(l.wordOfKeys(t, op))
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
			if !l.target.MergesCounts || !table.form.isCount() {
				table.copies = in.copies
			}
			p.tables, p.bytes = append(p.tables, table), p.bytes+table.bytes(table.copies)
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
// nowhere stands for.
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
		vacant := e.b.Decl("vacant", loop.Int(nowhere))
		e.look(s, put, func(at loop.Expr) { e.b.Assign(vacant, at) })
		e.b.If(loop.Lt(place, loop.Int(0)), func() { e.takePlace(of, s, vacant, put) }, nil)
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

// mostSettled is how many rows of a work-item are settled together.
const mostSettled = 8

// eachSettled runs body for each of this work-item's rows, all of which exist if the tile is
// whole. A few are settled before they combine: their loads overlap, as no atomic operation is
// between them. Mostly all of them have places, which then is not asked for each. If many rows of
// a subgroup have the place of the first one, they do not wait for each other.
func (e *rowBody) eachSettled(list []*entered, whole bool, body func()) {
	e.eachFew(mostSettled, whole, func(few int, each func(body func(i *loop.Var))) {
		for _, of := range list {
			e.settled[of.op] = e.b.Storage("places", loop.ArrayOf(few, loop.ScalarOf(ir.I32)))
			e.settleFew(of, few, whole, each)
		}
		rows := func() {
			each(func(i *loop.Var) {
				e.ofFew = i
				body()
			})
		}
		if whole {
			e.b.If(e.allHavePlaces(list, each), func() {
				e.havePlaces = true
				e.unlessSkewed(list, rows)
				e.havePlaces = false
			}, rows)
		} else {
			rows()
		}
		clear(e.settled)
	})
}

// allHavePlaces returns whether a few rows of each work-item of a subgroup combine beside remembered keys.
func (e *rowBody) allHavePlaces(list []*entered, each func(body func(i *loop.Var))) loop.Expr {
	least := e.b.Decl("least_place", number(ir.I32, 0))
	each(func(i *loop.Var) {
		for _, of := range list {
			e.b.Assign(least, loop.Apply(ir.OpLeast, least, loop.At(e.settled[of.op], i)))
		}
	})
	return loop.Not(e.forAnyOfSubgroup(loop.Lt(least, number(ir.I32, 0))))
}

// settleFew settles a few rows. Each looks at the first of its places. Those whose keys are not
// remembered there are few, and look on one after the other.
func (e *rowBody) settleFew(of *entered, few int, whole bool, each func(body func(i *loop.Var))) {
	memory, places := e.memoryOf(of.op), e.settled[of.op]
	var held []*loop.Var // of each place of a bucket
	for range memory.bucket {
		held = append(held, e.b.Storage("held", loop.ArrayOf(few, loop.ScalarOf(memory.kind))))
	}
	put := func(i, x loop.Expr) { e.b.Store(places, i, loop.ToKind(ir.I32, x)) }
	place := func(i loop.Expr) loop.Expr { return loop.ToCounter(loop.At(places, i)) }
	each(func(i *loop.Var) { put(i, loop.Int(nowhere)) })
	e.b.If(loop.Not(e.hasLeftOut(of.op)), func() {
		each(func(i *loop.Var) {
			put(i, e.entering(of.op).placeOf(loop.Int(0)))
			if whole && e.Ops[of.op].PartBits > 0 {
				e.notePart(of, e.entering(of.op), i, few)
			}
			for j, x := range e.bucketAt(memory, place(i)) {
				e.b.Store(held[j], i, x)
			}
		})
		left := e.b.Decl("left", number(ir.U32, 0))
		each(func(i *loop.Var) {
			s := e.entering(of.op)
			e.seen(s, held, i, func(j int) {
				if j > 0 {
					put(i, loop.Add(place(i), loop.Int(int64(j))))
				}
			}, func() { e.b.Assign(left, loop.Apply(ir.OpOr, left, bitOf(i))) })
		})
		e.lookOn(of, whole, left, each, put)
	}, nil)
}

// seen runs known with the place of a bucket at which row i has seen its keys, or unknown.
func (e *rowBody) seen(s *entry, held []*loop.Var, i *loop.Var, known func(j int), unknown func()) {
	last := len(held) - 1
	isKnown := e.isKnown(s, e.b.Let("seen", loop.At(held[last], i)))
	if last == 0 {
		e.b.If(loop.Not(isKnown), unknown, nil)
		return
	}
	e.b.If(isKnown, func() { known(last) }, func() { e.seen(s, held[:last], i, known, unknown) })
}

// bitOf returns the bit of one of a few rows.
func bitOf(i loop.Expr) loop.Expr {
	return loop.Apply(ir.OpShl, number(ir.U32, 1), loop.ToKind(ir.U32, i))
}

// goesOn returns whether x holds for the work-item or, in a whole tile, for any of its subgroup:
// these stay together.
func (e *function) goesOn(x loop.Expr, whole bool) loop.Expr {
	if whole {
		return e.forAnyOfSubgroup(x)
	}
	return x
}

// lookOn settles the rows that are left, whose keys the first of their places does not remember,
// one after the other.
func (e *rowBody) lookOn(of *entered, whole bool, left *loop.Var, each func(body func(i *loop.Var)), put func(i, x loop.Expr)) {
	op := &e.Ops[of.op]
	isLeft := func() loop.Expr { return e.goesOn(loop.Ne(left, number(ir.U32, 0)), whole) }
	more, isFirst := e.b.Decl("more", isLeft()), e.b.Decl("is_first", loop.True)
	memory := e.memoryOf(of.op)
	isLed := whole && op.PartBits > 0 && memory.isKeys && e.subgroup.divides(e.workgroup)
	var areAlike *loop.Var // neighbours have the same keys, as where a group of sorted rows begins; nil if nobody asks, for whom keys take too many registers
	if isLed && memory.kind == ir.U32 {
		areAlike = e.b.Decl("are_alike", loop.False)
	}
	e.b.While(more, func() {
		chosen := e.b.Let("chosen", loop.Apply(ir.OpAnd, left, loop.Sub(number(ir.U32, 0), left))) // the bit of the first
		s, nameRow := e.chosenEntry(of, chosen, each)
		found, vacant := e.b.Decl("found", loop.Int(nowhere)), e.b.Decl("vacant", loop.Int(nowhere))
		e.b.If(loop.Ne(chosen, number(ir.U32, 0)), func() {
			e.findPlace(s, 1, found, vacant)
			e.b.If(loop.Lt(found, loop.Int(0)), func() { // the first place may be vacant
				e.b.Assign(vacant, loop.Int(nowhere))
				e.findPlace(s, 0, found, vacant)
			}, nil)
		}, nil)
		settled := loop.Expr(chosen)
		if isLed {
			isLike := e.isLikeBefore(s, chosen)
			if areAlike != nil {
				e.b.If(isFirst, func() { e.b.Assign(areAlike, e.forAnyOfSubgroup(isLike)) }, nil)
			}
			// Of neighbours whose keys are new together, one enters them first; others then find them beside the place that they have seen free.
			waits := loop.And(isFirst, loop.And(loop.Ge(vacant, loop.Int(0)), isLike))
			settled = e.b.Let("settled", loop.Choose(waits, number(ir.U32, 0), chosen))
		}
		e.b.If(loop.And(loop.Ne(settled, number(ir.U32, 0)), loop.Lt(found, loop.Int(0))), func() {
			nameRow()
			e.takePlace(of, s, vacant, func(x loop.Expr) { e.b.Assign(found, x) })
		}, nil)
		settle := func() {
			each(func(i *loop.Var) { e.b.If(loop.Eq(chosen, bitOf(i)), func() { put(i, found) }, nil) })
			e.b.Assign(left, loop.Apply(ir.OpXor, left, settled))
		}
		if areAlike != nil {
			e.b.If(areAlike, func() {
				e.settleLike(of, s, left, each, func(i loop.Expr) { put(i, found) }, loop.Ne(settled, number(ir.U32, 0)))
			}, settle)
		} else {
			settle()
		}
		e.b.Assign(isFirst, loop.False)
		e.b.Assign(more, isLeft())
	})
}

// settleLike settles all rows that are left and have the keys of the chosen one, if that is settled.
func (e *rowBody) settleLike(of *entered, s *entry, left *loop.Var, each func(body func(i *loop.Var)), put func(i loop.Expr), isSettled loop.Expr) {
	like := e.b.Decl("like", number(ir.U32, 0))
	each(func(i *loop.Var) {
		isLeft := loop.Ne(loop.Apply(ir.OpAnd, left, bitOf(i)), number(ir.U32, 0))
		e.b.If(loop.And(isLeft, loop.Eq(e.entering(of.op).word, s.word)), func() {
			put(i)
			e.b.Assign(like, loop.Apply(ir.OpOr, like, bitOf(i)))
		}, nil)
	})
	e.b.If(isSettled, func() { e.b.Assign(left, loop.Apply(ir.OpXor, left, like)) }, nil)
}

// chosenEntry names what the row of a few enters that has a bit. Its number and its slot are known
// if they are remembered, and else from the function that it returns on.
func (e *rowBody) chosenEntry(of *entered, chosen loop.Expr, each func(body func(i *loop.Var))) (s *entry, nameRow func()) {
	op := &e.Ops[of.op]
	s = &entry{table: e.limitedTable(op), memory: e.memoryOf(of.op), isOwn: loop.False}
	s.table.Slots = e.expr(op.Args[2])
	row, home := e.b.Decl("row", number(s.table.Memory.T.Kind, 0)), e.b.Decl("home", number(ir.I64, 0))
	s.row, s.home = row, home
	var keys []*loop.Var
	for _, v := range op.Args[4:] {
		keys = append(keys, e.b.Decl("key", loop.ConstOf(ir.Scalar{Kind: e.Values[v].Kind})))
		s.keys = append(s.keys, keys[len(keys)-1])
	}
	ofChosen := func(assign func(of *entry)) {
		each(func(i *loop.Var) {
			e.b.If(loop.Eq(chosen, bitOf(i)), func() { assign(e.entering(of.op)) }, nil)
		})
	}
	assignRow := func(of *entry) {
		e.b.Assign(row, of.row)
		e.b.Assign(home, of.home)
	}
	ofChosen(func(of *entry) {
		for j, key := range of.keys {
			e.b.Assign(keys[j], key)
		}
		if !s.memory.isKeys {
			assignRow(of)
		}
	})
	e.remember(s)
	return s, func() {
		if s.memory.isKeys {
			ofChosen(assignRow)
		}
	}
}

// findPlace looks at places that may remember the keys of a row, from one look on, until one does, which it
// tells as found, or is vacant.
func (e *rowBody) findPlace(s *entry, from int64, found, vacant *loop.Var) {
	look := e.b.Decl("look", loop.Int(from))
	e.b.While(loop.Lt(look, loop.Int(looksBeside/s.memory.bucket)), func() {
		first := e.b.Let("at", s.placeOf(look))
		for j, x := range e.bucketAt(s.memory, first) {
			at, held := loop.Add(first, loop.Int(int64(j))), e.b.Let("held", x)
			e.b.If(e.isKnown(s, held), func() {
				e.b.Assign(found, at)
				e.b.Break()
			}, nil)
			e.b.If(loop.Eq(held, s.memory.free(s.isOwn)), func() {
				e.b.Assign(vacant, at)
				e.b.Break()
			}, nil)
		}
		e.b.Assign(look, loop.Add(look, loop.Int(1)))
	})
}

// isLikeBefore returns whether the row that the lane before has chosen has the same keys.
func (e *rowBody) isLikeBefore(s *entry, chosen loop.Expr) loop.Expr {
	before := func(x loop.Expr) loop.Expr {
		return loop.CallOf(shuffleUp[x.Type().Kind], x, number(ir.U32, 1))
	}
	theirs, theirKey := e.b.Let("theirs", before(chosen)), e.b.Let("their_word", before(s.word))
	isLike := loop.And(loop.Ne(theirs, number(ir.U32, 0)), loop.Eq(theirKey, s.word))
	return e.b.Let("is_like", loop.And(loop.And(loop.Gt(sublane(), loop.Int(0)), loop.Ne(chosen, number(ir.U32, 0))), isLike))
}

// takePlace enters a row whose keys are not remembered. If a place is free, they are from now
// on: what lies beside it belongs to them until the end.
func (e *rowBody) takePlace(of *entered, s *entry, vacant loop.Expr, put func(x loop.Expr)) {
	s.found = e.b.Decl("slot", loop.ConstOf(ir.Int(ir.I64, nowhere)))
	e.enterGlobally(s)
	put(loop.Int(nowhere))
	e.b.If(loop.Ge(s.found, loop.ConstOf(ir.Int(ir.I64, 0))), func() {
		put(below(loop.ToCounter(s.found)))
		e.b.If(loop.Ge(vacant, loop.Int(0)), func() {
			free := s.memory.free(s.isOwn)
			before, isTaken := e.claim(s.memory, vacant, free, s.word)
			e.b.If(isTaken, func() {
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
	beside := func() { t.form.combine(e.cachedElement(t, place), x) }
	switch {
	case e.common != nil && e.common.all[op] != nil:
		e.combineShared(t, op, x)
	case e.havePlaces:
		beside()
	default:
		e.b.If(loop.Ge(place, loop.Int(0)), beside, func() {
			e.b.If(loop.Ne(place, loop.Int(nowhere)), func() { e.updateGlobal(op, below(place), x) }, nil)
		})
	}
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
