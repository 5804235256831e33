package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/difftest"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
)

// emulationTester tests emitted CUDA C++ in the emulation.
type emulationTester struct {
	name      string
	rows      int // maximum of a run
	emulators chan *emu.Emulator
	absent    error // why the device is absent, or nil
}

// newEmulationTester opens cudaemu, or cudaemu:check, which also reports races.
func newEmulationTester(ctx context.Context, name string) (*emulationTester, error) {
	t := &emulationTester{name: name, rows: 5000}
	options, err := emu.ParseOptions(name)
	if err != nil {
		return nil, usageErrorf("device %s: %w", name, err)
	}
	if options.Check {
		t.rows = 2500
	}
	t.emulators = make(chan *emu.Emulator, workersPerDevice)
	for range workersPerDevice {
		e, err := emu.New(ctx, options)
		if err != nil {
			t.absent = fmt.Errorf("%w: %v", difftest.ErrNotOpen, err)
			break
		}
		t.emulators <- e
	}
	return t, nil
}

func (t *emulationTester) Name() string { return t.name }

func (t *emulationTester) Target() simt.Target { return cuda.Emitter().Target() }

func (t *emulationTester) Close() {
	for len(t.emulators) > 0 {
		(<-t.emulators).Close()
	}
}

// Prepare emits the text; g++ builds it in the first run.
func (t *emulationTester) Prepare(_ context.Context, jobs []difftest.Job) []difftest.Prepared {
	ready := make([]difftest.Prepared, len(jobs))
	for i, job := range jobs {
		if t.absent != nil {
			ready[i].Err = t.absent
			continue
		}
		ready[i] = difftest.Guard(func() (difftest.Executable, error) {
			made, err := cuda.Emitter().Make(job.ForWorkgroups(), job.Schedule)
			if err != nil {
				return nil, err
			}
			return &emulationTested{emulationTester: t, job: job, made: made}, nil
		})
	}
	return ready
}

// emulationTested is a program that is prepared for the emulation.
type emulationTested struct {
	*emulationTester
	job     difftest.Job
	made    *kernels.Program
	modules emu.Modules
}

func (e *emulationTested) Run(ctx context.Context, in []ir.Column, _ uint64) (difftest.Outcome, error) {
	var emulator *emu.Emulator
	select {
	case emulator = <-e.emulators:
	case <-ctx.Done():
		return difftest.Outcome{}, ctx.Err()
	}
	defer func() { e.emulators <- emulator }()
	run := func(inputs exec.Inputs) (*exec.Result, error) {
		return emulator.Run(ctx, emu.Request{Plan: e.made.Plan, Texts: e.made.Texts(), Modules: &e.modules, Inputs: inputs})
	}
	out, err := difftest.RunPlan(e.job.Program.Pipeline, e.made.Plan, run, in)
	var build *worker.BuildError
	var fault *emu.FaultError
	switch {
	case errors.As(err, &build):
		err = &difftest.FaultError{Fault: difftest.FaultBuild, Err: err}
	case errors.As(err, &fault):
		err = &difftest.FaultError{Fault: difftest.Fault(fault.Faults[0].Kind), Err: err}
	}
	return out, err
}

func (e *emulationTested) Features() []string {
	return append(difftest.PlanFeatures(e.made.Plan), difftest.TextFeatures(e.made.Texts())...)
}

func (e *emulationTested) MaxRows() int { return e.rows }

// Close does nothing: the next program uses the same emulators.
func (e *emulationTested) Close() {}
