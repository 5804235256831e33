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

// insertInWays makes the rows of a table of so many slots of rows as they come, or of rows that move before.
func (o *ordering) insertInWays(t *rowTable, size *ir.Value) {
	rows := t.keys[0].Type.Domain
	wanted, slots := func(keys []*ir.Value) *ir.Value { return o.wanted(*t, keys) }, size
	asTheyCome := wanted
	if t.hasShortHash { // where slots are no keys, rows are sorted instead
		wanted, slots = func(keys []*ir.Value) *ir.Value { return o.directSlot(*t, keys) }, t.direct
	}
	if t.entersWords { // and few rows enter words there
		asTheyCome = wanted
	}
	o.insert(t, asTheyCome(t.keys), size, nil)
	t.rows.Direct = t.entersWords
	low := o.bitsInPart(slots)
	digit := func() *ir.Value { return o.cast(ir.U32, o.apply(ir.OpShr, o.cast(ir.U64, wanted(t.keys)), low)) }
	from := &ordering{expansion: o.expansion, pos: o.pos, rows: rows}
	p := from.partition(o.sortKeysOf(t.keys), partitionBits, digit(), digit(), nil)
	isSmall := o.isSmall(t.keys[0])
	entered, moved := *t, rowTable{isDirect: t.isDirect, isNarrow: t.isNarrow, isWide: t.isWide}
	moved.moved = &movedRows{number: p.move(o.cast(ir.U32, o.index(t.keys[0], rows))), column: p.move}
	for _, key := range t.keys {
		moved.keys = append(moved.keys, p.move(key))
	}
	o.insert(&moved, wanted(moved.keys), size, nil)
	moved.rows.Direct = t.hasShortHash
	t.ways = &tableWays{isFirst: isSmall, first: entered, second: moved, name: t.rows.Type.Domain.Name + "_made", slots: map[*ir.Domain]*ir.Domain{}}
	t.rows = o.ofSlots(*t, o.rowsIn)
}

// bitsInPart returns how many low bits of so many slots do not belong to their part.
func (o *ordering) bitsInPart(size *ir.Value) *ir.Value {
	last := o.cast(ir.U64, o.apply(ir.OpSub, size, o.number(1)))
	width := o.apply(ir.OpSub, o.number(64), o.cast(ir.I64, o.apply(ir.OpLeadingzeros, last)))
	return o.cast(ir.U64, o.apply(ir.OpGreatest, o.apply(ir.OpSub, width, o.number(partitionBits)), o.number(0)))
}

// isSmall returns a scalar that is above 0 if a column has so few rows that they do not move.
func (o *ordering) isSmall(x *ir.Value) *ir.Value {
	return o.apply(ir.OpGreatest, o.apply(ir.OpSub, o.number(o.leastMoved), o.length(x)), o.number(0))
}

// tableWays are two ways to make a table, the first of which may have two again.
type tableWays struct {
	isFirst       *ir.Value // a scalar: above 0 if the table is made in the first way
	first, second rowTable
	name          string                    // of its slots
	slots         map[*ir.Domain]*ir.Domain // by those of the second way
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

// ofSlots returns a column of the slots of a table, by what it is where the table is made in one way. Where rows are
// sorted, slots are no keys, and it is not read.
func (o *ordering) ofSlots(t rowTable, write func(way rowTable) *ir.Value) *ir.Value {
	if t.sorted == nil {
		return o.ofTables(t, write)
	}
	first := o.ofTables(t.ways.first, write)
	return o.eitherTable(t.ways, first, o.cast(first.Type.Kind, t.sorted.none))
}

// ofTables returns a column of the slots of a table, by what it is where the table is made in one way.
func (o *ordering) ofTables(t rowTable, write func(way rowTable) *ir.Value) *ir.Value {
	if t.ways == nil {
		return write(t)
	}
	first, second := o.ofTables(t.ways.first, write), write(t.ways.second)
	return o.eitherTable(t.ways, first, second)
}

// eitherTable returns a column of the slots of a table that is made in one of two ways.
func (o *ordering) eitherTable(w *tableWays, first, second *ir.Value) *ir.Value {
	d := second.Type.Domain
	if w.slots[d] == nil {
		w.slots[d] = o.newDomain(ir.DomainEither, w.name, w.second.keys[0].Type.Domain)
	}
	return o.either(w.isFirst, first, second, ir.Type{Kind: first.Type.Kind, Domain: w.slots[d]})
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
