package fuse

import (
	"fmt"
	"math"

	"github.com/kgen-go/kgen/ir"
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

// mostDirect is how many times as many slots as rows a table may have.
const mostDirect = 4

// find writes find(K, in: K2).
func (e *expansion) find(v *ir.Value) {
	o := ordering{expansion: e, pos: v.Pos}
	t, keys := o.tableOf(e.columns(v.Args[v.Split:])), e.columns(v.Args[:v.Split])
	column, ok := e.lookedUp(v, v)
	if ok {
		e.columnOf[v] = column
	}
	switch {
	case ok && t.isNarrow:
		word := o.match(t, keys, column)
		e.lookups[v] = &lookup{word: word, column: column, rows: t}
		return
	case ok:
		e.lookups[v] = o.lookup(t, o.probe(t, keys), column)
		return
	}
	var made *ir.Value
	if t.isNarrow {
		word := o.match(t, keys, nil)
		made = o.choose(o.apply(ir.OpNe, word, o.integer(word, 0)), o.cast(ir.I64, o.cast(ir.U32, word)), o.number(-1))
	} else {
		made = o.rowAt(t, o.probe(t, keys))
	}
	made.Name = v.Name
	e.values[v] = made
}

// rowTable is a table of the rows that have the first of equal keys.
type rowTable struct {
	rows     *ir.Value   // of each slot
	keys     []*ir.Value // of the rows
	shift    *ir.Value   // scalar: how many low bits of a hash do not belong to the slot
	isDirect *ir.Value   // scalar: whether slots are keys, from the least one on
	least    *ir.Value   // scalar: that key, as an unsigned integer; nil if slots are never keys
	isNarrow bool        // a key has at most 32 bits, and the number of a row fewer
}

// probe returns the slot of the row with keys, or -1. If slots are keys, it may be free.
func (o *ordering) probe(t rowTable, keys []*ir.Value) *ir.Value {
	key := o.number(-1)
	if t.least != nil {
		key = o.directSlot(t, keys)
	}
	args := []*ir.Value{t.rows, o.hashSlot(t, keys), t.isDirect, key}
	args = append(append(args, keys...), t.keys...)
	return o.add(o.pos, ir.Value{Op: ir.OpProbe, Args: args, Type: ir.Type{Kind: ir.I64, Domain: keys[0].Type.Domain, Target: t.rows.Type.Domain}})
}

// match returns a word of the row with narrow keys, or 0: 1 << 32 and the number of the
// row or, if slots are keys and column is not nil, the bits of that column of e.from.
func (o *ordering) match(t rowTable, keys []*ir.Value, column *ir.Value) *ir.Value {
	isTaken, at := o.rowOfSlot(t)
	row := o.cast(ir.U64, t.rows)
	word, key := o.keyed(t, at, row), o.number(-1)
	if t.least != nil {
		bits := row
		if column != nil {
			bits = o.cast(ir.U64, o.bitsOf(o.gather(o.pos, o.early(column), at)))
		}
		word = o.choose(t.isDirect, o.apply(ir.OpOr, bits, o.integer(bits, 1<<32)), word)
		key = o.directSlot(t, keys)
	}
	return o.matchIn(t, o.choose(isTaken, word, o.integer(word, 0)), keys, key)
}

// slotOf returns the slot of the row with keys, or -1. If slots are keys, it may be free.
func (o *ordering) slotOf(t rowTable, keys []*ir.Value) *ir.Value {
	if !t.isNarrow {
		return o.probe(t, keys)
	}
	isTaken, at := o.rowOfSlot(t)
	word := o.keyed(t, at, o.cast(ir.U64, o.index(t.rows, t.rows.Type.Domain)))
	found := o.matchIn(t, o.choose(isTaken, word, o.integer(word, 0)), keys, o.number(-1))
	slot := o.choose(o.apply(ir.OpNe, found, o.integer(found, 0)), o.cast(ir.I64, o.cast(ir.U32, found)), o.number(-1))
	if t.least == nil {
		return slot
	}
	key := o.directSlot(t, keys)
	isInside := o.apply(ir.OpLt, o.cast(ir.U64, key), o.cast(ir.U64, o.length(t.rows)))
	return o.choose(t.isDirect, o.choose(isInside, key, o.number(-1)), slot)
}

// rowOfSlot returns, of each slot, whether it is taken, and the row, or -1: even the first
// row may not exist.
func (o *ordering) rowOfSlot(t rowTable) (isTaken, row *ir.Value) {
	isTaken = o.isTaken(t.rows)
	row = o.choose(isTaken, o.cast(ir.I64, t.rows), o.number(-1))
	row.Type.Target = t.keys[0].Type.Domain
	return isTaken, row
}

// keyed returns, of each slot, the word that a hash table has for its row: the key, a
// bit that is set, and 31 bits.
func (o *ordering) keyed(t rowTable, row, bits *ir.Value) *ir.Value {
	held := make([]*ir.Value, len(t.keys))
	for i, key := range t.keys {
		held[i] = o.gather(o.pos, key, row)
	}
	key := o.cast(ir.U64, o.words(o.sortKeysOf(held))[0].value)
	high := o.apply(ir.OpShl, key, o.constant(ir.Int(ir.U64, 32)))
	return o.apply(ir.OpOr, high, o.apply(ir.OpOr, bits, o.integer(bits, 1<<31)))
}

// matchIn looks keys up in the words of slots; if slots are keys, at the slot key.
func (o *ordering) matchIn(t rowTable, words *ir.Value, keys []*ir.Value, key *ir.Value) *ir.Value {
	args := []*ir.Value{words, o.hashSlot(t, keys), t.isDirect, key, o.words(o.sortKeysOf(keys))[0].value}
	return o.add(o.pos, ir.Value{Op: ir.OpMatch, Args: args, Type: ir.Type{Kind: ir.U64, Domain: keys[0].Type.Domain}})
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
	return o.apply(ir.OpNe, row, o.constant(ir.Int(row.Type.Kind, -1)))
}

// tableOf returns the table of the rows with some keys. Searches in the same columns share
// one.
func (o *ordering) tableOf(keys []*ir.Value) rowTable {
	at := ""
	for _, key := range keys {
		at += fmt.Sprintf(" %d", key.ID)
	}
	if _, ok := o.rowTables[at]; !ok {
		o.rowTables[at] = o.newRowTable(keys)
	}
	return o.rowTables[at]
}

func (o *ordering) newRowTable(keys []*ir.Value) rowTable {
	rows := o.cast(ir.U64, o.apply(ir.OpGreatest, o.length(keys[0]), o.number(1)))
	last := o.apply(ir.OpSub, rows, o.integer(rows, 1))
	size := o.apply(ir.OpShl, o.number(2), o.apply(ir.OpSub, o.number(64), o.cast(ir.I64, o.apply(ir.OpLeadingzeros, last))))
	// More slots could not be launched over.
	size = o.choose(o.apply(ir.OpLe, rows, o.integer(rows, mostSlots/8*7)), o.apply(ir.OpLeast, size, o.number(mostSlots)), size)
	t := rowTable{keys: keys, isDirect: o.constant(ir.BoolScalar(false))}
	t.shift = o.apply(ir.OpAdd, o.apply(ir.OpLeadingzeros, o.cast(ir.U64, size)), o.constant(ir.Int(ir.U64, 1)))
	words := o.words(o.sortKeysOf(keys))
	t.isNarrow = o.short && len(words) == 1 && words[0].bits <= 32
	if len(words) == 1 && isInvertible(keys[0].Type.Kind) {
		t.least = o.extreme(ir.OpMin, words[0].value)
		span := o.cast(ir.U64, o.apply(ir.OpSub, o.extreme(ir.OpMax, words[0].value), t.least))
		most := o.apply(ir.OpLeast, o.apply(ir.OpMul, rows, o.integer(rows, mostDirect)), o.integer(rows, math.MaxInt32-1))
		t.isDirect = o.apply(ir.OpLt, span, most)
		size = o.choose(t.isDirect, o.apply(ir.OpAdd, o.cast(ir.I64, span), o.number(1)), size)
	}
	slot := o.hashSlot(t, keys)
	if t.least != nil {
		slot = o.choose(t.isDirect, o.directSlot(t, keys), slot)
	}
	slots := o.newDomain(ir.DomainBins, keys[0].Type.Domain.Name+"_slots", nil)
	kind := ir.I64
	if o.short {
		kind = ir.U32
	}
	args := append([]*ir.Value{slot, size}, keys...)
	slots.By = o.add(o.pos, ir.Value{Op: ir.OpInsert, Args: args, Type: ir.Type{Kind: kind, Domain: slots}})
	t.rows = slots.By
	return t
}

// directSlot returns the slot of each row with keys if slots are keys.
func (o *ordering) directSlot(t rowTable, keys []*ir.Value) *ir.Value {
	return o.cast(ir.I64, o.apply(ir.OpSub, o.words(o.sortKeysOf(keys))[0].value, t.least))
}

// hashSlot returns the slot of each row with keys if slots are the high bits of a hash.
// For that, keys are multiplied by odd numbers (Knuth, section 6.4), and high bits
// brought low in between, so that each bit of a key changes half of those of the slot.
func (o *ordering) hashSlot(t rowTable, keys []*ir.Value) *ir.Value {
	var hash *ir.Value
	for _, w := range o.words(o.sortKeysOf(keys)) {
		x := o.cast(ir.U64, w.value)
		if hash != nil {
			x = o.apply(ir.OpXor, x, hash)
		}
		x = o.apply(ir.OpMul, x, o.integer(x, 0x9e3779b97f4a7c15))
		x = o.apply(ir.OpXor, x, o.apply(ir.OpShr, x, o.integer(x, 32)))
		hash = o.apply(ir.OpMul, x, o.integer(x, 0xd6e8feb86659fd93))
	}
	return o.cast(ir.I64, o.apply(ir.OpShr, hash, t.shift))
}
