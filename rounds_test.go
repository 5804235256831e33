package kgen

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

const walkedText = `pipeline counts(key: [n]i32) {
	g = runs(key)
	return key: first(key, by: g), count: count(by: g)
}

pipeline other(x: [n]i32, y: [n]i32, z: [n]i32) {
	return z: z[x < 50 && y < 50]
}

pipeline having(key: [n]i32, value: [n]i32) {
	g = runs(key)
	c = count(by: g)
	keep = c >= 3
	return key: first(key, by: g)[keep], total: sum(value, by: g)[keep]
}

pipeline sessions(user: [n]i32, time: [n]i64, amount: [n]i32) {
	s = starts(user != prev(user, 1, -1) || time - prev(time, 1, 0) > 9)
	return begin: first(time, by: s), count: count(by: s), amount: sum(amount, by: s)
}

pipeline squares(x: [n]i32) {
	return y: x * x
}

pipeline least(x: [n]i32) {
	return row: order(x, limit: 10)
}

pipeline gathers(x: [n]i32, y: [m]i32) {
	return z: x[y[i64(x)] < 50]
}
`

// walked returns a pipeline of walkedText.
func walked(t *testing.T, name string) *Program {
	t.Helper()
	pipelines, errs := ir.Load("walked.kg", []byte(walkedText))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(pipelines, func(p *ir.Pipeline) bool { return p.Name == name })
	return Of(&build.Source{Text: []byte(walkedText), Pipelines: pipelines}, pipelines[i])
}

// schemesOf lists the schemes of a plan's kernels.
func schemesOf(p *plan.Plan) string {
	var list []string
	for _, k := range p.Kernels {
		list = append(list, k.Variants[0].Schedule.Scheme)
	}
	return strings.Join(list, " ")
}

// Kernels over many rows walk in rounds if the device can, nobody says otherwise, and that pays:
// not where columns are read for selected rows alone, not over groups, and not with wide states.
func TestRoundsByRows(t *testing.T) {
	const many = 1<<26 + 1
	able := plan.Machine{Subgroup: 32, Caps: map[plan.Cap]plan.Evidence{plan.CapResident: plan.Declared, plan.CapBulkCopy: plan.Declared}}
	for _, c := range []struct {
		pipeline string
		emitter  kernels.Emitter
		rows     int64
		settings settings
		want     string
	}{
		{"counts", cuda.Emitter().On(able), many, settings{}, "persistent"},
		{"counts", cuda.Emitter().On(able), many, settings{schedule: plan.Schedule{IDs: plan.Static}}, "persistent"},
		{"counts", cuda.Emitter().On(able), 1 << 24, settings{}, "lookback"},
		{"counts", cuda.Emitter().On(able), many, settings{rows: map[string]int64{"n": 1000}}, "lookback"},
		{"counts", cuda.Emitter().On(able), many, settings{schedule: plan.Schedule{Scheme: simt.SchemeLookback}}, "lookback"},
		{"counts", cuda.Emitter().On(able), many, settings{schedule: plan.Schedule{Items: 16}}, "lookback"},
		{"counts", cuda.Emitter().On(able), plan.MaxRows + 1, settings{}, "lookback"},
		{"counts", cuda.Emitter(), many, settings{}, "lookback"},
		{"counts", opencl.Emitter().On(plan.Machine{Subgroup: 1, Caps: able.Caps}), many, settings{}, "lookback"},
		{"other", cuda.Emitter().On(able), many, settings{}, "lookback"},
		{"having", cuda.Emitter().On(able), many, settings{}, "persistent lookback"},
		{"sessions", cuda.Emitter().On(able), many, settings{}, "lookback"},
		{"squares", cuda.Emitter().On(able), many, settings{}, "flat"},
		{"least", cuda.Emitter().On(able), many, settings{}, "flat flat flat flat flat persistent persistent flat"},
		{"gathers", cuda.Emitter().On(able), many, settings{}, "lookback"},
	} {
		k, err := newKernelRunner(nil, walked(t, c.pipeline), c.settings, c.emitter, nil)
		if err != nil {
			t.Fatal(err)
		}
		made, err := k.forRows(map[string]int64{"n": c.rows})
		if err != nil {
			t.Fatal(err)
		}
		if got := schemesOf(made.Plan); !strings.HasPrefix(got, c.want) || strings.Count(got, "persistent") != strings.Count(c.want, "persistent") {
			t.Errorf("%s over %d rows, %+v: %q, not %q", c.pipeline, c.rows, c.settings.schedule, got, c.want)
		}
	}
}

// Rows that need no other kernels share those of the class before, and rows that walk do not.
func TestRoundsAreAClass(t *testing.T) {
	able := plan.Machine{Subgroup: 32, Caps: map[plan.Cap]plan.Evidence{plan.CapResident: plan.Declared, plan.CapBulkCopy: plan.Declared}}
	k, err := newKernelRunner(nil, walked(t, "counts"), settings{}, cuda.Emitter().On(able), nil)
	if err != nil {
		t.Fatal(err)
	}
	var made []*loadedCode
	for _, rows := range []int64{1000, 1 << 24, 1 << 26, 1 << 28, 2000} {
		code, err := k.forRows(map[string]int64{"n": rows})
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, code)
	}
	if made[1] != made[0] || made[2] == made[0] || made[3] != made[2] || made[4] != made[0] {
		t.Errorf("kernels by classes of rows: %p", made)
	}
}

// What was chosen for many rows is right over few, also where some kernels of a plan walk in
// rounds and others look back.
func TestRoundsByRowsAgree(t *testing.T) {
	const rows = 30011
	key, value, time := make([]int32, rows), make([]int32, rows), make([]int64, rows)
	for i := range key {
		if i > 0 {
			key[i], time[i] = key[i-1], time[i-1]
		}
		if i*7919%13 < 4 {
			key[i]++
		}
		value[i], time[i] = int32(i*31%101), time[i]+int64(i*17%11)
	}
	i32 := func(rows []int32) ir.Column { return ir.Column{Kind: ir.I32, Slice: rows} }
	args := map[string][]ir.Column{"counts": {i32(key)}, "other": {i32(value), i32(key), i32(value)}, "having": {i32(key), i32(value)},
		"sessions": {i32(key), {Kind: ir.I64, Slice: time}, i32(value)}}
	emulation, err := Open(t.Context(), "cudaemu:check")
	if err != nil {
		t.Fatal(err)
	}
	defer emulation.Close()
	interp, err := Open(t.Context(), "interp")
	if err != nil {
		t.Fatal(err)
	}
	defer interp.Close()
	for name, in := range args {
		schemes := ""
		run := func(d *Device, options ...Setting) string {
			e, err := walked(t, name).On(t.Context(), d, options...)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if k, ok := e.runner.(*kernelRunner); ok {
				schemes = schemesOf(k.short.Plan)
			}
			columns, _, err := e.RunColumns(t.Context(), in)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var values []any
			for _, c := range columns {
				values = append(values, c.Slice)
			}
			return fmt.Sprint(values)
		}
		if want, got := run(interp), run(emulation, RowsOf(map[string]int64{"n": 1 << 28})); got != want {
			t.Errorf("%s differs from the interpreter", name)
		}
		if walks := name == "counts" || name == "having"; strings.Contains(schemes, "persistent") != walks {
			t.Errorf("%s ran by %s", name, schemes)
		}
	}
}
