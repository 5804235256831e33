package vector_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/vector"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/testsuite"
)

// edges are elements of a kind at which operators differ.
func edges(k ir.Kind) (list []ir.Scalar) {
	if k.IsFloat() {
		for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -2.5, 3.5, 1e30, -1e30, 127.5, 255.9, -128.9, 2147483647.5, 9.3e18, 1.9e19, math.Inf(1), math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat64} {
			list = append(list, ir.Float(k, x))
		}
		return list
	}
	for _, x := range []int64{0, 1, -1, 2, 3, 7, 8, -8, 100, 127, 128, -128, 255, math.MinInt16, math.MaxInt16, math.MinInt32, math.MaxInt32, math.MinInt64, math.MaxInt64, 1000003} {
		list = append(list, ir.Int(k, x))
	}
	return list
}

// TestOperators compares element-wise operators with the interpreter, for all pairs of edges of
// every type of numbers: of two columns, of a column and a scalar, and of two scalars.
func TestOperators(t *testing.T) {
	kinds := []ir.Kind{ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64, ir.F32, ir.F64}
	for _, k := range kinds {
		var operators []string
		for _, operator := range []string{"+", "-", "*", "==", "!=", "<", "<=", ">", ">="} {
			operators = append(operators, "X "+operator+" Y")
		}
		operators = append(operators, "least(X, Y)", "greatest(X, Y)", "select(X < Y, X, Y)", "-X", "abs(X)")
		if k.IsFloat() {
			operators = append(operators, "X / Y", "sqrt(X)", "floor(X)", "ceil(X)", "trunc(X)", "round(X)")
		} else {
			operators = append(operators, "X / select(Y == 0, 1, Y)", "X % select(Y == 0, 1, Y)", "X / 8", "X % 8", "X / 7", "X % 7",
				"X & Y", "X | Y", "X ^ Y", "X &^ Y", "X << Y", "X >> Y", "X << i16(Y)", "^X", "popcount(X)", "leadingzeros(X)", "trailingzeros(X)")
		}
		for _, to := range kinds {
			operators = append(operators, fmt.Sprintf("%v(X)", to))
		}
		var text strings.Builder
		fmt.Fprintf(&text, "pipeline p(x: [n]%v, y: [n]%v, c: %v, d: %v) {\n\treturn ", k, k, k, k)
		for i, operator := range operators {
			for j, with := range [][2]string{{"x", "y"}, {"x", "d"}, {"c", "y"}, {"c", "d"}} {
				fmt.Fprintf(&text, "r%d_%d: %s,\n", i, j, strings.NewReplacer("X", with[0], "Y", with[1]).Replace(operator))
			}
		}
		program, host, p := compiled(t, strings.TrimSuffix(text.String(), ",\n")+"\n}\n", fuse.LevelAuto)
		list := edges(k)
		x, y := ir.NewColumn(k, len(list)*len(list)), ir.NewColumn(k, len(list)*len(list))
		for i := range x.Len() {
			x.Set(i, list[i/len(list)])
			y.Set(i, list[i%len(list)])
		}
		for i, c := range list {
			in := []ir.Column{x, y, ir.NewColumn(k, 1), ir.NewColumn(k, 1)}
			in[2].Set(0, c)
			in[3].Set(0, list[(i*7+3)%len(list)])
			want, err := testsuite.Expect(p, in)
			if err != nil {
				t.Fatal(err)
			}
			got, err := run(program, host, p, in, vector.Options{Batch: []int{0, 1, 13}[i%3]})
			if difference := want.Differ(got, err); difference != "" {
				t.Errorf("%v with %v: %s", k, c, difference)
			}
		}
	}
}
