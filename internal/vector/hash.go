package vector

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// hash is a hash of a value: (y ^ y >> fold) * factor >> shift, where y is the value or, if first
// is not 0, the product of both.
type hash struct {
	of, first, fold, factor, shift tile.ID
}

// hashOf returns the hash that v is, if it is one.
func (f *frame) hashOf(v tile.ID) (h hash, ok bool) {
	product, shift, ok := f.withUniform(v, ir.OpShr)
	if !ok || f.Values[v].Kind != ir.U64 {
		return hash{}, false
	}
	folded, factor, ok := f.withUniform(product, ir.OpMul)
	if !ok {
		return hash{}, false
	}
	xor := f.mapped(folded, ir.OpXor)
	if xor == nil {
		return hash{}, false
	}
	y := xor.Args[0]
	high, fold, ok := f.withUniform(xor.Args[1], ir.OpShr)
	if !ok || high != y {
		return hash{}, false
	}
	h = hash{of: y, fold: fold, factor: factor, shift: shift}
	if of, first, ok := f.withUniform(y, ir.OpMul); ok && f.uses[y] == 2 {
		h.of, h.first = of, first
	}
	return h, true
}

// hashed links a hash by one loop, if an operation is one.
func (l *linker) hashed(op *tile.Op) (register, bool) {
	if op.Kind != tile.Map || op.Operator != ir.OpShr || op.Domain == tile.Uniform {
		return nil, false
	}
	h, ok := l.hashOf(op.Res[0])
	if !ok {
		return nil, false
	}
	of := l.value(h.of, op.Domain).(*vector[uint64])
	fold, factor, shift := l.value(h.fold, tile.Uniform), l.value(h.factor, tile.Uniform), l.value(h.shift, tile.Uniform)
	first := register(&vector[uint64]{rows: []uint64{1}})
	if h.first != 0 {
		first = l.value(h.first, tile.Uniform)
	}
	dst, n := &vector[uint64]{room: l.batch}, l.count(op.Domain)
	l.add(func() {
		hashAll(dst.sized(*n), of.rows, first.bits(0), fold.bits(0), factor.bits(0), shift.bits(0))
	})
	return dst, true
}

func hashAll(to, of []uint64, first, fold, factor, shift uint64) {
	of = of[:len(to)]
	for i, x := range of {
		y := x * first
		to[i] = (y ^ y>>(fold&63)) * factor >> (shift & 63)
	}
}

// Loops over hash tables whose rows have one key, as most have. The others compare their keys
// one after the other, each by a function.

// lone is a register that is the only key of a hash table.
type lone interface {
	// seek gives each row the slot of its key, from its own slot on, or free.
	seek(keys *stream, table, own, to []int64)
	// enter enters rows, and returns how many slots are taken; it stops at more than most.
	enter(keys *stream, table, own, rows []int64, taken, most int64) int64
}

func (v *vector[T]) seek(keys *stream, table, own, to []int64) {
	held, rows := elements[T](keys), v.rows[:len(to)]
	own = own[:len(to)]
	for i, first := range own {
		to[i] = seekOne(rows[i], held, table, first)
	}
}

// seekOne returns the slot of a key. Where rows were left out, others may have taken all slots.
func seekOne[T number](x T, held []T, table []int64, first int64) int64 {
	for at := first; ; {
		row := table[at]
		if row == free {
			return free
		}
		if sameKey(x, held[row]) {
			return at
		}
		if at = (at + 1) & int64(len(table)-1); at == first {
			return free
		}
	}
}

func (v *vector[T]) enter(keys *stream, table, own, rows []int64, taken, most int64) int64 {
	held, of, mask := elements[T](keys), v.rows[:len(own)], int64(len(table)-1)
	rows = rows[:len(own)]
	for i, at := range own {
		if taken > most {
			break
		}
		x, entered := of[i], rows[i]
		for {
			row := table[at]
			if row == free {
				table[at] = entered
				taken++
				break
			}
			if sameKey(x, held[row]) {
				table[at] = min(row, entered)
				break
			}
			at = (at + 1) & mask
		}
	}
	return taken
}

// enterNumbers is enter where the rows' numbers are all that the table has of them.
func enterNumbers(table, own, rows []int64, taken, most int64) int64 {
	mask := int64(len(table) - 1)
	rows = rows[:len(own)]
	for i, at := range own {
		if taken > most {
			break
		}
		entered := rows[i]
		held := table[at]
		for held != free && held != entered {
			at = (at + 1) & mask
			held = table[at]
		}
		if held == free {
			table[at] = entered
			taken++
		}
	}
	return taken
}
