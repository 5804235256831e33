package gocpu

import (
	"maps"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
)

// relocates reports whether a block can run before the blocks ahead of it are done, into
// memory of its worker, and be copied to its place. That is cheaper than reading the rows
// twice.
func (k *kernel) relocates() bool { return k.analysis.Relocates() }

// scratch makes private memory of a worker, for rows of each stream that is written.
func (d *driver) scratch(rows int64) map[int]*loop.Var {
	made := map[int]*loop.Var{}
	for s, stream := range d.Streams {
		if stream.Write {
			made[s] = d.b.Make(streamName(stream)+"_scratch", loop.ScalarOf(stream.Kind), loop.Int(rows))
		}
	}
	return made
}

// withStreams writes statements with other memory for some streams.
func (d *driver) withStreams(other map[int]*loop.Var, write func()) {
	outer := d.whole
	d.whole = maps.Clone(outer)
	maps.Copy(d.whole, other)
	write()
	d.whole = outer
}

// chainOfCopies runs blocks into scratch memory, and copies the results in order.
func (d *driver) chainOfCopies() {
	var scratch map[int]*loop.Var
	var local map[stateKey]*loop.Var
	at := map[stateKey]*loop.Var{}
	d.b.Chain(d.rows, d.workers, blockRows, loop.ChainParts{
		Setup: func(*loop.Var) { scratch = d.scratch(blockRows) },
		Before: func(lo, hi *loop.Var) {
			d.withStreams(scratch, func() { local = d.call(lo, hi, d.f, nil) })
		},
		Turn: func(lo, hi *loop.Var) {
			for _, s := range d.carried {
				at[s.stateKey] = d.b.Decl(s.name+"_before", d.state[s.stateKey])
			}
			d.combine(at, local)
			d.growInTurn(lo, at, d.reached)
		},
		After: func(lo, hi *loop.Var) {
			for i := range d.Ops {
				op := &d.Ops[i]
				if !op.Does(tile.Writes) {
					continue
				}
				count := stateKey{d.Values[op.Args[1]].Op, 0}
				d.b.Copy(d.whole[op.Stream], loop.ToCounter(at[count]), scratch[op.Stream], loop.ToCounter(local[count]))
			}
		},
	})
}
