package fuse

import (
	"math"

	"github.com/kgen-go/kgen/ir"
)

// Rows in the order of their own slots need not enter a hash table one by one. Where each takes the first free slot from
// its own on, row i has the slot that is i more than the most by which own slots exceed the numbers of rows, up to row i: a
// running maximum. These slots ascend, so a slot finds its row as a row of an expansion finds its source, and the table is
// written in its order.

// slotsTaken are the slots of rows in a table.
type slotsTaken struct {
	ends   *ir.Value // of each row: its slot, if the table went on behind its last slot
	around *ir.Value // scalar: how many rows have the first slots in place of those behind the last; then others begin behind these
	size   *ir.Value // scalar: how many slots there are, not fewer than rows
	slots  *ir.Domain
	blocks *ir.Value // see [ir.OpExpand]
}

// slotsTaken returns the slots of rows with different keys in a table of so many; own are those from which they are searched,
// which never fall from row to row.
func (o *ordering) slotsTaken(own, size *ir.Value, slots *ir.Domain) slotsTaken {
	number := o.index(own, own.Type.Domain)
	ahead := o.cast(ir.I32, o.apply(ir.OpSub, own, number))
	most := o.add(o.pos, ir.Value{Op: ir.OpScan, Reduce: ir.ReduceMax, Args: []*ir.Value{ahead}, Type: ahead.Type})
	end := o.apply(ir.OpAdd, o.cast(ir.I64, o.extreme(ir.OpMax, ahead)), o.length(own))
	t := slotsTaken{
		ends:   o.cast(ir.U32, o.apply(ir.OpAdd, o.cast(ir.I64, most), number)),
		around: o.apply(ir.OpGreatest, o.apply(ir.OpSub, end, size), o.number(0)),
		size:   size,
		slots:  slots,
	}
	t.blocks = o.blocksOf(t.ends, size, t.slots)
	return t
}

// placed returns the row in each slot, or -1 in 32 bits.
func (o *ordering) placed(t slotsTaken) *ir.Value {
	rows, made := t.ends.Type.Domain, t.slots.By
	ended := o.sources(sourceSearch{ends: t.ends, of: rows, blocks: t.blocks}, t.size, 0, t.slots)
	if made != nil { // slots that several tables share are those of the first
		t.slots.By = made
	}
	slot := o.index(ended, t.slots)
	behind := o.apply(ir.OpSub, slot, t.around)
	last := o.apply(ir.OpLeast, o.apply(ir.OpSub, ended, o.number(1)), behind) // with this slot, or one before
	last.Type.Target = rows
	at := o.apply(ir.OpGreatest, o.cast(ir.I64, o.gather(o.pos, t.ends, last)), o.apply(ir.OpAdd, last, t.around))
	isTaken := o.apply(ir.OpLogicalAnd, o.apply(ir.OpGe, last, o.number(0)), o.apply(ir.OpEq, at, slot))
	row := o.choose(isTaken, last, o.number(math.MaxUint32))
	isAround := o.apply(ir.OpLt, behind, o.number(0))
	return o.cast(ir.U32, o.choose(isAround, o.apply(ir.OpAdd, o.length(t.ends), behind), row))
}

// none returns a column of one row, in place of one of slots, so many, that nobody reads; ends are what others are found by.
func (o *ordering) none(ends, slots *ir.Value) *ir.Value {
	rows := ends.Type.Domain
	return o.sources(sourceSearch{ends: ends, of: rows}, o.apply(ir.OpLeast, slots, o.number(1)), 0, o.newDomain(ir.DomainBins, rows.Name+"_none", nil))
}

// hashedRows are rows in the order of the hash of their keys, of which those of equal keys are neighbours, in their order.
type hashedRows struct {
	hash, beside *ir.Value
	isFirst      *ir.Value // whether a row is the first with its keys
	firsts       *ir.Domain
}

// byHash returns rows with some keys of up to 32 bits, and what is beside them in as many, in the order of the hash of these.
func (o *ordering) byHash(keys []*ir.Value, beside *ir.Value, name string) hashedRows {
	rows := keys[0].Type.Domain
	hashes := func() word { return word{o.narrowHash(o.words(o.sortKeysOf(keys))[0]), codeBits} } // it costs less to compute them than to store them
	by := &ordering{expansion: o.expansion, pos: o.pos, rows: rows, out: o.newDomain(ir.DomainOrder, name, rows), isHash: true}
	moved := hashes().value
	sorted := by.passes(hashes(), word{}, nil, moved, beside, true, true)
	by.out.By = sorted.number
	h := hashedRows{hash: sorted.word, beside: sorted.number}
	row := o.index(h.hash, by.out)
	before := o.add(o.pos, ir.Value{Op: ir.OpPrev, Args: []*ir.Value{h.hash, o.integer(h.hash, 0)}, Shift: 1, Type: h.hash.Type})
	h.isFirst = o.apply(ir.OpLogicalOr, o.apply(ir.OpEq, row, o.number(0)), o.apply(ir.OpNe, h.hash, before))
	h.firsts = o.newDomain(ir.DomainMask, rows.Name+"_keys", by.out)
	h.firsts.By = h.isFirst
	return h
}

// ofFirst returns a column of the first row with each key.
func (h hashedRows) ofFirst(o *ordering, x *ir.Value) *ir.Value {
	return o.compact(x, h.isFirst, h.firsts)
}
