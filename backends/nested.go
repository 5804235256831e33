package backends

import "github.com/kgen-go/kgen/internal/loop"

// Compare compares a row with elements first to end of other columns, its keys with theirs,
// and writes what happens where all keys are equal.
func Compare(b *loop.Builder, others []*loop.Var, keys []loop.Expr, first, end loop.Expr, equal func(at loop.Expr)) {
	b.For("other", first, end, func(other *loop.Var) {
		isEqual := loop.Eq(loop.At(others[0], other), keys[0])
		for i, key := range keys[1:] {
			isEqual = loop.And(isEqual, loop.Eq(loop.At(others[1+i], other), key))
		}
		b.If(isEqual, func() { equal(other) }, nil)
	})
}
