package simt

import (
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/ir/loop"
	"github.com/kgen-go/kgen/plan"
)

// What happens to a tile in the round that tells its fold, and in the one that
// goes on with it; see round.go.

// beginTile names what a subgroup has of a tile of the group.
func (s *launches) beginTile(e *emission, turn loop.Expr) {
	e.tile = e.b.Let("tile", loop.Add(loop.Mul(turn, loop.Int(int64(s.round.teams))), e.window.team))
	e.tileRows()
	e.window.copied = loop.Lt(turn, e.window.whole)
}

// await waits for the columns of the tile at hand. Those of one that has not all
// its rows the subgroups bring themselves.
func (s *launches) await(e *emission, parity loop.Expr) {
	if len(s.round.columns) == 0 {
		return
	}
	w := e.window
	e.b.If(w.copied, func() {
		waiting := e.b.Decl("waiting", loop.True)
		e.b.While(waiting, func() {
			e.b.Assign(waiting, loop.Not(e.b.Let("come", loop.CallOf(copyHasCome, w.arrived, narrow(w.stage), parity))))
		})
	}, func() {
		for i := range s.Streams {
			if s.pool.staged[i] {
				e.deal(i)
			}
		}
		e.barrier()
	})
}

// takeColumns reads the staged columns of this work-item's rows.
func (s *launches) takeColumns(e *emission) {
	for i := range s.Streams {
		if s.pool.staged[i] {
			e.take(i)
		}
	}
}

// reductionsOf lists the reductions of a phase.
func (s *launches) reductionsOf(phase int) (list []int) {
	for _, i := range s.reductions() {
		if s.phase[i] == phase {
			list = append(list, i)
		}
	}
	return list
}

// front folds a tile, and leaves to its back what the rows need of that.
func (s *launches) front(e *emission, st *state, turn, parity, slot loop.Expr, left []*loop.Var) {
	const phase = 0
	s.beginTile(e, turn)
	s.await(e, parity)
	s.takeColumns(e)
	e.picked = nil
	e.declareKept()
	for _, i := range s.reductionsOf(phase) {
		e.declareFolds([]int{i})
	}
	e.declareFolds(s.cuts[phase])
	e.loopRows(phase)
	e.publishReductions(s.states, s.reductionsOf(phase))
	before, total := e.groupScan(st, e.folded(st))
	e.b.If(loop.Eq(e.lane, loop.Int(0)), func() { e.storeState(e.window.folds, s.foldAt(e, slot, e.window.team), total) }, nil)
	e.assignAll(left, append(exprsOf(e.picked), before...))
}

// foldAt returns where the fold of a subgroup lies.
func (s *launches) foldAt(e *emission, slot, team loop.Expr) loop.Expr {
	return e.b.Let("place", loop.Add(loop.Mul(slot, loop.Int(int64(s.round.teams))), team))
}

// back does the rows of a tile, of which side has the prefix.
func (s *launches) back(e *emission, st *state, turn, slot, side loop.Expr, left []*loop.Var) {
	w := e.window
	s.beginTile(e, turn)
	e.picked = left[:len(s.picks)]
	before := exprsOf(left[len(s.picks):])
	theirs := e.declare(st, st.identities())
	e.b.If(loop.Lt(e.lane, w.team), func() { e.assignAll(theirs, e.loadState(w.folds, s.foldAt(e, slot, e.lane))) }, nil)
	teams := e.shuffle(st, broadcast, e.foldLanes(st, exprsOf(theirs), s.round.teams), loop.Int(0))
	earlier := e.combine(st, e.loadState(w.prefixes, side), teams)
	total := e.loadState(w.folds, s.foldAt(e, slot, w.team))
	e.now = e.until
	if s.picks != nil {
		s.numberPicked(e, st, before, total)
		e.barrier()
		s.deliverAllPicked(e, st, earlier, total)
	} else {
		e.know(st, earlier, total)
		for j, x := range e.combine(st, earlier, before) {
			e.running[st.slots[j].stateKey] = e.b.Decl(st.name(j), x)
		}
		for _, i := range s.reductionsOf(e.until) {
			e.declareFolds([]int{i})
		}
		s.takeColumns(e)
		e.parcels = nil
		e.pack()
		e.loopRows(e.until)
		e.deliver()
	}
	e.publishReductions(s.states, s.reductionsOf(e.until))
	if s.hasEnd() {
		s.endLastTile(e)
	}
}

// askRound folds what the tiles of the round before a tile have told, each
// work-item of the control those of a stretch, and tells the group the prefix.
func (s *launches) askRound(e *emission, turn, groups loop.Expr, carry []*loop.Var, side loop.Expr) {
	t := s.statuses[0]
	st := t.state
	memory := e.arguments.buffer(t.buffer, ir.U64, plan.ReadsWrites)
	words := e.b.Storage("words", loop.ArrayOf(tilesAsked*t.words, loop.ScalarOf(ir.U64)))
	start := e.b.Let("start", loop.Mul(e.lane, loop.Int(tilesAsked)))
	first := e.b.Let("first", loop.Add(loop.Sub(turn, groups), start))
	each := func(body func(tile, isThere loop.Expr, told []loop.Expr, at loop.Expr)) {
		e.b.For("i", loop.Int(0), loop.Int(tilesAsked), func(i *loop.Var) {
			asked, at := e.b.Let("asked", loop.Add(first, i)), loop.Mul(i, loop.Int(int64(t.words)))
			isThere := loop.And(loop.Lt(loop.Add(start, i), groups), loop.Ge(asked, loop.Int(0)))
			var told []loop.Expr
			for w := range t.words {
				told = append(told, loop.At(words, loop.Add(at, loop.Int(int64(w)))))
			}
			body(asked, e.b.Let("exists", isThere), told, at)
		})
	}
	hasAll := func(told []loop.Expr) (all loop.Expr) {
		all = loop.True
		for _, x := range told {
			all = loop.And(all, t.isThere(x))
		}
		return all
	}
	// All work-items stay together: where they part, shuffles cost far more.
	spins, goesOn, waiting := e.b.Decl("spins", loop.Int(0)), e.b.Decl("goes_on", loop.True), e.b.Decl("waiting", loop.True)
	e.b.While(waiting, func() {
		each(func(tile, exists loop.Expr, told []loop.Expr, at loop.Expr) {
			e.b.If(loop.And(exists, loop.Not(hasAll(told))), func() {
				for w := range t.words {
					e.b.Store(words, loop.Add(at, loop.Int(int64(w))), loop.VolatileAt(memory, t.place(tile, flagAggregate, w)))
				}
			}, nil)
		})
		lacks := e.b.Decl("lacks", loop.False)
		each(func(_, exists loop.Expr, told []loop.Expr, _ loop.Expr) {
			e.b.Assign(lacks, loop.Or(lacks, loop.And(exists, loop.Not(hasAll(told)))))
		})
		s.wait(e, spins, goesOn)
		e.b.Assign(waiting, loop.Ne(loop.CallOf(ballot, loop.And(lacks, goesOn)), number(ir.U32, 0)))
	})
	fold := e.declare(st, st.identities())
	each(func(_, exists loop.Expr, told []loop.Expr, _ loop.Expr) {
		e.assignAll(fold, e.choose(exists, e.combine(st, exprsOf(fold), t.unpack(e, told)), exprsOf(fold)))
	})
	whole := e.foldLanes(st, exprsOf(fold), roundSubgroup)
	e.assignAll(carry, e.combine(st, exprsOf(carry), whole))
	e.b.If(loop.Eq(e.lane, loop.Int(0)), func() { e.storeState(e.window.prefixes, side, exprsOf(carry)) }, nil)
}

// tellFold publishes the fold of a tile of the group.
func (s *launches) tellFold(e *emission, turn, slot loop.Expr) {
	t := s.statuses[0]
	st := t.state
	theirs := e.declare(st, st.identities())
	e.b.If(loop.Lt(e.lane, loop.Int(int64(s.round.teams))), func() {
		e.assignAll(theirs, e.loadState(e.window.folds, s.foldAt(e, slot, e.lane)))
	}, nil)
	whole := e.foldLanes(st, exprsOf(theirs), s.round.teams)
	e.b.If(loop.Eq(e.lane, loop.Int(0)), func() {
		e.tile = turn
		t.publish(e, e.arguments.buffer(t.buffer, ir.U64, plan.ReadsWrites), flagAggregate, whole)
	}, nil)
}

// foldLanes folds the states of the first count work-items of a subgroup, in
// order; the first one has the result.
func (e *emission) foldLanes(st *state, fold []loop.Expr, count int) []loop.Expr {
	for distance := 1; distance < count; distance *= 2 {
		fold = e.combine(st, fold, e.shuffle(st, shuffleDown, fold, loop.Int(int64(distance))))
	}
	return fold
}
