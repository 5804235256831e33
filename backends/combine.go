package backends

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Combine returns the loop expression of one field of a monoid's combination,
// given the fields of the states of earlier and later rows.
func Combine(e *tile.Expr, earlier, later func(field int) loop.Expr) loop.Expr {
	return CombineWith(e, earlier, later, nil, nil)
}

// CombineWith is Combine, given scalars that are known before the launch, and expressions that are computed.
func CombineWith(e *tile.Expr, earlier, later func(field int) loop.Expr, scalar func(name string, k ir.Kind) loop.Expr, computed map[*tile.Expr]loop.Expr) loop.Expr {
	if x, ok := computed[e]; ok {
		return x
	}
	switch {
	case e.Scalar != "":
		return scalar(e.Scalar, e.Kind)
	case e.Operator == ir.OpInvalid && e.Side == tile.A:
		return earlier(e.Field)
	case e.Operator == ir.OpInvalid:
		return later(e.Field)
	case e.Operator == ir.OpConst:
		return loop.ConstOf(e.Const)
	}
	args := make([]loop.Expr, len(e.Args))
	for i, arg := range e.Args {
		args[i] = CombineWith(arg, earlier, later, scalar, computed)
	}
	if e.Operator == ir.OpCast {
		return loop.ToKind(e.Kind, args[0])
	}
	return loop.Apply(e.Operator, args...)
}
