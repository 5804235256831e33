package kgen

import (
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Kernels are made for parts once a column is longer than a launch may be.
func TestKernelsByRows(t *testing.T) {
	text := []byte("pipeline sums(x: [n]u8) {\n\treturn y: scan(add, i64(x))\n}\n")
	pipelines, errs := ir.Load("sums.kg", text)
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	program := Of(&build.Source{Text: text, Pipelines: pipelines}, pipelines[0])
	s := settings{level: "onepass"}
	inParts := func(p *plan.Plan) bool {
		return slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return s.Parts != nil && s.Parts.Limit == plan.PartRows })
	}
	for rows, want := range map[int64]bool{0: false, plan.MaxRows: false, plan.MaxRows + 1: true, 1 << 40: true} {
		kernels, err := newKernelRunner(nil, program, s, opencl.Emitter(), nil)
		if err != nil {
			t.Fatal(err)
		}
		bytes := kernels.footprint(map[string]int64{"n": rows}, nil).Total()
		made, err := kernels.forRows(map[string]int64{"n": rows})
		if err != nil || inParts(made.Plan) != want || inParts(made.Plan.Fallback) != want {
			t.Errorf("%d rows: %v, in parts %v, its fallback %v, not %v", rows, err, inParts(made.Plan), inParts(made.Plan.Fallback), want)
		}
		if bytes < 9*rows {
			t.Errorf("%d rows: %d bytes", rows, bytes)
		}
	}
	s.schedule = plan.Schedule{Scheme: "published", Offsets: plan.Broadcast}
	kernels, err := newKernelRunner(nil, program, s, opencl.Emitter(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kernels.forRows(map[string]int64{"n": plan.MaxRows + 1}); err == nil {
		t.Error("offsets of 2^31 rows are broadcast")
	}
}

// A note names the scheme of the plan that gave up.
func TestGaveUpNote(t *testing.T) {
	text := []byte("pipeline final(x: [n]i32) {\n\treturn y: last(scan(add, x), else: 0)\n}\n")
	pipelines, errs := ir.Load("final.kg", text)
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	program, _, err := build.Compile(&build.Source{Text: text, Pipelines: pipelines}, pipelines[0], "", "onepass", plan.Schedule{})
	if err != nil {
		t.Fatal(err)
	}
	for _, scheme := range []string{simt.SchemeLookback, simt.SchemePersistent} {
		made, err := cuda.Emitter().Make(program, plan.Schedule{Scheme: scheme})
		if err != nil {
			t.Fatal(err)
		}
		notes := notesOf(made.Plan, []exec.GiveUpError{{Reason: "it lacks wings"}})
		if want := "the plan with " + scheme + " gave up (it lacks wings); "; len(notes) != 1 || !strings.HasPrefix(notes[0], want) {
			t.Errorf("%q, want %s", notes, want)
		}
	}
}

// At level auto there are other kernels for more rows where these are predicted to be faster:
// launches take as long for any number, and what a kernel does beyond its bytes does not. Classes
// with equal kernels share them, and no other level has classes.
func TestKernelsByClassOfRows(t *testing.T) {
	text := []byte("pipeline twice(x: [n]i64) {\n\treturn y: scan(max, scan(add, x))\n}\n")
	pipelines, errs := ir.Load("twice.kg", text)
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	program := Of(&build.Source{Text: text, Pipelines: pipelines}, pipelines[0])
	// Two kernels take 16 bytes a row and a launch more, which is 9.6 ms for 2^20 rows; one kernel
	// takes the wait, which is 8.6, and for 2^22 rows 26.4 and 34.4.
	machine := plan.Machine{Device: "measured", Units: 4, Subgroup: 32, Rates: map[string]float64{plan.RateMemory: 3e9, plan.RateLaunch: 4e-3, plan.RateScan: 3e-9,
		plan.RateLookback: 3e-9, plan.RateWaiting: 8.2e-9}}
	count := func(s settings, rows int64) (int, *loadedCode) {
		kernels, err := newKernelRunner(nil, program, s, opencl.Emitter(), nil)
		if err != nil {
			t.Fatal(err)
		}
		made, err := kernels.forRows(map[string]int64{"n": rows})
		if err != nil {
			t.Fatal(err)
		}
		if again, err := kernels.forRows(map[string]int64{"n": rows}); err != nil || again != made {
			t.Errorf("%d rows have other kernels the second time: %v", rows, err)
		}
		if near, err := kernels.forRows(map[string]int64{"n": 16 * rows}); err != nil || rows > 1<<20 && rows < 1<<24 && near != made {
			t.Errorf("%d rows do not share the kernels of %d: %v", 16*rows, rows, err)
		}
		return len(made.Plan.Kernels), made
	}
	for _, c := range []struct {
		settings settings
		rows     int64
		kernels  int
	}{
		{settings{machine: machine}, 1000, 1},
		{settings{machine: machine}, 1 << 20, 1},
		{settings{machine: machine}, 1<<20 + 1, 2},
		{settings{machine: machine, level: "auto"}, 1 << 24, 2},
		{settings{machine: machine}, plan.MaxRows + 1, 2},
		{settings{machine: machine, level: "partial1 offset1 add1 partial2 offset2 add2"}, 1 << 24, 1},
		{settings{machine: machine, rows: map[string]int64{"n": 1 << 20}}, 1 << 24, 1},
		{settings{machine: machine, rows: map[string]int64{"n": 1 << 24}}, 1000, 2},
	} {
		if got, made := count(c.settings, c.rows); got != c.kernels {
			t.Errorf("%d rows at level %q, chosen for %v: %d kernels, not %d: %s", c.rows, c.settings.level, c.settings.rows, got, c.kernels, made.fused)
		}
	}
}

// TestKernelsOfFewRows has kernels of small tiles where few rows are no work for the whole device, and nowhere else.
func TestKernelsOfFewRows(t *testing.T) {
	text := []byte("pipeline sums(x: [n]i64, y: [m]i64) {\n\treturn a: scan(add, x), b: scan(add, y)\n}\n")
	pipelines, errs := ir.Load("sums.kg", text)
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	program := Of(&build.Source{Text: text, Pipelines: pipelines}, pipelines[0])
	rates := map[string]float64{plan.RateMemory: 1e12, plan.RateLaunch: 1e-6, plan.RateLookback: 1e-12}
	wide, cores := plan.Machine{Device: "measured", Units: 132, Subgroup: 32, Rates: rates}, plan.Machine{Device: "measured", Units: 4, Subgroup: 1, Rates: rates}
	for _, c := range []struct {
		settings settings
		n, m     int64
		items    int
	}{
		{settings{machine: wide}, 0, 0, 4},
		{settings{machine: wide}, 1000, 1 << 16, 4},
		{settings{machine: wide, level: "auto"}, 1 << 16, 5, 4},
		{settings{machine: wide, rows: map[string]int64{"n": 1000, "m": 1}}, 1 << 20, 0, 4},
		{settings{machine: wide}, 1000, 1<<16 + 1, 20},
		{settings{machine: wide}, 1 << 22, 1000, 20},
		{settings{machine: wide, level: "onepass"}, 1000, 1000, 20},
		{settings{machine: wide, schedule: plan.Schedule{Items: 6}}, 1000, 1000, 6},
		{settings{machine: cores}, 1000, 1000, 20},
		{settings{}, 1000, 1000, 20},
	} {
		kernels, err := newKernelRunner(nil, program, c.settings, cuda.Emitter(), nil)
		if err != nil {
			t.Fatal(err)
		}
		made, err := kernels.forRows(map[string]int64{"n": c.n, "m": c.m})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range made.Plan.Kernels {
			for _, v := range k.Variants {
				if v.Schedule.Items != c.items {
					t.Errorf("%d and %d rows, %+v: %d rows a work-item, not %d", c.n, c.m, c.settings.rows, v.Schedule.Items, c.items)
				}
			}
		}
	}
}
