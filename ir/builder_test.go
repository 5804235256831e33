package ir_test

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/ir"
)

// buildEverything uses every method of the builder; everything is its text.
func buildEverything() *ir.Builder {
	b := ir.NewBuilder("everything")
	b.Doc("Every operator once.")
	a := b.Column("a", "n", ir.I64)
	c := b.Column("c", "n", ir.F64)
	d := b.Column("d", "n", ir.Date)
	s := b.Column("s", "n", ir.Char8)
	t := b.Column("t", "m", ir.I64)
	u := b.Column("u", "m", ir.F64)
	from := b.ScalarWithDefault("from", ir.Date, b.Date("1994-01-01"))
	limit := b.Scalar("limit", ir.I64)

	hit := b.Let("hit", b.Infix(b.Infix(b.Infix(d, ">=", from), "&&", b.Infix(s, "==", "AIR")), "||", b.Prefix("!", b.Infix(c, "<", 0.5))))
	g := b.Let("g", b.Runs(a, s))
	h := b.Let("h", b.Groups(s))
	st := b.Let("st", b.Starts(hit))
	e := b.Let("e", b.Repeat(b.Greatest(a, 0)))
	bin := b.Let("bin", b.Bins(b.Infix(a, "&", 255), 256))
	o := b.Let("o", b.Order(ir.Desc(a), s, ir.Limit(limit)))
	f := b.Let("f", b.Find(ir.Keys(a, c), ir.Keys(t, u)))
	j := b.Let("j", b.Join(a, t))
	found := b.Let("found", b.Infix(f, ">=", 0))
	b.Return(
		b.At(a, hit),
		ir.As("looked", b.At(u, b.At(f, found))),
		ir.As("row", b.Index(a)), ir.As("rows", b.Len(a)),
		ir.As("before", b.Prev(a, 1, 0)), ir.As("after", b.Next(c, 2, 0.0)),
		ir.As("running", b.Scan(ir.ReduceAdd, a, ir.By(g))), ir.As("start", b.Exscan(ir.ReduceMax, a, ir.By(st))),
		ir.As("total", b.Sum(c, ir.By(h))), ir.As("hits", b.Count(hit, ir.By(bin))), ir.As("size", b.CountBy(bin)),
		ir.As("least", b.Min(c, ir.Else(0))), ir.As("most", b.Max(a, ir.By(bin), ir.Else(-1))), ir.As("mean", b.Avg(a, ir.By(g))),
		ir.As("head", b.First(d, ir.By(g))), ir.As("tail", b.Last(s, ir.By(g))),
		ir.As("lowest", b.Argmin(c, ir.By(g))), ir.As("highest", b.Argmax(c, ir.By(h))),
		ir.As("copy", b.At(a, e)), ir.As("sorted", b.At(a, o)),
		ir.As("l", b.At(c, b.Left(j))), ir.As("r", b.At(u, b.Right(j))), ir.As("aligned", b.Align(t, a)),
		ir.As("chosen", b.Select(hit, b.Abs(a), b.Least(a, 7))), ir.As("root", b.Sqrt(c)),
		ir.As("y", b.Year(d)), ir.As("mo", b.Month(d)), ir.As("da", b.Day(d)),
		ir.As("cast", b.Cast(ir.F32, a)), ir.As("minus", b.Prefix("-", a)), ir.As("flipped", b.Prefix("^", a)), ir.As("air", b.Startswith(s, "AI")),
	)
	return b
}

const everything = `// Every operator once.
pipeline everything(a: [n]i64, c: [n]f64, d: [n]date, s: [n]char8, t: [m]i64, u: [m]f64, from: date = date("1994-01-01"), limit: i64) {
	hit = d >= from && s == "AIR" || !(c < 0.5)
	g = runs(a, s)
	h = groups(s)
	st = starts(hit)
	e = repeat(greatest(a, 0))
	bin = bins(a & 255, 256)
	o = order(desc(a), s, limit: limit)
	f = find((a, c), in: (t, u))
	j = join(a, t)
	found = f >= 0
	return a[hit], looked: u[f[found]], row: index(a), rows: len(a), before: prev(a, 1, 0), after: next(c, 2, 0), running: scan(add, a, by: g), start: exscan(max, a, by: st), total: sum(c, by: h), hits: count(hit, by: bin), size: count(by: bin), least: min(c, else: 0), most: max(a, by: bin, else: -1), mean: avg(a, by: g), head: first(d, by: g), tail: last(s, by: g), lowest: argmin(c, by: g), highest: argmax(c, by: h), copy: a[e], sorted: a[o], l: c[j.left], r: u[j.right], aligned: align(t, to: a), chosen: select(hit, abs(a), least(a, 7)), root: sqrt(c), y: year(d), mo: month(d), da: day(d), cast: f32(a), minus: -a, flipped: ^a, air: s >= "AI" && s < "AJ"
}
`

func TestBuilderEqualsText(t *testing.T) {
	p, err := buildEverything().Pipeline()
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(p); err != nil {
		t.Error(err)
	}
	file, errs := ir.Parse("everything.kg", []byte(everything))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if diff := cmp.Diff(string(ir.Format(file)), p.String()); diff != "" {
		t.Errorf("text and builder differ:\n%s", diff)
	}
	loaded, errs := ir.Load("everything.kg", []byte(everything))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if diff := cmp.Diff(loaded[0].String(), p.String()); diff != "" {
		t.Errorf("graphs differ:\n%s", diff)
	}
	if len(loaded[0].Sites) != len(p.Sites) || len(p.Sites) == 0 {
		t.Errorf("%d checks from text, %d from the builder", len(loaded[0].Sites), len(p.Sites))
	}
}

func TestBuilderConstants(t *testing.T) {
	b := ir.NewBuilder("constants")
	x := b.Column("x", "n", ir.I32)
	y := b.Column("y", "n", ir.F32)
	b.ReturnUnordered(
		ir.As("a", b.Infix(x, "+", 1)), ir.As("b", b.Infix(x, "-", int32(-1))), ir.As("c", b.Infix(y, "*", 0.5)), ir.As("d", b.Infix(y, "/", float32(2))),
		ir.As("e", b.Infix(b.Cast(ir.I8, x), "+", int8(1))), ir.As("f", b.Infix(b.Cast(ir.I16, x), "+", int16(1))), ir.As("g", b.Infix(b.Cast(ir.I64, x), "+", int64(1))),
		ir.As("h", b.Infix(b.Cast(ir.U8, x), "+", uint8(1))), ir.As("i", b.Infix(b.Cast(ir.U16, x), "+", uint16(1))),
		ir.As("j", b.Infix(b.Cast(ir.U32, x), "+", uint32(1))), ir.As("k", b.Infix(b.Cast(ir.U64, x), "+", uint64(math.MaxUint64))),
		ir.As("l", b.Infix(b.Infix(x, "==", 0), "!=", true)), ir.As("m", b.Select(b.Infix(x, ">", 0), ir.Char8Scalar("up"), "down")),
	)
	p, err := b.Pipeline()
	if err != nil {
		t.Fatal(err)
	}
	want := `pipeline constants(x: [n]i32, y: [n]f32) {
	return unordered a: x + 1, b: x - -1, c: y * 0.5, d: y / 2, e: i8(x) + 1, f: i16(x) + 1, g: i64(x) + 1, h: u8(x) + 1, i: u16(x) + 1, j: u32(x) + 1, k: u64(x) + 18446744073709551615, l: x == 0 != true, m: select(x > 0, "up", "down")
}
`
	if diff := cmp.Diff(want, p.String()); diff != "" {
		t.Error(diff)
	}
}

func TestBuilderErrors(t *testing.T) {
	other := ir.NewBuilder("other").Column("z", "n", ir.I64)
	for _, test := range []struct {
		want  string
		build func(b *ir.Builder, x ir.Operand)
	}{
		{"&& takes a bool, and x is [n]i64", func(b *ir.Builder, x ir.Operand) { b.Return(b.Let("r", b.Infix(x, "&&", true))) }},
		{"unknown operator \"**\"", func(b *ir.Builder, x ir.Operand) { b.Return(b.Infix(x, "**", 2)) }},
		{"unknown operator \"~\"", func(b *ir.Builder, x ir.Operand) { b.Return(b.Prefix("~", x)) }},
		{"unknown operation 0 of scan", func(b *ir.Builder, x ir.Operand) { b.Return(b.Scan(ir.ReduceNone, x)) }},
		{"[]int is no operand", func(b *ir.Builder, x ir.Operand) { b.Return(ir.As("r", b.Infix(x, "+", []int{1}))) }},
		{"no constant of the language", func(b *ir.Builder, x ir.Operand) { b.Return(ir.As("r", b.Select(true, x, math.NaN()))) }},
		{"the zero ir.Operand is no value", func(b *ir.Builder, x ir.Operand) { b.Return(x, ir.As("r", ir.Operand{}.Add(x).Not().At(x))) }},
		{"of another builder", func(b *ir.Builder, x ir.Operand) { b.Return(ir.As("r", other.Add(x)), x) }},
		{"&& takes a bool, and x is [n]i64", func(b *ir.Builder, x ir.Operand) { b.Return(x.And(true).As("r")) }},
		{"! takes a bool", func(b *ir.Builder, x ir.Operand) { b.Return(x.Not().As("r")) }},
		{"of another builder", func(b *ir.Builder, x ir.Operand) { b.Return(ir.As("r", b.Infix(x, "+", other))) }},
		{"300 does not fit i8", func(b *ir.Builder, x ir.Operand) { b.Return(ir.As("r", b.Infix(b.Cast(ir.I8, x), "+", 300))) }},
		{"\"a b\" is no name", func(b *ir.Builder, x ir.Operand) { b.Return(b.Let("a b", x)) }},
		{"x is already defined", func(b *ir.Builder, x ir.Operand) { b.Return(b.Let("x", b.Abs(x))) }},
		{"\"return\" is no label", func(b *ir.Builder, x ir.Operand) { b.Return(ir.As("return", x)) }},
		{"result without a label", func(b *ir.Builder, x ir.Operand) { b.Return(b.Abs(x)) }},
		{"two results are labelled x", func(b *ir.Builder, x ir.Operand) { b.Return(x, x) }},
		{"returns nothing", func(b *ir.Builder, x ir.Operand) {}},
		{"Return without results", func(b *ir.Builder, x ir.Operand) { b.Return() }},
		{"Return is called twice", func(b *ir.Builder, x ir.Operand) { b.Return(x); b.Return(ir.As("y", x)) }},
		{"abs(x) is never used", func(b *ir.Builder, x ir.Operand) { b.Abs(x); b.Return(x) }},
		{"y is never used", func(b *ir.Builder, x ir.Operand) { b.Column("y", "n", ir.F32); b.Return(x) }},
		{"of type join", func(b *ir.Builder, x ir.Operand) { b.Return(b.Column("y", "n", ir.Pair)) }},
		{"the default of s is", func(b *ir.Builder, x ir.Operand) { b.Return(ir.As("r", b.ScalarWithDefault("s", ir.I64, x))) }},
		{"the value of y where it is missing is", func(b *ir.Builder, x ir.Operand) { b.Return(x, b.ColumnMissing("y", "n", ir.I64, x)) }},
		{"every row of x has a value\n  say what", func(b *ir.Builder, x ir.Operand) { b.Return(x, b.Present("y", x)) }},
		{"is no parameter over", func(b *ir.Builder, x ir.Operand) { b.Return(x, b.Present("y", x.Add(1))) }},
		{"by: is given twice", func(b *ir.Builder, x ir.Operand) { b.Return(ir.As("r", b.Sum(x, ir.By(b.Runs(x)), ir.By(b.Runs(x))))) }},
		{"a key without columns", func(b *ir.Builder, x ir.Operand) { b.Return(ir.As("r", b.Find(ir.Keys(), ir.Keys()))) }},
		{"nil is no operand\n  pass an ir.Operand of this builder or a Go constant: int,", func(b *ir.Builder, x ir.Operand) { b.Return(x.Add(nil).As("r")) }},
		{"*ir.Operand is no operand\n  pass the operand itself", func(b *ir.Builder, x ir.Operand) { b.Return(x.Add(&x).As("r")) }},
		{"ir.LabelledResult is no operand\n  As labels results", func(b *ir.Builder, x ir.Operand) { b.Return(x.Add(x.As("y")).As("r")) }},
		{"ir.Named is no operand", func(b *ir.Builder, x ir.Operand) { b.Return(x.Add(ir.By(x)).As("r")) }},
		{"ir.Descending is no operand", func(b *ir.Builder, x ir.Operand) { b.Return(x.Add(ir.Desc(x)).As("r")) }},
		{"ir.CompoundKey is no operand", func(b *ir.Builder, x ir.Operand) { b.Return(x.Add(ir.Keys(x)).As("r")) }},
		{"ir.ReduceOp is no operand", func(b *ir.Builder, x ir.Operand) { b.Return(b.First(x, ir.By(b.Runs(ir.ReduceAdd, x))).As("r")) }},
		{"the zero ir.Named is no operand", func(b *ir.Builder, x ir.Operand) { b.Return(b.Sum(x, ir.Named{}).As("r")) }},
		{"cast to ir.Kind(99)\n  the types are", func(b *ir.Builder, x ir.Operand) { b.Return(b.Cast(99, x).As("r")) }},
		{"parameter y of type ir.Kind(99)", func(b *ir.Builder, x ir.Operand) { b.Return(x, b.Column("y", "n", 99)) }},
		{"ir.Scalar{invalid, 0x0} is no constant", func(b *ir.Builder, x ir.Operand) { b.Return(x.Add(ir.Scalar{}).As("r")) }},
		{"ir.Scalar{i8, 0x80} is no constant", func(b *ir.Builder, x ir.Operand) {
			b.Return(b.Cast(ir.I8, x).Add(ir.Scalar{Kind: ir.I8, Bits: 128}).As("r"))
		}},
		{"write the constant as i64", func(b *ir.Builder, x ir.Operand) { b.Return(x.Add(int8(1)).As("r")) }},
		{"string \"a\" where i64 is needed\n  strings are text or char8", func(b *ir.Builder, x ir.Operand) { b.Return(x.Add("a").As("r")) }},
		{"is no date by itself\n  write date(\"1994-01-01\")", func(b *ir.Builder, x ir.Operand) { b.Return(x, b.ScalarWithDefault("d", ir.Date, "never")) }},
		{"an operand of another builder, which has an error", func(b *ir.Builder, x ir.Operand) { b.Return(x, ir.As("r", ir.NewBuilder("q").Date("never"))) }},
		{"may permute", func(b *ir.Builder, x ir.Operand) { b.ReturnUnordered(x, ir.As("row", b.Index(x))) }},
	} {
		b := ir.NewBuilder("p")
		test.build(b, b.Column("x", "n", ir.I64))
		_, err := b.Pipeline()
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %q", err, test.want)
			continue
		}
		if list := err.(ir.ErrorList); filepath.Base(list[0].Pos.File) != "builder_test.go" || list[0].Pos.Line == 0 {
			t.Errorf("%s is reported at %v", test.want, list[0].Pos)
		}
	}
}

// One mistake makes one message, in results too.
func TestBuilderResultsReportOnce(t *testing.T) {
	for _, r := range []any{nil, ir.Operand{}, ir.As("r", nil), ir.As("", 1), 1} {
		b := ir.NewBuilder("p")
		b.Return(r)
		_, err := b.Pipeline()
		if list, _ := err.(ir.ErrorList); len(list) != 1 {
			t.Errorf("%v: %v", r, err)
		}
	}
}

// What no NewBuilder made can be called, and says so; so does a builder whose
// pipeline is finished.
func TestBuilderThatIsNone(t *testing.T) {
	var none *ir.Builder
	var zero ir.Builder
	finished := ir.NewBuilder("finished")
	x := finished.Column("x", "n", ir.I64)
	finished.Return(x)
	p, err := finished.Pipeline()
	if err != nil {
		t.Fatal(err)
	}
	before := p.String()
	for want, b := range map[string]*ir.Builder{"the ir.Builder is nil": none, "the zero ir.Builder makes no pipeline": &zero, "pipeline finished is finished: Pipeline has returned it": finished} {
		b.Doc("words")
		b.Place(ir.Pos{})
		y := b.Column("y", "n", ir.I64)
		g := b.Let("g", b.Runs(y))
		for _, x := range []any{y.Add(1), y.Not(), y.At(0), b.Scalar("k", ir.I64), b.ScalarWithDefault("l", ir.I64, 3), b.Constant(1), b.Infix(y, "+", 1),
			b.Prefix("-", y), b.Cast(ir.F64, y), b.Date("1994-01-01"), b.Left(y), b.Sum(y, ir.By(g)), b.Copy(p.Results[0].Value, nil), x.Add(1)} {
			b.Let("z", x)
		}
		b.ReturnUnordered(y)
		b.Return(y)
		_, err := b.Pipeline()
		list, _ := err.(ir.ErrorList)
		if len(list) == 0 || list[0].Msg != want || list[0].Hint == "" || filepath.Base(list[0].Pos.File) != "builder_test.go" || list[0].Pos.Line == 0 {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if p.String() != before {
		t.Errorf("the finished pipeline has become\n%v", p)
	}
}

func TestBuilderReportsAllErrorsOnce(t *testing.T) {
	b := ir.NewBuilder("p")
	x := b.Column("x", "n", ir.I64)
	bad := b.Infix(x, "+", 0.5)
	worse := b.Infix(bad, "*", 2)
	b.Return(ir.As("y", worse), ir.As("z", b.Sqrt(x)))
	_, err := b.Pipeline()
	list, _ := err.(ir.ErrorList)
	if len(list) != 2 {
		t.Fatalf("%d errors, want 2: %v", len(list), err)
	}
	if got := fmt.Sprint(list[1].Pos.Line - list[0].Pos.Line); got != "2" {
		t.Errorf("errors are %s lines apart, want 2", got)
	}
}
