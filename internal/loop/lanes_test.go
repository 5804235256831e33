package loop

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

func TestVerifyLanes(t *testing.T) {
	eight := func(x Expr) Expr { return &Splat{X: x, Lanes: 8} }
	mask := func(b *Builder) Expr { return b.Let("mask", Lt(eight(i32(1)), eight(i32(2)))) }
	check(t, Cores, []testCase{
		{"everything right", func(b *Builder) {
			x, y := b.Param("x", SliceOf(tI32).AsReadOnly()), b.Param("y", SliceOf(tF64))
			lanes := b.Let("lanes", &LoadLanes{Memory: x, Index: Int(0), Lanes: 8})
			sum := b.Decl("sum", eight(ConstOf(ir.Float(ir.F64, 0))))
			hit := b.Let("hit", And(Gt(lanes, eight(i32(3))), Not(Eq(lanes, eight(i32(5))))))
			b.Assign(sum, &Select{hit, Add(sum, To(VectorOf(8, tF64), lanes)), sum})
			b.Add(&StoreLanes{Memory: y, Index: Int(0), X: &Compress{X: sum, Mask: hit}})
			b.If(&AnyLane{hit}, func() { b.Let("n", Add(Int(1), &CountLanes{Mask: hit})) }, nil)
		}, ""},
		{"lanes of two numbers", func(b *Builder) { b.Let("v", Add(eight(i32(1)), &Splat{X: i32(1), Lanes: 16})) }, `no operator "+" takes i32x8 and i32x16`},
		{"lanes and a value", func(b *Builder) { b.Let("v", Add(eight(i32(1)), i32(1))) }, `no operator "+" takes i32x8 and i32`},
		{"comparison of lanes and a value", func(b *Builder) { b.Let("v", Lt(eight(i32(1)), b.Decl("n", i32(1)))) }, "the right operand is i32, want i32x8"},
		{"choice of lanes by a bool", func(b *Builder) {
			b.Let("v", &Select{b.Decl("c", True), eight(i32(1)), eight(i32(2))})
		}, "the condition is bool, want boolx8"},
		{"branch by a mask", func(b *Builder) { b.If(mask(b), func() { b.Break() }, nil) }, "the condition is boolx8, want bool"},
		{"cast to a value", func(b *Builder) { b.Let("v", &Cast{To: tF64, X: eight(i32(1))}) }, "no cast from i32x8 to f64"},
		{"lanes of lanes", func(b *Builder) { b.Let("v", eight(eight(i32(1)))) }, "8 lanes cannot hold i32x8"},
		{"load from a value", func(b *Builder) { b.Let("v", &LoadLanes{Memory: b.Param("x", tI32), Index: Int(0), Lanes: 8}) }, "x has no 8 lanes"},
		{"load of one lane", func(b *Builder) {
			b.Let("v", &LoadLanes{Memory: b.Param("x", SliceOf(tI32)), Index: Int(0), Lanes: 1})
		}, "x has no 1 lanes"},
		{"store of a value", func(b *Builder) { b.Add(&StoreLanes{b.Param("x", SliceOf(tI32)), Int(0), i32(1)}) }, "the value is i32, want a vector"},
		{"store of other lanes", func(b *Builder) { b.Add(&StoreLanes{b.Param("x", SliceOf(tF64)), Int(0), eight(i32(1))}) }, "the value is i32x8, want f64x8"},
		{"store to an input", func(b *Builder) {
			b.Add(&StoreLanes{b.Param("x", SliceOf(tI32).AsReadOnly()), Int(0), eight(i32(1))})
		}, "x is read-only"},
		{"store of lanes as a value", func(b *Builder) { b.Store(b.Param("x", SliceOf(tI32)), Int(0), eight(i32(1))) }, "the value is i32x8, want i32"},
		{"compression of a value", func(b *Builder) { b.Let("v", &Compress{i32(1), mask(b)}) }, "i32 has no lanes to compress"},
		{"compression by another mask", func(b *Builder) { b.Let("v", &Compress{&Splat{i32(1), 16}, mask(b)}) }, "the mask is boolx8, want boolx16"},
		{"count of numbers", func(b *Builder) { b.Let("v", &CountLanes{eight(i32(1))}) }, "i32x8 is no mask"},
		{"any of numbers", func(b *Builder) { b.Let("v", &AnyLane{eight(i32(1))}) }, "i32x8 is no mask"},
	})
	check(t, Simt, []testCase{
		{"vectors of a work-item", func(b *Builder) { b.Let("v", eight(i32(1))) }, "only profile cores has vectors"},
		{"stores of a work-item", func(b *Builder) { b.Add(&StoreLanes{b.Param("x", SliceOf(tI32)), Int(0), eight(i32(1))}) }, "profile simt has no such statement"},
	})
}

// TestWithoutVectors checks what a function of vectors returns without them.
func TestWithoutVectors(t *testing.T) {
	for _, c := range []struct {
		otherwise []Expr
		want      string
	}{
		{[]Expr{Int(0)}, ""},
		{[]Expr{i32(1)}, "the result without vectors is i32, want counter"},
		{[]Expr{Int(0), Int(1)}, "2 results without vectors, want 1"},
		{[]Expr{&Var{Name: "stray", T: Counter}}, "stray is not declared here"},
	} {
		b := NewBuilder("f")
		x := b.Param("x", SliceOf(tI32))
		b.Add(&StoreLanes{x, Int(0), &Splat{i32(1), 8}})
		f := b.Func(LenOf(x))
		f.Otherwise = c.otherwise
		err := Verify(&Program{Funcs: []*Func{f}}, Cores)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q in\n%v", err, c.want, f)
		}
	}
}

// TestUnreadLanes removes vectors and arrays of lanes that nothing reads.
func TestUnreadLanes(t *testing.T) {
	b := NewBuilder("f")
	x, y := b.Param("x", SliceOf(tI32)), b.Param("y", SliceOf(tI32))
	unread := b.Storage("unread", ArrayOf(8, tI32))
	b.Let("lost", &Splat{i32(7), 8})
	lanes := b.Let("lanes", &LoadLanes{x, Int(0), 8})
	b.Add(&StoreLanes{unread, Int(0), lanes}, &StoreLanes{y, Int(0), lanes})
	f := b.Func()
	RemoveUnread(f)
	const want = "func f(x []i32, y []i32) {\n\tlet lanes i32x8 = 8 lanes x[0]\n\tlanes y[0] = lanes\n}\n"
	if f.String() != want {
		t.Errorf("is\n%v\nwant\n%s", f, want)
	}
}
