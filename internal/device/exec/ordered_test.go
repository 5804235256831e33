package exec_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

const orderedTile = 8

// orderedPlan is ordered aggregation: key, count and sum of each run of equal
// keys, in as many kernels as the level has.
func orderedPlan(level string) *plan.Plan {
	n := plan.Len("n")
	one := plan.Const(1)
	tiles := plan.CeilDiv(n, plan.Const(orderedTile))
	column := func(name string, kind plan.Kind, length plan.Expr, role plan.Role) plan.Buffer {
		return plan.Buffer{Name: name, Kind: kind, Length: length, Role: role}
	}
	p := &plan.Plan{
		Version: plan.Version, Pipeline: "ordered", Level: level,
		Ports: []plan.Port{
			{Name: "k", Direction: plan.In, Kind: plan.I32, Domain: "n", Buffer: "k"},
			{Name: "x", Direction: plan.In, Kind: plan.I64, Domain: "n", Buffer: "x"},
			{Name: "scale", Direction: plan.In, Kind: plan.I64, Scalar: "scale", Default: "1"},
			{Name: "key", Direction: plan.Out, Kind: plan.I32, Domain: "g", Buffer: "key"},
			{Name: "count", Direction: plan.Out, Kind: plan.I64, Domain: "g", Buffer: "count"},
			{Name: "total", Direction: plan.Out, Kind: plan.I64, Domain: "g", Buffer: "total"},
		},
		Domains: []plan.Domain{
			{Name: "n", Ordered: true},
			{Name: "g", Len: plan.Var("g"), Counter: &plan.Element{Buffer: "groups"}, Bound: n, Ordered: true},
		},
		Scalars: i64s("scale", "g"),
		Buffers: []plan.Buffer{
			column("k", plan.I32, plan.Expr{}, plan.Input),
			column("x", plan.I64, plan.Expr{}, plan.Input),
			column("groups", plan.I64, one, plan.Counter),
			column("key", plan.I32, n, plan.Output),
			column("count", plan.I64, n, plan.Output),
			column("total", plan.I64, n, plan.Output),
		},
	}
	scale := plan.Arg{Name: "scale", Scalar: "scale"}
	results := []plan.Arg{in("k"), in("x"), scale, out("key"), inout("count"), inout("total")}
	begin := fresh("groups", "key", "count", "total")
	end := program(check, read("groups", "g"), ret)
	switch level {
	case "none":
		p.Buffers = append(p.Buffers,
			column("head", plan.Bool, n, plan.Temporary),
			column("partial", plan.I64, n, plan.Temporary),
			column("tileSum", plan.I64, tiles, plan.Temporary),
			column("offset", plan.I64, tiles, plan.Temporary),
			column("slot", plan.I64, n, plan.Temporary))
		offset := kernelOf("offset", orderedTile, in("tileSum"), out("offset"), out("groups"))
		offset.Variants[0].Grid = one
		p.Kernels = []plan.Kernel{
			kernelOf("mask", orderedTile, in("k"), out("head")),
			kernelOf("partial", orderedTile, in("head"), out("partial"), out("tileSum")),
			offset,
			kernelOf("add", orderedTile, in("partial"), in("offset"), out("slot")),
			kernelOf("aggregate", orderedTile, append([]plan.Arg{in("slot")}, results...)...),
		}
		p.Steps = program(begin, alloc("head", "partial", "tileSum", "offset", "slot"),
			launch("mask", n), launch("partial", n), launch("offset", tiles), launch("add", n), launch("aggregate", n), end)
	case "paper2":
		p.Buffers = append(p.Buffers,
			column("partial", plan.I64, n, plan.Temporary),
			column("offset", plan.I64, tiles, plan.Temporary))
		p.Kernels = []plan.Kernel{
			kernelOf("mask_partial_offset", orderedTile, in("k"), out("partial"), inout("offset"), inout("groups")),
			kernelOf("add_aggregate", orderedTile, append([]plan.Arg{in("partial"), in("offset")}, results...)...),
		}
		p.Steps = program(begin, alloc("partial"), fresh("offset"),
			launch("mask_partial_offset", n), launch("add_aggregate", n), end)
	case "onepass":
		p.Buffers = append(p.Buffers,
			column("ticket", plan.I32, one, plan.Status),
			column("prefix", plan.I64, tiles, plan.Status),
			column("abort", plan.U32, one, plan.Abort))
		p.Buffers[len(p.Buffers)-2].Fill = "-1"
		all := kernelOf("all", orderedTile,
			append([]plan.Arg{inout("ticket"), inout("prefix"), inout("abort"), inout("groups")}, results...)...)
		all.Variants[0].Forward = plan.ForwardTicket
		all.Variants[0].Schedule.Scheme = "lookback"
		resident := all.Variants[0]
		resident.Needs, resident.Entry, resident.Forward = []plan.Cap{"cooperative"}, "all_resident", plan.ForwardResident
		all.Variants = []plan.Variant{resident, all.Variants[0]}
		p.Kernels = []plan.Kernel{all}
		p.Steps = program(begin, fresh("ticket", "prefix", "abort"), launch("all", n), end)
		p.Fallback = orderedPlan("none")
	}
	return p
}

// head reports whether a run begins at row i.
func head(k []int32, i int64) bool { return i == 0 || k[i] != k[i-1] }

// tally adds row i to the run in slot.
func tally(g *workgroup, i, slot int64) {
	buffer[int32](g, "key")[slot] = buffer[int32](g, "k")[i]
	buffer[int64](g, "count")[slot]++
	buffer[int64](g, "total")[slot] += buffer[int64](g, "x")[i] * g.scalar("scale")
}

var orderedKernels = map[string]kernel{
	"mask": func(g *workgroup) error {
		lo, hi := g.tile()
		for i := lo; i < hi; i++ {
			buffer[bool](g, "head")[i] = head(buffer[int32](g, "k"), i)
		}
		return nil
	},
	"partial": func(g *workgroup) error {
		sum := int64(0)
		lo, hi := g.tile()
		for i := lo; i < hi; i++ {
			if buffer[bool](g, "head")[i] {
				sum++
			}
			buffer[int64](g, "partial")[i] = sum
		}
		buffer[int64](g, "tileSum")[g.index] = sum
		return nil
	},
	"offset": func(g *workgroup) error {
		sum := int64(0)
		for i, tile := range buffer[int64](g, "tileSum")[:g.Rows] {
			buffer[int64](g, "offset")[i] = sum
			sum += tile
		}
		buffer[int64](g, "groups")[0] = sum
		return nil
	},
	"add": func(g *workgroup) error {
		lo, hi := g.tile()
		for i := lo; i < hi; i++ {
			buffer[int64](g, "slot")[i] = buffer[int64](g, "partial")[i] + buffer[int64](g, "offset")[g.index] - 1
		}
		return nil
	},
	"aggregate": func(g *workgroup) error {
		lo, hi := g.tile()
		for i := lo; i < hi; i++ {
			tally(g, i, buffer[int64](g, "slot")[i])
		}
		return nil
	},
	// The published broadcast: each tile adds its total to all later ones.
	"mask_partial_offset": func(g *workgroup) error {
		sum := int64(0)
		lo, hi := g.tile()
		for i := lo; i < hi; i++ {
			if head(buffer[int32](g, "k"), i) {
				sum++
			}
			buffer[int64](g, "partial")[i] = sum
		}
		offset := buffer[int64](g, "offset")
		for later := g.index + 1; later < int64(len(offset)); later++ {
			offset[later] += sum
		}
		buffer[int64](g, "groups")[0] += sum
		return nil
	},
	"add_aggregate": func(g *workgroup) error {
		lo, hi := g.tile()
		for i := lo; i < hi; i++ {
			tally(g, i, buffer[int64](g, "partial")[i]+buffer[int64](g, "offset")[g.index]-1)
		}
		return nil
	},
	"all": onepass,
	"all_resident": func(g *workgroup) error {
		if g.Workgroups > g.device.resident {
			return errors.New("a grid that is not resident was launched")
		}
		return onepass(g)
	},
}

// onepass takes tiles by ticket, so that the tile before has been taken.
func onepass(g *workgroup) error {
	ticket, prefix := buffer[int32](g, "ticket"), buffer[int64](g, "prefix")
	tile := int64(ticket[0])
	ticket[0]++
	slot := int64(-1)
	if tile > 0 {
		if prefix[tile-1] < 0 {
			buffer[uint32](g, "abort")[0] = 1
			return nil
		}
		slot += prefix[tile-1]
	}
	for i := tile * orderedTile; i < min((tile+1)*orderedTile, g.Rows); i++ {
		if head(buffer[int32](g, "k"), i) {
			slot++
		}
		tally(g, i, slot)
	}
	prefix[tile] = slot + 1
	if tile == g.Workgroups-1 {
		buffer[int64](g, "groups")[0] = slot + 1
	}
	return nil
}

type runs struct {
	Key          []int32
	Count, Total []int64
}

// orderedData returns n sorted rows in runs of up to longest, and the answer.
func orderedData(n, longest int) (exec.Inputs, runs) {
	random := rand.New(rand.NewPCG(uint64(n), uint64(longest)))
	want := runs{Key: []int32{}, Count: []int64{}, Total: []int64{}}
	var k []int32
	var x []int64
	for key := int32(-9); len(k) < n; key++ {
		total := int64(0)
		length := min(random.IntN(longest)+1, n-len(k))
		for range length {
			k, x = append(k, key), append(x, random.Int64N(100))
			total += x[len(x)-1]
		}
		want.Key, want.Count, want.Total = append(want.Key, key), append(want.Count, int64(length)), append(want.Total, total)
	}
	return exec.Inputs{Columns: map[string]exec.Column{"k": column(plan.I32, k), "x": column(plan.I64, x)}}, want
}

func orderedResult(t *testing.T, r *exec.Result) runs {
	t.Helper()
	return runs{values[int32](t, r, "key"), values[int64](t, r, "count"), values[int64](t, r, "total")}
}

func TestOrdered(t *testing.T) {
	for level, kernels := range map[string]int{"none": 5, "paper2": 2, "onepass": 1} {
		p := throughJSON(t, "ordered-"+level, orderedPlan(level))
		if len(p.Kernels) != kernels {
			t.Errorf("%s has %d kernels, not %d", level, len(p.Kernels), kernels)
		}
		for _, n := range []int{0, 1, 2, orderedTile - 1, orderedTile, orderedTile + 1, 1000} {
			for _, longest := range []int{1, 3, 50, 2000} {
				inputs, want := orderedData(n, longest)
				device := newFake(orderedKernels)
				result, err := exec.Run(context.Background(), device, p, inputs, exec.Options{})
				device.verify(t)
				if err != nil {
					t.Fatalf("%s n=%d: %v", level, n, err)
				}
				if diff := cmp.Diff(want, orderedResult(t, result)); diff != "" {
					t.Errorf("%s n=%d longest=%d (-want +got):\n%s", level, n, longest, diff)
				}
				if result.Level != level {
					t.Errorf("%s n=%d: the plan %q gave the result", level, n, result.Level)
				}
			}
		}
	}
}

func TestOrderedScalarInput(t *testing.T) {
	inputs, want := orderedData(100, 5)
	inputs.Scalars = map[string]exec.Value{"scale": {Kind: plan.I64, Bits: 3}}
	for i := range want.Total {
		want.Total[i] *= 3
	}
	device := newFake(orderedKernels)
	result, err := exec.Run(context.Background(), device, orderedPlan("paper2"), inputs, exec.Options{})
	device.verify(t)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, orderedResult(t, result)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A kernel that waits in vain sets its abort word; the fallback gives the result.
func TestOrderedAbort(t *testing.T) {
	kernels := map[string]kernel{}
	for entry, run := range orderedKernels {
		kernels[entry] = run
	}
	kernels["all"] = func(g *workgroup) error {
		if g.index == 3 {
			buffer[uint32](g, "abort")[0] = 1
			buffer[int64](g, "groups")[0] = 1 << 40 // drained: nothing it left may be believed
			return nil
		}
		return onepass(g)
	}
	inputs, want := orderedData(500, 9)
	device := newFake(kernels)
	reason := ""
	result, err := exec.Run(context.Background(), device, orderedPlan("onepass"), inputs, exec.Options{Event: func(e exec.Event) { reason += e.Reason }})
	device.verify(t)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, orderedResult(t, result)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if result.Level != "none" || !strings.Contains(reason, "waited too long") {
		t.Errorf("level %q, reason %q", result.Level, reason)
	}
}

// What Settled runs again may wait in vain, too.
func TestOrderedAbortAgain(t *testing.T) {
	kernels := map[string]kernel{}
	for entry, run := range orderedKernels {
		kernels[entry] = run
	}
	var abort []uint32
	kernels["all"] = func(g *workgroup) error {
		abort = buffer[uint32](g, "abort")
		return onepass(g)
	}
	inputs, want := orderedData(500, 9)
	device := newFake(kernels)
	settled := 0
	result, err := exec.Run(context.Background(), device, orderedPlan("onepass"), inputs, exec.Options{Settled: func() error {
		if settled++; settled == 1 {
			abort[0] = 1
		}
		return nil
	}})
	device.verify(t)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, orderedResult(t, result)); diff != "" || result.Level != "none" || settled != 2 || len(result.GaveUp) != 1 {
		t.Errorf("level %q, settled %d times (-want +got):\n%s", result.Level, settled, diff)
	}
}

// The first variant that the device can run is taken; a grid that does not fit
// a device at once gives up instead of hanging.
func TestOrderedVariants(t *testing.T) {
	for _, test := range []struct {
		cooperative bool
		n           int
		entry       string // of the first launch
		level       string
	}{
		{false, 100, "all", "onepass"},
		{true, 4 * orderedTile, "all_resident", "onepass"},
		{true, 4*orderedTile + 1, "mask", "none"},
	} {
		inputs, want := orderedData(test.n, 5)
		device := newFake(orderedKernels)
		if test.cooperative {
			device.machine.Caps = map[plan.Cap]plan.Evidence{"cooperative": plan.Probed}
		}
		var entries []string
		device.before = func(entry string) error { entries = append(entries, entry); return nil }
		result, err := exec.Run(context.Background(), device, orderedPlan("onepass"), inputs, exec.Options{})
		device.verify(t)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, orderedResult(t, result)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test, diff)
		}
		if entries[0] != test.entry || result.Level != test.level {
			t.Errorf("%+v: launched %v at level %q", test, entries, result.Level)
		}
	}
}
