package vector

import (
	"math"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// update links the combination of rows with elements of a table. An index outside, which a
// check has reported, changes nothing.
func (l *linker) update(op *tile.Op) {
	s, n := &l.streams[op.Stream], l.count(op.Domain)
	if l.counted(op) {
		return
	}
	l.serial = true
	at := l.full(op.Args[0], op.Domain).(*vector[int64])
	x, operator := l.value(op.Args[1], op.Domain), op.Monoid.Combine[0].Operator
	switch x := x.(type) {
	case *vector[uint8]:
		l.ordered(updateIntegers(s, n, at, x, operator))
	case *vector[int8]:
		l.ordered(updateIntegers(s, n, at, x, operator))
	case *vector[int16]:
		l.ordered(updateIntegers(s, n, at, x, operator))
	case *vector[int32]:
		l.ordered(updateIntegers(s, n, at, x, operator))
	case *vector[int64]:
		l.ordered(updateIntegers(s, n, at, x, operator))
	case *vector[uint16]:
		l.ordered(updateIntegers(s, n, at, x, operator))
	case *vector[uint32]:
		l.ordered(updateIntegers(s, n, at, x, operator))
	case *vector[uint64]:
		combine := integers[uint64](operator)
		if s.kind == ir.Char8 {
			of := combine
			combine = func(a, b uint64) uint64 { return ordered(of(ordered(a), b)) }
			operator = ir.OpInvalid
		}
		l.ordered(update(s, n, at, x, operator, combine))
	case *vector[float32]:
		l.ordered(update(s, n, at, x, operator, numbers[float32](operator)))
	case *vector[float64]:
		l.ordered(update(s, n, at, x, operator, numbers[float64](operator)))
	}
}

func updateIntegers[T integer](s *stream, n *int, at *vector[int64], x *vector[T], operator ir.Op) step {
	return update(s, n, at, x, operator, integers[T](operator))
}

func update[T number](s *stream, n *int, at *vector[int64], x *vector[T], operator ir.Op, combine func(a, b T) T) step {
	var repeated vector[T]
	return func() {
		if len(x.rows) == 1 && operator == ir.OpAdd {
			addToAll(elements[T](s), at.rows[:*n], x.rows[0])
			return
		}
		rows := x.rows
		if len(rows) == 1 {
			rows = repeated.sized(*n)
			fill(rows, x.rows[0])
		}
		switch table, places := elements[T](s), at.rows[:*n]; operator {
		case ir.OpAdd:
			addTo(table, places, rows)
		default:
			combineWith(table, places, rows, combine)
		}
	}
}

// addToAll adds x to elements of a table.
func addToAll[T number](table []T, places []int64, x T) {
	for _, p := range places {
		if uint64(p) < uint64(len(table)) {
			table[p] += x
		}
	}
}

// addTo adds rows to elements of a table.
func addTo[T number](table []T, places []int64, rows []T) {
	rows = rows[:len(places)]
	for i, p := range places {
		if uint64(p) < uint64(len(table)) {
			table[p] += rows[i]
		}
	}
}

// combineWith combines rows with elements of a table.
func combineWith[T number](table []T, places []int64, rows []T, combine func(a, b T) T) {
	rows = rows[:len(places)]
	for i, p := range places {
		if uint64(p) < uint64(len(table)) {
			table[p] = combine(table[p], rows[i])
		}
	}
}

// search links binary searches in an ascending stream.
func (l *linker) search(op *tile.Op) {
	s, n := &l.streams[op.Stream], l.count(op.Domain)
	first, end := l.full(op.Args[1], op.Domain).(*vector[int64]), l.full(op.Args[2], op.Domain).(*vector[int64])
	dst := &vector[int64]{room: l.batch}
	switch x := l.full(op.Args[0], op.Domain).(type) {
	case *vector[int32]:
		l.add(searches(s, n, dst, x, first, end))
	case *vector[int64]:
		l.add(searches(s, n, dst, x, first, end))
	case *vector[uint32]:
		l.add(searches(s, n, dst, x, first, end))
	case *vector[uint64]:
		l.add(searches(s, n, dst, x, first, end))
	default:
		l.fail("internal error: no vector form of a search for %v", l.Values[op.Args[0]].Kind)
	}
	l.define(op.Res[0], dst)
}

func searches[T number](s *stream, n *int, dst *vector[int64], x *vector[T], first, end *vector[int64]) step {
	return func() {
		ascending := elements[T](s)
		to := dst.sized(*n)
		for i := range to {
			low, high, of := first.rows[i], end.rows[i], x.rows[i]
			for low < high {
				if middle := low + (high-low)/2; ascending[middle] <= of {
					low = middle + 1
				} else {
					high = middle
				}
			}
			to[i] = low
		}
	}
}

// source links the search for the rows that rows repeat: it goes on from that of the row
// before.
func (l *linker) source(op *tile.Op) {
	l.serial = true
	s, base := &l.streams[op.Stream], &l.domains[0]
	first, end := l.full(op.Args[0], 0).(*vector[int64]), l.full(op.Args[1], 0).(*vector[int64])
	dst := &vector[int64]{room: l.batch}
	reached := shared(l, func() *int64 {
		at := new(int64)
		l.begin = append(l.begin, func() { *at = 0 })
		return at
	})
	l.ordered(func() {
		at := *reached
		defer func() { *reached = at }()
		ends, to := elements[int64](s), dst.sized(base.n)
		for i := range to {
			row, last := base.first+int64(i), end.rows[i]
			for at = max(at, first.rows[i]); at < last && ends[at] <= row; at++ {
			}
			to[i] = at
		}
	})
	l.define(op.Res[0], dst)
}

// hashTable is what operations on a hash table share.
type hashTable struct {
	*stream
	slot  *vector[int64]
	slots register                         // uniform
	same  []func(row int, held int64) bool // per key
	lone  lone                             // the only key, and
	keys  *stream                          // where it is for rows that are entered; nil for several keys or none
}

func (l *linker) hashTable(op *tile.Op, slot, slots tile.ID, keys []tile.ID) *hashTable {
	t := &hashTable{stream: &l.streams[op.Stream], slot: l.full(slot, op.Domain).(*vector[int64]), slots: l.value(slots, op.Domain)}
	for i, key := range keys {
		s := &l.streams[op.Keys[i]]
		r := l.inMemory(l.full(key, op.Domain), s, l.count(op.Domain))
		t.same = append(t.same, r.key(s))
		if len(keys) == 1 {
			t.lone, t.keys = r, s
		}
	}
	if l.Streams[op.Stream].Kind != ir.I64 {
		l.fail("internal error: no vector form of a hash table of %v", l.Streams[op.Stream].Kind)
	}
	return t
}

// equals reports whether a row has the keys of one in the table.
func (t *hashTable) equals(row int, held int64) bool {
	for _, same := range t.same {
		if !same(row, held) {
			return false
		}
	}
	return true
}

// free is what a free slot has.
const free = -1

// insert links the entry of rows in a hash table; see the operation Insert.
func (l *linker) insert(op *tile.Op) {
	l.serial = true
	t := l.hashTable(op, op.Args[1], op.Args[2], op.Args[4:])
	n, row, limit := l.count(op.Domain), l.full(op.Args[0], op.Domain).(*vector[int64]), l.value(op.Args[3], op.Domain)
	entries := shared(l, func() *int64 {
		taken := new(int64)
		l.begin = append(l.begin, func() { *taken = 0 })
		return taken
	})
	limited := op.IsLimited()
	l.ordered(func() {
		taken := *entries
		defer func() { *entries = taken }()
		if *n == 0 {
			return
		}
		table := elements[int64](t.stream)
		last, most := int64(t.slots.bits(0))-1, int64(limit.bits(0))
		if !limited {
			most = math.MaxInt64
		}
		if t.lone != nil {
			taken = t.lone.enter(t.keys, table[:last+1], t.slot.rows[:*n], row.rows, taken, most)
			return
		}
		if len(t.same) == 0 {
			taken = enterNumbers(table[:last+1], t.slot.rows[:*n], row.rows, taken, most)
			return
		}
		for i, at := range t.slot.rows[:*n] {
			if taken > most {
				return
			}
			entered := row.rows[i]
			for {
				held := table[at]
				if held == free {
					table[at] = entered
					taken++
					break
				}
				if t.equals(i, held) {
					table[at] = min(held, entered)
					break
				}
				at = (at + 1) & last
			}
		}
	})
}

// probe links the search for slots of a hash table; see the operation Probe.
func (l *linker) probe(op *tile.Op) {
	t := l.hashTable(op, op.Args[0], op.Args[1], op.Args[4:])
	n, direct, key := l.count(op.Domain), l.value(op.Args[2], op.Domain), l.full(op.Args[3], op.Domain).(*vector[int64])
	dst := &vector[int64]{room: l.batch}
	l.add(func() {
		to := dst.sized(*n)
		if *n == 0 {
			return
		}
		table, slots := elements[int64](t.stream), int64(t.slots.bits(0))
		if direct.bits(0) != 0 {
			for i, at := range key.rows[:len(to)] {
				to[i] = free
				if uint64(at) < uint64(slots) {
					to[i] = at
				}
			}
			return
		}
		if t.lone != nil {
			t.lone.seek(t.keys, table[:slots], t.slot.rows, to)
			return
		}
		for i, own := range t.slot.rows[:len(to)] {
			to[i] = free
			at := own
			for {
				held := table[at]
				if held == free {
					break
				}
				if len(t.same) == 0 && held == key.rows[i] || len(t.same) > 0 && t.equals(i, held) {
					to[i] = at
					break
				}
				if at = (at + 1) & (slots - 1); at == own { // rows were left out, and others have taken all
					break
				}
			}
		}
	})
	l.define(op.Res[0], dst)
}

// match links the search for codes in a hash table; see the operation Match.
func (l *linker) match(op *tile.Op) {
	s, n := &l.streams[op.Stream], l.count(op.Domain)
	slot, slots, direct := l.full(op.Args[0], op.Domain).(*vector[int64]), l.value(op.Args[1], op.Domain), l.value(op.Args[2], op.Domain)
	wide := l.cast(ir.U64, l.full(op.Args[3], op.Domain), n).(*vector[uint64])
	dst := &vector[uint32]{room: l.batch}
	l.add(func() {
		to := dst.sized(*n)
		if *n == 0 {
			return
		}
		if direct.bits(0) != 0 {
			clear(to)
			return
		}
		table, last := elements[uint64](s), int64(slots.bits(0))-1
		keys := wide.rows[:len(to)]
		for i, at := range slot.rows[:len(to)] {
			held := table[at]
			for held != 0 && held>>32 != keys[i] {
				at = (at + 1) & last
				held = table[at]
			}
			to[i] = uint32(held)
		}
	})
	l.define(op.Res[0], dst)
}
