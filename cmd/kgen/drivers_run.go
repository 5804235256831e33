package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// prepare compiles a pipeline for a device, given its number in the worker's
// listing.
func (d *driver) prepare(_ context.Context, r request, number int) (*executable, error) {
	if err := refuseFlags(fmt.Sprintf("%s:%d", d.name, number), r, "--time-limit", "--repeat"); err != nil {
		return nil, err
	}
	if numbered := r.schedule; numbered.IDs == "" {
		if numbered.IDs = d.ids; simt.CheckSchedule(numbered) == nil { // not every scheme numbers tiles
			r.schedule = numbered
		}
	}
	return prepareKernels(r, d.emitter, func(ctx context.Context, space *memory.Space, made *kernels.Program, in exec.Inputs) (*worker.Result, error) {
		client, err := worker.Open(ctx, worker.Options{Program: d.program, Space: space, Limit: r.timeout,
			Doing: func(what string) { r.waiting.on("waiting for " + what) }})
		if err != nil {
			return nil, err
		}
		defer client.Close()
		result, err := client.Run(ctx, worker.Request{Code: worker.Code{Device: number, Plan: made.Plan, Texts: made.Texts(), Build: made.Options}, Inputs: in,
			Memory: r.limit, Trace: r.trace, Repeat: r.repeat})
		return result, r.advise(err)
	})
}

// advise adds to an error what a user can do about it.
func (r request) advise(err error) error {
	var timeout *worker.TimeoutError
	var gaveUp *exec.GiveUpError
	switch {
	case errors.As(err, &timeout):
		return fmt.Errorf("%w\n  --time-limit gives a run more time", err)
	case errors.As(err, &gaveUp) && r.schedule.Tables() && strings.Contains(gaveUp.Reason, string(plan.CapAtomicsI64)):
		return fmt.Errorf("%w\n  --schedule variant=%s combines rows of contiguous groups without atomic operations", err, plan.Segmented)
	}
	return err
}

// planInputs returns the arguments by the names of the plan's ports.
func planInputs(p *plan.Plan, in []ir.Column) exec.Inputs {
	inputs := exec.Inputs{Columns: map[string]exec.Column{}, Scalars: map[string]exec.Value{}}
	for i, column := range in {
		if port := p.Ports[i]; port.Domain == "" {
			inputs.Scalars[port.Name] = exec.Value{Kind: port.Kind, Bits: column.At(0).Bits}
		} else {
			inputs.Columns[port.Name] = exec.Column{Kind: port.Kind, Data: raw.Bytes(column)}
		}
	}
	return inputs
}

// checkOf returns a failed check of a plan as one of its pipeline, and any
// other error as it is.
func checkOf(p *ir.Pipeline, err error) error {
	var check *exec.CheckError
	if errors.As(err, &check) {
		return &ir.CheckError{Site: &p.Sites[check.Site.Number], Row: check.Row}
	}
	return err
}

// planOutcome returns the outcome of a plan.
func planOutcome(p *plan.Plan, result *exec.Result) outcome {
	done := outcome{level: result.Level, kernels: p.Kernels}
	for _, port := range p.Ports {
		if port.Direction == plan.Out {
			done.columns = append(done.columns, resultColumn(port, result))
		}
	}
	for i, host := 0, p; i < len(result.GaveUp); i, host = i+1, host.Fallback {
		done.notes = append(done.notes, fmt.Sprintf("the plan%s gave up (%s); the result is its fallback's, which launches more kernels", withScheme(host), result.GaveUp[i].Reason))
	}
	return done
}

// withScheme names the scheme of a plan whose work-groups wait for each other.
func withScheme(p *plan.Plan) string {
	for _, k := range p.Kernels {
		if v := k.Variants[0]; v.Forward != plan.ForwardNone {
			return " with " + v.Schedule.Scheme
		}
	}
	return ""
}

// resultColumn returns a result of a plan; a scalar is a column of one row.
func resultColumn(port plan.Port, result *exec.Result) ir.Column {
	kind, ok := ir.KindByName(string(port.Kind))
	if !ok {
		panic(fmt.Sprintf("kgen: no kind %s", port.Kind))
	}
	if port.Domain != "" {
		return raw.FromBytes(kind, result.Columns[port.Name].Data)
	}
	column := ir.NewColumn(kind, 1)
	column.Set(0, ir.Scalar{Kind: kind, Bits: result.Scalars[port.Name].Bits})
	return column
}

// planSizes returns the extents of the parameters by the names of the plan.
func planSizes(p *plan.Plan, extents []table.Extent) (rows, scalars map[string]int64) {
	rows, scalars = map[string]int64{}, map[string]int64{}
	for i, e := range extents {
		switch port := p.Ports[i]; {
		case port.Domain != "":
			rows[port.Domain] = e.Rows
		case port.Kind == plan.I64:
			scalars[port.Scalar] = e.Scalar.Int64()
		}
	}
	return rows, scalars
}

// sections maps steps of a plan to the section in which their times are reported.
var sections = map[string]string{"import": "transfer", "alloc": "allocate", "init": "allocate", "read": "read back", "return": "read back"}

// stepsOf joins neighbouring steps of a section; a kernel's time is that of
// the device's own clock if it has one. What launches take beyond that, such as
// the work of a driver at the first one, is a step of its own.
func stepsOf(list []worker.Step) (steps []step) {
	var launches time.Duration
	for _, s := range list {
		name, elapsed := sections[s.Step], time.Duration(s.Host)
		switch {
		case s.Step == "launch":
			name = s.Name
			if s.Device > 0 {
				launches += max(elapsed-time.Duration(s.Device), 0)
				elapsed = time.Duration(s.Device)
			}
		case s.Step == "fallback":
			name = "fallback: " + s.Reason
		case name == "":
			name = s.Step
		}
		if n := len(steps); n > 0 && steps[n-1].Name == name {
			steps[n-1].Elapsed += elapsed
		} else {
			steps = append(steps, step{name, elapsed})
		}
	}
	if launches > 0 {
		steps = append(steps, step{"launch", launches})
	}
	return steps
}
