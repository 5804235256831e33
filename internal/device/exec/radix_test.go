package exec_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// radixPlan sorts by four digits: one kernel, launched once a digit with
// other buffers and another shift. The digit's width is built into the kernel.
func radixPlan() *plan.Plan {
	n := plan.Len("n")
	p := &plan.Plan{
		Version: plan.Version, Pipeline: "radix",
		Ports: []plan.Port{
			{Name: "k", Direction: plan.In, Kind: plan.U32, Domain: "n", Buffer: "k"},
			{Name: "flip", Direction: plan.In, Kind: plan.U32, Scalar: "flip", Default: "0"},
			{Name: "sorted", Direction: plan.Out, Kind: plan.U32, Domain: "n", Buffer: "b"},
		},
		Domains: []plan.Domain{{Name: "n", Ordered: true}},
		Scalars: []plan.Scalar{{Name: "flip", Kind: plan.U32}},
		Buffers: []plan.Buffer{
			{Name: "k", Kind: plan.U32, Role: plan.Input},
			{Name: "a", Kind: plan.U32, Length: n, Role: plan.Temporary},
			{Name: "b", Kind: plan.U32, Length: n, Role: plan.Output},
		},
		Kernels: []plan.Kernel{{Name: "partition", Variants: []plan.Variant{{
			Entry: "partition",
			Args: []plan.Arg{
				{Name: "from", Buffer: "k"},
				{Name: "to", Buffer: "a", Access: plan.Writes},
				{Name: "shift", Value: plan.Const(0)},
				{Name: "flip", Scalar: "flip"},
				{Name: "all", Value: plan.Rows()},
			},
			Spec:       []plan.Spec{{Name: "bits", Value: plan.Mul(plan.Property("subgroup"), plan.Const(2))}},
			Grid:       plan.Min(plan.Rows(), plan.Const(1)),
			LocalBytes: plan.Shl(plan.Const(1), plan.Const(8)),
		}}}},
	}
	p.Steps = alloc("a", "b")
	from, to := "k", "a"
	for shift := int64(0); shift < 32; shift += 8 {
		step := launch("partition", n)
		step.Launch.Bind = []plan.Arg{
			{Name: "from", Buffer: from},
			{Name: "to", Buffer: to, Access: plan.Writes},
			{Name: "shift", Value: plan.Const(shift)},
		}
		p.Steps = append(p.Steps, step)
		from = to
		to = map[string]string{"a": "b", "b": "a"}[to]
	}
	p.Steps = append(p.Steps, ret)
	return p
}

func TestRadix(t *testing.T) {
	p := throughJSON(t, "radix", radixPlan())
	random := rand.New(rand.NewPCG(8, 9))
	for _, n := range []int{0, 1, 1000} {
		keys := make([]uint32, n)
		for i := range keys {
			keys[i] = random.Uint32()
		}
		device := newFake(map[string]kernel{"partition": func(g *workgroup) error {
			if g.Spec[0] != 8 || g.Local != 256 || g.scalar("all") != g.Rows {
				t.Errorf("spec %v, local %d, rows %d", g.Spec, g.Local, g.scalar("all"))
			}
			to := buffer[uint32](g, "to")
			copy(to, buffer[uint32](g, "from"))
			digit := func(key uint32) int { return int((key ^ uint32(g.scalar("flip"))) >> g.scalar("shift") & 255) }
			slices.SortStableFunc(to, func(a, b uint32) int { return digit(a) - digit(b) })
			return nil
		}})
		inputs := exec.Inputs{
			Columns: map[string]exec.Column{"k": column(plan.U32, keys)},
			Scalars: map[string]exec.Value{"flip": {Kind: plan.U32, Bits: 1<<32 - 1}}, // descending
		}
		result, err := exec.Run(context.Background(), device, p, inputs, exec.Options{})
		device.verify(t)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(keys)
		slices.Sort(want)
		slices.Reverse(want)
		if diff := cmp.Diff(want, values[uint32](t, result, "sorted")); diff != "" {
			t.Errorf("n=%d (-want +got):\n%s", n, diff)
		}
	}
}
