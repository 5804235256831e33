package simt

import (
	"math/bits"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// What a work-group remembers of a limited table: keys that have rows there. If the keys are one
// integer of up to 32 bits, or integers of up to 64 bits in all, it is these, else the number of a row
// that has them, which is then compared by its columns; such a row comes before all that need not be entered.

// The rows that a work-group remembers at most: in kernels for which a launch
// brings local memory and that have no other use for it, in other kernels, and in fallbacks. The first
// has sums and counts beside it that take the local memory of a compute unit; a work-group that
// forgets all, part by part, has fewer.
const rememberedLaunched, rememberedOfPart, remembered, rememberedFallback = 11 << 10, 8 << 10, 4096, 2048

// looks are the places at which a work-group may remember a row: a power of two. Those of a
// row that combines beside one are more, as global memory is slow at what is left.
const looks, looksBeside = 4, 8

// remembers returns how many rows work-groups remember for each limited table of a kernel:
// none if they do not walk over the rows.
func (l *lowering) remembers(t *tile.Kernel, s shape) int64 {
	tables := limitedTables(t)
	if tables == 0 || l.schedule.Part > 0 || l.schedule.Table == plan.Global || l.schedule.Groups == plan.Shared || !l.hasTablesOnly(t) {
		return 0
	}
	combines := combinesBySlots(t)
	rows := int64(remembered)
	switch {
	case (combines || l.isIndependent()) && l.schedule.Tables() && l.schedule.Variant != plan.Direct:
		return 0
	case l.isIndependent() && s.isOpen:
		return ownPlacesOf(l.foldingWorkgroup())
	case l.isIndependent():
		return ownPlacesOf(s.workgroup)
	case l.suffix != "":
		rows = rememberedFallback
	case l.target.LaunchedLocal > 0 && tables == 1 && (combines || !t.Has(isTableUpdate)):
		rows = rememberedLaunched
		if combines && t.Has(func(op *tile.Op) bool { return op.IsLimited() && op.PartBits > 0 }) {
			rows = rememberedOfPart
		}
	}
	for share := int64(1); share < tables; share *= 2 {
		rows /= 2
	}
	return rows
}

// rememberedBytes returns the local memory for what is remembered without tables beside it.
func (s shape) rememberedBytes(l *lowering, t *tile.Kernel) (bytes int64) {
	if s.remembered == 0 || l.isIndependent() {
		return 0
	}
	for _, op := range t.With((*tile.Op).IsLimited) {
		if len(updatesBy(t, op.Res[0])) == 0 {
			bytes += s.places.memoryBytes(l.wordOfKeys(t, op))
		}
	}
	return bytes
}

// memory is what a work-group remembers of a limited table: a word at each of some places, and at one more bucket
// for the key that a free place has. Two places in a bucket share a word if their keys fit. The word behind them is
// [tile.LeftOut] if rows are left out, and the next counts the places that are taken, where
// that matters.
type memory struct {
	places
	words  *loop.Var
	first  loop.Expr // of the words
	kind   ir.Kind   // of what a place has
	isKeys bool
	sizes  []int // of the keys, in bytes
}

// memoryOf returns the memory of an operation; nil if nothing is remembered.
func (e *function) memoryOf(i int) *memory {
	if e.remembered == 0 {
		return nil
	}
	if e.own != nil {
		return e.ownMemoryOf(i)
	}
	op := &e.Ops[i]
	kind := e.wordOfKeys(op)
	m := &memory{places: e.places, first: loop.Int(0), kind: kind, isKeys: kind != ir.I32, sizes: e.sizesOfKeys(op)}
	kind = m.wordKind(kind)
	switch of := e.enteredOf(i); {
	case of != nil:
		m.words, m.first = e.localTables.words[ir.U32], loop.Int(of.memory*4/int64(kind.Size()))
	case e.remembered == rememberedLaunched && e.localTables == nil:
		m.words = e.localArray(arenaName, ir.U32, int(m.memoryBytes(kind)/4))
	default:
		m.words = e.localArray("remembered_"+e.Streams[op.Stream].Name, kind, int(m.memoryBytes(kind)/int64(kind.Size())))
	}
	if kind != m.words.T.Kind {
		m.words = e.arenaView(m.words, kind)
	}
	return m
}

// wordOfKeys returns the kind of the words that remember what an operation enters: u32 or u64 if the
// keys are integers that fit, and else i32, for numbers of rows.
func (l *lowering) wordOfKeys(t *tile.Kernel, op *tile.Op) ir.Kind {
	size := 0
	for _, key := range op.Args[4:] {
		kind := t.Values[key].Kind
		if size += kind.Size(); !kind.IsInteger() && !kind.IsCoded() {
			return ir.I32
		}
	}
	switch {
	case size <= 4 && len(op.Args) == 5:
		return ir.U32
	case size <= 8 && len(op.Args) > 4 && l.target.Atomics64:
		return ir.U64
	}
	return ir.I32
}

// sizesOfKeys returns how many bytes each key has.
func (k *kernel) sizesOfKeys(op *tile.Op) (sizes []int) {
	for _, key := range op.Args[4:] {
		sizes = append(sizes, k.Values[key].Kind.Size())
	}
	return sizes
}

func (e *function) wordOfKeys(op *tile.Op) ir.Kind { return e.lowering.wordOfKeys(e.Kernel, op) }

// word returns the element of the memory that is so many words behind its first.
func (m *memory) word(at loop.Expr) loop.Expr { return loop.Add(m.first, at) }

// wordOf returns the word of a place, and by how many bits what is remembered there is shifted: by none if the word has one place.
func (m *memory) wordOf(place loop.Expr) (at, shift loop.Expr) {
	if m.perWord(m.kind) == 1 {
		return m.word(place), nil
	}
	isSecond := loop.Apply(ir.OpAnd, loop.ToKind(ir.U64, place), number(ir.U64, 1))
	return m.word(loop.Div(place, loop.Int(2))), loop.Mul(isSecond, number(ir.U64, 32))
}

// at returns what is remembered at a place.
func (m *memory) at(place loop.Expr) loop.Expr {
	at, shift := m.wordOf(place)
	held := loop.Expr(loop.VolatileAt(m.words, at))
	if shift != nil {
		held = loop.ToKind(m.kind, loop.Apply(ir.OpShr, held, shift))
	}
	return held
}

// bucketAt returns what is remembered at the places of a bucket, by their first.
func (e *function) bucketAt(m *memory, place loop.Expr) (held []loop.Expr) {
	at, _ := m.wordOf(place)
	switch {
	case m.bucket == 1:
		return []loop.Expr{m.at(place)}
	case m.perWord(m.kind) == 1: // what is not seen yet is found by the looks that take places
		return e.b.LoadWide("pair", m.words, at)
	}
	pair := e.b.Let("pair", loop.VolatileAt(m.words, at))
	return []loop.Expr{loop.ToKind(m.kind, pair), loop.ToKind(m.kind, loop.Apply(ir.OpShr, pair, number(ir.U64, 32)))}
}

// claim takes a place for a word if it is free. It returns what the place had before; not what is free if another place of
// its word has changed meanwhile, either.
func (e *function) claim(m *memory, place, free, word loop.Expr) (before, isTaken loop.Expr) {
	at, shift := m.wordOf(place)
	if shift == nil {
		before = e.b.CompareExchange("before", m.words, at, free, word)
		return before, loop.Eq(before, free)
	}
	shifted := func(x loop.Expr) loop.Expr { return loop.Apply(ir.OpShl, loop.ToKind(ir.U64, x), shift) }
	others := e.b.Let("others", loop.Apply(ir.OpAnd, loop.VolatileAt(m.words, at), loop.Apply(ir.OpComplement, shifted(number(m.kind, -1)))))
	expected := e.b.Let("expected", loop.Apply(ir.OpOr, others, shifted(free)))
	pair := e.b.CompareExchange("before", m.words, at, expected, loop.Apply(ir.OpOr, others, shifted(word)))
	return loop.ToKind(m.kind, loop.Apply(ir.OpShr, pair, shift)), loop.Eq(pair, expected)
}

// flag is the word that says whether rows are left out.
func (m *memory) flag() loop.Expr { return m.word(loop.Int(m.wordsOf(m.kind))) }

// freeKey is what a place has that remembers no key, as far as words have bits. It is any number: a row that has it as
// its key looks at a place of its own, which has another number while it is free.
const freeKey = 0x5bd1e9955bd1e995

// freeKey returns the number that places have while they are free.
func (m *memory) freeKey() loop.Expr { return number(m.kind, freeKey) }

// free returns what a place has that remembers nothing.
func (m *memory) free(isOwn loop.Expr) loop.Expr {
	if !m.isKeys {
		return number(m.kind, -1)
	}
	return loop.Choose(isOwn, number(m.kind, ^freeKey), m.freeKey())
}

// freeAt is free for a place.
func (m *memory) freeAt(place loop.Expr) loop.Expr {
	return m.free(loop.Ge(place, loop.Int(m.remembered)))
}

// beginRemembered forgets everything.
func (e *function) beginRemembered() {
	for i := range e.With((*tile.Op).IsLimited) {
		m := e.memoryOf(i)
		e.beginMemory(m)
		if e.Ops[i].PartBits > 0 {
			e.beginParts(m)
		}
	}
	e.b.Barrier(loop.WorkgroupScope)
}

// beginMemory leaves all places free.
func (e *function) beginMemory(m *memory) {
	n := m.perWord(m.kind)
	e.eachPlace(loop.Int(m.wordsOf(m.kind)+1), func(at loop.Expr) {
		free := m.freeAt(loop.Mul(at, loop.Int(n)))
		if n > 1 {
			one := e.b.Let("free", loop.ToKind(m.words.T.Kind, free))
			free = loop.Apply(ir.OpOr, loop.Apply(ir.OpShl, one, number(m.words.T.Kind, 32)), one)
		}
		e.b.Store(m.words, m.word(at), free)
	})
	e.b.If(loop.Eq(e.localID, loop.Int(0)), func() { e.b.Store(m.words, m.taken(), number(m.words.T.Kind, 0)) }, nil)
}

// entry is what is entered in a limited table.
type entry struct {
	table  backends.HashTable
	row    loop.Expr
	home   loop.Expr // the slot from which on the row looks for one
	keys   []loop.Expr
	found  *loop.Var // becomes the slot that has the keys; nil if nothing needs it
	memory *memory   // of the work-group; nil if it remembers nothing
	word   loop.Expr // that remembers the keys
	hash   loop.Expr // whose highest bits are the first place that may remember them
	isOwn  loop.Expr // whether the keys have a place of their own
}

// entering names what the row at hand enters.
func (e *rowBody) entering(i int) *entry {
	op := &e.Ops[i]
	s := &entry{table: e.limitedTable(op), memory: e.memoryOf(i), isOwn: loop.False}
	s.table.Slots = e.expr(op.Args[2])
	s.row = e.b.Let("entered", loop.ToKind(s.table.Memory.T.Kind, e.expr(op.Args[0])))
	s.home = e.b.Let("own_slot", e.expr(op.Args[1]))
	for _, key := range e.exprs(op.Args[4:]) {
		s.keys = append(s.keys, e.b.Let("key", key))
	}
	e.remember(s)
	return s
}

// remember names the word that remembers the keys.
func (e *function) remember(s *entry) {
	s.word = s.row
	if s.memory == nil {
		return
	}
	if !s.memory.isKeys {
		s.hash = e.b.Let("hash", loop.Mul(loop.ToKind(ir.U32, s.home), number(ir.U32, placeFactor)))
		return
	}
	kind := s.memory.kind
	word := toWord(kind, s.keys[0])
	for i, key := range s.keys[1:] {
		bits := int64(8 * s.memory.sizes[i+1])
		key = loop.Apply(ir.OpAnd, toWord(kind, key), number(kind, 1<<bits-1))
		word = loop.Apply(ir.OpOr, loop.Apply(ir.OpShl, word, number(kind, bits)), key)
	}
	s.word = e.b.Let("word", word)
	s.isOwn = loop.Eq(s.word, s.memory.freeKey())
	hash := loop.Mul(loop.ToKind(ir.U32, s.word), number(ir.U32, placeFactor))
	if kind == ir.U64 {
		high := loop.ToKind(ir.U32, loop.Apply(ir.OpShr, s.word, number(kind, 32)))
		hash = loop.Mul(loop.Apply(ir.OpXor, hash, loop.Mul(high, number(ir.U32, highFactor))), number(ir.U32, placeFactor))
	}
	s.hash = e.b.Let("hash", hash)
}

// The factors of hashes by which places are found: odd numbers, so that the highest bits of a product depend on all of
// the other factor.
const placeFactor, highFactor, stepFactor = 0x9e3779b1, 0x85ebca77, 0xc2b2ae3d

// mostStepBits are the bits of the distance between the places of two looks, at most.
const mostStepBits = 9

// placeOf returns the first place of one of the buckets that may remember the keys, by double hashing: next to each other, they would be
// those of other keys, too, and in a table that is half full many keys would be found nowhere.
func (s *entry) placeOf(look loop.Expr) loop.Expr {
	bucket := s.memory.bucket
	buckets := s.memory.remembered / bucket
	highest := func(hash loop.Expr, bits int) loop.Expr {
		return loop.ToCounter(loop.Apply(ir.OpShr, hash, number(ir.U32, int64(32-bits))))
	}
	isPowerOfTwo := buckets&(buckets-1) == 0
	at := highest(s.hash, bits.TrailingZeros64(uint64(buckets)))
	if !isPowerOfTwo {
		product := loop.Mul(loop.ToKind(ir.U64, s.hash), number(ir.U64, buckets))
		at = loop.ToCounter(loop.ToKind(ir.U32, loop.Apply(ir.OpShr, product, number(ir.U64, 32))))
	}
	if c, ok := look.(*loop.Const); !ok || c.Value.Int64() != 0 {
		stepBits := min(mostStepBits, bits.Len64(uint64(buckets/(looksBeside/bucket)))-1) // the last look is less than twice around
		step := loop.Apply(ir.OpOr, highest(loop.Mul(s.hash, number(ir.U32, stepFactor)), stepBits), loop.Int(1))
		at = loop.Add(at, loop.Mul(look, step))
		if isPowerOfTwo {
			at = loop.Apply(ir.OpAnd, at, loop.Int(buckets-1))
		} else {
			at = loop.Choose(loop.Ge(at, loop.Int(buckets)), loop.Sub(at, loop.Int(buckets)), at)
		}
	}
	if bucket > 1 {
		at = loop.Mul(at, loop.Int(bucket))
	}
	return loop.Choose(s.isOwn, loop.Int(s.memory.remembered), at)
}

// isKnown returns whether what is remembered is the keys.
func (e *rowBody) isKnown(s *entry, held loop.Expr) loop.Expr {
	if s.memory.isKeys {
		return loop.Eq(held, s.word)
	}
	comesFirst := loop.And(loop.Ge(held, number(ir.I32, 0)), loop.Le(held, s.row))
	return loop.And(comesFirst, loop.Not(s.table.Differ(s.row, held, s.keys)))
}

// look looks at the places that may remember the keys of a row, until one does, or one is
// free. Looks are branches in branches: compilers for GPUs make several times as slow a
// kernel of a loop.
func (e *rowBody) look(s *entry, known, vacant func(at loop.Expr)) {
	var from func(i int)
	from = func(i int) {
		first := s.placeOf(loop.Int(int64(i) / s.memory.bucket))
		at := e.b.Let("at", loop.Add(first, loop.Int(int64(i)%s.memory.bucket)))
		held := e.b.Let("held", s.memory.at(at))
		next := func() { from(i + 1) }
		if i == looks-1 {
			next = nil
		}
		e.b.If(e.isKnown(s, held), func() { known(at) }, func() {
			e.b.If(loop.Eq(held, s.memory.free(s.isOwn)), func() { vacant(at) }, next)
		})
	}
	from(0)
}
