package tiletest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"time"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Apply returns the element-wise operator of args, as kind k. Integer division
// by zero gives 0.
func Apply(operator ir.Op, k ir.Kind, args ...ir.Scalar) ir.Scalar {
	x := args[0]
	switch operator {
	case ir.OpSelect:
		if x.IsTrue() {
			return args[1]
		}
		return args[2]
	case ir.OpCast:
		return cast(k, x)
	case ir.OpNot:
		return ir.BoolScalar(!x.IsTrue())
	case ir.OpYear, ir.OpMonth, ir.OpDay:
		year, month, day := time.Unix(x.Int64()*24*60*60, 0).UTC().Date()
		return ir.Int(k, int64(map[ir.Op]int{ir.OpYear: year, ir.OpMonth: int(month), ir.OpDay: day}[operator]))
	}
	if len(args) == 1 {
		return unary(operator, k, x)
	}
	if result, ok := compare(operator, x, args[1]); ok {
		return ir.BoolScalar(result)
	}
	if k.IsFloat() { // in f64 and rounded once more, an f32 result is the same
		return ir.Float(k, floats(operator, x.Float64(), args[1].Float64()))
	}
	return ir.Int(k, integers(operator, x, args[1]))
}

func unary(operator ir.Op, k ir.Kind, x ir.Scalar) ir.Scalar {
	switch {
	case operator == ir.OpNeg && k.IsFloat():
		return ir.Float(k, -x.Float64())
	case operator == ir.OpNeg:
		return ir.Int(k, -x.Int64())
	case operator == ir.OpComplement:
		return ir.Int(k, ^x.Int64())
	case operator == ir.OpBits && x.Kind == ir.F32:
		return ir.Int(k, int64(math.Float32bits(float32(x.Float64()))))
	case operator == ir.OpBits && x.Kind == ir.F64:
		return ir.Scalar{Kind: k, Bits: math.Float64bits(x.Float64())}
	case operator == ir.OpBits:
		text := x.Bytes()
		return ir.Scalar{Kind: k, Bits: binary.BigEndian.Uint64(text[:])}
	case operator == ir.OpOfBits:
		return ir.Scalar{Kind: k, Bits: x.Bits}
	case operator == ir.OpAbs && k.IsFloat():
		return ir.Float(k, math.Abs(x.Float64()))
	case operator == ir.OpAbs && isSigned(x.Kind):
		return ir.Int(k, max(x.Int64(), -x.Int64())) // of MinInt: both
	case operator == ir.OpAbs:
		return x
	case operator == ir.OpSqrt:
		return ir.Float(k, math.Sqrt(x.Float64()))
	case k.IsFloat():
		return ir.Float(k, math.Copysign(whole(operator, x.Float64()), x.Float64()))
	}
	width := 8 * x.Kind.Size()
	pattern := x.Bits << (64 - width) // without the copies of the sign
	switch operator {
	case ir.OpPopcount:
		return ir.Int(k, int64(bits.OnesCount64(pattern)))
	case ir.OpLeadingzeros:
		return ir.Int(k, int64(min(bits.LeadingZeros64(pattern), width)))
	case ir.OpTrailingzeros:
		return ir.Int(k, int64(min(bits.TrailingZeros64(x.Bits), width)))
	}
	panic(fmt.Sprintf("tiletest: no operator %d of one operand", operator))
}

// whole returns the whole number that x is rounded to; of 0 the sign is open.
func whole(operator ir.Op, x float64) float64 {
	if !(math.Abs(x) < 1<<52) {
		return x // whole already, infinite or NaN
	}
	toZero := float64(int64(x))
	below := toZero
	if below > x {
		below--
	}
	switch operator {
	case ir.OpFloor:
		return below
	case ir.OpCeil:
		return -whole(ir.OpFloor, -x)
	case ir.OpTrunc:
		return toZero
	case ir.OpRound:
		if fraction := x - below; fraction > 0.5 || fraction == 0.5 && int64(below)%2 != 0 {
			return below + 1
		}
		return below
	}
	panic(fmt.Sprintf("tiletest: no operator %v of one float", operator))
}

// compare applies comparisons, IEEE for floats, and the operators of bools.
func compare(operator ir.Op, x, y ir.Scalar) (result, ok bool) {
	var less, equal, more bool
	switch {
	case x.Kind.IsFloat():
		a, b := x.Float64(), y.Float64()
		less, equal, more = a < b, a == b, a > b
	case isSigned(x.Kind):
		less, equal, more = x.Int64() < y.Int64(), x.Bits == y.Bits, x.Int64() > y.Int64()
	default:
		less, equal, more = x.Bits < y.Bits, x.Bits == y.Bits, x.Bits > y.Bits
	}
	switch operator {
	case ir.OpEq:
		return equal, true
	case ir.OpNe:
		return !equal, true
	case ir.OpLt:
		return less, true
	case ir.OpLe:
		return less || equal, true
	case ir.OpGt:
		return more, true
	case ir.OpGe:
		return more || equal, true
	case ir.OpLogicalAnd:
		return x.IsTrue() && y.IsTrue(), true
	case ir.OpLogicalOr:
		return x.IsTrue() || y.IsTrue(), true
	}
	return false, false
}

func isSigned(k ir.Kind) bool { return k.IsSigned() || k.IsCoded() }

func floats(operator ir.Op, x, y float64) float64 {
	switch operator {
	case ir.OpAdd:
		return x + y
	case ir.OpSub:
		return x - y
	case ir.OpMul:
		return x * y
	case ir.OpDiv:
		return x / y
	case ir.OpLeast:
		return min(x, y) // as the language has it: NaN wins, and -0.0 < 0.0
	case ir.OpGreatest:
		return max(x, y)
	}
	panic(fmt.Sprintf("tiletest: no operator %d of floats", operator))
}

func integers(operator ir.Op, x, y ir.Scalar) int64 {
	a, b, signed := x.Int64(), y.Int64(), isSigned(x.Kind)
	switch operator {
	case ir.OpAdd:
		return a + b
	case ir.OpSub:
		return a - b
	case ir.OpMul:
		return a * b
	case ir.OpAnd:
		return a & b
	case ir.OpOr:
		return a | b
	case ir.OpXor:
		return a ^ b
	case ir.OpAndNot:
		return a &^ b
	case ir.OpLeast, ir.OpGreatest:
		if less, _ := compare(ir.OpLt, x, y); less == (operator == ir.OpLeast) {
			return a
		}
		return b
	case ir.OpShl, ir.OpShr:
		count := y.Bits & uint64(8*x.Kind.Size()-1)
		if operator == ir.OpShl {
			return a << count
		} else if signed {
			return a >> count
		}
		return int64(x.Bits >> count)
	}
	switch {
	case operator != ir.OpDiv && operator != ir.OpRem:
		panic(fmt.Sprintf("tiletest: no operator %d of integers", operator))
	case b == 0:
		return 0
	case operator == ir.OpDiv && signed:
		return a / b
	case operator == ir.OpDiv:
		return int64(x.Bits / y.Bits)
	case signed:
		return a % b
	}
	return int64(x.Bits % y.Bits)
}

// cast converts between kinds; a float saturates.
func cast(k ir.Kind, x ir.Scalar) ir.Scalar {
	switch {
	case k == x.Kind:
		return x
	case x.Kind.IsFloat() && k.IsFloat():
		return ir.Float(k, x.Float64())
	case x.Kind.IsFloat():
		return truncate(k, x.Float64())
	case k == ir.F32 && isSigned(x.Kind):
		return ir.Scalar{Kind: k, Bits: uint64(math.Float32bits(float32(x.Int64())))}
	case k == ir.F32:
		return ir.Scalar{Kind: k, Bits: uint64(math.Float32bits(float32(x.Bits)))}
	case k == ir.F64 && isSigned(x.Kind):
		return ir.Float(k, float64(x.Int64()))
	case k == ir.F64:
		return ir.Float(k, float64(x.Bits))
	}
	return ir.Int(k, x.Int64())
}

func truncate(k ir.Kind, f float64) ir.Scalar {
	lowest, highest := tile.Identity(ir.ReduceMax, k), tile.Identity(ir.ReduceMin, k)
	width := 8 * k.Size()
	limit := math.Ldexp(1, width) // the first float past the highest
	if isSigned(k) {
		limit = math.Ldexp(1, width-1)
	}
	switch {
	case f != f:
		return ir.Int(k, 0)
	case f >= limit:
		return highest
	case isSigned(k) && f < -limit || !isSigned(k) && f < 0:
		return lowest
	case isSigned(k):
		return ir.Int(k, int64(f))
	}
	return ir.Scalar{Kind: k, Bits: uint64(f)}
}

// Combine returns the state that a monoid makes of two, a of the earlier rows.
func Combine(m *tile.Monoid, a, b []ir.Scalar) []ir.Scalar { return NewMemory().Combine(m, a, b) }

// Combine is the function Combine for monoids that read scalars of a plan.
func (memory *Memory) Combine(m *tile.Monoid, a, b []ir.Scalar) []ir.Scalar {
	state := make([]ir.Scalar, len(m.Combine))
	known := map[*tile.Expr]ir.Scalar{} // of what several fields ask
	for i, e := range m.Combine {
		state[i] = memory.evaluate(e, a, b, known)
	}
	return state
}

func (memory *Memory) evaluate(e *tile.Expr, a, b []ir.Scalar, known map[*tile.Expr]ir.Scalar) ir.Scalar {
	switch {
	case e.Scalar != "":
		return memory.Scalars[e.Scalar]
	case e.Operator == ir.OpConst:
		return e.Const
	case e.Operator == ir.OpInvalid && e.Side == tile.A:
		return a[e.Field]
	case e.Operator == ir.OpInvalid:
		return b[e.Field]
	}
	if x, ok := known[e]; ok {
		return x
	}
	args := make([]ir.Scalar, len(e.Args))
	for i, arg := range e.Args {
		args[i] = memory.evaluate(arg, a, b, known)
	}
	known[e] = Apply(e.Operator, e.Kind, args...)
	return known[e]
}

// SameKey reports whether keys are equal: NaN equals NaN, and -0.0 equals 0.0.
func SameKey(x, y ir.Scalar) bool {
	if x.Kind.IsFloat() {
		a, b := x.Float64(), y.Float64()
		return a == b || a != a && b != b
	}
	return x.Bits == y.Bits
}
