package ctext_test

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/internal/ctext"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

var update = flag.Bool("update", false, "write the texts of testdata")

func i32(x int64) *loop.Const { return loop.ConstOf(ir.Int(ir.I32, x)) }
func i64(x int64) *loop.Const { return loop.ConstOf(ir.Int(ir.I64, x)) }
func u64(x int64) *loop.Const { return loop.ConstOf(ir.Int(ir.U64, x)) }

func global(k ir.Kind) loop.Type { return loop.SliceOf(loop.ScalarOf(k)).In(loop.Global) }

var (
	localID = &loop.ID{Kind: loop.LocalID}
	groupID = &loop.ID{Kind: loop.WorkgroupID}
)

// scanSample is a scan of 64 rows a group, whose totals go to a status word
// and to sums.
func scanSample() []*loop.Func {
	tI32 := loop.ScalarOf(ir.I32)
	b := loop.NewBuilder("add pairs")
	b.Doc("add pairs adds two pairs and tells which sum is larger.")
	b0, b1 := b.Param("a", tI32), b.Param("b", tI32)
	c0, c1 := b.Param("c", tI32), b.Param("d", tI32)
	first, second := b.Let("first", loop.Add(b0, c0)), b.Let("second", loop.Add(b1, c1))
	pairs := b.Func(first, second, loop.Lt(first, second))

	b = loop.NewBuilder("scan")
	b.Doc("scan is a sample.\nIt has two lines.")
	b.Kernel(64)
	rows := b.Param("n", loop.ScalarOf(ir.I64))
	in := b.Param("in", global(ir.I32).AsReadOnly())
	out := b.Param("out", global(ir.I32))
	status := b.Param("status", global(ir.U64))
	sums := b.Param("sums", global(ir.F64))
	extremes := b.Param("extremes", global(ir.I32))
	b.Param("unused", loop.ScalarOf(ir.I64))
	n := b.Let("count", loop.ToCounter(rows))
	s := b.Storage("s", loop.ArrayOf(64, tI32).In(loop.Local))
	mean := b.Storage("mean", loop.ArrayOf(1, loop.ScalarOf(ir.F32)).In(loop.Local))
	i := b.Let("i", loop.Add(loop.Mul(groupID, loop.Int(64)), localID))
	v := b.Decl("v", i32(0))
	b.Note("a.kg:3: scan(add, x)")
	b.If(loop.Lt(i, n), func() { b.Assign(v, loop.At(in, i)) }, nil)
	b.Store(s, localID, v)
	b.If(loop.Eq(localID, loop.Int(0)), func() { b.Store(mean, loop.Int(0), loop.ConstOf(ir.Float(ir.F32, 0))) }, nil)
	b.Barrier(loop.WorkgroupScope)
	step := b.Decl("step", loop.Int(1))
	b.While(loop.Lt(step, loop.Int(64)), func() {
		left := b.Decl("left", i32(0))
		b.If(loop.Ge(localID, step), func() { b.Assign(left, loop.At(s, loop.Sub(localID, step))) }, nil)
		b.Barrier(loop.WorkgroupScope)
		b.Store(s, localID, loop.Add(loop.At(s, localID), left))
		b.Barrier(loop.WorkgroupScope)
		b.Assign(step, loop.Mul(step, loop.Int(2)))
	})
	b.Atomic(loop.AtomicAdd, mean, loop.Int(0), loop.ToKind(ir.F32, v))
	b.Barrier(loop.WorkgroupScope)
	total := b.Let("total", loop.At(s, loop.Int(63)))
	b.If(loop.Lt(i, n),
		func() {
			b.Store(out, i, loop.At(s, localID))
			b.Atomic(loop.AtomicMin, extremes, loop.Int(0), v)
			b.Atomic(loop.AtomicMax, extremes, loop.Int(1), v)
		},
		func() {
			b.If(loop.Eq(i, n), func() { b.Store(out, i, i32(-1)) }, func() {
				b.If(loop.Gt(i, loop.Add(n, loop.Int(64))), func() { b.Store(out, i, i32(-2)) }, nil)
			})
		})
	b.If(loop.Eq(localID, loop.Int(0)), func() {
		pair := b.Do(pairs.Signature(), []loop.Expr{total, i32(1), i32(2), total}, "plus2", "plus1", "larger")
		old := b.CompareExchange("old", status, groupID, u64(0), loop.Apply(ir.OpOr, loop.Apply(ir.OpShl, u64(1), i32(32)), loop.ToKind(ir.U64, loop.ToKind(ir.U32, total))))
		b.If(loop.And(loop.Eq(old, u64(0)), loop.Not(pair[2])), func() {
			b.Atomic(loop.AtomicAdd, sums, loop.Int(0), loop.ToKind(ir.F64, loop.Sub(pair[0], pair[1])))
			b.Atomic(loop.AtomicAdd, sums, loop.Int(1), loop.ToKind(ir.F64, loop.At(mean, loop.Int(0))))
		}, nil)
		b.For("k", loop.Int(0), loop.Add(groupID, loop.Int(1)), func(k *loop.Var) {
			b.If(loop.Eq(loop.VolatileAt(status, k), u64(7)), func() { b.Break() }, nil)
		})
	}, nil)
	return []*loop.Func{pairs, b.Func()}
}

// formsSample passes bools and char8s through every kind of memory.
func formsSample() []*loop.Func {
	b := loop.NewBuilder("forms")
	b.Kernel(0)
	flag := b.Param("flag", loop.Bool)
	b.Param("flag_argument", loop.Bool)
	text := b.Param("text", loop.ScalarOf(ir.Char8))
	names := b.Param("names", global(ir.Char8))
	flags := b.Param("flags", global(ir.Bool))
	smallest := b.Param("smallest", global(ir.I64))
	counts := b.Param("counts", global(ir.U8))
	keys := b.Storage("keys", loop.ArrayOf(4, loop.ScalarOf(ir.Char8)))
	seen := b.Storage("seen", loop.ArrayOf(4, loop.Bool).In(loop.Local))
	b.For("i", loop.Int(0), loop.Int(4), func(i *loop.Var) { b.Store(keys, i, loop.At(names, i)) })
	b.Store(seen, localID, loop.Lt(loop.At(keys, localID), text))
	b.Barrier(loop.WorkgroupScope)
	b.Store(names, loop.Add(localID, loop.Int(4)), loop.Greatest(loop.At(keys, localID), text))
	b.Store(flags, localID, loop.And(flag, loop.At(seen, loop.Sub(loop.Int(3), localID))))
	b.Store(smallest, loop.Int(0), i64(-1<<63))
	b.Store(smallest, loop.Int(1), loop.Apply(ir.OpNeg, loop.Apply(ir.OpNeg, i64(5))))
	b.Store(smallest, loop.Int(2), loop.ToKind(ir.I64, i32(-1<<31)))
	last := b.Decl("last", i64(0))
	b.ForStep("j", loop.Int(1), loop.Add(localID, loop.Int(10)), 3, func(j *loop.Var) {
		b.Assign(last, loop.Choose(loop.Gt(last, i64(4)), loop.Add(last, loop.ToKind(ir.I64, j)), loop.Choose(flag, i64(4), last)))
	})
	b.Store(smallest, loop.Add(localID, loop.Int(3)), last)
	ones := &loop.Signature{Name: "count_ones_u64", Params: []loop.Type{loop.ScalarOf(ir.U64)}, Results: []loop.Type{loop.ScalarOf(ir.U64)}}
	b.Store(counts, localID, loop.ToKind(ir.U8, loop.CallOf(ones, loop.ToKind(ir.U64, localID))))
	return []*loop.Func{b.Func()}
}

func samples() map[string][]*loop.Func {
	return map[string][]*loop.Func{"scan": scanSample(), "forms": formsSample()}
}

// TestGolden compares texts with those that a reader has approved.
func TestGolden(t *testing.T) {
	for name, funcs := range samples() {
		for extension, text := range map[string]*ctext.Text{".cl": printed(t, funcs...), ".cu": printedCUDA(t, &loop.Program{Funcs: funcs})} {
			file := "testdata/" + name + extension
			if *update {
				if err := os.WriteFile(file, text.Source, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(text.Source)); diff != "" {
				t.Errorf("%s: %s", file, diff)
			}
		}
	}
}

// TestText checks what a text says about itself to a host.
func TestText(t *testing.T) {
	text := printed(t, scanSample()...)
	kernel := text.Kernels[0]
	want := []string{"n", "in", "out", "status", "sums", "extremes", "unused"}
	if len(text.Kernels) != 1 || kernel.Entry != "scan" || kernel.LocalBytes != 65*4 || !cmp.Equal(kernel.Params, want) {
		t.Error(text.Kernels)
	}
	if diff := cmp.Diff([]plan.Cap{plan.CapAtomicsI64, plan.CapDenormalsF32, plan.CapFP64}, text.Needs); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"-cl-std=CL1.2"}, opencl.Dialect().CompilerOptions(text.Needs)); diff != "" {
		t.Error(diff)
	}
	b := loop.NewBuilder("divide")
	b.Kernel(0)
	x := b.Param("x", global(ir.F32))
	b.Store(x, loop.Int(0), loop.Div(loop.At(x, loop.Int(0)), loop.ConstOf(ir.Float(ir.F32, 3))))
	text = printed(t, b.Func())
	if diff := cmp.Diff([]string{"-cl-std=CL1.2", "-cl-fp32-correctly-rounded-divide-sqrt"}, opencl.Dialect().CompilerOptions(text.Needs)); diff != "" {
		t.Error(diff)
	}
}

// TestSamplesRun runs the samples on a device.
func TestSamplesRun(t *testing.T) {
	text := printed(t, scanSample()...)
	const n = 150
	count := scalar(ir.Int(ir.I64, n))
	in, want := ir.NewColumn(ir.I32, n), ir.NewColumn(ir.I32, 192)
	sum, all := int64(0), 0.0
	lowest, highest := int64(0), int64(0)
	for i := range n {
		if i%64 == 0 {
			sum = 0
		}
		v := int64(i*i%23 - 5)
		in.Set(i, ir.Int(ir.I32, v))
		sum, all = sum+v, all+float64(v)
		lowest, highest = min(lowest, v), max(highest, v)
		want.Set(i, ir.Int(ir.I32, sum))
	}
	want.Set(n, ir.Int(ir.I32, -1))
	out, status := ir.NewColumn(ir.I32, 192), ir.NewColumn(ir.U64, 3)
	sums, extremes := ir.NewColumn(ir.F64, 2), ir.NewColumn(ir.I32, 2)
	if err := run(t, text, text.Source, launch{"scan", 3, 64, []arg{{In: count, Scalar: true}, {In: in}, {Out: out}, {Out: status}, {Out: sums},
		{Out: extremes}, {In: count, Scalar: true}}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Slice, out.Slice); diff != "" {
		t.Error(diff)
	}
	// Each pair is (total + 2, total + 1), the second of which is not larger.
	if got := sums.Slice.([]float64); got[0] != 3 || got[1] != all {
		t.Error(got, all)
	}
	if got := extremes.Slice.([]int32); int64(got[0]) != lowest || int64(got[1]) != highest {
		t.Error(got)
	}
	for g, s := range status.Slice.([]uint64) {
		if s != 1<<32|uint64(uint32(want.At(min(64*g+63, n-1)).Bits)) {
			t.Errorf("status %d is %x", g, s)
		}
	}

	text = printed(t, formsSample()...)
	// names starts as zeros, so that all keys are "" and before the text.
	names, flags := ir.NewColumn(ir.Char8, 8), ir.NewColumn(ir.Bool, 4)
	smallest, counts := ir.NewColumn(ir.I64, 7), ir.NewColumn(ir.U8, 4)
	yes, asia := scalar(ir.BoolScalar(true)), scalar(ir.Char8Scalar("ASIA"))
	if err := run(t, text, text.Source, launch{"forms", 1, 4, []arg{{In: yes, Scalar: true}, {In: yes, Scalar: true}, {In: asia, Scalar: true},
		{Out: names}, {Out: flags}, {Out: smallest}, {Out: counts}}}); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if got := names.At(4 + i); got != ir.Char8Scalar("ASIA") {
			t.Errorf("name %d is %q", i, got.Bytes())
		}
	}
	if diff := cmp.Diff([]bool{true, true, true, true}, flags.Slice); diff != "" {
		t.Error(diff)
	}
	// The loop visits 1, 4, 7, 10, ...: 4, then nothing is added, as 4 is not above 4.
	if diff := cmp.Diff([]int64{-1 << 63, 5, -1 << 31, 4, 4, 4, 4}, smallest.Slice); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]uint8{0, 1, 1, 2}, counts.Slice); diff != "" {
		t.Error(diff)
	}
}

// scalar returns one value as the host passes it.
func scalar(s ir.Scalar) ir.Column {
	c := ir.NewColumn(s.Kind, 1)
	c.Set(0, s)
	return c
}
