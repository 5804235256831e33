// Package emittedtest builds and runs emitted Go in tests.
package emittedtest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	run "github.com/kgen-go/kgen/internal/device/gocpu"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// ChainRows is enough for several blocks of rows on several workers.
const ChainRows = 3<<16 + 7

// Options returns how pipelines are compiled for emitted Go. Few rows are enough for a
// hash table. Keys of a small range have bins at some levels only.
func Options(level string) compile.Options {
	options := compile.Options{Level: level, Options: fuse.Options{Hash: 2, Cores: true, Entered: level != fuse.LevelPaper3}}
	switch level {
	case fuse.LevelNone:
		options.Bins, options.Hash = -1, 0
	case fuse.LevelPaper3, fuse.LevelOnePass:
		options.Bins = -1
	}
	return options
}

// Build is a program of emitted functions that is to be built, and the plans of these.
type Build struct {
	source run.Source
	plans  map[string]*plan.Plan // by package/pipeline
	simd   bool
}

// Add emits programs as a package, which the options name.
func (b *Build) Add(t *testing.T, options backends.Options, programs ...*backends.Program) {
	t.Helper()
	out, err := gocpu.Emitter{}.Emit(programs, options)
	if err != nil {
		t.Fatal(err)
	}
	if b.plans == nil {
		b.plans = map[string]*plan.Plan{}
	}
	for _, p := range programs {
		b.plans[options.Package+"/"+p.Pipeline.Name] = p.Plan
	}
	b.simd = b.simd || options.SIMD
	files := map[string][]byte{}
	for _, f := range out.Files {
		files[f.Name] = f.Text
	}
	b.source.Packages = append(b.source.Packages, run.Package{Name: options.Package, Files: files})
	for _, e := range out.Entries {
		entry := run.Entry{Program: options.Package + "/" + e.Pipeline, Package: len(b.source.Packages) - 1, Into: e.Into, Result: e.Result}
		entry.Params, entry.Results = fields(e.Params), fields(e.Results)
		b.source.Entries = append(b.source.Entries, entry)
	}
}

func fields(list []backends.Field) []run.Field {
	var out []run.Field
	for _, f := range list {
		out = append(out, run.Field{Name: f.Name, Kind: f.Kind, Scalar: f.Scalar})
	}
	return out
}

// Emitted runs emitted functions.
type Emitted struct {
	worker *run.Worker
	space  *memory.Space
	plans  map[string]*plan.Plan // by level/pipeline
}

// Open builds the functions, whose process ends with the test.
func (b *Build) Open(t *testing.T) Emitted {
	t.Helper()
	binary, err := run.Build(context.Background(), b.source, run.Options{CacheFolder: os.Getenv("KGEN_CACHE"), SIMD: b.simd})
	if err != nil {
		t.Fatal(err)
	}
	space := memory.NewSpace(0)
	t.Cleanup(space.Close)
	worker := binary.Worker(space)
	t.Cleanup(func() { worker.Close() })
	return Emitted{worker, space, b.plans}
}

// Run runs the function of a level, as kgen run does: large results are written
// to memory of the size that the plan bounds.
func (d Emitted) Run(p *ir.Pipeline, level string, workers int, in []ir.Column) ([]ir.Column, error) {
	call := run.Call{Program: level + "/" + p.Name, Workers: workers}
	rows, scalars := map[string]int64{}, map[string]int64{}
	for i, c := range in {
		if c.Slice == nil {
			c = ir.NewColumn(p.Params[i].Type.Kind, 1)
			c.Set(0, p.Params[i].Const)
		}
		call.Params = append(call.Params, raw.Bytes(c))
		port := d.plans[call.Program].Ports[i]
		if port.Domain != "" {
			rows[port.Domain] = int64(c.Len())
		} else if port.Kind == plan.I64 {
			scalars[port.Scalar] = c.At(0).Int64()
		}
	}
	call.Bounds = d.plans[call.Program].ResultBounds(rows, scalars)
	result, err := d.worker.Run(context.Background(), call)
	var check *run.CheckError
	if errors.As(err, &check) {
		return nil, &ir.CheckError{Site: &p.Sites[check.Site], Row: check.Row}
	}
	if err != nil {
		return nil, err
	}
	var columns []ir.Column
	for i, data := range result.Columns {
		columns = append(columns, raw.FromBytes(p.Results[i].Value.Type.Kind, bytes.Clone(data)))
		d.space.Free(data)
	}
	return columns, nil
}
