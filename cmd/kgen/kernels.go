package main

import (
	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/plan"
)

// kernelsByRows is a pipeline as kernels: for as many rows as a launch may span
// and, if data has more rows, for parts.
type kernelsByRows struct {
	emitter  kernels.Emitter
	program  *backends.Program
	schedule plan.Schedule
	short    *kernels.Program
	long     *kernels.Program
}

func makeKernels(emitter kernels.Emitter, program *backends.Program, schedule plan.Schedule) (*kernelsByRows, error) {
	short, err := emitter.Make(program, schedule)
	return &kernelsByRows{emitter: emitter, program: program, schedule: schedule, short: short}, err
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
		if k.long, err = k.emitter.Make(k.program, schedule); err != nil {
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
