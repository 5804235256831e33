package ctext_test

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/internal/ctext"
	"github.com/kgen-go/kgen/internal/cudacompile"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// TestRefused prints programs that OpenCL C 1.2 cannot express, and gets errors
// that say why.
func TestRefused(t *testing.T) {
	tI32 := loop.ScalarOf(ir.I32)
	for _, c := range []struct {
		want  string
		write func(b *loop.Builder)
	}{
		{"nothing says for how many groups there are registers", func(b *loop.Builder) { b.Kernel(64); b.Func().Occupancy = 4 }},
		{"there is no barrier of a subgroup", func(b *loop.Builder) { b.Barrier(loop.SubgroupScope) }},
		{"there is no fence for a device", func(b *loop.Builder) { b.Fence(loop.DeviceScope) }},
		{"there is no subgroup to control", func(b *loop.Builder) { b.Role("control", 0, 1, func() {}) }},
		{"there is no subgroup_lane", func(b *loop.Builder) {
			b.Store(b.Param("x", loop.SliceOf(loop.Counter).In(loop.Global)), loop.Int(0), &loop.ID{Kind: loop.SubgroupLane})
		}},
		{"s is private", func(b *loop.Builder) {
			b.Atomic(loop.AtomicAdd, b.Storage("s", loop.ArrayOf(2, tI32)), loop.Int(0), i32(1))
		}},
		{"there is no helper shuffle", func(b *loop.Builder) { b.Do(&loop.Signature{Name: "shuffle", Results: []loop.Type{tI32}}, nil, "s") }},
		{"another function than the helper", func(b *loop.Builder) {
			b.Do(&loop.Signature{Name: "day", Params: []loop.Type{tI32}}, []loop.Expr{i32(1)})
		}},
		{"take is called for its effects in a choice", func(b *loop.Builder) {
			take := &loop.Signature{Name: "take", Results: []loop.Type{tI32}, Effects: true}
			b.Store(b.Param("x", global(ir.I32)), loop.Int(0), loop.Choose(loop.Lt(localID, loop.Int(1)), loop.CallOf(take), i32(1)))
		}},
	} {
		b := loop.NewBuilder("f")
		b.Kernel(0)
		c.write(b)
		program := &loop.Program{Funcs: []*loop.Func{b.Func()}}
		if err := loop.Verify(program, loop.Simt); err != nil {
			t.Errorf("%s: %v", c.want, err)
		}
		text, err := ctext.Print(program, opencl.Dialect())
		if err == nil || text != nil || !strings.Contains(err.Error(), "OpenCL C 1.2: func f: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// A call whose result is unused stays if it has effects.
func TestEffectsStay(t *testing.T) {
	b := loop.NewBuilder("take")
	counter := b.Param("counter", global(ir.I32))
	take := b.Func(b.AtomicOld("old", loop.AtomicAdd, counter, loop.Int(0), i32(1)))
	b = loop.NewBuilder("k")
	b.Kernel(0)
	counter = b.Param("counter", global(ir.I32))
	b.Let("unread", loop.CallOf(take.Signature(), counter))
	b.Do(take.Signature(), []loop.Expr{counter})
	b.Let("never", loop.Add(loop.At(counter, loop.Int(0)), i32(1)))
	text := string(printed(t, take, b.Func()).Source)
	if !strings.Contains(text, "\t(void)take(counter);\n\ttake(counter);\n}") {
		t.Error(text)
	}
}

// A barrier orders global memory if work-items may exchange values through it.
func TestBarrierOrdersWhatIsExchanged(t *testing.T) {
	for want, write := range map[string]func(b *loop.Builder, x *loop.Var){
		"barrier(CLK_LOCAL_MEM_FENCE);":                        func(b *loop.Builder, x *loop.Var) { b.Store(x, localID, i32(1)) },
		"barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);": func(b *loop.Builder, x *loop.Var) { b.Store(x, localID, loop.At(x, loop.Int(0))) },
	} {
		b := loop.NewBuilder("k")
		b.Kernel(0)
		b.Barrier(loop.WorkgroupScope)
		write(b, b.Param("x", global(ir.I32)))
		b.Fence(loop.WorkgroupScope)
		text := string(printed(t, b.Func()).Source)
		if !strings.Contains(text, "\t"+want+"\n") || !strings.Contains(text, "\tmem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n") {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// A text in CUDA C++ refuses options by which its f32 would lose subnormal numbers.
func TestSubnormalNumbersAreKept(t *testing.T) {
	b := loop.NewBuilder("k")
	b.Kernel(0)
	x := b.Param("x", global(ir.F32))
	b.Store(x, loop.Int(0), loop.Add(loop.At(x, loop.Int(0)), loop.At(x, loop.Int(1))))
	text := printedCUDA(t, &loop.Program{Funcs: []*loop.Func{b.Func()}})
	compilers, _ := cudacompile.Available()
	for _, c := range compilers {
		flushing := append([]byte("#undef __CUDA_FTZ\n#define __CUDA_FTZ 1\n"), text.Source...)
		if err := c.Check(flushing, "compute_60"); err == nil || !strings.Contains(err.Error(), "subnormal numbers are kept") {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}
