package fuse

import "github.com/kgen-go/kgen/ir"

// Many rows of a table whose slots turn out to be no keys move first, in the order of the highest bits of a hash that
// tells their keys, with the codes that searches want. Then whoever takes some neighbouring slots has all rows that want one of these, enters
// them where that is fast, and writes the slots once. No column is read by the number of its row then, nor is a slot visited twice.

// sortedTable is a table of sorted rows, of which words alone are read.
type sortedTable struct {
	slots *ir.Domain // which are as many, whatever words have; nil as long as there are no words
	none  *ir.Value  // in place of any other column of slots
}

// slotPartBits is how many bits of their hashes rows of a table are sorted by: those of two passes. Of 2^27 rows, 2,048 have the same then.
const slotPartBits = 16

// orSorted lets the words of a table be made of sorted rows, if these are many and slots are no keys.
func (o *ordering) orSorted(t *rowTable) {
	t.ways = o.rowsOrKeys(t, rowTable{keys: t.keys, rows: o.cast(ir.U32, o.index(t.keys[0], t.keys[0].Type.Domain)), isSorted: true})
	t.sorted = &sortedTable{}
	if t.entersWords {
		t.sorted.none = o.firstRows(t.keys[0], t.hashed, 0)
	}
}

// sortedWords returns the words of the hashes and codes of a table, whose rows have these codes.
func (o *ordering) sortedWords(t rowTable, code *ir.Value) *ir.Value {
	sorted := o.byParts(t.keys, o.cast(ir.U32, code), t.keys[0].Type.Domain.Name+"_sorted_keys")
	shift := o.cast(ir.I64, o.apply(ir.OpSub, t.shift, o.integer(t.shift, codeBits)))
	ends := o.endsOfParts(sorted.word)
	if t.sorted.slots == nil {
		t.sorted.slots = o.newDomain(ir.DomainBins, sorted.word.Type.Domain.Name+"_slots", nil)
	}
	if t.sorted.none == nil {
		t.sorted.none = o.none(ends, t.hashed)
	}
	args := []*ir.Value{ends, t.hashed, sorted.word, sorted.number, shift}
	made := o.add(o.pos, ir.Value{Op: ir.OpEnterParts, Args: args, Split: t.bucket, Shift: slotPartBits, Type: ir.Type{Kind: ir.U64, Domain: t.sorted.slots}})
	if t.sorted.slots.By == nil {
		t.sorted.slots.By = made
	}
	return made
}

// byParts returns the hashes of rows with some keys of up to 32 bits, and what is beside them in as many, in the order of
// the highest bits of the hashes: those that share them in their order. They are the low bits of the words by which rows are sorted.
func (o *ordering) byParts(keys []*ir.Value, beside *ir.Value, name string) sortedRows {
	by := &ordering{expansion: o.expansion, pos: o.pos, rows: keys[0].Type.Domain}
	return by.byHighBits(func() *ir.Value { return o.narrowHash(o.words(o.sortKeysOf(keys))[0]) }, beside, name)
}

// byHighBits returns words of 32 bits, and what is beside them in as many or nothing, in the order of their highest bits.
func (o *ordering) byHighBits(word32 func() *ir.Value, beside *ir.Value, name string) sortedRows {
	around := func(x *ir.Value) *ir.Value {
		half := o.integer(x, slotPartBits)
		return o.apply(ir.OpOr, o.apply(ir.OpShl, x, half), o.apply(ir.OpShr, x, half))
	}
	turned := func() *ir.Value { return around(word32()) } // it costs less to compute them than to store them
	by := &ordering{expansion: o.expansion, pos: o.pos, rows: o.rows, out: o.newDomain(ir.DomainOrder, name, o.rows), isHash: true, kept: around, anyOrder: o.anyOrder}
	sorted := by.passes(word{turned(), slotPartBits}, word{}, nil, turned(), beside, true, true)
	by.out.By = sorted.word
	return sorted
}

// endsOfParts returns where the rows with each number in the highest bits of their hashes end, in the order of these.
func (o *ordering) endsOfParts(hash *ir.Value) *ir.Value {
	of := &ordering{expansion: o.expansion, pos: o.pos, rows: hash.Type.Domain}
	parts := of.sampleOfSize(o.index(hash, of.rows), o.number(1<<slotPartBits))
	part := o.cast(ir.U32, o.index(hash, parts))
	last := o.apply(ir.OpOr, o.apply(ir.OpShl, part, o.integer(part, slotPartBits)), o.integer(part, 1<<slotPartBits-1)) // of the hashes of the part
	return o.add(o.pos, ir.Value{Op: ir.OpSearch, Args: []*ir.Value{hash, last, o.number(0), o.length(hash)}, Type: ir.Type{Kind: ir.I64, Domain: parts, Target: of.rows}})
}
