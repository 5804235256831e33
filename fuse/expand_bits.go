package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Whether a row is there takes one bit. Where a mask says so, and the column of a found row is read behind further masks alone, rows
// that fail these would read more than they need. So on work-groups the mask asks a table of bits, an eighth of the bytes of the
// narrowest codes, which a first-level cache or local memory holds, and the codes are read for rows that are left.

// bitsOfWord is how many slots a word of such a table is for, and wordShift its binary logarithm.
const (
	wordShift  = 5
	bitsOfWord = 1 << wordShift
)

// bitLookup is a search of which a mask asks for bits.
type bitLookup struct {
	in   *codedTable
	keys []*ir.Value
}

// asksBits reports whether masks ask bits if find has found a row.
func (e *expansion) asksBits(find *ir.Value, t rowTable) bool {
	return t.least != nil && t.hasWords() && t.part == nil && e.mayAskBits(find)
}

// freeSlots returns how many slots are free behind those that are keys. Where masks ask bits, the last word of these has nothing but free
// slots: it is read in place of a word that does not exist, as that takes less than a test.
func (e *expansion) freeSlots() int64 {
	if slices.ContainsFunc(e.from.Values, func(v *ir.Value) bool { return v.Op == ir.OpFind && e.mayAskBits(v) }) {
		return bitsOfWord
	}
	return 0
}

// mayAskBits reports whether masks ask bits if find has found a row, and if the table lets them.
func (e *expansion) mayAskBits(find *ir.Value) bool {
	if !e.short || e.cores || masksAround(find) >= fewBehind {
		return false
	}
	isTested := false
	for _, u := range e.from.Values {
		switch {
		case isFoundTest(u, find):
			isTested = true
		case u.Op == ir.OpGather && u.Args[1] == find, u.Op == ir.OpCompact && u.Args[0] == find && isFoundTest(u.Args[1], find) && e.isIndex(u):
			return false
		}
	}
	return isTested
}

// fewBehind is behind how many masks so few rows are left, as a rule, that they look at codes alone.
const fewBehind = 2

// masksAround returns how many masks rows of v have passed.
func masksAround(v *ir.Value) (masks int) {
	for d := v.Type.Domain; d.Kind == ir.DomainMask; d = d.Parent {
		masks++
	}
	return masks
}

// isIndex reports whether columns are read at the rows of v.
func (e *expansion) isIndex(v *ir.Value) bool {
	for _, u := range e.from.Values {
		if u.Op == ir.OpGather && u.Args[1] == v {
			return true
		}
	}
	return false
}

// compact is the search by rows that a mask keeps.
func (l *bitLookup) compact(o *ordering, isKept *ir.Value, d *ir.Domain) *bitLookup {
	keys := make([]*ir.Value, len(l.keys))
	for i, key := range l.keys {
		keys[i] = o.compact(key, isKept, d)
	}
	return &bitLookup{l.in, keys}
}

// tested compares what tells whether rows are found with 0.
func (l *bitLookup) tested(o *ordering, op ir.Op) *ir.Value {
	t, words := l.in.of, o.words(o.sortKeysOf(l.keys))
	code, bits := o.matchWords(t, words, l.in.wordsIn(o)), l.in.bitsIn(o) // words first: a table of sorted rows begins with them
	slot := o.apply(ir.OpSub, words[0].value, t.least)
	at := o.choose(t.isDirect, o.cast(ir.I64, o.apply(ir.OpShr, slot, o.integer(slot, wordShift))), o.number(-1)) // 0 is gathered where there is no word
	at.Type.Target = bits.Type.Domain
	in := o.cast(ir.U32, o.apply(ir.OpAnd, slot, o.integer(slot, bitsOfWord-1)))
	word := o.gather(o.pos, bits, at)
	word.Padded = true
	bit := o.apply(ir.OpAnd, o.apply(ir.OpShr, word, in), o.constant(ir.Int(ir.U32, 1)))
	none := o.constant(ir.Int(ir.U32, 0))
	return o.choose(t.isDirect, o.apply(op, bit, none), o.apply(op, code, none))
}

// bitsIn returns the bits of slots that are taken, as words.
func (c *codedTable) bitsIn(o *ordering) *ir.Value {
	t := c.of
	if o.slotBits[t.rows] == nil {
		rows := t.rows
		if t.sorted != nil {
			rows = o.ofSlots(t, o.rowsIn)
		}
		slot := o.cast(ir.U32, o.index(rows, rows.Type.Domain))
		bit := o.apply(ir.OpShl, o.constant(ir.Int(ir.U32, 1)), o.apply(ir.OpAnd, slot, o.integer(slot, bitsOfWord-1)))
		o.slotBits[t.rows] = o.sumOfEvery(o.choose(o.isTaken(rows), bit, o.integer(bit, 0)), bitsOfWord)
	}
	return o.slotBits[t.rows]
}
