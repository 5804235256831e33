package simttest

import (
	"github.com/kgen-go/kgen/internal/tile/tiletest"
	"github.com/kgen-go/kgen/ir"
)

// operator returns an operator of two scalars of a kind, whose result has another. What kernels do with integers
// all the time does not look at kinds each time.
func operator(op ir.Op, result, of ir.Kind) func(x, y ir.Scalar) ir.Scalar {
	if of.IsInteger() {
		if compare := comparison(op, of.IsSigned()); compare != nil {
			return func(x, y ir.Scalar) ir.Scalar { return ir.BoolScalar(compare(x.Bits, y.Bits)) }
		}
		if compute := integers[op]; compute != nil {
			return func(x, y ir.Scalar) ir.Scalar { return ir.Int(result, compute(x.Int64(), y.Int64())) }
		}
	}
	return func(x, y ir.Scalar) ir.Scalar { return tiletest.Apply(op, result, x, y) }
}

var integers = map[ir.Op]func(x, y int64) int64{
	ir.OpAdd: func(x, y int64) int64 { return x + y },
	ir.OpSub: func(x, y int64) int64 { return x - y },
	ir.OpMul: func(x, y int64) int64 { return x * y },
	ir.OpAnd: func(x, y int64) int64 { return x & y },
	ir.OpOr:  func(x, y int64) int64 { return x | y },
	ir.OpXor: func(x, y int64) int64 { return x ^ y },
}

// comparison returns a comparison of integers, or nil.
func comparison(op ir.Op, isSigned bool) func(x, y uint64) bool {
	switch {
	case op == ir.OpEq:
		return func(x, y uint64) bool { return x == y }
	case op == ir.OpNe:
		return func(x, y uint64) bool { return x != y }
	case op == ir.OpLt && isSigned:
		return func(x, y uint64) bool { return int64(x) < int64(y) }
	case op == ir.OpLt:
		return func(x, y uint64) bool { return x < y }
	case op == ir.OpLe && isSigned:
		return func(x, y uint64) bool { return int64(x) <= int64(y) }
	case op == ir.OpLe:
		return func(x, y uint64) bool { return x <= y }
	case op == ir.OpGt:
		less := comparison(ir.OpLt, isSigned)
		return func(x, y uint64) bool { return less(y, x) }
	case op == ir.OpGe:
		atMost := comparison(ir.OpLe, isSigned)
		return func(x, y uint64) bool { return atMost(y, x) }
	}
	return nil
}
