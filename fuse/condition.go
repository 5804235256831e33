package fuse

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Which of two ways is taken, a scalar says that a kernel leaves. Whether that kernel runs may
// depend on another condition, which the plan computes: of lengths, and of other scalars that
// kernels leave.

// eachCondition calls visit for what the plan has to know for a condition: scalars that kernels
// leave, with the condition under which they do, or nil, and lengths.
func eachCondition(condition *ir.Value, visit func(c, under *ir.Value)) {
	if followsFromLengths(condition) {
		eachOperand(condition, visit)
		return
	}
	visit(condition, condition.By)
	if condition.By != nil {
		eachOperand(condition.By, visit)
	}
}

// followsFromLengths reports whether a condition follows from lengths of parameters alone, so that the plan computes it.
func followsFromLengths(condition *ir.Value) bool {
	switch condition.Op {
	case ir.OpConst:
		return true
	case ir.OpLen:
		return condition.Args[0].Type.Domain.Kind == ir.DomainParam
	case ir.OpSub, ir.OpGreatest, ir.OpLeast:
		return sortsFew(condition) || condition.By == nil && !slices.ContainsFunc(condition.Args, func(x *ir.Value) bool { return !followsFromLengths(x) })
	}
	return false
}

// sortsFew reports whether a condition says that one launch sorts rows, rows of any domain.
func sortsFew(condition *ir.Value) bool {
	return condition.Op == ir.OpSub && condition.Args[0].Op == ir.OpRoom
}

// eachOperand is eachCondition for a condition that the plan computes.
func eachOperand(of *ir.Value, visit func(c, under *ir.Value)) {
	switch of.Op {
	case ir.OpConst, ir.OpParam, ir.OpRoom:
	case ir.OpLen:
		visit(of, nil)
	case ir.OpSub, ir.OpMul, ir.OpGreatest, ir.OpLeast:
		for _, arg := range of.Args {
			eachOperand(arg, visit)
		}
	default:
		eachCondition(of, visit)
	}
}

// assumedScalar predicts a scalar that follows from lengths.
func (g *Graph) assumedScalar(v *ir.Value) float64 {
	operand := func(i int) float64 { return g.assumedScalar(v.Args[i]) }
	switch v.Op {
	case ir.OpConst:
		return float64(v.Const.Int64())
	case ir.OpRoom:
		if v.Const.Kind != ir.Invalid {
			return float64(v.Const.Int64())
		}
		return assumedRoom
	case ir.OpLen:
		return g.assumedLength(v.Args[0].Type.Domain)
	case ir.OpSub:
		return operand(0) - operand(1)
	case ir.OpMul:
		return operand(0) * operand(1)
	case ir.OpGreatest:
		return max(operand(0), operand(1))
	case ir.OpLeast:
		return min(operand(0), operand(1))
	}
	panic(fmt.Sprintf("fuse: %s does not follow from lengths", v.Op))
}

// isSizeOfLengths reports whether a number of rows, none of which is checked, follows from lengths of parameters, so that no
// kernel computes it, for which the plan would wait.
func isSizeOfLengths(size *ir.Value) bool {
	switch size.Op {
	case ir.OpConst:
		return true
	case ir.OpLen:
		return size.Args[0].Type.Domain.Kind == ir.DomainParam
	case ir.OpSub, ir.OpMul, ir.OpGreatest, ir.OpLeast:
		return !slices.ContainsFunc(size.Args, func(x *ir.Value) bool { return !isSizeOfLengths(x) })
	}
	return false
}

// condition returns a condition, or a size, as the plan computes it.
func (m *planner) condition(v *ir.Value) plan.Expr {
	if w := m.result(v); w != nil {
		return plan.Var(w.Name)
	}
	operand := func(i int) plan.Expr { return m.condition(v.Args[i]) }
	switch v.Op {
	case ir.OpConst:
		return plan.Const(v.Const.Int64())
	case ir.OpParam:
		return plan.Var(v.Name)
	case ir.OpRoom:
		if v.Const.Kind != ir.Invalid {
			return plan.Const(v.Const.Int64())
		}
		m.addScalars(m.orderRoom)
		return plan.Var(m.orderRoom)
	case ir.OpLen:
		return plan.Len(m.DomainName(v.Args[0].Type.Domain))
	case ir.OpSub:
		return plan.Sub(operand(0), operand(1))
	case ir.OpMul:
		return plan.Mul(operand(0), operand(1))
	case ir.OpGreatest:
		return plan.Max(operand(0), operand(1))
	case ir.OpLeast:
		return plan.Min(operand(0), operand(1))
	}
	panic(fmt.Sprintf("fuse: the plan cannot compute %s", v.Op))
}
