package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Groups of few keys need no sort either if the keys lie far apart: a hash table takes the
// different keys, and these few alone are sorted. The place of a key among them is the
// number of its group, which is a bin of all rows that have the key. The table is small. If
// more keys come than it is for, which their number tells after all rows, rows are sorted
// after all. A worker that has taken too many slots, or searched long for one, enters no more
// rows, so at most a pass over them is lost.

// mostHashed is the most groups of a hash table.
const mostHashed = 1 << 28

// hashed is groups by a hash table.
type hashed struct {
	*ordering
	size     *ir.Value // scalar: how many groups there are; 0 if there are too many
	number   *ir.Value // of the group of each row
	of       *ir.Value // the same, as a bin
	keys     []sortKey
	word     word       // of the keys, if slots have it
	isNarrow bool       // they do, and else the first row that has the keys
	held     *ir.Value  // what the slots have that are taken
	place    *ir.Value  // of each group: where that is
	out      *ir.Domain // the groups, if they are not made by bins
}

// hashed returns groups of keys by a hash table; nil if rows are sorted in any case.
func (o *ordering) hashed(keys []sortKey, out *ir.Domain) *hashed {
	if o.hash < 1 || o.short {
		return nil
	}
	columns := make([]*ir.Value, len(keys))
	for i, key := range keys {
		columns[i] = key.column
	}
	words := o.words(keys)
	isNarrow := len(words) == 1 && words[0].bits <= codeBits
	rowsPerGroup := o.hash
	if !isNarrow { // a search looks at a slot, and then at the keys of its row
		rowsPerGroup *= 2
	}
	most := o.apply(ir.OpDiv, o.length(columns[0]), o.number(rowsPerGroup))
	most = o.apply(ir.OpGreatest, o.apply(ir.OpLeast, most, o.number(mostHashed)), o.number(1))
	t := o.limitedTable(columns, words, isNarrow, most)
	isTaken := o.isTaken(t.rows)
	distinct := o.add(o.pos, ir.Value{Op: ir.OpSum, Args: []*ir.Value{o.cast(ir.I64, isTaken)}, Type: ir.Type{Kind: ir.I64}})
	h := &hashed{ordering: o, out: out, keys: keys, word: words[0], isNarrow: isNarrow}
	h.size = o.choose(o.apply(ir.OpLe, distinct, most), distinct, o.number(0))

	taken := o.newDomain(ir.DomainMask, o.rows.Name+"_distinct", t.rows.Type.Domain)
	taken.By = isTaken
	h.held = o.compact(t.rows, isTaken, taken)
	few := slices.Clone(keys)
	if isNarrow {
		few = []sortKey{{column: o.cast(words[0].value.Type.Kind, h.held), width: words[0].bits}}
	} else {
		h.held.Type.Target = o.rows
		for i, key := range keys {
			few[i].column = o.gather(o.pos, key.column, h.held)
		}
	}
	sorted := o.newDomain(ir.DomainOrder, o.rows.Name+"_ranked", taken)
	by := &ordering{expansion: o.expansion, pos: o.pos, rows: taken, out: sorted}
	sorted.By = by.sort(few, by.row(few), false).number
	groups := o.newDomain(ir.DomainBins, o.rows.Name+"_hashed", o.rows)
	rank := o.add(o.pos, ir.Value{Op: ir.OpScatter, Args: []*ir.Value{o.index(sorted.By, sorted), sorted.By}, Type: ir.Type{Kind: ir.I64, Domain: taken, Target: groups}})
	rank = o.ofSlots(rank, isTaken, taken)
	if isNarrow {
		word := o.cast(words[0].value.Type.Kind, t.rows)
		h.number = o.rowOfCode(o.matchWords(t, o.words(keys), word, o.cast(ir.U32, o.apply(ir.OpAdd, rank, o.number(1)))))
	} else {
		h.number = o.atSlot(rank, o.probe(t, columns))
	}
	h.number.Type.Target = groups
	h.of = o.add(o.pos, ir.Value{Op: ir.OpBins, Args: []*ir.Value{h.number, h.size}, Type: ir.Type{Kind: ir.I64, Domain: o.rows, Target: groups}})
	groups.By = h.of

	place := o.index(h.of, groups)
	place.Type.Target = sorted
	h.place = o.gather(o.pos, sorted.By, place)
	return h
}

// limitedTable returns a hash table of rows that have up to so many different keys, or of
// the words of these keys.
func (o *ordering) limitedTable(keys []*ir.Value, words []word, isNarrow bool, most *ir.Value) rowTable {
	t := rowTable{keys: keys, isDirect: o.constant(ir.BoolScalar(false))}
	var size *ir.Value
	size, t.shift = o.hashSlots(o.cast(ir.U64, most))
	if !isNarrow {
		o.insert(&t, o.hashSlot(t, keys), size, most)
		return t
	}
	args := []*ir.Value{o.slotOfWords(t, words), size, o.cast(ir.I64, words[0].value)}
	t.rows = o.slots(ir.Value{Op: ir.OpCollect, Args: args, Limit: most, Type: ir.Type{Kind: ir.I64}})
	return t
}

// ofSlots returns, of each slot, what x has for those that are taken; of the others -1.
func (o *ordering) ofSlots(x, isTaken *ir.Value, taken *ir.Domain) *ir.Value {
	place := o.add(o.pos, ir.Value{Op: ir.OpExscan, Reduce: ir.ReduceAdd, Args: []*ir.Value{o.cast(ir.I64, isTaken)},
		Type: ir.Type{Kind: ir.I64, Domain: isTaken.Type.Domain}})
	place = o.choose(isTaken, place, o.number(-1))
	place.Type.Target = taken
	return o.choose(isTaken, o.gather(o.pos, x, place), o.number(-1))
}

// condition returns how many groups there are, and numbers that of each row's.
func (h *hashed) condition() *ir.Value { return h.size }
func (h *hashed) numbers() *ir.Value   { return h.number }

// target returns the groups, whether they are made by a table or otherwise.
func (h *hashed) target() *ir.Domain { return h.out }

// aggregate writes an aggregate by the groups. Each is a column of its own, even where others
// are equal: its memory is that of one result.
func (h *hashed) aggregate(v *ir.Value) *ir.Value {
	switch v.Op {
	case ir.OpFirst, ir.OpLast, ir.OpMin, ir.OpMax: // all rows of a group have one key
		x := h.column(v.Args[0])
		isKey := slices.ContainsFunc(h.keys, func(key sortKey) bool { return key.column == x }) && isInvertible(x.Type.Kind)
		if isKey && h.isNarrow {
			columns := map[*ir.Value]*ir.Value{}
			h.keysOf(h.cast(h.word.value.Type.Kind, h.ofGroups(h.held)), h.keys, columns)
			return columns[x]
		}
		if !h.isNarrow && (isKey || v.Op == ir.OpFirst) {
			return h.add(v.Pos, ir.Value{Op: ir.OpGather, Args: []*ir.Value{x, h.ofGroups(h.held)}, Type: ir.Type{Kind: x.Type.Kind, Domain: h.of.Type.Target, Target: x.Type.Target}})
		}
	}
	return h.aggregateBy(v, h.of)
}

// ofGroups returns, of each group, what x has for the slot of its keys.
func (h *hashed) ofGroups(x *ir.Value) *ir.Value { return h.gather(h.pos, x, h.place) }
