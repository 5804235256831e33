package simt

import (
	"math/bits"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Where rows may be taken in any order, masks divide what is done with them into phases:
// that of all rows, that of the rows that a mask keeps, that of those that a mask of these
// keeps. A work-item ends a phase for all its rows before the next. So gathers of several
// rows overlap, and a column that only later phases read is loaded only where a work-item
// has a row left.

// filtering is the strategy of such kernels.
type filtering struct{ inOrder }

// filter divides the operations into phases, if work-items hold their rows and leave
// nothing but folds and tables.
func (k *kernel) filter() {
	if k.arena.vector == 0 || !k.filters() || k.items > bitsOfRows {
		return
	}
	depths, most := make([]int, len(k.Ops)), 0
	for i := range k.Ops {
		depths[i] = maskDepth(k.Kernel, k.Ops[i].Domain)
		most = max(most, depths[i])
	}
	if most > 0 && most < maxPhases {
		k.phase, k.masks, k.strategy = depths, most, filtering{}
		k.list()
		k.countUses()
	}
}

// filters reports whether rows that masks keep leave nothing but folds and tables.
func (k *kernel) filters() bool { return len(k.Domains) > 1 && !k.Has(leavesMore) }

// maskDepth returns how many masks a row of a domain has to pass.
func maskDepth(t *tile.Kernel, domain int) (masks int) {
	for ; domain > 0; domain = t.Domains[domain].Parent {
		masks++
	}
	return masks
}

func (f filtering) run(s *launches, e *rowBody) { f.phases(e, s.masks) }

// phases runs the phases up to last.
func (filtering) phases(e *rowBody, last int) {
	e.loopRows(0)
	for phase := 1; phase <= last; phase++ {
		kept := e.keptRows(phase)
		if kept == nil {
			e.loadHeld(phase, nil)
			e.loopRows(phase)
			continue
		}
		e.b.If(loop.Ne(kept, number(ir.U32, 0)), func() {
			e.loadHeld(phase, kept)
			e.loopRows(phase)
		}, nil)
	}
}

// keptRows returns which of the work-item's rows a phase has, a bit each; nil if it has all.
func (e *rowBody) keptRows(phase int) loop.Expr {
	var any loop.Expr
	for d := range e.Domains {
		if maskDepth(e.Kernel, d) != phase {
			continue
		}
		kept := e.kept[e.Domains[d].Guard]
		switch {
		case kept == nil:
			return nil
		case any == nil:
			any = kept
		default:
			any = loop.Apply(ir.OpOr, any, kept)
		}
	}
	return any
}

// firstRead returns the first phase that reads a column.
func (k *kernel) firstRead(stream int) int {
	first := k.masks
	for _, op := range k.Ops {
		if op.LoadsElement() && op.Stream == stream {
			first = min(first, bits.TrailingZeros64(k.used[op.Res[0]]))
		}
	}
	return first
}

// isTold reports whether a bit that an earlier phase has kept says which rows are in a derived domain. They are in those around
// it, too.
func (e *rowBody) isTold(d int) bool {
	guard := e.Domains[d].Guard
	return e.masks > 0 && e.now != atEnd && e.keepsBits(guard) && e.crosses(guard)
}

// innermost returns the domain whose rows alone do something in a later phase than those of d, if a bit tells which rows these
// are, else d.
func (e *rowBody) innermost(d int) int {
	for e.isTold(d) {
		var busy []int
		for child := d + 1; child < len(e.Domains); child++ {
			if e.Domains[child].Parent == d && e.isBusy(child) {
				busy = append(busy, child)
			}
		}
		if len(busy) != 1 || !e.isTold(busy[0]) {
			break
		}
		d = busy[0]
	}
	return d
}
