package vector

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// shifting says which rows the rows of a batch see, some distance before them or behind.
type shifting struct {
	n     int  // rows of the batch
	again int  // so many of them see rows for which a value is computed again: those outside of the batch
	at    int  // the first of these
	into  int  // the first of these that sees a row of the domain
	ahead bool // they are the last ones; else the first
}

// shift links a neighbour. Most rows of a batch see others of it. For the rest, what they see is
// computed again, as it is for all where it lies in a stream, and need only be looked at.
func (l *linker) shift(op *tile.Op) {
	v, distance := op.Args[0], op.Distance
	of := &l.Ops[l.Values[v].Op]
	isUniform := l.Values[v].Domain == tile.Uniform
	isLooked := isUniform || of.Kind == tile.Load && len(of.Args) == 0 && l.streams[of.Stream].kind != ir.Char8
	base, s, others := &l.domains[0], &shifting{ahead: distance < 0}, &span{}
	l.add(func() {
		s.n, s.again, s.at = base.n, base.n, 0
		if !isLooked {
			s.again = int(min(max(distance, -distance), int64(base.n)))
		}
		if s.ahead {
			s.at = s.n - s.again
		}
		begin := base.first + int64(s.at) - distance
		low := min(max(begin, 0), l.rows)
		high := min(max(begin+int64(s.again), low), l.rows)
		others.first, others.n = low, int(high-low)
		s.into = s.at + s.again
		if low < high {
			s.into = s.at + int(low-begin)
		}
	})
	again := map[tile.ID]register{}
	var value func(v tile.ID) register
	value = func(v tile.ID) register {
		if l.Values[v].Domain == tile.Uniform {
			return l.value(v, tile.Uniform)
		}
		r, ok := again[v]
		if !ok {
			r = l.pure(&l.Ops[l.Values[v].Op], &others.first, &others.n, value)
			again[v] = r
		}
		return r
	}
	seen := value(v)
	if isUniform {
		seen = seen.repeated(l, &others.n)
	}
	own := seen
	if !isLooked {
		own = l.full(v, 0)
	}
	dst := seen.like(l)
	l.add(dst.shifted(l, s, own, seen, l.value(op.Args[1], 0)))
	l.define(op.Res[0], dst)
}

// shifted returns the step that makes v what rows see: own rows of the batch, other rows, and an
// element of fill where there is none.
func (v *vector[T]) shifted(l *linker, s *shifting, own, others, fill register) step {
	inside, outside, missing := own.(*vector[T]), others.(*vector[T]), fill.(*vector[T])
	sees(l, v)
	return func() {
		seen := outside.rows
		if s.again == s.n && len(seen) == s.n {
			v.rows = seen
			return
		}
		to := v.sized(s.n)
		switch rest := s.n - s.again; {
		case rest == 0:
		case s.ahead:
			copy(to[:rest], inside.rows[s.again:])
		default:
			copy(to[s.again:], inside.rows[:rest])
		}
		end := s.into + len(seen)
		missing.fillInto(to, s.at, s.into)
		copy(to[s.into:end], seen)
		missing.fillInto(to, end, s.at+s.again)
	}
}

// fillInto copies some rows of v, or the one element that all have.
func (v *vector[T]) fillInto(to []T, low, high int) {
	if len(v.rows) == len(to) {
		copy(to[low:high], v.rows[low:high])
	} else {
		fill(to[low:high], v.rows[0])
	}
}
