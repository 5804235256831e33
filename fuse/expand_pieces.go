package fuse

import (
	"math/bits"

	"github.com/kgen-go/kgen/ir"
)

// On work-groups, rows of more groups than a partition is for move in the order of the highest bits of their keys, in two
// passes, where a sort has four. The rows that share these bits are a part. A work-group takes a part, and a bitmap of the other
// bits in local memory tells each row the number of its group, in the order of keys: nothing is searched, and no number of groups is too many.
//
// Large parts have several pieces, each of which a work-group takes by itself. Then a group may be in some of them, and what they
// leave of it is grouped once more, by a sort. A part is large if some groups have many rows, of which a piece leaves one each.

// leastInParts is how many times as many rows as a sample has are worth parts, and rowsPerPiece how many times as many a piece has at most.
const leastInParts, rowsPerPiece = 1 << 10, 4

// pieces are those of parts.
type pieces struct {
	areWhole *ir.Value  // a scalar: above 0 if each part is one piece
	at       *ir.Value  // in the order of their keys: where the groups of all pieces are
	word     *ir.Value  // their keys
	runs     *ir.Value  // those of one key
	groups   *ir.Domain // which are these, or those of whole parts
}

// joins are the aggregates that join what pieces have of a group.
var joins = map[ir.ReduceOp]ir.Op{ir.ReduceAdd: ir.OpSum, ir.ReduceMin: ir.OpMin, ir.ReduceMax: ir.OpMax, ir.ReduceAnd: ir.OpAll, ir.ReduceOr: ir.OpAny, ir.ReduceFirst: ir.OpFirst}

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
	g := &partedGroups{ordering: on, keys: keys, word: word{moved.word, codeBits}, out: out, low: low, lows: moved.number, words: moved.word, folded: map[tableKey]*ir.Value{}, pieces: &pieces{}}
	first, end := g.pieces.of(on, moved.word, o.length(keys[0].column))
	each := g.group(first, end, 0, slotPartBits)
	ends := g.runningSum(each)
	begin := g.apply(ir.OpSub, ends, each)
	ends = g.cast(ir.U32, ends)
	places := func(name string, groups *ir.Value) *ir.Value {
		out := g.newDomain(ir.DomainBins, g.rows.Name+name, nil)
		by := sourceSearch{ends: ends, of: ends.Type.Domain, blocks: g.blocksOf(ends, groups, out)}
		return g.placesOf(g.sources(by, groups, 0, out), begin, first)
	}
	areWhole := g.apply(ir.OpGt, g.pieces.areWhole, g.number(0))
	g.at = places("_whole", g.choose(areWhole, g.size, g.number(0)))
	g.pieces.sort(g, places("_pieces", g.choose(areWhole, g.number(0), g.size)))
	return g
}

// onlyElement returns the column that folds by v need, nil if none does; not ok if there are several, or one that does not fit beside a key.
func (o *ordering) onlyElement(v *ir.Value, keys []sortKey) (column *ir.Value, ok bool) {
	for _, user := range o.from.Values {
		if user.By != v || o.isKeyOf(user, keys) {
			continue
		}
		for _, f := range user.Op.Aggregate().State {
			if joins[f.Fold] == ir.OpInvalid {
				return nil, false
			}
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

// of returns where the pieces of so many rows with some words begin and end: of each part the rows up to the first block that begins in it, if it is large, and all of
// them else; and of each block those of the part in which it begins, if that is large.
func (p *pieces) of(o *ordering, words, rows *ir.Value) (first, end *ir.Value) {
	shift := int64(bits.Len64(uint64(o.sample*rowsPerPiece)) - 1)
	size, blocks := o.number(1<<shift), o.number(shift)
	ends := o.endsOfParts(words)
	parts := ends.Type.Domain
	all := o.sampleOfSize(o.index(words, o.rows), o.apply(ir.OpSub, o.apply(ir.OpShr, rows, blocks), o.number(-(1+1<<slotPartBits))))
	of := &ordering{expansion: o.expansion, pos: o.pos, rows: all}
	piece := of.index(words, all)
	block := of.apply(ir.OpSub, piece, o.number(1<<slotPartBits))
	isBlock := of.apply(ir.OpGe, block, o.number(0))
	begin := of.apply(ir.OpShl, of.apply(ir.OpGreatest, block, o.number(0)), blocks)
	row := of.apply(ir.OpLeast, begin, o.apply(ir.OpSub, rows, o.number(1)))
	row.Type.Target = o.rows
	word := of.gather(o.pos, words, row)
	part := of.choose(isBlock, of.cast(ir.I64, of.apply(ir.OpShr, word, o.integer(word, codeBits-slotPartBits))), piece)
	part.Type.Target = parts
	before := of.apply(ir.OpGreatest, of.apply(ir.OpSub, part, o.number(1)), o.number(0))
	before.Type.Target = parts
	start := of.choose(of.apply(ir.OpGt, part, o.number(0)), of.gather(o.pos, ends, before), o.number(0))
	last := of.gather(o.pos, ends, part)
	isLarge := of.apply(ir.OpGt, of.apply(ir.OpSub, last, start), size)
	first = of.choose(isBlock, begin, start)
	next := of.apply(ir.OpShl, of.apply(ir.OpAdd, of.apply(ir.OpShr, first, blocks), o.number(1)), blocks)
	end = of.choose(isLarge, of.apply(ir.OpLeast, next, last), last)
	begins := of.apply(ir.OpLogicalAnd, isLarge, of.apply(ir.OpLogicalAnd, of.apply(ir.OpGt, begin, start), of.apply(ir.OpLt, begin, rows)))
	end = of.choose(of.apply(ir.OpLogicalAnd, isBlock, of.apply(ir.OpNot, begins)), first, end)
	large := o.add(o.pos, ir.Value{Op: ir.OpSum, Args: []*ir.Value{of.cast(ir.I64, isLarge)}, Type: ir.Type{Kind: ir.I64}})
	p.areWhole = o.apply(ir.OpGreatest, o.apply(ir.OpSub, o.number(1), large), o.number(0))
	return first, end
}

// sort brings what pieces have of a group together, whose keys are at some places.
func (p *pieces) sort(g *partedGroups, at *ir.Value) {
	rows := at.Type.Domain
	by := &ordering{expansion: g.expansion, pos: g.pos, rows: rows, out: g.newDomain(ir.DomainOrder, rows.Name+"_sorted", rows)}
	keys := []sortKey{{column: g.gather(g.pos, g.keyWords, at), width: codeBits}}
	sorted := by.sort(keys, by.row(keys), true)
	by.out.By = sorted.number
	p.word, p.at = sorted.word, g.gather(g.pos, at, by.rowOf(sorted.number))
	joined := g.newDomain(ir.DomainRuns, rows.Name+"_joined", by.out)
	p.runs = g.add(g.pos, ir.Value{Op: ir.OpRuns, Args: []*ir.Value{p.word}, Type: ir.Type{Kind: ir.I64, Domain: by.out, Target: joined}})
	joined.By = p.runs
	p.groups = g.newDomain(ir.DomainEither, g.rows.Name+"_groups", g.rows)
}

// join returns, of each group, what x has at its place, if parts are whole, or what a fold makes of that of all pieces; as made turns it into a
// column of its own, if that is not nil.
func (p *pieces) join(g *partedGroups, x *ir.Value, fold ir.ReduceOp, made func(x *ir.Value) *ir.Value) *ir.Value {
	whole := g.add(g.pos, ir.Value{Op: ir.OpGather, Args: []*ir.Value{x, g.at}, Type: ir.Type{Kind: x.Type.Kind, Domain: g.at.Type.Domain}})
	column := p.word
	if x != g.keyWords {
		column = g.gather(g.pos, x, p.at)
	}
	joined := g.add(g.pos, ir.Value{Op: joins[fold], By: p.runs, Args: []*ir.Value{column}, Type: ir.Type{Kind: x.Type.Kind, Domain: p.runs.Type.Target}})
	if made != nil {
		whole, joined = made(whole), made(joined)
	}
	return g.either(p.areWhole, whole, joined, ir.Type{Kind: whole.Type.Kind, Domain: p.groups})
}
