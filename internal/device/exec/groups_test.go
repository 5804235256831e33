package exec_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// groupsPlan is SELECT key, COUNT(*), SUM(a / b) GROUP BY key by hashing: a
// row claims a slot with its number, so no key is special; a full table sets a
// flag and the loop grows it. Fallback: a table that cannot be too small.
func groupsPlan() *plan.Plan {
	p := groupsDeclarations("hash")
	const firstSlots, growth, rounds = 4, 4, 4
	p.Steps = program(
		fresh("errors"),
		set("full", plan.Const(1)),
		plan.Step{While: &plan.While{
			Cond: plan.Lt(plan.Const(0), plan.Var("full")),
			Max:  rounds,
			Steps: program(
				fresh("table", "counts", "sums", "full"),
				launch("insert", plan.Len("n")),
				read("full", "full"),
				plan.Step{If: &plan.If{
					Cond: plan.Lt(plan.Const(0), plan.Var("full")),
					Then: program(set("slots", plan.Mul(plan.Var("slots"), plan.Const(growth)))),
				}},
			),
		}},
		compactGroups(),
	)
	// To the validator the loop may have no round: what it allocates must be allocated before.
	p.Steps = program(set("slots", plan.Const(firstSlots)), fresh("table", "counts", "sums", "full"), p.Steps)
	p.Fallback = groupsDeclarations("large")
	p.Fallback.Steps = program(
		fresh("errors"),
		set("slots", plan.Pow2(plan.Mul(plan.Const(2), plan.Max(plan.Len("n"), plan.Const(1))))),
		fresh("table", "counts", "sums", "full"),
		launch("insert", plan.Len("n")),
		compactGroups(),
	)
	return p
}

// compactGroups turns the table into columns: count, read, allocate, move.
func compactGroups() []plan.Step {
	return program(
		fresh("occupied"),
		launch("occupied", plan.Var("slots")),
		check,
		read("occupied", "groups"),
		alloc("key", "count", "total"),
		fresh("cursor"),
		launch("compact", plan.Var("slots")),
		check,
		ret,
	)
}

func groupsDeclarations(level string) *plan.Plan {
	slots, groups := plan.Var("slots"), plan.Var("groups")
	one := plan.Const(1)
	return &plan.Plan{
		Version: plan.Version, Pipeline: "groups", Level: level,
		Ports: []plan.Port{
			{Name: "k", Direction: plan.In, Kind: plan.I64, Domain: "n", Buffer: "k"},
			{Name: "a", Direction: plan.In, Kind: plan.I64, Domain: "n", Buffer: "a"},
			{Name: "b", Direction: plan.In, Kind: plan.I64, Domain: "n", Buffer: "b"},
			{Name: "key", Direction: plan.Out, Kind: plan.I64, Domain: "g", Buffer: "key"},
			{Name: "count", Direction: plan.Out, Kind: plan.I64, Domain: "g", Buffer: "count"},
			{Name: "total", Direction: plan.Out, Kind: plan.I64, Domain: "g", Buffer: "total"},
		},
		Domains: []plan.Domain{
			{Name: "n", Ordered: true},
			{Name: "g", Len: groups, Counter: &plan.Element{Buffer: "occupied"}, Bound: plan.Len("n")},
		},
		Scalars: i64s("slots", "full", "groups"),
		Buffers: []plan.Buffer{
			{Name: "k", Kind: plan.I64, Role: plan.Input},
			{Name: "a", Kind: plan.I64, Role: plan.Input},
			{Name: "b", Kind: plan.I64, Role: plan.Input},
			{Name: "table", Kind: plan.I32, Length: slots, Role: plan.Temporary, Fill: "-1"},
			{Name: "counts", Kind: plan.I64, Length: slots, Role: plan.Temporary},
			{Name: "sums", Kind: plan.I64, Length: slots, Role: plan.Temporary},
			{Name: "full", Kind: plan.I32, Length: one, Role: plan.Counter},
			{Name: "occupied", Kind: plan.I32, Length: one, Role: plan.Counter},
			{Name: "cursor", Kind: plan.I32, Length: one, Role: plan.Counter},
			{Name: "errors", Kind: plan.I64, Length: one, Role: plan.Errors},
			{Name: "key", Kind: plan.I64, Length: groups, Role: plan.Output},
			{Name: "count", Kind: plan.I64, Length: groups, Role: plan.Output},
			{Name: "total", Kind: plan.I64, Length: groups, Role: plan.Output},
		},
		Kernels: []plan.Kernel{
			kernelOf("insert", 16, in("k"), in("a"), in("b"), inout("table"), inout("counts"), inout("sums"), out("full"), inout("errors")),
			kernelOf("occupied", 16, in("table"), inout("occupied")),
			kernelOf("compact", 16, in("k"), in("table"), in("counts"), in("sums"), inout("cursor"), out("key"), out("count"), out("total")),
		},
		Sites: []plan.Site{{Number: 0, Position: "groups.kg:3:7", Kind: "divide", Message: "division by zero", Domain: "n"}},
	}
}

var groupsKernels = map[string]kernel{
	"insert": func(g *workgroup) error {
		k, a, b := buffer[int64](g, "k"), buffer[int64](g, "a"), buffer[int64](g, "b")
		table, counts, sums := buffer[int32](g, "table"), buffer[int64](g, "counts"), buffer[int64](g, "sums")
		lo, hi := g.tile()
		for i := lo; i < hi; i++ {
			quotient := int64(0)
			if b[i] == 0 {
				fail(g, 0, i)
			} else {
				quotient = a[i] / b[i]
			}
			slot, ok := claim(table, k, int32(i))
			if !ok {
				buffer[int32](g, "full")[0] = 1
				continue
			}
			counts[slot]++
			sums[slot] += quotient
		}
		return nil
	},
	"occupied": func(g *workgroup) error {
		lo, hi := g.tile()
		for _, row := range buffer[int32](g, "table")[lo:hi] {
			if row >= 0 {
				buffer[int32](g, "occupied")[0]++
			}
		}
		return nil
	},
	"compact": func(g *workgroup) error {
		k, table, cursor := buffer[int64](g, "k"), buffer[int32](g, "table"), buffer[int32](g, "cursor")
		lo, hi := g.tile()
		for slot := lo; slot < hi; slot++ {
			if table[slot] < 0 {
				continue
			}
			at := cursor[0]
			cursor[0]++
			buffer[int64](g, "key")[at] = k[table[slot]]
			buffer[int64](g, "count")[at] = buffer[int64](g, "counts")[slot]
			buffer[int64](g, "total")[at] = buffer[int64](g, "sums")[slot]
		}
		return nil
	},
}

// claim finds the slot of a row's key, or takes an empty one.
func claim(table []int32, keys []int64, row int32) (slot uint64, ok bool) {
	mask := uint64(len(table) - 1)
	slot = uint64(keys[row]) * 0x9e3779b97f4a7c15 >> 32 & mask
	for range table {
		switch held := table[slot]; {
		case held < 0:
			table[slot] = row
			return slot, true
		case keys[held] == keys[row]:
			return slot, true
		}
		slot = (slot + 1) & mask
	}
	return 0, false
}

type groupData struct{ k, a, b []int64 }

func randomGroups(n, distinct int) groupData {
	random := rand.New(rand.NewPCG(uint64(n), uint64(distinct)))
	var d groupData
	for range n {
		d.k = append(d.k, int64(random.IntN(distinct))*0x123456789-5)
		d.a = append(d.a, int64(random.IntN(1000)-500))
		d.b = append(d.b, int64(random.IntN(9)+1))
	}
	return d
}

func (d groupData) inputs() exec.Inputs {
	return exec.Inputs{Columns: map[string]exec.Column{
		"k": column(plan.I64, d.k), "a": column(plan.I64, d.a), "b": column(plan.I64, d.b),
	}}
}

type countTotal struct{ Count, Total int64 }

func (d groupData) want() map[int64]countTotal {
	groups := map[int64]countTotal{}
	for i, key := range d.k {
		c := groups[key]
		groups[key] = countTotal{c.Count + 1, c.Total + d.a[i]/d.b[i]}
	}
	return groups
}

func groupsResult(t *testing.T, r *exec.Result) map[int64]countTotal {
	t.Helper()
	groups := map[int64]countTotal{}
	counts, totals := values[int64](t, r, "count"), values[int64](t, r, "total")
	for i, key := range values[int64](t, r, "key") {
		if _, twice := groups[key]; twice {
			t.Errorf("key %d appears twice", key)
		}
		groups[key] = countTotal{counts[i], totals[i]}
	}
	return groups
}

func TestGroups(t *testing.T) {
	p := throughJSON(t, "groups", groupsPlan())
	for _, test := range []struct {
		n, distinct, launches int
		level                 string
	}{
		{0, 1, 1, "hash"},
		{1, 1, 1, "hash"},
		{100, 3, 1, "hash"},
		{500, 60, 3, "hash"},   // 4, 16, 64 slots
		{3000, 256, 4, "hash"}, // 256 slots, all in use
		{3000, 257, 5, "large"},
		{3000, 100000, 5, "large"},
	} {
		data := randomGroups(test.n, test.distinct)
		if test.distinct == 256 || test.distinct == 257 {
			for i := range test.distinct { // every key appears
				data.k[i] = int64(i)*0x123456789 - 5
			}
		}
		device := newFake(groupsKernels)
		inserts := 0
		device.before = func(entry string) error {
			if entry == "insert" {
				inserts++
			}
			return nil
		}
		result, err := exec.Run(context.Background(), device, p, data.inputs(), exec.Options{})
		device.verify(t)
		if err != nil {
			t.Fatalf("n=%d: %v", test.n, err)
		}
		if diff := cmp.Diff(data.want(), groupsResult(t, result)); diff != "" {
			t.Errorf("n=%d distinct=%d (-want +got):\n%s", test.n, test.distinct, diff)
		}
		if result.Level != test.level {
			t.Errorf("n=%d distinct=%d: the plan %q gave the result, not %q", test.n, test.distinct, result.Level, test.level)
		}
		if test.n > 0 && inserts != test.launches {
			t.Errorf("n=%d distinct=%d: %d launches of insert, not %d", test.n, test.distinct, inserts, test.launches)
		}
	}
}

// An overflow that the device makes up must only cost time.
func TestGroupsInjectedOverflow(t *testing.T) {
	data := randomGroups(200, 3)
	for overflows, level := range []string{"hash", "hash", "hash", "hash", "large"} {
		left := overflows
		kernels := map[string]kernel{"occupied": groupsKernels["occupied"], "compact": groupsKernels["compact"]}
		kernels["insert"] = func(g *workgroup) error {
			if g.index == 0 && left > 0 {
				left--
				buffer[int32](g, "full")[0] = 1
			}
			return groupsKernels["insert"](g)
		}
		device := newFake(kernels)
		var fallbacks []exec.Event
		result, err := exec.Run(context.Background(), device, groupsPlan(), data.inputs(), exec.Options{Event: func(e exec.Event) {
			if e.Step == "fallback" {
				fallbacks = append(fallbacks, e)
			}
		}})
		device.verify(t)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(data.want(), groupsResult(t, result)); diff != "" {
			t.Errorf("%d overflows (-want +got):\n%s", overflows, diff)
		}
		if result.Level != level || len(fallbacks) != overflows/4 {
			t.Errorf("%d overflows: level %q, fallbacks %v", overflows, result.Level, fallbacks)
		}
	}
}

// A loop with neither an else nor a fallback is refused before anything runs.
func TestGroupsExhaustedWithoutFallback(t *testing.T) {
	p := groupsPlan()
	p.Fallback = nil
	device := newFake(groupsKernels)
	_, err := exec.Run(context.Background(), device, p, randomGroups(10, 2).inputs(), exec.Options{})
	var invalid *plan.InvalidError
	if !errors.As(err, &invalid) || device.calls != 0 {
		t.Errorf("got %v after %d calls", err, device.calls)
	}
}

func TestGroupsCheckError(t *testing.T) {
	data := randomGroups(500, 60)
	data.b[444], data.b[77], data.b[78] = 0, 0, 0
	device := newFake(groupsKernels)
	_, err := exec.Run(context.Background(), device, groupsPlan(), data.inputs(), exec.Options{})
	device.verify(t)
	var failed *exec.CheckError
	if !errors.As(err, &failed) || failed.Row != 77 || failed.Site.Number != 0 {
		t.Fatalf("got %v", err)
	}
	if want := "groups.kg:3:7: division by zero (row 77 of n)"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}
