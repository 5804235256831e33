package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Some kernels only select rows. What they store of a selected row follows from its
// columns, from its distance to the previous selected row, or from the rows between
// (selection_segments.go). Then a tile keeps nothing but the numbers of the rows that
// it selects. A work-item has a bit for each of its rows, and counts are counts of
// bits. The numbers go to local memory, close together. Results are computed in the
// order in which they are stored, from columns that still lie in local memory, or
// that were not read before.

// mark sets the bits of the row at hand for selections from domain d.
func (e *rowBody) mark(d int) {
	for j, p := range e.selections {
		if p.parent == d {
			bit := loop.Apply(ir.OpShl, loop.ToKind(ir.U32, e.expr(p.guard)), loop.ToKind(ir.U32, e.item))
			e.b.Assign(e.selectedBits[j], loop.Apply(ir.OpOr, e.selectedBits[j], bit))
		}
	}
}

// Functions of a word.
var (
	countOnes    = &loop.Signature{Name: "count_ones_u32", Params: []loop.Type{loop.ScalarOf(ir.U32)}, Results: []loop.Type{loop.ScalarOf(ir.U32)}}
	leadingZeros = map[ir.Kind]*loop.Signature{
		ir.U32: {Name: "leading_zeros_u32", Params: []loop.Type{loop.ScalarOf(ir.U32)}, Results: []loop.Type{loop.ScalarOf(ir.U32)}},
		ir.U64: {Name: "leading_zeros_u64", Params: []loop.Type{loop.ScalarOf(ir.U64)}, Results: []loop.Type{loop.ScalarOf(ir.U32)}},
	}
)

// countBits makes the states of this work-item's rows from their bits: the counts,
// and with since also the number of rows since the last selected row.
func (e *rowBody) countBits(since bool) {
	st := e.stateOf(e.cuts[0])
	for _, slot := range st.slots {
		op := &e.Ops[slot.op]
		if slices.Contains(e.segments.scans, slot.op) && slot.field > 0 { // folded row by row
			continue
		}
		if op.Monoid.Kind != tile.Fold && !since {
			continue
		}
		var x loop.Expr
		if op.Monoid.Kind == tile.Fold {
			j := slices.IndexFunc(e.selections, func(p selection) bool { return p.scan == slot.op })
			x = loop.ToKind(slot.kind, loop.CallOf(countOnes, e.selectedBits[j]))
		} else {
			bits := e.bitsOf(op.Segment)
			none := loop.Eq(bits, number(ir.U32, 0))
			if x = loop.Not(none); slot.field > 0 {
				rest := loop.Sub(e.count, loop.Mul(e.localID, loop.Int(int64(e.items))))
				rows := e.b.Let("mine", loop.Least(loop.Greatest(rest, loop.Int(0)), loop.Int(int64(e.items))))
				last := lastBit(ir.U32, bits)
				x = loop.ToKind(slot.kind, loop.Choose(none, rows, loop.Sub(rows, last)))
			}
		}
		e.b.Assign(e.folds[slot.stateKey], x)
	}
}

// selecting is the strategy of kernels that only select rows.
type selecting struct{}

// Selected rows are read from the columns.
func (selecting) keepsColumns(*function) bool { return true }

// Values are computed when they are stored.
func (selecting) keepsValues() bool { return false }

func (selecting) run(s *launches, e *rowBody) {
	const cut = 0
	e.declareFolds(s.cuts[cut])
	e.loopRows(cut)
	st := s.stateOf(s.cuts[cut])
	before, total := e.scanner.scan(e.selected(), st, s.publish(e.tileBody, cut))
	s.numberSelected(e.selected(), st, before, total)
	e.scanner.deliver(e.selected(), st, before, total, func() []loop.Expr { return s.prefix(e.tileBody, cut, st, total) })
}

// numberSelected writes the numbers of this work-item's rows to the arena.
func (s *launches) numberSelected(e *selectionBody, st *state, before, total []loop.Expr) {
	for j, p := range s.selections {
		if p.isStored() {
			e.number(p, e.selectedBits[j], before[st.counted(p)], total[st.counted(p)])
		}
	}
}

// deliver folds the rows between selected ones first, and stores window by window
// the folds that do not fit at once.
func (wholeStates) deliver(e *selectionBody, st *state, before, total []loop.Expr, find func() []loop.Expr) {
	if len(e.segments.scans) > 0 {
		e.awaitColumnReaders()
		for _, p := range e.foldedSelections() {
			e.foldSegments(st, p, before, loop.Int(0))
		}
	}
	counts := e.residence.shareCounts(e, st, total)
	earlier := find()
	e.know(st, earlier, total)
	for _, p := range e.selections {
		e.storeAll(p, st, earlier, total)
	}
	for _, p := range e.selections {
		if e.isFolded(p) && e.segments.rows < e.kernel.rows() {
			e.storeWindows(p, st, before, earlier, loop.Int(e.segments.rows), counts(p))
		}
	}
}

// deliver stores window by window if the folds are not there yet.
func (foldsFirst) deliver(e *selectionBody, st *state, before, total []loop.Expr, find func() []loop.Expr) {
	counts := e.residence.shareCounts(e, st, total)
	earlier := find()
	e.know(st, earlier, total)
	e.b.If(e.areFolded(st, total), func() {
		for _, p := range e.selections {
			e.storeAll(p, st, earlier, total)
		}
	}, func() {
		e.takeColumns() // before folds take their place
		for _, p := range e.selections {
			if e.isFolded(p) {
				e.storeWindows(p, st, before, earlier, loop.Int(0), counts(p))
			} else {
				e.storeAll(p, st, earlier, total)
			}
		}
	})
}

// storeAll stores what belongs to the rows of a selection.
func (e *selectionBody) storeAll(p selection, st *state, earlier, total []loop.Expr) {
	if p.isStored() {
		e.storeSelected(p, st, earlier, loop.Int(0), loop.ToCounter(total[st.counted(p)]))
	}
}

// storeWindows stores what belongs to the count rows of a selection from number first
// on, as many at a time as a window has folds for.
func (e *selectionBody) storeWindows(p selection, st *state, before, earlier []loop.Expr, first, count loop.Expr) {
	base := e.b.Decl("window", first)
	e.b.While(loop.Lt(base, count), func() {
		e.barrier()
		e.foldSegments(st, p, before, base)
		e.barrier()
		e.storeSelected(p, st, earlier, base, count)
		e.b.Assign(base, loop.Add(base, loop.Int(e.segments.rows)))
	})
}

// shareCounts shares the counts by local memory if a branch depends on them.
func (workgroupTile) shareCounts(e *selectionBody, st *state, total []loop.Expr) (count func(p selection) loop.Expr) {
	if len(e.segments.scans) == 0 || e.segments.rows >= e.kernel.rows() {
		return e.countsIn(st, total)
	}
	shared := e.localWords("counts", len(st.slots))
	e.b.If(loop.Eq(e.localID, loop.Int(0)), func() {
		for _, p := range e.selections {
			e.b.Store(shared, loop.Int(int64(st.counted(p))), loop.ToKind(ir.U32, total[st.counted(p)]))
		}
	}, nil)
	return func(p selection) loop.Expr {
		return e.b.Let("count", loop.ToCounter(loop.At(shared, loop.Int(int64(st.counted(p))))))
	}
}

// countsIn returns the counts of selections in a state.
func (e *selectionBody) countsIn(st *state, total []loop.Expr) (count func(p selection) loop.Expr) {
	return func(p selection) loop.Expr { return e.b.Let("count", loop.ToCounter(total[st.counted(p)])) }
}

// isFolded reports whether a selection stores folds of the rows between its rows.
func (k *kernel) isFolded(p selection) bool {
	return len(p.segments) > 0 && len(k.foldedSince(p.guard)) > 0
}

// know notes the fold of the rows before the tile, and of those up to its end.
func (e *tileBody) know(st *state, earlier, total []loop.Expr) {
	whole := e.combine(st, earlier, total)
	for j, slot := range st.slots {
		e.earlier[slot.stateKey], e.whole[slot.stateKey] = earlier[j], whole[j]
	}
}

// counted returns the slot that counts the rows of a selection.
func (st *state) counted(p selection) int { return st.of[stateKey{p.scan, 0}].slot }

// denseShare is the share of rows, one in so many, from which a test of each row takes less
// than a walk over the bits that are set: a subgroup walks as often as its busiest work-item has
// bits, with nine instructions each time, and a test takes four.
const denseShare = 4

// number writes the numbers of this work-item's rows of a selection to the arena, the
// first one at place before. If many of the tile's rows are selected, it tests each
// row, otherwise it goes from one set bit to the next.
func (e *selectionBody) number(p selection, bits *loop.Var, before, total loop.Expr) {
	numbers := e.arenaOf(numberKind)
	first := e.b.Let("first", loop.Add(loop.ToCounter(before), e.arenaStart(p.region, numberKind)))
	start := e.b.Let("start", loop.Mul(e.localID, loop.Int(int64(e.items))))
	store := func(at, item loop.Expr) { e.b.Store(numbers, at, loop.ToKind(numberKind, loop.Add(start, item))) }
	e.b.If(loop.Gt(loop.ToCounter(total), loop.Int(e.kernel.rows()/denseShare)), func() {
		at := e.b.Decl("at", first)
		e.b.For("item", loop.Int(0), loop.Int(int64(e.items)), func(item *loop.Var) {
			e.b.If(isSet(bits, item), func() {
				store(at, item)
				e.b.Assign(at, loop.Add(at, loop.Int(1)))
			}, nil)
		})
	}, func() {
		rest := e.b.Decl("rest", bits)
		at := e.b.Decl("at", loop.Add(first, loop.ToCounter(loop.CallOf(countOnes, bits))))
		e.b.While(loop.Ne(rest, number(ir.U32, 0)), func() {
			item := e.b.Let("item", lastBit(ir.U32, rest))
			e.b.Assign(at, loop.Sub(at, loop.Int(1)))
			store(at, item)
			e.b.Assign(rest, loop.Apply(ir.OpXor, rest, loop.Apply(ir.OpShl, number(ir.U32, 1), loop.ToKind(ir.U32, item))))
		})
	})
}

// storeSelected stores what belongs to the count rows of a selection, from number base
// on as many as a window has folds for. earlier is the fold of all earlier tiles.
func (e *selectionBody) storeSelected(p selection, st *state, earlier []loop.Expr, base, count loop.Expr) {
	numbers := e.arenaOf(numberKind)
	first := e.arenaStart(p.region, numberKind)
	numberAt := func(at loop.Expr) loop.Expr { return loop.ToCounter(loop.At(numbers, loop.Add(first, at))) }
	start := e.b.Let("base", loop.ToCounter(earlier[st.counted(p)]))
	end := count
	if e.isFolded(p) && e.segments.rows < e.kernel.rows() {
		end = e.b.Let("window_end", loop.Least(count, loop.Add(base, loop.Int(e.segments.rows))))
	}
	e.b.ForStep("at", loop.Add(base, e.localID), end, int64(e.workgroup), func(at *loop.Var) {
		e.inTile = e.b.Let("number", numberAt(at))
		e.row = e.b.Let("row", loop.Add(e.first, e.inTile))
		e.values = map[tile.ID]loop.Expr{}
		place := e.b.Let("place", loop.Add(start, at))
		e.storeOfSelected(p.rows, place)
		if len(p.segments) == 0 {
			return
		}
		e.b.If(loop.Gt(at, loop.Int(0)), func() {
			distance := e.b.Let("distance", loop.Sub(e.inTile, numberAt(loop.Sub(at, loop.Int(1)))))
			e.storeSegment(p, st, e.foldsOf(p, st, loop.Sub(at, base)), func(int) loop.Expr { return distance }, loop.Sub(place, loop.Int(1)))
		}, nil)
	})
	if len(p.segments) == 0 {
		return
	}
	// The segment that was open before the tile ends at the first row.
	isOpen := loop.And(loop.Gt(count, loop.Int(0)), loop.Gt(start, loop.Int(0)))
	e.b.If(loop.And(loop.And(loop.Eq(e.localID, loop.Int(0)), loop.Eq(base, loop.Int(0))), isOpen), func() {
		number := e.b.Let("number", numberAt(loop.Int(0)))
		e.row = loop.Add(e.first, number)
		folds := e.foldsOf(p, st, loop.Int(0))
		if e.isFolded(p) {
			folds = e.combine(st, earlier, folds)
		}
		e.storeSegment(p, st, folds, func(slot int) loop.Expr { return loop.Add(number, loop.ToCounter(earlier[slot])) }, loop.Sub(start, loop.Int(1)))
	}, nil)
}

// foldsOf returns the folds of segment at of a window, if the selection stores any.
func (e *selectionBody) foldsOf(p selection, st *state, at loop.Expr) []loop.Expr {
	if !e.isFolded(p) {
		return st.identities()
	}
	return e.loadFolds(st, p, at)
}

// storeSegment stores what belongs to the rows between two selected rows: folds are
// their folds, and rows returns their number, by the slot that counts them.
func (e *selectionBody) storeSegment(p selection, st *state, folds []loop.Expr, rows func(slot int) loop.Expr, place loop.Expr) {
	e.segment = func(scan, field int) loop.Expr {
		slot := st.of[stateKey{scan, field}].slot
		if slices.Contains(e.segments.scans, scan) {
			return folds[slot]
		}
		return rows(slot)
	}
	e.values = map[tile.ID]loop.Expr{}
	e.storeOfSelected(p.segments, place)
}

// storeOfSelected runs some stores at a place.
func (e *selectionBody) storeOfSelected(ops []int, place loop.Expr) {
	for _, i := range ops {
		op := &e.Ops[i]
		e.note(op)
		e.b.Store(e.stream(op.Stream), place, e.asStored(op, e.ofSelected(op.Args[0])))
	}
}

// ofSelected computes v for the row that has been selected, or for the rows up to it.
func (e *selectionBody) ofSelected(v tile.ID) loop.Expr {
	if x, ok := e.found(v); ok {
		return x
	}
	op := &e.Ops[e.Values[v].Op]
	var x loop.Expr
	switch {
	case op.Cuts():
		x = loop.ToKind(e.Values[v].Kind, e.segment(e.Values[v].Op, slices.Index(op.Res, v)))
	case op.IsMap():
		args := make([]loop.Expr, len(op.Args))
		for i, arg := range op.Args {
			args[i] = e.ofSelected(arg)
		}
		x = e.apply(op, args)
	case op.LoadsAt():
		x = e.loadAt(op, e.ofSelected(op.Args[0]))
	case op.Kind == tile.Shift && e.segment != nil:
		x = e.at(op.Args[0], loop.Sub(e.row, loop.Int(op.Distance)))
	case op.IsLoad() && e.arena.staged[op.Stream]:
		kind := e.Streams[op.Stream].Kind
		l := e.placement.layout(e.kernel, kind)
		base := e.staged(op.Stream, l)
		x = fromWord(kind, loop.At(e.arenaOf(l.word), loop.Add(base, l.dealt(e.kernel, e.inTile))))
	default:
		x = e.pure(op)
	}
	if e.uses[v] > 1 {
		return e.named(v, x)
	}
	return x
}
