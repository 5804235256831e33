package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/build"
	run "github.com/kgen-go/kgen/internal/device/gocpu"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

func probeGoCPU(ctx context.Context) (string, error) {
	toolchain, err := run.FindGo(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("emitted Go, built by %s (%s)", toolchain.Version, toolchain.Path), nil
}

// prepareGoCPU emits and builds a pipeline.
func prepareGoCPU(ctx context.Context, r request) (*executable, error) {
	if err := build.RefuseSchedule("device gocpu", r.schedule); err != nil {
		return nil, err
	}
	if err := refuseFlags("gocpu", r, "--workers"); err != nil {
		return nil, err
	}
	program, _, err := build.Compile(r.source, r.pipeline, "gocpu", r.level, plan.Schedule{})
	if err != nil {
		return nil, err
	}
	output, err := gocpu.Emitter{}.Emit([]*backends.Program{program}, backends.Options{Trace: true})
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	binary, err := run.Build(ctx, buildSource(output), run.Options{Building: func() { r.waiting.on("compiling the emitted Go") }})
	r.waiting.on("")
	var missing *run.NoToolchainError
	if errors.As(err, &missing) {
		return nil, fmt.Errorf("%w\nDevice gocpu builds the Go that it emits: install Go (https://go.dev/dl), or run the interpreter by --device interp", err)
	}
	if err != nil {
		return nil, err
	}
	g := goProgram{request: r, plan: program.Plan, binary: binary, name: output.Entries[0].Pipeline}
	return &executable{steps: []step{compileStep(time.Since(begun), binary.Cached)}, footprint: g.footprint, run: g.run}, nil
}

// goProgram is a built pipeline.
type goProgram struct {
	request
	plan   *plan.Plan
	binary *run.Binary
	name   string
}

func (g goProgram) footprint(extents []table.Extent) plan.Footprint {
	return g.plan.Footprint(planSizes(g.plan, extents))
}

func (g goProgram) run(ctx context.Context, space *memory.Space, in []ir.Column) (outcome, error) {
	worker := g.binary.Worker(space)
	defer worker.Close()
	call := run.Call{Program: g.name, Workers: g.workers}
	for _, column := range in {
		call.Params = append(call.Params, raw.Bytes(column))
	}
	call.Bounds = g.plan.ResultBounds(planSizes(g.plan, table.Extents(g.pipeline, in)))
	result, err := worker.Run(ctx, call)
	var check *run.CheckError
	if errors.As(err, &check) {
		return outcome{}, &ir.CheckError{Site: &g.pipeline.Sites[check.Site], Row: check.Row}
	}
	var crash *run.CrashError
	if errors.As(err, &crash) && crash.OutOfMemory() {
		return outcome{}, fmt.Errorf("%w\nGive it fewer rows or a machine with more memory; --memory-limit refuses a run that would need too much before it begins", err)
	}
	if err != nil {
		return outcome{}, err
	}
	for _, data := range call.Params {
		space.Free(data)
	}
	done := outcome{level: g.plan.Level, kernels: g.plan.Kernels}
	for i, data := range result.Columns {
		done.columns = append(done.columns, raw.FromBytes(g.pipeline.Results[i].Value.Type.Kind, data))
	}
	rest := result.Elapsed
	for _, s := range result.Steps {
		done.steps = append(done.steps, step{s.Name, s.Elapsed})
		rest -= s.Elapsed
	}
	done.steps = append(done.steps, step{"finish", rest})
	return done, nil
}

// buildSource returns the emitted files as the builder takes them.
func buildSource(output *backends.Output) run.Source {
	files := map[string][]byte{}
	for _, f := range output.Files {
		files[f.Name] = f.Text
	}
	s := run.Source{Packages: []run.Package{{Files: files}}}
	for _, e := range output.Entries {
		entry := run.Entry{Program: e.Pipeline, Into: e.Into, Result: e.Result, Traced: true}
		for _, f := range e.Params {
			entry.Params = append(entry.Params, run.Field(f))
		}
		for _, f := range e.Results {
			entry.Results = append(entry.Results, run.Field(f))
		}
		s.Entries = append(s.Entries, entry)
	}
	return s
}
