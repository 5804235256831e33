package ctext_test

import (
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/internal/ctext"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// TestOperatorsHaveText prints every element-wise operator for every kind that it
// takes in every dialect, and compiles the texts where there are compilers.
func TestOperatorsHaveText(t *testing.T) {
	var all []*loop.Func
	for _, op := range ir.RowOps() {
		if op == ir.OpCast {
			continue // an expression of its own
		}
		for k := ir.Bool; k <= ir.Char8; k++ {
			if !op.Takes(k) || op.IsComposed(k) {
				continue
			}
			f := applied(op, k, len(all))
			for _, dialect := range []*ctext.Dialect{opencl.Dialect(), cuda.Dialect()} {
				if _, err := ctext.Print(&loop.Program{Name: "test", Funcs: []*loop.Func{f}}, dialect); err != nil {
					t.Errorf("%v of %v: %v", op, k, err)
				}
			}
			all = append(all, f)
		}
	}
	if !t.Failed() {
		printed(t, all...)
	}
}

// applied is a kernel that applies an operator to elements of kind k.
func applied(op ir.Op, k ir.Kind, number int) *loop.Func {
	b := loop.NewBuilder(fmt.Sprintf("operator%d", number))
	b.Kernel(64)
	args := make([]loop.Expr, op.Arity())
	for i := range args {
		kind := k
		if op == ir.OpSelect && i == 0 {
			kind = ir.Bool
		}
		args[i] = loop.At(b.Param(fmt.Sprintf("x%d", i), loop.SliceOf(loop.ScalarOf(kind)).In(loop.Global).AsReadOnly()), localID)
	}
	result := loop.Apply(op, args...)
	b.Store(b.Param("out", loop.SliceOf(result.Type()).In(loop.Global)), localID, result)
	return b.Func()
}
