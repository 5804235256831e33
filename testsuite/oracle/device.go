package oracle

import (
	"bytes"
	"context"
	"errors"
	"os"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/backends/gocpu/run"
	"github.com/kgen-go/kgen/compile"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/memory"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/table"
)

// levels are the fusion levels of emitted Go that are compared: the most
// kernels and the fewest.
var levels = []string{"none", "onepass"}

// emitted is the executable of many pipelines at all levels.
type emitted struct {
	worker *run.Worker
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
			program, _, err := compile.Compile(p, compile.Options{Level: level})
			var unsupported *fuse.Unsupported
			if errors.As(err, &unsupported) {
				continue
			}
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

// has reports whether a pipeline could be compiled at a level.
func (e *emitted) has(p *ir.Pipeline, level string) bool { return e.plans[level+"/"+p.Name] != nil }

func (e *emitted) close() {
	e.worker.Close()
	e.space.Close()
}

// run runs a pipeline at a level, on several goroutines where rows allow.
func (e *emitted) run(p *ir.Pipeline, level string, in []ir.Column) ([]ir.Column, error) {
	call := run.Call{Program: level + "/" + p.Name, Workers: 3}
	made := e.plans[call.Program]
	rows, scalars := map[string]int64{}, map[string]int64{}
	for i, c := range in {
		c = given(p.Params[i], c)
		call.Params = append(call.Params, table.Bytes(c))
		if port := made.Ports[i]; port.Domain != "" {
			rows[port.Domain] = int64(c.Len())
		} else if port.Kind == plan.I64 {
			scalars[port.Scalar] = c.At(0).Int64()
		}
	}
	call.Bounds = made.ResultBounds(rows, scalars)
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
		columns[i] = table.FromBytes(p.Results[i].Value.Type.Kind, bytes.Clone(data))
		e.space.Free(data)
	}
	return columns, nil
}
