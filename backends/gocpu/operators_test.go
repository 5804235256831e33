package gocpu

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// TestOperatorsHaveGo prints every element-wise operator for every kind that it
// takes, of variables and of literals.
func TestOperatorsHaveGo(t *testing.T) {
	for _, op := range ir.RowOps() {
		if op == ir.OpCast {
			continue // an expression of its own
		}
		for k := ir.Bool; k <= ir.Char8; k++ {
			if !op.Takes(k) || op.IsComposed(k) {
				continue
			}
			b := loop.NewBuilder("f")
			args := make([]loop.Expr, op.Arity())
			literals := make([]loop.Expr, op.Arity())
			for i := range args {
				t := loop.ScalarOf(k)
				if op == ir.OpSelect && i == 0 {
					t = loop.Bool
				}
				args[i] = b.Param(fmt.Sprintf("x%d", i), t)
				literals[i] = loop.ConstOf(ir.Scalar{Kind: t.Kind})
			}
			f := b.Func(loop.Apply(op, args...), loop.Apply(op, literals...))
			if text := printedOrPanic(t, f); strings.Contains(text, "no Go for") {
				t.Errorf("%v of %v: %s", op, k, text)
			}
		}
	}
}

// printedOrPanic is the text of f, or what the printer panics with.
func printedOrPanic(t *testing.T, f *loop.Func) (text string) {
	t.Helper()
	defer func() {
		if problem := recover(); problem != nil {
			text = fmt.Sprint(problem)
		}
	}()
	return string(printed(t, "sample", f))
}
