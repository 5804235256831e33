package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/internal/device/cache"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/memory"
)

func probeCUDAEmulation(ctx context.Context) (string, error) {
	compiler, err := emu.Compiler(ctx)
	if err != nil {
		return "", err
	}
	return "emitted CUDA C++ on the CPU, by " + compiler + "; cudaemu:check reports races and other faults, cudaemu:check:7 in the order of seed 7", nil
}

// parseCUDAEmulation reads the part after cudaemu: of the name of a device.
func parseCUDAEmulation(text string) (emu.Options, error) {
	mode, seed, seeded := strings.Cut(text, ":")
	options := emu.Options{Check: true}
	var err error
	if seeded {
		options.Seed, err = strconv.ParseUint(seed, 10, 63)
	}
	if mode != "check" || err != nil {
		return options, usageErrorf("device cudaemu:%s: there are cudaemu, cudaemu:check, and cudaemu:check:SEED with a whole number", text)
	}
	return options, nil
}

// prepareCUDAEmulation compiles a pipeline for the emulation.
func prepareCUDAEmulation(options emu.Options) func(context.Context, request) (*executable, error) {
	return func(ctx context.Context, r request) (*executable, error) {
		if err := refuseFlags("cudaemu", r, "--time-limit"); err != nil {
			return nil, err
		}
		program, err := prepareKernels(r, cuda.Emitter(), func(ctx context.Context, space *memory.Space, made *kernels.Program, in exec.Inputs) (*worker.Result, error) {
			return emulate(ctx, r, options, space, made, in)
		})
		if err != nil {
			return nil, err
		}
		if _, err := emu.Compiler(ctx); err != nil {
			return nil, err
		}
		options.Limit = r.timeout
		options.Cache, err = cache.Open("cudaemu")
		return program, err
	}
}

// emulate runs kernels in the emulation.
func emulate(ctx context.Context, r request, options emu.Options, space *memory.Space, made *kernels.Program, in exec.Inputs) (*worker.Result, error) {
	var steps []worker.Step
	var compiled time.Duration // within the step that has not ended
	options.Compiling = func(what string) { r.waiting.on("compiling " + what) }
	options.Compiled = func(took time.Duration, cached bool) {
		steps = append(steps, worker.Step{Step: compileStep(took, cached).Name, Host: took.Nanoseconds()})
		compiled += took
		r.waiting.on("running " + r.pipeline.Name)
	}
	e, err := emu.New(ctx, options)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	compiled = 0
	o := exec.Options{Memory: r.limit, Place: func(_ string, bytes int64) []byte {
		data, err := space.New(bytes)
		if err != nil {
			return nil
		}
		return data
	}}
	if r.trace {
		o.Event = func(e exec.Event) {
			steps = append(steps, worker.Step{Step: e.Step, Name: e.Name, Workgroups: e.Workgroups, Rows: e.Rows, Bytes: e.Bytes,
				Reason: e.Reason, Host: max(e.Duration-compiled, 0).Nanoseconds()})
			compiled = 0
		}
	}
	result, err := e.Run(ctx, emu.Request{Plan: made.Plan, Texts: made.Texts(), Inputs: in, Options: o})
	if err != nil {
		return nil, err
	}
	return &worker.Result{Result: *result, Steps: steps}, nil
}
