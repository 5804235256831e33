package vector

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/kgen-go/kgen/ir"
)

// Loops over a batch take operands as long as the result, but the last one may be a single
// element that all rows have. That decides once per batch which loop runs.

// apply links an element-wise operator, which gives elements of kind k. It is told which of
// its operands are the same for all rows.
func (l *linker) apply(operator ir.Op, k ir.Kind, args []register, uniform []bool, n *int) register {
	if n != &one {
		varies := false
		for _, u := range uniform {
			varies = varies || !u
		}
		if !varies {
			return l.apply(operator, k, args, uniform, &one).repeated(l, n)
		}
	}
	room := l.room(n)
	repeat := func(i int) {
		if n != &one && uniform[i] {
			args[i] = args[i].repeated(l, n)
			uniform[i] = false
		}
	}
	switch operator {
	case ir.OpCast:
		return l.cast(k, args[0], n)
	case ir.OpSelect:
		if uniform[0] && n != &one {
			return args[1].chosen(l, args[0].(*vector[uint8]), args[2], n)
		}
		return args[1].choose(l, args[0].(*vector[uint8]), args[2], room, n)
	case ir.OpBits:
		return l.pattern(args[0])
	case ir.OpOfBits:
		return seenAs[float64](l, args[0].(*vector[uint64]))
	case ir.OpYear, ir.OpMonth, ir.OpDay:
		return l.dates(operator, args[0].(*vector[int32]), room, n)
	case ir.OpNot:
		return link1(l, room, n, args[0].(*vector[uint8]), invert)
	case ir.OpLogicalAnd, ir.OpLogicalOr:
		if uniform[0] {
			args[0], args[1] = args[1], args[0]
		}
		loop := either
		if operator == ir.OpLogicalAnd {
			loop = both
		}
		return link2(l, room, n, args[0].(*vector[uint8]), args[1].(*vector[uint8]), loop)
	case ir.OpShl, ir.OpShr:
		repeat(0)
		args[1] = l.cast(ir.U64, args[1], map[bool]*int{true: &one, false: n}[uniform[1]])
	}
	if mirrored, ok := mirror[operator]; ok && len(args) == 2 && uniform[0] && !uniform[1] {
		operator = mirrored
		args[0], args[1] = args[1], args[0]
		uniform[0], uniform[1] = false, true
	}
	repeat(0)
	switch x := args[0].(type) {
	case *vector[int8]:
		return signedOp(l, operator, x, args, room, n)
	case *vector[int16]:
		return signedOp(l, operator, x, args, room, n)
	case *vector[int32]:
		return signedOp(l, operator, x, args, room, n)
	case *vector[int64]:
		return signedOp(l, operator, x, args, room, n)
	case *vector[uint8]:
		return integerOp(l, operator, x, args, room, n)
	case *vector[uint16]:
		return integerOp(l, operator, x, args, room, n)
	case *vector[uint32]:
		return integerOp(l, operator, x, args, room, n)
	case *vector[uint64]:
		return integerOp(l, operator, x, args, room, n)
	case *vector[float32]:
		return floatOp(l, operator, x, args, room, n)
	}
	return floatOp(l, operator, args[0].(*vector[float64]), args, room, n)
}

// mirror has the operators that have the same result, or whose mirror image has, with their
// operands exchanged.
var mirror = map[ir.Op]ir.Op{ir.OpAdd: ir.OpAdd, ir.OpMul: ir.OpMul, ir.OpAnd: ir.OpAnd, ir.OpOr: ir.OpOr, ir.OpXor: ir.OpXor,
	ir.OpEq: ir.OpEq, ir.OpNe: ir.OpNe, ir.OpLt: ir.OpGt, ir.OpGt: ir.OpLt, ir.OpLe: ir.OpGe, ir.OpGe: ir.OpLe,
	ir.OpLeast: ir.OpLeast, ir.OpGreatest: ir.OpGreatest}

func link1[R, T number](l *linker, room int, n *int, x *vector[T], loop func(dst []R, x []T)) register {
	dst := &vector[R]{room: room}
	l.add(func() { loop(dst.sized(*n), x.rows[:*n]) })
	return dst
}

func link2[R, T, U number](l *linker, room int, n *int, x *vector[T], y *vector[U], loop func(dst []R, x []T, y []U)) register {
	dst := &vector[R]{room: room}
	l.add(func() { loop(dst.sized(*n), x.rows[:*n], y.rows) })
	return dst
}

// compareOp links a comparison.
func compareOp[T number](l *linker, operator ir.Op, x *vector[T], args []register, room int, n *int) register {
	var loop func(dst []uint8, x, y []T)
	switch operator {
	case ir.OpEq:
		loop = equal[T]
	case ir.OpNe:
		loop = unequal[T]
	case ir.OpLt:
		loop = less[T]
	case ir.OpLe:
		loop = atMost[T]
	case ir.OpGt:
		loop = greater[T]
	case ir.OpGe:
		loop = atLeast[T]
	default:
		return nil
	}
	return link2(l, room, n, x, args[1].(*vector[T]), loop)
}

// numberOp links an operator of integers and floats.
func numberOp[T number](l *linker, operator ir.Op, x *vector[T], args []register, room int, n *int) register {
	if r := compareOp(l, operator, x, args, room, n); r != nil {
		return r
	}
	var loop func(dst, x, y []T)
	switch operator {
	case ir.OpAdd:
		loop = add[T]
	case ir.OpSub:
		loop = subtract[T]
	case ir.OpMul:
		loop = multiply[T]
	case ir.OpLeast:
		loop = least[T]
	case ir.OpGreatest:
		loop = greatest[T]
	case ir.OpNeg:
		return link1(l, room, n, x, negate[T])
	default:
		l.fail("internal error: no vector form of %v", operator)
	}
	return link2(l, room, n, x, args[1].(*vector[T]), loop)
}

func signedOp[T signed](l *linker, operator ir.Op, x *vector[T], args []register, room int, n *int) register {
	if operator == ir.OpAbs {
		return link1(l, room, n, x, func(dst, x []T) {
			width := 8 * unsafe.Sizeof(T(0))
			for i := range dst {
				sign := x[i] >> (width - 1)
				dst[i] = x[i] ^ sign - sign
			}
		})
	}
	return integerOp(l, operator, x, args, room, n)
}

func integerOp[T integer](l *linker, operator ir.Op, x *vector[T], args []register, room int, n *int) register {
	var loop func(dst, x, y []T)
	width := uint64(8 * unsafe.Sizeof(T(0)))
	low := ^uint64(0) >> (64 - width) // the bits of an element
	switch operator {
	case ir.OpDiv:
		loop = divide[T]
	case ir.OpRem:
		loop = remainder[T]
	case ir.OpAnd:
		loop = bitsAnd[T]
	case ir.OpOr:
		loop = bitsOr[T]
	case ir.OpXor:
		loop = bitsXor[T]
	case ir.OpAndNot:
		loop = bitsAndNot[T]
	case ir.OpShl:
		return link2(l, room, n, x, args[1].(*vector[uint64]), shiftLeft[T])
	case ir.OpShr:
		return link2(l, room, n, x, args[1].(*vector[uint64]), shiftRight[T])
	case ir.OpComplement:
		return link1(l, room, n, x, func(dst, x []T) {
			x = x[:len(dst)]
			for i := range dst {
				dst[i] = ^x[i]
			}
		})
	case ir.OpAbs: // of an unsigned number
		return x
	case ir.OpPopcount:
		return link1(l, room, n, x, func(dst, x []T) {
			for i := range dst {
				dst[i] = T(bits.OnesCount64(uint64(x[i]) & low))
			}
		})
	case ir.OpLeadingzeros:
		return link1(l, room, n, x, func(dst, x []T) {
			for i := range dst {
				dst[i] = T(bits.LeadingZeros64(uint64(x[i])&low) - int(64-width))
			}
		})
	case ir.OpTrailingzeros:
		return link1(l, room, n, x, func(dst, x []T) {
			for i := range dst {
				dst[i] = T(min(bits.TrailingZeros64(uint64(x[i])), int(width)))
			}
		})
	default:
		return numberOp(l, operator, x, args, room, n)
	}
	return link2(l, room, n, x, args[1].(*vector[T]), loop)
}

func floatOp[T float](l *linker, operator ir.Op, x *vector[T], args []register, room int, n *int) register {
	var of func(float64) float64
	switch operator {
	case ir.OpDiv:
		return link2(l, room, n, x, args[1].(*vector[T]), quotient[T])
	case ir.OpAbs:
		return link1(l, room, n, x, func(dst, x []T) {
			for i := range dst {
				dst[i] = T(math.Abs(float64(x[i])))
			}
		})
	case ir.OpSqrt:
		return link1(l, room, n, x, func(dst, x []T) {
			for i := range dst {
				dst[i] = T(math.Sqrt(float64(x[i])))
			}
		})
	case ir.OpFloor:
		of = math.Floor
	case ir.OpCeil:
		of = math.Ceil
	case ir.OpTrunc:
		of = math.Trunc
	case ir.OpRound:
		of = math.RoundToEven
	default:
		return numberOp(l, operator, x, args, room, n)
	}
	return link1(l, room, n, x, func(dst, x []T) {
		for i := range dst {
			dst[i] = T(of(float64(x[i])))
		}
	})
}

// dates links a part of dates.
func (l *linker) dates(operator ir.Op, x *vector[int32], room int, n *int) register {
	return link1(l, room, n, x, func(dst, x []int32) {
		for i := range dst {
			year, month, day := civil(x[i])
			switch operator {
			case ir.OpYear:
				dst[i] = year
			case ir.OpMonth:
				dst[i] = month
			default:
				dst[i] = day
			}
		}
	})
}
