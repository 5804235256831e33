package kgen

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kgen-go/kgen/backends"
	emitter "github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/gocpu"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// goDevice runs emitted Go, built by the toolchain, in a child process per executable.
type goDevice struct{ hostMemory }

func openGo(d *Device, rest string) (driver, error) {
	if rest != "" || d.name != "gocpu" {
		return nil, unknownDevice(d.name)
	}
	if d.options.timeout > 0 {
		return nil, d.refuseTimeLimit()
	}
	return goDevice{hostMemory{d}}, nil
}

// machine is the host with the toolchain that makes its programs.
func (g goDevice) machine(ctx context.Context) (plan.Machine, error) {
	m, err := g.hostMemory.machine(ctx)
	if err != nil {
		return m, err
	}
	toolchain, err := gocpu.FindGo(ctx)
	m.Driver = toolchain.Version
	return m, err
}

func (g goDevice) compile(ctx context.Context, p *Program, s settings) (runner, error) {
	if err := build.RefuseSchedule("device gocpu", s.schedule); err != nil {
		return nil, err
	}
	program, _, err := build.CompileOver(p.source, p.pipeline, s.rows, s.machine, "gocpu", s.level, s.schedule)
	if err != nil {
		return nil, err
	}
	output, err := emitter.Emitter{}.Emit([]*backends.Program{program}, backends.Options{Trace: true})
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	waiting := g.device.options.waiting
	binary, err := gocpu.Build(ctx, gocpu.SourceOf(output), gocpu.Options{Building: func() { waiting("compiling the emitted Go") }})
	waiting("")
	var missing *NoToolchainError
	if errors.As(err, &missing) {
		return nil, fmt.Errorf("%w\nDevice gocpu builds the Go that it emits: install Go (https://go.dev/dl), or run on device vector, which compiles nothing", err)
	}
	if err != nil {
		return nil, err
	}
	return &goRunner{device: g.device, program: p, plan: program.Plan, name: output.Entries[0].Pipeline, workers: s.workers,
		steps: []Step{compileStep(time.Since(begun), binary.Cached)}, worker: binary.Worker(g.device.space)}, nil
}

// goRunner is a built pipeline.
type goRunner struct {
	device  *Device
	program *Program
	plan    *plan.Plan
	name    string
	workers int
	steps   []Step
	worker  *gocpu.Worker
}

func (g *goRunner) compiled() []Step { return g.steps }

func (g *goRunner) footprint(rows, scalars map[string]int64) plan.Footprint {
	return g.plan.Footprint(ofPlan(g.plan, g.program.pipeline, rows, scalars))
}

func (g *goRunner) run(ctx context.Context, c call) (outcome, error) {
	request := gocpu.Call{Program: g.name, Workers: g.workers, Repeat: c.repeat, Bounds: g.plan.ResultBounds(sizes(g.plan, c.columns))}
	for _, column := range c.columns {
		request.Params = append(request.Params, column.Data)
	}
	result, err := g.worker.Run(ctx, request)
	var check *gocpu.CheckError
	if errors.As(err, &check) {
		return outcome{}, &ir.CheckError{Site: &g.program.pipeline.Sites[check.Site], Row: check.Row}
	}
	if err != nil {
		return outcome{}, err
	}
	g.device.consumed(c)
	done := outcome{level: g.plan.Level, kernels: g.plan.Kernels}
	for _, data := range result.Columns {
		done.columns = append(done.columns, exec.Column{Data: data})
	}
	rest := result.Elapsed
	for _, s := range result.Steps {
		done.steps = append(done.steps, Step{s.Name, s.Elapsed})
		rest -= s.Elapsed
	}
	done.steps = append(done.steps, Step{"finish", rest})
	for _, again := range result.Again {
		done.times = append(done.times, again.Elapsed)
		done.used = append(done.used, again.Processor)
		var steps []Step
		for _, s := range again.Steps {
			steps = append(steps, Step{s.Name, s.Elapsed})
		}
		done.alone = append(done.alone, onceEach(steps)...)
	}
	return done, nil
}

func (g *goRunner) close() { g.worker.Close() }
