package simt

import (
	"math/bits"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Of a table that is too large for local memory, a work-group has a cache there. A
// row whose bin is the first at its slot claims the slot for the bin, and rows of
// the same bin combine there. Rows of other bins at the slot combine in global
// memory. So the bins of many rows, which global memory is slow at, are in local
// memory, however skewed or sorted the rows are.

// cacheSlots is how many slots a cache has.
const cacheSlots = 2048

// noBin is what a slot holds that no row has claimed.
const noBin = 1<<32 - 1

// cache has the slots of the tables of one length that rows combine in at one index.
type cache struct {
	index  tile.ID
	domain int
	size   string // the length, as an expression
	slots  int64  // a power of two
	at     int64  // the word of the first slot: the bin that has claimed it
	first  int    // the first operation, which finds the slot of a row for all of them

	slot loop.Expr // of the row at hand; below 0 if another bin has claimed it
}

// cacheFor returns the cache that a table shares with others and how many bytes of
// local memory that takes: none if it is there.
func (p *localTables) cacheFor(k *tile.Kernel, t *localTable) (c *cache, more int64) {
	op := &k.Ops[t.op]
	for _, c := range p.caches {
		if c.index == op.Args[0] && c.domain == op.Domain && c.size == t.size && c.slots == t.elements {
			return c, 0
		}
	}
	return &cache{index: op.Args[0], domain: op.Domain, size: t.size, slots: t.elements, first: t.op}, aligned16(t.elements * 4)
}

// findSlot finds the slot of the row's bin, for the tables that share a cache.
func (e *rowBody) findSlot(t *localTable, op *tile.Op, bin loop.Expr) {
	c := t.cache
	slot := e.b.Decl("slot", loop.Int(-1))
	c.slot = slot
	claims := e.inTable(op, bin)
	if late := e.localTables.unread[t.op]; late != nil {
		most := loop.ConstOf(ir.Int(ir.I64, plan.MaxRows)) // a slot has 32 bits for a bin
		claims = loop.And(loop.Not(late.isWhole), loop.And(claims, loop.Lt(bin, most)))
	}
	e.b.If(claims, func() {
		key := e.b.Let("key", loop.ToKind(ir.U32, bin))
		// Fibonacci hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4).
		hash := loop.Apply(ir.OpShr, loop.Mul(key, number(ir.U32, 0x9e3779b1)), number(ir.U32, int64(32-bits.TrailingZeros64(uint64(c.slots)))))
		at := e.b.Let("at", loop.ToCounter(hash))
		words, place := e.localTables.words[ir.U32], loop.Add(loop.Int(c.at), at)
		seen := e.b.Decl("seen", loop.VolatileAt(words, place))
		e.b.If(loop.Eq(seen, number(ir.U32, noBin)), func() {
			before := e.b.CompareExchange("before", words, place, number(ir.U32, noBin), key)
			e.b.Assign(seen, loop.Choose(loop.Eq(before, number(ir.U32, noBin)), key, before))
		}, nil)
		e.b.If(loop.Eq(seen, key), func() { e.b.Assign(slot, at) }, nil)
	}, nil)
}

// beginCaches leaves all slots free.
func (e *function) beginCaches() {
	for _, c := range e.localTables.caches {
		e.eachPlace(loop.Int(c.slots), func(at loop.Expr) {
			e.b.Store(e.localTables.words[ir.U32], loop.Add(loop.Int(c.at), at), number(ir.U32, noBin))
		})
	}
}

// flushCache combines the claimed elements of a table with those in global memory.
func (e *function) flushCache(t *localTable) {
	e.eachPlace(loop.Int(t.cache.slots), func(at loop.Expr) {
		bin := e.b.Let("claimed", loop.At(e.localTables.words[ir.U32], loop.Add(loop.Int(t.cache.at), at)))
		e.b.If(loop.Ne(bin, number(ir.U32, noBin)), func() {
			x := e.b.Let("x", t.form.value(e.cachedElement(t, at)))
			op := &e.Ops[t.op]
			e.unlessIdentity(op.Monoid.Identity[0], x, func() { e.updateGlobal(op, loop.ToCounter(bin), x) })
		}, nil)
	})
}

// cachedElement returns the element at a slot.
func (e *function) cachedElement(t *localTable, slot loop.Expr) elementView {
	return e.elementOf(t, slot, loop.Int(t.copies))
}
