package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// A CPU runs the work-items of a work-group one after the other, and keeps for each what lives across a barrier. So there
// work-groups have one work-item of many rows: its loops are those that a programmer would write for a core, and compilers
// compute their rows in lanes.

// serialItems are the rows of such a tile. A work-group of PoCL takes what some hundred rows take, and its rows are to stay in a
// core's nearest cache: 10^6 rows of three scans take 5.9 ms in tiles of 64 x 20 rows, 2.6 in those of 1 x 32, 1.2 of 128,
// 1.1 of 256 to 512. Rows that move by a digit have a counter for each digit in each tile, so their tiles are larger.
const serialItems, serialMovedItems = 256, 4096

// serialWalkers is how many work-groups that walk over rows there are for each core: other work may be on some.
const serialWalkers = 4

// serial returns the shape of t on a CPU, unless the schedule says how many work-items a work-group has.
func (s shape) serial(t *tile.Kernel) shape {
	s.workgroup, s.isOpen, s.isSerial = 1, false, true
	switch {
	case s.items > 0:
	case t.Has((*tile.Op).Counts) && !t.Has(sortsFew):
		s.items = serialMovedItems
	default:
		s.items = serialItems
	}
	return s
}

// perRow declares an array with an element for each row of the work-item. Clearing it takes a core as long as a few operators, so it
// holds anything at first if each element is stored before it is loaded; those of filtered rows are not, where all rows are folded.
func (e *function) perRow(name string, k ir.Kind, isStored bool) *loop.Var {
	t := loop.ArrayOf(e.items, loop.ScalarOf(k))
	if e.isSerial && isStored {
		return e.b.KeptStorage(name, t)
	}
	return e.b.Storage(name, t)
}

// A core guesses whether a row passes a mask. Where it is often wrong, that takes longer than all else that is done with the
// row. So the rows of a tile that pass are listed, without a branch, and visited when all else is done.

// passedRows lists the rows of a whole tile that pass a mask.
type passedRows struct {
	items, count *loop.Var
	isKnown      bool // an earlier phase has listed them
}

// eachPassing returns what eachWhole is where the rows of some domains are visited behind all others. It declares their lists,
// or empties them.
func (e *rowBody) eachPassing(domains []int, body func()) func() {
	for _, d := range domains {
		if p := e.passed[d]; p != nil && !p.isKnown {
			e.b.Assign(p.count, loop.Int(0))
		} else if p == nil {
			e.passed[d] = &passedRows{
				items: e.perRow("passed", ir.U16, true),
				count: e.b.Decl("passing", loop.Int(0)),
			}
		}
	}
	return func() {
		e.visits = domains
		e.eachWhole(body)
		for _, d := range domains {
			passed := e.passed[d]
			e.b.For("next", loop.Int(0), passed.count, func(next *loop.Var) {
				item := e.b.Let("item", loop.ToCounter(loop.At(passed.items, next)))
				e.isVisited = true
				e.atItem(item, true, func() { e.block(d) })
				e.isVisited = false
			})
		}
		e.visits = nil
	}
}

// keepPassed says that the lists of a phase are those of all later ones, unless some whole tiles have gone another way.
func (e *rowBody) keepPassed(domains []int, ways []assumption) {
	if slices.ContainsFunc(ways, func(assumed assumption) bool { return len(assumed) > 0 }) {
		return
	}
	for _, d := range domains {
		e.passed[d].isKnown = true
	}
}

// pass lists the row at hand if it passes the mask of d.
func (e *rowBody) pass(d int) {
	if p := e.passed[d]; !p.isKnown {
		e.b.Store(p.items, p.count, loop.ToKind(ir.U16, e.item))
		e.b.Assign(p.count, loop.Add(p.count, loop.Choose(e.expr(e.Domains[d].Guard), loop.Int(1), loop.Int(0))))
	}
}

// passing returns the domains whose rows are listed in the phase at hand, each behind the one of which it has rows.
func (e *rowBody) passing() (domains []int) {
	if !e.isSerial || e.items > 1<<16 {
		return nil
	}
	for d := 1; d < len(e.Domains); d++ {
		domain := &e.Domains[d]
		isReached := domain.Parent == 0 || slices.Contains(domains, domain.Parent)
		if domain.Kind == tile.Compact && isReached && e.isBusy(d) && e.mayVisit(d) {
			domains = append(domains, d)
		}
	}
	return domains
}

// mayVisit reports whether what the phase at hand does for the rows of d is more than to add up, for which compilers need no
// branch, and can be done when all else is done: it needs nothing of all rows that changes from row to row.
func (e *rowBody) mayVisit(d int) bool {
	isMore := false
	for i := range e.Ops {
		op := &e.Ops[i]
		if op.Epilogue || op.Domain == tile.Uniform || !e.Inside(op.Domain, d) || !e.isHere(i) {
			continue
		}
		isMore = isMore || op.HasEffect() && !op.IsRunning() && e.effects || op.Seeks() || op.LoadsAt()
		if slices.ContainsFunc(op.Args, func(v tile.ID) bool { return !e.isFoundAgain(v, d) }) {
			return false
		}
	}
	for inner := d + 1; inner < len(e.Domains); inner++ {
		if domain := &e.Domains[inner]; e.Inside(inner, d) && !(e.isFoundAgain(domain.Guard, d) && e.isFoundAgain(domain.Open, d)) {
			return false
		}
	}
	return isMore
}

// isHere reports whether an operation does something in the phase at hand, or a prefix becomes known for each row.
func (e *rowBody) isHere(i int) bool {
	return e.now == e.phase[i] || e.Ops[i].IsPrefix() && e.now == e.phase[i]+1
}

// isFoundAgain reports whether a value can be had when all else is done with the tile: it is kept, or of the rows of d, or
// computed once more from such values.
func (e *rowBody) isFoundAgain(v tile.ID, d int) bool {
	left := cheapOperations
	var isFound func(v tile.ID) bool
	isFound = func(v tile.ID) bool {
		if v == 0 || e.Values[v].Domain == tile.Uniform || e.crosses(v) && e.known(v) < e.now {
			return true
		}
		op := &e.Ops[e.Values[v].Op]
		if e.isHere(e.Values[v].Op) && op.Domain > 0 && e.Inside(op.Domain, d) {
			return true // its own operands are looked at by themselves
		}
		left--
		isPure := op.LoadsElement() || op.IsRowNumber() || op.IsMap() && !(op.IsDear() && e.uses[v] > 1)
		return left >= 0 && isPure && !slices.ContainsFunc(op.Args, func(arg tile.ID) bool { return !isFound(arg) })
	}
	return isFound(v)
}
