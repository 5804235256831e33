package tile

import (
	"math/bits"

	"github.com/kgen-go/kgen/ir"
)

// BitsOf returns how many bits an integer has at most if it is known not to be negative, else 64.
func (k *Kernel) BitsOf(v ID) int { return k.bitsOf(v, maxBitsDepth) }

// maxBitsDepth is how many operations are looked at, one after the other.
const maxBitsDepth = 8

func (k *Kernel) bitsOf(v ID, depth int) int {
	kind, op := k.Values[v].Kind, &k.Ops[k.Values[v].Op]
	width := 8 * kind.Size()
	if !kind.IsInteger() {
		return 64
	}
	most := 64 // of any element
	if kind.IsUnsigned() {
		most = width
	}
	if n := bits.Len64(op.Const.Bits); op.Kind == Const && (n < width || kind.IsUnsigned()) {
		return n
	}
	if op.Kind != Map || depth == 0 {
		return most
	}
	arg := func(i int) int { return k.bitsOf(op.Args[i], depth-1) }
	switch op.Operator {
	case ir.OpCast:
		if n := arg(0); k.Values[op.Args[0]].Kind.IsInteger() && (n < width || n == width && kind.IsUnsigned()) {
			return n
		}
	case ir.OpGreatest: // one that is not negative is enough
		x, y := arg(0), arg(1)
		if min(x, y) < 64 && !kind.IsUnsigned() {
			x, y = min(x, width-1), min(y, width-1)
		}
		return max(x, y)
	case ir.OpAnd, ir.OpLeast:
		x, y := arg(0), arg(1)
		if op.Operator == ir.OpAnd || max(x, y) < 64 {
			return min(x, y, most)
		}
	case ir.OpSelect:
		return max(arg(1), arg(2))
	}
	return most
}
