package simt

import (
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// The tables of several columns are made before the host reads how large any of them is, and
// it asks whether kernels gave up before it uses that.
func TestTablesAreReadAtOnce(t *testing.T) {
	pipelines, errs := ir.Load("find.kg", []byte(`pipeline star(a: [n]i32, b: [n]i32, c: [m]i32, d: [k]i32, e: [k]i32) {
	x = find(a, in: c)
	y = find(b, in: d[e > 3])
	return count: count(x >= 0 && y >= 0)
}
`))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	program, _, err := compile.Compile(pipelines[0], compile.Options{Level: "auto", Options: fuse.Options{Short: true}})
	if err != nil {
		t.Fatal(err)
	}
	lowered, err := Lower(program, plan.Schedule{})
	if err != nil {
		t.Fatal(err)
	}
	steps := lowered.Plan.Steps
	if n := waits(steps); n != 2 { // the second time for the result
		t.Errorf("the host waits %d times", n)
	}
	for i := range steps {
		if steps[i].Read != nil && steps[i-1].Read == nil && steps[i-1].CheckErrors == nil {
			t.Errorf("step %d reads what kernels that gave up may have left", i)
		}
	}
}

// Steps keep their order where one needs the other, whatever that goes by.
func TestWavesKeepOrder(t *testing.T) {
	buffer := func(name string, role plan.Role, length plan.Expr) plan.Buffer {
		return plan.Buffer{Name: name, Kind: plan.I64, Length: length, Role: role}
	}
	kernel := func(name string, args ...plan.Arg) plan.Kernel {
		return plan.Kernel{Name: name, Variants: []plan.Variant{{Entry: name, Args: args}}}
	}
	reads := func(name string) plan.Arg { return plan.Arg{Name: name, Buffer: name} }
	writes := func(name string) plan.Arg { return plan.Arg{Name: name, Buffer: name, Access: plan.Writes} }
	p := &plan.Plan{
		Domains: []plan.Domain{{Name: "n"}, {Name: "k", Len: plan.Var("count")}},
		Scalars: []plan.Scalar{{Name: "count", Kind: plan.I64}, {Name: "twice", Kind: plan.I64}, {Name: "other", Kind: plan.I64}},
		Buffers: []plan.Buffer{buffer("one", plan.Counter, plan.Const(1)), buffer("two", plan.Counter, plan.Const(1)),
			buffer("list", plan.Temporary, plan.Const(9)), buffer("x", plan.Temporary, plan.Const(9)), buffer("abort", plan.Abort, plan.Const(1))},
		Kernels: []plan.Kernel{kernel("first", writes("one"), writes("abort")), kernel("lists", writes("list"), reads("x"), plan.Arg{Name: "t", Scalar: "twice"}),
			kernel("second", writes("two"), writes("x"), writes("abort")), kernel("changes", writes("x"))},
	}
	alloc := func(name string) plan.Step { return plan.Step{Alloc: &plan.Alloc{Buffer: name}} }
	launch := func(name string) plan.Step {
		return plan.Step{Launch: &plan.Launch{Kernel: name, Rows: plan.Len("n")}}
	}
	check := plan.Step{CheckErrors: &plan.CheckErrors{AbortOnly: true}}
	read := func(name, scalar string) plan.Step {
		return plan.Step{Read: &plan.Read{Buffer: name, Scalars: []string{scalar}}}
	}
	steps := []plan.Step{
		alloc("one"), launch("first"), check, read("one", "count"),
		{Set: &plan.Set{Scalar: "twice", Value: plan.Mul(plan.Var("count"), plan.Const(2))}},
		alloc("x"), alloc("list"), launch("lists"),
		alloc("two"), launch("second"), check, read("two", "other"), {Launch: &plan.Launch{Kernel: "changes", Rows: plan.Len("k")}}, {Return: &plan.Return{}},
	}
	// "second" changes what "lists" reads, which waits for the first number.
	if got := inWaves(p, steps); waits(got) != 2 {
		t.Errorf("%d waits: %s", waits(got), kinds(got))
	}
	p.Kernels[2].Variants[0].Args[1] = reads("x")
	got := inWaves(p, steps)
	if want := "alloc one, alloc x, alloc list, alloc two, first, second, check, read one, read two, set, lists, changes, return"; kinds(got) != want {
		t.Errorf("got  %s\nwant %s", kinds(got), want)
	}
	steps[2] = plan.Step{CheckErrors: &plan.CheckErrors{}} // what comes after it must not come before
	if got := inWaves(p, steps); kinds(got[:3]) != "alloc one, first, check" {
		t.Errorf("%s", kinds(got))
	}
}

func kinds(steps []plan.Step) (text string) {
	for i := range steps {
		if i > 0 {
			text += ", "
		}
		switch s := &steps[i]; {
		case s.Alloc != nil:
			text += "alloc " + s.Alloc.Buffer
		case s.Launch != nil:
			text += s.Launch.Kernel
		case s.Read != nil:
			text += "read " + s.Read.Buffer
		case s.CheckErrors != nil:
			text += "check"
		case s.Set != nil:
			text += "set"
		case s.Return != nil:
			text += "return"
		}
	}
	return text
}
