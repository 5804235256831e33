package main

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"time"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/vector"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// interpretedRounds is how often the interpreter runs, which is slow, after its first run.
const interpretedRounds = 2

// inProcess is a pipeline as the devices that compile nothing run it.
type inProcess struct {
	pipeline *ir.Pipeline
	plan     *plan.Plan
	program  *vector.Program
}

// newInProcess compiles a pipeline of the workloads.
func newInProcess(source *build.Source, name string) (*inProcess, error) {
	i := slices.IndexFunc(source.Pipelines, func(p *ir.Pipeline) bool { return p.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no pipeline %s", name)
	}
	compiled, _, err := build.Compile(source, source.Pipelines[i], vector.Name, "", plan.Schedule{})
	if err != nil {
		return nil, err
	}
	program, err := vector.Compile(compiled)
	return &inProcess{source.Pipelines[i], compiled.Plan, program}, err
}

// vectors returns a run over columns and scalars, which it takes in the order of the parameters.
func (p *inProcess) vectors(args []any, workers int) func() error {
	in := exec.Inputs{Columns: map[string]exec.Column{}, Scalars: map[string]exec.Value{}}
	for i, port := range p.plan.Ports[:len(args)] {
		switch x := args[i].(type) {
		case int32:
			in.Scalars[port.Name] = exec.Value{Kind: port.Kind, Bits: uint64(int64(x))}
		case int64:
			in.Scalars[port.Name] = exec.Value{Kind: port.Kind, Bits: uint64(x)}
		default:
			in.Columns[port.Name] = exec.Column{Kind: port.Kind, Data: raw.Bytes(ir.Column{Slice: x})}
		}
	}
	held := map[string][]byte{} // memory of results, as emitted Go reuses it
	place := func(port string, bytes int64) []byte {
		if int64(len(held[port])) < bytes {
			held[port] = raw.BytesOf(make([]uint64, (bytes+7)/8))
		}
		return held[port]
	}
	return func() error {
		_, err := p.program.Run(context.Background(), in, vector.Options{Place: place, Workers: workers})
		return err
	}
}

// interpreted returns a run of the interpreter.
func (p *inProcess) interpreted(args []any) func() error {
	var in []ir.Column
	for i, param := range p.pipeline.Params {
		x := reflect.ValueOf(args[i])
		if x.Kind() != reflect.Slice {
			x = reflect.Append(reflect.MakeSlice(reflect.SliceOf(x.Type()), 0, 1), x)
		}
		in = append(in, ir.Column{Kind: param.Type.Kind, Slice: x.Interface()})
	}
	return func() error {
		_, err := interp.Run(p.pipeline, in)
		return err
	}
}

// compareInProcess measures workloads by so many workers and a clock, emitted and on the devices that
// compile nothing; the interpreter has one worker.
func compareInProcess(w io.Writer, chosen []workload, rows, rounds, workers int, clock func() time.Duration) error {
	source := &build.Source{}
	for _, path := range []string{"generated/bench/bench.kg", "generated/tables/tables.kg"} {
		pipelines, err := ir.LoadFile(path)
		if err != nil {
			return err
		}
		source.Pipelines = append(source.Pipelines, pipelines...)
	}
	fmt.Fprintln(w, "workload\temitted ns/row\tvector ns/row\tvector/emitted\tinterp ns/row\tinterp/vector\tinterp/emitted\t")
	for _, load := range chosen {
		load.prepare(rows)
		p, err := newInProcess(source, load.pipeline)
		if err != nil {
			return err
		}
		vectors, interpreted := p.vectors(load.args(), workers), p.interpreted(load.args())
		times := make([][]float64, 3)
		for round := range rounds + 1 { // the first touches the memory
			for i, form := range []func() error{func() error { load.emitted(workers); return nil }, vectors, interpreted} {
				if i == 2 && round > interpretedRounds {
					continue
				}
				start := clock()
				if err := form(); err != nil {
					return err
				}
				if ns := float64((clock() - start).Nanoseconds()) / float64(rows); round > 0 {
					times[i] = append(times[i], ns)
				}
			}
		}
		var least [3]float64
		for i, list := range times {
			least[i] = slices.Min(list)
		}
		emitted, vector, interp := least[0], least[1], least[2]
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%.1f\t%.0f\t%.0f\t%.0f\t\n", load.name, emitted, vector, vector/emitted, interp, interp/vector, interp/emitted)
		clearData()
		clearTables()
		runtime.GC()
	}
	return nil
}
