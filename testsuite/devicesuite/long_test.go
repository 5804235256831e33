package main

import (
	"errors"
	"testing"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/cuda/emu"
	planexec "github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/difftest"
	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// shortLong is a long input of few rows.
func shortLong() (long, []byte) {
	l := newLong(3003, 3, 512, 1024, 2048)
	data := make([]byte, l.rows)
	l.fill(data)
	return l, data
}

// The expected results for many rows agree with the interpreter for few.
func TestLongWant(t *testing.T) {
	l, data := shortLong()
	pipelines, errs := ir.Load("long.kg", []byte(l.source()))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	for _, p := range pipelines {
		got, err := interp.Run(p, []ir.Column{raw.FromBytes(ir.U8, data)})
		if difference := l.differ(p, got, err); difference != "" {
			t.Errorf("%s: %s", p.Name, difference)
		}
		if p.Name == "check" {
			continue
		}
		last := got[len(got)-1]
		v := last.At(last.Len() - 1)
		v.Bits ^= 1
		last.Set(last.Len()-1, v)
		if l.differ(p, got, nil) == "" {
			t.Errorf("%s: a wrong bit in the last row is not noticed", p.Name)
		}
		v.Bits ^= 1
		last.Set(last.Len()-1, v)
		got[len(got)-1] = raw.FromBytes(last.Kind, append(raw.Bytes(last), make([]byte, last.Kind.Size())...))
		if l.differ(p, got, nil) == "" {
			t.Errorf("%s: one row too many is not noticed", p.Name)
		}
	}
	check := pipelines[len(pipelines)-1]
	if l.differ(check, nil, nil) == "" || l.differ(check, nil, errors.New("lost")) == "" || l.differ(check, nil, &ir.CheckError{Site: &check.Sites[0], Row: l.wrong() + 1}) == "" {
		t.Error("another failure is not noticed")
	}
	if l.differDense(data[:7]) == "" {
		t.Error("missing rows are not noticed")
	}
}

// A plan is not run if the device is too small for it. If the plan would fit,
// running out of memory is a failure, because another process may hold the
// memory.
func TestLongWithoutMemory(t *testing.T) {
	l, data := shortLong()
	compare := func(memory int64) (*difftest.Report, error) {
		run := func(*kernels.Program, planexec.Inputs) (*planexec.Result, error) {
			return nil, &planexec.AllocError{Buffer: "b", Bytes: 100, InUse: 900}
		}
		return l.compare(t.Context(), &cell{row: &row{device: "cudaemu", memory: memory}, level: "onepass"}, cuda.Emitter(),
			plan.Schedule{Workgroup: 64, Items: 2, Scheme: simt.Schemes()[0].Name, Part: 512}, raw.FromBytes(ir.U8, data), run, func([]ir.Column) {})
	}
	if report, err := compare(1000); err != nil || report.Executions != 0 || len(report.Cells[0].Absent) != 1 {
		t.Errorf("too small: %+v, %v", report, err)
	}
	if report, err := compare(2000); err == nil {
		t.Errorf("large enough: %+v", report)
	}
}

// Devices take such an input in parts; the emulation has small ones.
func TestLongInParts(t *testing.T) {
	e, err := emu.New(t.Context(), emu.Options{})
	var missing *emu.MissingError
	if errors.As(err, &missing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	l, data := shortLong()
	for _, scheme := range schemesInParts() {
		parts := 0
		run := func(made *kernels.Program, in planexec.Inputs) (*planexec.Result, error) {
			return e.Run(t.Context(), emu.Request{Plan: made.Plan, Texts: made.Texts(), Inputs: in, Options: planexec.Options{Event: func(e planexec.Event) {
				if e.Step == "launch" {
					parts++
				}
			}}})
		}
		report, err := l.compare(t.Context(), &cell{row: &row{device: "cudaemu"}, level: "onepass"}, cuda.Emitter(),
			plan.Schedule{Workgroup: 64, Items: 2, Scheme: scheme, Part: 512}, raw.FromBytes(ir.U8, data), run, func([]ir.Column) {})
		if err != nil {
			t.Fatal(err)
		}
		if report.CountMismatches() > 0 || report.Executions != 8 || parts < 8*6 {
			t.Errorf("%s: %d launches, %+v", scheme, parts, report)
		}
	}
}
