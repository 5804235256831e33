package vector

import (
	"encoding/binary"
	"math/bits"
)

// eight is the number of flags in a word.
const eight = 8

// ones is a word of flags that hold.
const ones = 0x0101010101010101

// word returns eight flags as one number, and setWord stores them.
func word(flags []uint8, i int) uint64 { return binary.NativeEndian.Uint64(flags[i:]) }

func setWord(flags []uint8, i int, x uint64) { binary.NativeEndian.PutUint64(flags[i:], x) }

func invert(dst, x []uint8) {
	i := 0
	for ; i+eight <= len(dst); i += eight {
		setWord(dst, i, word(x, i)^ones)
	}
	for ; i < len(dst); i++ {
		dst[i] = x[i] ^ 1
	}
}

// both is the conjunction of flags.
func both(dst, x, y []uint8) {
	i := 0
	if len(y) == 1 {
		bitsAnd(dst, x, y)
		return
	}
	for ; i+eight <= len(dst); i += eight {
		setWord(dst, i, word(x, i)&word(y, i))
	}
	for ; i < len(dst); i++ {
		dst[i] = x[i] & y[i]
	}
}

// either is the disjunction of flags.
func either(dst, x, y []uint8) {
	i := 0
	if len(y) == 1 {
		bitsOr(dst, x, y)
		return
	}
	for ; i+eight <= len(dst); i += eight {
		setWord(dst, i, word(x, i)|word(y, i))
	}
	for ; i < len(dst); i++ {
		dst[i] = x[i] | y[i]
	}
}

func equal[T number](dst []uint8, x, y []T) {
	x = x[:len(dst)]
	if len(y) == 1 {
		c := y[0]
		for i := range dst {
			dst[i] = truth(x[i] == c)
		}
		return
	}
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = truth(x[i] == y[i])
	}
}

func unequal[T number](dst []uint8, x, y []T) {
	x = x[:len(dst)]
	if len(y) == 1 {
		c := y[0]
		for i := range dst {
			dst[i] = truth(x[i] != c)
		}
		return
	}
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = truth(x[i] != y[i])
	}
}

func less[T number](dst []uint8, x, y []T) {
	x = x[:len(dst)]
	if len(y) == 1 {
		c := y[0]
		for i := range dst {
			dst[i] = truth(x[i] < c)
		}
		return
	}
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = truth(x[i] < y[i])
	}
}

func atMost[T number](dst []uint8, x, y []T) {
	x = x[:len(dst)]
	if len(y) == 1 {
		c := y[0]
		for i := range dst {
			dst[i] = truth(x[i] <= c)
		}
		return
	}
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = truth(x[i] <= y[i])
	}
}

func greater[T number](dst []uint8, x, y []T) {
	x = x[:len(dst)]
	if len(y) == 1 {
		c := y[0]
		for i := range dst {
			dst[i] = truth(x[i] > c)
		}
		return
	}
	less(dst, y[:len(dst)], x)
}

func atLeast[T number](dst []uint8, x, y []T) {
	x = x[:len(dst)]
	if len(y) == 1 {
		c := y[0]
		for i := range dst {
			dst[i] = truth(x[i] >= c)
		}
		return
	}
	atMost(dst, y[:len(dst)], x)
}

// choose returns, row by row, v or another vector.
func (v *vector[T]) choose(l *linker, when *vector[uint8], otherwise register, room int, n *int) register {
	dst, other := &vector[T]{room: room}, otherwise.(*vector[T])
	l.add(func() { choose(dst.sized(*n), when.rows, v.rows, other.rows) })
	return dst
}

// chosen is choose where one flag is that of all rows.
func (v *vector[T]) chosen(l *linker, when *vector[uint8], otherwise register, n *int) register {
	dst, other := &vector[T]{room: l.batch}, otherwise.(*vector[T])
	sees(l, dst)
	l.add(func() {
		from := other
		if when.rows[0] != 0 {
			from = v
		}
		if len(from.rows) == 1 {
			fill(dst.sized(*n), from.rows[0])
			return
		}
		dst.rows = from.rows[:*n]
	})
	return dst
}

func choose[T number](dst []T, when []uint8, x, y []T) {
	when = when[:len(dst)]
	switch {
	case len(x) == 1 && len(y) == 1:
		c, d := x[0], y[0]
		for i, w := range when {
			v := d
			if w != 0 {
				v = c
			}
			dst[i] = v
		}
	case len(x) == 1:
		c := x[0]
		y = y[:len(dst)]
		for i, w := range when {
			v := y[i]
			if w != 0 {
				v = c
			}
			dst[i] = v
		}
	case len(y) == 1:
		d := y[0]
		x = x[:len(dst)]
		for i, w := range when {
			v := d
			if w != 0 {
				v = x[i]
			}
			dst[i] = v
		}
	default:
		x, y = x[:len(dst)], y[:len(dst)]
		for i, w := range when {
			v := y[i]
			if w != 0 {
				v = x[i]
			}
			dst[i] = v
		}
	}
}

// selectRows returns the places of the flags that hold.
func selectRows(room []int32, flags []uint8) []int32 {
	k, i := 0, 0
	for ; i+eight <= len(flags); i += eight {
		w := word(flags, i)
		if w == 0 {
			continue
		}
		to := (*[eight]int32)(room[k:])
		mask := w * flagBits >> 56
		at, of := int32(i), &placesOf[mask]
		to[0] = at + int32(of[0])
		to[1] = at + int32(of[1])
		to[2] = at + int32(of[2])
		to[3] = at + int32(of[3])
		to[4] = at + int32(of[4])
		to[5] = at + int32(of[5])
		to[6] = at + int32(of[6])
		to[7] = at + int32(of[7])
		k += bits.OnesCount8(uint8(mask))
	}
	for ; i < len(flags); i++ {
		room[k] = int32(i)
		k += int(flags[i])
	}
	return room[:k]
}

// flagBits is the factor that moves eight flags to the highest eight bits of a word, in the
// order of memory.
var flagBits uint64 = 0x0102040810204080

// placesOf has the places of the bits of a mask, the first bit first.
var placesOf [256][eight]uint8

func init() {
	order := func(bit int) int { return bit }
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 { // the first flag is the highest byte
		order = func(bit int) int { return eight - 1 - bit }
	}
	for mask := range placesOf {
		k := 0
		for bit := range eight {
			if mask>>order(bit)&1 != 0 {
				placesOf[mask][k] = uint8(bit)
				k++
			}
		}
	}
}

// head finds where a key differs from that of the row before. With more, it adds to what
// another key found; else row 0 of the base is a head, too.
func (v *vector[T]) head(l *linker, dst *vector[uint8], n *int, first *int64, more bool) {
	before := v.rowBefore(l, n)
	l.add(func() {
		rows := v.rows
		to := dst.rows
		if !more {
			to = dst.sized(*n)
		}
		if len(to) == 0 {
			return
		}
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
		first := *first == 0 || !sameKey(*before, rows[0])
		if more {
			to[0] |= truth(first)
		} else {
			to[0] = truth(first)
		}
	})
}

// rowBefore returns where the last row of the batch before is.
func (v *vector[T]) rowBefore(l *linker, n *int) *T {
	last, before := shared(l, func() *T { return new(T) }), new(T)
	l.ordered(func() {
		if *n > 0 {
			*before, *last = *last, v.rows[len(v.rows)-1]
		}
	})
	return before
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

func truth(b bool) uint8 {
	var x uint8
	if b {
		x = 1
	}
	return x
}
