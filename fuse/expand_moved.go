package fuse

import "github.com/kgen-go/kgen/ir"

// A table that the second-level cache does not hold is slow to make where rows come in any order:
// each enters its slot, and later has its columns read for it, with a transfer of its own from memory.
// So the rows of a large table move first, in the order of the high bits of their slots. Neighbours
// then enter slots that lie together, and slots that lie together have rows that do. How many rows
// there are tells when the plan runs. Rows that masks keep do not move: they would have to be stored.

// movedRows are the rows of a table that have moved.
type movedRows struct {
	number *ir.Value                   // of each row: which it was before, in 32 bits
	column func(x *ir.Value) *ir.Value // a column of the rows before, of these
}

// mayMove reports whether the rows of a table with some keys move if they are many.
func (o *ordering) mayMove(keys []*ir.Value) bool {
	return o.short && o.parts && o.leastMoved > 0 && keys[0].Type.Domain.Kind == ir.DomainParam
}

// insertInWays makes the rows of a table of so many slots of rows as they come, or of rows that move before; slotOf
// says which slot rows with some keys have.
func (o *ordering) insertInWays(t *rowTable, slotOf func(keys []*ir.Value) *ir.Value, size *ir.Value) {
	o.insert(t, slotOf(t.keys), size, nil)
	rows := t.keys[0].Type.Domain
	last := o.cast(ir.U64, o.apply(ir.OpSub, size, o.number(1)))
	width := o.apply(ir.OpSub, o.number(64), o.cast(ir.I64, o.apply(ir.OpLeadingzeros, last)))
	low := o.cast(ir.U64, o.apply(ir.OpGreatest, o.apply(ir.OpSub, width, o.number(partitionBits)), o.number(0)))
	digit := func() *ir.Value {
		return o.cast(ir.U32, o.apply(ir.OpShr, o.cast(ir.U64, slotOf(t.keys)), low))
	}
	from := &ordering{expansion: o.expansion, pos: o.pos, rows: rows}
	p := from.partition(o.sortKeysOf(t.keys), partitionBits, digit(), digit())
	isSmall := o.isSmall(t.keys[0])
	entered, moved := *t, rowTable{isDirect: t.isDirect, isNarrow: t.isNarrow, isWide: t.isWide}
	moved.moved = &movedRows{number: p.move(o.cast(ir.U32, o.index(t.keys[0], rows))), column: p.move}
	for _, key := range t.keys {
		moved.keys = append(moved.keys, p.move(key))
	}
	o.insert(&moved, slotOf(moved.keys), size, nil)
	t.ways = &tableWays{isFirst: isSmall, first: entered, second: moved, slots: o.newDomain(ir.DomainEither, t.rows.Type.Domain.Name+"_made", rows)}
	t.rows = o.ofSlots(*t, o.rowsIn)
}

// isSmall returns a scalar that is above 0 if a column has so few rows that they do not move.
func (o *ordering) isSmall(x *ir.Value) *ir.Value {
	return o.apply(ir.OpGreatest, o.apply(ir.OpSub, o.number(o.leastMoved), o.length(x)), o.number(0))
}

// tableWays are two ways to make a table, the first of which may have two again.
type tableWays struct {
	isFirst       *ir.Value // a scalar: above 0 if the table is made in the first way
	first, second rowTable
	slots         *ir.Domain
}

// rowsIn returns the rows in the slots of a table made in one way, by the numbers that they came with.
func (o *ordering) rowsIn(t rowTable) *ir.Value {
	if t.moved == nil {
		return t.rows
	}
	isTaken, at := o.rowOfSlot(t)
	return o.choose(isTaken, o.gather(o.pos, t.moved.number, at), o.constant(ir.Int(ir.U32, -1)))
}

// columnIn returns a column of the rows as they came into a table made in one way.
func (t rowTable) columnIn(x *ir.Value) *ir.Value {
	if t.moved == nil {
		return x
	}
	return t.moved.column(x)
}

// ofSlots returns a column of the slots of a table, by what it is where the table is made in one way.
func (o *ordering) ofSlots(t rowTable, write func(way rowTable) *ir.Value) *ir.Value {
	if t.ways == nil {
		return write(t)
	}
	first, second := o.ofSlots(t.ways.first, write), write(t.ways.second)
	return o.either(t.ways.isFirst, first, second, ir.Type{Kind: first.Type.Kind, Domain: t.ways.slots})
}

// eachWay returns a column for each way to make a table, which is written once.
func eachWay(write func(way rowTable) *ir.Value) func(way rowTable) *ir.Value {
	made := map[*ir.Value]*ir.Value{} // by the rows of the way
	return func(way rowTable) *ir.Value {
		if made[way.rows] == nil {
			made[way.rows] = write(way)
		}
		return made[way.rows]
	}
}
