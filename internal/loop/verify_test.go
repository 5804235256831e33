package loop

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

var (
	tI32 = ScalarOf(ir.I32)
	tI64 = ScalarOf(ir.I64)
	tF64 = ScalarOf(ir.F64)
)

func i32(x int64) *Const { return ConstOf(ir.Int(ir.I32, x)) }

// testCase is a function body and the error of Verify, or "".
type testCase struct {
	name  string
	write func(b *Builder)
	want  string
}

func check(t *testing.T, profile Profile, cases []testCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := NewBuilder("f")
			c.write(b)
			f := b.Func()
			err := Verify(&Program{Funcs: []*Func{f}}, profile)
			switch {
			case err == nil && c.want != "":
				t.Errorf("nothing found, want %q in\n%v", c.want, f)
			case err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v, want %q in\n%v", err, c.want, f)
			}
		})
	}
}

func TestVerifyTypesAndNames(t *testing.T) {
	stray := &Var{Name: "stray", T: tI32}
	check(t, Cores, []testCase{
		{"a loop with everything right", func(b *Builder) {
			x := b.Param("x", SliceOf(tI32).AsReadOnly())
			y := b.Param("y", SliceOf(tI32))
			n := b.Decl("n", Int(0))
			b.For("i", Int(0), LenOf(x), func(i *Var) {
				v := b.Let("v", At(x, i))
				b.If(Lt(v, i32(3)), func() { b.Break() }, nil)
				b.Store(y, n, v)
				b.Assign(n, Add(n, Int(1)))
			})
		}, ""},
		{"undeclared", func(b *Builder) { b.Let("v", Add(stray, i32(1))) }, "stray is not declared here"},
		{"out of scope", func(b *Builder) {
			var inner Expr
			b.If(True, func() { inner = b.Let("inner", Add(i32(1), i32(2))) }, nil)
			b.Let("v", Add(inner, i32(1)))
		}, "inner is not declared here"},
		{"used before its Let", func(b *Builder) {
			v := &Var{Name: "v", T: tI32}
			b.Add(&Let{&Var{Name: "w", T: tI32}, v}, &Let{v, i32(1)})
		}, "v is not declared here"},
		{"declared twice", func(b *Builder) {
			v := &Var{Name: "v", T: tI32}
			b.Add(&Let{v, i32(1)}, &Let{v, i32(2)})
		}, "v is declared twice"},
		{"assignment to a Let", func(b *Builder) {
			v := &Var{Name: "v", T: tI32}
			b.Add(&Let{v, i32(1)}, &Assign{v, i32(2)})
		}, "v does not change"},
		{"assignment to a loop variable", func(b *Builder) {
			b.For("i", Int(0), Int(3), func(i *Var) { b.Assign(i, Int(0)) })
		}, "i does not change"},
		{"assignment of another type", func(b *Builder) { b.Assign(b.Decl("n", Int(0)), i32(1)) }, "the value is i32, want counter"},
		{"operands of two types", func(b *Builder) { b.Let("v", Add(Int(2), &Cast{To: tI64, X: Int(1)})) }, `no operator "+" takes counter and i64`},
		{"sum of bools", func(b *Builder) { b.Let("v", &Binary{ir.OpAdd, True, False}) }, `no operator "+" takes bool`},
		{"remainder of floats", func(b *Builder) {
			x := b.Param("x", tF64)
			b.Let("v", Apply(ir.OpRem, x, x))
		}, `no operator "%" takes f64`},
		{"comparison of two types", func(b *Builder) { b.Let("v", Eq(i32(1), Int(1))) }, "the right operand is counter, want i32"},
		{"choices of two types", func(b *Builder) { b.Let("v", &Select{b.Decl("c", True), i32(1), Int(1)}) }, "the second choice is counter, want i32"},
		{"cast to bool", func(b *Builder) { b.Let("v", &Cast{To: Bool, X: i32(1)}) }, "no cast from i32 to bool"},
		{"bits of another width", func(b *Builder) {
			b.Let("v", &Cast{To: ScalarOf(ir.U32), X: b.Param("x", tF64), Bits: true})
		}, "no cast from f64 to u32"},
		{"date literal", func(b *Builder) { b.Let("v", Add(&Const{Value: ir.Int(ir.Date, 1)}, i32(1))) }, "no literal is date"},
		{"store to an input", func(b *Builder) { b.Store(b.Param("x", SliceOf(tI32).AsReadOnly()), Int(0), i32(1)) }, "x is read-only"},
		{"store of another type", func(b *Builder) { b.Store(b.Param("x", SliceOf(tI32)), Int(0), Int(1)) }, "the value is counter, want i32"},
		{"store into a value", func(b *Builder) { b.Add(&Store{b.Param("x", tI32), Int(0), i32(1)}) }, "x is no memory"},
		{"index by a float", func(b *Builder) { b.Let("v", At(b.Param("x", SliceOf(tI32)), b.Param("f", tF64))) }, "the index is f64"},
		{"condition that is no bool", func(b *Builder) { b.If(i32(1), func() {}, nil) }, "the condition is i32, want bool"},
		{"break outside of a loop", func(b *Builder) { b.If(True, func() { b.Break() }, nil) }, "no loop to leave"},
		{"step of zero", func(b *Builder) { b.ForStep("i", Int(0), Int(4), 0, func(*Var) {}) }, "step 0"},
		{"end of another type", func(b *Builder) { b.For("i", Int(0), i32(4), func(*Var) {}) }, "the end is i32, want counter"},
		{"unknown callee", func(b *Builder) { b.Do(&Signature{Name: "g"}, nil) }, "g is no function that stands before"},
		{"atomic on bytes", func(b *Builder) {
			b.Atomic(AtomicAdd, b.Param("x", SliceOf(ScalarOf(ir.U8))), Int(0), ConstOf(ir.Int(ir.U8, 1)))
		}, "no atomic works on u8"},
		{"window of nothing", func(b *Builder) { b.Window("w", b.Param("x", SliceOf(tI32)), Int(0), 0) }, "at least 1"},
		{"writable view of an input", func(b *Builder) {
			x := b.Param("x", SliceOf(tI32).AsReadOnly())
			b.Add(&View{Var: &Var{Name: "w", T: SliceOf(tI32)}, Memory: x, Start: Int(0)})
		}, "x is read-only, its view is not"},
	})
}

func TestVerifyCalls(t *testing.T) {
	g := NewBuilder("g")
	g.Param("x", SliceOf(tI32).AsReadOnly())
	callee := g.Func(i32(1), Int(2))
	for _, c := range []struct {
		args []Expr
		want string
	}{
		{[]Expr{&Var{Name: "x", T: SliceOf(tI32)}}, ""},
		{nil, "0 arguments for g, want 1"},
		{[]Expr{i32(1)}, "argument 1 of g is i32, want const []i32"},
	} {
		b := NewBuilder("f")
		for _, a := range c.args {
			if v, ok := a.(*Var); ok {
				b.f.Params = append(b.f.Params, v)
			}
		}
		b.Do(callee.Signature(), c.args, "one", "two")
		err := Verify(&Program{Funcs: []*Func{callee, b.Func()}}, Cores)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	b := NewBuilder("assigns")
	x, n, m := b.Param("x", SliceOf(tI32)), b.Decl("n", Int(0)), b.Decl("m", i32(0))
	call := &Call{callee.Signature(), []Expr{x}}
	b.Add(&Do{Results: []*Var{m, n}, Call: call}, &Do{Results: []*Var{nil, n}, Call: call})
	if err := Verify(&Program{Funcs: []*Func{callee, b.Func()}}, Cores); err != nil {
		t.Errorf("results assigned: %v", err)
	}
	b.Add(&Do{Results: []*Var{{Name: "new", T: tI32}, n}, Call: call})
	if err := Verify(&Program{Funcs: []*Func{callee, b.Func()}}, Cores); err == nil || !strings.Contains(err.Error(), "others bound") {
		t.Errorf("results assigned and bound: %v", err)
	}
	b = NewBuilder("late")
	b.f.Params = []*Var{{Name: "x", T: SliceOf(tI32)}}
	b.Do(callee.Signature(), []Expr{b.f.Params[0]})
	if err := Verify(&Program{Funcs: []*Func{b.Func(), callee}}, Cores); err == nil || !strings.Contains(err.Error(), "stands before") {
		t.Errorf("a call of a later function: %v", err)
	}
}

func TestVerifyRaces(t *testing.T) {
	check(t, Cores, []testCase{
		{"ranges that store apart", func(b *Builder) {
			x := b.Param("x", SliceOf(tI64))
			b.Parallel(LenOf(x), Int(2), 8, func(worker, lo, hi *Var) {
				n := b.Decl("n", Int(0))
				b.For("i", lo, hi, func(i *Var) { b.Assign(n, Add(n, Int(1))) })
				b.Store(x, worker, To(tI64, n))
			})
		}, ""},
		{"a total that ranges share", func(b *Builder) {
			total := b.Decl("total", Int(0))
			b.Parallel(Int(9), Int(2), 8, func(worker, lo, hi *Var) { b.Assign(total, Add(total, lo)) })
		}, "total is shared by bodies that run at the same time"},
		{"a slice that a range cuts", func(b *Builder) {
			x := b.Param("x", SliceOf(tI64))
			b.Parallel(Int(9), Int(2), 8, func(worker, lo, hi *Var) { b.Cut(x, lo, hi) })
		}, "x is shared by bodies that run at the same time"},
		{"break out of a range", func(b *Builder) {
			b.While(True, func() {
				b.Parallel(Int(9), Int(2), 8, func(worker, lo, hi *Var) { b.Break() })
			})
		}, "no loop to leave"},
		{"grain of zero", func(b *Builder) { b.Parallel(Int(9), Int(2), 0, func(worker, lo, hi *Var) {}) }, "multiples of 0 rows"},
		{"a prefix in turns", func(b *Builder) {
			prefix := b.Decl("prefix", Int(0))
			var at *Var
			b.Chain(Int(9), Int(2), 4, ChainParts{
				Setup:  func(*Var) { b.Make("scratch", tI32, Int(4)) },
				Before: func(lo, hi *Var) { at = b.Decl("at", Int(0)) },
				Turn: func(lo, hi *Var) {
					b.Assign(at, prefix)
					b.Assign(prefix, Add(prefix, Sub(hi, lo)))
				},
				After: func(lo, hi *Var) { b.Assign(at, Add(at, lo)) },
			})
			b.Let("end", Add(prefix, Int(1)))
		}, ""},
		{"a prefix changed out of turn", func(b *Builder) {
			prefix := b.Decl("prefix", Int(0))
			b.Chain(Int(9), Int(2), 4, ChainParts{After: func(lo, hi *Var) { b.Assign(prefix, lo) }})
		}, "prefix is shared by bodies that run at the same time"},
		{"a prefix read out of turn", func(b *Builder) {
			prefix := b.Decl("prefix", Int(0))
			b.Chain(Int(9), Int(2), 4, ChainParts{
				Turn:  func(lo, hi *Var) { b.Assign(prefix, hi) },
				After: func(lo, hi *Var) { b.Let("at", Add(prefix, lo)) },
			})
		}, "prefix changes in turns"},
		{"a prefix of a prefix", func(b *Builder) {
			first, second := b.Decl("first", Int(0)), b.Decl("second", Int(0))
			var at *Var
			b.Chain(Int(9), Int(2), 4, ChainParts{
				Turn: func(lo, hi *Var) {
					at = b.Decl("at", first)
					b.Assign(first, Add(at, hi))
				},
				More: []ChainTurnParts{{
					Before: func(lo, hi *Var) { b.Let("sum", Add(at, lo)) },
					Turn:   func(lo, hi *Var) { b.Assign(second, Add(second, at)) },
				}},
			})
			b.Let("both", Add(first, second))
		}, ""},
		{"a prefix read in another turn", func(b *Builder) {
			first, second := b.Decl("first", Int(0)), b.Decl("second", Int(0))
			b.Chain(Int(9), Int(2), 4, ChainParts{
				Turn: func(lo, hi *Var) { b.Assign(first, Add(first, hi)) },
				More: []ChainTurnParts{{Turn: func(lo, hi *Var) { b.Assign(second, Add(second, first)) }}},
			})
		}, "first changes in turns"},
		{"a prefix of a later turn read before it", func(b *Builder) {
			second := b.Decl("second", Int(0))
			b.Chain(Int(9), Int(2), 4, ChainParts{
				Before: func(lo, hi *Var) { b.Let("at", Add(second, lo)) },
				More:   []ChainTurnParts{{Turn: func(lo, hi *Var) { b.Assign(second, hi) }}},
			})
		}, "second changes in turns"},
		{"columns that grow in blocks and in turns", func(b *Builder) {
			x := b.Param("x", SliceOf(tI32))
			y := b.Decl("y", x)
			b.Blocks(Int(9), 4, func(lo, hi *Var) { b.Add(&Grow{[]*Var{y}, lo, hi, lo, Int(9)}) })
			b.Chain(Int(9), Int(2), 4, ChainParts{
				Turn:  func(lo, hi *Var) { b.Add(&Grow{[]*Var{y}, lo, hi, lo, Int(9)}) },
				After: func(lo, hi *Var) { b.Store(y, lo, i32(1)) },
			})
			b.Let("first", At(y, Int(0)))
		}, ""},
		{"a column used while it grows", func(b *Builder) {
			y := b.Decl("y", b.Param("x", SliceOf(tI32)))
			b.Chain(Int(9), Int(2), 4, ChainParts{
				Before: func(lo, hi *Var) { b.Store(y, lo, i32(1)) },
				Turn:   func(lo, hi *Var) { b.Add(&Grow{[]*Var{y}, lo, hi, lo, Int(9)}) },
			})
		}, "y changes in turns"},
		{"a column that grows out of turn", func(b *Builder) {
			y := b.Decl("y", b.Param("x", SliceOf(tI32)))
			b.Chain(Int(9), Int(2), 4, ChainParts{After: func(lo, hi *Var) { b.Add(&Grow{[]*Var{y}, lo, hi, lo, Int(9)}) }})
		}, "y is shared by bodies that run at the same time"},
		{"sums of workers that are added up in the end", func(b *Builder) {
			all := b.Decl("all", Int(0))
			var own *Var
			b.Chain(Int(9), Int(2), 4, ChainParts{
				Setup:  func(*Var) { own = b.Decl("own", Int(0)) },
				After:  func(lo, hi *Var) { b.Assign(own, Add(own, lo)) },
				Finish: func() { b.Assign(all, Add(all, own)) },
			})
			b.Let("twice", Add(all, all))
		}, ""},
		{"a sum of all workers read before the end", func(b *Builder) {
			all := b.Decl("all", Int(0))
			b.Chain(Int(9), Int(2), 4, ChainParts{
				After:  func(lo, hi *Var) { b.Let("so_far", Add(all, lo)) },
				Finish: func() { b.Assign(all, Add(all, Int(1))) },
			})
		}, "all changes in turns"},
		{"columns of others grow", func(b *Builder) {
			b.Add(&Grow{[]*Var{b.Param("x", SliceOf(tI32))}, Int(0), Int(1), Int(0), Int(9)})
		}, "x does not change"},
		{"an array grows", func(b *Builder) {
			b.Add(&Grow{[]*Var{b.Storage("s", ArrayOf(4, tI32))}, Int(0), Int(1), Int(0), Int(9)})
		}, "does not grow"},
	})
}

func TestVerifyProfiles(t *testing.T) {
	check(t, Cores, []testCase{
		{"barrier", func(b *Builder) { b.Barrier(WorkgroupScope) }, "profile cores has no such statement"},
		{"role", func(b *Builder) { b.Role("control", 0, 1, func() {}) }, "profile cores has no such statement"},
		{"id", func(b *Builder) { b.Let("i", Add(&ID{LocalID}, Int(1))) }, "only profile simt has a local_id"},
		{"local memory", func(b *Builder) { b.Storage("s", ArrayOf(4, tI32).In(Local)) }, "local memory, which profile cores has not"},
	})
	check(t, Simt, []testCase{
		{"parallel", func(b *Builder) { b.Parallel(Int(1), Int(1), 1, func(worker, lo, hi *Var) {}) }, "profile simt has no such statement"},
		{"window", func(b *Builder) { b.Window("w", b.Param("x", SliceOf(tI32)), Int(0), 4) }, "profile simt has no such statement"},
		{"length", func(b *Builder) { b.Let("n", Add(LenOf(b.Param("x", SliceOf(tI32))), Int(1))) }, "profile cores have a length"},
	})
}

func TestVerifyBarriers(t *testing.T) {
	lane, local, group := &ID{SubgroupLane}, &ID{LocalID}, &ID{WorkgroupID}
	subgroup := &ID{SubgroupID}
	shuffle := &Signature{Name: "shuffle", Params: []Type{tI32}, Results: []Type{tI32}, Collective: true, Scope: SubgroupScope}
	broadcast := &Signature{Name: "broadcast", Params: []Type{Counter}, Results: []Type{Counter},
		Collective: true, Scope: WorkgroupScope, Spread: EqualInWorkgroup}
	divergent := "where control flow is"
	check(t, Simt, []testCase{
		{"for all", func(b *Builder) { b.Barrier(WorkgroupScope) }, ""},
		{"for whole groups", func(b *Builder) { b.If(Eq(group, Int(0)), func() { b.Barrier(WorkgroupScope) }, nil) }, ""},
		{"for one work-item", func(b *Builder) { b.If(Eq(local, Int(0)), func() { b.Barrier(WorkgroupScope) }, nil) }, divergent},
		{"for the others", func(b *Builder) {
			b.If(Eq(local, Int(0)), func() {}, func() { b.Barrier(SubgroupScope) })
		}, divergent},
		{"of a subgroup for one subgroup", func(b *Builder) {
			b.If(Eq(subgroup, Int(0)), func() { b.Barrier(SubgroupScope) }, nil)
		}, ""},
		{"of a group for one subgroup", func(b *Builder) {
			b.If(Eq(subgroup, Int(0)), func() { b.Barrier(WorkgroupScope) }, nil)
		}, divergent},
		{"of a group in a role", func(b *Builder) { b.Role("control", 0, 1, func() { b.Barrier(WorkgroupScope) }) }, divergent},
		{"of a subgroup in a role", func(b *Builder) { b.Role("control", 0, 1, func() { b.Barrier(SubgroupScope) }) }, ""},
		{"in a loop of equal length", func(b *Builder) {
			n := b.Param("n", Counter)
			b.For("i", Int(0), n, func(i *Var) { b.If(Lt(i, Int(3)), func() { b.Barrier(WorkgroupScope) }, nil) })
		}, ""},
		{"in a loop whose length differs", func(b *Builder) {
			b.For("i", Int(0), local, func(i *Var) { b.Barrier(WorkgroupScope) })
		}, divergent},
		{"after a divergent loop", func(b *Builder) {
			b.For("i", Int(0), local, func(i *Var) {})
			b.Barrier(WorkgroupScope)
		}, ""},
		{"behind a divergent break", func(b *Builder) {
			b.While(True, func() {
				b.If(Lt(lane, Int(3)), func() { b.Break() }, nil)
				b.Barrier(SubgroupScope)
			})
		}, divergent},
		{"before a divergent break", func(b *Builder) {
			b.While(True, func() {
				b.Barrier(SubgroupScope)
				b.If(Lt(lane, Int(3)), func() { b.Break() }, nil)
			})
		}, divergent},
		{"by a variable that a later round changes", func(b *Builder) {
			n := b.Decl("n", Int(0))
			b.While(True, func() {
				b.If(Eq(n, Int(0)), func() { b.Barrier(WorkgroupScope) }, nil)
				b.Assign(n, local)
			})
		}, divergent},
		{"by a variable assigned under divergence", func(b *Builder) {
			n := b.Decl("n", Int(0))
			b.If(Eq(local, Int(0)), func() { b.Assign(n, Int(1)) }, nil)
			b.If(Eq(n, Int(0)), func() { b.Barrier(WorkgroupScope) }, nil)
		}, divergent},
		{"by a value broadcast through local memory", func(b *Builder) {
			b.Kernel(0)
			s := b.Storage("s", ArrayOf(1, Counter).In(Local))
			b.If(Eq(local, Int(0)), func() { b.Store(s, Int(0), local) }, nil)
			b.Barrier(WorkgroupScope)
			b.If(Eq(At(s, Int(0)), Int(0)), func() { b.Barrier(WorkgroupScope) }, nil)
		}, ""},
		{"by a value of global memory", func(b *Builder) {
			s := b.Param("s", SliceOf(Counter).In(Global))
			b.If(Eq(At(s, Int(0)), Int(0)), func() { b.Barrier(WorkgroupScope) }, nil)
		}, divergent},
		{"by an input", func(b *Builder) {
			s := b.Param("s", SliceOf(Counter).In(Global).AsReadOnly())
			b.If(Eq(At(s, group), Int(0)), func() { b.Barrier(WorkgroupScope) }, nil)
		}, ""},
		{"by an input at varying places", func(b *Builder) {
			s := b.Param("s", SliceOf(Counter).In(Global).AsReadOnly())
			b.If(Eq(At(s, local), Int(0)), func() { b.Barrier(WorkgroupScope) }, nil)
		}, divergent},
		{"by private storage filled unequally", func(b *Builder) {
			s := b.Storage("s", ArrayOf(4, Counter))
			b.Store(s, Int(0), local)
			b.If(Eq(At(s, Int(1)), Int(0)), func() { b.Barrier(WorkgroupScope) }, nil)
		}, divergent},
		{"by a broadcast", func(b *Builder) {
			b.If(Eq(CallOf(broadcast, local), Int(0)), func() { b.Barrier(WorkgroupScope) }, nil)
		}, ""},
		{"shuffle for all", func(b *Builder) { b.Let("v", CallOf(shuffle, i32(1))) }, ""},
		{"shuffle for some", func(b *Builder) {
			b.If(Lt(lane, Int(5)), func() { b.Let("v", CallOf(shuffle, i32(1))) }, nil)
		}, divergent},
		{"by a shuffle", func(b *Builder) {
			b.If(Eq(CallOf(shuffle, i32(1)), i32(0)), func() { b.Barrier(SubgroupScope) }, nil)
		}, divergent},
		{"by an atomic", func(b *Builder) {
			s := b.Param("s", SliceOf(tI32).In(Global))
			old := b.AtomicOld("old", AtomicAdd, s, Int(0), i32(1))
			b.If(Eq(old, i32(0)), func() { b.Barrier(WorkgroupScope) }, nil)
		}, divergent},
		{"of the device", func(b *Builder) { b.Barrier(DeviceScope) }, "no barrier spans the device"},
	})
}

func TestVerifyBarrierInCallee(t *testing.T) {
	g := NewBuilder("g")
	g.Barrier(WorkgroupScope)
	callee := g.Func()
	for _, spread := range []struct {
		id   IDKind
		want bool
	}{{WorkgroupID, true}, {LocalID, false}} {
		b := NewBuilder("f")
		b.If(Eq(&ID{spread.id}, Int(0)), func() { b.Do(callee.Signature(), nil) }, nil)
		err := Verify(&Program{Funcs: []*Func{callee, b.Func()}}, Simt)
		if (err == nil) != spread.want {
			t.Errorf("call under %v: %v", spread.id, err)
		}
	}
}

func TestVerifyKernels(t *testing.T) {
	global := SliceOf(tI32).In(Global)
	cases := []testCase{
		{"a kernel", func(b *Builder) {
			b.Kernel(64)
			x := b.Param("x", global)
			b.Param("n", Counter)
			s := b.Storage("s", ArrayOf(64, tI32).In(Local))
			b.Store(s, &ID{LocalID}, VolatileAt(x, Int(0)))
			b.CompareExchange("old", x, Int(0), i32(1), i32(2))
			b.Atomic(AtomicAdd, b.Param("sum", SliceOf(tF64).In(Global)), Int(0), ConstOf(ir.Float(ir.F64, 1)))
		}, ""},
		{"negative group", func(b *Builder) { b.Kernel(-1) }, "groups of -1 work-items"},
		{"registers for work-groups of any size", func(b *Builder) { b.Kernel(0); b.Func().Occupancy = 2 }, "registers for 2 work-groups of 0 work-items"},
		{"local parameter", func(b *Builder) { b.Kernel(0); b.Param("s", SliceOf(tI32).In(Local)) }, "parameter s is local []i32"},
		{"local storage in a function", func(b *Builder) { b.Storage("s", ArrayOf(4, tI32).In(Local)) }, "outermost body of a kernel"},
		{"local storage in a branch", func(b *Builder) {
			b.Kernel(0)
			b.If(True, func() { b.Storage("s", ArrayOf(4, tI32).In(Local)) }, nil)
		}, "outermost body of a kernel"},
		{"global storage", func(b *Builder) { b.Storage("s", ArrayOf(4, tI32).In(Global)) }, "nothing is declared in global memory"},
		{"storage of unknown length", func(b *Builder) { b.Make("s", tI32, Int(4)) }, "constant length"},
		{"minimum of floats", func(b *Builder) {
			b.Atomic(AtomicMin, b.Param("x", SliceOf(tF64).In(Global)), Int(0), ConstOf(ir.Float(ir.F64, 1)))
		}, "no atomic works on f64"},
		{"nothing expected", func(b *Builder) { b.Atomic(AtomicCompareExchange, b.Param("x", global), Int(0), i32(1)) }, "expected value"},
		{"expected of another type", func(b *Builder) {
			b.CompareExchange("old", b.Param("x", global), Int(0), Int(1), i32(2))
		}, "the expected value is counter, want i32"},
	}
	check(t, Simt, cases)
	check(t, Cores, []testCase{
		{"kernel", func(b *Builder) { b.Kernel(0) }, "profile cores has no kernels"},
		{"volatile", func(b *Builder) { b.Let("v", VolatileAt(b.Param("x", SliceOf(tI32)), Int(0))) }, "no volatile loads"},
		{"sum of floats", func(b *Builder) {
			b.Atomic(AtomicAdd, b.Param("x", SliceOf(tF64)), Int(0), ConstOf(ir.Float(ir.F64, 1)))
		}, "no atomic works on f64"},
	})

	// Kernels have no results and are not called; storage passes as memory.
	b := NewBuilder("callee")
	b.Param("s", SliceOf(tI32).In(Local))
	callee := b.Func()
	b = NewBuilder("k")
	b.Kernel(0)
	s := b.Storage("s", ArrayOf(4, tI32).In(Local))
	b.Do(callee.Signature(), []Expr{s})
	kernel := b.Func()
	if err := Verify(&Program{Funcs: []*Func{callee, kernel}}, Simt); err != nil {
		t.Error(err)
	}
	b = NewBuilder("wrong")
	b.Kernel(0)
	b.Do(kernel.Signature(), nil)
	err := Verify(&Program{Funcs: []*Func{callee, kernel, b.Func(Int(1))}}, Simt)
	if err == nil || !strings.Contains(err.Error(), "k is a kernel") || !strings.Contains(err.Error(), "has no results") {
		t.Error(err)
	}
}
