package gocpu

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Where rows of many groups have been partitioned, a worker makes a hash table of the groups of a part, of
// words of key and number. The groups themselves lie one behind the other where the rows of the part begin, in
// the columns of the results, so that nothing that is read later has room for groups that do not exist. The
// table begins with as many slots as that of the part before needed.

const (
	// slotsPerGroup is how many slots there are at least for each group of a part: with as many, most
	// searches end where they begin.
	slotsPerGroup = 3

	// leastGroupSlots is with how many slots the first table begins.
	leastGroupSlots = 1 << 10
)

// groupTable is the table of a part.
type groupTable struct {
	memory *loop.Var // for the most slots that any part needs
	last   *loop.Var // the number of the last slot in use, of a power of two
}

// beginGroupParts makes memory for the table of the largest part of a range.
func (g *body) beginGroupParts(op *tile.Op, lo, hi *loop.Var) {
	b := g.b
	most := b.Decl("most", loop.Int(0))
	b.For("part", lo, hi, func(part *loop.Var) {
		words := loop.Sub(loop.ToCounter(g.at(op.Args[1], part)), loop.ToCounter(g.at(op.Args[0], part)))
		b.Assign(most, loop.Greatest(most, words))
	})
	room := b.Decl("room", loop.Int(leastGroupSlots))
	b.While(loop.Lt(room, loop.Mul(most, loop.Int(slotsPerGroup))), func() { b.Assign(room, loop.Mul(room, loop.Int(2))) })
	g.grouped = groupTable{memory: b.Make("table", loop.ScalarOf(ir.U64), room), last: b.Decl("last", loop.Int(leastGroupSlots-1))}
}

// groupParts finds the groups of a part, and folds their rows.
func (g *body) groupParts(i int) {
	b, op, t := g.b, &g.Ops[i], g.grouped
	first := b.Let("first", loop.ToCounter(g.expr(op.Args[0])))
	end := b.Let("end", loop.ToCounter(g.expr(op.Args[1])))
	words := b.Slice("words", g.whole[op.Keys[0]], first, end)
	column := func(name string, stream int) *loop.Var {
		v := b.Slice(name, g.whole[stream], first, end)
		b.Cut(v, loop.Int(0), loop.LenOf(words))
		return v
	}
	keys := column("keys", op.Stream)
	elements := map[int]*loop.Var{op.Keys[0]: words}
	for _, s := range op.Keys[1:] {
		elements[s] = column("elements", s)
	}
	folds := make([]*loop.Var, len(op.Folds))
	for k, f := range op.Folds {
		folds[k] = column("folds", f.To)
	}
	groups := b.Decl("groups", loop.Int(0))
	t.clear(b)
	b.For("at", loop.Int(0), loop.LenOf(words), func(at *loop.Var) {
		word := b.Let("word", loop.At(words, at))
		key := b.Let("key", keyOfWord(word))
		slot := b.Decl("slot", t.home(key))
		held := b.Decl("held", loop.At(t.memory, slot))
		t.search(b, key, slot, held)
		group := b.Decl("group", numberOfWord(held))
		b.If(loop.Eq(held, loop.ConstOf(ir.Int(ir.U64, 0))), func() {
			b.Assign(group, groups)
			b.If(loop.Inside(group, loop.LenOf(words)), func() { // as it is, of no more groups than words
				b.Store(keys, group, loop.ToKind(ir.U32, key))
				for k, f := range op.Folds {
					b.Store(folds[k], group, loop.ConstOf(f.Monoid.Identity[0]))
				}
			}, nil)
			b.Assign(groups, loop.Add(groups, loop.Int(1)))
			b.Store(t.memory, slot, t.word(key, groups))
			b.If(loop.Gt(loop.Mul(groups, loop.Int(slotsPerGroup)), t.last), func() { g.growGroups(keys, groups) }, nil)
		}, nil)
		b.If(loop.Inside(group, loop.LenOf(words)), func() {
			for k, f := range op.Folds {
				update := &tile.Op{Monoid: f.Monoid}
				kind := f.Monoid.Fields[0].Kind
				x := loop.Expr(loop.ConstOf(ir.Int(kind, 1)))
				switch {
				case f.From == tile.OnlyRows:
				case f.Kind == ir.Invalid:
					x = loop.ToKind(kind, loop.At(elements[f.From], at))
				case f.Kind.IsFloat():
					x = loop.ToKind(kind, loop.FromBits(f.Kind, loop.ToKind(ir.U32, word)))
				default:
					x = loop.ToKind(kind, loop.ToKind(f.Kind, word))
				}
				g.combine(update, folds[k], group, x)
			}
		}, nil)
	})
	g.values[op.Res[0]] = loop.ToKind(ir.I64, groups)
}

// growGroups makes the table of a part with twice the slots, of the keys of its groups.
func (g *body) growGroups(keys, groups *loop.Var) {
	b, t := g.b, g.grouped
	b.Assign(t.last, loop.Add(loop.Mul(t.last, loop.Int(2)), loop.Int(1)))
	t.clear(b)
	b.For("number", loop.Int(0), groups, func(number *loop.Var) {
		key := b.Let("again", loop.ToKind(ir.U64, loop.At(keys, number)))
		slot := b.Decl("slot", t.home(key))
		held := b.Decl("held", loop.At(t.memory, slot))
		t.search(b, key, slot, held)
		b.Store(t.memory, slot, t.word(key, loop.Add(number, loop.Int(1))))
	})
}

// clear frees the slots in use.
func (t groupTable) clear(b *loop.Builder) {
	slots := b.Slice("slots", t.memory, loop.Int(0), loop.Add(t.last, loop.Int(1)))
	b.For("i", loop.Int(0), loop.LenOf(slots), func(i *loop.Var) { b.Store(slots, i, loop.ConstOf(ir.Int(ir.U64, 0))) })
}

// home returns the slot of a key, by a hash in which parts have no bits in common.
func (t groupTable) home(key loop.Expr) loop.Expr {
	x := loop.Apply(ir.OpMul, key, loop.ConstOf(ir.Int(ir.U64, -7046029254386353131)))
	return loop.Apply(ir.OpAnd, loop.ToCounter(loop.Apply(ir.OpShr, x, loop.ConstOf(ir.Int(ir.U64, 32)))), t.last)
}

// search goes from a slot on to that of a key, or to a free one.
func (t groupTable) search(b *loop.Builder, key loop.Expr, slot, held *loop.Var) {
	b.While(loop.And(loop.Ne(held, loop.ConstOf(ir.Int(ir.U64, 0))), loop.Ne(loop.Apply(ir.OpShr, held, loop.ConstOf(ir.Int(ir.U64, codeBits))), key)), func() {
		b.Assign(slot, loop.Apply(ir.OpAnd, loop.Add(slot, loop.Int(1)), t.last))
		b.Assign(held, loop.At(t.memory, slot))
	})
}

// codeBits are the bits of a word below its key.
const codeBits = 32

// word returns what the slot of a key has: 1 more than the number of its group in the low bits.
func (t groupTable) word(key, number loop.Expr) loop.Expr {
	return loop.Apply(ir.OpOr, loop.Apply(ir.OpShl, key, loop.ConstOf(ir.Int(ir.U64, codeBits))), loop.ToKind(ir.U64, number))
}

// numberOfWord returns the number of a group from the word of its slot.
func numberOfWord(word loop.Expr) loop.Expr {
	return loop.Sub(loop.ToCounter(loop.ToKind(ir.U32, word)), loop.Int(1))
}

// keyOfWord returns the key of a word, of 64 bits: all of it, if it has 32 bits, else the high ones.
func keyOfWord(word loop.Expr) loop.Expr {
	if word.Type().Kind == ir.U64 {
		return loop.Apply(ir.OpShr, word, loop.ConstOf(ir.Int(ir.U64, codeBits)))
	}
	return loop.ToKind(ir.U64, word)
}
