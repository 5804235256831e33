package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Of the states of rows that are only picked (positions.go) a group scans no more
// than counts where it can: what else a tile tells follows from the rows picked.

// scanPicked folds the rows of a tile: before has the states of the rows before
// this work-item's, as far as they are needed, total those of all, which one
// work-item tells, where tell is given.
func (e *emission) scanPicked(st *state, tell func(total []loop.Expr)) (before, total []loop.Expr) {
	switch {
	case e.notesLast():
		return e.scanNoting(st, tell)
	case e.picks == nil || e.window == nil:
		return e.groupScan(st, e.folded(st), duringScan{tell: tell})
	}
	counts := e.countsOfPicks()
	ahead, all := e.groupScan(counts, e.folded(counts), duringScan{})
	before, total = st.spread(counts, ahead), st.spread(counts, all)
	if !e.foldsAhead() {
		e.scanGroups(st, before, total)
		return before, total
	}
	isAhead := e.areAhead(st, total)
	e.foldRows(st, before, isAhead)
	e.scanGroups(st, before, total)
	e.closeFirst(st, before, isAhead)
	return before, total
}

// countsOfPicks returns the part of the state that counts picked rows.
func (e *emission) countsOfPicks() *state {
	var scans []int
	for _, p := range e.picks {
		scans = append(scans, p.scan)
	}
	return e.stateOf(scans)
}

// notesLast reports whether the group scans counts alone: how many rows there are
// since the last one that is picked follows from its number, which is the largest.
// Subgroups scan all in a few steps.
func (e *emission) notesLast() bool {
	return e.picks != nil && e.window == nil && !e.hasSubgroups() && len(e.batch.scans) == 0
}

// scanNoting is scanPicked by counts and the number of the last picked row.
func (e *emission) scanNoting(st *state, tell func(total []loop.Expr)) (before, total []loop.Expr) {
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
				upTo := loop.Sub(loop.Int(bitsOfRows), loop.ToCounter(loop.CallOf(leadingZeros, bits)))
				memory, at := last(j)
				e.b.Atomic(loop.AtomicMax, memory, at, loop.ToKind(ir.U32, loop.Add(loop.Mul(e.lane, loop.Int(int64(e.items))), upTo)))
			}, nil)
		}
	}}
	if tell != nil {
		during.tell = func(counted []loop.Expr) { tell(complete(counted)) }
	}
	ahead, all := e.groupScan(counts, e.folded(counts), during)
	return st.spread(counts, ahead), complete(all)
}

// picksSince lists the picks since whose rows something of a state counts.
func (e *emission) picksSince(st *state) (list []int) {
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
func (e *emission) sinceLast(st *state, pick int, last loop.Expr, total []loop.Expr) {
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
