package simt

import (
	"maps"
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// The ring of a persistent work-group: stages of local memory, each for the columns
// of a tile. Bulk copies fill some while the work-group works on others.

// Bulk copies do not convert, and a char8 is held in another byte order.
func (r *ring) canStage(k ir.Kind) bool { return k != ir.Char8 }

// Columns lie as in global memory.
func (r *ring) layout(k *kernel, kind ir.Kind) layout {
	l := layout{word: kind, stride: k.items, wide: loop.Wide(loop.SliceOf(loop.ScalarOf(kind)).In(loop.Global))}
	if kind.Size() >= ir.U32.Size() {
		l.word = wordOf(kind)
	}
	if k.singly || l.wide > 0 && k.items%l.wide != 0 {
		l.wide = 0
	}
	return l
}

// fit lays out a stage for the columns of an arena, chooses the number of stages, and
// reports whether local memory suffices. If the schedule leaves the number of subgroups
// open, more of them count for more than a spare stage.
func (r *ring) fit(k *kernel, p arena) bool {
	spare, tight := r.lookahead+3, r.lookahead+2
	if r.wanted > tight {
		return r.fits(k, p, r.minSubgroups, r.wanted)
	}
	if k.isOpen {
		for more := mostSubgroups; more > 0; more-- {
			isSpare := r.wanted == 0 && r.minSubgroups >= r.usual && r.fits(k, p, r.minSubgroups+more, spare)
			if isSpare || more <= tightSubgroups && r.fits(k, p, r.minSubgroups+more, tight) {
				return true
			}
		}
	}
	return r.wanted == 0 && r.fits(k, p, r.minSubgroups, spare) || r.fits(k, p, r.minSubgroups, tight)
}

// fits is fit for so many subgroups and stages.
func (r *ring) fits(k *kernel, p arena, rowSubgroups, stages int) bool {
	r.rowSubgroups, r.stages, r.columns, r.stage = rowSubgroups, stages, map[int]int64{}, 0
	for i := range k.Streams {
		if !p.staged[i] {
			continue
		}
		if p.halo[i] { // before the first row, for the row before it
			r.stage += copyLine
		}
		r.columns[i] = r.stage
		r.stage += alignedLine(int64(rowSubgroups) * k.rows() * int64(k.Streams[i].Kind.Size()))
	}
	r.copied = r.stage
	r.stage += alignedLine(int64(rowSubgroups) * p.stage)
	st := k.stateOf(k.cuts[0])
	own := 2*((r.lookahead+2)*rowSubgroups+1)*st.bytes() + maxResidentGroups*newStatus(st, 0, "", true).words*ir.U64.Size() + 2*stages*ir.U64.Size()
	return own <= ownBudget && stages*int(r.stage)+rowSubgroups*int(p.bytes)+own <= persistentBudget
}

// fitsStates reports whether local memory suffices for the ring that was chosen last.
func (r *ring) fitsStates(k *kernel) bool { return r.fits(k, k.arena, r.rowSubgroups, r.stages) }

// copyLine is the alignment of columns in a stage: the line of global memory, which
// copies take whole.
const copyLine = 128

func alignedLine(bytes int64) int64 { return (bytes + copyLine - 1) / copyLine * copyLine }

// bytes returns the local memory of the ring and of what subgroups share.
func (r *ring) bytes(k *kernel) int64 {
	return max(int64(r.stages)*r.stage+int64(r.rowSubgroups)*k.arena.bytes, loop.WideBytes)
}

// isTight reports whether the ring has no spare stage. Then a stage is refilled as
// soon as the last subgroup is done with its rows, not only behind the barrier of the
// round: its copies have a whole round to arrive, instead of a part.
func (r *ring) isTight() bool { return r.stages < r.lookahead+3 && len(r.columns) > 0 }

// wordAt returns the word of the arena at which byte at of a stage lies.
func (r *ring) wordAt(stage loop.Expr, at int64, word ir.Kind) loop.Expr {
	size := int64(word.Size())
	return loop.Add(loop.Mul(stage, loop.Int(r.stage/size)), loop.Int(at/size))
}

// Columns lie in stages.
func (r *ring) columnBytes(*kernel, ir.Kind) int64 { return 0 }

// grow takes fewer subgroups while columns do not fit, and then while states do not. So it does
// where work-items can have the most rows then, and the tile of a work-group has hardly fewer.
func (r *ring) grow(k *kernel, items int, aligned func(stream int) bool) {
	prefersItems := items == 0 && k.items == itemChoices[1] && k.foldsOnce()
	if !k.isOpen || !k.unstaged && (items > 0 || k.items >= minDirectItems && !prefersItems) {
		return
	}
	best, most := r.usual, r.tileRows(k)
	if prefersItems {
		most -= most / 8
	}
	for r.minSubgroups > subgroupStep {
		r.minSubgroups -= subgroupStep
		k.tryWorkgroup(items, aligned)
		if rows := r.tileRows(k); rows > most {
			best, most = r.minSubgroups, rows
		}
	}
	r.minSubgroups = best
	k.tryWorkgroup(items, aligned)
	for !r.fitsStates(k) && r.minSubgroups > subgroupStep { // without staged columns
		r.minSubgroups -= subgroupStep
		k.tryWorkgroup(items, aligned)
	}
}

// foldsOnce reports whether the kernel only selects rows, and folds one thing from one to the next. More rows of a
// work-item then take less time; two folds, as of least and greatest, take longer where every row is selected.
func (k *kernel) foldsOnce() bool {
	return len(k.segments.scans) > 0 && len(k.foldedBy(k.stateOf(k.cuts[0]), 0)) == 1
}

// tileRows returns the rows of a work-group's tile in the ring.
func (r *ring) tileRows(k *kernel) int64 {
	if k.unstaged {
		return 0
	}
	return k.rows() * int64(r.rowSubgroups)
}

func (r *ring) placeFor(k *kernel, p arena, store int) (stream int, ok bool) {
	if len(k.Ops[store].Args) != 1 {
		return 0, false
	}
	size := k.storedKind(&k.Ops[store]).Size()
	taken := slices.Collect(maps.Values(p.inPlace))
	return k.freeColumn(p, func(i int) bool { return k.Streams[i].Kind.Size() == size && !slices.Contains(taken, i) })
}

// Folds lie behind the columns of a stage.
func (r *ring) reserve(p *arena, bytes int64) (at int64) {
	at = p.stage
	p.stage += bytes
	return at
}

func (r *ring) compacts(*kernel) bool { return false }

func (r *ring) numbers(*kernel) bool { return true }

// A subgroup handles its rows as a work-group does elsewhere.
func (w *ringView) scope() loop.Scope { return loop.SubgroupScope }

func (w *ringView) bytes(e *function) int64 { return w.ring.bytes(e.kernel) }

// All work-items of a subgroup have the counts in registers.
func (w *ringView) shareCounts(e *selectionBody, st *state, total []loop.Expr) (count func(p selection) loop.Expr) {
	return e.countsIn(st, total)
}

// Columns stay in their stage, and values are computed again.
func (w *ringView) keepsColumns(*function) bool { return true }

func (w *ringView) keepsValues() bool { return false }

func (w *ringView) dealsWide() bool { return false }

// A copy brings the row before the tile, too.
func (w *ringView) takeBefore(e *tileBody, h haloRow) {
	e.b.If(w.isCopied, func() {
		e.b.If(loop.Or(loop.Gt(h.start, loop.Int(0)), loop.Gt(e.first, loop.Int(0))), func() { h.store(loop.Sub(h.own, loop.Int(1))) }, nil)
	}, func() {
		h.dealt(func() { // a subgroup may have no rows
			isFirst := loop.And(loop.Eq(e.localID, loop.Int(0)), loop.And(loop.Gt(e.first, loop.Int(0)), loop.Gt(e.count, loop.Int(0))))
			e.b.If(isFirst, func() { e.b.Store(h.mine, loop.Int(0), loop.At(h.memory, loop.Sub(e.first, loop.Int(1)))) }, nil)
		})
	})
}

// column returns the word of the arena at which the subgroup's rows of a staged
// column begin.
func (w *ringView) column(e *tileBody, i int, word ir.Kind) loop.Expr {
	start := w.wordAt(w.stage, w.columns[i], word)
	return e.b.Let("column", loop.Add(start, loop.Mul(w.subgroup, loop.Int(e.kernel.rows()))))
}

// reserved returns the word of the arena at which the subgroup's share of an area
// behind the columns of its stage begins. The area starts at byte at and has bytes
// per subgroup.
func (w *ringView) reserved(e *function, at, bytes int64, word ir.Kind) loop.Expr {
	start := w.wordAt(w.stage, w.copied+int64(w.rowSubgroups)*at, word)
	return loop.Add(start, loop.Mul(w.subgroup, loop.Int(bytes/int64(word.Size()))))
}

// start returns the word of the arena at which byte region of what the subgroup's
// work-items share lies.
func (w *ringView) start(e *function, region int64, word ir.Kind) loop.Expr {
	size := int64(word.Size())
	start := int64(w.stages)*w.ring.stage + region
	return loop.Add(loop.Mul(w.subgroup, loop.Int(e.arena.bytes/size)), loop.Int(start/size))
}

// The helpers of bulk copies, and of the words that work-groups poll.
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
	for _, k := range []ir.Kind{ir.Bool, ir.I8, ir.U8, ir.I16, ir.U16, ir.I32, ir.U32, ir.I64, ir.U64, ir.F32, ir.F64} {
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

// bring starts the copies of a work-group's tile that has all its rows.
func (s *persistent) bring(e *function, stage, tile loop.Expr) {
	w, r := s.ringView, s.ring
	rows := s.rows() * int64(r.rowSubgroups)
	first := e.b.Let("from", loop.Add(loop.ToKind(ir.I64, e.arguments.row0), loop.Mul(loop.ToKind(ir.I64, tile), loop.ToKind(ir.I64, loop.Int(rows)))))
	halo := e.b.Let("halo", loop.ToKind(ir.U32, loop.Choose(loop.Gt(first, number(ir.I64, 0)), number(ir.U32, loop.WideBytes), number(ir.U32, 0))))
	bytes := loop.Expr(number(ir.U32, 0))
	sizeOf := func(i int) loop.Expr {
		size := loop.Expr(number(ir.U32, rows*int64(s.Streams[i].Kind.Size())))
		if s.arena.halo[i] {
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
		if s.arena.halo[i] {
			word = loop.Sub(word, loop.ToCounter(loop.Apply(ir.OpShr, halo, number(ir.U32, 2))))
			from = loop.Sub(from, loop.ToKind(ir.I64, halo))
		}
		e.b.Do(copyOfColumn[kind.Stored()], []loop.Expr{e.arenaOf(ir.U32), narrow(word), e.stream(i), from, sizeOf(i), w.arrived, narrow(stage)})
	}
}

// fillRing makes the barriers of the stages, and starts the first copies.
func (s *persistent) fillRing(e *function, workgroup, workgroups loop.Expr) {
	w, r := s.ringView, s.ring
	e.b.For("stage", loop.Int(0), loop.Int(int64(r.stages)), func(stage *loop.Var) {
		e.b.Do(copyInit, []loop.Expr{w.arrived, narrow(stage), number(ir.I32, 1)})
		if r.isTight() {
			e.b.Do(copyInit, []loop.Expr{w.freed, narrow(stage), number(ir.I32, int64(r.rowSubgroups))})
		}
	})
	e.b.Do(copyPublish, nil)
	e.b.For("stage", loop.Int(0), loop.Int(int64(r.stages)), func(stage *loop.Var) {
		tile := e.b.Let("next", loop.Add(workgroup, loop.Mul(stage, workgroups)))
		e.b.If(loop.Lt(tile, w.whole), func() { s.bring(e, stage, tile) }, nil)
	})
}

// refill starts the copies of the tile that is next to enter the ring.
func (s *persistent) refill(e *function, at, workgroups, freed, parity loop.Expr) {
	w, r := s.ringView, s.ring
	next := e.b.Let("next", loop.Add(at, loop.Mul(workgroups, loop.Int(int64(r.stages-1)))))
	e.b.If(loop.And(loop.Ge(loop.Sub(at, workgroups), loop.Int(0)), loop.Lt(next, w.whole)), func() {
		if r.isTight() {
			e.awaitPhase(w.freed, freed, parity)
		}
		s.bring(e, freed, next)
	}, nil)
}
