package kgen

import (
	"context"
	"errors"
	"time"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/vector"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// vectorDevice runs tile programs in this process, a batch of rows at a time.
type vectorDevice struct{ hostMemory }

func openVector(d *Device, rest string) (driver, error) {
	if rest != "" || d.name != "vector" {
		return nil, unknownDevice(d.name)
	}
	if d.options.timeout > 0 {
		return nil, refuse(d, "has no driver that could hang, and ends by its context", "time limit")
	}
	return vectorDevice{hostMemory{d}}, nil
}

func (v vectorDevice) compile(_ context.Context, p *Program, s settings) (runner, error) {
	if err := build.RefuseSchedule("device vector", s.schedule); err != nil {
		return nil, err
	}
	compiled, _, err := build.Compile(p.source, p.pipeline, "gocpu", s.level, plan.Schedule{})
	if err != nil {
		return nil, err
	}
	program, err := vector.Compile(compiled)
	return &vectorRunner{device: v.device, program: p, plan: compiled.Plan, vectors: program}, err
}

// vectorRunner is a pipeline as loops over batches.
type vectorRunner struct {
	device  *Device
	program *Program
	plan    *plan.Plan
	vectors *vector.Program
}

func (*vectorRunner) compiled() []Step { return nil }

func (v *vectorRunner) footprint(rows, scalars map[string]int64) plan.Footprint {
	return v.plan.Footprint(ofPlan(v.plan, v.program.pipeline, rows, scalars))
}

func (v *vectorRunner) run(ctx context.Context, c call) (outcome, error) {
	if c.repeat > 0 {
		return outcome{}, refuse(v.device, "has no clock of its own that this could read", "repetitions")
	}
	done := outcome{level: v.plan.Level, kernels: v.plan.Kernels}
	begun, kernels := time.Now(), time.Duration(0)
	options := vector.Options{Memory: v.device.options.limit, Step: func(kernel string, elapsed time.Duration) {
		done.steps = append(done.steps, Step{kernel, elapsed})
		kernels += elapsed
	}}
	in := exec.Inputs{Columns: map[string]exec.Column{}, Scalars: map[string]exec.Value{}}
	for i, p := range v.program.pipeline.Params {
		port := v.plan.Ports[i]
		if port.Domain == "" {
			in.Scalars[port.Name] = exec.Value{Kind: port.Kind, Bits: raw.FromBytes(p.Type.Kind, c.columns[i].Data).At(0).Bits}
		} else {
			in.Columns[port.Name] = exec.Column{Kind: port.Kind, Data: c.columns[i].Data}
		}
	}
	result, err := v.vectors.Run(ctx, in, options)
	var check *exec.CheckError
	if errors.As(err, &check) {
		return outcome{}, &ir.CheckError{Site: &v.program.pipeline.Sites[check.Site.Number], Row: check.Row}
	}
	if err != nil {
		return outcome{}, err
	}
	v.device.consumed(c)
	done.steps = append(done.steps, Step{"finish", time.Since(begun) - kernels})
	for _, port := range v.plan.Ports {
		switch kind, _ := ir.KindByName(string(port.Kind)); {
		case port.Direction == plan.In:
		case port.Domain == "":
			done.columns = append(done.columns, exec.Column{Data: element(ir.Scalar{Kind: kind, Bits: result.Scalars[port.Name].Bits})})
		default:
			done.columns = append(done.columns, exec.Column{Data: result.Columns[port.Name].Data})
		}
	}
	return done, nil
}

func (*vectorRunner) close() {}
