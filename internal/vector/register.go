package vector

import (
	"fmt"
	"math"

	"github.com/kgen-go/kgen/internal/tile"
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

	dense bool // of places: they follow each other, and rows may have the first of them alone

	into func(n int) []T // where n rows are stored, if a column of results is all that they are for
}

// sized makes n rows of its own the value, or those of a column that they belong to.
func (v *vector[T]) sized(n int) []T {
	if v.into != nil {
		v.rows = v.into(n)
		return v.rows
	}
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
	goesInto(l *linker, s *stream, first func() int64)
	load(l *linker, s *stream, first *int64, n *int)
	gather(l *linker, s *stream, at *vector[int64], n *int, checked bool)
	repeatLoaded(s *stream, r *repetition) step
	store(l *linker, s *stream, first *int64, n *int) step
	scatter(l *linker, s *stream, at *vector[int64], n *int, ascends bool) step
	storeSelected(s *stream, at *vector[int64], sel *selection) step
	swapped(l *linker, n *int) register
	enter(keys *stream, table, own, rows []int64, taken, most int64) int64
	differ(of *stream, differ []uint8, held []int64, rows []int32, more bool)
	differInOrder(of *stream, differ []uint8, held []int64, more bool)
	comparer
	key(s *stream) func(row int, held int64) bool
	keys(s *stream) func(x, y int64) bool
	choose(l *linker, when *vector[uint8], otherwise register, room int, n *int) register
	chosen(l *linker, when *vector[uint8], otherwise register, n *int) register
	last(first bool) folder
	extreme(m *tile.Monoid, from int) folder
	shifted(l *linker, s *shifting, own, others, fill register) step
	placeHeads(l *linker, s *span, n *int, first *int64)
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

// count numbers rows from a first one on.
func count(to []int64, first int64) {
	for i := range to {
		to[i] = first + int64(i)
	}
}

// key returns whether a row of v, which is a key as memory has it, equals an element of a
// stream.
func (v *vector[T]) key(s *stream) func(row int, held int64) bool {
	return func(row int, held int64) bool { return sameKey(v.rows[row], elements[T](s)[held]) }
}

// keys returns whether two elements of a stream, which has elements of the same type, are
// equal keys.
func (*vector[T]) keys(s *stream) func(x, y int64) bool {
	return func(x, y int64) bool { return sameKey(elements[T](s)[x], elements[T](s)[y]) }
}

// sameKey reports whether keys are equal: NaN equals NaN, and -0.0 equals 0.0.
func sameKey[T number](x, y T) bool { return x == y || x != x && y != y }

func isFloat[T number]() bool {
	var x T
	switch any(x).(type) {
	case float32, float64:
		return true
	}
	return false
}
