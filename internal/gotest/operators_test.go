package gotest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// TestOperatorsHaveGo prints the test of every element-wise operator for every kind
// that it takes.
func TestOperatorsHaveGo(t *testing.T) {
	for _, op := range ir.RowOps() {
		for k := ir.Bool; k <= ir.Char8; k++ {
			if op.Takes(k) && !(op == ir.OpCast && k == ir.Text) { // which only the compiler makes
				t.Run(fmt.Sprintf("%v of %v", op, k), func(t *testing.T) { printsOperator(t, op, k) })
			}
		}
	}
}

func printsOperator(t *testing.T, op ir.Op, k ir.Kind) {
	kinds := []ir.Kind{k, k, k}[:op.Arity()]
	expression := op.String() + "(" + strings.Join([]string{"x0", "x1", "x2"}[:op.Arity()], ", ") + ")"
	switch {
	case op.IsInfix():
		expression = "x0 " + op.String() + " x1"
	case op.IsPrefix():
		expression = op.String() + "x0"
	case op == ir.OpCast:
		expression = "i64(x0)"
	case op == ir.OpSelect:
		kinds[0] = ir.Bool
	case op == ir.OpTruncate:
		kinds, expression = kinds[:1], `truncate(x0, "week")`
	}
	var params []string
	for i, kind := range kinds {
		params = append(params, fmt.Sprintf("x%d: [n]%v", i, kind))
	}
	p := load(t, fmt.Sprintf("pipeline p(%s) {\n\treturn y: %s\n}\n", strings.Join(params, ", "), expression))
	if _, err := newWriter(p, entryOf(p, "P", "Y")).file("p"); err != nil {
		t.Error(err)
	}
}
