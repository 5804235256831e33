package tiletest

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Sequential executes a launch as a tile program is meant: row by row, each
// operation in turn. The error says what is wrong with the kernel.
func Sequential(k *tile.Kernel, memory *Memory, rows int) error {
	m := newMachine(k, memory, rows)
	return m.launch(func() {
		states, counts := map[int][]ir.Scalar{}, map[int]map[int64]int64{}
		for i := range k.Ops {
			if op := &k.Ops[i]; op.Kind == tile.Scan || op.Kind == tile.ChunkScan || op.Kind == tile.Reduce {
				states[i] = op.Monoid.Identity
			} else if op.Kind == tile.Rank {
				counts[i] = map[int64]int64{}
			}
		}
		for _, r := range m.steps() {
			r.forget()
			for i := range k.Ops {
				switch op := &k.Ops[i]; {
				case op.Epilogue || op.Domain == tile.Uniform:
				case op.Kind == tile.Scan:
					states[i] = r.scan(op, states[i])
				case op.Kind == tile.ChunkScan:
					states[i] = r.chunkScan(op, states[i])
				case op.Kind == tile.Rank:
					if r.isActive(op.Domain) {
						digit := r.need(op.Args[0]).Int64()
						r.define(op.Res[0], ir.Int(ir.I64, r.need(op.Args[1]).Int64()+counts[i][digit]))
						counts[i][digit]++
					}
				case op.Kind == tile.Reduce:
					states[i] = m.Combine(op.Monoid, states[i], r.elements(op))
				default:
					r.run(op)
				}
			}
		}
		for i, state := range states {
			if k.Ops[i].Kind == tile.Reduce {
				m.reduced[i] = state
			} else {
				m.total[i] = state
			}
		}
	})
}
