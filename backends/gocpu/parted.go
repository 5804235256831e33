package gocpu

import (
	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Where both sides of a search have been partitioned, a worker makes the hash table of a part, looks up the
// keys of that part, and makes the next table in the same memory, which stays in its cache.

const (
	// Parted is how many rows a table of find or join has at least if it has parts: one of fewer rows is in
	// the second cache, or near it, where a search takes less than it takes to move a row there and back.
	Parted = 1 << 18

	// slotsPerWord is how many slots there are at least for each word of a part: with as many, most
	// searches end where they begin, and a processor predicts them.
	slotsPerWord = 3

	// leastOfParted is the least slots of the table of a part.
	leastOfParted = 8
)

// beginParts makes memory for the table of the largest part of a range.
func (g *body) beginParts(op *tile.Op, lo, hi *loop.Var) {
	g.parted = g.b.Make("table", loop.ScalarOf(ir.U64), g.slotsFor(g.mostOfParts(op, lo, hi)))
}

// mostOfParts returns how many words the largest part of a range has.
func (g *body) mostOfParts(op *tile.Op, lo, hi *loop.Var) *loop.Var {
	b := g.b
	most := b.Decl("most", loop.Int(0))
	b.For("part", lo, hi, func(part *loop.Var) {
		words := loop.Sub(loop.ToCounter(g.at(op.Args[1], part)), loop.ToCounter(g.at(op.Args[0], part)))
		b.Assign(most, loop.Greatest(most, words))
	})
	return most
}

// boundsOfParts returns between which places the words of a part are, and the keys that are looked up in it.
func (g *body) boundsOfParts(op *tile.Op) []loop.Expr {
	bounds := make([]loop.Expr, len(op.Args))
	for k, name := range []string{"first", "end", "from", "to"} {
		bounds[k] = g.b.Let(name, loop.ToCounter(g.expr(op.Args[k])))
	}
	return bounds
}

// tableOfPart returns the words of a part, and an empty table for them.
func (g *body) tableOfPart(op *tile.Op, memory *loop.Var, bounds []loop.Expr) (words, table *loop.Var) {
	b := g.b
	words = b.Slice("words", g.whole[op.Keys[0]], bounds[0], bounds[1])
	table = b.Slice("part_table", memory, loop.Int(0), g.slotsFor(loop.LenOf(words)))
	b.For("slot", loop.Int(0), loop.LenOf(table), func(slot *loop.Var) { b.Store(table, slot, loop.ConstOf(ir.Int(ir.U64, 0))) })
	return words, table
}

// slotsFor returns how many slots the table of so many words has: a power of two.
func (g *body) slotsFor(words loop.Expr) *loop.Var {
	slots := g.b.Decl("slots", loop.Int(leastOfParted))
	g.b.While(loop.Lt(slots, loop.Mul(words, loop.Int(slotsPerWord))), func() { g.b.Assign(slots, loop.Mul(slots, loop.Int(2))) })
	return slots
}

// matchParts enters the words of a part in a table, and looks its keys up.
func (g *body) matchParts(i int) {
	b, op := g.b, &g.Ops[i]
	bounds := g.boundsOfParts(op)
	words, table := g.tableOfPart(op, g.parted, bounds)
	last := b.Let("last", loop.Sub(loop.ToKind(ir.I64, loop.LenOf(table)), loop.ConstOf(ir.Int(ir.I64, 1))))
	t := backends.HashTable{Memory: table, Slots: b.Let("slots", loop.ToKind(ir.I64, loop.LenOf(table))),
		Taken: b.Decl("distinct", loop.ConstOf(ir.Int(ir.I64, 0)))}
	home := func(key loop.Expr) loop.Expr {
		return loop.Apply(ir.OpAnd, loop.ToKind(ir.I64, loop.Apply(ir.OpShr, hashOfKey(key), loop.ConstOf(ir.Int(ir.U64, 24)))), last)
	}
	b.For("at", loop.Int(0), loop.LenOf(words), func(at *loop.Var) {
		word := b.Let("word", loop.At(words, at))
		t.Enter(b, word, home(keyOfWord(word)))
	})
	keys := b.Slice("keys", g.whole[op.Keys[1]], bounds[2], bounds[3])
	codes := b.Slice("codes", g.whole[op.Stream], bounds[2], bounds[3])
	b.Cut(codes, loop.Int(0), loop.LenOf(keys))
	b.For("at", loop.Int(0), loop.LenOf(keys), func(at *loop.Var) {
		key := b.Let("key", loop.ToKind(ir.U64, loop.At(keys, at)))
		b.Store(codes, at, t.Match(b, "code", loop.False, home(key), key, nil))
	})
	g.values[op.Res[0]] = t.Taken
}

// scattered returns a product of a key of which the high bits depend on all of it.
func scattered(key loop.Expr) loop.Expr {
	return loop.Apply(ir.OpMul, key, loop.ConstOf(ir.Int(ir.U64, -7046029254386353131)))
}

// hashOfKey returns a hash of a key, of 64 bits, in which parts have no bits in common.
func hashOfKey(key loop.Expr) loop.Expr {
	x := scattered(key)
	x = loop.Apply(ir.OpXor, x, loop.Apply(ir.OpShr, x, loop.ConstOf(ir.Int(ir.U64, 32))))
	return loop.Apply(ir.OpMul, x, loop.ConstOf(ir.Int(ir.U64, -2960836687051489901)))
}
