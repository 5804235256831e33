package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// What happens to a tile in the round that publishes its fold, and in the round that
// finishes it; see persistent.go.

// beginTile names the subgroup's rows of a tile of the work-group. A subgroup behind
// the last row begins there: the number of a row beyond might not fit 32 bits.
func (s *persistent) beginTile(e *tileBody, tileIndex loop.Expr) {
	rowSubgroups, size := int64(s.ring.rowSubgroups), s.rows()
	e.tile = e.b.Let("tile", loop.Add(loop.Mul(tileIndex, loop.Int(rowSubgroups)), s.ringView.subgroup))
	start := e.b.Let("start", loop.Mul(tileIndex, loop.Int(rowSubgroups*size)))
	left := e.b.Let("left", loop.Sub(e.arguments.rows, start))
	share := e.b.Let("subgroup_row", loop.Mul(s.ringView.subgroup, loop.Int(size)))
	share = e.b.Let("subgroup_row", loop.Choose(loop.Lt(share, left), share, left))
	e.first = e.b.Let("first", loop.Add(e.arguments.row0, loop.Add(start, share)))
	rest := e.b.Let("rest", loop.Sub(left, share))
	e.count = e.b.Let("count", loop.Choose(loop.Lt(rest, loop.Int(size)), rest, loop.Int(size)))
	s.ringView.isCopied = loop.Lt(tileIndex, s.ringView.whole)
}

// await waits for the columns of the tile at hand. If the tile does not have all its
// rows, the subgroups load its columns themselves.
func (s *persistent) await(e *tileBody, parity loop.Expr) {
	if len(s.ring.columns) == 0 {
		return
	}
	w := s.ringView
	e.b.If(w.isCopied, func() {
		e.awaitPhase(w.arrived, w.stage, parity)
	}, func() {
		for i := range s.Streams {
			if s.arena.staged[i] {
				e.deal(i)
			}
		}
		e.barrier()
	})
}

// reductionsOf lists the reductions of a phase.
func (s *persistent) reductionsOf(phase int) (list []int) {
	for _, i := range s.reductions() {
		if s.phase[i] == phase {
			list = append(list, i)
		}
	}
	return list
}

// foldTile folds a tile, and leaves in left what finishTile needs.
func (s *persistent) foldTile(e *rowBody, st *state, tileIndex, parity, slot loop.Expr, left []*loop.Var) {
	const phase = 0
	s.beginTile(e.tileBody, tileIndex)
	s.await(e.tileBody, parity)
	e.takeColumns()
	e.selectedBits = nil
	e.declareKept()
	for _, i := range s.reductionsOf(phase) {
		e.declareFolds([]int{i})
	}
	e.declareFolds(s.cuts[phase])
	e.loopRows(phase)
	e.publishReductions(s.states, s.reductionsOf(phase))
	before, total := e.scanner.scan(e.selected(), st, nil)
	e.b.If(loop.Eq(e.localID, loop.Int(0)), func() { e.storeState(s.ringView.folds, s.foldAt(e.function, slot, s.ringView.subgroup), total) }, nil)
	e.assignAll(left, append(exprsOf(e.selectedBits), before...))
}

// scanSegments completes the states of a subgroup's rows whose counts are known. It
// adds what is folded since the last selected row, and to the total how many rows
// follow that.
func (e *selectionBody) scanSegments(st *state, before, total []loop.Expr) {
	selecting := map[tile.ID]loop.Expr{}
	for j, slot := range st.slots {
		op := &e.Ops[slot.op]
		if op.Monoid.Kind == tile.Fold {
			continue
		}
		guard := op.Segment
		if selecting[guard] == nil {
			hasSelected := loop.Ne(e.bitsOf(guard), number(ir.U32, 0))
			selecting[guard] = e.b.Let("selecting", e.subgroup.ballot(hasSelected))
			if slots := e.foldedBy(st, guard); len(slots) > 0 {
				e.scanSince(st, slots, selecting[guard], before, total)
			}
		}
		none := e.subgroup.isEmpty(selecting[guard])
		switch {
		case slot.field == 0:
			total[j] = loop.Not(none)
		case !slices.Contains(e.segments.scans, slot.op):
			last := e.b.Let("last", e.subgroup.last(selecting[guard]))
			since := e.shuffle(single(e.kernel, slot), broadcast, []loop.Expr{e.folds[slot.stateKey]}, last)[0]
			behind := loop.Greatest(loop.Sub(e.count, loop.Mul(loop.Add(last, loop.Int(1)), loop.Int(int64(e.items)))), loop.Int(0))
			total[j] = e.b.Let("since", loop.Choose(none, loop.ToKind(slot.kind, e.count), loop.Add(since, loop.ToKind(slot.kind, behind))))
		}
	}
}

// foldAt returns where the fold of a subgroup lies in local memory.
func (s *persistent) foldAt(e *function, slot, subgroup loop.Expr) loop.Expr {
	return e.b.Let("place", loop.Add(loop.Mul(slot, loop.Int(int64(s.ring.rowSubgroups))), subgroup))
}

// finishTile does the work of the rows of a tile whose prefix is known: it lies at
// parity.
func (s *persistent) finishTile(e *rowBody, st *state, tileIndex, slot, parity loop.Expr, left []*loop.Var) {
	w := s.ringView
	s.beginTile(e.tileBody, tileIndex)
	e.selectedBits = left[:len(s.selections)]
	before := exprsOf(left[len(s.selections):])
	place := s.foldAt(e.function, slot, w.subgroup)
	earlier := e.combine(st, e.loadState(w.prefixes, parity), e.loadState(w.offsets, place))
	total := e.loadState(w.folds, place)
	e.now = e.until
	if len(s.selections) > 0 {
		s.numberSelected(e.selected(), st, before, total)
		e.scanner.deliver(e.selected(), st, before, total, func() []loop.Expr {
			e.barrier()
			return earlier
		})
	} else {
		e.know(st, earlier, total)
		for j, x := range e.combine(st, earlier, before) {
			e.running[st.slots[j].stateKey] = e.b.Decl(st.name(j), x)
		}
		for _, i := range s.reductionsOf(e.until) {
			e.declareFolds([]int{i})
		}
		e.takeColumns()
		e.scatters = nil
		e.pack()
		e.loopRows(e.until)
		e.awaitScattered()
		e.deliver()
	}
	if len(e.arena.inPlace) > 0 || e.segments.replacesColumns() { // the next copy overwrites what was stored to the stage
		e.b.Do(copyReuse, nil)
	}
	e.publishReductions(s.states, s.reductionsOf(e.until))
	if s.ring.isTight() {
		e.barrier()
		e.b.If(loop.Eq(e.localID, loop.Int(0)), func() { e.b.Do(copyIsFree, []loop.Expr{w.freed, narrow(w.stage)}) }, nil)
	}
	if s.hasEnd() {
		s.endLastTile(e)
	}
}

// pollRound adds to prefix what the tiles of the round before a tile have published,
// and stores it for the work-group. Neighbouring lanes poll neighbouring tiles. They
// wait together, since shuffles cost far more once lanes have diverged. Then each
// folds a stretch of tiles.
func (s *persistent) pollRound(e *function, tileIndex, workgroups loop.Expr, prefix []*loop.Var, parity loop.Expr) {
	t := s.status
	p := &poll{function: e, status: t, workgroups: workgroups, memory: e.arguments.buffer(t.buffer, ir.U64, plan.ReadsWrites)}
	p.words = e.b.Storage("words", loop.ArrayOf(tilesPolled*t.words, loop.ScalarOf(ir.U64)))
	p.first = e.b.Let("first", loop.Sub(tileIndex, workgroups))
	s.awaitWords(p)
	whole := p.fold()
	e.assignAll(prefix, e.combine(t.state, exprsOf(prefix), whole))
	e.b.If(loop.Eq(e.localID, loop.Int(0)), func() { e.storeState(s.ringView.prefixes, parity, exprsOf(prefix)) }, nil)
}

// poll is how a subgroup polls the tiles of a round.
type poll struct {
	*function
	status     *status
	memory     *loop.Var // the words of all tiles
	words      *loop.Var // the words that the work-item has read
	first      loop.Expr // the first tile of the round
	workgroups loop.Expr // tiles of the round
}

// wordOf returns the index of word w of the work-item's tile i.
func (p *poll) wordOf(i loop.Expr, w int) loop.Expr { return p.status.place(i, flagAggregate, w) }

// each runs body for each tile of a work-item: whether the round has it, and where
// its words are.
func (p *poll) each(number func(i loop.Expr) loop.Expr, body func(place, tile, exists loop.Expr, at func(w int) loop.Expr)) {
	p.b.For("i", loop.Int(0), loop.Int(tilesPolled), func(i *loop.Var) {
		place := p.b.Let("place", number(i))
		tile := p.b.Let("polled", loop.Add(p.first, place))
		exists := p.b.Let("exists", loop.And(loop.Lt(place, p.workgroups), loop.Ge(tile, loop.Int(0))))
		body(place, tile, exists, func(w int) loop.Expr { return p.wordOf(i, w) })
	})
}

// dealt is the number of a work-item's tile i when neighbouring lanes have
// neighbouring tiles.
func (p *poll) dealt(i loop.Expr) loop.Expr {
	return loop.Add(loop.Mul(i, loop.Int(persistentWidth)), p.localID)
}

// stretch is the number of a work-item's tile i when each has consecutive tiles.
func (p *poll) stretch(i loop.Expr) loop.Expr {
	return loop.Add(loop.Mul(p.localID, loop.Int(tilesPolled)), i)
}

// lacking reports whether a tile has words that are not published yet.
func (p *poll) lacking(exists loop.Expr, at func(w int) loop.Expr) loop.Expr {
	hasAll := loop.Expr(loop.True)
	for w := range p.status.words {
		hasAll = loop.And(hasAll, p.status.isThere(loop.At(p.words, at(w))))
	}
	return loop.And(exists, loop.Not(hasAll))
}

// awaitWords waits for the words of all tiles of the round.
func (s *persistent) awaitWords(p *poll) {
	spins, goesOn, waiting := p.b.Decl("spins", loop.Int(0)), p.b.Decl("keeps_polling", loop.True), p.b.Decl("waiting", loop.True)
	p.b.While(waiting, func() {
		p.each(p.dealt, func(_, tile, exists loop.Expr, at func(w int) loop.Expr) {
			p.b.If(p.lacking(exists, at), func() {
				for w := range p.status.words {
					p.b.Store(p.words, at(w), loop.CallOf(loadRelaxed, p.memory, narrow(p.status.place(tile, flagAggregate, w))))
				}
			}, nil)
		})
		lacks := p.b.Decl("is_missing", loop.False)
		p.each(p.dealt, func(_, _, exists loop.Expr, at func(w int) loop.Expr) {
			p.b.Assign(lacks, loop.Or(lacks, p.lacking(exists, at)))
		})
		s.wait(p.function, spins, goesOn)
		p.b.Assign(waiting, loop.Ne(p.subgroup.ballot(loop.And(lacks, goesOn)), number(p.subgroup.Mask, 0)))
	})
}

// fold returns the fold of the round, to the first work-item.
func (p *poll) fold() []loop.Expr {
	t, st := p.status, p.status.state
	shared := p.localArray("awaited", ir.U64, maxResidentGroups*t.words)
	p.each(p.dealt, func(place, _, _ loop.Expr, at func(w int) loop.Expr) {
		for w := range t.words {
			p.b.Store(shared, t.place(place, flagAggregate, w), loop.At(p.words, at(w)))
		}
	})
	p.b.Barrier(loop.SubgroupScope)
	fold := p.declare(st, st.identities())
	p.each(p.stretch, func(place, _, exists loop.Expr, _ func(w int) loop.Expr) {
		var state []loop.Expr
		for w := range t.words {
			state = append(state, p.b.Let("word", loop.At(shared, t.place(place, flagAggregate, w))))
		}
		p.assignAll(fold, p.choose(exists, p.combine(st, exprsOf(fold), t.unpack(p.function, state)), exprsOf(fold)))
	})
	return p.foldLanes(st, exprsOf(fold), persistentWidth)
}

// publishFold publishes the fold of a tile of the work-group, and stores for each
// subgroup the fold of the subgroups before it.
func (s *persistent) publishFold(e *tileBody, tileIndex, slot loop.Expr) {
	t, rowSubgroups := s.status, int64(s.ring.rowSubgroups)
	st := t.state
	theirs := e.declare(st, st.identities())
	place := s.foldAt(e.function, slot, e.localID)
	takesPart := loop.Lt(e.localID, loop.Int(rowSubgroups))
	e.b.If(takesPart, func() { e.assignAll(theirs, e.loadState(s.ringView.folds, place)) }, nil)
	e.b.Barrier(loop.SubgroupScope) // lanes converge for the shuffles
	folds := e.scanSubgroup(st, exprsOf(theirs), s.ring.rowSubgroups)
	before := e.shiftUp(st, e.localID, folds)
	e.b.If(takesPart, func() { e.storeState(s.ringView.offsets, place, before) }, nil)
	e.b.If(loop.Eq(e.localID, loop.Int(rowSubgroups-1)), func() {
		e.tile = tileIndex
		t.publish(e, e.arguments.buffer(t.buffer, ir.U64, plan.ReadsWrites), flagAggregate, folds)
	}, nil)
}
