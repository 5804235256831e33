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

// partsPlan is a running sum and a filter over an input of any length: each
// part takes the sum and the count of kept rows from the part before. A check
// shows that rows are counted over the whole input.
func partsPlan() *plan.Plan {
	n := plan.Len("n")
	row0, rows := plan.Var("row0"), plan.Var("rows")
	two := plan.Const(2)
	args := []plan.Arg{in("x"), in("before"), out("after"), inout("errors"), out("scan"), out("kept")}
	k := kernelOf("scan_filter", 1, args...)
	k.Variants[0].Grid = plan.Const(1) // also for no rows: the carry must go on
	step := launch("scan_filter", rows)
	step.Launch.Row0 = row0
	return &plan.Plan{
		Version: plan.Version, Pipeline: "running", Level: "onepass",
		Ports: []plan.Port{
			{Name: "x", Direction: plan.In, Kind: plan.I64, Domain: "n", Buffer: "x"},
			{Name: "scan", Direction: plan.Out, Kind: plan.I64, Domain: "n", Buffer: "scan"},
			{Name: "kept", Direction: plan.Out, Kind: plan.I64, Domain: "k", Buffer: "kept"},
			{Name: "sum", Direction: plan.Out, Kind: plan.I64, Scalar: "sum"},
		},
		Domains: []plan.Domain{
			{Name: "n", Ordered: true},
			{Name: "k", Len: plan.Var("count"), Counter: &plan.Element{Buffer: "before", Index: 1}, Bound: n, Ordered: true},
		},
		Scalars: i64s("row0", "rows", "sum", "count"),
		Buffers: []plan.Buffer{
			{Name: "x", Kind: plan.I64, Role: plan.Input},
			{Name: "before", Kind: plan.I64, Length: two, Role: plan.Temporary},
			{Name: "after", Kind: plan.I64, Length: two, Role: plan.Temporary},
			{Name: "errors", Kind: plan.I64, Length: two, Role: plan.Errors},
			{Name: "scan", Kind: plan.I64, Length: n, Role: plan.Output},
			{Name: "kept", Kind: plan.I64, Length: n, Role: plan.Output},
		},
		Kernels: []plan.Kernel{k},
		Steps: program(
			fresh("before", "errors"), alloc("after", "scan", "kept"),
			plan.Step{Parts: &plan.Parts{Len: n, Row0: "row0", Rows: "rows", Limit: 1 << 30,
				Carries: []plan.Carry{{In: "before", Out: "after"}}, Steps: program(step)}},
			check,
			read("before", "sum", "count"),
			ret,
		),
		Sites: []plan.Site{
			{Number: 0, Position: "running.kg:2:3", Kind: "divide", Message: "division by 13", Domain: "n"},
			{Number: 1, Position: "running.kg:4:3", Kind: "divide", Message: "division by 17", Domain: "n"},
		},
	}
}

var partsKernels = map[string]kernel{
	"scan_filter": func(g *workgroup) error {
		x, before, after := buffer[int64](g, "x"), buffer[int64](g, "before"), buffer[int64](g, "after")
		sum, count := before[0], before[1]
		for i := g.Row0; i < g.Row0+g.Rows; i++ {
			sum += x[i]
			buffer[int64](g, "scan")[i] = sum
			if x[i]%2 == 0 {
				buffer[int64](g, "kept")[count] = x[i]
				count++
			}
			switch x[i] {
			case 13:
				fail(g, 0, i)
			case 17:
				fail(g, 1, i)
			}
		}
		after[0], after[1] = sum, count
		return nil
	},
}

func TestParts(t *testing.T) {
	p := throughJSON(t, "parts", partsPlan())
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int64{0, 1, 6, 7, 8, 14, 100} {
		x, scan, kept := []int64{}, []int64{}, []int64{}
		sum := int64(0)
		for range n {
			v := random.Int64N(1000) + 20
			x = append(x, v)
			sum += v
			scan = append(scan, sum)
			if v%2 == 0 {
				kept = append(kept, v)
			}
		}
		for _, c := range []struct{ limit, multiple, part int64 }{
			{0, 0, 1 << 30}, {1, 0, 1}, {7, 0, 7}, {99, 0, 99}, {7, 8, 8}, {8, 8, 8}, {23, 8, 16}, {7, 3, 6}, {0, 8, 1 << 30},
		} {
			limit := c.limit
			p.Steps[slices.IndexFunc(p.Steps, func(s plan.Step) bool { return s.Parts != nil })].Parts.Multiple = c.multiple
			device := newFake(partsKernels)
			launches := int64(0)
			device.before = func(string) error { launches++; return nil }
			result, err := exec.Run(context.Background(), device, p,
				exec.Inputs{Columns: map[string]exec.Column{"x": column(plan.I64, x)}}, exec.Options{PartRows: limit})
			device.verify(t)
			if err != nil {
				t.Fatalf("n=%d: %v", n, err)
			}
			if diff := cmp.Diff(scan, values[int64](t, result, "scan")); diff != "" {
				t.Errorf("n=%d limit=%d: scan (-want +got):\n%s", n, limit, diff)
			}
			if diff := cmp.Diff(kept, values[int64](t, result, "kept")); diff != "" {
				t.Errorf("n=%d limit=%d: kept (-want +got):\n%s", n, limit, diff)
			}
			if got := int64(result.Scalars["sum"].Bits); got != sum {
				t.Errorf("n=%d limit=%d: sum %d, not %d", n, limit, got, sum)
			}
			if want := max(1, (n+c.part-1)/c.part); launches != want {
				t.Errorf("n=%d, %+v: %d launches, not %d", n, c, launches, want)
			}
		}
	}
}

// Of two failing sites the lower number is reported, with its smallest row in
// the whole input.
func TestPartsCheckError(t *testing.T) {
	x := make([]int64, 50)
	x[5], x[44], x[41] = 17, 13, 13
	for _, limit := range []int64{0, 1, 7} {
		device := newFake(partsKernels)
		_, err := exec.Run(context.Background(), device, partsPlan(),
			exec.Inputs{Columns: map[string]exec.Column{"x": column(plan.I64, x)}}, exec.Options{PartRows: limit})
		device.verify(t)
		if want := "running.kg:2:3: division by 13 (row 41 of n)"; err == nil || err.Error() != want {
			t.Errorf("limit %d: got %v, want %s", limit, err, want)
		}
	}
}
