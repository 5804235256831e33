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
		made, err := kernels.forRows(rows)
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
	if _, err := kernels.forRows(plan.MaxRows + 1); err == nil {
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
