//go:build unix

package devicetest

import (
	"slices"
	"unsafe"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

var (
	check = plan.Step{CheckErrors: &plan.CheckErrors{}}
	ret   = plan.Step{Return: &plan.Return{}}
)

func in(name string) plan.Arg    { return plan.Arg{Name: name, Buffer: name} }
func inout(name string) plan.Arg { return plan.Arg{Name: name, Buffer: name, Access: plan.ReadsWrites} }

// fresh allocates and initialises.
func fresh(names ...string) (steps []plan.Step) {
	for _, name := range names {
		steps = append(steps, plan.Step{Alloc: &plan.Alloc{Buffer: name}}, plan.Step{Init: &plan.Init{Buffer: name}})
	}
	return steps
}

func launch(kernel string, rows plan.Expr) plan.Step {
	return plan.Step{Launch: &plan.Launch{Kernel: kernel, Rows: rows}}
}

func read(buffer, scalar string) plan.Step {
	return plan.Step{Read: &plan.Read{Buffer: buffer, Scalars: []string{scalar}}}
}

func kernel(name string, schedule plan.Schedule, args ...plan.Arg) plan.Kernel {
	return plan.Kernel{Name: name, Variants: []plan.Variant{{Schedule: schedule, Entry: name, File: File, Args: args}}}
}

func inPort(name string, kind plan.Kind) plan.Port {
	return plan.Port{Name: name, Direction: plan.In, Kind: kind, Domain: "n", Buffer: name}
}

func outPort(name string, kind plan.Kind) plan.Port {
	return plan.Port{Name: name, Direction: plan.Out, Kind: kind, Domain: "n", Buffer: name}
}

func input(name string, kind plan.Kind) plan.Buffer {
	return plan.Buffer{Name: name, Kind: kind, Role: plan.Input}
}

func buffer(name string, kind plan.Kind, role plan.Role, length plan.Expr) plan.Buffer {
	return plan.Buffer{Name: name, Kind: kind, Role: role, Length: length}
}

var (
	one  = plan.Const(1)
	rows = plan.Len("n")
)

func dividePlan() *plan.Plan {
	return &plan.Plan{
		Version: plan.Version, Pipeline: "divide", Level: "onepass",
		Ports:   []plan.Port{inPort("a", plan.I64), inPort("b", plan.I64), outPort("quotient", plan.I64)},
		Domains: []plan.Domain{{Name: "n", Ordered: true}},
		Buffers: []plan.Buffer{input("a", plan.I64), input("b", plan.I64), buffer("quotient", plan.I64, plan.Output, rows), buffer("errors", plan.I64, plan.Errors, one)},
		Kernels: []plan.Kernel{kernel("divide", plan.Schedule{Workgroup: 64}, in("a"), in("b"), inout("quotient"), inout("errors"))},
		Steps:   append(fresh("quotient", "errors"), launch("divide", rows), check, ret),
		Sites:   []plan.Site{{Position: "divide.kg:3:7", Kind: "divide", Message: "division by zero", Domain: "n"}},
	}
}

func reducePlan() *plan.Plan {
	k := kernel("reduce", plan.Schedule{Workgroup: 128, Items: 4}, in("x"), inout("sum"))
	k.Variants[0].LocalBytes = plan.Const(128 * 8)
	k.Variants[0].Spec = []plan.Spec{{Name: "ITEMS", Value: plan.Const(4)}}
	k.Variants[0].Needs = []plan.Cap{plan.CapAtomicsI64}
	return &plan.Plan{
		Version: plan.Version, Pipeline: "reduce", Level: "onepass",
		Ports:   []plan.Port{inPort("x", plan.I64), {Name: "total", Direction: plan.Out, Kind: plan.I64, Scalar: "total"}},
		Domains: []plan.Domain{{Name: "n", Ordered: true}},
		Scalars: []plan.Scalar{{Name: "total", Kind: plan.I64}},
		Buffers: []plan.Buffer{input("x", plan.I64), buffer("sum", plan.I64, plan.Counter, one)},
		Kernels: []plan.Kernel{k},
		Steps:   append(fresh("sum"), launch("reduce", rows), read("sum", "total"), ret),
	}
}

// branchesPlan is dividePlan, the sum of whose results is wanted beside that of a: kernels that
// may run at the same time, and one that may not.
func branchesPlan() *plan.Plan {
	p, more := dividePlan(), reducePlan()
	sum := func(x string) plan.Kernel {
		k := more.Kernels[0]
		k.Name = "reduce_" + x
		k.Variants = slices.Clone(k.Variants)
		k.Variants[0].Args = []plan.Arg{in(x), inout("sum_" + x)}
		return k
	}
	p.Pipeline, p.Ports = "branches", p.Ports[:2]
	for _, x := range []string{"quotient", "a"} {
		p.Ports = append(p.Ports, plan.Port{Name: "total_" + x, Direction: plan.Out, Kind: plan.I64, Scalar: "total_" + x})
		p.Scalars = append(p.Scalars, plan.Scalar{Name: "total_" + x, Kind: plan.I64})
		p.Buffers = append(p.Buffers, buffer("sum_"+x, plan.I64, plan.Counter, one))
		p.Kernels = append(p.Kernels, sum(x))
	}
	p.Buffers[2].Role = plan.Temporary
	p.Steps = append(fresh("quotient", "errors", "sum_quotient", "sum_a"),
		launch("divide", rows), launch("reduce_quotient", rows), launch("reduce_a", rows), check,
		read("sum_quotient", "total_quotient"), read("sum_a", "total_a"), ret)
	return p
}

// partsPlan is reducePlan in parts of at most limit rows.
func partsPlan(limit int64) *plan.Plan {
	p := reducePlan()
	p.Scalars = append(p.Scalars, plan.Scalar{Name: "row0", Kind: plan.I64}, plan.Scalar{Name: "rows", Kind: plan.I64})
	parts := plan.Step{Parts: &plan.Parts{Len: rows, Row0: "row0", Rows: "rows", Limit: limit, Steps: []plan.Step{
		{Launch: &plan.Launch{Kernel: "reduce", Rows: plan.Var("rows"), Row0: plan.Var("row0")}}}}}
	p.Steps = append(fresh("sum"), parts, read("sum", "total"), ret)
	return p
}

// scanPlan falls back where a work-group waits more than patience times.
func scanPlan(patience int64) *plan.Plan {
	k := kernel("scan", plan.Schedule{Workgroup: 64, Scheme: "lookback"}, in("x"), inout("sums"), inout("status"), inout("ticket"), inout("abort"),
		plan.Arg{Name: "patience", Value: plan.Const(patience)})
	k.Variants[0].Forward = plan.ForwardTicket
	k.Variants[0].Needs = []plan.Cap{plan.CapAtomicsI64, plan.CapTicket}
	ports := []plan.Port{inPort("x", plan.I32), outPort("sums", plan.I64)}
	domains := []plan.Domain{{Name: "n", Ordered: true}}
	columns := []plan.Buffer{input("x", plan.I32), buffer("sums", plan.I64, plan.Output, rows)}
	slow := kernel("slow", plan.Schedule{}, in("x"), inout("sums"))
	slow.Variants[0].Grid = one
	return &plan.Plan{
		Version: plan.Version, Pipeline: "scan", Level: "onepass", Ports: ports, Domains: domains,
		Buffers: append(columns,
			buffer("status", plan.U64, plan.Status, plan.CeilDiv(rows, plan.Const(64))),
			buffer("ticket", plan.I32, plan.Counter, one), buffer("abort", plan.I32, plan.Abort, one)),
		Kernels: []plan.Kernel{k},
		Steps:   append(fresh("sums", "status", "ticket", "abort"), launch("scan", rows), check, ret),
		Fallback: &plan.Plan{
			Version: plan.Version, Pipeline: "scan", Level: "slow", Ports: ports, Domains: domains, Buffers: columns,
			Kernels: []plan.Kernel{slow},
			Steps:   append(fresh("sums"), launch("slow", rows), ret),
		},
	}
}

// GrowPlan doubles a size until the device is content.
func GrowPlan() *plan.Plan {
	k := kernel("grow", plan.Schedule{}, inout("count"), inout("full"))
	k.Variants[0].Grid = one
	return &plan.Plan{
		Version: plan.Version, Pipeline: "grow", Level: "none",
		Ports:   []plan.Port{{Name: "size", Direction: plan.Out, Kind: plan.I64, Scalar: "size"}, {Name: "count", Direction: plan.Out, Kind: plan.I64, Scalar: "counted"}},
		Scalars: []plan.Scalar{{Name: "size", Kind: plan.I64, Init: "1"}, {Name: "counted", Kind: plan.I64}, {Name: "again", Kind: plan.I64, Init: "1"}},
		Buffers: []plan.Buffer{buffer("count", plan.I32, plan.Counter, one), buffer("full", plan.I32, plan.Counter, one)},
		Kernels: []plan.Kernel{k},
		Steps: append(fresh("count", "full"),
			plan.Step{While: &plan.While{Cond: plan.Lt(plan.Const(0), plan.Var("again")), Max: 10, Steps: []plan.Step{
				{Set: &plan.Set{Scalar: "size", Value: plan.Mul(plan.Var("size"), plan.Const(2))}},
				launch("grow", plan.Var("size")), read("count", "counted"), read("full", "again"),
			}, Else: []plan.Step{{Set: &plan.Set{Scalar: "size", Value: plan.Const(-1)}}}}},
			ret),
	}
}

// WordPlan launches one kernel over one word.
func WordPlan(entry string) *plan.Plan {
	k := kernel(entry, plan.Schedule{}, inout("word"))
	return &plan.Plan{
		Version: plan.Version, Pipeline: entry, Level: "none",
		Ports:   []plan.Port{{Name: "word", Direction: plan.Out, Kind: plan.I64, Scalar: "word"}},
		Scalars: []plan.Scalar{{Name: "word", Kind: plan.I64}},
		Buffers: []plan.Buffer{buffer("word", plan.I32, plan.Counter, one)},
		Kernels: []plan.Kernel{k},
		Steps:   append(fresh("word"), launch(entry, one), read("word", "word"), ret),
	}
}

// column makes an input of Go values.
func column[T any](kind plan.Kind, values []T) exec.Column {
	if len(values) == 0 {
		return exec.Column{Kind: kind}
	}
	return exec.Column{Kind: kind, Data: unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*int(unsafe.Sizeof(values[0])))}
}

// values views a result as Go values.
func values[T any](c exec.Column) []T {
	if len(c.Data) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&c.Data[0])), c.Rows())
}
