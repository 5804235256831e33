package gocpu

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Where rows of many groups have been partitioned, a worker makes a hash table of the groups of a part, of
// words of key and number. The groups themselves lie one behind the other where the rows of the part begin, in
// the columns of the results, so that nothing that is read later has room for groups that do not exist. The
// table begins with about as many slots as that of the part before needed.
//
// If nearly every row brings a new group, the table would outgrow the cache. Then the part is divided once more, by
// ranges of its keys, into memory of the worker, and each division is grouped by itself, behind the groups of those before.

const (
	// slotsPerGroup is how many slots there are at least for each group of a part: with as many, most
	// searches end where they begin.
	slotsPerGroup = 4

	// leastGroupSlots is with how many slots the first table begins.
	leastGroupSlots = 1 << 10

	// divisions are those of a part: as many as a processor keeps pages at hand.
	divisions = 1 << divisionBits

	divisionBits = 5

	// rowsPerDivided is how many rows a part has for each group of those that may divide it, and
	// partsPerDivided how many of such parts all rows are at least, which bounds the memory of the workers.
	rowsPerDivided, partsPerDivided = 16, 8

	// A part is divided if it has had fewer rows than newGroups times as many as ofRows groups.
	newGroups, ofRows = 21, 20
)

// groupTable is the table of a part.
type groupTable struct {
	memory *loop.Var    // for the most slots that a part has needed so far
	last   *loop.Var    // the number of the last slot in use, of a power of two
	sorted [2]*loop.Var // words of the groups of a part while they are sorted, likewise
	counts *loop.Var    // of the digits of their keys, or of the rows of divisions

	begins  *loop.Var         // of the divisions of a part, and the end of the last one
	divided map[int]*loop.Var // the words and elements of divisions by stream, of the most rows so far
}

// groupDigit is how many bits of their keys a pass sorts groups by at most: its counters stay in the nearest cache.
const groupDigit = 11

// beginGroupParts makes memory for the table of a part of few groups.
func (g *body) beginGroupParts(op *tile.Op, _, _ *loop.Var) {
	b := g.b
	growing := func(name string, kind ir.Kind, length int64) *loop.Var {
		memory := b.Make(name, loop.ScalarOf(kind), loop.Int(length))
		memory.Changes = true
		return memory
	}
	t := groupTable{memory: growing("table", ir.U64, leastGroupSlots), last: b.Decl("last", loop.Int(leastGroupSlots-1)),
		counts: b.Make("counts", loop.Counter, loop.Int(1<<groupDigit)), begins: b.Make("begins", loop.Counter, loop.Int(divisions+1)), divided: map[int]*loop.Var{}}
	t.sorted = [2]*loop.Var{growing("from", ir.U64, leastGroupSlots), growing("to", ir.U64, leastGroupSlots)}
	for _, s := range op.Keys {
		t.divided[s] = growing("divided", g.Streams[s].Kind, 0)
	}
	g.grouped = t
}

// groupParts finds the groups of a part, and folds their rows.
func (g *body) groupParts(i int) {
	b, op, t := g.b, &g.Ops[i], g.grouped
	first := b.Let("first", loop.ToCounter(g.expr(op.Args[0])))
	end := b.Let("end", loop.ToCounter(g.expr(op.Args[1])))
	all := map[int]*loop.Var{} // words and elements of the part, and later of its divisions
	for k, s := range op.Keys {
		all[s] = b.Decl([]string{"all_words", "all_elements"}[min(k, 1)], b.Slice("of_part", g.whole[s], first, end))
	}
	b.Store(t.begins, loop.Int(0), loop.Int(0))
	b.Store(t.begins, loop.Int(1), loop.Sub(end, first))
	pieces := b.Decl("pieces", loop.Int(1))
	piece, before := b.Decl("piece", loop.Int(0)), b.Decl("before", loop.Int(0)) // before are the groups of earlier pieces
	b.While(loop.Lt(piece, pieces), func() {
		from, to := b.Let("begin", loop.At(t.begins, piece)), b.Let("after", loop.At(t.begins, loop.Add(piece, loop.Int(1))))
		rows := map[int]*loop.Var{}
		for k, s := range op.Keys {
			rows[s] = b.Slice([]string{"words", "elements"}[min(k, 1)], all[s], from, to)
			if k > 0 {
				b.Cut(rows[s], loop.Int(0), loop.LenOf(rows[op.Keys[0]]))
			}
		}
		base := b.Let("base", loop.Add(first, before))
		column := func(name string, stream int) *loop.Var {
			v := b.Slice(name, g.whole[stream], base, end)
			b.Cut(v, loop.Int(0), loop.LenOf(rows[op.Keys[0]]))
			return v
		}
		keys, places := column("keys", op.Stream), column("places", op.Places)
		folds := make([]*loop.Var, len(op.Folds))
		for k, f := range op.Folds {
			folds[k] = column("folds", f.To)
		}
		groups := b.Decl("groups", loop.Int(0))
		checked := g.checkedGroups(op, pieces, rows[op.Keys[0]])
		divides := b.Decl("divides", loop.False)
		t.clear(b)
		g.eachRow(op, rows, keys, folds, groups, func(at *loop.Var) {
			b.If(loop.Eq(groups, checked), func() {
				b.If(loop.Lt(loop.Mul(at, loop.Int(ofRows)), loop.Mul(groups, loop.Int(newGroups))), func() {
					b.Assign(divides, loop.True)
					b.Break()
				}, nil)
			}, nil)
		})
		b.If(divides, func() {
			g.divide(op, all, rows, keys, groups)
			b.Assign(pieces, loop.Int(divisions))
		}, func() {
			g.sortGroups(keys, places, groups, base)
			b.Assign(before, loop.Add(before, groups))
			b.Assign(piece, loop.Add(piece, loop.Int(1)))
			b.While(loop.And(loop.Ge(t.last, loop.Int(leastGroupSlots)), loop.Gt(t.last, loop.Mul(groups, loop.Int(2*slotsPerGroup)))), func() {
				b.Assign(t.last, loop.Div(t.last, loop.Int(2)))
			})
		})
	})
	g.values[op.Res[0]] = loop.ToKind(ir.I64, before)
}

// checkedGroups returns with how many groups it is found out whether a part is divided: more than there are if it is not.
func (g *body) checkedGroups(op *tile.Op, pieces, words *loop.Var) *loop.Var {
	b := g.b
	checked := b.Decl("checked", loop.Add(loop.LenOf(words), loop.Int(1)))
	isWhole := loop.Eq(pieces, loop.Int(1))
	isLong := loop.Ge(loop.LenOf(words), loop.Int(int64(op.Divided)*rowsPerDivided))
	isEven := loop.Le(loop.LenOf(words), loop.Div(loop.LenOf(g.whole[op.Keys[0]]), loop.Int(partsPerDivided)))
	b.If(loop.And(loop.And(isWhole, isLong), isEven), func() { b.Assign(checked, loop.Int(int64(op.Divided))) }, nil)
	return checked
}

// eachRow finds the groups of rows, and folds them; began runs after each row that began one.
func (g *body) eachRow(op *tile.Op, rows map[int]*loop.Var, keys *loop.Var, folds []*loop.Var, groups *loop.Var, began func(at *loop.Var)) {
	b, t, words := g.b, g.grouped, rows[op.Keys[0]]
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
			began(at)
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
					x = loop.ToKind(kind, loop.At(rows[f.From], at))
				case f.Kind.IsFloat():
					x = loop.ToKind(kind, loop.FromBits(f.Kind, loop.ToKind(ir.U32, word)))
				default:
					x = loop.ToKind(kind, loop.ToKind(f.Kind, word))
				}
				g.combine(update, folds[k], group, x)
			}
		}, nil)
	})
}

// divide moves the rows of a part in the order of ranges of their keys, of which some are known.
func (g *body) divide(op *tile.Op, all, rows map[int]*loop.Var, keys, groups *loop.Var) {
	b, t, words := g.b, g.grouped, rows[op.Keys[0]]
	least, width := g.rangeOf(b.Slice("known", keys, loop.Int(0), groups))
	bits := loop.ConstOf(ir.Int(ir.U64, divisionBits))
	shift := b.Let("shift", loop.Sub(loop.Greatest(width, bits), bits))
	division := func(word loop.Expr) loop.Expr {
		above := loop.Sub(loop.Greatest(keyOfWord(word), least), least)
		return loop.ToCounter(loop.Least(loop.Apply(ir.OpShr, above, shift), loop.ConstOf(ir.Int(ir.U64, divisions-1))))
	}
	next := b.Window("next", t.counts, loop.Int(0), divisions)
	b.For("i", loop.Int(0), loop.Int(divisions), func(i *loop.Var) { b.Store(next, i, loop.Int(0)) })
	b.For("at", loop.Int(0), loop.LenOf(words), func(at *loop.Var) {
		of := b.Let("division", division(loop.At(words, at)))
		b.Store(next, of, loop.Add(loop.At(next, of), loop.Int(1)))
	})
	sum := b.Decl("sum", loop.Int(0))
	b.For("i", loop.Int(0), loop.Int(divisions), func(i *loop.Var) {
		count := b.Let("count", loop.At(next, i))
		b.Store(next, i, sum)
		b.Assign(sum, loop.Add(sum, count))
		b.Store(t.begins, loop.Add(i, loop.Int(1)), sum)
	})
	moved := map[int]*loop.Var{}
	for _, s := range op.Keys {
		memory := t.divided[s]
		b.If(loop.Lt(loop.LenOf(memory), loop.LenOf(words)), func() {
			b.Assign(memory, b.Make("longer", memory.T.Elem(), loop.LenOf(words)))
		}, nil)
		moved[s] = b.Slice("moved", memory, loop.Int(0), loop.LenOf(words))
	}
	b.For("at", loop.Int(0), loop.LenOf(words), func(at *loop.Var) {
		word := b.Let("word", loop.At(words, at))
		of := b.Let("division", division(word))
		place := b.Let("place", loop.At(next, of))
		b.Store(next, of, loop.Add(place, loop.Int(1)))
		for k, s := range op.Keys {
			if k == 0 {
				b.Store(moved[s], place, word)
			} else {
				b.Store(moved[s], place, loop.At(rows[s], at))
			}
		}
	})
	for _, s := range op.Keys {
		b.Assign(all[s], moved[s])
	}
}

// rangeOf returns the least of some keys, and how many bits the greatest has above it.
func (g *body) rangeOf(keys *loop.Var) (least, width loop.Expr) {
	b := g.b
	low, high := b.Decl("least", loop.ConstOf(ir.Int(ir.U32, -1))), b.Decl("greatest", loop.ConstOf(ir.Int(ir.U32, 0)))
	b.For("i", loop.Int(0), loop.LenOf(keys), func(i *loop.Var) {
		b.Assign(low, loop.Least(low, loop.At(keys, i)))
		b.Assign(high, loop.Greatest(high, loop.At(keys, i)))
	})
	span := loop.Sub(high, loop.Least(low, high))
	zeros := loop.ToKind(ir.U64, loop.Apply(ir.OpLeadingzeros, span))
	return b.Let("least_key", loop.ToKind(ir.U64, low)), b.Let("width", loop.Sub(loop.ConstOf(ir.Int(ir.U64, codeBits)), zeros))
}

// sortGroups sorts the keys of a part, and stores the place of the folds of each, from place base on.
func (g *body) sortGroups(keys, places, groups *loop.Var, base loop.Expr) {
	b, t := g.b, g.grouped
	for _, memory := range t.sorted {
		b.If(loop.Lt(loop.LenOf(memory), groups), func() {
			b.Assign(memory, b.Make("longer", loop.ScalarOf(ir.U64), loop.Mul(groups, loop.Int(2))))
		}, nil)
	}
	keys = b.Slice("group_keys", keys, loop.Int(0), groups)
	words := [2]*loop.Var{}
	for i, name := range []string{"from_words", "to_words"} {
		words[i] = b.Decl(name, b.Slice(name, t.sorted[i], loop.Int(0), groups))
	}
	least, width := g.rangeOf(keys)
	b.For("group", loop.Int(0), loop.LenOf(keys), func(group *loop.Var) {
		b.Store(words[0], group, t.word(loop.Sub(loop.ToKind(ir.U64, loop.At(keys, group)), least), group))
	})
	bits := func(n int64) loop.Expr { return loop.ConstOf(ir.Int(ir.U64, n)) }
	passes := b.Let("passes", loop.Greatest(loop.Div(loop.Add(width, bits(groupDigit-1)), bits(groupDigit)), bits(1)))
	digit := b.Let("digit_bits", loop.Div(loop.Sub(loop.Add(width, passes), bits(1)), passes))
	counts := b.Slice("digits", t.counts, loop.Int(0), loop.ToCounter(loop.Apply(ir.OpShl, bits(1), digit)))
	shift := b.Decl("sorted_by", bits(codeBits))
	b.While(loop.Lt(shift, loop.Add(width, bits(codeBits))), func() {
		counter := func(word loop.Expr) loop.Expr {
			return loop.Apply(ir.OpAnd, loop.ToCounter(loop.Apply(ir.OpShr, word, shift)), loop.Sub(loop.LenOf(counts), loop.Int(1)))
		}
		b.For("i", loop.Int(0), loop.LenOf(counts), func(i *loop.Var) { b.Store(counts, i, loop.Int(0)) })
		b.For("at", loop.Int(0), loop.LenOf(words[0]), func(at *loop.Var) {
			of := b.Let("digit", counter(loop.At(words[0], at)))
			b.Store(counts, of, loop.Add(loop.At(counts, of), loop.Int(1)))
		})
		sum := b.Decl("sum", loop.Int(0))
		b.For("i", loop.Int(0), loop.LenOf(counts), func(i *loop.Var) {
			count := b.Let("count", loop.At(counts, i))
			b.Store(counts, i, sum)
			b.Assign(sum, loop.Add(sum, count))
		})
		b.For("at", loop.Int(0), loop.LenOf(words[0]), func(at *loop.Var) {
			word := b.Let("word", loop.At(words[0], at))
			of := b.Let("digit", counter(word))
			place := b.Let("place", loop.At(counts, of))
			b.Store(counts, of, loop.Add(place, loop.Int(1)))
			b.Store(words[1], place, word)
		})
		swapped := b.Decl("swapped", words[0])
		b.Assign(words[0], words[1])
		b.Assign(words[1], swapped)
		b.Assign(shift, loop.Add(shift, digit))
	})
	b.For("group", loop.Int(0), loop.LenOf(keys), func(group *loop.Var) {
		word := b.Let("word", loop.At(words[0], group))
		b.Store(keys, group, loop.ToKind(ir.U32, loop.Add(keyOfWord(word), least)))
		b.Store(places, group, loop.ToKind(ir.I64, loop.Add(base, loop.ToCounter(loop.ToKind(ir.U32, word)))))
	})
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

// home returns the slot of a key. The factor is not that of the golden ratio, which would put many keys of one part
// that were spread by that ratio themselves in few slots.
func (t groupTable) home(key loop.Expr) loop.Expr {
	hash := loop.Apply(ir.OpMul, key, loop.ConstOf(ir.Int(ir.U64, -4658895280553007687)))
	return loop.Apply(ir.OpAnd, loop.ToCounter(loop.Apply(ir.OpShr, hash, loop.ConstOf(ir.Int(ir.U64, 32)))), t.last)
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
