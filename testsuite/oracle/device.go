package oracle

import (
	"bytes"
	"context"
	"errors"
	"os"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	run "github.com/kgen-go/kgen/internal/device/gocpu"
	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// device runs one pipeline.
type device struct {
	name string
	run  func(in []ir.Column) ([]ir.Column, error)
}

// rowLimit is how many rows bins, repeat and join may make: with more the
// interpreter returns an [interp.ArgumentError].
const rowLimit = 1 << 18

// devices returns the devices that can run p: the interpreter, and emitted Go
// at the levels of e that have it.
func devices(p *ir.Pipeline, e *emitted) []device {
	list := []device{{"the interpreter", func(in []ir.Column) ([]ir.Column, error) {
		return interp.Run(p, in, interp.RowLimit(rowLimit))
	}}}
	for _, level := range levels {
		if e.plans[level+"/"+p.Name] != nil {
			list = append(list, device{"gocpu at level " + level, func(in []ir.Column) ([]ir.Column, error) {
				return e.run(p, level, in)
			}})
		}
	}
	return list
}

// levels are the fusion levels of emitted Go that are compared: the most
// kernels and the fewest.
var levels = []string{"none", "onepass"}

// emitted is the executable of many pipelines at all levels.
type emitted struct {
	worker *run.Worker // nil where none of them can be compiled
	space  *memory.Space
	plans  map[string]*plan.Plan // by LEVEL/PIPELINE
}

// buildGo emits and builds what can be compiled of the pipelines.
func buildGo(pipelines []*ir.Pipeline) (*emitted, error) {
	e := &emitted{space: memory.NewSpace(0), plans: map[string]*plan.Plan{}}
	var source run.Source
	for _, level := range levels {
		var programs []*backends.Program
		for _, p := range pipelines {
			program, _, err := compile.Compile(p, compile.Options{Level: level, Options: fuse.Options{Hash: gocpu.Hash, Cores: true}})
			if err != nil {
				return nil, err
			}
			programs = append(programs, program)
			e.plans[level+"/"+p.Name] = program.Plan
		}
		output, err := gocpu.Emitter{}.Emit(programs, backends.Options{Package: level})
		if err != nil {
			return nil, err
		}
		addPackage(&source, level, output)
	}
	if len(e.plans) == 0 {
		return e, nil
	}
	binary, err := run.Build(context.Background(), source, run.Options{CacheFolder: os.Getenv("KGEN_CACHE")})
	if err != nil {
		return nil, err
	}
	e.worker = binary.Worker(e.space)
	return e, nil
}

func addPackage(source *run.Source, level string, output *backends.Output) {
	files := map[string][]byte{}
	for _, f := range output.Files {
		files[f.Name] = f.Text
	}
	source.Packages = append(source.Packages, run.Package{Name: level, Files: files})
	for _, entry := range output.Entries {
		source.Entries = append(source.Entries, run.Entry{
			Program: level + "/" + entry.Pipeline, Package: len(source.Packages) - 1, Into: entry.Into, Result: entry.Result,
			Params: fields(entry.Params), Results: fields(entry.Results),
		})
	}
}

func fields(list []backends.Field) []run.Field {
	out := make([]run.Field, len(list))
	for i, f := range list {
		out[i] = run.Field(f)
	}
	return out
}

func (e *emitted) close() {
	if e.worker != nil {
		e.worker.Close()
	}
	e.space.Close()
}

// call returns the call of a pipeline at a level.
func (e *emitted) call(p *ir.Pipeline, level string, in []ir.Column, workers int) run.Call {
	call := run.Call{Program: level + "/" + p.Name, Workers: workers}
	made := e.plans[call.Program]
	rows, scalars := map[string]int64{}, map[string]int64{}
	for i, c := range in {
		c = given(p.Params[i], c)
		call.Params = append(call.Params, raw.Bytes(c))
		if port := made.Ports[i]; port.Domain != "" {
			rows[port.Domain] = int64(c.Len())
		} else if port.Kind == plan.I64 {
			scalars[port.Scalar] = c.At(0).Int64()
		}
	}
	call.Bounds = made.ResultBounds(rows, scalars)
	return call
}

// run runs a pipeline at a level, on several goroutines where rows allow.
func (e *emitted) run(p *ir.Pipeline, level string, in []ir.Column) ([]ir.Column, error) {
	call := e.call(p, level, in, 3)
	result, err := e.worker.Run(context.Background(), call)
	var check *run.CheckError
	if errors.As(err, &check) {
		return nil, &ir.CheckError{Site: &p.Sites[check.Site], Row: check.Row}
	}
	if err != nil {
		return nil, err
	}
	columns := make([]ir.Column, len(result.Columns))
	for i, data := range result.Columns {
		columns[i] = raw.FromBytes(p.Results[i].Value.Type.Kind, bytes.Clone(data))
		e.space.Free(data)
	}
	return columns, nil
}
