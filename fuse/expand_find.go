package fuse

import (
	"fmt"
	"math"
	"slices"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Rows are found by a table with a slot per number, if the keys lie in a range of a few
// times as many numbers as there are rows, and else by a hash table with open addressing
// (Knuth, The Art of Computer Programming, volume 3, section 6.4, algorithm L). A slot
// has the number of a row, not its keys, so keys may have any width and any value. At
// most half of the slots of a hash table are taken: no search is long, and the table
// never overflows.

// mostSlots is the most slots of a hash table. One that this makes too small, of more than
// 2^29 rows, has up to seven eighths of them taken; from there on the plan refuses it.
const mostSlots = 1 << 30

// A small table on cores has sparseTimes as many slots as it needs, up to those of a table of
// mostSparse rows: searches that end at their first slot are what processors predict.
const (
	sparseTimes = 8
	mostSparse  = 1 << 17
)

// Work-groups load bucketBytes of a table at once, what memory moves at the least. Searches
// begin where these do. Narrow keys that may be slots have buckets where a pipeline does nothing else with rows that it looks up, and those
// of a join where it is the only search: with what a bucket holds beside, kernels of several searches ran out of registers. Buckets
// of a join have half as many bytes, so that four left rows load theirs together: otherwise 2^14 keys of four right rows take 1.08 times as long.
const bucketBytes = 32

// A table whose slots are keys may have mostDirect times as many as rows, which takes as
// much memory as a hash table, and one for each leastPerSlot rows that are looked up: it
// costs less to clear than searches in a hash table do.
const (
	mostDirect   = 4
	leastPerSlot = 8
)

// find writes find(K, in: K2).
func (e *expansion) find(v *ir.Value) {
	o := ordering{expansion: e, pos: v.Pos}
	keys, in := e.columns(v.Args[:v.Split]), e.columns(v.Args[v.Split:])
	var made *ir.Value
	switch o.probing {
	case plan.Sort:
		made = o.sortedBy(in).first(&o, keys)
	case plan.Loops:
		made = o.compared(o.keyWords(keys), o.keyWords(in), ir.ReduceMin)
	default:
		t := o.tableOf(in, keys[0], false)
		if column, ok := e.lookedUp(v, v); ok {
			e.columnOf[v] = column
			if e.asksBits(v, t) {
				e.lookups[v] = o.lookupOfBits(t, keys, column)
			} else {
				e.lookups[v] = o.lookup(t, keys, column)
			}
			return
		}
		made = o.foundRow(t, keys)
	}
	made.Name = v.Name
	e.values[v] = made
}

// foundRow returns the row that has keys, or -1.
func (o *ordering) foundRow(t rowTable, keys []*ir.Value) *ir.Value {
	if !t.hasWords() {
		return o.rowAt(t, o.probe(t, keys))
	}
	if o.entersCodes(t) {
		return o.rowOfCode(o.codeIn(t, keys, o.codesOfRows(t)))
	}
	code := func(way rowTable) *ir.Value {
		return o.apply(ir.OpAdd, o.cast(ir.U32, o.rowsIn(way)), o.constant(ir.Int(ir.U32, 1)))
	}
	var found *ir.Value
	if t.isWide {
		found = o.match(t, keys, code)
	} else {
		found = o.matchWords(t, o.words(o.sortKeysOf(keys)), o.rowWords(t, t, code))
	}
	row := o.rowOfCode(found)
	if t.least == nil {
		return row
	}
	if t.sorted != nil {
		t.rows = o.ofSlots(t, o.rowsIn)
	}
	slot := o.choose(t.isDirect, o.keySlot(t, keys), o.number(-1))
	return o.choose(t.isDirect, o.rowAt(t, slot), row)
}

// rowWords returns the words of the keys and the rows of a table, which is one way to make t or t itself. Those of a way are
// there once, whether it is looked up alone or as t.
func (o *ordering) rowWords(t, way rowTable, code func(way rowTable) *ir.Value) *ir.Value {
	if o.rowWordsOf[way.rows] == nil {
		switch w := way.ways; {
		case way.entersWords:
			o.rowWordsOf[way.rows] = o.wordsWith(way, code, nil)
		case w == nil:
			o.rowWordsOf[way.rows] = o.wordsIn(t, way, code)
		default:
			first, second := o.rowWords(t, w.first, code), o.rowWords(t, w.second, code)
			o.rowWordsOf[way.rows] = o.eitherTable(w, first, second)
		}
	}
	return o.rowWordsOf[way.rows]
}

// rowTable is a table of the rows that have the first of equal keys.
type rowTable struct {
	rows     *ir.Value    // of each slot; nil if the table has codes from the start
	keys     []*ir.Value  // of the rows
	shift    *ir.Value    // scalar: how many low bits of a hash do not belong to the slot
	isDirect *ir.Value    // scalar: whether slots are keys, from the least one on, or the table is one by cuckoo hashing
	isParted *ir.Value    // scalar: whether the table is made by parts; nil if it never is
	parted   *ir.Value    // scalar: 1 if it is large enough to be made by parts, else 0; nil if it never is
	least    *ir.Value    // scalar: that key, as an unsigned integer; nil if slots are never keys
	part     *ir.Value    // scalar: how many slots a part of a cuckoo table has, 0 if the table is none; nil if it cannot be one
	seed     *ir.Value    // scalar: what hashes are mixed with for the slots of a cuckoo table
	isWhole  bool         // it is not made by parts, although it may be large enough
	isNarrow bool         // a key has at most 32 bits
	isWide   bool         // a key has 33 to 96 bits, which tables have beside codes; see wideWords
	bucket   int          // of what number slots by a hash are multiples; 0 for any
	hashed   *ir.Value    // scalar: how many slots a hash table has
	direct   *ir.Value    // scalar: how many slots a table has whose slots are keys; nil if they never are
	ways     *tableWays   // nil if there is one way to make it
	moved    *movedRows   // of which it is made, by the numbers that they have there; nil for rows as they come
	grouped  *groupedRows // the rows of a join's right side behind those, nil if they are not grouped

	sorted   *sortedTable // the last way to make it, where slots are no keys; nil if there is none
	isSorted bool         // it stands for that way: its rows are those before, and have no slots yet

	entersWords  bool // words enter it where slots are no keys, and are all that it has then; rows where they are
	hasShortHash bool // slots are the high bits of a hash of 32 bits, which words have in place of the key
	areHashes    bool // keys are these hashes
}

// hasWords reports whether searches compare keys that lie in the table.
func (t rowTable) hasWords() bool { return t.isNarrow || t.isWide }

// probe returns the slot of the row with keys, or -1. If slots are keys, it may be free.
func (o *ordering) probe(t rowTable, keys []*ir.Value) *ir.Value {
	key := o.number(-1)
	switch {
	case t.part != nil:
		key = o.cuckooSlot(t, keys)
	case t.least != nil:
		key = o.directSlot(t, keys)
	}
	return o.probeFrom(t, o.hashSlot(t, keys), key, keys)
}

// probeFrom is probe from a slot on; key is the slot that the keys have if slots are keys.
func (o *ordering) probeFrom(t rowTable, slot, key *ir.Value, keys []*ir.Value) *ir.Value {
	args := []*ir.Value{t.rows, slot, t.isDirect, key}
	args = append(append(args, keys...), t.keys...)
	return o.add(o.pos, ir.Value{Op: ir.OpProbe, Args: args, Type: ir.Type{Kind: ir.I64, Domain: keys[0].Type.Domain, Target: t.rows.Type.Domain}})
}

// match looks keys of one word up in a table of these words and the codes of slots. If slots are
// keys, it returns 0.
func (o *ordering) match(t rowTable, keys []*ir.Value, codesOf func(way rowTable) *ir.Value) *ir.Value {
	return o.matchWords(t, o.words(o.sortKeysOf(keys)), o.wordsWith(t, codesOf, nil))
}

// wordsWith returns the words of the keys and codes of slots, which are those of a column as c says unless that is nil; two for each slot, if keys are wide.
func (o *ordering) wordsWith(t rowTable, codesOf func(way rowTable) *ir.Value, c *coding) *ir.Value {
	if t.entersWords {
		hashed := o.hashedWords(t, codesOf(t.ways.second), c)
		return o.eitherTable(t.ways, o.cast(ir.U64, o.firstRows(t.keys[0], t.hashed, 0)), hashed)
	}
	if t.isWide {
		held := func(way rowTable) []word { return wideWords(o.heldWords(t, way)) }
		keys := o.ofSlots(t, func(way rowTable) *ir.Value { return held(way)[0].value })
		return o.pairOf(keys, o.ofSlots(t, func(way rowTable) *ir.Value { return o.besideLong(held(way), codesOf(way)) }))
	}
	return o.ofTables(t, func(way rowTable) *ir.Value { return o.wordsIn(t, way, codesOf) })
}

// wordsIn returns the words of keys and codes of a table that is made in one way, or of t itself.
func (o *ordering) wordsIn(t, way rowTable, codesOf func(way rowTable) *ir.Value) *ir.Value {
	switch {
	case way.isSorted:
		return o.sortedWords(t, codesOf(way))
	case way.moved != nil && t.sorted != nil: // so slots are keys, and nobody reads words
		return o.cast(ir.U64, o.firstRows(way.keys[0], t.direct, 1))
	}
	return o.codeWord(o.heldBy(t, way), codesOf(way))
}

// firstRows returns the numbers of the first rows with a key, most of them at most, in place of a column of slots, so many, that nobody reads. How many there
// are is known when the slots are.
func (o *ordering) firstRows(key, slots *ir.Value, most int64) *ir.Value {
	of := &ordering{expansion: o.expansion, pos: o.pos, rows: key.Type.Domain}
	first := of.sampleOfSize(o.index(key, of.rows), o.apply(ir.OpLeast, slots, o.number(most)))
	return o.index(key, first)
}

// heldWords returns the words of the keys of each slot of a table that is made in one way, or of t itself.
func (o *ordering) heldWords(t, way rowTable) []word {
	_, row := o.rowOfSlot(way)
	if t.least != nil && way.isDirect.Op != ir.OpConst {
		row = o.choose(t.isDirect, o.number(-1), row) // whose key is not read
		row.Type.Target = way.keys[0].Type.Domain
	}
	held := make([]*ir.Value, len(way.keys))
	for i, key := range way.keys {
		held[i] = o.gather(o.pos, key, row)
	}
	return o.words(o.sortKeysOf(held))
}

// heldBy returns the word of the narrow key of each slot of a table that is made in one way, or of t itself; its hash, if that has no more bits.
func (o *ordering) heldBy(t, way rowTable) *ir.Value {
	word := o.heldWords(t, way)[0]
	if t.hasShortHash && !way.areHashes {
		return o.narrowHash(word)
	}
	return word.value
}

// matchWords is match by the words of some keys in a table of words.
func (o *ordering) matchWords(t rowTable, keys []word, table *ir.Value) *ir.Value {
	var key []*ir.Value
	var slot *ir.Value
	if t.hasShortHash {
		key = []*ir.Value{o.narrowHash(keys[0])}
		slot = o.inBucket(t, o.shortSlot(t, key[0]))
	} else {
		slot = o.slotOfWords(t, keys)
		if t.isWide {
			keys = wideWords(keys)
		}
		for _, w := range keys {
			key = append(key, w.value)
		}
	}
	args := append([]*ir.Value{table, slot, t.isDirect}, key...)
	found := o.add(o.pos, ir.Value{Op: ir.OpMatch, Args: args, Split: t.bucket, Type: ir.Type{Kind: ir.U32, Domain: slot.Type.Domain}})
	if !t.isWide && t.part != nil {
		return o.choose(t.isDirect, o.cuckooCode(t, keys, table), found)
	}
	return found
}

// codeWord returns the word of each slot of the word of its key and its code; 0 of one that is free.
func (o *ordering) codeWord(held, codes *ir.Value) *ir.Value {
	word := o.wordWith(held, codes)
	return o.choose(o.apply(ir.OpNe, codes, o.constant(ir.Int(codes.Type.Kind, 0))), word, o.integer(word, 0))
}

// wordWith returns a word of the word of a key and a code.
func (o *ordering) wordWith(key, code *ir.Value) *ir.Value {
	high := o.apply(ir.OpShl, o.cast(ir.U64, key), o.constant(ir.Int(ir.U64, codeBits)))
	return o.apply(ir.OpOr, high, o.cast(ir.U64, code))
}

// pairOf returns two words for each slot: of the key, and of the code and what else the key has.
func (o *ordering) pairOf(key, code *ir.Value) *ir.Value {
	slots := code.Type.Domain
	d := o.newDomain(ir.DomainWords, slots.Name+"_words", slots)
	d.Width = 2
	d.By = o.add(o.pos, ir.Value{Op: ir.OpPack, Args: []*ir.Value{o.cast(ir.U64, key), o.cast(ir.U64, code)}, Type: ir.Type{Kind: ir.U64, Domain: d}})
	return d.By
}

// wideWords returns the words of a wide key: one of up to 64 bits and, if it has more, one of up to 32. A key of other words has none.
func wideWords(words []word) []word {
	switch {
	case len(words) == 1 && words[0].bits > codeBits:
		return words
	case len(words) == 2 && words[1].bits <= codeBits:
		return words
	case len(words) == 2 && words[0].bits <= codeBits:
		return []word{words[1], words[0]}
	}
	return nil
}

// besideLong returns what lies beside the first word of a wide key: the code, below the second one.
func (o *ordering) besideLong(words []word, code *ir.Value) *ir.Value {
	if len(words) == 1 {
		return code
	}
	return o.wordWith(words[1].value, code)
}

// codeBits are the bits of a word below the key.
const codeBits = 32

// rowOfCode returns the number that is 1 less than a code, so -1 for none.
func (o *ordering) rowOfCode(code *ir.Value) *ir.Value {
	return o.apply(ir.OpSub, o.cast(ir.I64, code), o.number(1))
}

// keySlot returns the slot of the row with keys if slots are keys, or -1. It may be free.
func (o *ordering) keySlot(t rowTable, keys []*ir.Value) *ir.Value {
	slot := o.directSlot(t, keys)
	isInside := o.apply(ir.OpLt, o.cast(ir.U64, slot), o.cast(ir.U64, o.length(t.rows)))
	return o.choose(isInside, slot, o.number(-1))
}

// slotOf returns the slot of the row with keys, or -1. If slots are keys, it may be free.
func (o *ordering) slotOf(t rowTable, keys []*ir.Value) *ir.Value {
	if !t.hasWords() {
		return o.probe(t, keys)
	}
	slot := o.rowOfCode(o.match(t, keys, func(way rowTable) *ir.Value {
		code := o.cast(ir.U32, o.apply(ir.OpAdd, o.index(way.rows, way.rows.Type.Domain), o.number(1)))
		return o.choose(o.isTaken(way.rows), code, o.integer(code, 0))
	}))
	if t.least == nil {
		return slot
	}
	return o.choose(t.isDirect, o.keySlot(t, keys), slot)
}

// rowOfSlot returns, of each slot, whether it is taken, and the row, or -1: even the first
// row may not exist.
func (o *ordering) rowOfSlot(t rowTable) (isTaken, row *ir.Value) {
	isTaken = o.isTaken(t.rows)
	row = o.choose(isTaken, o.cast(ir.I64, t.rows), o.number(-1))
	row.Type.Target = t.keys[0].Type.Domain
	return isTaken, row
}

// rowAt returns the row at a slot that a probe has found, or -1.
func (o *ordering) rowAt(t rowTable, slot *ir.Value) *ir.Value {
	row := o.atSlot(t.rows, slot)
	isFound := o.apply(ir.OpLogicalAnd, o.apply(ir.OpGe, slot, o.number(0)), o.isTaken(row))
	return o.choose(isFound, o.cast(ir.I64, row), o.number(-1))
}

// atSlot returns what x has for slots; of slot -1, anything. A table has a slot.
func (o *ordering) atSlot(x, slot *ir.Value) *ir.Value {
	slot = o.apply(ir.OpGreatest, slot, o.number(0))
	slot.Type.Target = x.Type.Domain
	return o.gather(o.pos, x, slot)
}

// isTaken returns whether a slot with a row is not free.
func (o *ordering) isTaken(row *ir.Value) *ir.Value {
	if o.probing == plan.Cuckoo { // the last slot has another number: see madeBy
		if row.Type.Kind.IsUnsigned() {
			return o.apply(ir.OpLt, row, o.madeBy(row.Type.Kind, len(cuckooSeeds)))
		}
		return o.apply(ir.OpGe, row, o.constant(ir.Int(row.Type.Kind, 0)))
	}
	return o.apply(ir.OpNe, row, o.constant(ir.Int(row.Type.Kind, -1)))
}

// tableOf returns the table of the rows with some keys. Searches in the same columns share
// one. The first is in the column lookedUp, among others; if it is for pairs, kernels load the first
// words of several rows ahead, and go on from there.
func (o *ordering) tableOf(keys []*ir.Value, lookedUp *ir.Value, isForPairs bool) rowTable {
	at := columnsName(keys)
	if isForPairs && o.mayGroup(keys) {
		at += " grouped"
	}
	if o.isWhole {
		at += " whole"
	}
	if _, ok := o.rowTables[at]; !ok {
		o.rowTables[at] = o.newRowTable(keys, lookedUp, isForPairs)
	}
	return o.rowTables[at]
}

// name returns the key of the table in maps.
func (t rowTable) name() string {
	name := columnsName(t.keys)
	if t.isWhole {
		name += " whole"
	}
	return name
}

// columnsName returns the name of some columns as the key of a map.
func columnsName(list []*ir.Value) (name string) {
	for _, x := range list {
		name += fmt.Sprintf(" %d", x.ID)
	}
	return name
}

func (o *ordering) newRowTable(keys []*ir.Value, lookedUp *ir.Value, isForPairs bool) rowTable {
	switch o.probing {
	case plan.Linear:
		return o.newLinearTable(keys)
	case plan.Cuckoo:
		return o.newCuckooTable(keys)
	}
	rows := o.cast(ir.U64, o.apply(ir.OpGreatest, o.length(keys[0]), o.number(1)))
	t := rowTable{keys: keys, isDirect: o.constant(ir.BoolScalar(false)), isWhole: o.isWhole}
	words := o.words(o.sortKeysOf(keys))
	t.isNarrow = len(words) == 1 && words[0].bits <= codeBits
	least := rows
	t.isWide = o.short && wideWords(words) != nil
	canBeDirect := len(words) == 1 && isInvertible(keys[0].Type.Kind)
	isAlone := !canBeDirect || o.searchesAlone()
	if isForPairs {
		isAlone = o.onlySearch() != nil
	}
	if o.short && (t.isNarrow && isAlone || t.isWide) {
		t.bucket = bucketBytes / 8
		if t.isWide || isForPairs {
			t.bucket /= 2
		}
		least = o.apply(ir.OpGreatest, rows, o.integer(rows, uint64(t.bucket/2))) // half of the slots are free
	}
	t.hasShortHash = o.mayGroup(keys)
	var size *ir.Value
	size, t.shift = o.hashSlots(least)
	t.hashed = size
	if canBeDirect {
		t.least = o.extreme(ir.OpMin, words[0].value)
		span := o.cast(ir.U64, o.apply(ir.OpSub, o.extreme(ir.OpMax, words[0].value), t.least))
		most := o.apply(ir.OpMul, rows, o.integer(rows, mostDirect))
		if x := o.parameterOver(lookedUp.Type.Domain); x != nil {
			most = o.apply(ir.OpAdd, most, o.cast(ir.U64, o.apply(ir.OpDiv, o.length(x), o.number(leastPerSlot))))
		}
		free := o.freeSlots()
		most = o.apply(ir.OpLeast, most, o.integer(rows, uint64(math.MaxInt32-1-free)))
		t.isDirect = o.apply(ir.OpLt, span, most)
		if !o.short { // codes may be numbers of rows
			t.isDirect = o.apply(ir.OpLogicalAnd, t.isDirect, o.apply(ir.OpLt, rows, o.integer(rows, math.MaxUint32)))
		}
		t.isDirect.Likely = true
		t.direct = o.apply(ir.OpAdd, o.cast(ir.I64, span), o.number(1+free))
		size = o.choose(t.isDirect, t.direct, size)
	}
	if o.entersCodes(t) {
		if isParted := o.isParted(t, rows); isParted != nil {
			t.parted = o.choose(isParted, o.number(1), o.number(0))
			if t.isWhole { // who asks for it has another one with parts
				isParted = nil
			}
			t.isParted = isParted
		}
		if t.isParted != nil {
			t.hashed = o.choose(t.isParted, o.number(2), t.hashed) // slots are the highest bit of a hash, and free
			t.shift = o.slotShift(t.hashed)
		}
		if t.direct != nil {
			t.direct, t.hashed = o.choose(t.isDirect, t.direct, o.number(1)), o.choose(t.isDirect, o.number(1), t.hashed)
		}
		return t
	}
	t.entersWords = t.hasShortHash && t.least != nil && t.bucket > 0 && !isForPairs
	if o.mayMove(keys) && (t.least != nil || !t.hasShortHash) {
		o.insertInWays(&t, size)
	} else {
		o.insert(&t, o.wanted(t, keys), size, nil)
	}
	switch {
	case t.hasShortHash && isForPairs:
		o.orGrouped(&t)
	case t.hasShortHash:
		o.orSorted(&t)
	}
	return t
}

// searchesAlone reports whether the pipeline finds rows in one table, by rows that have nothing but the keys that they look up, and
// returns scalars alone.
func (e *expansion) searchesAlone() bool {
	find := e.onlySearch()
	if find == nil || find.Op != ir.OpFind || slices.ContainsFunc(e.from.Results, func(r ir.Result) bool { return !r.Value.Type.IsScalar() }) {
		return false
	}
	keys := find.Args[:find.Split]
	return !slices.ContainsFunc(e.from.Params, func(x *ir.Value) bool {
		return x.Type.Domain == keys[0].Type.Domain && !slices.Contains(keys, x)
	})
}

// onlySearch returns the only find or join of the pipeline, or nil.
func (e *expansion) onlySearch() (search *ir.Value) {
	for _, v := range e.from.Values {
		if v.Op != ir.OpFind && v.Op != ir.OpJoin {
			continue
		}
		if search != nil {
			return nil
		}
		search = v
	}
	return search
}

// wanted returns the slot from which on rows with keys look for one.
func (o *ordering) wanted(t rowTable, keys []*ir.Value) *ir.Value {
	slot := o.hashSlot(t, keys)
	if t.least != nil {
		slot = o.choose(t.isDirect, o.directSlot(t, keys), slot)
	}
	return slot
}

// newLinearTable returns a hash table with linear probing, whatever the keys are.
func (o *ordering) newLinearTable(keys []*ir.Value) rowTable {
	t := rowTable{keys: keys, isDirect: o.constant(ir.BoolScalar(false))}
	words := o.words(o.sortKeysOf(keys))
	t.isNarrow = len(words) == 1 && words[0].bits <= codeBits
	var size *ir.Value
	size, t.shift = o.hashSlots(o.cast(ir.U64, o.apply(ir.OpGreatest, o.length(keys[0]), o.number(1))))
	if t.hashed = size; !o.entersCodes(t) {
		o.insert(&t, o.hashSlot(t, keys), size, nil)
	}
	return t
}

// hashSlots returns how many slots a hash table of so many rows has, one at least, and how
// many low bits of a hash do not belong to the slot.
func (o *ordering) hashSlots(rows *ir.Value) (size, shift *ir.Value) {
	if !o.short {
		sparse := o.apply(ir.OpLeast, o.apply(ir.OpMul, rows, o.integer(rows, sparseTimes)), o.integer(rows, mostSparse))
		rows = o.apply(ir.OpGreatest, rows, sparse)
	}
	return o.fewSlots(rows)
}

// fewSlots is hashSlots for a table that is not to have more slots than short searches need.
func (o *ordering) fewSlots(rows *ir.Value) (size, shift *ir.Value) {
	last := o.apply(ir.OpSub, rows, o.integer(rows, 1))
	size = o.apply(ir.OpShl, o.number(2), o.apply(ir.OpSub, o.number(64), o.cast(ir.I64, o.apply(ir.OpLeadingzeros, last))))
	// More slots could not be launched over.
	size = o.choose(o.apply(ir.OpLe, rows, o.integer(rows, mostSlots/8*7)), o.apply(ir.OpLeast, size, o.number(mostSlots)), size)
	return size, o.slotShift(size)
}

// slotShift returns how many low bits of a hash do not belong to one of so many slots.
func (o *ordering) slotShift(slots *ir.Value) *ir.Value {
	return o.apply(ir.OpAdd, o.apply(ir.OpLeadingzeros, o.cast(ir.U64, slots)), o.constant(ir.Int(ir.U64, 1)))
}

// insert makes the rows of a table of so many slots, by the slots of all rows. If limit is
// not nil, the table may lack rows where more of its slots are taken.
func (o *ordering) insert(t *rowTable, slot, size, limit *ir.Value) {
	kind := ir.I64
	switch {
	case o.short && limit != nil:
		kind = ir.I32 // see tile.LeftOut
	case o.short:
		kind = ir.U32
	}
	t.rows = o.slots(ir.Value{Op: ir.OpInsert, Args: append([]*ir.Value{slot, size}, t.keys...), Limit: limit, Type: ir.Type{Kind: kind}})
}

// slots adds v, which makes a hash table.
func (o *ordering) slots(v ir.Value) *ir.Value {
	v.Type.Domain = o.newDomain(ir.DomainBins, v.Args[0].Type.Domain.Name+"_slots", nil)
	v.Type.Domain.By = o.add(o.pos, v)
	return v.Type.Domain.By
}

// parameterOver returns a column of which d, or what it keeps of rows, has rows, or nil.
// How many it keeps would be known too late.
func (o *ordering) parameterOver(d *ir.Domain) *ir.Value {
	for d.Kind == ir.DomainMask || d.Kind == ir.DomainOrder {
		d = d.Parent
	}
	i := slices.IndexFunc(o.from.Params, func(x *ir.Value) bool { return x.Type.Domain == d })
	if i < 0 {
		return nil
	}
	return o.from.Params[i]
}

// directSlot returns the slot of each row with keys if slots are keys.
func (o *ordering) directSlot(t rowTable, keys []*ir.Value) *ir.Value {
	return o.cast(ir.I64, o.apply(ir.OpSub, o.words(o.sortKeysOf(keys))[0].value, t.least))
}

// hashSlot returns the slot of each row with keys if slots are the high bits of a hash.
// For that, keys are multiplied by odd numbers (Knuth, section 6.4), and high bits
// brought low in between, so that each bit of a key changes half of those of the slot.
func (o *ordering) hashSlot(t rowTable, keys []*ir.Value) *ir.Value {
	return o.slotOfWords(t, o.words(o.sortKeysOf(keys)))
}

func (o *ordering) slotOfWords(t rowTable, words []word) *ir.Value {
	var slot *ir.Value
	if t.hasShortHash {
		slot = o.shortSlot(t, o.narrowHash(words[0]))
	} else {
		slot = o.cast(ir.I64, o.apply(ir.OpShr, o.hashOf(words), t.shift))
	}
	return o.inBucket(t, slot)
}

// inBucket returns the slot from which on searches look that want one.
func (o *ordering) inBucket(t rowTable, slot *ir.Value) *ir.Value {
	if t.bucket > 0 {
		slot = o.apply(ir.OpAnd, slot, o.number(-int64(t.bucket)))
	}
	return slot
}

// hashOf returns the hash of each row with keys, of 64 bits.
func (o *ordering) hashOf(words []word) *ir.Value {
	var hash *ir.Value
	for _, w := range words {
		x := o.cast(ir.U64, w.value)
		if hash != nil {
			x = o.apply(ir.OpXor, x, hash)
		}
		x = o.apply(ir.OpMul, x, o.integer(x, 0x9e3779b97f4a7c15))
		x = o.apply(ir.OpXor, x, o.apply(ir.OpShr, x, o.integer(x, 32)))
		hash = o.apply(ir.OpMul, x, o.integer(x, 0xd6e8feb86659fd93))
	}
	return hash
}
