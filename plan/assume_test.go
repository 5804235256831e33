package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAssuming simplifies the length of what one of three ways makes: as many rows as a, as
// b, or as a column has.
func TestAssuming(t *testing.T) {
	length := Max(Var("a"), Mul(Max(Var("b"), Mul(Len("n"), OneIfZero("b"))), OneIfZero("a")))
	for _, test := range []struct {
		positive map[string]bool
		want     Expr
	}{
		{map[string]bool{"a": true}, Var("a")},
		{map[string]bool{"a": false, "b": true}, Var("b")},
		{map[string]bool{"a": false, "b": false}, Len("n")},
		{nil, length},
		{map[string]bool{"c": true}, length},
	} {
		if diff := cmp.Diff(test.want, length.Assuming(test.positive)); diff != "" {
			t.Errorf("assuming %v (-want +got):\n%s", test.positive, diff)
		}
	}
}
