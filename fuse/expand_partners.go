package fuse

import "github.com/kgen-go/kgen/ir"

// partners are the rows of a table that have equal keys.
type partners struct {
	*ordering
	order *ir.Value // all rows, those of equal keys together and in their order
	count *ir.Value // of each slot or, in a table with codes, of the first row of each key: how many rows have its keys
	begin *ir.Value // likewise: where these rows begin in order
	both  *ir.Value // likewise: begin and count as one word, if both have 32 bits

	coding partnerCoding
	table  *ir.Value // the words of keys and codes; nil if there are none
}

// partnersIn returns the rows of a table that have equal keys. Joins with the same right columns share them. If hasRows
// is set, the table has codes of rows.
func (o *ordering) partnersIn(t rowTable, hasRows bool) partners {
	at := t.name()
	p, ok := o.partnersOf[at]
	if !ok {
		p = o.partners(t.ungrouped(), hasRows)
		if p.both != nil && t.hasWords() && !o.entersCodes(t) {
			p.coding = o.partnerCoding(t)
			p.table = p.tableIn(t)
			p.both = p.bothIn(t)
		}
		p.order = o.orderIn(t, p.order)
		o.partnersOf[at] = p
	}
	p.ordering = o
	return p
}

// partners brings the rows of a table together that have equal keys. The first one
// stands for all of them.
func (o *ordering) partners(t rowTable, hasRows bool) partners {
	rows := t.keys[0].Type.Domain
	var first *ir.Value
	if o.entersCodes(t) || hasRows && t.hasWords() {
		first = o.foundRow(t, t.keys)
	} else {
		first = o.rowAt(t, o.probe(t, t.keys))
	}
	first.Type.Target = rows
	count := o.add(o.pos, ir.Value{Op: ir.OpCount, By: first, Type: ir.Type{Kind: ir.I64, Domain: rows}})
	begin := o.add(o.pos, ir.Value{Op: ir.OpExscan, Reduce: ir.ReduceAdd, Args: []*ir.Value{count}, Type: ir.Type{Kind: ir.I64, Domain: rows}})
	key, isShort := first, o.short || o.cores // tables on cores have fewer than 2^32 rows, too
	if isShort {
		key = o.cast(ir.U32, first)
	}
	by := &ordering{expansion: o.expansion, pos: o.pos, rows: rows, out: o.newDomain(ir.DomainOrder, rows.Name+"_sorted", rows)}
	keys := o.sortKeysOf([]*ir.Value{key})
	by.isNarrow, by.bits = true, o.bitsUpTo(o.apply(ir.OpSub, o.length(t.keys[0]), o.number(1)))
	by.out.By = by.sort(keys, by.row(keys), false).number
	p := partners{ordering: o, order: by.rowOf(by.out.By), begin: begin, count: count}
	if !o.entersCodes(t) {
		isTaken, at := o.rowOfSlot(t)
		p.begin, p.count = o.gather(o.pos, begin, at), o.choose(isTaken, o.gather(o.pos, count, at), o.number(0))
	}
	if isShort {
		p.both = o.bothOf(p.begin, p.count)
	}
	return p
}

// bitsUpTo returns how many bits numbers up to a scalar have; none of -1.
func (o *ordering) bitsUpTo(most *ir.Value) *ir.Value {
	most = o.cast(ir.U64, o.apply(ir.OpGreatest, most, o.number(0)))
	return o.apply(ir.OpSub, o.number(64), o.cast(ir.I64, o.apply(ir.OpLeadingzeros, most)))
}

// bothOf returns where rows begin and how many they are as one word.
func (o *ordering) bothOf(begin, count *ir.Value) *ir.Value {
	high := o.apply(ir.OpShl, o.cast(ir.U64, begin), o.constant(ir.Int(ir.U64, 32)))
	return o.apply(ir.OpOr, high, o.cast(ir.U64, count))
}

// ofRows returns how many rows of a table with slots have keys, and where these rows begin.
func (p partners) ofRows(t rowTable, keys []*ir.Value) (count, begin *ir.Value) {
	if p.table == nil {
		return p.at(p.slotOf(t, keys))
	}
	count, begin, _ = p.decoded(t, keys)
	return count, begin
}

// toldRows are words, of which each tells how many rows there are and where they begin; see [ir.OpExpand].
type toldRows struct {
	words, many *ir.Value
	bits, most  *ir.Value // scalars
	length      *ir.Value // of each word: how many rows
}

// told returns words for the rows of a table with words that have keys.
func (p partners) told(t rowTable, keys []*ir.Value) *toldRows {
	count, begin, found := p.decoded(t, keys)
	if t.least != nil {
		found = p.choose(t.isDirect, p.code(begin, count, p.keySlot(t, keys)), found)
	}
	return &toldRows{words: found, many: p.both, bits: p.coding.bits, most: p.coding.most, length: count}
}

// decoded returns how many rows of a table with words have keys, where these begin, and the code that tells it unless slots are keys.
func (p partners) decoded(t rowTable, keys []*ir.Value) (count, begin, found *ir.Value) {
	c, both := p.coding, p.both
	found = p.matchWords(t, p.words(p.sortKeysOf(keys)), p.table)

	number := p.apply(ir.OpAnd, p.apply(ir.OpShr, found, c.bits), p.constant(ir.Int(ir.U32, mostInCode))) // whose bits are known then
	low := p.apply(ir.OpAnd, found, c.low)
	areMany := p.apply(ir.OpEq, number, c.most)
	at := p.choose(areMany, p.cast(ir.I64, low), p.number(-1))
	if t.least != nil {
		at = p.choose(t.isDirect, p.keySlot(t, keys), at)
		areMany = p.apply(ir.OpLogicalOr, areMany, t.isDirect)
	}
	at.Type.Target = both.Type.Domain
	many, from := p.split(p.gather(p.pos, both, at)) // 0 of a slot that does not exist
	either := func(x, y *ir.Value) *ir.Value {       // as short as it can be where it is kept
		return p.cast(ir.I64, p.choose(areMany, p.cast(ir.U32, x), y))
	}
	return either(many, number), either(from, low), found
}

// mostInCode is the most rows with equal keys that codes tell. Of more, what pairs cost outweighs a search.
const mostInCode = 31

// partnerCoding says what codes are that lie beside the keys in a table, so that a search reads memory in one
// place. A code has in its low bits where rows begin, and above how many they are. If these are the most that it
// has, or more, its low bits are the number of the word that tells both.
type partnerCoding struct {
	bits      *ir.Value // how many low bits there are; as all here, a scalar of u32
	low, most *ir.Value
}

func (o *ordering) partnerCoding(t rowTable) partnerCoding {
	narrow := func(x *ir.Value) *ir.Value { return o.cast(ir.U32, x) }
	one := o.constant(ir.Int(ir.U64, 1))
	numbers := o.apply(ir.OpGreatest, o.length(t.keys[0]), o.length(t.rows))
	bits := o.cast(ir.U64, o.bitsUpTo(numbers))
	below := func(bits *ir.Value) *ir.Value { return narrow(o.apply(ir.OpSub, o.apply(ir.OpShl, one, bits), one)) }
	most := o.apply(ir.OpLeast, below(o.apply(ir.OpSub, o.integer(bits, codeBits), bits)), o.constant(ir.Int(ir.U32, mostInCode)))
	return partnerCoding{bits: narrow(bits), low: below(bits), most: most}
}

// code returns the code of keys with some rows, which a word with a number tells, too.
func (p partners) code(begin, count, number *ir.Value) *ir.Value {
	c := p.coding
	narrow := func(x *ir.Value) *ir.Value { return p.cast(ir.U32, x) }
	few := p.apply(ir.OpLeast, narrow(count), c.most)
	low := p.choose(p.apply(ir.OpLt, few, c.most), narrow(begin), narrow(number))
	return p.apply(ir.OpOr, p.apply(ir.OpShl, few, c.bits), low)
}

// tableIn returns the table of the words of keys and codes.
func (p partners) tableIn(t rowTable) *ir.Value {
	tableOf := func(t rowTable, code *ir.Value) *ir.Value {
		isTaken, _ := p.rowOfSlot(t)
		code = p.choose(isTaken, code, p.integer(code, 0))
		if t.isWide {
			held := wideWords(p.heldWords(t, t))
			return p.pairOf(held[0].value, p.besideLong(held, code))
		}
		return p.codeWord(p.heldBy(t, t), code)
	}
	u := t.ungrouped()
	made := tableOf(u, p.code(p.begin, p.count, p.index(u.rows, u.rows.Type.Domain)))
	if t.grouped == nil {
		return made
	}
	way := t.ways.second
	way.rows = p.placed(t.grouped.taken) // once more: it costs less to find them than to store them
	_, key := p.rowOfSlot(way)
	grouped := tableOf(way, p.code(p.gather(p.pos, t.grouped.begin, key), p.gather(p.pos, t.grouped.count, key), key))
	slots := p.newDomain(ir.DomainEither, t.ways.name+"_words", t.keys[0].Type.Domain) // or words of unique keys would be made, too
	return p.either(t.ways.isFirst, made, grouped, ir.Type{Kind: made.Type.Kind, Domain: slots})
}

// at returns how many rows have the keys of slots that a probe has found, and where
// these rows begin.
func (p partners) at(slot *ir.Value) (count, begin *ir.Value) {
	if p.both == nil {
		count, begin = p.atSlot(p.count, slot), p.atSlot(p.begin, slot)
	} else {
		count, begin = p.split(p.atSlot(p.both, slot))
	}
	return p.choose(p.apply(ir.OpGe, slot, p.number(0)), count, p.number(0)), begin
}

// split returns the count and the begin that are one word.
func (p partners) split(both *ir.Value) (count, begin *ir.Value) {
	mask := uint64(1<<32 - 1)
	if p.short {
		mask = 1<<31 - 1 // there are fewer rows
	}
	count = p.cast(ir.I64, p.apply(ir.OpAnd, both, p.integer(both, mask)))
	return count, p.cast(ir.I64, p.apply(ir.OpShr, both, p.constant(ir.Int(ir.U64, 32))))
}

// ofKeys returns begin and count of the rows with keys as one word, 0 if there are none, of a
// table with codes. Slots that are keys have the word themselves.
func (p partners) ofKeys(t rowTable, keys []*ir.Value) *ir.Value {
	in := p.codesOfRows(t)
	at := func(code *ir.Value) *ir.Value {
		isFound := p.apply(ir.OpNe, code, p.integer(code, 0))
		return p.choose(isFound, p.atSlot(p.both, p.rowOfCode(code)), p.integer(p.both, 0))
	}
	found := at(p.matchIn(t, keys, in))
	if in.direct == nil {
		return found
	}
	return p.choose(t.isDirect, p.atKey(t, keys, at(in.direct)), found)
}
