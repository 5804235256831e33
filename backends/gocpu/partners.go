package gocpu

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Of a join whose sides have been partitioned, a worker numbers the keys of a part in a table, counts the words of each,
// places their codes, and says of each row that is looked up where those of its key are. All of it stays in its cache, and
// who reads the codes of pairs later, part by part, finds them there, too.

// partnerTable is memory for the largest part of a range.
type partnerTable struct {
	slots   *loop.Var // words of key and number; a number is at least 1
	numbers *loop.Var // of the words
	told    *loop.Var // of each number: where the codes of the key are, above 32 bits for how many they are; 0 of number 0
}

// beginPartners makes memory for the largest part of a range.
func (g *body) beginPartners(op *tile.Op, lo, hi *loop.Var) {
	b := g.b
	most := g.mostOfParts(op, lo, hi)
	slots := b.Make("table", loop.ScalarOf(ir.U64), g.slotsFor(most))
	g.partner = partnerTable{slots: slots, told: b.Make("told", loop.ScalarOf(ir.U64), loop.Add(most, loop.Int(1)))}
	if op.HasPlaces() {
		g.partner.numbers = b.Make("numbers", loop.ScalarOf(ir.U32), most)
	}
}

// partnerParts brings the codes of a part in the order of their keys, and looks rows up.
func (g *body) partnerParts(i int) {
	b, op, t := g.b, &g.Ops[i], g.partner
	bounds := g.boundsOfParts(op)
	words, table := g.tableOfPart(op, t.slots, bounds)
	last := b.Decl("last", loop.Sub(loop.LenOf(table), loop.Int(1)))
	of := groupTable{memory: table, last: last}
	search := func(key loop.Expr) (slot, held *loop.Var) {
		slot = b.Decl("slot", loop.Apply(ir.OpAnd, loop.ToCounter(loop.Apply(ir.OpShr, hashOfKey(key), loop.ConstOf(ir.Int(ir.U64, 24)))), last))
		held = b.Decl("held", loop.At(table, slot))
		of.search(b, key, slot, held)
		return slot, held
	}
	numberOf := func(held loop.Expr) loop.Expr { return loop.ToCounter(loop.ToKind(ir.U32, held)) }
	one := loop.ConstOf(ir.Int(ir.U64, 1))
	b.Store(t.told, loop.Int(0), loop.ConstOf(ir.Int(ir.U64, 0)))
	distinct := b.Decl("distinct", loop.Int(0))
	b.For("at", loop.Int(0), loop.LenOf(words), func(at *loop.Var) {
		key := b.Let("key", keyOfWord(loop.At(words, at)))
		slot, held := search(key)
		b.If(loop.Eq(held, loop.ConstOf(ir.Int(ir.U64, 0))), func() {
			b.Assign(distinct, loop.Add(distinct, loop.Int(1)))
			b.Store(t.told, distinct, loop.ConstOf(ir.Int(ir.U64, 0)))
			b.Assign(held, of.word(key, distinct))
			b.Store(table, slot, held)
		}, nil)
		number := b.Let("number", numberOf(held))
		b.Store(t.told, number, loop.Add(loop.At(t.told, number), one))
		if op.HasPlaces() {
			b.Store(t.numbers, at, loop.ToKind(ir.U32, held))
		}
	})
	place := b.Decl("place", loop.ToKind(ir.U64, bounds[0]))
	b.For("number", loop.Int(1), loop.Add(distinct, loop.Int(1)), func(number *loop.Var) {
		count := b.Let("count", loop.At(t.told, number))
		next := b.Let("next", loop.Add(place, count))
		from := loop.Expr(place)
		if op.HasPlaces() { // codes are placed from the last one on
			from = next
		}
		b.Store(t.told, number, loop.Apply(ir.OpOr, loop.Apply(ir.OpShl, from, loop.ConstOf(ir.Int(ir.U64, codeBits))), count))
		b.Assign(place, next)
	})
	if op.HasPlaces() {
		codes := g.whole[op.Places]
		b.For("behind", loop.Int(0), loop.LenOf(words), func(behind *loop.Var) {
			at := b.Let("at", loop.Sub(loop.Sub(loop.LenOf(words), loop.Int(1)), behind))
			number := b.Let("number", loop.ToCounter(loop.At(t.numbers, at)))
			told := b.Let("first", loop.Sub(loop.At(t.told, number), loop.ConstOf(ir.Int(ir.U64, 1<<codeBits))))
			b.Store(t.told, number, told)
			b.Store(codes, loop.ToCounter(loop.Apply(ir.OpShr, told, loop.ConstOf(ir.Int(ir.U64, codeBits)))), loop.ToKind(ir.U32, loop.At(words, at)))
		})
	}
	keys := b.Slice("keys", g.whole[op.Keys[1]], bounds[2], bounds[3])
	partners := b.Slice("partners", g.whole[op.Stream], bounds[2], bounds[3])
	b.Cut(partners, loop.Int(0), loop.LenOf(keys))
	b.For("at", loop.Int(0), loop.LenOf(keys), func(at *loop.Var) {
		_, held := search(b.Let("key", keyOfWord(loop.At(keys, at))))
		b.Store(partners, at, loop.At(t.told, numberOf(held)))
	})
	g.values[op.Res[0]] = loop.ToKind(ir.I64, distinct)
}
