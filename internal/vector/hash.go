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
	fold, factor, shift := l.value(h.fold, tile.Uniform), l.value(h.factor, tile.Uniform), l.value(h.shift, tile.Uniform)
	first := register(&vector[uint64]{rows: []uint64{1}})
	if h.first != 0 {
		first = l.value(h.first, tile.Uniform)
	}
	dst, n := &vector[uint64]{room: l.batch}, l.count(op.Domain)
	switch of := l.value(l.unwidened(h.of), op.Domain).(type) {
	case *vector[uint32]:
		l.add(func() {
			hashAll(dst.sized(*n), of.rows, first.bits(0), fold.bits(0), factor.bits(0), shift.bits(0))
		})
	default:
		wide := l.cast(ir.U64, of, n).(*vector[uint64])
		l.add(func() {
			hashAll(dst.sized(*n), wide.rows, first.bits(0), fold.bits(0), factor.bits(0), shift.bits(0))
		})
	}
	return dst, true
}

// unwidened returns the unsigned integer that v is more bits of, or v.
func (f *frame) unwidened(v tile.ID) tile.ID {
	if cast := f.mapped(v, ir.OpCast); cast != nil {
		switch f.Values[cast.Args[0]].Kind {
		case ir.U8, ir.U16, ir.U32:
			return cast.Args[0]
		}
	}
	return v
}

func hashAll[T unsigned](to []uint64, of []T, first, fold, factor, shift uint64) {
	of = of[:len(to)]
	for i, x := range of {
		y := uint64(x) * first
		to[i] = (y ^ y>>(fold&63)) * factor >> (shift & 63)
	}
}
