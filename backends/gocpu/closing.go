package gocpu

import (
	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// A mask over groups depends on the aggregates of whole groups, so its rows have a prefix that
// waits for another one. But of the groups that end in a block only the first began before it
// (tile.Kernel.Closing). A worker runs its block from the first head on, into memory of its own. The rows before it
// are summed up. When the earlier blocks are known, these rows complete the group that is open,
// which is closed by itself, and the rest is copied behind it: one pass over the rows, where a summary
// of each block, of all prefixes in turn, takes three.

// headFunction writes the function that finds the first head of a range.
func (k *kernel) headFunction(name string) *rangeFunc {
	g, r, views := k.newRange(name, firstHead, 0)
	g.begin(r.lo, r.hi)
	length := g.cut(views, r.lo, r.hi)
	first, i := g.b.Decl("first", r.hi), g.b.Decl("i", loop.Int(0))
	kept := g.uniformValues()
	g.b.While(loop.Lt(i, length), func() {
		g.index = i
		for n := range g.Ops {
			if g.needed[n] && g.Ops[n].Domain == 0 && !g.split[n] {
				g.op(n, 0)
			}
		}
		head := g.b.Let("head", g.expr(g.Domains[g.closing].Guard))
		g.finishRow()
		g.b.If(head, func() {
			g.b.Assign(first, g.rowAt())
			g.b.Assign(i, length)
		}, func() { g.b.Assign(i, loop.Add(i, loop.Int(1))) })
	})
	g.values = kept
	r.Func = g.b.Func(first)
	return r
}

// chainOfClosing runs blocks into scratch memory from their first heads on.
func (d *driver) chainOfClosing() {
	var scratch map[int]*loop.Var
	var front map[stateKey]*loop.Var
	var begins loop.Expr
	local, at := map[stateKey]*loop.Var{}, map[stateKey]*loop.Var{}
	d.b.Chain(d.rows, d.workers, blockRows, loop.ChainParts{
		Setup: func(*loop.Var) { scratch = d.scratch(blockRows) },
		Before: func(lo, hi *loop.Var) {
			first := d.b.Let("first", loop.Expr(d.callOf(lo, hi, d.heads, nil)))
			front = d.call(lo, first, d.s, nil)
			begins = d.b.Let("begins", loop.Lt(first, hi))
			for _, s := range d.carried {
				local[s.stateKey] = d.b.Decl(s.name+"_block", loop.ConstOf(s.identity))
			}
			d.b.If(begins, func() {
				d.lastBefore(first, local)
				d.withStreams(scratch, func() { d.call(first, hi, d.f, local) })
			}, nil)
		},
		Turn: func(lo, hi *loop.Var) {
			for _, s := range d.carried {
				at[s.stateKey] = d.b.Decl(s.name+"_before", d.state[s.stateKey])
			}
			d.combine(at, front)
			d.growInTurn(lo, at, func(number stateKey) loop.Expr { // and the group that is open before the block
				return loop.Add(loop.Add(d.reached(number), loop.ToCounter(local[number])), loop.Int(1))
			})
			d.b.If(begins, func() {
				d.b.Note("the group that was open before the block, and ends in it")
				d.flush()
				folds := map[stateKey]*loop.Var{}
				for _, s := range d.carried {
					if d.isOfSegment(s) {
						d.b.Assign(d.state[s.stateKey], local[s.stateKey])
					} else {
						d.b.Assign(at[s.stateKey], d.state[s.stateKey])
						folds[s.stateKey] = local[s.stateKey]
					}
				}
				d.combine(at, folds)
			}, nil)
		},
		After: func(lo, hi *loop.Var) {
			if d.rowsHaveEffects() {
				d.b.If(begins, func() { d.copyClosed(scratch, at, local) }, nil)
			}
		},
	})
}

// isOfSegment reports whether s is a state of the segment that is open.
func (d *driver) isOfSegment(s state) bool {
	op := &d.Ops[s.op]
	return op.Cuts() && op.Monoid.Kind != tile.Fold
}

// lastBefore gives states that keep the last row what the row before first has.
func (d *driver) lastBefore(first loop.Expr, states map[stateKey]*loop.Var) {
	for _, s := range d.carried {
		if op := &d.Ops[s.op]; op.Cuts() && d.KeepsLast(op) && s.field == len(op.Res)-1 && d.Recomputable(op.Args[s.field]) {
			d.b.If(loop.Gt(first, loop.Int(0)), func() {
				d.b.Assign(states[s.stateKey], d.at(op.Args[s.field], loop.Sub(first, loop.Int(1))))
			}, nil)
		}
	}
}

// copyClosed copies what a block has stored, and completes folds of rows so far by those before the block.
func (d *driver) copyClosed(scratch map[int]*loop.Var, at, local map[stateKey]*loop.Var) {
	for i := range d.Ops {
		op := &d.Ops[i]
		if !op.Does(tile.Writes) || op.Epilogue {
			continue
		}
		domain := &d.Domains[op.Domain]
		number := stateKey{d.Values[domain.Counter].Op, 0}
		count := loop.Expr(loop.ToCounter(local[number]))
		if domain.Kind == tile.Close { // the last one is open
			count = loop.ToCounter(loop.Sub(local[number], loop.ConstOf(ir.Int(ir.I64, 1))))
		}
		start, whole, from := loop.ToCounter(at[number]), d.whole[op.Stream], scratch[op.Stream]
		if !d.IsPrefixOf(op.Args[0], op.Domain) {
			d.b.Copy(whole, start, from, count)
			continue
		}
		scan := d.Values[op.Args[0]].Op
		before := func(field int) loop.Expr { return at[stateKey{scan, field}] }
		d.b.For("i", loop.Int(0), count, func(i *loop.Var) {
			now := func(int) loop.Expr { return loop.At(from, i) }
			d.b.Store(whole, loop.Add(start, i), backends.Combine(d.Ops[scan].Monoid.Combine[0], before, now))
		})
	}
}
