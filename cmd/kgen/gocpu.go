package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/backends/gocpu/run"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/table"
)

func probeGoCPU(ctx context.Context) (string, error) {
	toolchain, err := run.FindGo(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("emitted Go, built by %s (%s)", toolchain.Version, toolchain.Path), nil
}

// prepareGoCPU emits and builds a pipeline.
func prepareGoCPU(ctx context.Context, r request) (executable, error) {
	program, _, err := compilePipeline(r.source, r.pipeline, r.level)
	if err != nil {
		return nil, err
	}
	output, err := gocpu.Emitter{}.Emit([]*backends.Program{program}, backends.Options{})
	if err != nil {
		return nil, err
	}
	binary, err := run.Build(ctx, buildSource(output), run.Options{})
	var missing *run.NoToolchainError
	if errors.As(err, &missing) {
		return nil, fmt.Errorf("%w\nDevice gocpu builds the Go that it emits: install Go (https://go.dev/dl), or run the interpreter by --device interp", err)
	}
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, in []ir.Column) (outcome, error) {
		worker := binary.Worker()
		defer worker.Close()
		call := run.Call{Program: output.Entries[0].Pipeline, Workers: r.workers}
		for _, column := range in {
			call.Params = append(call.Params, table.Bytes(column))
		}
		result, err := worker.Run(ctx, call)
		var check *run.CheckError
		if errors.As(err, &check) {
			return outcome{}, &ir.CheckError{Site: &r.pipeline.Sites[check.Site], Row: check.Row}
		}
		if err != nil {
			return outcome{}, err
		}
		done := outcome{level: program.Plan.Level, kernels: program.Plan.Kernels, elapsed: result.Elapsed}
		for i, data := range result.Columns {
			done.columns = append(done.columns, table.FromBytes(r.pipeline.Results[i].Value.Type.Kind, data))
		}
		return done, nil
	}, nil
}

// buildSource hands what was emitted to the builder.
func buildSource(output *backends.Output) run.Source {
	files := map[string][]byte{}
	for _, f := range output.Files {
		files[f.Name] = f.Text
	}
	s := run.Source{Packages: []run.Package{{Files: files}}}
	for _, e := range output.Entries {
		entry := run.Entry{Program: e.Pipeline, Func: e.Func}
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
