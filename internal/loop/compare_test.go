package loop

import (
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// TestComparisons holds that every comparison follows from its basis, and every order
// of bools from its logical operation.
func TestComparisons(t *testing.T) {
	for op, want := range map[ir.Op]func(x, y int) bool{
		ir.OpEq: func(x, y int) bool { return x == y }, ir.OpNe: func(x, y int) bool { return x != y },
		ir.OpLt: func(x, y int) bool { return x < y }, ir.OpLe: func(x, y int) bool { return x <= y },
		ir.OpGt: func(x, y int) bool { return x > y }, ir.OpGe: func(x, y int) bool { return x >= y },
	} {
		isEqual, swapped, negated := (&Compare{Op: op}).Basis()
		for x := range 2 {
			for y := range 2 {
				left, right := x, y
				if swapped {
					left, right = y, x
				}
				if got := (left < right && !isEqual || left == right && isEqual) != negated; got != want(x, y) {
					t.Errorf("%d %v %d is %v by its basis", x, op, y, got)
				}
				bit := func(i int) Expr { return ConstOf(ir.BoolScalar(i == 1)) }
				if order := (&Compare{Op: op, X: bit(x), Y: bit(y)}).Logical(); (order == nil) != isEqual {
					t.Errorf("%v of bools is %v", op, order)
				} else if order != nil && truth(order) != want(x, y) {
					t.Errorf("%d %v %d is %v as a logical operation", x, op, y, truth(order))
				}
			}
		}
	}
}

// truth evaluates a logical operation of constants.
func truth(e Expr) bool {
	switch e := e.(type) {
	case *Const:
		return e.Value.IsTrue()
	case *Unary:
		return !truth(e.X)
	case *Binary:
		if e.Op == ir.OpLogicalAnd {
			return truth(e.X) && truth(e.Y)
		}
		return truth(e.X) || truth(e.Y)
	}
	panic(e)
}
