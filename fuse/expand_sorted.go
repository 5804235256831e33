package fuse

import "github.com/kgen-go/kgen/ir"

// Many rows of a table whose slots turn out to be no keys are sorted by the hash of their keys, with the codes that searches
// want, as those of a join are (see orGrouped). No column is read by the number of its row then, nor is a slot visited twice.

// sortedTable is a table of sorted rows, of which words alone are read.
type sortedTable struct {
	slots *ir.Domain // which are as many, whatever words have
	none  *ir.Value  // in place of any other column of slots; nil as long as there are no words
}

// orSorted lets the words of a table be made of sorted rows, if these are many and slots are no keys.
func (o *ordering) orSorted(t *rowTable) {
	t.ways = o.rowsOrKeys(t, rowTable{keys: t.keys, rows: o.cast(ir.U32, o.index(t.keys[0], t.keys[0].Type.Domain)), isSorted: true})
	t.sorted = &sortedTable{}
}

// sortedWords returns the words of the keys and codes of a table, whose rows have these codes.
func (o *ordering) sortedWords(t rowTable, code *ir.Value) *ir.Value {
	sorted := o.byHash(t.keys, o.cast(ir.U32, code), t.keys[0].Type.Domain.Name+"_sorted_keys")
	key, of := o.ofNarrowHash(sorted.ofFirst(o, sorted.hash)), sorted.ofFirst(o, sorted.beside)
	if t.sorted.slots == nil {
		t.sorted.slots = o.newDomain(ir.DomainBins, sorted.firsts.Name+"_slots", nil)
	}
	taken := o.slotsTaken(o.slotOfWords(t, []word{{key, codeBits}}), t.hashed, t.sorted.slots)
	if t.sorted.none == nil {
		t.sorted.none = o.none(taken)
	}
	row := o.placed(taken)
	at := o.choose(o.isTaken(row), o.cast(ir.I64, row), o.number(-1)) // of which a word is 0
	at.Type.Target = sorted.firsts
	return o.wordWith(o.gather(o.pos, key, at), o.gather(o.pos, of, at))
}
