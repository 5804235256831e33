package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Groups of few keys need no sort either if the keys lie far apart: a hash table takes the
// different keys, and these few alone are sorted. Rows are combined by the slot of their keys,
// while these are entered, or by the place of a key among those that are sorted. The table is small. If
// more keys come than it is for, which their number tells after all rows, rows are sorted
// after all. A worker that has taken too many slots, or searched long for one, enters no more
// rows, so at most a pass over them is lost.

// mostHashed is the most groups of any hash table. Where rows are combined by slots, they are as
// many as have their sums and counts in local memory or a cache.
const mostHashed = 1 << 28

// room is for how many groups a hash table has slots: for each there are at least so many rows,
// and more if a search looks at a slot, and then at the keys of its row.
type room struct {
	rowsPerGroup, rowsPerWide, most int64

	upTo *ir.Value // a scalar: there are no more groups; nil if nothing is known
}

// halfOfRows is the room of a table that the user asks for: no search in it is long, and its
// memory is in proportion to the rows.
var halfOfRows = room{rowsPerGroup: 2, rowsPerWide: 2, most: mostHashed}

// roomForFew returns the room of a table for few groups.
func (o *ordering) roomForFew() room {
	most := int64(mostHashed)
	if o.entered {
		most = o.hashGroups
	}
	return room{rowsPerGroup: o.hash, rowsPerWide: 2 * o.hash, most: most}
}

// mostGroups returns for how many groups of so many rows a hash table has room.
func (o *ordering) mostGroups(rows *ir.Value, isNarrow bool, has room) *ir.Value {
	rowsPerGroup := has.rowsPerGroup
	if !isNarrow {
		rowsPerGroup = has.rowsPerWide
	}
	most := o.apply(ir.OpDiv, rows, o.number(rowsPerGroup))
	most = o.apply(ir.OpLeast, most, o.number(has.most))
	if has.upTo != nil {
		most = o.apply(ir.OpLeast, most, has.upTo)
	}
	return o.apply(ir.OpGreatest, most, o.number(1))
}

// hashed is groups by a hash table.
type hashed struct {
	*ordering
	size     *ir.Value // scalar: how many groups there are; 0 if there are too many
	distinct *ir.Value // scalar: how many slots are taken
	by       *ir.Value // by which rows are combined: the slot that takes the keys of a row, or the bin of its group
	slot     *ir.Value // of each group, if rows are combined by slots
	keys     []sortKey
	few      []sortKey   // of the taken slots
	columns  []*ir.Value // those of keys
	word     word        // of the keys
	isNarrow bool        // it has up to 32 bits
	hasWords bool        // slots have it, and else a row that has the keys
	held     *ir.Value   // what the slots have that are taken
	order    *ir.Value   // where the taken slots are, in the order of their keys
	place    *ir.Value   // of each group: where that is
	ranks    *ir.Value   // of each row: the number of its group; nil until something needs it
	moved    *partition  // that has moved the rows before they are entered, or nil
	groups   *ir.Domain  // made in this way
	out      *ir.Domain  // the groups, if they are not made by bins
}

// hashedKeys returns the keys by which a hash table finds groups; none if rows are sorted in
// any case.
func (o *ordering) hashedKeys(keys []sortKey) []sortKey {
	if o.hash < 1 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(keys), func(key sortKey) bool { return key.column.Type.IsScalar() }) // equal in all rows
}

// hashed returns groups of keys by a hash table with some room. If moved is not nil, it has
// brought rows of equal keys together; if about is not nil, it says about how many groups there are, or 0.
func (o *ordering) hashed(keys []sortKey, out *ir.Domain, moved *partition, has room, about *ir.Value) *hashed {
	columns := make([]*ir.Value, len(keys))
	for i, key := range keys {
		columns[i] = key.column
	}
	words := o.words(keys)
	isNarrow := len(words) == 1 && words[0].bits <= codeBits
	h := &hashed{ordering: o, out: out, moved: moved, keys: keys, columns: columns, word: words[0], isNarrow: isNarrow, hasWords: isNarrow && !o.entered}
	counted := columns[0]
	if moved != nil {
		counted = moved.columns[0] // a kernel that needs the number of these rows waits for what counts them
	}
	most := o.mostGroups(o.length(counted), isNarrow, has)
	t := h.limitedTable(columns, words, most)
	if o.short {
		t.rows.Else = about
	}
	isTaken := o.isTaken(t.rows)
	tooMany := o.apply(ir.OpAdd, most, o.number(1))
	weight := o.choose(o.apply(ir.OpEq, t.rows, o.constant(ir.Int(t.rows.Type.Kind, tile.LeftOut))), tooMany, o.cast(ir.I64, isTaken))
	h.distinct = o.add(o.pos, ir.Value{Op: ir.OpSum, Args: []*ir.Value{weight}, Type: ir.Type{Kind: ir.I64}})
	h.size = o.choose(o.apply(ir.OpLe, h.distinct, most), o.apply(ir.OpGreatest, o.apply(ir.OpLeast, h.distinct, most), o.number(0)), o.number(0))

	taken := o.newDomain(ir.DomainMask, o.rows.Name+"_distinct", t.rows.Type.Domain)
	taken.By = isTaken
	h.held = o.compact(t.rows, isTaken, taken)
	few := []sortKey{{column: o.cast(words[0].value.Type.Kind, h.held), width: words[0].bits}}
	if !h.hasWords {
		h.held = o.cast(ir.I64, h.held)
		h.held.Type.Target = o.rows
		few = h.keysAt(keys, h.held)
	}
	sorted := o.newDomain(ir.DomainOrder, o.rows.Name+"_ranked", taken)
	by := &ordering{expansion: o.expansion, pos: o.pos, rows: taken, out: sorted, anyOrder: true}
	sorted.By = by.rowOf(by.sortFew(few, func() *ir.Value { return by.row(few) }))
	h.few, h.order = few, sorted.By
	h.groups = o.newDomain(ir.DomainBins, o.rows.Name+"_hashed", o.rows)
	number := o.index(few[0].column, sorted)
	if !o.entered {
		number = h.numbers()
	}
	bin := o.add(o.pos, ir.Value{Op: ir.OpBins, Args: []*ir.Value{number, h.size}, Type: ir.Type{Kind: ir.I64, Domain: number.Type.Domain, Target: h.groups}})
	h.groups.By = bin
	place := o.index(h.held, h.groups)
	place.Type.Target = sorted
	h.place = o.gather(o.pos, sorted.By, place)
	if h.by = bin; o.entered {
		h.by = o.probeFrom(t, h.home(t), o.number(-1), columns)
		slot := o.compact(o.index(t.rows, t.rows.Type.Domain), isTaken, taken)
		h.slot = h.ofGroups(slot)
	}
	return h
}

// limitedTable returns a hash table of rows that have up to so many different keys, or of
// the words of these keys.
func (h *hashed) limitedTable(keys []*ir.Value, words []word, most *ir.Value) rowTable {
	t := rowTable{keys: keys, isDirect: h.constant(ir.BoolScalar(false))}
	size, shift := h.limitedSlots(most)
	t.shift = shift
	switch {
	case h.hasWords:
		args := []*ir.Value{h.slotOfWords(t, words), size, h.cast(ir.I64, words[0].value)}
		t.rows = h.slots(ir.Value{Op: ir.OpCollect, Args: args, Limit: most, Type: ir.Type{Kind: ir.I64}})
	default:
		h.insert(&t, h.home(t), size, most)
		if h.moved != nil {
			t.rows.Split = partitionBits
		}
	}
	return t
}

// limitedSlots is hashSlots for a table of up to so many groups.
func (h *hashed) limitedSlots(most *ir.Value) (size, shift *ir.Value) {
	times := func(n int64) *ir.Value { return h.cast(ir.U64, h.apply(ir.OpMul, most, h.number(n))) }
	switch {
	case !h.entered:
		return h.hashSlots(times(1))
	case h.short: // searches are short in a table that is a quarter full, and it is small in any case
		return h.fewSlots(times(2))
	case h.moved == nil: // of the table of a worker, which has bits of these slots, an eighth is full
		return h.fewSlots(times(4))
	}
	// Parts have about as many groups each, and room for more if these are not very few.
	return h.fewSlots(h.cast(ir.U64, h.apply(ir.OpGreatest, most, h.number(leastOfPart<<partitionBits))))
}

// home returns the slot from which on each row looks for one.
func (h *hashed) home(t rowTable) *ir.Value {
	words := h.words(h.keys)
	if !h.isNarrow {
		return h.slotOfWords(t, words)
	}
	return h.shortSlot(t, h.narrowHash(words[0]))
}

// narrowHash returns a hash of a word of up to 32 bits, of as many. It takes two products of
// 32 bits, which GPUs have a unit for.
func (o *ordering) narrowHash(w word) *ir.Value {
	x := o.apply(ir.OpMul, w.value, o.integer(w.value, hashFactors[0]))
	x = o.apply(ir.OpXor, x, o.apply(ir.OpShr, x, o.integer(x, 15)))
	return o.apply(ir.OpMul, x, o.integer(x, hashFactors[1]))
}

// hashFactors are odd, so that different words have different hashes.
var hashFactors = [2]uint64{0x9e3779b1, 0x85ebca77}

// ranked returns, of each row, which of the sorted keys it has. These are so few that their
// table is small, and near whoever searches in it.
func (h *hashed) ranked() *ir.Value {
	keys, columns := h.keys, h.columns
	if h.moved != nil {
		keys, columns = h.moved.keys, h.moved.columns
	}
	t := rowTable{isDirect: h.constant(ir.BoolScalar(false)), isNarrow: h.isNarrow}
	sorted := slices.Clone(h.few)
	for i, key := range sorted {
		sorted[i].column = h.gather(h.pos, key.column, h.order)
		t.keys = append(t.keys, sorted[i].column)
	}
	var size *ir.Value
	size, t.shift = h.hashSlots(h.cast(ir.U64, h.apply(ir.OpGreatest, h.distinct, h.number(1))))
	if !h.isNarrow {
		h.insert(&t, h.hashSlot(t, t.keys), size, nil)
		return h.rowAt(t, h.probe(t, columns))
	}
	h.insert(&t, h.slotOfWords(t, h.words(sorted)), size, nil)
	_, row := h.rowOfSlot(t)
	word := h.words(h.keysAt(sorted, row))[0].value
	code := h.apply(ir.OpAdd, h.cast(ir.U32, t.rows), h.constant(ir.Int(ir.U32, 1))) // 0 of a free slot
	return h.rowOfCode(h.matchWords(t, h.words(keys), h.codeWord(word, code)))
}

// keysAt returns the keys of some rows.
func (o *ordering) keysAt(keys []sortKey, rows *ir.Value) []sortKey {
	keys = slices.Clone(keys)
	for i, key := range keys {
		keys[i].column = o.gather(o.pos, key.column, rows)
	}
	return keys
}

// condition returns how many groups there are.
func (h *hashed) condition() *ir.Value { return h.size }

// numbers returns the number of each row's group.
func (h *hashed) numbers() *ir.Value {
	if h.ranks == nil {
		h.ranks = h.ranked()
		h.ranks.Type.Target = h.groups
	}
	return h.ranks
}

// target returns the groups, whether they are made by a table or otherwise.
func (h *hashed) target() *ir.Domain { return h.out }

// aggregate writes an aggregate by the groups. Each is a column of its own, even where others
// are equal: its memory is that of one result.
func (h *hashed) aggregate(v *ir.Value) *ir.Value {
	switch v.Op {
	case ir.OpFirst, ir.OpLast, ir.OpMin, ir.OpMax: // all rows of a group have one key
		x := h.argument(v.Args[0])
		isKey := slices.ContainsFunc(h.keys, func(key sortKey) bool { return key.column == x }) && isInvertible(x.Type.Kind)
		if isKey && h.hasWords {
			columns := map[*ir.Value]*ir.Value{}
			h.keysOf(h.cast(h.word.value.Type.Kind, h.ofGroups(h.held)), h.keys, columns)
			return columns[x]
		}
		if !h.hasWords && !x.Type.IsScalar() && (isKey || v.Op == ir.OpFirst && h.hasFirst()) {
			word := holding(x)
			made := h.add(v.Pos, ir.Value{Op: ir.OpGather, Args: []*ir.Value{word, h.ofGroups(h.held)}, Type: ir.Type{Kind: word.Type.Kind, Domain: h.groups, Target: word.Type.Target}})
			return h.cast(x.Type.Kind, made)
		}
	}
	made := h.aggregateBy(v, h.by, h.arguments(v.Args))
	if h.slot == nil {
		return made
	}
	at := h.slot
	if h.moved != nil && v.Op.Aggregate().GivesRow() { // of those that have moved
		made.Type.Target = h.rows
		made, at = h.moved.numbers(), h.gather(v.Pos, made, at)
	}
	return h.add(v.Pos, ir.Value{Op: ir.OpGather, Args: []*ir.Value{made, at}, Type: ir.Type{Kind: made.Type.Kind, Domain: h.groups, Target: made.Type.Target}})
}

// argument returns what v becomes as the argument of an aggregate.
func (h *hashed) argument(v *ir.Value) *ir.Value {
	x := h.column(v)
	if h.moved != nil {
		x = h.moved.move(x)
	}
	return x
}

// arguments is argument for a list.
func (h *hashed) arguments(list []*ir.Value) []*ir.Value {
	made := make([]*ir.Value, len(list))
	for i, v := range list {
		made[i] = h.argument(v)
	}
	return made
}

// hasFirst reports whether slots have the first row of their keys: work-groups that remember keys
// enter any row that has them.
func (h *hashed) hasFirst() bool {
	size := 0
	for _, key := range h.keys {
		if size += key.column.Type.Kind.Size(); !isInvertible(key.column.Type.Kind) {
			return true
		}
	}
	return !h.short || size > 8
}

// ofGroups returns, of each group, what x has for the slot of its keys.
func (h *hashed) ofGroups(x *ir.Value) *ir.Value { return h.gather(h.pos, x, h.place) }
