package ctext_test

import (
	"testing"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// compareKeys is the order of keys, as the language has it: -0.0 equals 0.0,
// NaN equals NaN and follows all others; false comes before true.
func compareKeys(x, y ir.Scalar) int {
	rank := func(less, more bool) int {
		switch {
		case less:
			return -1
		case more:
			return 1
		}
		return 0
	}
	if x.Kind.IsFloat() {
		a, b := x.Float64(), y.Float64()
		return rank(a < b || a == a && b != b, a > b || a != a && b == b)
	}
	return rank(x.Bits < y.Bits, x.Bits > y.Bits)
}

// TestKeys compares hard values as keys, and bools, whose order the language
// has for keys only.
func TestKeys(t *testing.T) {
	holds := map[ir.Op]func(order int) bool{
		ir.OpEq: func(order int) bool { return order == 0 },
		ir.OpNe: func(order int) bool { return order != 0 },
		ir.OpLt: func(order int) bool { return order < 0 },
		ir.OpLe: func(order int) bool { return order <= 0 },
		ir.OpGt: func(order int) bool { return order > 0 },
		ir.OpGe: func(order int) bool { return order >= 0 },
	}
	var funcs []*loop.Func
	var launches []launch
	type result struct {
		op        ir.Op
		x, y, got ir.Column
	}
	var results []result
	for _, k := range []ir.Kind{ir.F32, ir.F64, ir.Bool, ir.Char8} {
		x, y := operands(k)
		b := loop.NewBuilder("keys_" + k.String())
		b.Kernel(0)
		px, py := b.Param("x", global(k).AsReadOnly()), b.Param("y", global(k).AsReadOnly())
		l := launch{"keys_" + k.String(), x.Len(), 1, []arg{{In: x}, {In: y}}}
		for op := ir.OpEq; op <= ir.OpGe; op++ {
			out := b.Param("out", global(ir.Bool))
			b.Store(out, groupID, &loop.Compare{Op: op, Key: true, X: loop.At(px, groupID), Y: loop.At(py, groupID)})
			got := ir.NewColumn(ir.Bool, x.Len())
			l.args = append(l.args, arg{Out: got})
			results = append(results, result{op, x, y, got})
		}
		funcs = append(funcs, b.Func())
		launches = append(launches, l)
	}
	text := printed(t, funcs...)
	if err := run(t, text, text.Source, launches...); err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		for i := range r.x.Len() {
			want := holds[r.op](compareKeys(r.x.At(i), r.y.At(i)))
			if r.got.At(i).IsTrue() != want {
				t.Errorf("%v: %s and %s as keys, operator %d: %v, want %v", r.x.Kind, show(r.x.At(i)), show(r.y.At(i)), r.op, !want, want)
			}
		}
	}
}
