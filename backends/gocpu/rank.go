package gocpu

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Radix is the number of bits of the digits by which emitted Go sorts: their counters
// stay in the first cache.
const Radix = 8

// RadixOfMany is that of digits of many rows that are packed into words.
const RadixOfMany = 10

// FewRows is up to how many rows are sorted by insertion: the counters of digits cost more there than what
// insertion moves.
const FewRows = 64

// A range function gets the counters of a rank from its caller: how many rows before
// the range have each digit. A summary adds those of the range.

// ranks adds the counters as parameters.
func (g *body) ranks(f *rangeFunc) {
	for i, op := range g.With((*tile.Op).Counts) {
		if g.needed[i] {
			g.counts[op.Res[0]] = g.b.Param("digits", loop.SliceOf(loop.ScalarOf(ir.I64)))
			f.args = append(f.args, argument{stream: -1, counted: op.Res[0]})
		}
	}
}

// beginRank makes the counters places, unless the function is a summary: then a row
// loads one number.
func (g *body) beginRank(op *tile.Op, _, _ *loop.Var) {
	rank := op.Res[0]
	name := "places"
	if g.summary {
		name = "counts"
	}
	counts := g.b.Window(name, g.counts[rank], loop.Int(0), int(op.Digits))
	g.counts[rank] = counts
	if g.summary {
		return
	}
	g.b.Note("where the next row of each digit goes")
	values := loop.Expr(loop.Int(op.Digits))
	if len(op.Args) > 2 {
		values = loop.Least(values, loop.ToCounter(g.expr(op.Args[2]))) // no more counters than there are
	}
	g.b.For("digit", loop.Int(0), values, func(digit *loop.Var) {
		of := *g
		of.values = g.uniformValues()
		of.values[op.Args[0]] = loop.ToKind(ir.I64, digit)
		g.b.Store(counts, digit, loop.Add(loop.At(counts, digit), of.expr(op.Args[1])))
	})
}

// rank counts the row, and names its place.
func (g *body) rank(i int) {
	op := &g.Ops[i]
	counts := g.counts[op.Res[0]]
	digit := g.b.Let("digit", loop.ToCounter(g.expr(op.Args[0])))
	one := loop.ConstOf(ir.Int(ir.I64, 1))
	if g.summary {
		g.b.Store(counts, digit, loop.Add(loop.At(counts, digit), one))
		return
	}
	place := g.b.Let(g.name(op.Res[0]), loop.At(counts, digit))
	g.b.Store(counts, digit, loop.Add(place, one))
	g.values[op.Res[0]] = place
}

// newCounts declares counters of no rows, one set per rank.
func (d *driver) newCounts(name string) map[tile.ID]*loop.Var {
	counts := map[tile.ID]*loop.Var{}
	for _, op := range d.With((*tile.Op).Counts) {
		counts[op.Res[0]] = d.b.Make(name, loop.ScalarOf(ir.I64), loop.Int(counters(op)))
	}
	return counts
}

// passCounts adds the counters of a block to those of all blocks before it, which
// become the block's.
func (d *driver) passCounts(all, block map[tile.ID]*loop.Var) {
	for _, op := range d.With((*tile.Op).Counts) {
		all, block := all[op.Res[0]], block[op.Res[0]]
		d.b.For("digit", loop.Int(0), loop.Int(op.Digits), func(digit *loop.Var) {
			count := d.b.Let("count", loop.At(block, digit))
			d.b.Store(block, digit, loop.At(all, digit))
			d.b.Store(all, digit, loop.Add(loop.At(all, digit), count))
		})
	}
}
