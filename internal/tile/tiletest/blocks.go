package tiletest

import (
	"math/rand/v2"
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Blocks executes a launch as schemes on parallel devices do: the rows are cut
// into tiles of random sizes, and each phase runs for all tiles, in random
// order, before the next. Between phases a tile keeps its rows' register
// live values and its fold of the cut's state; other live values are computed
// again from elements of streams, and all else is forgotten. The state before a
// tile is that before some earlier tile combined with the folds of the tiles
// between, in random brackets: the schemes are special cases.
func Blocks(a *tile.Analysis, memory *Memory, rows int, random *rand.Rand) error {
	if whole := a.Kernel.WithoutRanks(); whole != a.Kernel {
		a = tile.Analyze(whole)
	}
	b := &blocks{Analysis: a, machine: newMachine(a.Kernel, memory, rows), random: random}
	return b.launch(func() {
		b.tiles = b.cut(b.steps())
		b.fold = make([]map[int][]ir.Scalar, len(b.tiles))
		b.before = make([]map[int][]ir.Scalar, len(b.tiles))
		for i := range b.tiles {
			b.fold[i], b.before[i] = map[int][]ir.Scalar{}, map[int][]ir.Scalar{}
		}
		for phase := 0; phase <= len(a.Cuts); phase++ {
			for _, i := range random.Perm(len(b.tiles)) {
				b.phase(phase, i)
			}
			if phase < len(a.Cuts) {
				b.exchange(&a.Cuts[phase])
			}
		}
		b.reduce()
	})
}

type blocks struct {
	*machine
	*tile.Analysis
	random *rand.Rand
	tiles  []*block
	fold   []map[int][]ir.Scalar // per tile and fold operation: that of the tile's rows
	before []map[int][]ir.Scalar // per tile and scan: that of all earlier rows
}

// block is a tile of rows with what it keeps from phase to phase.
type block struct {
	steps []*row
	kept  []map[tile.ID]ir.Scalar
}

// cut divides the steps into tiles of 1 to 40; a chunk belongs to one tile.
func (b *blocks) cut(steps []*row) []*block {
	whole := 1
	if slices.ContainsFunc(b.machine.Ops, func(op tile.Op) bool { return op.Kind == tile.ChunkScan }) {
		whole = b.ChunkRows
	}
	most := 1 + b.random.IntN(40)
	var tiles []*block
	for len(steps) > 0 {
		size := min(len(steps), whole*(1+b.random.IntN(most)))
		tiles = append(tiles, &block{steps: steps[:size], kept: make([]map[tile.ID]ir.Scalar, size)})
		steps = steps[size:]
	}
	return tiles
}

// phase runs one phase of a tile.
func (b *blocks) phase(phase, index int) {
	t, fold := b.tiles[index], b.fold[index]
	running := map[int][]ir.Scalar{}
	for i := range b.Ops {
		op := &b.Ops[i]
		switch {
		case op.Kind == tile.Scan && b.Phase[i] == phase-1:
			running[i] = b.before[index][i]
		case op.Kind == tile.ChunkScan:
			running[i] = op.Monoid.Identity
		case (op.Kind == tile.Scan || op.Kind == tile.Reduce) && b.Phase[i] == phase:
			fold[i] = op.Monoid.Identity
		}
	}
	for n, r := range t.steps {
		r.forget()
		for v, x := range t.kept[n] {
			r.values[v] = x
		}
		r.missing = b.again(phase, r)
		for i := range b.Ops {
			op, at := &b.Ops[i], b.Phase[i]
			switch {
			case op.Epilogue || op.Domain == tile.Uniform:
			case op.Kind == tile.Scan && at == phase-1 && b.usedByRows(i):
				running[i] = r.scan(op, running[i])
			case at != phase:
			case op.Kind == tile.ChunkScan:
				running[i] = r.chunkScan(op, running[i])
			case op.Kind == tile.Scan || op.Kind == tile.Reduce:
				fold[i] = b.Combine(op.Monoid, fold[i], r.elements(op))
			default:
				r.run(op)
			}
		}
		if phase < len(b.Cuts) {
			t.kept[n] = registers(&b.Cuts[phase], r)
		}
	}
}

// again returns how a phase gets a value that an earlier one computed.
func (b *blocks) again(phase int, r *row) func(tile.ID) (ir.Scalar, bool) {
	if phase == 0 {
		return nil
	}
	return func(v tile.ID) (ir.Scalar, bool) {
		for _, c := range b.Cuts[phase-1].Live {
			if c.Value == v && c.How != tile.Register {
				return r.fresh(v, r.number)
			}
		}
		return ir.Scalar{}, false
	}
}

// registers keeps the live values of a cut that are kept in registers.
func registers(cut *tile.Prefix, r *row) map[tile.ID]ir.Scalar {
	kept := map[tile.ID]ir.Scalar{}
	for _, c := range cut.Live {
		if x := r.values[c.Value]; c.How == tile.Register && x.Kind != ir.Invalid {
			kept[c.Value] = x
		}
	}
	return kept
}

// usedByRows reports whether the results of a scan are used by rows, and not
// only after them.
func (b *blocks) usedByRows(scan int) bool {
	for _, op := range b.Ops {
		if op.Epilogue {
			continue
		}
		for _, result := range b.Ops[scan].Res {
			if slices.Contains(op.Args, result) {
				return true
			}
		}
	}
	for _, d := range b.Domains[1:] {
		if slices.Contains(b.Ops[scan].Res, d.Guard) || slices.Contains(b.Ops[scan].Res, d.Open) {
			return true
		}
	}
	return false
}

// exchange makes the state before each tile: one fold of the cut's product.
func (b *blocks) exchange(cut *tile.Prefix) {
	folds := make([][]ir.Scalar, len(b.tiles))
	for i := range b.tiles {
		for _, scan := range cut.Scans {
			folds[i] = append(folds[i], b.fold[i][scan]...)
		}
	}
	before := [][]ir.Scalar{cut.Monoid.Identity}
	for i := range b.tiles {
		from := b.random.IntN(i + 1)
		window := b.bracket(cut.Monoid, folds[from:i+1])
		before = append(before, b.Combine(cut.Monoid, before[from], window))
	}
	split := func(state []ir.Scalar) map[int][]ir.Scalar {
		parts := map[int][]ir.Scalar{}
		for _, scan := range cut.Scans {
			n := len(b.Ops[scan].Res)
			parts[scan], state = state[:n], state[n:]
		}
		return parts
	}
	for i := range b.tiles {
		for scan, state := range split(before[i]) {
			b.before[i][scan] = state
		}
	}
	for scan, state := range split(before[len(b.tiles)]) {
		b.total[scan] = state
	}
}

// bracket folds states in order, with random brackets.
func (b *blocks) bracket(m *tile.Monoid, states [][]ir.Scalar) []ir.Scalar {
	if len(states) == 1 {
		return states[0]
	}
	at := 1 + b.random.IntN(len(states)-1)
	return b.Combine(m, b.bracket(m, states[:at]), b.bracket(m, states[at:]))
}

// reduce folds what the tiles reduced, in order.
func (b *blocks) reduce() {
	for i := range b.Ops {
		if op := &b.Ops[i]; op.Kind == tile.Reduce {
			state := op.Monoid.Identity
			for _, fold := range b.fold {
				state = b.Combine(op.Monoid, state, fold[i])
			}
			b.reduced[i] = state
		}
	}
}
