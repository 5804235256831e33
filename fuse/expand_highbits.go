package fuse

import "github.com/kgen-go/kgen/ir"

// On work-groups, rows of more groups than a partition is for move in the order of the highest bits of their keys, in two
// passes, where a sort has four. The rows that share these bits are a part. A work-group takes a part, and a bitmap of the other
// bits in local memory tells each row the number of its group, in the order of keys: nothing is searched, and no number of groups is too many.
//
// That is for keys that lie anywhere, of which none has very many rows, as a sample tells: a work-group alone would have these.

// leastInParts is how many times as many rows as a sample has are worth parts, and mostInPart how many times as many a part has at most.
const leastInParts, mostInPart = 1 << 10, 4

// lessDifferent is of how many rows of a sample one at most has the key of another.
const lessDifferent = 32

// groupedByHighBits returns groups v of rows that move in the order of the high bits of their keys; nil if something asks more of
// them than folds of one narrow column of their rows.
func (o *ordering) groupedByHighBits(v *ir.Value, keys []sortKey, out *ir.Domain) *partedGroups {
	width := 0
	for _, key := range keys {
		width += key.width
	}
	if !o.short || width != codeBits || !o.onlyFolds(v, keys) || !o.inAnyOrder(v, keys) {
		return nil
	}
	low, ok := o.onlyElement(v, keys)
	if !ok {
		return nil
	}
	var beside *ir.Value
	if low != nil {
		beside = o.bitsOf(low)
	}
	from := &ordering{expansion: o.expansion, pos: o.pos, rows: o.rows, anyOrder: true}
	moved := from.byHighBits(func() *ir.Value { return o.words(keys)[0].value }, beside, o.rows.Name+"_by_high_bits")
	on := &ordering{expansion: o.expansion, pos: o.pos, rows: moved.word.Type.Domain}
	g := &partedGroups{ordering: on, keys: keys, word: word{moved.word, codeBits}, out: out, low: low, lows: moved.number, words: moved.word, folded: map[tableKey]*ir.Value{}}
	end := on.endsOfParts(moved.word)
	part := on.index(end, end.Type.Domain)
	before := on.apply(ir.OpGreatest, on.apply(ir.OpSub, part, o.number(1)), o.number(0))
	before.Type.Target = end.Type.Domain
	first := on.choose(on.apply(ir.OpGt, part, o.number(0)), on.gather(o.pos, end, before), o.number(0))
	largest := o.add(o.pos, ir.Value{Op: ir.OpMax, Args: []*ir.Value{on.apply(ir.OpSub, end, first)}, Else: o.number(0), Type: ir.Type{Kind: ir.I64}})
	areSmall := o.apply(ir.OpLe, largest, o.number(o.sample*mostInPart))
	each := g.group(first, on.choose(areSmall, end, first), 0, slotPartBits) // of no rows, if some have too many
	source, begin := g.expanded(repetition{length: each, isNarrow: true}, g.newDomain(ir.DomainBins, g.rows.Name+"_distinct", nil))
	g.at = g.placesOf(source, begin, first)
	g.keyAt = g.at
	return g
}

// onlyElement returns the column that folds by v need, nil if none does; not ok if there are several, or one that does not fit beside a key.
func (o *ordering) onlyElement(v *ir.Value, keys []sortKey) (column *ir.Value, ok bool) {
	for _, user := range o.from.Values {
		if user.By != v || o.isKeyOf(user, keys) {
			continue
		}
		for _, arg := range user.Args {
			x := o.column(arg)
			if x == nil {
				return nil, false
			}
			x = unwidened(x)
			if k := x.Type.Kind; column != nil && column != x || !isInvertible(k) || k.Size() > codeBits/8 {
				return nil, false
			}
			column = x
		}
	}
	return column, true
}
