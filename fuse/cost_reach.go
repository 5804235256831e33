package fuse

import (
	"math"

	"github.com/kgen-go/kgen/internal/tile"
)

// Costs of columns and tables into which rows reach.

// reachedLine is how many bytes a load from anywhere moves.
const reachedLine = 64

// unreached predicts how many bytes of the columns that k reads somewhere else than at its rows stay where they
// are, since it has fewer rows than these.
func (g *Graph) unreached(k *tile.Kernel, rows []float64) (total float64) {
	for i, s := range k.Streams {
		if s.Write || s.Access != tile.Gather {
			continue
		}
		loaded := 0.0
		for _, op := range k.With((*tile.Op).IsLoad) {
			switch {
			case op.LoadsElement() && k.Streams[op.Stream].Buffer == s.Buffer: // rows read all of it
				loaded = math.Inf(1)
			case op.Stream != i:
			case op.Domain == tile.Uniform:
				loaded += reachedLine
			default:
				loaded += rows[op.Domain] * reachedLine
			}
		}
		if loaded > 0 { // what is searched has other reads
			total += max(g.lengthOf(g.byName[s.Buffer])*float64(s.Kind.Size())-loaded, 0)
		}
	}
	return total
}

// reachedBytes predicts how much a cache has to hold so that what a row reaches by op is still there from the last time:
// all of its table, and what rows have reached of others meanwhile. Of a table as large, into which as many rows reach,
// that is all; of a larger one so much as the small one has; and a small one is soon back in the nearest cache,
// whatever else the kernel reaches into.
func (g *Graph) reachedBytes(k *tile.Kernel, op *tile.Op, rows []float64) float64 {
	visits := map[string]float64{} // by rows, of each buffer
	for i := range k.Ops {
		visitor := &k.Ops[i]
		if visitor.Ascending || visitor.LoadsElement() || visitor.Epilogue || visitor.Domain == tile.Uniform {
			continue
		}
		for _, stream := range visitor.Streams() {
			if s := k.Streams[stream]; s.Access == tile.Gather || s.Access == tile.Permute {
				visits[s.Buffer] += rows[visitor.Domain]
			}
		}
	}
	table := k.Streams[op.Stream].Buffer
	bytes, own := g.tableBytes(k, op), max(visits[table], 1)
	total := bytes
	seen := map[string]bool{table: true}
	for _, s := range k.Streams {
		if visits[s.Buffer] > 0 && !seen[s.Buffer] {
			seen[s.Buffer] = true
			total += min(g.lengthOf(g.byName[s.Buffer])*float64(s.Kind.Size()), bytes*visits[s.Buffer]/own)
		}
	}
	return total
}

// tableBytes predicts the bytes of the table that op reaches into.
func (g *Graph) tableBytes(k *tile.Kernel, op *tile.Op) float64 {
	s := k.Streams[op.Stream]
	return g.lengthOf(g.byName[s.Buffer]) * float64(s.Kind.Size())
}
