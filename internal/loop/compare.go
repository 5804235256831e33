package loop

import "github.com/kgen-go/kgen/ir"

// Logical returns an order of bools, false before true, as the logical operation that
// it is. The result is nil for other comparisons.
func (x *Compare) Logical() Expr {
	if x.X.Type().Kind != ir.Bool {
		return nil
	}
	switch x.Op {
	case ir.OpLt:
		return And(Not(x.X), x.Y)
	case ir.OpGt:
		return And(x.X, Not(x.Y))
	case ir.OpLe:
		return Or(Not(x.X), x.Y)
	case ir.OpGe:
		return Or(x.X, Not(x.Y))
	}
	return nil
}

// IsOfKeys reports whether x compares floats as keys, for which languages have no
// operators.
func (x *Compare) IsOfKeys() bool { return x.Key && x.X.Type().Kind.IsFloat() }

// Basis returns how the comparison follows from "equal" or, if isEqual is not set,
// from "less": perhaps with the operands swapped, perhaps negated.
func (x *Compare) Basis() (isEqual, swapped, negated bool) {
	return x.Op == ir.OpEq || x.Op == ir.OpNe, x.Op == ir.OpGt || x.Op == ir.OpLe, x.Op == ir.OpNe || x.Op == ir.OpGe || x.Op == ir.OpLe
}
