package vector

import (
	"math"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// A sort compares floats as unsigned numbers that have their order: with NaN last and -0.0 as 0.0.

// orderedFloat returns the float of which v is the number that has its order, if it is one:
//
//	select(x == x, select(bits(x) > sign, ^bits(x), bits(x) | sign), all)
func (f *frame) orderedFloat(v tile.ID) (x tile.ID, ok bool) {
	of := f.mapped(v, ir.OpSelect)
	if of == nil || f.Values[v].Domain == tile.Uniform || !f.isAllBits(of.Args[2]) {
		return 0, false
	}
	isNumber, number := f.mapped(of.Args[0], ir.OpEq), f.mapped(of.Args[1], ir.OpSelect)
	if isNumber == nil || number == nil || isNumber.Args[0] != isNumber.Args[1] {
		return 0, false
	}
	x = isNumber.Args[0]
	isNegative, inverted, positive := f.mapped(number.Args[0], ir.OpGt), f.mapped(number.Args[1], ir.OpComplement), f.mapped(number.Args[2], ir.OpOr)
	if isNegative == nil || inverted == nil || positive == nil {
		return 0, false
	}
	pattern := inverted.Args[0]
	isSign := func(v tile.ID) bool { return f.IsConst(v, 1<<(8*f.Values[pattern].Kind.Size()-1)) }
	if bits := f.mapped(pattern, ir.OpBits); bits == nil || bits.Args[0] != x || !f.Values[x].Kind.IsFloat() ||
		isNegative.Args[0] != pattern || !isSign(isNegative.Args[1]) || positive.Args[0] != pattern || !isSign(positive.Args[1]) {
		return 0, false
	}
	return x, true
}

// isAllBits reports whether all bits of v are ones.
func (f *frame) isAllBits(v tile.ID) bool {
	op := &f.Ops[f.Values[v].Op]
	return op.Kind == tile.Const && op.Const.Bits<<(64-8*f.Values[v].Kind.Size()) == math.MaxUint64<<(64-8*f.Values[v].Kind.Size())
}

// orderedFloats links numbers that have the order of floats, if an operation makes them.
func (l *linker) orderedFloats(op *tile.Op) (register, bool) {
	if op.Kind != tile.Map || op.Operator != ir.OpSelect {
		return nil, false
	}
	v, ok := l.orderedFloat(op.Res[0])
	if !ok {
		return nil, false
	}
	n := l.count(op.Domain)
	switch x := l.pattern(l.value(v, op.Domain)).(type) {
	case *vector[uint32]:
		return link1(l, l.batch, n, x, orderFloats32), true
	case *vector[uint64]:
		return link1(l, l.batch, n, x, orderFloats64), true
	}
	return nil, false
}

// orderFloats64 takes the bits of floats. Those of -0.0 are the sign alone.
func orderFloats64(dst, x []uint64) {
	const sign, infinity = 1 << 63, 0x7ff << 52
	x = x[:len(dst)]
	for i, bits := range x {
		y := bits ^ (uint64(int64(bits)>>63) | sign)
		if bits == sign {
			y = sign
		}
		if bits&^sign > infinity {
			y = math.MaxUint64
		}
		dst[i] = y
	}
}

func orderFloats32(dst, x []uint32) {
	const sign, infinity = 1 << 31, 0xff << 23
	x = x[:len(dst)]
	for i, bits := range x {
		y := bits ^ (uint32(int32(bits)>>31) | sign)
		if bits == sign {
			y = sign
		}
		if bits&^sign > infinity {
			y = math.MaxUint32
		}
		dst[i] = y
	}
}
