package vector

import (
	"sort"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// repetition is rows of the base that repeat others, their sources, as often as a stream of ends says:
// those before an end, and behind the end before, have one source.
type repetition struct {
	stream     *stream
	first, end *vector[int64] // sources are from the first on, and below the end
	base       *span
	begin      int64 // the source of the first row of the batch
}

// repetition links the search for the source of the first row of a batch.
func (l *linker) repetition(op *tile.Op) *repetition {
	if r := l.repetitions[op.Res[0]]; r != nil {
		return r
	}
	r := &repetition{stream: &l.streams[op.Stream], base: &l.domains[0],
		first: l.value(op.Args[0], 0).(*vector[int64]), end: l.value(op.Args[1], 0).(*vector[int64])}
	l.repetitions[op.Res[0]] = r
	l.add(func() {
		if r.base.n == 0 {
			return
		}
		ends, low := r.ends(), r.first.rows[0]
		r.begin = low + int64(sort.Search(len(ends)-int(low), func(i int) bool { return ends[low+int64(i)] > r.base.first }))
	})
	return r
}

// ends returns the ends, in a batch that has rows.
func (r *repetition) ends() []int64 {
	return elements[int64](r.stream)[:r.end.rows[len(r.end.rows)-1]]
}

// source links the sources of rows.
func (l *linker) source(op *tile.Op) {
	r, dst := l.repetition(op), &vector[int64]{room: l.batch}
	l.add(func() {
		if to := dst.sized(r.base.n); len(to) > 0 {
			sources(to, r.ends(), r.begin, r.base.first)
		}
	})
	l.define(op.Res[0], dst)
}

// sources gives consecutive rows from a first one on their sources, of which the first is given: each end
// is counted at its row, and a running sum adds them up, so that nothing branches on how often a source
// is repeated.
func sources(to, ends []int64, begin, first int64) {
	clear(to)
	for _, end := range ends[begin:] {
		row := end - first
		if row >= int64(len(to)) {
			break
		}
		to[row]++
	}
	for i, passed := range to {
		begin += passed
		to[i] = begin
	}
}

// repeatedLoad links the elements of a stream at the sources of rows, if an operation loads these: each
// source is looked up once, however often it is repeated.
func (l *linker) repeatedLoad(op *tile.Op) (register, bool) {
	if op.Kind != tile.Load || len(op.Args) == 0 || op.Domain != 0 || l.lenient {
		return nil, false
	}
	at := op.Args[0]
	if cast := l.mapped(at, ir.OpCast); cast != nil && l.Values[cast.Args[0]].Kind == ir.I64 {
		at = cast.Args[0]
	}
	source := &l.Ops[l.Values[at].Op]
	if source.Kind != tile.Source {
		return nil, false
	}
	s, r := &l.streams[op.Stream], l.repetition(source)
	dst := newRegister(s.kind, l.batch)
	l.add(dst.repeatLoaded(s, r))
	return dst, true
}

// repeatLoaded returns the step that gives v the elements of a stream at the sources of rows.
func (v *vector[T]) repeatLoaded(s *stream, r *repetition) step {
	var places vector[int64]
	return func() {
		to := v.sized(r.base.n)
		if len(to) == 0 {
			return
		}
		from, ends := elements[T](s), r.ends()
		if len(from) < len(ends) { // some sources lie outside
			sources(places.sized(len(to)), ends, r.begin, r.base.first)
			gather(to, from, places.rows, true)
		} else {
			repeatRows(to, from, ends, r.begin, r.base.first)
		}
		if s.kind == ir.Char8 {
			words := any(to).([]uint64)
			orderAll(words, words)
		}
	}
}

// repeatRows gives consecutive rows from a first one on the elements of their sources. Of each it writes a
// few, over which the next one goes, so that nothing branches on how often a source is repeated, if
// that is not more often.
func repeatRows[T number](to, from []T, ends []int64, begin, first int64) {
	const few = 4
	from = from[:len(ends)]
	at, k := int(begin), 0
	for k+few <= len(to) {
		x, end := from[at], int(ends[at]-first)
		four := (*[few]T)(to[k:])
		four[0], four[1], four[2], four[3] = x, x, x, x
		if end > k+few {
			end = min(end, len(to))
			fill(to[k+few:end], x)
		}
		k = end
		at++
	}
	for ; k < len(to); at++ {
		for end := min(int(ends[at]-first), len(to)); k < end; k++ {
			to[k] = from[at]
		}
	}
}
