package vector

import (
	"encoding/binary"
	"unsafe"

	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
)

// stream is memory that a kernel reads or writes: the rows of a buffer.
type stream struct {
	data   []byte
	length int64 // elements
	kind   ir.Kind
}

// elements returns the elements of a stream. Those of char8 are bytes in order.
func elements[T number](s *stream) []T { return raw.SliceOf[T](s.data) }

// ordered turns the 8 bytes of a char8, as memory has them, into the number that orders as
// they do, and back.
func ordered(x uint64) uint64 {
	var bytes [8]byte
	binary.NativeEndian.PutUint64(bytes[:], x)
	return binary.BigEndian.Uint64(bytes[:])
}

func orderAll(to, from []uint64) {
	from = from[:len(to)]
	for i, x := range from {
		to[i] = ordered(x)
	}
}

// swapped returns char8 in the other of the two orders.
func (v *vector[T]) swapped(l *linker, n *int) register {
	src := any(v).(*vector[uint64])
	dst := &vector[uint64]{room: l.batch}
	l.add(func() {
		orderAll(dst.sized(min(*n, len(src.rows))), src.rows)
	})
	return dst
}

// load makes v n elements of a stream from the first row on.
func (v *vector[T]) load(l *linker, s *stream, first *int64, n *int) {
	if s.kind == ir.Char8 {
		dst := any(v).(*vector[uint64])
		l.add(func() {
			orderAll(dst.sized(*n), elements[uint64](s)[*first:])
		})
		return
	}
	sees(l, v)
	l.add(func() { v.rows = elements[T](s)[*first : *first+int64(*n)] })
}

// gather makes v the elements of a stream at places. Checked, one outside is zero.
func (v *vector[T]) gather(l *linker, s *stream, at *vector[int64], n *int, checked bool) {
	l.add(func() {
		from, places := elements[T](s), at.rows
		to := v.sized(*n)
		if len(places) == 1 && len(to) > 1 {
			var x T
			if p := places[0]; !checked || uint64(p) < uint64(len(from)) {
				x = from[p]
			}
			fill(to, x)
			return
		}
		gather(to, from, places[:len(to)], checked)
	})
	if s.kind == ir.Char8 {
		dst := any(v).(*vector[uint64])
		l.add(func() {
			orderAll(dst.rows, dst.rows)
		})
	}
}

// gather copies the rows at places, of which some may lie outside.
func gather[T number](to, from []T, places []int64, checked bool) {
	to = to[:len(places)]
	if !checked {
		for i, p := range places {
			to[i] = from[p]
		}
		return
	}
	for i, p := range places {
		var x T
		if uint64(p) < uint64(len(from)) {
			x = from[p]
		}
		to[i] = x
	}
}

// goesInto has rows of v computed where they are stored, from a first row on that is known by then.
func (v *vector[T]) goesInto(l *linker, s *stream, first func() int64) {
	if v.into != nil { // a column has them already
		return
	}
	sees(l, v)
	v.into = func(n int) []T {
		if n == 0 {
			return nil
		}
		at := first()
		return elements[T](s)[at : at+int64(n)]
	}
}

// store returns the step that writes n rows of v to a stream, from the first row on.
func (v *vector[T]) store(l *linker, s *stream, first *int64, n *int) step {
	return func() { put(elements[T](s)[*first:*first+int64(*n)], v.rows) }
}

// put copies rows, or the one element that all have, unless they are there.
func put[T any](to, rows []T) {
	if unsafe.SliceData(to) == unsafe.SliceData(rows) {
		return
	}
	if len(rows) == 1 {
		fill(to, rows[0])
		return
	}
	copy(to, rows)
}

// scatter returns the step that writes n rows of v to places of a stream, which may be known
// to ascend.
func (v *vector[T]) scatter(l *linker, s *stream, at *vector[int64], n *int, ascends bool) step {
	return func() {
		to, places, rows := elements[T](s), at.rows, v.rows
		count := *n
		if count == 0 {
			return
		}
		if len(places) == 1 && !at.dense {
			to[places[0]] = rows[len(rows)-1]
			return
		}
		if first := places[0]; at.dense || ascends && places[count-1]-first == int64(count-1) {
			put(to[first:first+int64(count)], rows)
			return
		}
		places = places[:count]
		if len(rows) == 1 {
			for _, p := range places {
				to[p] = rows[0]
			}
			return
		}
		scatter(to, rows[:count], places)
	}
}

// scatter copies rows to places.
func scatter[T any](to, rows []T, places []int64) {
	rows = rows[:len(places)]
	for i, p := range places {
		to[p] = rows[i]
	}
}

// storeSelected returns the step that writes the rows of v that a selection takes to places
// of a stream that follow each other.
func (v *vector[T]) storeSelected(s *stream, at *vector[int64], sel *selection) step {
	return func() {
		n := len(sel.rows)
		if n == 0 {
			return
		}
		first, from := at.rows[0], v.rows
		to := elements[T](s)[first : first+int64(n)]
		if sel.all {
			copy(to, from)
			return
		}
		take(to, from, sel.rows)
	}
}
