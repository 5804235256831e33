package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// If a kernel only selects rows (selection_store.go), a work-group scans no more
// than counts if it can: the rest of a tile's state follows from the selected rows.

// A selectionScan is how a tile scans the states of its rows.
type selectionScan interface {
	// defers reports whether the rows leave operation i to the scan.
	defers(e *function, i int) bool
	// count makes the states of a work-item's rows when they have been seen.
	count(e *rowBody)
	// scan folds the rows of a tile: before is the fold of the rows before this
	// work-item's, as far as it is needed, and total that of all. One work-item
	// passes total to publish, unless publish is nil.
	scan(e *selectionBody, st *state, publish func(total []loop.Expr)) (before, total []loop.Expr)
	// deliver stores what belongs to the rows of all selections. find returns the fold
	// of all earlier tiles, with a barrier of the work-items that share the tile.
	deliver(e *selectionBody, st *state, before, total []loop.Expr, find func() []loop.Expr)
}

// selectionScanOf returns how a work-group scans.
func selectionScanOf(k *kernel) selectionScan {
	switch {
	case len(k.selections) == 0:
		return allRows{}
	case !k.collective.inRegisters() && len(k.segments.scans) == 0:
		return countsAndLast{}
	}
	return wholeStates{}
}

// allRows is the scan of a kernel that does more than select rows.
type allRows struct{}

func (allRows) defers(*function, int) bool { return false }

func (allRows) count(*rowBody) {}

func (allRows) scan(e *selectionBody, st *state, publish func(total []loop.Expr)) (before, total []loop.Expr) {
	return e.blockScan(st, e.folded(st), duringScan{publish: publish})
}

func (allRows) deliver(*selectionBody, *state, []loop.Expr, []loop.Expr, func() []loop.Expr) {
	panic("simt: no rows are selected")
}

// wholeStates scans whole states. Subgroups do so in a few steps.
type wholeStates struct{ allRows }

// Counts of selected rows follow from their bits, after all rows.
func (wholeStates) defers(e *function, i int) bool { return e.fromBits[i] }

func (wholeStates) count(e *rowBody) { e.countBits(true) }

// countsFirst scans the counts of selections. The rest of a state follows from the
// place of the last selected row.
type countsFirst struct{ wholeStates }

func (countsFirst) scan(e *selectionBody, st *state, _ func(total []loop.Expr)) (before, total []loop.Expr) {
	before, total = e.scanCounts(st)
	e.scanSegments(st, before, total)
	return before, total
}

func (e *selectionBody) scanCounts(st *state) (before, total []loop.Expr) {
	counts := e.countsOfSelections()
	ahead, all := e.blockScan(counts, e.folded(counts), duringScan{})
	return st.spread(counts, ahead), st.spread(counts, all)
}

// foldsFirst is countsFirst that then folds the rows between selected ones, and
// leaves these folds in local memory.
type foldsFirst struct{ countsFirst }

func (foldsFirst) defers(e *function, i int) bool { return e.Ops[i].IsPrefix() }

func (foldsFirst) scan(e *selectionBody, st *state, _ func(total []loop.Expr)) (before, total []loop.Expr) {
	before, total = e.scanCounts(st)
	isFoldedFirst := e.areFolded(st, total)
	e.foldRows(st, before, isFoldedFirst)
	e.scanSegments(st, before, total)
	e.closeFirst(st, before, isFoldedFirst)
	return before, total
}

// countsOfSelections returns the part of the state that counts selected rows.
func (e *function) countsOfSelections() *state {
	var scans []int
	for _, p := range e.selections {
		scans = append(scans, p.scan)
	}
	return e.stateOf(scans)
}

// countsAndLast scans only the counts. The number of rows since the last selected
// row follows from the row's number, the largest of all selected rows.
type countsAndLast struct{ wholeStates }

func (countsAndLast) count(e *rowBody) { e.countBits(false) }

func (countsAndLast) scan(e *selectionBody, st *state, publish func(total []loop.Expr)) (before, total []loop.Expr) {
	counts, since := e.countsOfSelections(), e.selectionsSince(st)
	last := func(j int) (*loop.Var, loop.Expr) { return e.localWords("last", len(since)), loop.Int(int64(j)) }
	if len(since) > 0 {
		e.b.If(loop.Eq(e.localID, loop.Int(0)), func() {
			for j := range since {
				memory, at := last(j)
				e.b.Store(memory, at, number(ir.U32, 0))
			}
		}, nil)
	}
	complete := func(counted []loop.Expr) []loop.Expr {
		total := st.spread(counts, counted)
		for j, selection := range since {
			memory, at := last(j)
			e.sinceLast(st, selection, e.b.Let("last", loop.ToCounter(loop.At(memory, at))), total)
		}
		return total
	}
	during := duringScan{meanwhile: func() {
		for j, selection := range since {
			bits := e.selectedBits[selection]
			e.b.If(loop.Ne(bits, number(ir.U32, 0)), func() {
				upTo := loop.Sub(loop.Int(bitsOfRows), loop.ToCounter(loop.CallOf(leadingZeros[ir.U32], bits)))
				memory, at := last(j)
				e.b.Atomic(loop.AtomicMax, memory, at, loop.ToKind(ir.U32, loop.Add(loop.Mul(e.localID, loop.Int(int64(e.items))), upTo)))
			}, nil)
		}
	}}
	if publish != nil {
		during.publish = func(counted []loop.Expr) { publish(complete(counted)) }
	}
	ahead, all := e.blockScan(counts, e.folded(counts), during)
	return st.spread(counts, ahead), complete(all)
}

// selectionsSince lists the selections whose last selected row a state counts from.
func (e *selectionBody) selectionsSince(st *state) (list []int) {
	for _, slot := range st.slots {
		if op := &e.Ops[slot.op]; op.Monoid.Kind != tile.Fold {
			if selection := selectionBy(e.selections, op.Segment); !slices.Contains(list, selection) {
				list = append(list, selection)
			}
		}
	}
	return list
}

// sinceLast derives, from the 1-based row of the last selected row (0 if none),
// whether one exists and how many rows follow it.
func (e *selectionBody) sinceLast(st *state, selection int, last loop.Expr, total []loop.Expr) {
	isSelected := loop.Gt(last, loop.Int(0))
	for j, slot := range st.slots {
		op := &e.Ops[slot.op]
		switch {
		case op.Monoid.Kind == tile.Fold || selectionBy(e.selections, op.Segment) != selection:
		case slot.field == 0:
			total[j] = isSelected
		default:
			since := loop.Choose(isSelected, loop.Sub(loop.Add(e.count, loop.Int(1)), last), e.count)
			total[j] = e.b.Let("since", loop.ToKind(slot.kind, since))
		}
	}
}
