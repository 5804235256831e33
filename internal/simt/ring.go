package simt

import (
	"maps"
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// The ring of a group that walks in rounds: stages of local memory, each for the
// columns of a tile, which bulk copies bring while the group works on others.

// Bulk copies bring elements as they are held.
func (r *round) canStage(k ir.Kind) bool { return k != ir.Char8 }

// Columns lie as in global memory.
func (r *round) layout(k *kernel, kind ir.Kind) layout {
	l := layout{word: kind, stride: k.items, wide: loop.Wide(loop.SliceOf(loop.ScalarOf(kind)).In(loop.Global))}
	if kind.Size() >= ir.U32.Size() {
		l.word = wordOf(kind)
	}
	if k.singly || l.wide > 0 && k.items%l.wide != 0 {
		l.wide = 0
	}
	return l
}

// fit lays out a stage for the columns of a pool, chooses how many there are, and
// reports whether local memory suffices. Where no stage is to spare, more
// subgroups have room, if the schedule leaves that open.
func (r *round) fit(k *kernel, p pool) bool {
	spare, tight := r.lookahead+3, r.lookahead+2
	most := r.least
	if k.isOpen {
		most += roundMore
	}
	switch {
	case r.wanted > tight:
		return r.fits(k, p, r.least, r.wanted)
	case r.wanted == 0 && r.least >= r.usual && r.fits(k, p, r.least, spare):
		return true
	}
	for teams := most; teams > r.least; teams-- {
		if r.fits(k, p, teams, tight) {
			return true
		}
	}
	return r.wanted == 0 && r.fits(k, p, r.least, spare) || r.fits(k, p, r.least, tight)
}

// fits is fit for so many subgroups and stages.
func (r *round) fits(k *kernel, p pool, teams, ring int) bool {
	r.teams, r.ring, r.columns, r.stage = teams, ring, map[int]int64{}, 0
	for i := range k.Streams {
		if !p.staged[i] {
			continue
		}
		if p.halo[i] { // before the first row, for the row before it
			r.stage += copyLine
		}
		r.columns[i] = r.stage
		r.stage += alignedLine(int64(teams) * k.rows() * int64(k.Streams[i].Kind.Size()))
	}
	r.copied = r.stage
	r.stage += alignedLine(int64(teams) * p.stage)
	st := k.stateOf(k.cuts[0])
	own := 2*((r.lookahead+2)*teams+1)*st.bytes() + mostRound*newStatus(st, 0, "", true).words*ir.U64.Size() + 2*ring*ir.U64.Size()
	return own <= ownBudget && ring*int(r.stage)+teams*int(p.bytes)+own <= roundBudget
}

// hasRoom reports whether local memory suffices for the group that was chosen last.
func (r *round) hasRoom(k *kernel) bool { return r.fits(k, k.pool, r.teams, r.ring) }

// copyLine is the alignment of columns in a stage: that of global memory, whose lines
// copies read and write whole.
const copyLine = 128

func alignedLine(bytes int64) int64 { return (bytes + copyLine - 1) / copyLine * copyLine }

// bytes returns the local memory of the ring and of what subgroups share.
func (r *round) bytes(k *kernel) int64 {
	return max(int64(r.ring)*r.stage+int64(r.teams)*k.pool.bytes, loop.WideBytes)
}

// isTight reports whether no stage is to spare. Then one is refilled as soon as the
// last subgroup has done its rows, and not only when all have met: its copies have
// a round to come instead of a part of it.
func (r *round) isTight() bool { return r.ring < r.lookahead+3 && len(r.columns) > 0 }

// wordAt returns the word of the pool at which byte at of a stage lies.
func (r *round) wordAt(stage loop.Expr, at int64, word ir.Kind) loop.Expr {
	size := int64(word.Size())
	return loop.Add(loop.Mul(stage, loop.Int(r.stage/size)), loop.Int(at/size))
}

// Columns lie in stages.
func (r *round) columnBytes(*kernel, ir.Kind) int64 { return 0 }

// grow leaves subgroups out while there is no room for columns, and then for
// states.
func (r *round) grow(k *kernel, items int, aligned func(stream int) bool) {
	if !k.isOpen || !k.unstaged && (items > 0 || k.items >= leastDirect) {
		return
	}
	best, most := r.usual, r.tileRows(k)
	for r.least > roundStep {
		r.least -= roundStep
		k.tryGroup(items, aligned)
		if rows := r.tileRows(k); rows > most {
			best, most = r.least, rows
		}
	}
	r.least = best
	k.tryGroup(items, aligned)
	for !r.hasRoom(k) && r.least > roundStep { // where no columns are staged
		r.least -= roundStep
		k.tryGroup(items, aligned)
	}
}

// tileRows returns the rows of a group's tile in the ring.
func (r *round) tileRows(k *kernel) int64 {
	if k.unstaged {
		return 0
	}
	return k.rows() * int64(r.teams)
}

func (r *round) placeFor(k *kernel, p pool, store int) (stream int, ok bool) {
	if len(k.Ops[store].Args) != 1 {
		return 0, false
	}
	size := k.storedKind(&k.Ops[store]).Size()
	taken := slices.Collect(maps.Values(p.inPlace))
	return k.freeColumn(p, func(i int) bool { return k.Streams[i].Kind.Size() == size && !slices.Contains(taken, i) })
}

// Folds lie behind the columns of a stage.
func (r *round) reserve(p *pool, bytes int64) (at int64) {
	at = p.stage
	p.stage += bytes
	return at
}

func (r *round) compacts(*kernel) bool { return false }

func (r *round) numbers(*kernel) bool { return true }

// A subgroup handles its rows as a work-group does elsewhere.
func (w *window) scope() loop.Scope { return loop.SubgroupScope }

func (w *window) bytes(e *function) int64 { return w.round.bytes(e.kernel) }

// All work-items have the counts in registers.
func (w *window) shareCounts(e *selectionBody, st *state, total []loop.Expr) (count func(p pick) loop.Expr) {
	return e.countsIn(st, total)
}

// Columns stay in their stage, and values are computed once more.
func (w *window) keepsColumns(*function) bool { return true }

func (w *window) keepsValues() bool { return false }

func (w *window) dealsWide() bool { return false }

// A copy brings the row before the tile, too.
func (w *window) takeBefore(e *tileBody, h haloRow) {
	e.b.If(w.isCopied, func() {
		e.b.If(loop.Or(loop.Gt(h.start, loop.Int(0)), loop.Gt(e.first, loop.Int(0))), func() { h.store(loop.Sub(h.own, loop.Int(1))) }, nil)
	}, func() {
		h.dealt(func() { // a subgroup may have no rows
			isFirst := loop.And(loop.Eq(e.lane, loop.Int(0)), loop.And(loop.Gt(e.first, loop.Int(0)), loop.Gt(e.count, loop.Int(0))))
			e.b.If(isFirst, func() { e.b.Store(h.mine, loop.Int(0), loop.At(h.memory, loop.Sub(e.first, loop.Int(1)))) }, nil)
		})
	})
}

// column returns the word of the pool at which the subgroup's rows of a staged
// column begin.
func (w *window) column(e *tileBody, i int, word ir.Kind) loop.Expr {
	start := w.wordAt(w.stage, w.columns[i], word)
	return e.b.Let("column", loop.Add(start, loop.Mul(w.team, loop.Int(e.kernel.rows()))))
}

// reserved returns the word of the pool at which something of the subgroup
// lies that follows the columns of a stage: each has so many bytes of it, behind
// at bytes each of something else.
func (w *window) reserved(e *function, at, bytes int64, word ir.Kind) loop.Expr {
	start := w.wordAt(w.stage, w.copied+int64(w.teams)*at, word)
	return loop.Add(start, loop.Mul(w.team, loop.Int(bytes/int64(word.Size()))))
}

// start returns the word of the pool at which byte region of what the subgroup's
// work-items share lies.
func (w *window) start(e *function, region int64, word ir.Kind) loop.Expr {
	size := int64(word.Size())
	start := int64(w.ring)*w.round.stage + region
	return loop.Add(loop.Mul(w.team, loop.Int(e.pool.bytes/size)), loop.Int(start/size))
}

// The leaf intrinsics of bulk copies, and of the words that groups ask for.
var (
	words64      = loop.SliceOf(loop.ScalarOf(ir.U64)).In(loop.Local)
	words32      = loop.SliceOf(loop.ScalarOf(ir.U32)).In(loop.Local)
	scalarI32    = loop.ScalarOf(ir.I32)
	scalarU32    = loop.ScalarOf(ir.U32)
	copyInit     = effect("mbarrier_init", words64, scalarI32, scalarI32)
	copyPublish  = effect("mbarrier_publish")
	copyIsFree   = effect("mbarrier_arrive", words64, scalarI32)
	copyExpect   = effect("mbarrier_expect", words64, scalarI32, scalarU32)
	copyHasCome  = &loop.Signature{Name: "mbarrier_passed", Params: []loop.Type{words64, scalarI32, scalarU32}, Results: []loop.Type{loop.Bool}, Effects: true}
	copyReuse    = effect("bulk_reuse")
	loadRelaxed  = &loop.Signature{Name: "load_relaxed_u64", Params: []loop.Type{loop.SliceOf(loop.ScalarOf(ir.U64)).In(loop.Global), scalarI32}, Results: []loop.Type{loop.ScalarOf(ir.U64)}, Effects: true}
	copyOfColumn = map[ir.Kind]*loop.Signature{}
)

func init() {
	for _, k := range []ir.Kind{ir.Bool, ir.I8, ir.U8, ir.I16, ir.U16, ir.I32, ir.U32, ir.I64, ir.U64, ir.F32, ir.F64, ir.Date} {
		from := loop.SliceOf(loop.ScalarOf(k)).In(loop.Global).AsReadOnly()
		copyOfColumn[k] = effect("bulk_copy_"+k.String(), words32, scalarI32, from, loop.ScalarOf(ir.I64), scalarU32, words64, scalarI32)
	}
}

func effect(name string, params ...loop.Type) *loop.Signature {
	return &loop.Signature{Name: name, Params: params, Effects: true}
}

func narrow(x loop.Expr) loop.Expr { return loop.ToKind(ir.I32, x) }

// awaitPhase waits until a barrier has passed the phase of that parity.
func (e *function) awaitPhase(barriers *loop.Var, stage, parity loop.Expr) {
	waiting := e.b.Decl("waiting", loop.True)
	e.b.While(waiting, func() {
		e.b.Assign(waiting, loop.Not(e.b.Let("has_passed", loop.CallOf(copyHasCome, barriers, narrow(stage), parity))))
	})
}

// bring starts the copies of a tile of a group that has all its rows.
func (s *persistent) bring(e *function, stage, tile loop.Expr) {
	w, r := s.window, s.round
	rows := s.rows() * int64(r.teams)
	first := e.b.Let("from", loop.Add(loop.ToKind(ir.I64, e.arguments.row0), loop.Mul(loop.ToKind(ir.I64, tile), loop.ToKind(ir.I64, loop.Int(rows)))))
	halo := e.b.Let("halo", loop.ToKind(ir.U32, loop.Choose(loop.Gt(first, number(ir.I64, 0)), number(ir.U32, loop.WideBytes), number(ir.U32, 0))))
	bytes := loop.Expr(number(ir.U32, 0))
	sizeOf := func(i int) loop.Expr {
		size := loop.Expr(number(ir.U32, rows*int64(s.Streams[i].Kind.Size())))
		if s.pool.halo[i] {
			size = loop.Add(size, halo)
		}
		return size
	}
	streams := slices.Sorted(maps.Keys(r.columns))
	for _, i := range streams {
		bytes = loop.Add(bytes, sizeOf(i))
	}
	e.b.Do(copyExpect, []loop.Expr{w.arrived, narrow(stage), bytes})
	for _, i := range streams {
		kind := s.Streams[i].Kind
		word := r.wordAt(stage, r.columns[i], ir.U32)
		from := loop.Mul(first, number(ir.I64, int64(kind.Size())))
		if s.pool.halo[i] {
			word = loop.Sub(word, loop.ToCounter(loop.Apply(ir.OpShr, halo, number(ir.U32, 2))))
			from = loop.Sub(from, loop.ToKind(ir.I64, halo))
		}
		e.b.Do(copyOfColumn[kind], []loop.Expr{e.poolOf(ir.U32), narrow(word), e.stream(i), from, sizeOf(i), w.arrived, narrow(stage)})
	}
}

// fillRing makes the barriers of the stages, and starts the first copies.
func (s *persistent) fillRing(e *function, group, groups loop.Expr) {
	w, r := s.window, s.round
	e.b.For("stage", loop.Int(0), loop.Int(int64(r.ring)), func(stage *loop.Var) {
		e.b.Do(copyInit, []loop.Expr{w.arrived, narrow(stage), number(ir.I32, 1)})
		if r.isTight() {
			e.b.Do(copyInit, []loop.Expr{w.freed, narrow(stage), number(ir.I32, int64(r.teams))})
		}
	})
	e.b.Do(copyPublish, nil)
	e.b.For("stage", loop.Int(0), loop.Int(int64(r.ring)), func(stage *loop.Var) {
		tile := e.b.Let("next", loop.Add(group, loop.Mul(stage, groups)))
		e.b.If(loop.Lt(tile, w.whole), func() { s.bring(e, stage, tile) }, nil)
	})
}

// refill starts the copies of a tile of the next rounds to the stage that is free.
func (s *persistent) refill(e *function, at, groups, freed, parity loop.Expr) {
	w, r := s.window, s.round
	next := e.b.Let("next", loop.Add(at, loop.Mul(groups, loop.Int(int64(r.ring-1)))))
	e.b.If(loop.And(loop.Ge(loop.Sub(at, groups), loop.Int(0)), loop.Lt(next, w.whole)), func() {
		if r.isTight() {
			e.awaitPhase(w.freed, freed, parity)
		}
		s.bring(e, freed, next)
	}, nil)
}
