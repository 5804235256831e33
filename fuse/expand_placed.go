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
}

// slotsTaken returns the slots of rows with different keys in a table of so many; own are those from which they are searched,
// which never fall from row to row.
func (o *ordering) slotsTaken(own, size *ir.Value) slotsTaken {
	number := o.index(own, own.Type.Domain)
	ahead := o.cast(ir.I32, o.apply(ir.OpSub, own, number))
	most := o.add(o.pos, ir.Value{Op: ir.OpScan, Reduce: ir.ReduceMax, Args: []*ir.Value{ahead}, Type: ahead.Type})
	end := o.apply(ir.OpAdd, o.cast(ir.I64, o.extreme(ir.OpMax, ahead)), o.length(own))
	return slotsTaken{
		ends:   o.cast(ir.U32, o.apply(ir.OpAdd, o.cast(ir.I64, most), number)),
		around: o.apply(ir.OpGreatest, o.apply(ir.OpSub, end, size), o.number(0)),
		size:   size,
	}
}

// placed returns the row in each slot, or -1 in 32 bits.
func (o *ordering) placed(t slotsTaken) *ir.Value {
	rows := t.ends.Type.Domain
	slots := o.newDomain(ir.DomainBins, rows.Name+"_slots", nil)
	ended := o.sourcesByBlocks(sourceSearch{ends: t.ends, of: rows}, t.size, slots)
	slot := o.index(ended, slots)
	behind := o.apply(ir.OpSub, slot, t.around)
	last := o.apply(ir.OpLeast, o.apply(ir.OpSub, ended, o.number(1)), behind) // with this slot, or one before
	last.Type.Target = rows
	at := o.apply(ir.OpGreatest, o.cast(ir.I64, o.gather(o.pos, t.ends, last)), o.apply(ir.OpAdd, last, t.around))
	isTaken := o.apply(ir.OpLogicalAnd, o.apply(ir.OpGe, last, o.number(0)), o.apply(ir.OpEq, at, slot))
	row := o.choose(isTaken, last, o.number(math.MaxUint32))
	isAround := o.apply(ir.OpLt, behind, o.number(0))
	return o.cast(ir.U32, o.choose(isAround, o.apply(ir.OpAdd, o.length(t.ends), behind), row))
}
