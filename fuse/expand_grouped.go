package fuse

import "github.com/kgen-go/kgen/ir"

// Many right rows of a join are sorted by a hash of their keys before there is a table: those of equal keys are
// neighbours then, in their order, and one of each key enters the table. So it has no more slots than keys need, no
// slot is visited again to count its rows or to bring them together, and neighbours enter slots that lie together.
// The hash has as many bits as a key, and stands for it.

// groupedRows are the right rows of a join in the order of the hash of their keys.
type groupedRows struct {
	order *ir.Value  // the rows
	begin *ir.Value  // of each key: where its rows begin in the order
	count *ir.Value  // likewise: how many they are
	taken slotsTaken // likewise
}

// mayGroup reports whether rows with some keys are grouped if they are many.
func (o *ordering) mayGroup(keys []*ir.Value) bool {
	words := o.words(o.sortKeysOf(keys))
	return o.probing == "" && o.mayMove(keys) && len(words) == 1 && words[0].bits <= codeBits
}

// orGrouped lets a table be made of one row of each key, if rows are many and slots are no keys.
func (o *ordering) orGrouped(t *rowTable) {
	rows := t.keys[0].Type.Domain
	sorted := o.byHash(t.keys, o.cast(ir.U32, o.index(t.keys[0], rows)), rows.Name+"_grouped")
	g := &groupedRows{order: sorted.beside}

	number := o.cast(ir.U32, o.index(sorted.hash, sorted.hash.Type.Domain))
	g.begin = sorted.ofFirst(o, number)
	all := o.cast(ir.U32, o.length(t.keys[0]))
	end := o.add(o.pos, ir.Value{Op: ir.OpNext, Args: []*ir.Value{g.begin, all}, Shift: 1, Type: g.begin.Type})
	g.count = o.apply(ir.OpSub, end, g.begin)

	hash := sorted.ofFirst(o, sorted.hash)
	first := o.cast(ir.I64, sorted.ofFirst(o, sorted.beside))
	first.Type.Target = rows
	way := rowTable{keys: []*ir.Value{hash}, isDirect: o.constant(ir.BoolScalar(false)), isNarrow: true, hasShortHash: true, areHashes: true, bucket: t.bucket}
	way.moved = &movedRows{number: unwidened(first), column: func(x *ir.Value) *ir.Value { return o.gather(o.pos, x, first) }}
	var size *ir.Value
	size, way.shift = o.hashSlots(o.cast(ir.U64, o.apply(ir.OpGreatest, o.length(hash), o.number(max(1, int64(t.bucket/2))))))
	g.taken = o.slotsTaken(o.inBucket(way, o.shortSlot(way, hash)), size, o.newDomain(ir.DomainBins, hash.Type.Domain.Name+"_slots", nil))
	way.rows = o.placed(g.taken)

	other := *t
	t.ways = o.rowsOrKeys(t, way)
	t.rows = o.eitherTable(t.ways, other.rows, o.cast(other.rows.Type.Kind, o.none(g.taken.ends, g.taken.size))) // read if slots are keys
	t.shift = o.either(t.ways.isFirst, other.shift, way.shift, other.shift.Type)
	t.grouped = g
}

// rowsOrKeys returns the ways to make a table: t, whose rows enter it as they come, if these are few or slots are keys, else another. Words enter
// that as rows come, too, if they are few and it says so.
func (o *ordering) rowsOrKeys(t *rowTable, other rowTable) *tableWays {
	isFew := o.isSmall(t.keys[0])
	if t.entersWords {
		isFew = o.number(0)
	}
	if t.least != nil {
		isFew = o.choose(t.isDirect, o.number(1), isFew)
	}
	return &tableWays{isFirst: isFew, first: *t, second: other, name: t.keys[0].Type.Domain.Name + "_slots_of_rows_or_keys", slots: map[*ir.Domain]*ir.Domain{}}
}

// ungrouped returns the table of rows that are not grouped.
func (t rowTable) ungrouped() rowTable {
	if t.grouped == nil {
		return t
	}
	return t.ways.first
}

// areDifferent returns 1 if no two rows of a table have equal keys, else 0.
func (o *ordering) areDifferent(t rowTable) *ir.Value {
	switch {
	case t.grouped != nil:
		other := o.areDifferent(t.ways.first)
		return o.either(t.ways.isFirst, other, o.hasAll(t.keys[0], o.length(t.grouped.begin)), other.Type)
	case t.ways != nil:
		first, second := o.areDifferent(t.ways.first), o.areDifferent(t.ways.second)
		return o.either(t.ways.isFirst, first, second, first.Type)
	}
	taken := o.add(o.pos, ir.Value{Op: ir.OpSum, Args: []*ir.Value{o.cast(ir.I64, o.isTaken(t.rows))}, Type: ir.Type{Kind: ir.I64}})
	return o.hasAll(t.keys[0], taken)
}

// orderIn returns all rows, those of equal keys together and in their order; order is that of rows that are not grouped.
func (o *ordering) orderIn(t rowTable, order *ir.Value) *ir.Value {
	if t.grouped == nil {
		return order
	}
	rows := t.keys[0].Type.Domain
	number := o.either(t.ways.isFirst, unwidened(order), t.grouped.order, ir.Type{Kind: ir.U32, Domain: rows})
	order = o.cast(ir.I64, number)
	order.Type.Target = rows
	return order
}

// bothIn returns the words that tell where rows of equal keys begin and how many they are.
func (p partners) bothIn(t rowTable) *ir.Value {
	g := t.grouped
	if g == nil {
		return p.both
	}
	either := p.newDomain(ir.DomainEither, t.keys[0].Type.Domain.Name+"_partners", t.keys[0].Type.Domain)
	return p.either(t.ways.isFirst, p.both, p.bothOf(g.begin, g.count), ir.Type{Kind: ir.U64, Domain: either})
}

// shortSlot returns the slot of keys with a hash of 32 bits.
func (o *ordering) shortSlot(t rowTable, hash *ir.Value) *ir.Value {
	shift := o.cast(ir.U32, o.apply(ir.OpSub, t.shift, o.integer(t.shift, 32)))
	return o.cast(ir.I64, o.apply(ir.OpShr, hash, shift))
}
