package vector

import (
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
