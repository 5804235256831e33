package vector

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
)

type (
	signed   interface{ int8 | int16 | int32 | int64 }
	unsigned interface {
		uint8 | uint16 | uint32 | uint64
	}
	integer interface{ signed | unsigned }
	float   interface{ float32 | float64 }
	number  interface{ integer | float }
)

// vector is the value of an operation in the batch at hand: an element per row of its domain,
// or one element if all rows have the same. A bool is a uint8 of 0 or 1; a char8 is a uint64
// whose order is that of the bytes.
type vector[T number] struct {
	rows []T // of a stream, of another vector, or own
	own  []T // memory of its own, once it is needed
	room int // the most rows that it has there
}

// sized makes n rows of its own the value.
func (v *vector[T]) sized(n int) []T {
	if n > len(v.own) {
		v.own = make([]T, max(v.room, n))
	}
	v.rows = v.own[:n]
	return v.rows
}

// register is a vector of any element type.
type register interface {
	bits(row int) uint64     // as those of an [ir.Scalar]
	set(bits uint64)         // makes it one element
	like(l *linker) register // a new vector of the same type, with room for a batch
	compacted(l *linker, sel *selection) register
	repeated(l *linker, n *int) register
	window(row int, of register) // becomes one row of another vector of the same type
	put(row int, bits uint64)    // of its own rows
	resize(n int)
	size() int
	load(l *linker, s *stream, first *int64, n *int)
	gather(l *linker, s *stream, at *vector[int64], n *int, checked bool)
	store(l *linker, s *stream, first *int64, n *int) step
	scatter(l *linker, s *stream, at *vector[int64], n *int, ascends bool) step
	storeSelected(s *stream, at *vector[int64], sel *selection) step
	swapped(l *linker, n *int) register
	key(s *stream) func(row int, held int64) bool
	choose(l *linker, when *vector[uint8], otherwise register, room int, n *int) register
	shifted(l *linker, from register, into, n *int, fill register) step
	head(l *linker, dst *vector[uint8], n *int, first *int64, more bool)
}

// newRegister returns a vector for elements of kind k.
func newRegister(k ir.Kind, room int) register {
	switch k.Stored() {
	case ir.Bool, ir.U8:
		return &vector[uint8]{room: room}
	case ir.I8:
		return &vector[int8]{room: room}
	case ir.I16:
		return &vector[int16]{room: room}
	case ir.I32:
		return &vector[int32]{room: room}
	case ir.I64:
		return &vector[int64]{room: room}
	case ir.U16:
		return &vector[uint16]{room: room}
	case ir.U32:
		return &vector[uint32]{room: room}
	case ir.U64, ir.Char8:
		return &vector[uint64]{room: room}
	case ir.F32:
		return &vector[float32]{room: room}
	case ir.F64:
		return &vector[float64]{room: room}
	}
	panic(fmt.Sprintf("vector: no vectors of %v", k))
}

// bitsOf returns the bits of an element as an [ir.Scalar] has them.
func bitsOf[T number](x T) uint64 {
	switch x := any(x).(type) {
	case float32:
		return uint64(math.Float32bits(x))
	case float64:
		return math.Float64bits(x)
	}
	return uint64(int64(x)) // of an unsigned one, too: it is at most 64 bits wide
}

// ofBits is the inverse of bitsOf.
func ofBits[T number](bits uint64) (x T) {
	switch x := any(&x).(type) {
	case *float32:
		*x = math.Float32frombits(uint32(bits))
		return any(*x).(T)
	case *float64:
		*x = math.Float64frombits(bits)
		return any(*x).(T)
	}
	return T(bits)
}

func (v *vector[T]) bits(row int) uint64 { return bitsOf(v.rows[row]) }

func (v *vector[T]) set(bits uint64) { v.sized(1)[0] = ofBits[T](bits) }

func (v *vector[T]) put(row int, bits uint64) { v.rows[row] = ofBits[T](bits) }

func (v *vector[T]) resize(n int) { v.sized(n) }

func (v *vector[T]) size() int { return len(v.rows) }

func (v *vector[T]) like(l *linker) register { return &vector[T]{room: l.batch} }

func (v *vector[T]) window(row int, of register) { v.rows = of.(*vector[T]).rows[row : row+1] }

// compacted returns the rows that a selection takes.
func (v *vector[T]) compacted(l *linker, sel *selection) register {
	dst := &vector[T]{room: l.batch}
	sees(l, dst)
	l.add(func() {
		if sel.all {
			dst.rows = v.rows
			return
		}
		take(dst.sized(len(sel.rows)), v.rows, sel.rows)
	})
	return dst
}

// take copies the rows at places.
func take[T any](to, from []T, places []int32) {
	to = to[:len(places)]
	for i, p := range places {
		to[i] = from[p]
	}
}

// repeated returns n rows of the one element.
func (v *vector[T]) repeated(l *linker, n *int) register {
	dst := &vector[T]{room: l.batch}
	l.add(func() { fill(dst.sized(*n), v.rows[0]) })
	return dst
}

func fill[T any](to []T, x T) {
	for i := range to {
		to[i] = x
	}
}

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

// count numbers rows from a first one on.
func count(to []int64, first int64) {
	for i := range to {
		to[i] = first + int64(i)
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

// store returns the step that writes n rows of v to a stream, from the first row on.
func (v *vector[T]) store(l *linker, s *stream, first *int64, n *int) step {
	return func() { put(elements[T](s)[*first:*first+int64(*n)], v.rows) }
}

// put copies rows, or the one element that all have.
func put[T any](to, rows []T) {
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
		if len(places) == 1 {
			to[places[0]] = rows[len(rows)-1]
			return
		}
		places = places[:count]
		if first := places[0]; ascends && places[count-1]-first == int64(count-1) {
			put(to[first:first+int64(count)], rows)
			return
		}
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

// key returns whether a row of v, which is a key as memory has it, equals an element of a
// stream.
func (v *vector[T]) key(s *stream) func(row int, held int64) bool {
	return func(row int, held int64) bool {
		x := v.rows[min(row, len(v.rows)-1)]
		return sameKey(x, elements[T](s)[held])
	}
}

// sameKey reports whether keys are equal: NaN equals NaN, and -0.0 equals 0.0.
func sameKey[T number](x, y T) bool { return x == y || x != x && y != y }

// shifted returns the step that gives v n rows: rows of another vector from place into on, and
// the element fill in all others.
func (v *vector[T]) shifted(l *linker, from register, into, n *int, filler register) step {
	src, other := from.(*vector[T]), filler.(*vector[T])
	sees(l, v)
	return func() {
		if *into == 0 && len(src.rows) == *n {
			v.rows = src.rows
			return
		}
		to := v.sized(*n)
		end := *into + len(src.rows)
		if len(other.rows) == len(to) {
			copy(to[:*into], other.rows)
			copy(to[end:], other.rows[end:])
		} else {
			fill(to[:*into], other.rows[0])
			fill(to[end:], other.rows[0])
		}
		copy(to[*into:], src.rows)
	}
}

// head finds where a key differs from that of the row before. With more, it adds to what
// another key found; else row 0 of the base is a head, too.
func (v *vector[T]) head(l *linker, dst *vector[uint8], n *int, first *int64, more bool) {
	var last T
	l.add(func() {
		rows := v.rows
		to := dst.rows
		if !more {
			to = dst.sized(*n)
		}
		if len(to) == 0 {
			return
		}
		before := last
		last = rows[len(rows)-1]
		switch {
		case len(rows) == 1 && !more:
			clear(to)
		case len(rows) == 1:
		case isFloat[T]():
			floatHeads(to, rows, more)
		case more:
			moreHeads(to, rows)
		default:
			heads(to, rows)
		}
		first := *first == 0 || !sameKey(before, rows[0])
		if more {
			to[0] |= truth(first)
		} else {
			to[0] = truth(first)
		}
	})
}

// heads marks the rows after the first that differ from the row before.
func heads[T number](to []uint8, rows []T) {
	to = to[1:]
	before, rows := rows[:len(to)], rows[1:][:len(to)]
	for i := range to {
		to[i] = truth(rows[i] != before[i])
	}
}

// moreHeads is heads, beside those that are marked.
func moreHeads[T number](to []uint8, rows []T) {
	to = to[1:]
	before, rows := rows[:len(to)], rows[1:][:len(to)]
	for i := range to {
		to[i] |= truth(rows[i] != before[i])
	}
}

func floatHeads[T number](to []uint8, rows []T, more bool) {
	for i := 1; i < len(to); i++ {
		flag := truth(!sameKey(rows[i-1], rows[i]))
		if more {
			flag |= to[i]
		}
		to[i] = flag
	}
}

func isFloat[T number]() bool {
	var x T
	switch any(x).(type) {
	case float32, float64:
		return true
	}
	return false
}

func truth(b bool) uint8 {
	var x uint8
	if b {
		x = 1
	}
	return x
}
