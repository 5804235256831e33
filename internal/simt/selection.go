package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// This file finds the kernels that only select rows; selection_store.go emits them.

// selection is a set of rows that a flag selects from a domain, with the stores that use it.
type selection struct {
	parent   int     // the domain of the rows
	guard    tile.ID // whether a row is selected
	scan     int     // that counts them
	rows     []int   // stores of something of each selected row
	segments []int   // stores of something of the rows between selected ones
	region   int64   // of the arena: the first byte of their numbers in the tile
}

// selected describes a kernel that only selects rows; see selection_store.go.
type selected struct {
	selections []selection
	early      []bool       // operations that are needed before the cut
	fromBits   map[int]bool // scans that count bits
	segments   segments     // what is folded of the rows between; see selection_segments.go
}

// findSelected returns the selections that the kernel consists of, if it does.
func (k *kernel) findSelected() (s selected) {
	if s.selections, s.segments.scans = k.findSelections(); s.selections == nil {
		return selected{}
	}
	s.early, s.fromBits = k.needed(0, true), map[int]bool{}
	for _, i := range k.cuts[0] {
		s.fromBits[i] = !slices.Contains(s.segments.scans, i)
	}
	return s
}

// isLate reports whether an operation is needed behind the cut only.
func (s *selected) isLate(i int) bool { return s.selections != nil && !s.early[i] }

// isStored reports whether anything is stored of the rows that are selected.
func (p *selection) isStored() bool { return len(p.rows)+len(p.segments) > 0 }

// numberKind is the kind in which the arena holds rows of a tile.
const numberKind = ir.U16

// maxNumberedRows is the largest tile whose row numbers fit numberKind.
const maxNumberedRows = 1 << 16

// findSelections returns the selections that the kernel consists of, and the scans
// that fold the rows between selected ones; or nothing if it does more.
func (k *kernel) findSelections() (selections []selection, folds []int) {
	if len(k.cuts) != 1 {
		return nil, nil
	}
	for _, i := range k.cuts[0] {
		op := &k.Ops[i]
		if !op.Cuts() || !op.Exclusive {
			return nil, nil
		}
		if op.Monoid.Kind == tile.Fold {
			p, ok := k.selectionCounted(i)
			if !ok {
				return nil, nil
			}
			selections = append(selections, p)
		}
	}
	for _, i := range k.cuts[0] {
		switch op := &k.Ops[i]; {
		case op.Monoid.Kind == tile.Fold:
		case selectionBy(selections, op.Segment) < 0:
			return nil, nil
		case k.foldsSegments(i, op.Segment):
			folds = append(folds, i)
		case k.rowsSince(i) == 0:
			return nil, nil
		}
	}
	for i := range k.Ops {
		op := &k.Ops[i]
		if op.Epilogue || k.phase[i] == 0 || !op.IsReduction() && !op.HasEffect() {
			continue
		}
		if op.IsReduction() || !k.canCollect(i) || len(op.Args) != 2 {
			return nil, nil
		}
		j := k.selectionOf(selections, op)
		switch {
		case j < 0:
			return nil, nil
		case k.Domains[op.Domain].Kind == tile.Close:
			selections[j].segments = append(selections[j].segments, i)
		default:
			selections[j].rows = append(selections[j].rows, i)
		}
	}
	return selections, folds
}

// selectionCounted returns the selection whose rows scan i counts: the rows of its
// domain whose flag is set, or all rows of a domain that is itself a selection.
func (k *kernel) selectionCounted(i int) (selection, bool) {
	op := &k.Ops[i]
	if !k.countsRows(i, 0) {
		return selection{}, false
	}
	if guard, ok := k.Indicator(op.Args[0]); ok {
		return selection{parent: op.Domain, guard: guard, scan: i}, true
	}
	d := &k.Domains[op.Domain]
	isSelected := op.Domain > 0 && d.Kind == tile.Compact && k.IsConst(op.Args[0], 1) && k.placement.numbers(k)
	return selection{parent: d.Parent, guard: d.Guard, scan: i}, isSelected
}

// rowsSince returns the flag since which scan i counts the rows of the base, or 0.
func (k *kernel) rowsSince(i int) tile.ID {
	op := &k.Ops[i]
	if op.Domain != 0 || op.Monoid.Kind != tile.Segmented || !k.countsRows(i, 1) || !k.IsConst(op.Args[1], 1) {
		return 0
	}
	return op.Segment
}

// selectionBy returns the selection of rows of the base by guard, or -1.
func selectionBy(selections []selection, guard tile.ID) int {
	return slices.IndexFunc(selections, func(p selection) bool { return p.parent == 0 && p.guard == guard })
}

// selectionOf returns the selection that a store belongs to, or -1. It stores
// something of each selected row at the row's number among them, or something of the
// rows since the previous selected row at the number of that.
func (k *kernel) selectionOf(selections []selection, op *tile.Op) int {
	d, place := &k.Domains[op.Domain], op.Args[1]
	isSegment := d.Kind == tile.Close
	if isSegment {
		if d.Counter == 0 || place != d.Position {
			return -1
		}
		place = d.Counter
	}
	for _, condition := range k.Conditions(d.Parent) {
		if !k.isLocal(condition) {
			return -1
		}
	}
	return slices.IndexFunc(selections, func(p selection) bool {
		if p.scan != k.Values[place].Op || p.parent != d.Parent || p.guard != d.Guard {
			return false
		}
		if isSegment {
			return p.parent == 0 && k.isOfSegmentOf(op.Args[0], p.guard)
		}
		return k.isOfRow(op.Args[0])
	})
}

// isOfRow reports whether v follows from the columns at its row.
func (k *kernel) isOfRow(v tile.ID) bool {
	op := &k.Ops[k.Values[v].Op]
	if k.Values[v].Domain == tile.Uniform {
		return true
	}
	return op.IsPure() && !op.Seeks() && !slices.ContainsFunc(op.Args, func(arg tile.ID) bool { return !k.isOfRow(arg) })
}

// isOfSegmentOf reports whether v follows from how many rows there are since guard,
// or from what is folded of them.
func (k *kernel) isOfSegmentOf(v, guard tile.ID) bool {
	i := k.Values[v].Op
	op := &k.Ops[i]
	switch {
	case k.Values[v].Domain == tile.Uniform:
		return true
	case op.Cuts():
		return (k.rowsSince(i) == guard || k.foldsSegments(i, guard)) && op.Res[0] != v
	case op.Kind == tile.Shift: // of the last row
		return op.Distance == 1
	case !op.IsMap():
		return false
	}
	return !slices.ContainsFunc(op.Args, func(arg tile.ID) bool { return !k.isOfSegmentOf(arg, guard) })
}

// maxStagedLate are the bytes of a row that is not selected yet which are worth staging although
// only selected rows need them: on an H100 a filter by one column of two others took 1.08 times as
// long where it read them for these alone, and of three others 0.9 times.
const maxStagedLate = 8

// readsLate reports whether columns of more bytes are not read before the first cut.
func (k *kernel) readsLate() bool {
	early, bytes, seen := k.needed(0, true), 0, map[int]bool{}
	for i, op := range k.With((*tile.Op).LoadsElement) {
		if !early[i] && !op.Epilogue && !seen[op.Stream] {
			seen[op.Stream] = true
			bytes += k.Streams[op.Stream].Kind.Size()
		}
	}
	return bytes > maxStagedLate
}

// isEarly reports whether a column is read before the cut.
func (k *kernel) isEarly(stream int) bool {
	return slices.ContainsFunc(k.Ops, func(op tile.Op) bool {
		return op.LoadsElement() && op.Stream == stream && k.early[k.Values[op.Res[0]].Op]
	})
}

// trySelected plans an arena for k.items rows a work-item that holds the columns by
// which rows are selected, and the numbers of selected rows. It reports whether
// registers and local memory suffice.
func (k *kernel) trySelected(columns []tile.Staged) bool {
	p := newArena()
	registers := 0
	for _, s := range columns {
		kind := k.Streams[s.Stream].Kind
		p.staged[s.Stream], p.halo[s.Stream] = true, s.Before > 0
		p.bytes += k.placement.columnBytes(k, kind)
		registers += kind.Size()
	}
	for j := range k.selections {
		k.selections[j].region = p.bytes
		p.bytes += aligned16(k.rows() * int64(numberKind.Size()))
	}
	return k.items <= bitsOfRows && k.rows() <= maxNumberedRows && k.planSegments(&p, registers)
}
