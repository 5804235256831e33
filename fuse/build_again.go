package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// readsRows reports whether a stage reads w at its own rows only.
func readsRows(s *Stage, w *Value) bool {
	return s.Domain == w.Domain && !slices.ContainsFunc(s.Reads, func(u Use) bool { return u.Value == w && (u.Access != tile.Element || u.Whole) })
}

// maxAgain is how many operators a column may take that is computed again.
const maxAgain = 3

// computesAgain reports whether the kernel computes w, which another one could store, from
// columns of the caller: with a few operators, from no more bytes than w has. Then w need
// not be stored.
func (b *kernelBuilder) computesAgain(w *Value) bool {
	if !b.again || w.Writer == nil || w.Kind != Result || w.Writer.Kind != Map || w.Domain != b.base || b.graph.outputs[w] {
		return false
	}
	if slices.ContainsFunc(b.graph.readBy[w], func(s *Stage) bool { return !readsRows(s, w) }) {
		return false // it is stored in any case
	}
	operators, bytes, seen := 0, 0, map[*ir.Value]bool{}
	var isCheap func(v *ir.Value) bool
	isCheap = func(v *ir.Value) bool {
		switch {
		case v.Op == ir.OpConst || v.Op == ir.OpParam && v.Type.IsScalar() || seen[v]:
			return true
		case v.Op == ir.OpParam:
			seen[v] = true
			if _, isLoaded := b.columns[v]; !isLoaded {
				bytes += v.Type.Kind.Size()
			}
			return true
		case !v.Op.IsElementwise() || v.Type.IsScalar() || v.Op.Cost() == ir.Dear || len(b.graph.sites[v]) > 0:
			return false
		}
		operators++
		seen[v] = true
		return !slices.ContainsFunc(v.Operands(), func(x *ir.Value) bool { return !isCheap(x) })
	}
	return isCheap(w.IR) && operators <= maxAgain && bytes <= w.Type.Size()
}
