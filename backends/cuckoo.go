package backends

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// mostTurns bounds how often a row, or one that it has moved, goes through the parts of a
// cuckoo table. Seven tenths of its slots are taken at most, so that walks are far shorter,
// unless slots of more rows than these have meet.
const mostTurns = 64

// EnterCuckoo enters a row in a cuckoo table (Pagh and Rodler, ESA 2001), by several workers
// at once unless isAlone is set: Alcantara et al., Real-time Parallel Hashing on the GPU, 2009.
// The memory homes have the slots of each row, one in each part of the table. A row takes its
// slot, and one of other keys that was there goes on to its own slot in the next part. No row
// is ever in two slots. One is left out if it meets a lesser row of equal keys, or when a walk
// ends without a free slot, which the last slot of the table then tells.
//
// A compare-and-exchange takes a slot from the very row that was looked at, so none is lost;
// where others have been faster, the walk goes on.
func (t HashTable) EnterCuckoo(b *loop.Builder, homes []*loop.Var, row loop.Expr, isAlone bool) {
	moved := b.Decl("moved", loop.To(t.Memory.T.Elem(), row))
	turns := b.Decl("turns", loop.Int(0))
	exchange := func(at, expected loop.Expr) loop.Expr {
		if !isAlone {
			return b.CompareExchange("before", t.Memory, at, expected, moved)
		}
		before := b.Let("before", loop.At(t.Memory, at))
		b.If(loop.Eq(before, expected), func() { b.Store(t.Memory, at, moved) }, nil)
		return before
	}
	b.While(loop.Lt(turns, loop.Int(mostTurns)), func() {
		for _, part := range homes {
			at := b.Let("at", loop.ToCounter(loop.At(part, loop.ToCounter(moved))))
			held := b.Decl("held", exchange(at, t.free()))
			b.If(loop.Eq(held, t.free()), func() { b.Break() }, nil)
			isEqual := b.Decl("is_equal", loop.True)
			for _, key := range t.Keys {
				differs := loop.KeyNe(loop.At(key, loop.ToCounter(moved)), loop.At(key, loop.ToCounter(held)))
				b.If(differs, func() { b.Assign(isEqual, loop.False) }, nil)
			}
			b.If(loop.And(isEqual, loop.Le(held, moved)), func() { b.Break() }, nil)
			taken := b.Let("taken", exchange(at, held))
			b.If(loop.Eq(taken, held), func() {
				b.If(isEqual, func() { b.Break() }, nil)
				b.Assign(moved, held)
			}, nil)
		}
		b.Assign(turns, loop.Add(turns, loop.Int(1)))
	})
	b.If(loop.Eq(turns, loop.Int(mostTurns)), func() {
		last := loop.ToCounter(loop.Sub(t.Slots, loop.ConstOf(ir.Int(ir.I64, 1))))
		if isAlone {
			b.Store(t.Memory, last, moved)
			return
		}
		b.Atomic(loop.AtomicExchange, t.Memory, last, moved)
	}, nil)
}
