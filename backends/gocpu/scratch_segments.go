package gocpu

import (
	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// relocatesSegments reports whether blocks of segments can run before the blocks
// ahead of them are done, into memory of their worker. Every result must be a
// state: then adding the state before the block completes the segment that the
// block continues.
func (k *kernel) relocatesSegments() bool {
	if k.branchlessSegments == 0 {
		return false
	}
	for i := range k.Ops {
		op := &k.Ops[i]
		switch {
		case op.Epilogue:
		case op.Does(tile.Writes):
			if by := &k.Ops[k.Values[op.Args[0]].Op]; !by.Cuts() || by.Monoid.Kind == tile.Fold || len(by.Monoid.Fields) > 2 { // a flag and a stored field
				return false
			}
		case op.Cuts() && k.KeepsLast(op) && !k.Recomputable(op.Args[1]):
			return false
		}
	}
	return true
}

// chainOfSegments runs blocks into scratch memory. Slot 0 is the segment that was
// open before the block. The segment that is open after the block is left to the
// block in which it ends.
func (d *driver) chainOfSegments() {
	var scratch map[int]*loop.Var
	local, before := map[stateKey]*loop.Var{}, map[stateKey]*loop.Var{}
	begun := stateKey{d.begunOp(), 0}
	one := loop.ConstOf(ir.Int(ir.I64, 1))
	var closed loop.Expr
	d.b.Chain(d.rows, d.workers, blockRows, loop.ChainParts{
		Setup: func(*loop.Var) { scratch = d.scratch(blockRows + 1) },
		Before: func(lo, hi *loop.Var) {
			for _, s := range d.carried {
				start := loop.ConstOf(s.identity)
				if s.stateKey == begun {
					start = one
				}
				local[s.stateKey] = d.b.Decl(s.name+"_block", start)
				if op := &d.Ops[s.op]; d.KeepsLast(op) && s.field == len(op.Res)-1 {
					d.b.If(loop.Gt(lo, loop.Int(0)), func() {
						d.b.Assign(local[s.stateKey], d.at(op.Args[s.field], loop.Sub(lo, loop.Int(1))))
					}, nil)
				}
			}
			d.withStreams(scratch, func() { d.call(lo, hi, d.f, local) })
			closed = d.b.Let("closed", loop.Sub(local[begun], one))
		},
		Turn: func(lo, hi *loop.Var) {
			for _, s := range d.carried {
				before[s.stateKey] = d.b.Decl(s.name+"_before", d.state[s.stateKey])
				if s.stateKey == begun {
					d.b.Assign(d.state[begun], loop.Add(before[begun], closed))
					continue
				}
				ended := loop.Gt(closed, loop.ConstOf(ir.Int(ir.I64, 0)))
				d.b.Assign(d.state[s.stateKey], d.continued(s, before, ended, local[s.stateKey]))
			}
			d.growInTurn(lo, before, d.reached)
		},
		After: func(lo, hi *loop.Var) {
			zero := loop.ConstOf(ir.Int(ir.I64, 0))
			slot := d.b.Let("slot", loop.ToCounter(loop.Sub(before[begun], one)))
			d.b.If(loop.Gt(closed, zero), func() {
				d.b.If(loop.Ge(slot, loop.Int(0)), func() {
					d.b.Note("the group that was open before the block, and ends in it")
					d.eachStore(func(s state, stream int) {
						d.b.Store(d.whole[stream], slot, d.continued(s, before, loop.False, loop.At(scratch[stream], loop.Int(0))))
					})
				}, nil)
				d.eachStore(func(_ state, stream int) {
					first := d.b.Slice(streamName(d.Streams[stream])+"_closed", scratch[stream], loop.Int(1), loop.ToCounter(local[begun]))
					d.b.Copy(d.whole[stream], loop.Add(slot, loop.Int(1)), first, loop.ToCounter(loop.Sub(closed, one)))
				})
			}, nil)
		},
	})
}

// continued returns a state after a block: x, the block's own, if a segment began
// in it, else x added to the state before.
func (d *driver) continued(s state, before map[stateKey]*loop.Var, began, x loop.Expr) loop.Expr {
	op := &d.Ops[s.op]
	if d.KeepsLast(op) {
		return x
	}
	now := func(field int) loop.Expr { return before[stateKey{s.op, field}] }
	block := func(field int) loop.Expr {
		if field == 0 {
			return began
		}
		return x
	}
	return backends.Combine(op.Monoid.Combine[s.field], now, block)
}

// eachStore visits the stored states and their streams.
func (d *driver) eachStore(visit func(s state, stream int)) {
	for i := range d.Ops {
		op := &d.Ops[i]
		if !op.Does(tile.Writes) || op.Epilogue {
			continue
		}
		value := op.Args[0]
		by := d.Values[value].Op
		for f, result := range d.Ops[by].Res {
			if result == value {
				visit(state{stateKey: stateKey{by, f}}, op.Stream)
			}
		}
	}
}
