package kgen

import (
	"context"
	"time"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/vector"
	"github.com/kgen-go/kgen/plan"
)

// vectorDevice runs tile programs in this process, a batch of rows at a time.
type vectorDevice struct{ hostMemory }

func openVector(d *Device, rest string) (driver, error) {
	if rest != "" || d.name != "vector" {
		return nil, unknownDevice(d.name)
	}
	if d.options.timeout > 0 {
		return nil, d.refuseTimeLimit()
	}
	return vectorDevice{hostMemory{d}}, nil
}

func (v vectorDevice) compile(_ context.Context, p *Program, s settings) (runner, error) {
	if err := build.RefuseSchedule("device vector", s.schedule); err != nil {
		return nil, err
	}
	compiled := s.tuning.Tiles
	if compiled == nil {
		var err error
		if compiled, _, err = build.CompileOver(p.source, p.pipeline, s.rows, s.machine, vector.Name, s.level, s.schedule); err != nil {
			return nil, err
		}
	}
	program, err := vector.Compile(compiled)
	return &vectorRunner{device: v.device, program: p, plan: compiled.Plan, vectors: program, workers: s.workers}, err
}

// vectorRunner is a pipeline as loops over batches.
type vectorRunner struct {
	device  *Device
	program *Program
	plan    *plan.Plan
	vectors *vector.Program
	workers int
}

func (*vectorRunner) compiled() []Step { return nil }

func (v *vectorRunner) footprint(rows, scalars map[string]int64) plan.Footprint {
	return v.plan.Footprint(ofPlan(v.plan, v.program.pipeline, rows, scalars))
}

func (v *vectorRunner) run(ctx context.Context, c call) (outcome, error) {
	if c.repeat > 0 {
		return outcome{}, v.device.refuseRepetitions()
	}
	done := outcome{level: v.plan.Level, kernels: v.plan.Kernels}
	begun, kernels := time.Now(), time.Duration(0)
	workers := v.workers
	if c.tuning.Workers > 0 {
		workers = c.tuning.Workers
	}
	options := vector.Options{Batch: c.tuning.Batch, Workers: workers, Memory: c.limit, Step: func(kernel string, elapsed time.Duration) {
		done.steps = append(done.steps, Step{kernel, elapsed})
		kernels += elapsed
	}}
	result, err := v.vectors.Run(ctx, v.program.inputs(v.plan, c.columns), options)
	if err != nil {
		return outcome{}, v.program.checked(err)
	}
	v.device.consumed(c)
	done.steps = append(done.steps, Step{"finish", time.Since(begun) - kernels})
	done.columns = resultColumns(v.plan, result)
	return done, nil
}

func (*vectorRunner) close() {}
