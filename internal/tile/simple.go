package tile

import (
	"fmt"

	"github.com/kgen-go/kgen/ir"
)

// simple returns an expression without what constants decide.
func simple(e *Expr) *Expr {
	isTrue, isFalse := func(i int) bool { return e.Args[i].isBool(true) }, func(i int) bool { return e.Args[i].isBool(false) }
	switch e.Operator {
	case ir.OpNot:
		if isTrue(0) || isFalse(0) {
			return constant(ir.BoolScalar(isFalse(0)))
		}
	case ir.OpSelect:
		switch {
		case isTrue(0) || e.Args[1].isSame(e.Args[2]):
			return e.Args[1]
		case isFalse(0):
			return e.Args[2]
		}
	case ir.OpLogicalOr:
		switch {
		case isTrue(0) || isFalse(1):
			return e.Args[0]
		case isFalse(0) || isTrue(1):
			return e.Args[1]
		}
	case ir.OpLogicalAnd:
		switch {
		case isFalse(0) || isTrue(1):
			return e.Args[0]
		case isTrue(0) || isFalse(1):
			return e.Args[1]
		}
	case ir.OpAdd:
		switch {
		case e.Args[0].isZero():
			return e.Args[1]
		case e.Args[1].isZero():
			return e.Args[0]
		}
	}
	return e
}

// isBool reports whether e is that constant.
func (e *Expr) isBool(holds bool) bool {
	return e.Operator == ir.OpConst && e.Kind == ir.Bool && (e.Const.Bits != 0) == holds
}

// isZero reports whether e is an integer that a sum may leave out.
func (e *Expr) isZero() bool {
	return e.Operator == ir.OpConst && !e.Kind.IsFloat() && e.Const.Bits == 0
}

// isSame reports whether two expressions are one, or one constant.
func (e *Expr) isSame(other *Expr) bool {
	return e == other || e.Operator == ir.OpConst && other.Operator == ir.OpConst && e.Const == other.Const
}

// share returns expressions of which those that are equal are one, so that each is computed once.
func share(list []*Expr) []*Expr {
	numbers, one, done := map[*Expr]int{}, map[string]*Expr{}, map[*Expr]*Expr{}
	only := func(e *Expr) *Expr {
		key := fmt.Sprint(e.Operator, e.Kind, e.Const, e.Side, e.Field, e.Scalar)
		for _, arg := range e.Args {
			key += fmt.Sprint(" ", numbers[arg])
		}
		if one[key] == nil {
			one[key], numbers[e] = e, len(numbers)
		}
		return one[key]
	}
	var visit func(e *Expr) *Expr
	visit = func(e *Expr) *Expr {
		if done[e] == nil {
			now := e
			if len(e.Args) > 0 {
				args := make([]*Expr, len(e.Args))
				for i, arg := range e.Args {
					args[i] = visit(arg)
				}
				now = simple(apply(e.Operator, e.Kind, args...))
			}
			done[e] = only(now)
		}
		return done[e]
	}
	now := make([]*Expr, len(list))
	for i, e := range list {
		now[i] = visit(e)
	}
	return now
}
