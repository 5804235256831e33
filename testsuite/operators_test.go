package testsuite

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/internal/tile/tiletest"
	"github.com/kgen-go/kgen/ir"
)

// TestRowOperators applies every element-wise operator, for every kind that it
// takes, to values at the edges of the kind. The interpreter and the evaluator
// of tile and loop programs share no code and must agree.
func TestRowOperators(t *testing.T) {
	for _, op := range ir.RowOps() {
		for k := ir.Bool; k <= ir.Char8; k++ {
			operands := make([]ir.Kind, op.Arity())
			for i := range operands {
				operands[i] = k
			}
			switch {
			case !op.Takes(k), op.IsComposed(k), op == ir.OpCast && k == ir.Text: // the last only the compiler makes
				continue
			case op == ir.OpSelect:
				operands[0] = ir.Bool
			case op == ir.OpCast:
				for to := ir.I8; to <= ir.Timestamp; to++ {
					if to.IsInteger() || !k.IsCalendar() && to.IsFloat() || k.IsInteger() || k == to {
						operatorAgrees(t, op, to, operands...)
					}
				}
				continue
			}
			operatorAgrees(t, op, op.Gives(k), operands...)
		}
	}
	for _, count := range []ir.Kind{ir.I8, ir.U64} {
		operatorAgrees(t, ir.OpShl, ir.I16, ir.I16, count)
		operatorAgrees(t, ir.OpShr, ir.I64, ir.I64, count)
	}
	for _, k := range []ir.Kind{ir.Date, ir.Timestamp} {
		operatorAgrees(t, ir.OpAdd, k, k, k.Stored())
		operatorAgrees(t, ir.OpAdd, k, k.Stored(), k)
		operatorAgrees(t, ir.OpSub, k, k, k.Stored())
		operatorAgrees(t, ir.OpSub, k.Stored(), k, k)
	}
}

// operatorAgrees compares op of all edge values of the operands' kinds.
func operatorAgrees(t *testing.T, op ir.Op, result ir.Kind, operands ...ir.Kind) {
	t.Helper()
	name := fmt.Sprintf("%v of %v", op, operands)
	if k, ok := op.ResultKind(operands...); !ok || k != result && op != ir.OpCast {
		t.Errorf("%s is %v, %v, not %v", name, k, ok, result)
		return
	}
	rows := [][]ir.Scalar{{}}
	for _, k := range operands {
		var longer [][]ir.Scalar
		for _, row := range rows {
			for _, x := range edges(k) {
				longer = append(longer, append(row[:len(row):len(row)], x))
			}
		}
		rows = longer
	}
	if divides := op == ir.OpDiv || op == ir.OpRem; divides && operands[0].IsInteger() { // by 0 is a failed check
		kept := rows[:0]
		for _, row := range rows {
			if row[1].Bits != 0 {
				kept = append(kept, row)
			}
		}
		rows = kept
	}
	names, params, columns := []string{"x", "y", "z"}[:len(operands)], []string{}, []ir.Column{}
	for i, k := range operands {
		params = append(params, fmt.Sprintf("%s: [n]%v", names[i], k))
		column := ir.NewColumn(k, len(rows))
		for r, row := range rows {
			column.Set(r, row[i])
		}
		columns = append(columns, column)
	}
	expression := op.String() + "(" + strings.Join(names, ", ") + ")"
	switch {
	case op == ir.OpCast:
		expression = result.String() + "(x)"
	case op.IsInfix():
		expression = "x " + op.String() + " y"
	case op.IsPrefix():
		expression = op.String() + "x"
	}
	pipelines, errs := ir.Load("operators.kg", fmt.Appendf(nil, "pipeline p(%s) {\n\treturn result: %s\n}\n", strings.Join(params, ", "), expression))
	if err := errs.Err(); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	results, err := interp.Run(pipelines[0], columns)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	for r, row := range rows {
		got, want := results[0].At(r), tiletest.Apply(op, result, row...)
		if got != want && !(isNaN(got) && isNaN(want)) {
			t.Errorf("%s: of %v the interpreter makes %v, tiletest %v", name, row, got, want)
			break
		}
	}
}

func isNaN(s ir.Scalar) bool { return s.Kind.IsFloat() && math.IsNaN(s.Float64()) }

// edges are the values of kind k at which arithmetic changes behaviour.
func edges(k ir.Kind) (list []ir.Scalar) {
	width := 8 * k.Size()
	switch {
	case k == ir.Bool:
		return []ir.Scalar{ir.BoolScalar(false), ir.BoolScalar(true)}
	case k == ir.Char8:
		for _, text := range []string{"", "A", "AB", "B", "\x7f", "\x80", "\xff\xff\xff\xff\xff\xff\xff\xff"} {
			list = append(list, ir.Char8Scalar(text))
		}
	case k.IsCoded() || k.IsInteger():
		for _, x := range []int64{0, 1, 2, 3, 5, 7, 8, 100, -1, -2, -3, 1<<(width-1) - 1, -1 << (width - 1), -1<<(width-1) + 1, 1 << (width / 2), 1<<(width/2) - 1, 8766, -719163} {
			list = append(list, ir.Int(k, x))
		}
	default:
		for _, x := range []float64{0, 0.25, 0.3, 0.5, 1, 1.5, 2.5, 3, 127.5, 1 << 23, 1<<23 + 1, 1<<24 - 1, 1 << 31, 1 << 52, 1<<52 + 1, 1<<53 - 1, 1 << 63, 1e30,
			0x1p-126, 0x1p-149, 0x1p-1074, math.MaxFloat32, math.MaxFloat64, math.Inf(1), 4503599627370495.5, 8388607.5, 0.49999999999999994, 0.49999997} {
			list = append(list, ir.Float(k, x), ir.Float(k, -x))
		}
		list = append(list, ir.Float(k, math.NaN()))
	}
	return list
}
