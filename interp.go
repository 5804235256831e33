package kgen

import (
	"context"
	"time"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// interpreter is the reference interpreter.
type interpreter struct{ hostMemory }

func openInterpreter(d *Device, rest string) (driver, error) {
	switch {
	case rest != "" || d.name != "interp":
		return nil, unknownDevice(d.name)
	case d.options.limit > 0:
		return nil, d.refuse("keeps the value of every operator, however much that is", "memory limit")
	case d.options.timeout > 0:
		return nil, d.refuseTimeLimit()
	}
	return interpreter{hostMemory{d}}, nil
}

func (i interpreter) compile(_ context.Context, p *Program, s settings) (runner, error) {
	if s.level != "" {
		return nil, i.device.refuse("runs operators one at a time and has no fusion levels", "level")
	}
	if s.workers > 0 {
		return nil, i.device.refuseWorkers()
	}
	if s.schedule != (plan.Schedule{}) {
		return nil, i.device.refuse("has no kernels and no tables", "schedule")
	}
	return interpreted{i.device, p}, nil
}

type interpreted struct {
	device  *Device
	program *Program
}

func (interpreted) compiled() []Step { return nil }

func (i interpreted) footprint(rows, _ map[string]int64) plan.Footprint {
	f := plan.Footprint{Unknown: true} // it keeps the value of every operator
	for _, p := range i.program.pipeline.Params {
		n := int64(1)
		if !p.Type.IsScalar() {
			n = rows[p.Type.Domain.Name]
		}
		f.Input += n * int64(p.Type.Kind.Size())
	}
	return f
}

// run runs the interpreter, which cannot be stopped: if ctx ends, its result is abandoned.
func (i interpreted) run(ctx context.Context, c call) (outcome, error) {
	if c.repeat > 0 {
		return outcome{}, i.device.refuseRepetitions()
	}
	type answer struct {
		columns []ir.Column
		err     error
	}
	start := time.Now()
	done := make(chan answer, 1)
	in := make([]ir.Column, len(c.columns))
	for j, p := range i.program.pipeline.Params {
		in[j] = raw.FromBytes(p.Type.Kind, c.columns[j].Data)
	}
	go func() {
		columns, err := interp.Run(i.program.pipeline, in)
		done <- answer{columns, err}
	}()
	select {
	case a := <-done:
		o := outcome{steps: []Step{{"interpret", time.Since(start)}}}
		for _, column := range a.columns {
			o.columns = append(o.columns, exec.Column{Data: raw.Bytes(column)})
		}
		return o, a.err
	case <-ctx.Done():
		i.device.abandon(func() { <-done })
		return outcome{}, ctx.Err()
	}
}

func (interpreted) close() {}
