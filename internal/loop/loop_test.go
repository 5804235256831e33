package loop

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/ir"
)

func TestDump(t *testing.T) {
	b := NewBuilder("f")
	b.Doc("f is a sample.")
	x := b.Param("x", SliceOf(tF64).AsReadOnly())
	y := b.Param("y", SliceOf(tF64))
	n := b.Decl("n", Int(0))
	b.Chain(LenOf(x), Int(2), 8, ChainParts{
		Setup:  func(*Var) { b.Make("scratch", tI32, Int(8)) },
		Before: func(lo, hi *Var) { b.Window("w", x, lo, 4) },
		Turn:   func(lo, hi *Var) { b.Assign(n, Add(n, Sub(hi, lo))) },
	})
	b.Parallel(LenOf(x), Int(2), 4, func(worker, lo, hi *Var) {
		b.ForStep("i", lo, hi, 2, func(i *Var) {
			b.Note("a.kg:3: sum(x)")
			v := b.Let("v", At(x, i))
			b.If(Not(Lt(v, ConstOf(ir.Float(ir.F64, 2)))),
				func() { b.Store(y, i, Mul(Add(v, v), Choose(KeyEq(v, v), v, ConstOf(ir.Float(ir.F64, 0.5))))) },
				func() { b.Break() })
		})
	})
	b.Cut(y, Int(1), nil)
	b.While(Gt(n, Int(0)), func() { b.Assign(n, Sub(n, Int(1))) })
	got := b.Func(To(tI64, n)).String()
	want := `// f is a sample.
func f(x const []f64, y []f64) i64 {
	var n counter = 0
	chain lo to hi of len(x) by 2, block 8 {
		var scratch []i32 of 8
		before {
			let w const *[4]f64 = x[lo:]
		}
		turn {
			n = n + (hi - lo)
		}
		after {
		}
	}
	parallel worker takes lo.2 to hi.2 of len(x) by 2, grain 4 {
		for i = lo.2 to hi.2 by 2 {
			// a.kg:3: sum(x)
			let v f64 = x[i]
			if !(v < 2.0) {
				y[i] = (v + v) * select(v key== v, v, 0.5)
			}
			else {
				break
			}
		}
	}
	y []f64 = y[1:]
	while n > 0 {
		n = n - 1
	}
	return i64(n)
}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDumpSimt(t *testing.T) {
	b := NewBuilder("f")
	b.Kernel(64)
	s := b.Storage("s", ArrayOf(4, tI32).In(Local))
	b.Store(s, &ID{LocalID}, i32(-1))
	b.Barrier(WorkgroupScope)
	b.Role("control", 0, 1, func() {
		b.AtomicOld("old", AtomicMin, s, Int(0), i32(7))
		b.Fence(DeviceScope)
		b.CompareExchange("seen", s, Int(1), i32(0), VolatileAt(s, Int(2)))
	})
	want := `kernel of 64 f() {
	var s local [4]i32
	s[local_id] = -1
	barrier workgroup
	role control of subgroups 0 to 1 {
		let old i32 = atomic min s[0], 7
		fence device
		let seen i32 = atomic compare_exchange s[1], 0, volatile s[2]
	}
}
`
	if diff := cmp.Diff(want, b.Func().String()); diff != "" {
		t.Error(diff)
	}
	b.Func().Occupancy = 8
	if got := b.Func().String(); !strings.HasPrefix(got, "kernel of 64, 8 a unit f() {") {
		t.Error(got)
	}
}

func TestConstructorsLeaveOutNothings(t *testing.T) {
	x := &Var{Name: "x", T: tI32}
	c := &Var{Name: "c", T: Bool}
	f := &Var{Name: "f", T: tF64}
	u := &Var{Name: "u", T: ScalarOf(ir.U8)}
	x64 := &Var{Name: "x64", T: Counter}
	one := ConstOf(ir.Float(ir.F64, 1))
	zero := ConstOf(ir.Float(ir.F64, 0))
	for _, test := range []struct {
		got  Expr
		want string
	}{
		{Add(x, i32(0)), "x"},
		{Add(i32(0), x), "x"},
		{Sub(x, i32(0)), "x"},
		{Mul(x, i32(1)), "x"},
		{Add(f, zero), "f + 0.0"}, // -0.0 + 0.0 is 0.0
		{Mul(f, one), "f * 1.0"},  // a signalling NaN becomes quiet
		{Add(Int(2), Int(3)), "5"},
		{And(c, True), "c"},
		{And(False, c), "false"},
		{Or(c, False), "c"},
		{Not(Not(c)), "c"},
		{Not(Lt(x, x)), "x >= x"},
		{Not(Lt(f, f)), "!(f < f)"}, // NaN
		{Not(Eq(f, f)), "f != f"},
		{Not(KeyLt(f, f)), "f key>= f"},
		{To(tI32, x), "x"},
		{ToKind(ir.I8, ConstOf(ir.Int(ir.I64, 300))), "44"},
		{Choose(True, x, i32(1)), "x"},
		{Lt(u, ConstOf(ir.Int(ir.U8, 0))), "false"},
		{Le(u, ConstOf(ir.Int(ir.U8, 255))), "true"},
		{Lt(u, ConstOf(ir.Int(ir.U8, 255))), "u < 255"},
		{Ge(x, i32(-1<<31)), "true"},
		{Gt(x, i32(1<<31-1)), "false"},
		{Gt(Int(math.MaxInt64), x64), "9223372036854775807 > x64"},
		{Le(x64, Int(math.MaxInt64)), "true"},
		{Eq(Int(2), Int(2)), "true"},
		{Eq(Int(2), Int(3)), "false"},
	} {
		d := newDumper()
		if got := d.expr(test.got); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

func TestRemoveUnread(t *testing.T) {
	effect := &Signature{Name: "effect", Results: []Type{tI32, tI32}, Effects: true}
	b := NewBuilder("f")
	x := b.Param("x", SliceOf(tI32))
	first := b.Let("first", At(x, Int(0)))
	b.Let("second", Add(first, i32(1)))
	n := b.Decl("n", Int(0))
	b.If(Lt(i32(1), i32(2)), func() { b.Assign(n, Add(n, Int(1))) }, nil)
	total := b.Decl("total", i32(0))
	b.If(Lt(i32(1), i32(2)), func() { b.Assign(total, i32(3)) }, nil)
	count := b.Decl("count", i32(0))
	b.Assign(count, Add(count, i32(1)))
	b.Window("w", x, Int(0), 4)
	unread, seen := b.Storage("unread", ArrayOf(2, tI32)), b.Storage("seen", ArrayOf(2, tI32))
	b.For("i", Int(0), Int(2), func(i *Var) { b.Store(unread, i, At(unread, Int(0))) })
	b.Store(seen, Int(0), i32(7))
	b.Store(x, Int(1), At(seen, Int(0)))
	y := b.Param("y", SliceOf(tI32).In(Global))
	b.LoadWide("unread", y, Int(0))
	b.Store(x, Int(2), b.LoadWide("word", y, Int(4))[3])
	kept := b.Do(effect, nil, "kept", "dropped")[0]
	b.AtomicOld("old", AtomicAdd, x, Int(0), i32(1))
	f := b.Func(kept, n)
	RemoveUnread(f)
	want := `func f(x []i32, y global []i32) i32, counter {
	var n counter = 0
	if 1 < 2 {
		n = n + 1
	}
	var seen [2]i32
	seen[0] = 7
	x[1] = seen[0]
	let word, word.2, word.3, word.4 = wide y[4]
	x[2] = word.4
	let kept, _ = effect()
	atomic add x[0], 1
	return kept, n
}
`
	if diff := cmp.Diff(want, f.String()); diff != "" {
		t.Error(diff)
	}
}
