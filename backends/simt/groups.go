package simt

import (
	"maps"
	"slices"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/ir/loop"
	"github.com/kgen-go/kgen/tile"
)

// What is stored of the rows from one that is picked to the next may also be
// folded from them, as sums of runs are. A work-item then goes through its rows
// once more: at each row that is picked it leaves the fold of those before to
// local memory, where the folds lie in the order of their places. They may take
// the place of a column that work-items hold; where there is not room for all, a
// tile stores them batch by batch.

// batch is what the pool holds of the folds of groups.
type batch struct {
	scans   []int              // those that fold, from a row picked to the next
	rows    int64              // folds of each slot that there is room for
	regions map[stateKey]int64 // own room of a slot: its first byte
	columns map[stateKey]int   // staged columns in whose place others lie
}

// foldsGroups reports whether scan i folds something of the rows of the base since
// guard.
func (k *kernel) foldsGroups(i int, guard tile.ID) bool {
	op := &k.Ops[i]
	return op.Domain == 0 && op.Monoid.Kind == tile.Segmented && op.Args[0] == guard && k.rowsSince(i) != guard && k.areLocal(op.Args)
}

// foldedBy lists the slots of a state that hold folds of groups, those since guard
// alone where that is given.
func (k *kernel) foldedBy(st *state, guard tile.ID) (list []int) {
	for j, s := range st.slots {
		if slices.Contains(k.batch.scans, s.op) && s.field > 0 && (guard == 0 || k.Ops[s.op].Args[0] == guard) {
			list = append(list, j)
		}
	}
	return list
}

// planBatch finds room in p for as many folds as possible, and reports whether
// that is for an eighth of the rows of a tile at least.
func (k *kernel) planBatch(p *pool, registers int) bool {
	if len(k.batch.scans) == 0 {
		return k.settle(*p, registers)
	}
	st := k.stateOf(k.cuts[0])
	k.batch.regions, k.batch.columns = map[stateKey]int64{}, map[stateKey]int{}
	most := k.rows()
	var own []slot
	for _, j := range k.foldedBy(st, 0) {
		s := st.slots[j]
		column, ok := k.columnFor(p)
		if !ok {
			own = append(own, s)
			continue
		}
		k.batch.columns[s.stateKey] = column
		size := k.rows() * int64(k.Streams[column].Kind.Size())
		most = min(most, size/int64(wordOf(s.kind).Size()))
	}
	for k.batch.rows = most; k.batch.rows >= max(k.rows()/8, 1); k.batch.rows /= 2 {
		room := *p
		for _, s := range own {
			k.batch.regions[s.stateKey] = room.bytes
			room.bytes += aligned16(k.batch.rows * int64(wordOf(s.kind).Size()))
		}
		if k.settle(room, registers) {
			return true
		}
	}
	return false
}

// columnFor returns a staged column of four or eight bytes that nothing reads any
// more once work-items hold it, and that no other slot has the place of.
func (k *kernel) columnFor(p *pool) (column int, ok bool) {
	return k.freeColumn(*p, maps.Values(k.batch.columns), func(i int) bool {
		return k.Streams[i].Kind.Size() >= ir.U32.Size() && !k.isDelivered(i)
	})
}

// isDelivered reports whether a column is read for what is stored of a picked row.
func (k *kernel) isDelivered(stream int) bool {
	var reads func(v tile.ID) bool
	reads = func(v tile.ID) bool {
		op := &k.Ops[k.Values[v].Op]
		return op.Kind == tile.Load && op.Stream == stream || op.Kind != tile.Scan && slices.ContainsFunc(op.Args, reads)
	}
	for _, p := range k.picks {
		for _, i := range slices.Concat(p.rows, p.groups) {
			if reads(k.Ops[i].Args[0]) {
				return true
			}
		}
	}
	return false
}

// room returns the memory that holds the folds of a slot, and the place of the first.
func (e *emission) room(s slot) (memory *loop.Var, first loop.Expr) {
	word := wordOf(s.kind)
	memory = e.poolOf(word)
	if region, own := e.batch.regions[s.stateKey]; own {
		return memory, e.poolStart(region, word)
	}
	column := e.batch.columns[s.stateKey]
	bytes := e.Streams[column].Kind.Size()
	start := e.staged(column, layout{word: wordOf(e.Streams[column].Kind)})
	if bytes == word.Size() {
		return memory, start
	}
	// A tile's rows are a multiple of the two sizes.
	return memory, e.b.Let("first", loop.Div(loop.Mul(start, loop.Int(int64(bytes))), loop.Int(int64(word.Size()))))
}

// foldGroups goes through this work-item's rows and leaves the folds at picked
// rows whose number in the tile is from base on, as many as there is room for.
// before are the states of the tile's rows before. That rows ask whether they
// exist and have room costs less than to have the text for all cases: by a fifth
// on an H200.
func (e *emission) foldGroups(st *state, p pick, bits *loop.Var, before []loop.Expr, base loop.Expr) {
	running := map[stateKey]*loop.Var{}
	slots := e.foldedBy(st, p.guard)
	memories, firsts := make([]*loop.Var, len(st.slots)), make([]loop.Expr, len(st.slots))
	for _, j := range slots {
		running[st.slots[j].stateKey] = e.b.Decl(st.name(j), before[j])
		memories[j], firsts[j] = e.room(st.slots[j])
	}
	at := e.b.Decl("at", loop.Sub(loop.ToCounter(before[st.counted(p)]), base))
	e.now = e.until
	e.eachRow(false, func() {
		isPicked := e.b.Let("is_picked", isSet(bits, e.item))
		e.b.If(isPicked, func() {
			e.b.If(loop.And(loop.Ge(at, loop.Int(0)), loop.Lt(at, loop.Int(e.batch.rows))), func() {
				for _, j := range slots {
					s := st.slots[j]
					e.b.Store(memories[j], loop.Add(at, firsts[j]), toWord(wordOf(s.kind), running[s.stateKey]))
				}
			}, nil)
			e.b.Assign(at, loop.Add(at, loop.Int(1)))
		}, nil)
		e.values[p.guard] = isPicked
		for _, i := range e.batch.scans {
			if e.Ops[i].Args[0] == p.guard {
				e.advance(running, i, e.exprs(e.Ops[i].Args))
			}
		}
	})
}

// loadFolds returns a state with the folds of a group of a pick, number at of its
// batch.
func (e *emission) loadFolds(st *state, p pick, at loop.Expr) []loop.Expr {
	folds := st.identities()
	for _, j := range e.foldedBy(st, p.guard) {
		s := st.slots[j]
		memory, first := e.room(s)
		folds[j] = e.b.Let(st.name(j), fromWord(s.kind, loop.At(memory, loop.Add(at, first))))
	}
	return folds
}
