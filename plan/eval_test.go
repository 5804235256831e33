package plan

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/go-json-experiment/json"
)

// table is an environment of fixed values.
type table map[string]int64

func (t table) Scalar(name string) (int64, error)     { return t[name], nil }
func (t table) Len(domain string) (int64, error)      { return t["len "+domain], nil }
func (t table) Property(name string) (int64, error)   { return t["machine "+name], nil }
func (t table) Resident(kernel string) (int64, error) { return t["resident "+kernel], nil }
func (t table) Rows() (int64, error)                  { return t["rows"], nil }

func TestEval(t *testing.T) {
	env := table{"s": 7, "len n": 1000, "machine units": 132, "resident k": 264, "rows": 12}
	x, y := Const(10), Const(3)
	for _, test := range []struct {
		expr Expr
		want int64
		text string
		json string
	}{
		{x, 10, "10", `10`},
		{Const(math.MinInt64), math.MinInt64, "-9223372036854775808", `-9223372036854775808`},
		{Var("s"), 7, "s", `"s"`},
		{Len("n"), 1000, "len(n)", `{"len":"n"}`},
		{Property("units"), 132, "machine.units", `{"machine":"units"}`},
		{Resident("k"), 264, "resident(k)", `{"resident":"k"}`},
		{Rows(), 12, "rows", `{"rows":true}`},
		{Add(x, y), 13, "(10 + 3)", `{"add":[10,3]}`},
		{Sub(y, x), -7, "(3 - 10)", `{"sub":[3,10]}`},
		{Mul(x, y), 30, "(10 * 3)", `{"mul":[10,3]}`},
		{CeilDiv(x, y), 4, "ceildiv(10, 3)", `{"ceildiv":[10,3]}`},
		{CeilDiv(Const(math.MaxInt64), Const(2)), 1 << 62, "ceildiv(9223372036854775807, 2)", `{"ceildiv":[9223372036854775807,2]}`},
		{Min(x, y), 3, "min(10, 3)", `{"min":[10,3]}`},
		{Max(x, y), 10, "max(10, 3)", `{"max":[10,3]}`},
		{Pow2(x), 16, "pow2(10)", `{"pow2":[10]}`},
		{Pow2(Const(0)), 1, "pow2(0)", `{"pow2":[0]}`},
		{Pow2(Const(1 << 40)), 1 << 40, "pow2(1099511627776)", `{"pow2":[1099511627776]}`},
		{Shl(x, y), 80, "(10 << 3)", `{"shl":[10,3]}`},
		{Shl(Const(-1), Const(62)), -1 << 62, "(-1 << 62)", `{"shl":[-1,62]}`},
		{Lt(y, x), 1, "(3 < 10)", `{"lt":[3,10]}`},
		{Lt(x, x), 0, "(10 < 10)", `{"lt":[10,10]}`},
		{Eq(x, x), 1, "(10 == 10)", `{"eq":[10,10]}`},
		{And(Lt(y, x), Eq(x, y)), 0, "((3 < 10) && (10 == 3))", `{"and":[{"lt":[3,10]},{"eq":[10,3]}]}`},
	} {
		if got, err := test.expr.Eval(env); err != nil || got != test.want {
			t.Errorf("%s = %d, %v; want %d", test.expr, got, err, test.want)
		}
		if got := test.expr.String(); got != test.text {
			t.Errorf("got %s, want %s", got, test.text)
		}
		text, err := json.Marshal(test.expr)
		if err != nil || string(text) != test.json {
			t.Errorf("%s encodes to %s, %v; want %s", test.expr, text, err, test.json)
		}
		var back Expr
		if err := json.Unmarshal(text, &back); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(test.expr, back, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s does not come back:\n%s", text, diff)
		}
	}
}

func TestEvalErrors(t *testing.T) {
	for _, test := range []struct {
		expr Expr
		err  error
		text string
	}{
		{Mul(Var("s"), Const(4)), ErrOverflow, "(s * 4): mul(4611686018427387904, 4): the result does not fit 64 bits"},
		{CeilDiv(Const(1), Const(0)), ErrDivisor, "ceildiv(1, 0): ceildiv(1, 0): the divisor is not positive"},
		{CeilDiv(Const(-1), Const(2)), ErrNegative, "ceildiv(-1, 2): ceildiv(-1, 2): an operand is negative"},
		{Pow2(Const(-1)), ErrNegative, "pow2(-1): pow2(-1): an operand is negative"},
		{Pow2(Const(1<<62 + 1)), ErrOverflow, "pow2(4611686018427387905): pow2(4611686018427387905): the result does not fit 64 bits"},
		{Shl(Const(1), Const(-1)), ErrNegative, "(1 << -1): shl(1, -1): an operand is negative"},
		{Shl(Const(1), Const(63)), ErrOverflow, "(1 << 63): shl(1, 63): the result does not fit 64 bits"},
		// The error of an operand is the error.
		{Add(Const(1), Mul(Const(math.MaxInt64), Const(2))), ErrOverflow, "(9223372036854775807 * 2): mul(9223372036854775807, 2): the result does not fit 64 bits"},
	} {
		got, err := test.expr.Eval(table{"s": 1 << 62})
		if !errors.Is(err, test.err) || err.Error() != test.text {
			t.Errorf("%s = %d, %v; want %s", test.expr, got, err, test.text)
		}
	}
	for _, broken := range []Expr{{}, {Op: "div"}, {Op: OpAdd}, {Op: OpPow2, Args: []Expr{Const(1), Const(2)}}} {
		if v, err := broken.Eval(table{}); err == nil {
			t.Errorf("%#v = %d without error", broken, v)
		}
	}
}

// Arithmetic agrees with unbounded integers, or is refused exactly where the
// result does not fit.
func TestEvalAgainstBig(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	edges := []int64{0, 1, -1, 2, -2, 3, 62, 63, 64, 1 << 31, 1 << 32, 1 << 62, math.MaxInt64, math.MaxInt64 - 1, math.MinInt64, math.MinInt64 + 1}
	pick := func() int64 {
		if random.IntN(2) == 0 {
			return edges[random.IntN(len(edges))]
		}
		return int64(random.Uint64()) >> random.IntN(64)
	}
	exact := map[Op]func(a, b *big.Int) *big.Int{
		OpAdd: func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) },
		OpSub: func(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) },
		OpMul: func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) },
		OpShl: func(a, b *big.Int) *big.Int {
			if b.Sign() < 0 {
				return nil
			}
			return new(big.Int).Lsh(a, uint(min(b.Int64(), 200)))
		},
		OpCeilDiv: func(a, b *big.Int) *big.Int {
			if b.Sign() <= 0 || a.Sign() < 0 {
				return nil
			}
			sum := new(big.Int).Add(a, b)
			return sum.Sub(sum, big.NewInt(1)).Div(sum, b)
		},
	}
	for range 200000 {
		a, b := pick(), pick()
		for op, calculate := range exact {
			got, err := Apply(op, Const(a), Const(b)).Eval(table{})
			want := calculate(big.NewInt(a), big.NewInt(b))
			fits := want != nil && want.IsInt64()
			// A shift of 63 and more is refused even where -1 << 63 would fit.
			if op == OpShl && b >= 63 && a != 0 {
				fits = false
			}
			if (err == nil) != fits || fits && got != want.Int64() {
				t.Fatalf("%s(%d, %d) = %d, %v; exactly %v", op, a, b, got, err, want)
			}
		}
	}
}
