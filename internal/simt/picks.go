package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Which kernels only pick rows; positions.go says what that is good for.

// pick is a choice of rows.
type pick struct {
	parent int     // the domain of the rows
	guard  tile.ID // whether a row is picked
	scan   int     // the one that counts them
	rows   []int   // the stores of something of each row
	groups []int   // those of something of the rows up to each
	region int64   // of the pool: the first byte of their numbers in the tile
}

// selected is what a kernel does that only picks rows; see positions.go.
type selected struct {
	picks    []pick
	late     map[tile.ID]bool // values that the rows before the cut do without
	fromBits map[int]bool     // scans that count bits
	batch    batch            // what is folded of the rows between; see groups.go
}

// findSelected returns the picks that the kernel consists of, if it does.
func (k *kernel) findSelected() (s selected) {
	if s.picks, s.batch.scans = k.findPicks(); s.picks == nil {
		return selected{}
	}
	s.late, s.fromBits = map[tile.ID]bool{}, map[int]bool{}
	early := k.needed(0, true)
	for v := range k.Values {
		s.late[tile.ID(v)] = !early[tile.ID(v)]
	}
	for _, i := range k.cuts[0] {
		s.fromBits[i] = !slices.Contains(s.batch.scans, i)
	}
	return s
}

// isStored reports whether anything is stored of the rows that are picked.
func (p *pick) isStored() bool { return len(p.rows)+len(p.groups) > 0 }

// numberKind is the kind in which the pool holds rows of a tile.
const numberKind = ir.U16

// mostNumbered is how many rows a tile of that may have.
const mostNumbered = 1 << 16

// findPicks returns the choices of rows that the kernel consists of, and the scans
// that fold the rows between those of one; or nothing where it does more than that.
func (k *kernel) findPicks() (picks []pick, folds []int) {
	if len(k.cuts) != 1 {
		return nil, nil
	}
	for _, i := range k.cuts[0] {
		op := &k.Ops[i]
		if !op.Cuts() || !op.Exclusive {
			return nil, nil
		}
		if op.Monoid.Kind == tile.Fold {
			p, ok := k.pickCounted(i)
			if !ok {
				return nil, nil
			}
			picks = append(picks, p)
		}
	}
	for _, i := range k.cuts[0] {
		switch op := &k.Ops[i]; {
		case op.Monoid.Kind == tile.Fold:
		case pickedBy(picks, op.Segment) < 0:
			return nil, nil
		case k.foldsGroups(i, op.Segment):
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
		if op.IsReduction() || !k.canExchange(i) || len(op.Args) != 2 {
			return nil, nil
		}
		j := k.pickOf(picks, op)
		switch {
		case j < 0:
			return nil, nil
		case k.Domains[op.Domain].Kind == tile.Close:
			picks[j].groups = append(picks[j].groups, i)
		default:
			picks[j].rows = append(picks[j].rows, i)
		}
	}
	return picks, folds
}

// pickCounted returns the pick whose rows scan i counts: those of its domain where
// a flag is set, or all of a domain that is picked from another.
func (k *kernel) pickCounted(i int) (pick, bool) {
	op := &k.Ops[i]
	if !k.countsRows(i, 0) {
		return pick{}, false
	}
	if guard, ok := k.Indicator(op.Args[0]); ok {
		return pick{parent: op.Domain, guard: guard, scan: i}, true
	}
	d := &k.Domains[op.Domain]
	picked := op.Domain > 0 && d.Kind == tile.Compact && k.IsConst(op.Args[0], 1) && k.arena.numbers(k)
	return pick{parent: d.Parent, guard: d.Guard, scan: i}, picked
}

// rowsSince returns the flag since which scan i counts the rows of the base, or 0.
func (k *kernel) rowsSince(i int) tile.ID {
	op := &k.Ops[i]
	if op.Domain != 0 || op.Monoid.Kind != tile.Segmented || !k.countsRows(i, 1) || !k.IsConst(op.Args[1], 1) {
		return 0
	}
	return op.Segment
}

// pickedBy returns the pick of rows of the base by guard, or -1.
func pickedBy(picks []pick, guard tile.ID) int {
	return slices.IndexFunc(picks, func(p pick) bool { return p.parent == 0 && p.guard == guard })
}

// pickOf returns the pick that a store belongs to, or -1: it stores something of
// each row picked at the row's number among these, or something of the rows
// since the one picked before it at the number of that one.
func (k *kernel) pickOf(picks []pick, op *tile.Op) int {
	d, place := &k.Domains[op.Domain], op.Args[1]
	isGroup := d.Kind == tile.Close
	if isGroup {
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
	return slices.IndexFunc(picks, func(p pick) bool {
		if p.scan != k.Values[place].Op || p.parent != d.Parent || p.guard != d.Guard {
			return false
		}
		if isGroup {
			return p.parent == 0 && k.isOfGroupOf(op.Args[0], p.guard)
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
	return op.IsPure() && !slices.ContainsFunc(op.Args, func(arg tile.ID) bool { return !k.isOfRow(arg) })
}

// isOfGroupOf reports whether v follows from how many rows there are since guard,
// or from what is folded of them.
func (k *kernel) isOfGroupOf(v, guard tile.ID) bool {
	i := k.Values[v].Op
	op := &k.Ops[i]
	switch {
	case k.Values[v].Domain == tile.Uniform:
		return true
	case op.Cuts():
		return (k.rowsSince(i) == guard || k.foldsGroups(i, guard)) && op.Res[0] != v
	case !op.IsMap():
		return false
	}
	return !slices.ContainsFunc(op.Args, func(arg tile.ID) bool { return !k.isOfGroupOf(arg, guard) })
}

// tryPicks plans a pool for k.items rows a work-item in which the columns that
// rows are picked by stay, with the numbers of these, and reports whether
// registers and local memory suffice.
func (k *kernel) tryPicks(columns []tile.Staged) bool {
	p := newPool()
	registers := 0
	for _, s := range columns {
		if !slices.ContainsFunc(k.Ops, func(op tile.Op) bool {
			return op.LoadsElement() && op.Stream == s.Stream && !k.late[op.Res[0]]
		}) {
			continue
		}
		kind := k.Streams[s.Stream].Kind
		p.staged[s.Stream], p.halo[s.Stream] = true, s.Before > 0
		p.bytes += k.arena.columnBytes(k, kind)
		registers += kind.Size()
	}
	for j := range k.picks {
		k.picks[j].region = p.bytes
		p.bytes += aligned16(k.rows() * int64(numberKind.Size()))
	}
	return k.items <= bitsOfRows && k.rows() <= mostNumbered && k.planBatch(&p, registers)
}
