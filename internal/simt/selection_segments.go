package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Results may be folds of the rows from one selected row to the next: sums of runs
// are. A work-item then goes through its rows again. At each selected row it stores
// the fold of the rows before to local memory, where folds lie in the order of their
// places. They may replace a column that work-items hold. If not all fit, a tile
// stores them window by window.
//
// Under scheme=persistent a tile counts its selected rows first. Then it stores the
// folds as it folds its rows, and goes through the rows again only if there are too
// many. Under look-back, folding twice is faster: counting first would delay what a
// tile publishes.

// segments is what the arena holds of the folds of segments.
type segments struct {
	scans  []int // that fold from one selected row to the next
	rows   int64 // folds of each slot that fit
	places map[stateKey]foldPlace
}

// foldPlace is where the folds of a slot lie.
type foldPlace struct {
	column int   // the staged column that they replace, or -1
	at     int64 // the first byte: in the column, in the arena, or in the subgroup's bytes behind the columns of a stage
}

// foldsSegments reports whether scan i folds something of the rows of the base since
// guard.
func (k *kernel) foldsSegments(i int, guard tile.ID) bool {
	op := &k.Ops[i]
	return op.Domain == 0 && op.Monoid.Kind == tile.Segmented && op.Segment == guard && k.rowsSince(i) != guard && k.areLocal(op.Args)
}

// foldedSince lists the scans that fold segments: those since guard, or all if that
// is 0.
func (k *kernel) foldedSince(guard tile.ID) (scans []int) {
	for _, i := range k.segments.scans {
		if guard == 0 || k.Ops[i].Segment == guard {
			scans = append(scans, i)
		}
	}
	return scans
}

// foldedBy lists the slots of a state that these scans fold.
func (k *kernel) foldedBy(st *state, guard tile.ID) (list []int) {
	scans := k.foldedSince(guard)
	for j, s := range st.slots {
		if slices.Contains(scans, s.op) && s.field > 0 {
			list = append(list, j)
		}
	}
	return list
}

// planSegments finds bytes in p for as many folds as possible, and reports whether
// they suffice for at least an eighth of the rows of a tile. In an arena, folds of half of the
// rows are enough if they all replace columns: more work-groups then run at once.
func (k *kernel) planSegments(p *arena, registers int) bool {
	if len(k.segments.scans) == 0 {
		return k.settle(*p, registers)
	}
	_, isRing := k.placement.(*ring)
	return !isRing && k.fitSegments(*p, registers, k.rows()/2, true) || k.fitSegments(*p, registers, k.rows()/8, false)
}

// fitSegments finds bytes for as many folds as possible, but not fewer than least, in columns
// alone if inColumns.
func (k *kernel) fitSegments(p arena, registers int, least int64, inColumns bool) bool {
	for k.segments.rows = k.rows(); k.segments.rows >= max(least, 1); k.segments.rows /= 2 {
		whole := p
		k.placeFolds(&whole)
		if (!inColumns || whole.bytes == p.bytes) && k.settle(whole, registers) {
			return true
		}
	}
	return false
}

// placeFolds gives each slot bytes for its folds: those of a column if enough are
// left, else its own, in the arena or behind the columns of a stage.
func (k *kernel) placeFolds(p *arena) {
	k.segments.places = map[stateKey]foldPlace{}
	st := k.stateOf(k.cuts[0])
	taken := map[int]int64{}
	for _, j := range k.foldedBy(st, 0) {
		s := st.slots[j]
		bytes := k.foldBytes(s)
		column, ok := k.freeColumn(*p, func(i int) bool {
			size := int64(k.Streams[i].Kind.Size())
			return size >= int64(ir.U32.Size()) && taken[i]+bytes <= k.rows()*size && !k.isDelivered(i)
		})
		switch {
		case ok:
			k.segments.places[s.stateKey] = foldPlace{column, taken[column]}
			taken[column] += bytes
		default:
			k.segments.places[s.stateKey] = foldPlace{-1, k.placement.reserve(p, bytes)}
		}
	}
}

// foldBytes returns the bytes that the folds of a slot take.
func (k *kernel) foldBytes(s slot) int64 {
	return aligned16(k.segments.rows * int64(wordOf(s.kind).Size()))
}

// replacesColumns reports whether folds replace columns.
func (b *segments) replacesColumns() bool {
	for _, r := range b.places {
		if r.column >= 0 {
			return true
		}
	}
	return false
}

// awaitColumnReaders waits until all work-items have taken the columns that folds
// replace.
func (e *function) awaitColumnReaders() {
	if e.segments.replacesColumns() {
		e.barrier()
	}
}

// isDelivered reports whether a column is read for what is stored of a selected row.
func (k *kernel) isDelivered(stream int) bool {
	var reads func(v tile.ID) bool
	reads = func(v tile.ID) bool {
		op := &k.Ops[k.Values[v].Op]
		return op.IsLoad() && op.Stream == stream || !op.Cuts() && slices.ContainsFunc(op.Args, reads)
	}
	for _, p := range k.selections {
		for _, i := range slices.Concat(p.rows, p.segments) {
			if reads(k.Ops[i].Args[0]) {
				return true
			}
		}
	}
	return false
}

// foldPlace returns the memory that holds the folds of a slot, and the place of the first.
func (e *tileBody) foldPlace(s slot) (memory *loop.Var, first loop.Expr) {
	word, r := wordOf(s.kind), e.segments.places[s.stateKey]
	memory, size := e.arenaOf(word), int64(word.Size())
	if r.column >= 0 {
		column := wordOf(e.Streams[r.column].Kind)
		first = e.staged(r.column, layout{word: column})
		if column != word { // a tile's rows are a multiple of the two sizes
			first = loop.Div(loop.Mul(first, loop.Int(int64(column.Size()))), loop.Int(size))
		}
		first = loop.Add(first, loop.Int(r.at/size))
	} else {
		first = e.residence.reserved(e.function, r.at, e.foldBytes(s), word)
	}
	return memory, e.b.Let("folds", first)
}

// foldedSelections returns a selection for each flag since which something is folded.
func (k *kernel) foldedSelections() (list []selection) {
	for j, p := range k.selections {
		if selectionBy(k.selections, p.guard) == j && len(k.foldedSince(p.guard)) > 0 {
			list = append(list, p)
		}
	}
	return list
}

// areFolded reports whether a tile has stored the folds of all its segments when it
// folded its rows: it is whole, and they fit. total is its state.
func (e *selectionBody) areFolded(st *state, total []loop.Expr) loop.Expr {
	all := loop.Expr(loop.Eq(e.count, loop.Int(e.kernel.rows())))
	if e.segments.rows < e.kernel.rows() {
		for _, p := range e.foldedSelections() {
			all = loop.And(all, loop.Le(loop.ToCounter(total[st.counted(p)]), loop.Int(e.segments.rows)))
		}
	}
	return e.b.Let("is_folded", all)
}

// foldRows folds this work-item's rows since its last selected row, and if
// isFoldedFirst, stores the folds of the segments before. counts has the numbers of
// selected rows of the tile before this work-item's.
func (e *selectionBody) foldRows(st *state, counts []loop.Expr, isFoldedFirst loop.Expr) {
	e.awaitColumnReaders()
	selections := e.foldedSelections()
	e.now = e.until
	e.b.If(isFoldedFirst, func() {
		memories, places := make([]*loop.Var, len(st.slots)), make([]*loop.Var, len(st.slots))
		for _, p := range selections {
			for _, j := range e.foldedBy(st, p.guard) {
				memory, first := e.foldPlace(st.slots[j])
				memories[j], places[j] = memory, e.b.Decl("at", loop.Add(first, loop.ToCounter(counts[st.counted(p)])))
			}
		}
		e.eachRow(true, func() {
			for _, p := range selections {
				isSelected := e.isSelected(p)
				e.b.If(isSelected, func() {
					for _, j := range e.foldedBy(st, p.guard) {
						s := st.slots[j]
						e.b.Store(memories[j], places[j], toWord(wordOf(s.kind), e.folds[s.stateKey]))
						e.b.Assign(places[j], loop.Add(places[j], loop.Int(1)))
					}
				}, nil)
				e.advanceSegments(e.folds, p, isSelected)
			}
		})
	}, func() {
		e.eachRow(false, func() {
			for _, p := range selections {
				e.advanceSegments(e.folds, p, e.isSelected(p))
			}
		})
	})
}

// isSelected reports whether the row at hand is selected.
func (e *rowBody) isSelected(p selection) loop.Expr {
	return e.b.Let("is_selected", isSet(e.bitsOf(p.guard), e.item))
}

// bitsOf returns the bits of this work-item's rows where guard is set.
func (e *rowBody) bitsOf(guard tile.ID) *loop.Var {
	return e.selectedBits[selectionBy(e.selections, guard)]
}

// closeFirst completes the first fold that this work-item has stored, by the rows of
// the segment that earlier work-items have.
func (e *selectionBody) closeFirst(st *state, before []loop.Expr, isFoldedFirst loop.Expr) {
	for _, p := range e.foldedSelections() {
		hasSelected := loop.Ne(e.bitsOf(p.guard), number(ir.U32, 0))
		e.b.If(loop.And(isFoldedFirst, hasSelected), func() {
			at := loop.ToCounter(before[st.counted(p)])
			whole := e.combine(st, before, e.loadFolds(st, p, at))
			for _, j := range e.foldedBy(st, p.guard) {
				memory, first := e.foldPlace(st.slots[j])
				e.b.Store(memory, loop.Add(at, first), toWord(wordOf(st.slots[j].kind), whole[j]))
			}
		}, nil)
	}
}

// scanSince scans over a subgroup what its work-items have folded since their last
// selected row. selecting has a bit for each work-item that has such a row; by these
// a work-item knows how far back its segment reaches.
func (e *selectionBody) scanSince(st *state, slots []int, selecting loop.Expr, before, total []loop.Expr) {
	nearest := e.b.Let("nearest", loop.Greatest(e.subgroup.last(e.subgroup.upTo(selecting)), loop.Int(0)))
	mine := e.folded(st)
	for distance := 1; distance < e.subgroup.Width; distance *= 2 {
		theirs := slices.Clone(mine)
		for _, j := range slots {
			theirs[j] = e.shuffle(single(e.kernel, st.slots[j]), shuffleUp, []loop.Expr{mine[j]}, loop.Int(int64(distance)))[0]
		}
		isNearer := e.b.Let("is_nearer", loop.Lt(loop.Sub(sublane(), loop.Int(int64(distance))), nearest))
		mine = e.combineSince(st, slots, theirs, mine, isNearer)
	}
	for _, j := range slots {
		one := single(e.kernel, st.slots[j])
		before[j] = e.shiftUp(one, sublane(), []loop.Expr{mine[j]})[0]
		total[j] = e.shuffle(one, broadcast, []loop.Expr{mine[j]}, loop.Int(int64(e.subgroup.Width-1)))[0]
	}
}

// combineSince combines folds of segments. isBegun says whether the segment of later
// begins behind earlier.
func (e *selectionBody) combineSince(st *state, slots []int, earlier, later []loop.Expr, isBegun loop.Expr) []loop.Expr {
	field := func(values []loop.Expr, flag loop.Expr) func(key stateKey) loop.Expr {
		return func(key stateKey) loop.Expr {
			if key.field == 0 {
				return flag
			}
			return st.field(values, key)
		}
	}
	out := slices.Clone(later)
	e.combineSlots(st, slots, out, field(earlier, loop.False), field(later, isBegun))
	return out
}

// foldSegments goes through this work-item's rows and stores the folds at selected
// rows numbered from base on, as many as a window holds. before is the fold of the
// tile's rows before this work-item's. Testing bounds in every row is a fifth faster
// on an H200 than a specialised copy of the loop.
func (e *selectionBody) foldSegments(st *state, p selection, before []loop.Expr, base loop.Expr) {
	running := map[stateKey]*loop.Var{}
	slots := e.foldedBy(st, p.guard)
	memories, firsts := make([]*loop.Var, len(st.slots)), make([]loop.Expr, len(st.slots))
	for _, j := range slots {
		running[st.slots[j].stateKey] = e.b.Decl(st.name(j), before[j])
		memories[j], firsts[j] = e.foldPlace(st.slots[j])
	}
	at := e.b.Decl("at", loop.Sub(loop.ToCounter(before[st.counted(p)]), base))
	e.now = e.until
	e.eachRow(false, func() {
		isSelected := e.isSelected(p)
		e.b.If(isSelected, func() {
			e.b.If(loop.And(loop.Ge(at, loop.Int(0)), loop.Lt(at, loop.Int(e.segments.rows))), func() {
				for _, j := range slots {
					s := st.slots[j]
					e.b.Store(memories[j], loop.Add(at, firsts[j]), toWord(wordOf(s.kind), running[s.stateKey]))
				}
			}, nil)
			e.b.Assign(at, loop.Add(at, loop.Int(1)))
		}, nil)
		e.advanceSegments(running, p, isSelected)
	})
}

// advanceSegments adds the row at hand to the folds since the last row of a selection.
func (e *selectionBody) advanceSegments(states map[stateKey]*loop.Var, p selection, isSelected loop.Expr) {
	e.values[p.guard] = isSelected
	for _, i := range e.foldedSince(p.guard) {
		e.advance(states, i, e.exprs(e.Ops[i].Args))
	}
}

// loadFolds returns a state with the folds of a segment of a selection, number at of its
// window.
func (e *selectionBody) loadFolds(st *state, p selection, at loop.Expr) []loop.Expr {
	folds := st.identities()
	for _, j := range e.foldedBy(st, p.guard) {
		s := st.slots[j]
		memory, first := e.foldPlace(s)
		folds[j] = e.b.Let(st.name(j), fromWord(s.kind, loop.At(memory, loop.Add(at, first))))
	}
	return folds
}
