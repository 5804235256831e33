package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/device/cache"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
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
		program, _, err := build.Compile(r.source, r.pipeline, r.level, r.schedule.Variant)
		if err != nil {
			return nil, err
		}
		kernels, err := makeKernels(cuda.Emitter(), program, r.schedule)
		if err != nil {
			return nil, err
		}
		if _, err := emu.Compiler(ctx); err != nil {
			return nil, err
		}
		if options.Cache, err = cache.Open("cudaemu"); err != nil {
			return nil, err
		}
		options.Limit = r.timeout
		p := emulatedProgram{request: r, options: options, kernels: kernels}
		return &executable{footprint: p.footprint, run: p.run}, nil
	}
}

// emulatedProgram is a pipeline for the emulation.
type emulatedProgram struct {
	request
	options emu.Options
	kernels *kernelsByRows
}

func (p emulatedProgram) footprint(extents []table.Extent) plan.Footprint {
	return p.kernels.footprint(extents)
}

func (p emulatedProgram) run(ctx context.Context, space *memory.Space, in []ir.Column) (outcome, error) {
	made, err := p.kernels.forRows(longest(table.Extents(p.pipeline, in)))
	if err != nil {
		return outcome{}, err
	}
	e, err := emu.New(ctx, p.options)
	if err != nil {
		return outcome{}, err
	}
	defer e.Close()
	var steps []worker.Step
	options := exec.Options{Memory: p.limit, Place: func(_ string, bytes int64) []byte {
		data, err := space.New(bytes)
		if err != nil {
			return nil
		}
		return data
	}}
	if p.trace {
		options.Event = func(e exec.Event) {
			steps = append(steps, worker.Step{Step: e.Step, Name: e.Name, Groups: e.Groups, Rows: e.Rows, Bytes: e.Bytes,
				Reason: e.Reason, Host: e.Duration.Nanoseconds()})
		}
	}
	result, err := e.Run(ctx, emu.Request{Plan: made.Plan, Texts: made.Texts(), Inputs: planInputs(made.Plan, in), Options: options})
	if err != nil {
		return outcome{}, checkOf(p.pipeline, err)
	}
	for _, column := range in {
		space.Free(table.Bytes(column))
	}
	done := planOutcome(made.Plan, result)
	done.steps = stepsOf(steps)
	return done, nil
}
