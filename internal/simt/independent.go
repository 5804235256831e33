package simt

import (
	"math/bits"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// What a work-group remembers, and combines beside that, may lie in global memory instead of
// local memory: Rosenfeld et al. call it INDEPENDENT if each thread has a table of its own,
// which is combined with those of others in the end. Here a work-group has one, with as many
// places as its work-items would have, and rows whose keys find no place combine in the common
// table. The rest is as in entered.go.

// ownPlaces is how many places a work-group has in global memory for each of its work-items.
const ownPlaces = 16

// ownBytes is the memory for the tables of all work-groups of a launch, at most: with more of
// them, fewer work-groups walk over the rows.
const ownBytes = 1 << 30

// isIndependent reports whether work-groups remember rows in global memory.
func (l *lowering) isIndependent() bool { return l.schedule.Groups == plan.Independent }

// ownPlacesOf returns how many places work-groups of some size have, a power of two.
func ownPlacesOf(workgroup int) int64 {
	return 1 << (bits.Len64(uint64(workgroup)*ownPlaces) - 1)
}

// planOwn lays out what a work-group has in global memory.
func (p *localTables) planOwn(l *lowering, t *tile.Kernel, s *shape) {
	p.enter(l, t, s.places)
	s.ownBytes = p.bytes
	for _, op := range t.With((*tile.Op).IsLimited) {
		if len(updatesBy(t, op.Res[0])) == 0 {
			s.ownBytes += s.places.memoryBytes(l.wordOfKeys(t, op))
		}
	}
	p.bytes = 0
}

// own is the memory of a work-group in global memory.
type own struct {
	words map[ir.Kind]*loop.Var // of all work-groups
	first map[ir.Kind]loop.Expr // of the work-group's own
}

// declareOwn declares what work-groups have in global memory.
func (w walking) declareOwn(e *function) {
	name := w.fresh(w.Name + "_tables")
	w.addBuffer(plan.Buffer{Name: name, Kind: plan.Kind(ir.U32.String()), Role: plan.Temporary,
		Length: plan.Mul(w.walkers(w.rowSpan.most(w.launches)), plan.Const(w.ownBytes/4))})
	e.own = &own{words: map[ir.Kind]*loop.Var{}, first: map[ir.Kind]loop.Expr{}}
	for _, kind := range []ir.Kind{ir.U32, ir.I32, ir.U64} {
		if !e.needsOwn(kind) {
			continue
		}
		e.own.words[kind] = e.arguments.wordsOf(name, kind)
		e.own.first[kind] = e.b.Let("own", loop.Mul(&loop.ID{Kind: loop.WorkgroupID}, loop.Int(w.ownBytes/int64(kind.Size()))))
	}
}

// needsOwn reports whether what a work-group has in global memory is words of a kind, among
// others.
func (e *function) needsOwn(kind ir.Kind) bool {
	remembered := e.Has(func(op *tile.Op) bool { return op.IsLimited() && e.wordOfKeys(op) == kind })
	switch kind {
	case ir.I32: // the numbers of rows
		return remembered
	case ir.U64:
		return remembered || e.localTables != nil && e.localTables.hasWide(func(t *localTable) bool { return t.entered != nil })
	}
	return true
}

// place returns the words of a kind, and the place of one of those that the work-group has.
func (o *own) place(kind ir.Kind, at loop.Expr) (words *loop.Var, place loop.Expr) {
	return o.words[kind], loop.Add(o.first[kind], at)
}

// ownMemoryOf returns the memory of an operation in global memory, and whether it has keys.
func (e *function) ownMemoryOf(i int) *memory {
	kind := e.wordOfKeys(&e.Ops[i])
	m := &memory{places: e.places, kind: kind, isKeys: kind != ir.I32, sizes: e.sizesOfKeys(&e.Ops[i])}
	at := e.ownBytes / 4
	if of := e.enteredOf(i); of != nil {
		at = of.memory
	} else {
		for j, op := range e.With((*tile.Op).IsLimited) {
			if j >= i && len(updatesBy(e.Kernel, op.Res[0])) == 0 { // they come last
				at -= m.memoryBytes(e.wordOfKeys(op)) / 4
			}
		}
	}
	m.words, m.first = e.own.place(kind, loop.Int(at*4/int64(kind.Size())))
	return m
}
