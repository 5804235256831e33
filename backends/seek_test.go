package backends

import (
	"reflect"
	"testing"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// TestDiffer compares columns with keys, of which some are given twice: each pair is compared once, as go vet
// asks of emitted Go.
func TestDiffer(t *testing.T) {
	i64 := loop.ScalarOf(ir.I64)
	column := func(name string) *loop.Var { return &loop.Var{Name: name, T: loop.SliceOf(i64)} }
	a, b, x, y, held := column("a"), column("b"), &loop.Var{Name: "x", T: i64}, &loop.Var{Name: "y", T: i64}, &loop.Var{Name: "held", T: i64}
	compared := func(columns []*loop.Var, keys ...loop.Expr) loop.Expr {
		return HashTable{Memory: column("table"), Keys: columns}.Differ(nil, held, keys)
	}
	differ := func(column *loop.Var, key loop.Expr) loop.Expr { return compared([]*loop.Var{column}, key) }
	for _, test := range []struct {
		name    string
		columns []*loop.Var
		keys    []loop.Expr
		want    loop.Expr
	}{
		{"a pair twice", []*loop.Var{a, a}, []loop.Expr{x, x}, differ(a, x)},
		{"a pair twice with another between", []*loop.Var{a, b, a}, []loop.Expr{x, y, x}, loop.Or(differ(a, x), differ(b, y))},
		{"a column with two keys", []*loop.Var{a, a}, []loop.Expr{x, y}, loop.Or(differ(a, x), differ(a, y))},
		{"a key with two columns", []*loop.Var{a, b}, []loop.Expr{x, x}, loop.Or(differ(a, x), differ(b, x))},
	} {
		if got := compared(test.columns, test.keys...); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: the row is compared by another expression than by each pair once", test.name)
		}
	}
}
