package backends

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Search returns how many elements of memory, which ascend, are at most x, by a binary
// search: those before first are, and those from end on are not.
func Search(b *loop.Builder, memory *loop.Var, first, end, x loop.Expr) loop.Expr {
	x = b.Let("x", x)
	low := b.Decl("low", loop.ToCounter(first))
	high := b.Decl("high", loop.ToCounter(end))
	b.While(loop.Lt(low, high), func() {
		middle := b.Let("middle", loop.Add(low, loop.Div(loop.Sub(high, low), loop.Int(2))))
		b.If(loop.Le(loop.To(x.Type(), loop.At(memory, middle)), x),
			func() { b.Assign(low, loop.Add(middle, loop.Int(1))) },
			func() { b.Assign(high, middle) })
	})
	return loop.ToKind(ir.I64, low)
}

// HashTable is memory of slots: a power of two, unless rows of one slot have equal keys. A
// slot has the number of a row or, if it is free, all bits set. For Match it has a word, and
// a free one is 0.
type HashTable struct {
	Memory *loop.Var
	Slots  loop.Expr   // i64
	Keys   []*loop.Var // columns, of the rows in the table; none if the numbers of rows are the keys

	Limit    loop.Expr // i64, less than Slots: if more slots than that are taken, rows may be left out; nil if all are entered
	Bucket   int       // rows have slots that are multiples of so many, of which the table has a multiple; 0 for any. Match loads so many at once
	IsWide   bool      // a slot has two words for Match: the key, and the code below the rest of the key
	Rest     loop.Expr // of the key for Match, if it has more than 64 bits; else nil
	PartBits int       // see the operation Insert: a search stays in the part in which it begins; 0 if the table has no parts

	Found *loop.Var // i64, to which Insert assigns the slot with the keys, if the row is entered; may be nil
	Taken *loop.Var // i64: how many this worker has taken, or more than Limit if the table is full; nil if nobody asks

	Looks bool // Insert looks before it claims a slot: many rows of few keys meet, and atomic operations on one slot take turns

	isAlone   bool // nobody else enters rows here
	mayBeFull bool // a search ends where it has seen all slots
}

// Insert enters a row with keys: at the first slot, from its own on and around, that is
// free or has a row of equal keys. Then the lesser row stays. Unless isAlone is set,
// others enter rows at the same time; if it is, rows come in their order. A worker that has taken more slots than the limit
// enters no more.
func (t HashTable) Insert(b *loop.Builder, row, slot loop.Expr, keys []loop.Expr, isAlone bool) {
	row = b.Let("entered", loop.To(t.Memory.T.Elem(), row))
	load := func(at *loop.Var) loop.Expr { return b.CompareExchange("held", t.Memory, at, t.free(), row) }
	enter := func(*loop.Var, loop.Expr) { t.countTaken(b) }
	lessen := func(at *loop.Var, held loop.Expr) { b.Atomic(loop.AtomicMin, t.Memory, at, row) }
	set := lessen
	lessen = func(at *loop.Var, held loop.Expr) { // which is never less than the row that is there by now
		b.If(loop.Lt(row, held), func() { set(at, held) }, nil)
	}
	if t.Looks {
		claim := load
		load = func(at *loop.Var) loop.Expr {
			seen := b.Decl("seen", loop.VolatileAt(t.Memory, at))
			b.If(loop.Eq(seen, t.free()), func() { b.Assign(seen, claim(at)) }, nil)
			return seen
		}
	}
	t.isAlone = isAlone
	if isAlone {
		load = func(at *loop.Var) loop.Expr { return loop.At(t.Memory, at) }
		enter = func(at *loop.Var, _ loop.Expr) {
			b.Store(t.Memory, at, row)
			t.countTaken(b)
		}
	}
	if isAlone || len(t.Keys) == 0 {
		lessen = func(*loop.Var, loop.Expr) {}
	}
	then := func(change func(at *loop.Var, held loop.Expr)) func(at *loop.Var, held loop.Expr) {
		return func(at *loop.Var, held loop.Expr) {
			change(at, held)
			if t.Found != nil {
				b.Assign(t.Found, at)
			}
		}
	}
	visit := func() { t.visit(b, slot, load, row, keys, then(enter), then(lessen)) }
	if t.Taken == nil {
		visit()
		return
	}
	b.If(loop.Le(t.Taken, t.Limit), visit, nil)
}

// Enter enters a word at the first slot, from its own on and around, that is free, unless it
// meets one with an equal key. One worker enters all words in their order.
func (t HashTable) Enter(b *loop.Builder, word, slot loop.Expr) {
	word = b.Let("word", loop.To(t.Memory.T.Elem(), word))
	at := b.Decl("slot", slot)
	free := loop.ConstOf(ir.Int(t.Memory.T.Kind, 0))
	b.If(loop.Inside(at, t.Slots), func() {
		if t.Memory.T.Kind != ir.U64 { // words without keys, whose slots are their keys
			b.If(loop.Eq(loop.At(t.Memory, at), free), func() { b.Store(t.Memory, at, word) }, nil)
			return
		}
		around := b.Let("last_slot", loop.Sub(t.Slots, loop.ConstOf(ir.Int(ir.I64, 1))))
		held := b.Decl("held", loop.At(t.Memory, at))
		b.While(loop.And(loop.Ne(held, free), loop.Ne(aboveCode(held), aboveCode(word))), func() {
			b.Assign(at, loop.Apply(ir.OpAnd, loop.Add(at, loop.ConstOf(ir.Int(ir.I64, 1))), around))
			b.Assign(held, loop.At(t.Memory, at))
		})
		b.If(loop.Eq(held, free), func() {
			b.Store(t.Memory, at, word)
			t.countTaken(b)
		}, nil)
	}, nil)
}

// EnterLeast enters a word of 64 bits as Enter does, whatever others enter meanwhile: the least of those with an equal key stays. In a bucket, slots are
// taken from that of the word on and around, so that fewer rows want the first one; the last slot after all others, as searches expect.
func (t HashTable) EnterLeast(b *loop.Builder, word, slot loop.Expr) {
	word = b.Let("word", loop.To(t.Memory.T.Elem(), word))
	free := loop.ConstOf(ir.Int(t.Memory.T.Kind, 0))
	number := func(n int) loop.Expr { return loop.ConstOf(ir.Int(ir.I64, int64(n))) }
	around := b.Let("last_slot", loop.Sub(t.Slots, number(1)))
	at := b.Decl("slot", slot)
	next := func() { b.Assign(at, loop.Apply(ir.OpAnd, loop.Add(at, number(1)), around)) }
	if last := t.Bucket - 1; t.Bucket > 0 {
		bucket := b.Decl("bucket", loop.Apply(ir.OpAnd, slot, number(-t.Bucket)))
		first := b.Let("first", loop.Apply(ir.OpRem, loop.Apply(ir.OpAnd, slot, number(last)), number(last)))
		place := b.Decl("place", first)
		b.Assign(at, loop.Add(bucket, place))
		next = func() {
			b.If(loop.Eq(place, number(last)), func() {
				b.Assign(bucket, loop.Apply(ir.OpAnd, loop.Add(bucket, number(t.Bucket)), around))
				b.Assign(place, first)
			}, func() {
				b.Assign(place, loop.Choose(loop.Eq(place, number(last-1)), number(0), loop.Add(place, number(1))))
				b.If(loop.Eq(place, first), func() { b.Assign(place, number(last)) }, nil)
			})
			b.Assign(at, loop.Add(bucket, place))
		}
	}
	b.If(loop.Inside(at, t.Slots), func() {
		b.While(loop.True, func() {
			held := b.CompareExchange("held", t.Memory, at, free, word)
			b.If(loop.Eq(held, free), func() { b.Break() }, nil)
			b.If(loop.Eq(aboveCode(held), aboveCode(word)), func() {
				b.If(loop.Lt(word, held), func() { b.Atomic(loop.AtomicMin, t.Memory, at, word) }, nil)
				b.Break()
			}, nil)
			next()
		})
	}, nil)
}

// countTaken counts a slot that this worker has taken.
func (t HashTable) countTaken(b *loop.Builder) {
	if t.Taken != nil {
		b.Assign(t.Taken, loop.Add(t.Taken, loop.ConstOf(ir.Int(ir.I64, 1))))
	}
}

// Probe returns the slot whose row has keys, or -1, from a slot on. If isDirect holds, that
// is slot key, or -1 if there is none.
func (t HashTable) Probe(b *loop.Builder, name string, isDirect, key, slot loop.Expr, keys []loop.Expr) loop.Expr {
	found := b.Decl(name, loop.ConstOf(ir.Int(ir.I64, -1)))
	t.mayBeFull = true // if rows were left out
	t.direct(b, isDirect, key, func(at loop.Expr) { b.Assign(found, at) }, func() {
		load := func(at *loop.Var) loop.Expr { return loop.At(t.Memory, at) }
		t.visit(b, slot, load, nil, keys, func(*loop.Var, loop.Expr) {}, func(at *loop.Var, _ loop.Expr) { b.Assign(found, at) })
	})
	return found
}

// codeBits are the bits of a word below its key.
const codeBits = 32

// Words returns how many words Match looks at together: those of a bucket, if the table has any.
func (t HashTable) Words() int {
	if t.IsWide {
		return 2 * max(t.Bucket, 1)
	}
	return max(t.Bucket, 1)
}

// Load returns the words that Match looks at together, from a slot on.
func (t HashTable) Load(b *loop.Builder, slot loop.Expr) (words []loop.Expr) {
	if t.Words() == 1 {
		return []loop.Expr{loop.At(t.Memory, slot)}
	}
	if t.IsWide {
		slot = loop.Mul(slot, loop.ConstOf(ir.Int(ir.I64, 2)))
	}
	for len(words) < t.Words() {
		words = append(words, b.LoadWide("held", t.Memory, loop.Add(slot, loop.ConstOf(ir.Int(ir.I64, int64(len(words))))))...)
	}
	return words
}

// Match returns the code in the word that has key, or 0, from a slot on; see the
// operation Match of tile programs. If isDirect holds, 0. First are what Load gives for that slot; none if it is not loaded yet.
func (t HashTable) Match(b *loop.Builder, name string, isDirect, slot, key loop.Expr, first []loop.Expr) loop.Expr {
	found := b.Decl(name, loop.ConstOf(ir.Int(ir.U32, 0)))
	search := func() {
		key = b.Let("key", loop.ToKind(ir.U64, key))
		around := b.Let("last_slot", loop.Sub(t.Slots, loop.ConstOf(ir.Int(ir.I64, 1))))
		at := b.Decl("slot", slot)
		next := func(slots int) loop.Expr {
			return loop.Apply(ir.OpAnd, loop.Add(at, loop.ConstOf(ir.Int(ir.I64, int64(slots)))), around)
		}
		if t.Bucket > 0 {
			t.matchBuckets(b, found, at, next(t.Bucket), t.codeIn(b, key), first)
			return
		}
		if first == nil {
			first = t.Load(b, at)
		}
		held := b.Decl("held", first[0])
		isTaken := loop.Ne(held, loop.ConstOf(ir.Int(ir.U64, 0)))
		b.While(loop.And(isTaken, loop.Ne(aboveCode(held), key)), func() {
			b.Assign(at, next(1))
			b.Assign(held, loop.At(t.Memory, at))
		})
		b.Assign(found, loop.ToKind(ir.U32, held)) // of a free one, 0
	}
	switch isTrue, isKnown := literal(isDirect); {
	case !isKnown:
		b.If(loop.Not(isDirect), search, nil)
	case !isTrue:
		search()
	}
	return found
}

// aboveCode returns what a word has above a code.
func aboveCode(word loop.Expr) loop.Expr {
	return loop.Apply(ir.OpShr, word, loop.ConstOf(ir.Int(ir.U64, codeBits)))
}

// codeIn returns a function for the code in the words of a slot, or 0 unless they have key.
func (t HashTable) codeIn(b *loop.Builder, key loop.Expr) func(words []loop.Expr) loop.Expr {
	none, rest := loop.ConstOf(ir.Int(ir.U32, 0)), t.Rest
	if rest != nil {
		rest = b.Let("rest", loop.ToKind(ir.U64, rest))
	}
	return func(words []loop.Expr) loop.Expr {
		last := words[len(words)-1]
		isKey := loop.Eq(words[0], key)
		switch {
		case !t.IsWide:
			isKey = loop.Eq(aboveCode(last), key)
		case rest != nil:
			isKey = loop.And(isKey, loop.Eq(aboveCode(last), rest))
		}
		return loop.Choose(isKey, loop.ToKind(ir.U32, last), none)
	}
}

// matchBuckets assigns the code in the words that have the key to found, from bucket to bucket. The last slot of one is taken
// after all others, so that a search ends where it is free.
func (t HashTable) matchBuckets(b *loop.Builder, found, at *loop.Var, next loop.Expr, codeIn func(words []loop.Expr) loop.Expr, first []loop.Expr) {
	none := loop.ConstOf(ir.Int(ir.U32, 0))
	look := func(words []loop.Expr) (isOver loop.Expr) {
		for slot := range slices.Chunk(words, len(words)/t.Bucket) {
			b.Assign(found, loop.Apply(ir.OpOr, found, codeIn(slot)))
		}
		isFree := loop.Eq(loop.ToKind(ir.U32, words[len(words)-1]), none)
		return loop.Or(loop.Ne(found, none), isFree)
	}
	search := func() {
		b.While(loop.True, func() {
			b.If(look(t.Load(b, at)), func() { b.Break() }, nil)
			b.Assign(at, next)
		})
	}
	if first == nil {
		search()
		return
	}
	b.If(loop.Not(look(first)), func() {
		b.Assign(at, next)
		search()
	}, nil)
}

// direct calls found with the slot that is a row's key, if the table has it, where
// isDirect holds, and else search.
func (t HashTable) direct(b *loop.Builder, isDirect loop.Expr, key loop.Expr, found func(at loop.Expr), search func()) {
	atKey := func() {
		at := b.Let("at", key)
		b.If(loop.Inside(at, t.Slots), func() { found(at) }, nil)
	}
	switch isTrue, isKnown := literal(isDirect); {
	case !isKnown:
		b.If(isDirect, atKey, search)
	case isTrue:
		atKey()
	default:
		search()
	}
}

// literal returns a bool if it is known.
func literal(x loop.Expr) (value, isKnown bool) {
	c, isKnown := x.(*loop.Const)
	return isKnown && c.Value.IsTrue(), isKnown
}

// visit looks at slots until one is free or has a row with keys or, if the table has none,
// the number row.
func (t HashTable) visit(b *loop.Builder, slot loop.Expr, load func(at *loop.Var) loop.Expr, row loop.Expr, keys []loop.Expr, isFree, isEqual func(at *loop.Var, held loop.Expr)) {
	for i := range keys {
		keys[i] = b.Let("key", keys[i])
	}
	around := b.Let("last_slot", loop.Sub(t.Slots, loop.ConstOf(ir.Int(ir.I64, 1))))
	if t.mayBeFull {
		slot = b.Let("own_slot", slot)
	}
	at := b.Decl("slot", slot)
	var steps *loop.Var
	if t.Taken != nil {
		steps = b.Decl("steps", loop.Int(0))
	}
	one := loop.ConstOf(ir.Int(ir.I64, 1))
	next := func() loop.Expr { return loop.Apply(ir.OpAnd, loop.Add(at, one), around) }
	if t.PartBits > 0 {
		part := b.Let("last_of_part", loop.Sub(loop.Apply(ir.OpShr, t.Slots, loop.ConstOf(ir.Int(ir.I64, int64(t.PartBits)))), one))
		next = func() loop.Expr {
			return loop.Apply(ir.OpOr, loop.Apply(ir.OpAndNot, at, part), loop.Apply(ir.OpAnd, loop.Add(at, one), part))
		}
	}
	b.While(loop.True, func() {
		held := b.Let("held", load(at))
		b.If(loop.Eq(held, t.free()), func() {
			isFree(at, held)
			b.Break()
		}, nil)
		b.If(loop.Not(t.Differ(row, held, keys)), func() {
			isEqual(at, held)
			b.Break()
		}, nil)
		b.Assign(at, next())
		switch {
		case t.Taken != nil:
			b.Assign(steps, loop.Add(steps, loop.Int(1)))
			b.If(loop.Eq(steps, loop.Int(maxSteps)), func() {
				t.giveUp(b, at, load)
				b.Break()
			}, nil)
		case t.mayBeFull:
			b.If(loop.Eq(at, slot), func() { b.Break() }, nil) // others have taken all
		}
	})
}

// Differ returns whether a row with keys has others than the row held or, if the table has
// none, whether it is another. Keys may lie in the low bits of words.
func (t HashTable) Differ(row, held loop.Expr, keys []loop.Expr) loop.Expr {
	differ := loop.Expr(loop.False)
	if len(t.Keys) == 0 {
		differ = loop.Ne(held, row)
	}
	compared := map[[2]loop.Expr]bool{} // a column that is a key twice
	for i, key := range keys {
		pair := [2]loop.Expr{t.Keys[i], key}
		if compared[pair] {
			continue
		}
		compared[pair] = true
		other := loop.Expr(loop.At(t.Keys[i], loop.ToCounter(held)))
		if kind := key.Type().Kind; other.Type().Kind != kind {
			other = loop.ToKind(kind, other)
		}
		differ = loop.Or(differ, loop.KeyNe(key, other))
	}
	return differ
}

// maxSteps bounds the searches of a table with a limit. One that is half full has none so
// long, unless keys meet by their hashes.
const maxSteps = 256

// giveUp marks the table: a worker that is alone there by a slot where its search has ended. Else it takes
// slots until this worker has taken more than the limit, or all are taken, so
// that whoever counts them learns that rows are left out. Workers count their own slots
// alone: together they may fill a table in which searches then take ever longer.
func (t HashTable) giveUp(b *loop.Builder, at *loop.Var, load func(at *loop.Var) loop.Expr) {
	full := loop.Add(t.Limit, loop.ConstOf(ir.Int(ir.I64, 1)))
	if t.isAlone {
		b.Store(t.Memory, at, loop.ConstOf(ir.Int(t.Memory.T.Kind, tile.LeftOut)))
		b.Assign(t.Taken, full)
		return
	}
	at = b.Decl("slot", loop.ConstOf(ir.Int(ir.I64, 0)))
	b.While(loop.And(loop.Lt(at, t.Slots), loop.Le(t.Taken, t.Limit)), func() {
		held := b.Let("held", load(at))
		b.If(loop.Eq(held, t.free()), func() { t.countTaken(b) }, nil)
		b.Assign(at, loop.Add(at, loop.ConstOf(ir.Int(ir.I64, 1))))
	})
	b.Assign(t.Taken, full)
}

// free returns what a free slot holds.
func (t HashTable) free() loop.Expr { return loop.ConstOf(ir.Int(t.Memory.T.Kind, -1)) }
