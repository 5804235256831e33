package vector

import (
	"github.com/kgen-go/kgen/internal/tile"
)

// nestedOthers is how many rows a batch is compared with at a time, which stay in the cache.
const nestedOthers = 2048

// nested links nested loops; see the operations Partners and Pairs.
func (l *linker) nested(op *tile.Op) {
	n, args := l.count(0), op.Args
	var begin *vector[int64]
	if op.Kind == tile.Pairs {
		begin, args = l.full(args[0], 0).(*vector[int64]), args[1:]
	}
	others := l.value(args[0], 0)
	var same []func(row int, other int64) bool
	for i, key := range args[1:] {
		s := &l.streams[op.Keys[i]]
		same = append(same, l.inMemory(l.full(key, 0), s, n).key(s))
	}
	each := func(equal func(row int, other int64)) {
		if *n == 0 {
			return
		}
		end := int64(others.bits(0))
		for block := int64(0); block < end; block += nestedOthers {
			l.mayEnd()
			for row := range *n {
			compare:
				for other := block; other < min(block+nestedOthers, end); other++ {
					for _, isEqual := range same {
						if !isEqual(row, other) {
							continue compare
						}
					}
					equal(row, other)
				}
			}
		}
	}
	if op.Kind == tile.Pairs {
		l.pairs(op, n, begin, each)
		return
	}
	l.partners(op, n, each)
}

// partners links the count of the partners of rows, or the first ones.
func (l *linker) partners(op *tile.Op, n *int, each func(equal func(row int, other int64))) {
	dst := &vector[int64]{room: l.batch}
	l.add(func() {
		to := dst.sized(*n)
		if !op.First {
			clear(to)
			each(func(row int, _ int64) { to[row]++ })
			return
		}
		fill(to, -1)
		each(func(row int, other int64) {
			if to[row] < 0 {
				to[row] = other
			}
		})
	})
	l.define(op.Res[0], dst)
}

// pairs links the stores of the partners of rows.
func (l *linker) pairs(op *tile.Op, n *int, begin *vector[int64], each func(equal func(row int, other int64))) {
	s, next := &l.streams[op.Stream], &vector[int64]{room: l.batch}
	l.add(func() {
		to, pairs := next.sized(*n), elements[int64](s)
		copy(to, begin.rows)
		each(func(row int, other int64) {
			pairs[to[row]] = other
			to[row]++
		})
	})
}
