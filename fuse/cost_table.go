package fuse

import (
	"cmp"
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Costs of tables that a kernel updates.

// mostLocal is how many bytes of tables a work-group has in local memory, where it has that much: with more, fewer
// work-groups would run at once.
const mostLocal = 160 << 10

// update returns the seconds of an update of a table, for each row: in local memory if the table has room there.
func (f *Fusion) update(k *tile.Kernel, op *tile.Op) float64 {
	bytes := f.Graph.tableBytes(k, op)
	local := f.Machine.Curves[plan.CurveLocal]
	isOfTile := k.CountCuts() > 0
	if ofTiles, isMeasured := f.Machine.Curves[plan.CurveTile]; isMeasured && isOfTile {
		local = ofTiles
	}
	n := len(local)
	if n > 0 && (bytes <= float64(local[n-1].Bytes) || !isOfTile && f.hasRoom(k, op)) {
		return local.At(bytes)
	}
	return f.Machine.Curves[plan.CurveAtomic].At(bytes)
}

// hasRoom reports whether a table of known length has room in local memory beside the smaller ones of its kernel.
func (f *Fusion) hasRoom(k *tile.Kernel, op *tile.Op) bool {
	if f.Machine.Subgroup <= 1 || f.Machine.LocalBytes < mostLocal {
		return false
	}
	type table struct {
		stream int
		bytes  float64
	}
	var tables []table
	for i := range k.Ops {
		o := &k.Ops[i]
		if o.Kind != tile.Update || slices.ContainsFunc(tables, func(t table) bool { return t.stream == o.Stream }) {
			continue
		}
		if length, isKnown := f.Graph.knownBins(k, o); isKnown {
			tables = append(tables, table{o.Stream, length * wordsBytes(k, o)})
		}
	}
	slices.SortStableFunc(tables, func(a, b table) int { return cmp.Compare(a.bytes, b.bytes) })
	total := 0.0
	for _, t := range tables {
		if total += t.bytes; total > mostLocal {
			return false
		}
		if t.stream == op.Stream {
			return true
		}
	}
	return false
}

// knownBins returns the length of the table that op updates, if it is a constant.
func (g *Graph) knownBins(k *tile.Kernel, op *tile.Op) (float64, bool) {
	d := g.byName[k.Streams[op.Stream].Buffer].Domain
	if d == nil || d.Kind != ir.DomainBins || d.By.Op == ir.OpInsert || len(d.By.Args) < 2 || d.By.Args[1].Op != ir.OpConst {
		return 0, false
	}
	return g.assumedLength(d), true
}

// wordsBytes returns the bytes of an element in local memory: counts of rows have 4 there.
func wordsBytes(k *tile.Kernel, op *tile.Op) float64 {
	size := k.Streams[op.Stream].Kind.Size()
	if _, isIndicator := k.Indicator(op.Args[1]); isIndicator || k.IsConst(op.Args[1], 1) {
		size = 4
	}
	return float64(max(size, 4))
}
