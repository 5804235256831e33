package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Of the states of rows that are only picked (positions.go) a group scans no more
// than counts where it can: what else a tile tells follows from the rows picked.

// A selectionScan is how a tile comes to the states of its rows, of which a kernel
// may only pick some.
type selectionScan interface {
	// defers reports whether the rows leave operation i to the scan.
	defers(e *function, i int) bool
	// count makes the states of a work-item's rows when they have been seen.
	count(e *rowBody)
	// scan folds the rows of a tile: before has the states of the rows before this
	// work-item's, as far as they are needed, total those of all, which one work-item
	// publishes if publish is given.
	scan(e *selectionBody, st *state, publish func(total []loop.Expr)) (before, total []loop.Expr)
	// deliver stores what belongs to the rows of all picks. find returns the fold of
	// all earlier tiles, and lets those who share a tile wait for what they share.
	deliver(e *selectionBody, st *state, before, total []loop.Expr, find func() []loop.Expr)
}

// selectionScanOf returns how a work-group scans.
func selectionScanOf(k *kernel) selectionScan {
	switch {
	case len(k.picks) == 0:
		return allRows{}
	case !k.collective.inRegisters() && len(k.batch.scans) == 0:
		return countsAndLast{}
	}
	return wholeStates{}
}

// allRows is the scan of a kernel that does more than pick rows.
type allRows struct{}

func (allRows) defers(*function, int) bool { return false }

func (allRows) count(*rowBody) {}

func (allRows) scan(e *selectionBody, st *state, publish func(total []loop.Expr)) (before, total []loop.Expr) {
	return e.groupScan(st, e.folded(st), duringScan{tell: publish})
}

func (allRows) deliver(*selectionBody, *state, []loop.Expr, []loop.Expr, func() []loop.Expr) {
	panic("simt: no rows are picked")
}

// wholeStates scans all of the states. Subgroups do so in a few steps.
type wholeStates struct{ allRows }

// Bits are counted after all rows.
func (wholeStates) defers(e *function, i int) bool { return e.fromBits[i] }

func (wholeStates) count(e *rowBody) { e.countBits(true) }

// countsFirst scans the counts of picks; the rest of a state follows from where the
// last picked row is.
type countsFirst struct{ wholeStates }

func (countsFirst) scan(e *selectionBody, st *state, _ func(total []loop.Expr)) (before, total []loop.Expr) {
	before, total = e.scanCounts(st)
	e.scanGroups(st, before, total)
	return before, total
}

func (e *selectionBody) scanCounts(st *state) (before, total []loop.Expr) {
	counts := e.countsOfPicks()
	ahead, all := e.groupScan(counts, e.folded(counts), duringScan{})
	return st.spread(counts, ahead), st.spread(counts, all)
}

// foldsFirst is countsFirst that then folds the rows between those that are picked,
// and leaves the folds.
type foldsFirst struct{ countsFirst }

func (foldsFirst) defers(e *function, i int) bool { return e.Ops[i].IsPrefix() }

func (foldsFirst) scan(e *selectionBody, st *state, _ func(total []loop.Expr)) (before, total []loop.Expr) {
	before, total = e.scanCounts(st)
	isAhead := e.areAhead(st, total)
	e.foldRows(st, before, isAhead)
	e.scanGroups(st, before, total)
	e.closeFirst(st, before, isAhead)
	return before, total
}

// countsOfPicks returns the part of the state that counts picked rows.
func (e *function) countsOfPicks() *state {
	var scans []int
	for _, p := range e.picks {
		scans = append(scans, p.scan)
	}
	return e.stateOf(scans)
}

// countsAndLast scans the counts alone: how many rows there are since the last one
// that is picked follows from its number, which is the largest.
type countsAndLast struct{ wholeStates }

func (countsAndLast) count(e *rowBody) { e.countBits(false) }

func (countsAndLast) scan(e *selectionBody, st *state, publish func(total []loop.Expr)) (before, total []loop.Expr) {
	counts, noted := e.countsOfPicks(), e.picksSince(st)
	last := func(j int) (*loop.Var, loop.Expr) { return e.localWords("last", len(noted)), loop.Int(int64(j)) }
	if len(noted) > 0 {
		e.b.If(loop.Eq(e.lane, loop.Int(0)), func() {
			for j := range noted {
				memory, at := last(j)
				e.b.Store(memory, at, number(ir.U32, 0))
			}
		}, nil)
	}
	complete := func(counted []loop.Expr) []loop.Expr {
		total := st.spread(counts, counted)
		for j, pick := range noted {
			memory, at := last(j)
			e.sinceLast(st, pick, e.b.Let("last", loop.ToCounter(loop.At(memory, at))), total)
		}
		return total
	}
	during := duringScan{meanwhile: func() {
		for j, pick := range noted {
			bits := e.picked[pick]
			e.b.If(loop.Ne(bits, number(ir.U32, 0)), func() {
				upTo := loop.Sub(loop.Int(bitsOfRows), loop.ToCounter(loop.CallOf(leadingZeros[ir.U32], bits)))
				memory, at := last(j)
				e.b.Atomic(loop.AtomicMax, memory, at, loop.ToKind(ir.U32, loop.Add(loop.Mul(e.lane, loop.Int(int64(e.items))), upTo)))
			}, nil)
		}
	}}
	if publish != nil {
		during.tell = func(counted []loop.Expr) { publish(complete(counted)) }
	}
	ahead, all := e.groupScan(counts, e.folded(counts), during)
	return st.spread(counts, ahead), complete(all)
}

// picksSince lists the picks since whose rows something of a state counts.
func (e *selectionBody) picksSince(st *state) (list []int) {
	for _, slot := range st.slots {
		if op := &e.Ops[slot.op]; op.Monoid.Kind != tile.Fold {
			if pick := pickedBy(e.picks, op.Segment); !slices.Contains(list, pick) {
				list = append(list, pick)
			}
		}
	}
	return list
}

// sinceLast puts into the states of a tile what last says, how many rows there are
// up to the last one of a pick: whether there is one, and how many rows since.
func (e *selectionBody) sinceLast(st *state, pick int, last loop.Expr, total []loop.Expr) {
	isPicked := loop.Gt(last, loop.Int(0))
	for j, slot := range st.slots {
		op := &e.Ops[slot.op]
		switch {
		case op.Monoid.Kind == tile.Fold || pickedBy(e.picks, op.Segment) != pick:
		case slot.field == 0:
			total[j] = isPicked
		default:
			since := loop.Choose(isPicked, loop.Sub(loop.Add(e.count, loop.Int(1)), last), e.count)
			total[j] = e.b.Let("since", loop.ToKind(slot.kind, since))
		}
	}
}
