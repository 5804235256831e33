package gocpu

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// findLanes returns how many rows a vector has, or 0 if an operation has no form on
// vectors. Rows may be computed, folded, stored, and stored where they are selected.
func (v *vectors) findLanes(views []int) int {
	if len(views) == 0 || v.Has((*tile.Op).IsChunkwise) {
		return 0
	}
	for _, d := range v.Domains[1:] {
		if d.Kind != tile.Compact {
			return 0
		}
	}
	widest := 0
	seen := map[tile.ID]bool{}
	var fits func(x tile.ID) bool
	fits = func(x tile.ID) bool {
		if seen[x] {
			return true
		}
		seen[x] = true
		op := &v.Ops[v.Values[x].Op]
		kind := v.kind(x)
		if kind != ir.Bool {
			if !hasVectors(kind) {
				return false
			}
			widest = max(widest, kind.Size())
		}
		switch {
		case op.Domain == tile.Uniform && op.IsPure():
			return kind != ir.Bool
		case op.LoadsElement():
			return kind != ir.Bool
		case op.IsMap():
			return v.hasVectorForm(op) && !slices.ContainsFunc(op.Args, func(arg tile.ID) bool { return !fits(arg) })
		}
		return false
	}
	for _, op := range v.rowOps() {
		switch {
		case op.Domain == tile.Uniform && !op.IsRunning(), op.IsPure():
			continue // at its use
		case op.Does(tile.Writes):
			if len(op.Args) == 1 && op.Domain != 0 || len(op.Args) == 2 && !v.isPlaceOf(op.Args[1], op.Domain) || v.kind(op.Args[0]) == ir.Bool || !fits(op.Args[0]) {
				return 0
			}
		case op.Cuts():
			if !v.counts(op) {
				return 0
			}
		case op.IsReduction():
			if op.Monoid.Kind != tile.Fold || !hasVectors(v.kind(op.Args[0])) || !isOnVectors(op.Monoid.Combine[0].Operator, v.kind(op.Args[0])) || !fits(op.Args[0]) {
				return 0
			}
		default:
			return 0
		}
	}
	for d := 1; d < len(v.Domains); d++ {
		if v.hasRows(d) && !fits(v.Domains[d].Guard) {
			return 0
		}
	}
	if widest == 0 {
		return 0
	}
	return vectorBytes / widest
}

// kind is the kind of v as loop programs have it.
func (v *vectors) kind(x tile.ID) ir.Kind { return loop.ScalarOf(v.Values[x].Kind).Kind }

// isPlaceOf reports whether x is the number of a row of d among those selected.
func (v *vectors) isPlaceOf(x tile.ID, d int) bool {
	return d > 0 && x == v.Domains[d].Position && x == v.Domains[d].Counter
}

// counts reports whether a scan does nothing but number the rows of a domain.
func (v *vectors) counts(op *tile.Op) bool {
	return op.Exclusive && slices.ContainsFunc(v.Domains, func(d tile.Domain) bool { return d.Counter == op.Res[0] })
}

// hasVectorForm reports whether a map has a form on vectors.
func (v *vectors) hasVectorForm(op *tile.Op) bool {
	switch from := v.kind(op.Args[0]); {
	case op.Checked:
		return false
	case op.Operator == ir.OpCast:
		_, ok := conversion(from, v.kind(op.Res[0]), v.lanes)
		return ok || from == ir.Bool
	case op.Operator == ir.OpSelect:
		return v.kind(op.Res[0]) != ir.Bool
	default:
		return isOnVectors(op.Operator, from)
	}
}
