package kgen

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/device/cache"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/plan"
)

// emulation runs emitted CUDA C++ on the CPU.
type emulation struct {
	hostMemory
	options emu.Options

	mutex    sync.Mutex // one run at a time
	emulator *emu.Emulator
	steps    []worker.Step // of the run
	compiled time.Duration // within the step that has not ended
}

func openEmulation(d *Device, _ string) (driver, error) {
	options, err := emu.ParseOptions(d.name)
	if err != nil {
		return nil, &build.UsageError{Err: fmt.Errorf("device %s: %w", d.name, err)}
	}
	options.Limit = d.options.timeout
	if !d.options.tuning.Uncached {
		if options.Cache, err = cache.Open("cudaemu"); err != nil {
			return nil, err
		}
	}
	e := &emulation{hostMemory: hostMemory{d}, options: options}
	e.options.Compiling = func(what string) { d.options.waiting("compiling " + what) }
	e.options.Compiled = func(took time.Duration, cached bool) {
		e.steps = append(e.steps, worker.Step{Step: compileStep(took, cached).Name, Host: took.Nanoseconds()})
		e.compiled += took
		d.options.waiting("")
	}
	return e, nil
}

func (e *emulation) machine(context.Context) (plan.Machine, error) {
	return emu.Machine(e.options), nil
}

func (e *emulation) compile(ctx context.Context, p *Program, s settings) (runner, error) {
	k, err := newKernelRunner(e.device, p, s, cuda.Emitter().On(emu.Machine(e.options)), e)
	if err != nil {
		return nil, err
	}
	_, err = emu.Compiler(ctx)
	return k, err
}

func (e *emulation) launch(ctx context.Context, code *loadedCode, in exec.Inputs, _ []string, c call) (*worker.Result, error) {
	if c.repeat > 0 {
		return nil, e.device.refuseRepetitions()
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.steps, e.compiled = nil, 0
	if e.emulator == nil {
		var err error
		if e.emulator, err = emu.New(ctx, e.options); err != nil {
			return nil, err
		}
		e.compiled = 0
	}
	modules, _ := code.kept.(*emu.Modules)
	if modules == nil {
		modules = new(emu.Modules)
		code.kept = modules
	}
	o := exec.Options{Memory: c.limit, Place: func(_ string, bytes int64) []byte {
		data, err := e.device.space.New(bytes)
		if err != nil {
			return nil
		}
		return data
	}}
	if c.trace {
		o.Event = func(event exec.Event) {
			e.steps = append(e.steps, worker.StepOf(event, e.compiled))
			e.compiled = 0
		}
	}
	result, err := e.emulator.Run(ctx, emu.Request{Plan: code.Plan, Texts: code.Texts(), Modules: modules, Inputs: in, Options: o})
	if err != nil {
		return nil, err
	}
	return &worker.Result{Result: *result, Steps: e.steps}, nil
}

func (e *emulation) unload(*loadedCode) {}

func (e *emulation) close() {
	if e.emulator != nil {
		e.emulator.Close()
	}
}
