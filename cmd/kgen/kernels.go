package main

import (
	"context"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// runKernels runs kernels on a device. The results lie in space, if it has room.
type runKernels func(ctx context.Context, space *memory.Space, made *kernels.Program, in exec.Inputs) (*worker.Result, error)

// prepareKernels compiles a pipeline for a device of kernels.
func prepareKernels(r request, emitter kernels.Emitter, run runKernels) (*executable, error) {
	byRows, err := makeKernels(r, emitter)
	if err != nil {
		return nil, err
	}
	return &executable{footprint: byRows.footprint, run: func(ctx context.Context, space *memory.Space, in []ir.Column) (outcome, error) {
		made, err := byRows.forRows(longest(table.Extents(r.pipeline, in)))
		if err != nil {
			return outcome{}, err
		}
		result, err := run(ctx, space, made, planInputs(made.Plan, in))
		if err != nil {
			return outcome{}, checkOf(r.pipeline, err)
		}
		for _, column := range in {
			space.Free(raw.Bytes(column))
		}
		done := planOutcome(made.Plan, &result.Result)
		done.steps, done.times = stepsOf(result.Steps), result.Times
		return done, nil
	}}, nil
}

// kernelsByRows is a pipeline as kernels: for as many rows as a launch may span
// and, if data has more rows, for parts.
type kernelsByRows struct {
	request
	emitter kernels.Emitter
	short   *kernels.Program
	long    *kernels.Program
}

func makeKernels(r request, emitter kernels.Emitter) (*kernelsByRows, error) {
	k := &kernelsByRows{request: r, emitter: emitter}
	short, err := k.make(r.schedule)
	k.short = short
	return k, err
}

// make compiles the pipeline by a schedule.
func (k *kernelsByRows) make(schedule plan.Schedule) (*kernels.Program, error) {
	program, _, err := build.Compile(k.source, k.pipeline, k.emitter.Name(), k.level, schedule)
	if err != nil {
		return nil, err
	}
	return k.emitter.Make(program, schedule)
}

// forRows returns the kernels for columns of at most so many rows.
func (k *kernelsByRows) forRows(rows int64) (*kernels.Program, error) {
	if rows <= plan.MaxRows || k.schedule.Part > 0 {
		return k.short, nil
	}
	if k.long == nil {
		schedule := k.schedule
		schedule.Part = plan.PartRows
		var err error
		if k.long, err = k.make(schedule); err != nil {
			return nil, err
		}
	}
	return k.long, nil
}

// footprint returns the memory of a run, or the error that prevents it.
func (k *kernelsByRows) footprint(extents []table.Extent) plan.Footprint {
	made, err := k.forRows(longest(extents))
	if err != nil {
		made = k.short
	}
	return made.Plan.Footprint(planSizes(made.Plan, extents))
}
