package fuse

import "github.com/kgen-go/kgen/ir"

// join writes join(K, K2) by two columns: the left and the right row of each pair.
// Right rows with equal keys are brought together, and each left row is repeated
// so many times as it has partners.
func (e *expansion) join(v *ir.Value) {
	o := ordering{expansion: e, pos: v.Pos}
	left, right := e.columns(v.Args[:v.Split]), e.columns(v.Args[v.Split:])
	t := o.tableOf(right, left[0])
	p := o.partners(t)
	slot := o.slotOf(t, left)
	length, begin := p.at(slot)
	pairs := o.expanded(length, e.domain(v.Type.Domain))
	// Of the pairs of a left row, the first has the first of the right ones.
	before := o.add(o.pos, ir.Value{Op: ir.OpExscan, Reduce: ir.ReduceAdd, Args: []*ir.Value{length}, Type: ir.Type{Kind: ir.I64, Domain: length.Type.Domain}})
	place := o.apply(ir.OpAdd, o.gather(o.pos, o.apply(ir.OpSub, begin, before), pairs), o.index(pairs, pairs.Type.Domain))
	place.Type.Target = p.order.Type.Domain
	e.values[v] = pairs
	e.rights[v] = o.gather(o.pos, p.order, place)
}

// partners are the rows of a table that have equal keys.
type partners struct {
	*ordering
	order *ir.Value // all rows, those of equal keys together and in their order
	count *ir.Value // of each slot, how many rows have its keys
	begin *ir.Value // of each slot, where these rows begin in order
	both  *ir.Value // of each slot, begin and count as one word, if both have 32 bits
}

// partners brings the rows of a table together that have equal keys. The first one
// stands for all of them.
func (o *ordering) partners(t rowTable) partners {
	rows := t.keys[0].Type.Domain
	first := o.rowAt(t, o.probe(t, t.keys))
	first.Type.Target = rows
	count := o.add(o.pos, ir.Value{Op: ir.OpCount, By: first, Type: ir.Type{Kind: ir.I64, Domain: rows}})
	begin := o.add(o.pos, ir.Value{Op: ir.OpExscan, Reduce: ir.ReduceAdd, Args: []*ir.Value{count}, Type: ir.Type{Kind: ir.I64, Domain: rows}})
	key := first
	if o.short {
		key = o.cast(ir.U32, first)
	}
	by := &ordering{expansion: o.expansion, pos: o.pos, rows: rows, out: o.newDomain(ir.DomainOrder, rows.Name+"_sorted", rows)}
	keys := o.sortKeysOf([]*ir.Value{key})
	p := partners{ordering: o, order: by.sort(keys, by.row(keys), false).number}
	by.out.By = p.order

	isTaken, at := o.rowOfSlot(t)
	p.begin, p.count = o.gather(o.pos, begin, at), o.choose(isTaken, o.gather(o.pos, count, at), o.number(0))
	if o.short {
		high := o.apply(ir.OpShl, o.cast(ir.U64, p.begin), o.constant(ir.Int(ir.U64, 32)))
		p.both = o.apply(ir.OpOr, high, o.cast(ir.U64, p.count))
	}
	return p
}

// at returns how many rows have the keys of slots that a probe has found, and where
// these rows begin.
func (p partners) at(slot *ir.Value) (count, begin *ir.Value) {
	if p.both == nil {
		count, begin = p.atSlot(p.count, slot), p.atSlot(p.begin, slot)
	} else {
		both := p.atSlot(p.both, slot)
		count = p.cast(ir.I64, p.apply(ir.OpAnd, both, p.integer(both, 1<<32-1)))
		begin = p.cast(ir.I64, p.apply(ir.OpShr, both, p.constant(ir.Int(ir.U64, 32))))
	}
	return p.choose(p.apply(ir.OpGe, slot, p.number(0)), count, p.number(0)), begin
}
