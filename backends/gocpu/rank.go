package gocpu

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Radix is the number of bits of the digits by which emitted Go sorts: their counters
// stay in the first cache.
const Radix = 8

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

// beginRank prepares the counters. If all that rows compute from their rank is a place,
// and its other part depends on the digit alone, counters start as places: then a row
// loads one number.
func (g *body) beginRank(op *tile.Op, _, _ *loop.Var) {
	rank := op.Res[0]
	first := g.firstPlace(op)
	name := "counts"
	if first != 0 && !g.summary {
		name = "places"
	}
	counts := g.b.Window(name, g.counts[rank], loop.Int(0), int(op.Digits))
	g.counts[rank] = counts
	if first == 0 || g.summary {
		return
	}
	g.b.Note("where the next row of each digit goes")
	g.b.For("digit", loop.Int(0), loop.Int(op.Digits), func(digit *loop.Var) {
		of := *g
		of.values = g.uniformValues()
		of.values[op.Args[0]] = loop.ToKind(ir.I64, digit)
		g.b.Store(counts, digit, loop.Add(loop.At(counts, digit), of.expr(first)))
	})
}

// rank names how many rows before have the digit of the row, or the place that this
// decides, and counts the row.
func (g *body) rank(i int) {
	op := &g.Ops[i]
	counts := g.counts[op.Res[0]]
	digit := g.b.Let("digit", loop.ToCounter(g.expr(op.Args[0])))
	one := loop.ConstOf(ir.Int(ir.I64, 1))
	if g.summary {
		g.b.Store(counts, digit, loop.Add(loop.At(counts, digit), one))
		return
	}
	v := op.Res[0]
	if g.firstPlace(op) != 0 {
		v = g.place(op).Res[0]
	}
	x := g.b.Let(g.name(v), loop.At(counts, digit))
	g.b.Store(counts, digit, loop.Add(x, one))
	g.values[v] = x
}

// place returns the sum that is all that needs a rank; nil if there is none.
func (k *kernel) place(rank *tile.Op) *tile.Op {
	v := rank.Res[0]
	if k.uses[v] != 1 {
		return nil
	}
	for _, op := range k.With((*tile.Op).IsMap) {
		if op.Operator == ir.OpAdd && slices.Contains(op.Args, v) {
			return op
		}
	}
	return nil
}

// firstPlace returns what the place of a row adds to its rank, if that depends on the
// digit alone; 0 if not.
func (k *kernel) firstPlace(rank *tile.Op) tile.ID {
	place := k.place(rank)
	if place == nil {
		return 0
	}
	first := place.Args[0]
	if first == rank.Res[0] {
		first = place.Args[1]
	}
	if !k.dependsOn(first, rank.Args[0]) {
		return 0
	}
	return first
}

// dependsOn reports whether v is computed from x and from what is the same for all rows.
func (k *kernel) dependsOn(v, x tile.ID) bool {
	if v == x || k.Values[v].Domain == tile.Uniform {
		return true
	}
	op := &k.Ops[k.Values[v].Op]
	return (op.IsMap() || op.LoadsAt() && !op.Checked) && !slices.ContainsFunc(op.Args, func(arg tile.ID) bool { return !k.dependsOn(arg, x) })
}

// newCounts declares counters of no rows, one set per rank.
func (d *driver) newCounts(name string) map[tile.ID]*loop.Var {
	counts := map[tile.ID]*loop.Var{}
	for _, op := range d.With((*tile.Op).Counts) {
		counts[op.Res[0]] = d.b.Make(name, loop.ScalarOf(ir.I64), loop.Int(op.Digits))
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
