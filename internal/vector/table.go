package vector

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// update links the combination of rows with elements of a table. An index outside, which a
// check has reported, changes nothing.
func (l *linker) update(i int) {
	if l.counted(i) {
		return
	}
	op := &l.Ops[i]
	at := l.full(op.Args[0], op.Domain).(*vector[int64])
	operator, v := op.Monoid.Combine[0].Operator, op.Args[1]
	if operator == ir.OpAdd {
		if of := l.widened(v); of != v {
			l.addWidened(op, at, of)
			return
		}
	}
	switch x := l.value(v, op.Domain).(type) {
	case *vector[uint8]:
		update(l, op, at, x, integers[uint8](operator))
	case *vector[int8]:
		update(l, op, at, x, integers[int8](operator))
	case *vector[int16]:
		update(l, op, at, x, integers[int16](operator))
	case *vector[int32]:
		update(l, op, at, x, integers[int32](operator))
	case *vector[int64]:
		update(l, op, at, x, integers[int64](operator))
	case *vector[uint16]:
		update(l, op, at, x, integers[uint16](operator))
	case *vector[uint32]:
		update(l, op, at, x, integers[uint32](operator))
	case *vector[uint64]:
		combine := integers[uint64](operator)
		if l.streams[op.Stream].kind == ir.Char8 {
			of := combine
			combine = func(a, b uint64) uint64 { return ordered(of(ordered(a), b)) }
		}
		update(l, op, at, x, combine)
	case *vector[float32]:
		update(l, op, at, x, numbers[float32](operator))
	case *vector[float64]:
		update(l, op, at, x, numbers[float64](operator))
	}
}

func update[T number](l *linker, op *tile.Op, at *vector[int64], x *vector[T], combine func(a, b T) T) {
	n, operator := l.count(op.Domain), op.Monoid.Combine[0].Operator
	if l.streams[op.Stream].kind == ir.Char8 {
		operator = ir.OpInvalid
	}
	var repeated vector[T]
	inTable(l, op, combine, func(table []T) {
		places, rows := at.rows[:*n], x.rows
		if len(rows) == 1 && operator == ir.OpAdd {
			addToAll(table, places, rows[0])
			return
		}
		if len(rows) == 1 {
			rows = repeated.sized(*n)
			fill(rows, x.rows[0])
		}
		switch operator {
		case ir.OpAdd:
			addTo(table, places, rows)
		case ir.OpLeast:
			lower(table, places, rows)
		case ir.OpGreatest:
			raise(table, places, rows)
		default:
			combineWith(table, places, rows, combine)
		}
	})
}

// addWidened links the addition of narrow integers to a table of wide ones.
func (l *linker) addWidened(op *tile.Op, at *vector[int64], of tile.ID) {
	switch x := l.value(of, op.Domain).(type) {
	case *vector[int8]:
		addWidened(l, op, at, x)
	case *vector[int16]:
		addWidened(l, op, at, x)
	case *vector[int32]:
		addWidened(l, op, at, x)
	case *vector[uint8]:
		addWidened(l, op, at, x)
	case *vector[uint16]:
		addWidened(l, op, at, x)
	case *vector[uint32]:
		addWidened(l, op, at, x)
	}
}

func addWidened[T integer](l *linker, op *tile.Op, at *vector[int64], x *vector[T]) {
	n := l.count(op.Domain)
	inTable(l, op, integers[int64](ir.OpAdd), func(table []int64) {
		if len(x.rows) == 1 {
			addToAll(table, at.rows[:*n], int64(x.rows[0]))
			return
		}
		addTo(table, at.rows[:*n], x.rows)
	})
}

// ownTable is the most elements of a table of which several workers have one each, unless there
// are rowsPerOwn rows for each element.
const (
	ownTable   = 1 << 14
	rowsPerOwn = 64
)

// isOwn reports whether several workers have tables of so many elements of their own.
func isOwn(elements, rows int64) bool { return elements <= ownTable || elements <= rows/rowsPerOwn }

// inTable links a loop that combines rows with a table. Several workers do so in tables of their
// own, which are combined in the end: that comes to the same for integers. If the table is large, or
// of floats, they take turns.
func inTable[T number](l *linker, op *tile.Op, combine func(a, b T) T, loop func(table []T)) {
	f, s := l.frame, &l.streams[op.Stream]
	if isFloat[T]() || s.kind == ir.Char8 {
		l.serial = true
		l.ordered(func() { loop(elements[T](s)) })
		return
	}
	f.combined = append(f.combined, op.Stream)
	identity, inTurn := ofBits[T](op.Monoid.Identity[0].Bits), l.inTurn()
	var own []T
	l.add(func() {
		table := elements[T](s)
		switch {
		case f.turns == nil:
			loop(table)
		case !isOwn(s.length, f.rows):
			inTurn(func() { loop(table) })
		default:
			if own == nil {
				own = make([]T, len(table))
				fill(own, identity)
			}
			loop(own)
		}
	})
	l.merges = append(l.merges, func() {
		for i, x := range own {
			table := elements[T](s)
			table[i] = combine(table[i], x)
		}
		own = nil
	})
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
func addTo[T, S number](table []T, places []int64, rows []S) {
	rows = rows[:len(places)]
	for i, p := range places {
		if uint64(p) < uint64(len(table)) {
			table[p] += T(rows[i])
		}
	}
}

// lower makes elements of a table the least of them and rows.
func lower[T number](table []T, places []int64, rows []T) {
	rows = rows[:len(places)]
	if !isFloat[T]() {
		for i, p := range places {
			if uint64(p) < uint64(len(table)) && rows[i] < table[p] {
				table[p] = rows[i]
			}
		}
		return
	}
	for i, p := range places {
		if uint64(p) < uint64(len(table)) {
			table[p] = min(table[p], rows[i])
		}
	}
}

// raise makes elements of a table the greatest of them and rows.
func raise[T number](table []T, places []int64, rows []T) {
	rows = rows[:len(places)]
	if !isFloat[T]() {
		for i, p := range places {
			if uint64(p) < uint64(len(table)) && rows[i] > table[p] {
				table[p] = rows[i]
			}
		}
		return
	}
	for i, p := range places {
		if uint64(p) < uint64(len(table)) {
			table[p] = max(table[p], rows[i])
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
