package fuse

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// On work-groups, rows of more groups than a partition is for move in the order of the highest bits of their keys, in two
// passes, where a sort has four. The rows that share these bits are a part. A work-group takes a part, and a bitmap of the other
// bits in local memory tells each row the number of its group, in the order of keys: nothing is searched, and no number of groups is too many.
//
// That is for keys that lie anywhere, as a sample tells. Some may have most rows.

// leastInParts is how many times as many rows as a sample has are worth parts.
const leastInParts = 1 << 10

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
	g := &partedGroups{ordering: on, keys: keys, word: word{moved.word, codeBits}, out: out, low: low, lows: moved.number, words: moved.word, folded: map[tableKey]*ir.Value{}, wide: true}
	end := on.endsOfParts(moved.word)
	part := on.index(end, end.Type.Domain)
	before := on.apply(ir.OpGreatest, on.apply(ir.OpSub, part, o.number(1)), o.number(0))
	before.Type.Target = end.Type.Domain
	first := on.choose(on.apply(ir.OpGt, part, o.number(0)), on.gather(o.pos, end, before), o.number(0))
	told := g.group(first, end, 0, slotPartBits)
	each := g.choose(g.apply(ir.OpLt, told, g.number(tile.TooManyGroups)), told, g.number(0))
	most := g.add(g.pos, ir.Value{Op: ir.OpMax, Args: []*ir.Value{told}, Else: g.number(0), Type: ir.Type{Kind: ir.I64}})
	g.size = g.choose(g.apply(ir.OpLt, most, g.number(tile.TooManyGroups)), g.size, g.number(0))
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
