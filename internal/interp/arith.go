package interp

import (
	"math"

	"github.com/kgen-go/kgen/ir"
)

// applyBinary applies a binary element-wise operator. The operands have kind k (a
// shift count may be of any integer kind); the result has kind to. Division by
// zero is the caller's to find, and gives 0.
func applyBinary(op ir.Op, k, to ir.Kind, a, b uint64) uint64 {
	switch op {
	case ir.OpEq:
		return bit(equal(k, a, b))
	case ir.OpNe:
		return bit(!equal(k, a, b))
	case ir.OpLt:
		return bit(less(k, a, b))
	case ir.OpLe:
		return bit(less(k, a, b) || equal(k, a, b))
	case ir.OpGt:
		return bit(less(k, b, a))
	case ir.OpGe:
		return bit(less(k, b, a) || equal(k, a, b))
	case ir.OpLogicalAnd:
		return a & b
	case ir.OpLogicalOr:
		return a | b
	case ir.OpLeast:
		return least(k, a, b)
	case ir.OpGreatest:
		return greatest(k, a, b)
	case ir.OpTruncate:
		return truncateTime(k, a, ir.Scalar{Kind: ir.Char8, Bits: b})
	}
	switch to {
	case ir.F32:
		return floatBinary32(op, a, b)
	case ir.F64:
		return floatBinary64(op, a, b)
	}
	return ir.Int(to, int64(integerBinary(op, k, a, b))).Bits
}

func bit(b bool) uint64 { return ir.BoolScalar(b).Bits }

// integerBinary computes in 64 bits; the caller keeps the low ones. Dates are
// integers here, and & | ^ of bools are those of 0 and 1.
func integerBinary(op ir.Op, k ir.Kind, a, b uint64) uint64 {
	count := b % uint64(8*k.Size()) // of a shift; a width is a power of two, so this is right for negative counts too
	switch op {
	case ir.OpAdd:
		return a + b
	case ir.OpSub:
		return a - b
	case ir.OpMul:
		return a * b
	case ir.OpDiv, ir.OpRem:
		return divide(op, k, a, b)
	case ir.OpAnd:
		return a & b
	case ir.OpOr:
		return a | b
	case ir.OpXor:
		return a ^ b
	case ir.OpAndNot:
		return a &^ b
	case ir.OpShl:
		return a << count
	case ir.OpShr:
		if isSigned(k) {
			return uint64(int64(a) >> count)
		}
		return a >> count
	}
	panic(unknownOp(op))
}

func divide(op ir.Op, k ir.Kind, a, b uint64) uint64 {
	switch {
	case b == 0:
		return 0
	case op == ir.OpDiv && isSigned(k):
		return uint64(int64(a) / int64(b)) // Go defines MinInt / -1 as MinInt
	case op == ir.OpDiv:
		return a / b
	case isSigned(k):
		return uint64(int64(a) % int64(b)) // and MinInt % -1 as 0
	}
	return a % b
}

func floatBinary32(op ir.Op, a, b uint64) uint64 {
	x, y := math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b))
	var z float32
	switch op {
	case ir.OpAdd:
		z = x + y
	case ir.OpSub:
		z = x - y
	case ir.OpMul:
		z = x * y
	case ir.OpDiv:
		z = x / y
	default:
		panic(unknownOp(op))
	}
	return uint64(math.Float32bits(z))
}

func floatBinary64(op ir.Op, a, b uint64) uint64 {
	x, y := math.Float64frombits(a), math.Float64frombits(b)
	var z float64
	switch op {
	case ir.OpAdd:
		z = x + y
	case ir.OpSub:
		z = x - y
	case ir.OpMul:
		z = x * y
	case ir.OpDiv:
		z = x / y
	default:
		panic(unknownOp(op))
	}
	return math.Float64bits(z)
}

// applyUnary applies a unary element-wise operator to an operand of kind k.
func applyUnary(op ir.Op, k, to ir.Kind, x uint64) uint64 {
	switch op {
	case ir.OpCast:
		return cast(k, to, x)
	case ir.OpNot:
		return x ^ 1
	case ir.OpComplement:
		return ir.Int(to, int64(^x)).Bits
	case ir.OpNeg:
		if k.IsFloat() {
			return x ^ signBit(k)
		}
		return ir.Int(to, -int64(x)).Bits
	case ir.OpAbs:
		switch {
		case k.IsFloat():
			return x &^ signBit(k)
		case isSigned(k) && int64(x) < 0:
			return ir.Int(to, -int64(x)).Bits
		}
		return x
	case ir.OpSqrt:
		// Rounding the root of an f32 to f64 and then to f32 is rounding it once.
		return ir.Float(k, math.Sqrt(floatOf(k, x))).Bits
	case ir.OpUnscaled:
		return x
	case ir.OpYear, ir.OpMonth, ir.OpDay, ir.OpWeekday:
		return ir.Int(to, dayPart(op, dayOf(k, x))).Bits
	case ir.OpHour, ir.OpMinute, ir.OpSecond:
		return ir.Int(to, timePart(op, int64(x))).Bits
	case ir.OpFloor: // of an f32, whole numbers are f32
		return ir.Float(k, math.Floor(floatOf(k, x))).Bits
	case ir.OpCeil:
		return ir.Float(k, math.Ceil(floatOf(k, x))).Bits
	case ir.OpTrunc:
		return ir.Float(k, math.Trunc(floatOf(k, x))).Bits
	case ir.OpRound:
		return ir.Float(k, math.RoundToEven(floatOf(k, x))).Bits
	case ir.OpPopcount, ir.OpLeadingzeros, ir.OpTrailingzeros:
		return countBits(op, 8*k.Size(), x)
	}
	panic(unknownOp(op))
}

// countBits counts bits of an integer that is width bits wide.
func countBits(op ir.Op, width int, x uint64) uint64 {
	count := 0
	switch op {
	case ir.OpPopcount:
		for i := range width {
			count += int(x >> i & 1)
		}
	case ir.OpLeadingzeros:
		for count < width && x>>(width-1-count)&1 == 0 {
			count++
		}
	case ir.OpTrailingzeros:
		for count < width && x>>count&1 == 0 {
			count++
		}
	}
	return uint64(count)
}

// signBit is the sign bit of a float kind.
func signBit(k ir.Kind) uint64 { return 1 << (8*k.Size() - 1) }

// cast converts: integers wrap, floats round to nearest even, a float becomes
// an integer by truncation, saturates, and is 0 where it is NaN.
func cast(from, to ir.Kind, x uint64) uint64 {
	switch {
	case from == to:
		return x
	case from.IsDecimal() || to.IsDecimal():
		return castDecimal(from, to, x)
	case from == ir.Timestamp && to == ir.Date:
		return ir.Int(to, dayOf(from, x)).Bits
	case from == ir.Date && to == ir.Timestamp:
		return ir.Int(to, int64(x)*ir.MicrosPerDay).Bits
	case from.IsFloat() && to.IsFloat():
		return ir.Float(to, floatOf(from, x)).Bits
	case from.IsFloat():
		return truncate(to, floatOf(from, x))
	case to == ir.F32 && isSigned(from): // not through f64, which would round twice
		return uint64(math.Float32bits(float32(int64(x))))
	case to == ir.F32:
		return uint64(math.Float32bits(float32(x)))
	case to == ir.F64 && isSigned(from):
		return math.Float64bits(float64(int64(x)))
	case to == ir.F64:
		return math.Float64bits(float64(x))
	}
	return ir.Int(to, int64(x)).Bits
}

func truncate(to ir.Kind, f float64) uint64 {
	low, high := extremes(to)
	f = math.Trunc(f)
	switch {
	case f != f:
		return 0
	case isSigned(to) && f < float64(int64(low)):
		return low
	case isSigned(to) && f >= -float64(int64(low)): // the first float past high, which itself may be no float
		return high
	case isSigned(to):
		return uint64(int64(f))
	case f <= 0:
		return 0
	case f >= math.Ldexp(1, 8*to.Size()):
		return high
	}
	return uint64(f)
}
