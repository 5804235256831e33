package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/plan"
)

// Where there are few rows, some kernels have tiles of fewer rows than their work-items can take: else few of a GPU's
// compute units would have any. The plan tells a launch how many.

// How many tiles few rows are: as many as large GPUs have compute units, or as have work-groups at once that wait for
// many rows which they only pass.
const (
	fewTiles        = 128
	fewSourcesTiles = 1024
)

// leastSourcesRows is how many rows such tiles have at least: those whose sources have bounds of their own.
const leastSourcesRows = 1024

// shareTiles lets the plan choose how many items of a work-item tiles have, from a number on. A schedule that says how
// many there are is followed, and parts continue each other by tiles of one size.
func (s *launches) shareTiles(least, tiles int) {
	if s.schedule.Items > 0 || s.schedule.Part > 0 || least >= s.items {
		return
	}
	rowItems := int64(s.rowItems())
	share := plan.CeilDiv(s.span, plan.Const(rowItems*int64(tiles)))
	s.share = plan.Max(plan.Min(share, plan.Const(int64(s.items))), plan.Const(int64(least)))
	s.tiles = plan.CeilDiv(s.span, plan.Mul(s.share, plan.Const(rowItems)))
	s.folds, s.folded = plan.Max(s.tiles, plan.Const(1)), s.tiles
}

// sharesSources reports whether tiles whose rows find their sources together, which may be many, are shared.
func (s *launches) sharesSources() bool {
	return s.chunk() == 1 && !s.Has((*tile.Op).IsChunkwise) && slices.ContainsFunc(s.together, func(i int) bool { return s.Ops[i].Kind == tile.Source })
}

// itemsShared returns how many items tiles have, if the plan chooses; else nil.
func (e *tileBody) itemsShared() loop.Expr {
	if e.kernel.share.IsZero() {
		return nil
	}
	return loop.ToCounter(e.arguments.value("share", e.kernel.share))
}

// tileSize returns how many rows a tile has that is not the last.
func (e *tileBody) tileSize() loop.Expr {
	if share := e.itemsShared(); share != nil {
		return loop.Mul(share, loop.Int(int64(e.rowItems())))
	}
	return loop.Int(e.kernel.rows())
}
