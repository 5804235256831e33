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
	direct *ir.Value // codes, if slots are keys; nil if they never are
	hashed *ir.Value // words of key and code
}

// codesKey says which code of which rows tables have.
type codesKey struct {
	keys   string    // the columns of keys, see columnsName
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
	key := codesKey{keys: columnsName(t.keys), isRow: true}
	if _, ok := o.codeTables[key]; !ok {
		row := o.cast(ir.U32, o.index(t.keys[0], t.keys[0].Type.Domain))
		o.codeTables[key] = o.enter(t, o.apply(ir.OpAdd, row, o.integer(row, 1)))
	}
	return o.codeTables[key]
}

// enteredCodes returns the tables with the code of a column.
func (o *ordering) enteredCodes(t rowTable, column *ir.Value, code func() *ir.Value) codeTables {
	key := codesKey{keys: columnsName(t.keys), column: column}
	if _, ok := o.codeTables[key]; !ok {
		o.codeTables[key] = o.enter(t, code())
	}
	return o.codeTables[key]
}

// codeOfRow returns the code of each row in a table.
func (o *ordering) codeOfRow(t rowTable, c coding) *ir.Value {
	if c.column == nil {
		return o.constant(ir.Int(ir.U8, 1))
	}
	return o.encode(c, o.early(c.column), o.index(t.keys[0], t.keys[0].Type.Domain))
}

// enter enters the codes of rows in their tables.
func (o *ordering) enter(t rowTable, code *ir.Value) (made codeTables) {
	table := func(slot, size, word *ir.Value) *ir.Value {
		return o.slots(ir.Value{Op: ir.OpEnter, Args: []*ir.Value{slot, size, word}, Type: ir.Type{Kind: word.Type.Kind}})
	}
	word := o.wordWith(o.words(o.sortKeysOf(t.keys))[0].value, code)
	slot := o.hashSlot(t, t.keys)
	if t.direct != nil {
		made.direct = table(o.choose(t.isDirect, o.directSlot(t, t.keys), o.number(-1)), t.direct, code)
		slot = o.choose(t.isDirect, o.number(-1), slot)
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
	words := o.words(o.sortKeysOf(keys))
	args := []*ir.Value{in.hashed, o.slotOfWords(t, words), t.isDirect, words[0].value}
	return o.add(o.pos, ir.Value{Op: ir.OpMatch, Args: args, Type: ir.Type{Kind: ir.U32, Domain: keys[0].Type.Domain}})
}

// atKey returns what x has at the slot that is a key, or 0 if there is no such slot; 0 if
// slots are no keys.
func (o *ordering) atKey(t rowTable, keys []*ir.Value, x *ir.Value) *ir.Value {
	slot := o.choose(t.isDirect, o.directSlot(t, keys), o.number(-1)) // of a slot that does not exist, 0 is gathered
	slot.Type.Target = x.Type.Domain
	return o.gather(o.pos, x, slot)
}

// distinct returns how many keys tables have.
func (o *ordering) distinct(in codeTables) *ir.Value {
	count := func(table *ir.Value) *ir.Value {
		isTaken := o.apply(ir.OpNe, table, o.integer(table, 0))
		return o.add(o.pos, ir.Value{Op: ir.OpSum, Args: []*ir.Value{o.cast(ir.I64, isTaken)}, Type: ir.Type{Kind: ir.I64}})
	}
	if in.direct == nil {
		return count(in.hashed)
	}
	return o.apply(ir.OpAdd, count(in.direct), count(in.hashed))
}
