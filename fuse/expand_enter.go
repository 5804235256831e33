package fuse

import (
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Where one worker enters rows in their order, tables of narrow keys have codes from the
// start: the first row of a key stays, and no slot is visited again to look for its row and
// then for a column of that. Slots that are keys have a table of their own, without the keys,
// beside the hash table of keys and codes. The one that is not used has one slot.

// codeTables are the tables of one code of the rows in a table.
type codeTables struct {
	direct *ir.Value    // codes, if slots are keys; nil if they never are
	hashed *ir.Value    // words of key and code
	parted *partedTable // likewise, if the table has parts; nil if it never has
}

// codesKey says which code of which rows tables have.
type codesKey struct {
	keys   string    // the name of the table
	column *ir.Value // of e.from; nil if only that is asked, whether there is a row
	isRow  bool      // the code is the number of the row
}

// entersCodes reports whether a table has codes from the start. A cuckoo table, and that which
// takes its place, have rows.
func (o *ordering) entersCodes(t rowTable) bool {
	return o.cores && t.isNarrow && o.probing != plan.Cuckoo
}

// codesOfRows returns the tables whose codes are 1 more than the number of the row.
func (o *ordering) codesOfRows(t rowTable) codeTables {
	key := codesKey{keys: t.name(), isRow: true}
	if _, ok := o.codeTables[key]; !ok {
		o.codeTables[key] = o.enter(t, func(row *ir.Value) *ir.Value {
			number := o.cast(ir.U32, row)
			return o.apply(ir.OpAdd, number, o.integer(number, 1))
		})
	}
	return o.codeTables[key]
}

// enteredCodes returns the tables with the code of a column.
func (o *ordering) enteredCodes(t rowTable, column *ir.Value, code func(row *ir.Value) *ir.Value) codeTables {
	key := codesKey{keys: t.name(), column: column}
	if _, ok := o.codeTables[key]; !ok {
		o.codeTables[key] = o.enter(t, code)
	}
	return o.codeTables[key]
}

// codeOfRow returns the code of some rows in a table.
func (o *ordering) codeOfRow(c coding, row *ir.Value) *ir.Value {
	if c.column == nil {
		return o.constant(ir.Int(ir.U8, 1))
	}
	column := o.early(c.column)
	if row.Type.Domain != column.Type.Domain {
		column = o.gather(o.pos, column, row)
	}
	return o.encode(c, column, row)
}

// enter enters the codes of rows in their tables.
func (o *ordering) enter(t rowTable, codeOf func(row *ir.Value) *ir.Value) (made codeTables) {
	code := codeOf(o.index(t.keys[0], t.keys[0].Type.Domain))
	table := func(slot, size, word *ir.Value) *ir.Value {
		return o.slots(ir.Value{Op: ir.OpEnter, Args: []*ir.Value{slot, size, word}, Type: ir.Type{Kind: word.Type.Kind}})
	}
	word := o.wordWith(o.words(o.sortKeysOf(t.keys))[0].value, code)
	slot := o.hashSlot(t, t.keys)
	if t.direct != nil {
		made.direct = table(o.choose(t.isDirect, o.directSlot(t, t.keys), o.number(-1)), t.direct, code)
		slot = o.choose(t.isDirect, o.number(-1), slot)
	}
	if t.isParted != nil {
		slot = o.choose(t.isParted, o.number(-1), slot)
		made.parted = &partedTable{partedRows: o.partsOf(t, t.keys, func(word, row *ir.Value) *ir.Value { return o.wordWith(word, codeOf(row)) })}
	}
	made.hashed = table(slot, t.hashed, word)
	return made
}

// codeIn returns the code that tables have for keys, or 0.
func (o *ordering) codeIn(t rowTable, keys []*ir.Value, in codeTables) *ir.Value {
	found := o.matchIn(t, keys, in)
	if in.direct == nil {
		return found
	}
	return o.choose(t.isDirect, o.cast(ir.U32, o.atKey(t, keys, in.direct)), found)
}

// matchIn returns the code that a hash table has for keys, or 0; 0 if slots are keys.
func (o *ordering) matchIn(t rowTable, keys []*ir.Value, in codeTables) *ir.Value {
	var codes *ir.Value
	if in.parted != nil { // first: how many rows move is known before any row is looked up
		codes = o.matchParts(t, keys, in.parted)
	}
	words := o.words(o.sortKeysOf(keys))
	args := []*ir.Value{in.hashed, o.slotOfWords(t, words), t.isDirect, words[0].value}
	found := o.add(o.pos, ir.Value{Op: ir.OpMatch, Args: args, Type: ir.Type{Kind: ir.U32, Domain: keys[0].Type.Domain}})
	if codes == nil {
		return found
	}
	row := o.choose(t.isParted, o.sameRow(codes, keys[0].Type.Domain), o.number(-1)) // which has code 0
	row.Type.Target = codes.Type.Domain
	return o.choose(t.isParted, o.gather(o.pos, codes, row), found)
}

// atKey returns what x has at the slot that is a key, or 0 if there is no such slot; 0 if
// slots are no keys.
func (o *ordering) atKey(t rowTable, keys []*ir.Value, x *ir.Value) *ir.Value {
	slot := o.choose(t.isDirect, o.directSlot(t, keys), o.number(-1)) // of a slot that does not exist, 0 is gathered
	slot.Type.Target = x.Type.Domain
	return o.gather(o.pos, x, slot)
}

// distinct returns how many keys tables have.
func (o *ordering) distinct(t rowTable, in codeTables) *ir.Value {
	count := func(table *ir.Value) *ir.Value {
		isTaken := o.apply(ir.OpNe, table, o.integer(table, 0))
		return o.add(o.pos, ir.Value{Op: ir.OpSum, Args: []*ir.Value{o.cast(ir.I64, isTaken)}, Type: ir.Type{Kind: ir.I64}})
	}
	distinct := count(in.hashed)
	if in.direct != nil {
		distinct = o.apply(ir.OpAdd, count(in.direct), distinct)
	}
	if in.parted != nil {
		distinct = o.apply(ir.OpAdd, distinct, o.distinctParts(t, in.parted))
	}
	return distinct
}
