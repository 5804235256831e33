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
	if n > 0 && isOfTile && f.Machine.Subgroup > 1 && bytes <= float64(local[n-1].Bytes) && exchanges(k, op) { // workers of cores have tables each
		return local.At(bytes) + f.exchanging(k, op)
	}
	if n > 0 && (bytes <= float64(local[n-1].Bytes) || !isOfTile && f.hasRoom(k, op)) {
		return local.At(bytes)
	}
	return f.Machine.Curves[plan.CurveAtomic].At(bytes)
}

// exchange is how long a work-item that combines by an exchange keeps others from an element of local memory, and
// exchangeRows for how many rows of a tile that counts at least. On an H200 a product by four bins, beside a
// prefix, took 36 ps for each of 2^24 rows.
const exchange, exchangeRows = 20e-9, 1 << 10

// exchanging predicts for each row what the work-items of a tile wait for each other. A kernel without a prefix has
// tables for few of them each, and combines these once.
func (f *Fusion) exchanging(k *tile.Kernel, op *tile.Op) float64 {
	rows := max(f.Graph.rowsOfKernel(k)[op.Domain], 1)
	elements := max(f.Graph.lengthOf(f.Graph.byName[k.Streams[op.Stream].Buffer]), 1)
	return exchange * max(1/float64(f.Machine.Units), exchangeRows/rows) / elements
}

// exchanges reports whether an update combines by an exchange that it may have to repeat, since no atomic operation
// does: a product, a float, or the row of an extreme.
func exchanges(k *tile.Kernel, op *tile.Op) bool {
	if len(op.Monoid.Combine) > 1 {
		return true
	}
	kind := k.Streams[op.Stream].Kind
	switch op.Monoid.Combine[0].Operator {
	case ir.OpAdd:
		return !kind.IsInteger()
	case ir.OpLeast, ir.OpGreatest, ir.OpLogicalAnd, ir.OpLogicalOr:
		return !kind.IsInteger() && kind != ir.Bool || kind.Size() > 4
	}
	return true
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
