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
	memory *loop.Var    // for the most slots that a part has needed so far
	last   *loop.Var    // the number of the last slot in use, of a power of two
	sorted [2]*loop.Var // words of the groups of a part while they are sorted, likewise
	counts *loop.Var    // of the digits of their keys
}

// Groups of a part are sorted by as few passes as counters in the nearest cache allow.
const (
	groupDigit  = 11
	groupPasses = 3 // of 32 bits
)

// beginGroupParts makes memory for the table of a part of few groups.
func (g *body) beginGroupParts(*tile.Op, *loop.Var, *loop.Var) {
	b := g.b
	growing := func(name string) *loop.Var {
		memory := b.Make(name, loop.ScalarOf(ir.U64), loop.Int(leastGroupSlots))
		memory.Changes = true
		return memory
	}
	t := groupTable{memory: growing("table"), last: b.Decl("last", loop.Int(leastGroupSlots-1)), counts: b.Make("counts", loop.Counter, loop.Int(groupPasses<<groupDigit))}
	t.sorted = [2]*loop.Var{growing("from"), growing("to")}
	g.grouped = t
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
	keys, places := column("keys", op.Stream), column("places", op.Places)
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
	g.sortGroups(keys, places, groups, first)
	g.values[op.Res[0]] = loop.ToKind(ir.I64, groups)
}

// sortGroups sorts the keys of a part, and stores the place of the folds of each, from the first of the part on.
func (g *body) sortGroups(keys, places, groups *loop.Var, first loop.Expr) {
	b, t := g.b, g.grouped
	for _, memory := range t.sorted {
		b.If(loop.Lt(loop.LenOf(memory), groups), func() {
			b.Assign(memory, b.Make("longer", loop.ScalarOf(ir.U64), loop.Mul(groups, loop.Int(2))))
		}, nil)
	}
	b.For("i", loop.Int(0), loop.LenOf(t.counts), func(i *loop.Var) { b.Store(t.counts, i, loop.Int(0)) })
	number := func(x loop.Expr, i int) loop.Expr { // of the counter of digit i of a key
		digit := loop.Apply(ir.OpAnd, loop.Apply(ir.OpShr, x, loop.ConstOf(ir.Int(ir.U64, int64(i*groupDigit)))), loop.ConstOf(ir.Int(ir.U64, 1<<groupDigit-1)))
		return loop.Add(loop.ToCounter(digit), loop.Int(int64(i)<<groupDigit))
	}
	unsorted := b.Slice("unsorted", keys, loop.Int(0), groups)
	words := [2]*loop.Var{}
	for i, name := range []string{"from_words", "to_words"} {
		words[i] = b.Slice(name, t.sorted[i], loop.Int(0), groups)
		b.Cut(words[i], loop.Int(0), loop.LenOf(unsorted))
	}
	b.For("group", loop.Int(0), loop.LenOf(unsorted), func(group *loop.Var) {
		key := b.Let("key", loop.ToKind(ir.U64, loop.At(unsorted, group)))
		b.Store(words[0], group, t.word(key, group))
		for i := range groupPasses {
			at := b.Let("counter", number(key, i))
			b.Store(t.counts, at, loop.Add(loop.At(t.counts, at), loop.Int(1)))
		}
	})
	for i := range groupPasses {
		before := b.Decl("before", loop.Int(0))
		b.For("digit", loop.Int(int64(i)<<groupDigit), loop.Int(int64(i+1)<<groupDigit), func(digit *loop.Var) {
			count := b.Let("count", loop.At(t.counts, digit))
			b.Store(t.counts, digit, before)
			b.Assign(before, loop.Add(before, count))
		})
	}
	for i := range groupPasses {
		from, to := words[i%2], words[1-i%2]
		b.For("at", loop.Int(0), loop.LenOf(from), func(at *loop.Var) {
			word := b.Let("word", loop.At(from, at))
			key := b.Let("key", keyOfWord(word))
			counter := b.Let("counter", number(key, i))
			place := b.Let("place", loop.At(t.counts, counter))
			b.Store(t.counts, counter, loop.Add(place, loop.Int(1)))
			if i < groupPasses-1 {
				b.Store(to, place, word)
				return
			}
			b.Store(keys, place, loop.ToKind(ir.U32, key))
			b.Store(places, place, loop.ToKind(ir.I64, loop.Add(first, loop.ToCounter(loop.ToKind(ir.U32, word)))))
		})
	}
}

// growGroups makes the table of a part with twice the slots, of the keys of its groups.
func (g *body) growGroups(keys, groups *loop.Var) {
	b, t := g.b, g.grouped
	b.Assign(t.last, loop.Add(loop.Mul(t.last, loop.Int(2)), loop.Int(1)))
	b.If(loop.Ge(t.last, loop.LenOf(t.memory)), func() {
		b.Assign(t.memory, b.Make("larger", loop.ScalarOf(ir.U64), loop.Add(t.last, loop.Int(1))))
	}, nil)
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
	return loop.Apply(ir.OpAnd, loop.ToCounter(loop.Apply(ir.OpShr, scattered(key), loop.ConstOf(ir.Int(ir.U64, 32)))), t.last)
}

// search goes from a slot on to that of a key, or to a free one.
func (t groupTable) search(b *loop.Builder, key loop.Expr, slot, held *loop.Var) {
	b.While(loop.And(loop.Ne(held, loop.ConstOf(ir.Int(ir.U64, 0))), loop.Ne(keyOfWord(held), key)), func() {
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
