package ctext_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// lower makes the loop IR of an expression as a lowering does, one value of the
// verified pipeline after the other.
func lower(v *ir.Value, params map[string]loop.Expr) loop.Expr {
	switch v.Op {
	case ir.OpParam:
		return params[v.Name]
	case ir.OpConst:
		return loop.ConstOf(v.Const)
	}
	args := make([]loop.Expr, len(v.Args))
	for i, a := range v.Args {
		args[i] = lower(a, params)
	}
	if v.Op == ir.OpCast {
		return loop.ToKind(v.Type.Kind, args[0])
	}
	return loop.Apply(v.Op, args...)
}

// hard returns values at the edges of a kind.
func hard(k ir.Kind) []ir.Scalar {
	var all []ir.Scalar
	switch {
	case k == ir.Bool:
		return []ir.Scalar{ir.BoolScalar(false), ir.BoolScalar(true)}
	case k == ir.Char8:
		for _, s := range []string{"", "A", "AB", "B", "\x00\x01", "\x80", "\xff\xff\xff\xff\xff\xff\xff\xff", "12345678", "ÿ", "ASIA"} {
			all = append(all, ir.Char8Scalar(s))
		}
		return all
	case k == ir.Date:
		for _, days := range []int64{0, -1, 1, 58, 59, 60, 364, 365, 8766, 11016, 11017, 19782, 19783, -719162, -719468, -719469, 2932896,
			1<<31 - 1, -1 << 31, -1<<31 + 1, 146097, -146097, 36524} {
			all = append(all, ir.Int(k, days))
		}
		return all
	case k.IsFloat():
		largest, smallest := math.MaxFloat64, math.SmallestNonzeroFloat64
		if k == ir.F32 {
			largest, smallest = math.MaxFloat32, math.SmallestNonzeroFloat32
		}
		for _, f := range []float64{0, 1, 0.1, 1.5, 2.5, 3, 127.5, 128, 255.5, 256, 32767.9, 65535.9, 65536, 16777217, 1 << 31, 1<<31 - 1, 1 << 32,
			1<<32 - 1, 1 << 53, 1 << 63, math.Nextafter(1<<63, 0), 1 << 64, math.Nextafter(1<<64, 0), 1e20, 1e30, math.Pi, largest, largest / 3, smallest, 3 * smallest,
			smallest * (1 << 20), 0x1.0p-126, 0x1.fffffp-127, 0x1p-1022, math.Inf(1)} {
			all = append(all, ir.Float(k, f), ir.Float(k, -f))
		}
		return append(all, ir.Float(k, math.NaN()), ir.Float(k, math.Copysign(0, -1)))
	}
	bits := k.Size() * 8
	seen := map[uint64]bool{}
	for _, i := range []int64{0, 1, -1, 2, 3, -3, 7, 10, 31, 33, 63, 64, 65, 100, -100, 127, -128, 255, 1 << 24, 1<<24 + 1, 1<<53 + 1, 123456789,
		-1 << (bits - 1), 1<<(bits-1) - 1, -1<<(bits-1) + 1, 1 << (bits - 2), 46341, 3037000500, 1 << 40, 1<<62 + 12345} {
		if v := ir.Int(k, i); !seen[v.Bits] {
			seen[v.Bits] = true
			all = append(all, v)
		}
	}
	return all
}

// operands returns columns x and y of kind k, each hard value with each.
func operands(k ir.Kind) (x, y ir.Column) {
	values := hard(k)
	n := len(values) * len(values)
	x, y = ir.NewColumn(k, n), ir.NewColumn(k, n)
	for i := range n {
		x.Set(i, values[i/len(values)])
		y.Set(i, values[i%len(values)])
	}
	return x, y
}

// semanticsCase is expressions over columns.
type semanticsCase struct {
	name    string
	columns []column
	exprs   []string
}

type column struct {
	name string
	data ir.Column
}

func numbers(k ir.Kind) semanticsCase {
	x, y := operands(k)
	c := semanticsCase{name: k.String(), columns: []column{{"x", x}, {"y", y}}}
	add := func(exprs ...string) { c.exprs = append(c.exprs, exprs...) }
	add("x + y", "x - y", "x * y", "-x", "x == y", "x != y", "x < y", "x <= y", "x > y", "x >= y", "abs(x)", "least(x, y)", "greatest(x, y)",
		"select(x < y, x, y)", "x + y + 1 < x", "x - 1 < x", "-(x - y) - y", "x * y + x", "x - y * x", "abs(x - y) + abs(y)", "least(x + y, -x)",
		"(x + 1) * (y - 1)", "x * 3 - 7", "greatest(x, 1)", "x < 3 && x > 5 || y == 0", "x == x", "!(x < y)", "-(-x)", "0 - -x")
	for to := ir.I8; to <= ir.F64; to++ {
		if to != k {
			add(to.String()+"(x)", to.String()+"(x + y)")
		}
	}
	if k.IsFloat() {
		add("x / y", "sqrt(x)", "x / 3", "0.1 * x + y", "x * y - x * y", "(x - y) * (x + y)", "sqrt(x * x + y * y)", "x / y * y")
		return c
	}
	d := ir.NewColumn(k, y.Len())
	s := ir.NewColumn(ir.I64, y.Len())
	counts := []int64{0, 1, 7, 8, 9, 15, 16, 31, 32, 33, 63, 64, 65, -1, -8, 1 << 40, math.MinInt64}
	for i := range y.Len() {
		d.Set(i, y.At(i))
		if y.At(i).Bits == 0 {
			d.Set(i, ir.Int(k, 5))
		}
		s.Set(i, ir.Int(ir.I64, counts[i%len(counts)]))
	}
	c.columns = append(c.columns, column{"d", d}, column{"s", s})
	add("x / d", "x % d", "x / 3", "x % 7", "1 / d", "x & y", "x | y", "x ^ y", "x &^ y", "^x", "x << y", "x >> y", "x << s", "x >> s", "x << 3", "x >> 3",
		"x << 100", "1 << y", "(x + y) / 2", "(x * y) >> 1", "(x << 1) >> 1", "^(x + y) / 3", "(x + y) % d", "x & y | x ^ 3", "x &^ y << 2", "(x * y) / d * d",
		"-x >> s", "(x & 4) == 3", "(x + y) < (x - y)", "abs(x * y) % d")
	if k.IsSigned() {
		least := map[ir.Kind]string{ir.I8: "-128", ir.I16: "-32768", ir.I32: "-2147483648", ir.I64: "-9223372036854775808"}[k]
		add("x / -1", "x % -1", "x + -3", "x - -3", "x * -5", "x == -100", "x == "+least, "x - "+least, "select(y == 1, "+least+", y) / d")
	}
	return c
}

func semanticsCases() []semanticsCase {
	var all []semanticsCase
	for k := ir.I8; k <= ir.F64; k++ {
		all = append(all, numbers(k))
	}
	x, y := operands(ir.Bool)
	all = append(all, semanticsCase{"bool", []column{{"x", x}, {"y", y}}, []string{"x && y", "x || y", "!x", "x == y", "x != y", "!(x && !y)",
		"x && y || !x && !y", "x == (y != x)", "i8(x)", "u64(x || y)", "f32(x)", "f64(!x)", "select(x, y, !y)", "x || !y || x == y"}})
	x, y = operands(ir.Char8)
	all = append(all, semanticsCase{"char8", []column{{"x", x}, {"y", y}}, []string{"x == y", "x != y", "x < y", "x >= y", "least(x, y)", "greatest(x, y)",
		`select(x == "A", y, "none")`, `x < "B"`, `greatest(x, "12345678")`, "x"}})
	x, y = operands(ir.Date)
	all = append(all, semanticsCase{"date", []column{{"x", x}, {"y", y}}, []string{"year(x)", "month(x)", "day(x)", "x - y", "x + i32(y)", "x < y", "least(x, y)",
		"year(x) * 100 + month(x)", `x >= date("1994-01-01") && x < date("1995-01-01")`, "i64(x)", "u8(x)"}})
	return all
}

// pipeline compiles the expressions of a case to a pipeline.
func (c *semanticsCase) pipeline(t *testing.T) *ir.Pipeline {
	t.Helper()
	var params, results []string
	for _, col := range c.columns {
		params = append(params, fmt.Sprintf("%s: [n]%v", col.name, col.data.Kind))
	}
	for i, e := range c.exprs {
		results = append(results, fmt.Sprintf("r%d: %s", i, e))
	}
	source := fmt.Sprintf("pipeline p(%s) {\n\treturn %s\n}\n", strings.Join(params, ", "), strings.Join(results, ", "))
	pipelines, errs := ir.Load("meaning.kg", []byte(source))
	if err := errs.Err(); err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return pipelines[0]
}

// kernel makes one kernel that stores each result of p.
func kernel(name string, p *ir.Pipeline) *loop.Func {
	b := loop.NewBuilder(name)
	b.Kernel(64)
	n := b.Param("n", loop.ScalarOf(ir.I64))
	in := map[string]*loop.Var{}
	for _, param := range p.Params {
		in[param.Name] = b.Param(param.Name, loop.SliceOf(loop.ScalarOf(param.Type.Kind)).In(loop.Global).AsReadOnly())
	}
	var out []*loop.Var
	for _, r := range p.Results {
		out = append(out, b.Param(r.Label, loop.SliceOf(loop.ScalarOf(r.Value.Type.Kind)).In(loop.Global)))
	}
	i := b.Let("i", loop.Add(loop.Mul(&loop.ID{Kind: loop.WorkgroupID}, &loop.ID{Kind: loop.LocalSize}), &loop.ID{Kind: loop.LocalID}))
	b.If(loop.Lt(i, loop.ToCounter(n)), func() {
		values := map[string]loop.Expr{}
		for _, param := range p.Params {
			values[param.Name] = b.Let(param.Name, loop.At(in[param.Name], i))
		}
		for j, r := range p.Results {
			b.Store(out[j], i, lower(r.Value, values))
		}
	}, nil)
	return b.Func()
}

// check is a kernel to run on the columns of a case.
type check struct {
	semanticsCase
	entry     string
	want, got []ir.Column
}

// newCheck makes the kernel called name and asks the interpreter what is right.
func newCheck(t *testing.T, name string, c semanticsCase) (*loop.Func, *check) {
	t.Helper()
	p := c.pipeline(t)
	var in []ir.Column
	for _, col := range c.columns {
		in = append(in, col.data)
	}
	want, err := interp.Run(p, in)
	if err != nil {
		t.Fatal(err)
	}
	var got []ir.Column
	for _, w := range want {
		got = append(got, ir.NewColumn(w.Kind, w.Len()))
	}
	return kernel(name, p), &check{c, name, want, got}
}

func (c *check) launch() launch {
	n := c.columns[0].data.Len()
	l := launch{kernel: c.entry, groups: (n + 63) / 64, size: 64, args: []arg{{In: scalar(ir.Int(ir.I64, int64(n))), Scalar: true}}}
	for _, col := range c.columns {
		l.args = append(l.args, arg{In: col.data})
	}
	for _, got := range c.got {
		l.args = append(l.args, arg{Out: got})
	}
	return l
}

// differences returns where the kernel was wrong, at most a line for each
// expression.
func (c *check) differences() (differ []string) {
	for i, e := range c.exprs {
		for row := range c.got[i].Len() {
			if g, w := c.got[i].At(row), c.want[i].At(row); !sameValue(g, w) {
				var at []string
				for _, col := range c.columns {
					at = append(at, col.name+" = "+show(col.data.At(row)))
				}
				differ = append(differ, fmt.Sprintf("%s of %s is %s, want %s", e, strings.Join(at, ", "), show(g), show(w)))
				break
			}
		}
	}
	return differ
}

func show(s ir.Scalar) string {
	switch {
	case s.Kind.IsFloat():
		return fmt.Sprintf("%g (%#x)", s.Float64(), s.Bits)
	case s.Kind == ir.U64 || s.Kind == ir.Char8:
		return fmt.Sprintf("%#x", s.Bits)
	}
	return fmt.Sprint(s.Int64())
}

// TestSemantics runs every operator on hard values, and compares with the
// interpreter bit for bit.
func TestSemantics(t *testing.T) {
	var funcs []*loop.Func
	var checks []*check
	var launches []launch
	for _, c := range semanticsCases() {
		f, check := newCheck(t, "meaning_"+c.name, c)
		funcs, checks, launches = append(funcs, f), append(checks, check), append(launches, check.launch())
	}
	text := printed(t, funcs...)
	if err := run(t, text, text.Source, launches...); err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		for _, difference := range c.differences() {
			t.Errorf("%s: %s", c.name, difference)
		}
	}
	if t.Failed() {
		t.Logf("%s", text.Source)
	}
}
