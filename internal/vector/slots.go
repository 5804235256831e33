package vector

import (
	"math"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Rows of a batch search a hash table together. In each round, every row that still searches
// looks at one slot, in loops without a branch: so misses of the caches lie side by side, and none
// waits for a branch that went the wrong way. A row settles where the slot has its keys or is free.
// Loops are short, since Go keeps few slices in registers.

// free is what a free slot has.
const free = -1

// hashTable is what operations on a hash table share.
type hashTable struct {
	*stream
	slot  *vector[int64] // where the search of a row begins
	slots register       // uniform
	keys  []register     // of the rows of a batch; none if their numbers are the keys
	of    []*stream      // those of the rows in the table

	settled   vector[int64] // the slots of rows; of one that is free the complement
	found     vector[int64] // the rows in the slots that a search has found, or -1
	late      vector[int32] // rows that go on after the first slot, or are not yet entered
	all, open vector[int32] // rows: of the batch; those that search
	held      vector[int64] // the rows in their slots
	differ    vector[uint8] // whether these have other keys
}

func (l *linker) hashTable(op *tile.Op, slots tile.ID, keys []tile.ID) *hashTable {
	if l.Streams[op.Stream].Kind != ir.I64 {
		l.fail("internal error: no vector form of a hash table of %v", l.Streams[op.Stream].Kind)
	}
	t := &hashTable{stream: &l.streams[op.Stream], slots: l.value(slots, op.Domain)}
	for i, key := range keys {
		s := &l.streams[op.Keys[i]]
		t.keys, t.of = append(t.keys, l.inMemory(l.full(key, op.Domain), s, l.count(op.Domain))), append(t.of, s)
	}
	return t
}

// table returns the slots.
func (t *hashTable) table() []int64 { return elements[int64](t.stream)[:int64(t.slots.bits(0))] }

// begin makes the first n rows those that search, from their own slots on.
func (t *hashTable) begin(n int) (rows []int32) {
	copy(t.settled.sized(n), t.slot.rows)
	for i := len(t.all.rows); i < n; i++ {
		t.all.rows = append(t.all.rows, int32(i))
	}
	return t.all.rows[:n]
}

// settle goes on with the search of some rows until all have a slot.
func (t *hashTable) settle(rows []int32) {
	table, at, room := t.table(), t.settled.rows, t.open.sized(len(rows))
	for range table {
		held, differ := t.held.sized(len(rows)), t.differ.sized(len(rows))
		rowsOfSlots(held, table, at, rows)
		for k, key := range t.keys {
			key.differ(t.of[k], differ, held, rows, k > 0)
		}
		if rows = next(room, at, int64(len(table)-1), held, differ, rows); len(rows) == 0 {
			return
		}
	}
	for _, i := range rows { // others have taken all slots, because rows were left out
		at[i] = free
	}
}

// find searches for the keys of n rows. Settled are their slots then, or -1, and found the rows in these.
// Most rows end at their first slot, so that round is for all rows in order.
func (t *hashTable) find(n int) {
	table, own := t.table(), t.slot.rows[:n]
	found, differ, at := t.found.sized(n), t.differ.sized(n), t.settled.sized(n)
	gather(found, table, own, false)
	for k, key := range t.keys {
		key.differInOrder(t.of[k], differ, found, k > 0)
	}
	rows := passFirst(t.late.sized(n), at, own, int64(len(table)-1), found, differ)
	if len(rows) == 0 {
		return
	}
	t.settle(rows)
	for _, i := range rows {
		at[i], found[i] = max(at[i], free), free
		if at[i] >= 0 {
			found[i] = table[at[i]]
		}
	}
}

// passFirst settles the rows whose first slots have their keys or are free, moves the others to the
// slots behind, and returns these.
func passFirst(room []int32, at, own []int64, last int64, held []int64, differ []uint8) []int32 {
	own, held, differ, room = own[:len(at)], held[:len(at)], differ[:len(at)], room[:len(at)]
	k := 0
	for i, slot := range own {
		isFree := held[i] >> 63 // all bits, or none
		goesOn := int64(differ[i]) &^ isFree
		at[i] = (slot+goesOn)&last | isFree
		room[k] = int32(i)
		k += int(goesOn)
	}
	return room[:k]
}

// rowsOfSlots gives what is in the slots where some rows are.
func rowsOfSlots(held, table, at []int64, rows []int32) {
	held = held[:len(rows)]
	for j, i := range rows {
		held[j] = table[at[i]]
	}
}

// differ marks rows whose key is not that of the row in their slots. With more, it adds to what
// another key found. A slot that is free counts as row 0.
func (v *vector[T]) differ(of *stream, differ []uint8, held []int64, rows []int32, more bool) {
	keys, all := v.rows, elements[T](of)
	if len(all) == 0 { // and so all slots are free
		clear(differ)
		return
	}
	held, differ = held[:len(rows)], differ[:len(rows)]
	if more {
		for j, i := range rows {
			differ[j] |= truth(!sameKey(keys[i], all[held[j]&^(held[j]>>63)]))
		}
		return
	}
	for j, i := range rows {
		differ[j] = truth(!sameKey(keys[i], all[held[j]&^(held[j]>>63)]))
	}
}

// differInOrder is differ for all rows in order.
func (v *vector[T]) differInOrder(of *stream, differ []uint8, held []int64, more bool) {
	keys, all := v.rows, elements[T](of)
	if len(all) == 0 {
		clear(differ)
		return
	}
	keys, held = keys[:len(differ)], held[:len(differ)]
	if more {
		for i, x := range keys {
			differ[i] |= truth(!sameKey(x, all[held[i]&^(held[i]>>63)]))
		}
		return
	}
	for i, x := range keys {
		differ[i] = truth(!sameKey(x, all[held[i]&^(held[i]>>63)]))
	}
}

// next moves the rows whose slots have other keys to the slots behind, and returns them.
func next(room []int32, at []int64, last int64, held []int64, differ []uint8, rows []int32) []int32 {
	held, differ, room = held[:len(rows)], differ[:len(rows)], room[:len(rows)]
	k := 0
	for j, i := range rows {
		isFree := held[j] >> 63 // all bits, or none
		goesOn := differ[j] &^ uint8(isFree)
		slot := at[i] ^ isFree
		if behind := (slot + 1) & last; goesOn != 0 {
			slot = behind
		}
		at[i] = slot
		room[k] = i
		k += int(goesOn)
	}
	return room[:k]
}

// insert links the entry of rows in a hash table; see the operation Insert. Rows of one key are
// entered one after the other: most find a free slot or, in a table of groups, their keys at once, so
// the branches go as before. Of several keys the comparison costs more than that.
func (l *linker) insert(op *tile.Op) {
	l.serial = true
	t := l.hashTable(op, op.Args[2], op.Args[4:])
	t.slot = l.full(op.Args[1], op.Domain).(*vector[int64])
	n, entered, limit := l.count(op.Domain), l.full(op.Args[0], op.Domain).(*vector[int64]), l.value(op.Args[3], op.Domain)
	taken := shared(l, func() *int64 {
		taken := new(int64)
		l.begin = append(l.begin, func() { *taken = 0 })
		return taken
	})
	limited := op.IsLimited()
	l.ordered(func() {
		if *n == 0 {
			return
		}
		most := int64(math.MaxInt64)
		if limited {
			most = int64(limit.bits(0))
		}
		table, own, rows := t.table(), t.slot.rows[:*n], entered.rows[:*n]
		switch len(t.keys) {
		case 0:
			*taken = enterNumbers(table, own, rows, *taken, most)
		case 1:
			*taken = t.keys[0].enter(t.of[0], table, own, rows, *taken, most)
		default:
			for open := t.begin(*n); len(open) > 0 && *taken <= most; {
				t.settle(open)
				open = t.enterSettled(open, rows, taken, most)
			}
		}
	})
}

// enter enters rows, and returns how many slots are taken; it stops at more than most.
func (v *vector[T]) enter(keys *stream, table, own, rows []int64, taken, most int64) int64 {
	held, of, mask := elements[T](keys), v.rows[:len(own)], int64(len(table)-1)
	rows = rows[:len(own)]
	for i, at := range own {
		if taken > most {
			break
		}
		x, entered := of[i], rows[i]
		for {
			row := table[at]
			if row == free {
				table[at] = entered
				taken++
				break
			}
			if sameKey(x, held[row]) {
				table[at] = min(row, entered)
				break
			}
			at = (at + 1) & mask
		}
	}
	return taken
}

// enterNumbers is enter where the rows' numbers are all that the table has of them.
func enterNumbers(table, own, rows []int64, taken, most int64) int64 {
	mask := int64(len(table) - 1)
	rows = rows[:len(own)]
	for i, at := range own {
		if taken > most {
			break
		}
		entered := rows[i]
		held := table[at]
		for held != free && held != entered {
			at = (at + 1) & mask
			held = table[at]
		}
		if held == free {
			table[at] = entered
			taken++
		}
	}
	return taken
}

// enterSettled enters rows in the slots where they have settled, until more than most are taken, and
// returns those of which the slot has been taken since by another row.
func (t *hashTable) enterSettled(rows []int32, entered []int64, taken *int64, most int64) []int32 {
	table, at, room := t.table(), t.settled.rows, t.late.sized(len(rows))
	k := 0
	for _, i := range rows {
		room[k] = i
		slot := at[i]
		if k += int(truth(slot < 0)); slot >= 0 && entered[i] < table[slot] {
			table[slot] = entered[i]
		}
	}
	rows, k = room[:k], 0
	for _, i := range rows {
		slot := ^at[i]
		if table[slot] == free {
			table[slot] = entered[i]
			if *taken++; *taken > most {
				return nil
			}
			continue
		}
		at[i] = slot
		room[k] = i
		k++
	}
	return room[:k]
}

// probe links the search for slots of a hash table; see the operation Probe.
func (l *linker) probe(op *tile.Op) {
	t := l.hashTable(op, op.Args[1], op.Args[4:])
	n, direct := l.count(op.Domain), l.value(op.Args[2], op.Domain)
	isDirect := func() bool { return direct.bits(0) != 0 }
	if len(t.keys) == 0 {
		l.fail("internal error: a search for no keys")
	}
	key := l.onlyIf(isDirect, op.Args[3], op.Domain).(*vector[int64])
	t.slot = l.onlyIf(func() bool { return !isDirect() }, op.Args[0], op.Domain).(*vector[int64])
	t.settled.room = l.batch
	l.add(func() {
		if isDirect() {
			inside(t.settled.sized(*n), key.rows, int64(t.slots.bits(0)))
			heldRows(t.found.sized(*n), t.settled.rows, t.table())
			return
		}
		t.find(*n)
	})
	l.define(op.Res[0], &t.settled)
	l.probes[op.Res[0]] = t
}

// heldRow returns the row in the slot that a probe has found, or -1, if an operation is
//
//	select(slot >= 0 && table[max(slot, 0)] != -1, table[max(slot, 0)], -1)
func (l *linker) heldRow(op *tile.Op) (register, bool) {
	if op.Kind != tile.Map || op.Operator != ir.OpSelect || l.Values[op.Res[0]].Kind != ir.I64 || !l.IsConst(op.Args[2], ^uint64(0)) {
		return nil, false
	}
	load, isFound := &l.Ops[l.Values[op.Args[1]].Op], l.mapped(op.Args[0], ir.OpLogicalAnd)
	if load.Kind != tile.Load || len(load.Args) != 1 || isFound == nil || l.streams[load.Stream].kind != ir.I64 {
		return nil, false
	}
	inside, minusOne, isTaken := l.withUniform(isFound.Args[1], ir.OpNe)
	slot, zero, isSlot := l.withUniform(isFound.Args[0], ir.OpGe)
	place := load.Args[0]
	if cast := l.mapped(place, ir.OpCast); cast != nil && l.Values[cast.Args[0]].Kind == ir.I64 {
		place = cast.Args[0]
	}
	of, least, isPlace := l.withUniform(place, ir.OpGreatest)
	if !isTaken || !isSlot || !isPlace || inside != op.Args[1] || of != slot || l.Ops[l.Values[slot].Op].Kind != tile.Probe ||
		!l.IsConst(minusOne, ^uint64(0)) || !l.IsConst(zero, 0) || !l.IsConst(least, 0) {
		return nil, false
	}
	t := l.probes[slot]
	if t == nil || t.stream != &l.streams[load.Stream] {
		return nil, false
	}
	return &t.found, true
}

func heldRows(to, slots, table []int64) {
	slots = slots[:len(to)]
	for i, slot := range slots {
		isNone := slot >> 63 // all bits, or none
		to[i] = table[slot&^isNone] | isNone
	}
}

// inside gives rows the places that are below a limit, and -1 for others.
func inside(to, places []int64, limit int64) {
	for i, p := range places[:len(to)] {
		if uint64(p) >= uint64(limit) {
			p = free
		}
		to[i] = p
	}
}

// match links the search for codes in a hash table; see the operation Match.
func (l *linker) match(op *tile.Op) {
	s, n := &l.streams[op.Stream], l.count(op.Domain)
	slots, direct := l.value(op.Args[1], op.Domain), l.value(op.Args[2], op.Domain)
	isHashed := func() bool { return direct.bits(0) == 0 }
	dst := &vector[uint32]{room: l.batch}
	l.branch(isHashed, op.Domain, []tile.ID{op.Args[0], op.Args[3]}, func(values []register) {
		slot, last := values[0].(*vector[int64]), func() int64 { return int64(slots.bits(0)) - 1 }
		if key, ok := values[1].(*vector[uint32]); ok {
			l.add(func() { matchKeys(dst.sized(*n), slot.rows, key.rows, elements[uint64](s), last()) })
			return
		}
		key := l.cast(ir.U64, values[1], n).(*vector[uint64])
		l.add(func() { matchKeys(dst.sized(*n), slot.rows, key.rows, elements[uint64](s), last()) })
	})
	l.add(func() {
		if !isHashed() {
			clear(dst.sized(*n))
		}
	})
	l.define(op.Res[0], dst)
}

// matchKeys gives the code of each key in a table, or 0.
func matchKeys[T unsigned](to []uint32, slots []int64, keys []T, table []uint64, last int64) {
	keys, slots = keys[:len(to)], slots[:len(to)]
	for i, at := range slots {
		held, key := table[at], uint64(keys[i])
		for held != 0 && held>>32 != key {
			at = (at + 1) & last
			held = table[at]
		}
		to[i] = uint32(held)
	}
}

// enterWords links the entry of words in a hash table; see the operation Enter.
func (l *linker) enterWords(op *tile.Op) {
	l.serial = true
	word, slot := l.full(op.Args[0], op.Domain), l.full(op.Args[1], op.Domain).(*vector[int64])
	s, n := &l.streams[op.Stream], l.count(op.Domain)
	switch word := word.(type) {
	case *vector[uint64]:
		l.ordered(func() { enterKeyed(elements[uint64](s), slot.rows[:*n], word.rows) })
	case *vector[uint32]:
		l.ordered(func() { enterCodes(elements[uint32](s), slot.rows[:*n], word.rows) })
	case *vector[uint8]:
		l.ordered(func() { enterCodes(elements[uint8](s), slot.rows[:*n], word.rows) })
	default:
		l.fail("internal error: no vector form of a hash table of %v", s.kind)
	}
}

// enterKeyed enters words with keys above their codes.
func enterKeyed(table []uint64, slots []int64, words []uint64) {
	words, last := words[:len(slots)], int64(len(table)-1)
	for i, at := range slots {
		if uint64(at) > uint64(last) {
			continue
		}
		word := words[i]
		for table[at] != 0 && table[at]>>32 != word>>32 {
			at = (at + 1) & last
		}
		if table[at] == 0 {
			table[at] = word
		}
	}
}

// enterCodes enters codes, whose slots are their keys.
func enterCodes[T uint8 | uint32](table []T, slots []int64, codes []T) {
	codes = codes[:len(slots)]
	for i, at := range slots {
		if uint64(at) < uint64(len(table)) && table[at] == 0 {
			table[at] = codes[i]
		}
	}
}
