package main

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/vector"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

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

// spent is what a run took.
type spent struct {
	processor, elapsed float64 // ns a row
}

// leastOf returns the least of both times of some runs; of none it is zero.
func leastOf(runs []spent) spent {
	if len(runs) == 0 {
		return spent{}
	}
	least := runs[0]
	for _, s := range runs {
		least = spent{min(least.processor, s.processor), min(least.elapsed, s.elapsed)}
	}
	return least
}

// comparison says how workloads are measured, emitted and on the devices that compile nothing.
type comparison struct {
	rows, rounds int
	interpreted  int   // of these the interpreter, which is slow, runs in so many
	cores        []int // workers of emitted Go and of device vector; the interpreter has one
	processor    bool  // the processor's time on one core, not the time that passes
}

// run prints a line for each workload: by each number of cores the times, and their ratios.
func (c comparison) run(w io.Writer, chosen []workload) error {
	source := &build.Source{}
	for _, path := range []string{"generated/bench/bench.kg", "generated/tables/tables.kg"} {
		pipelines, err := ir.LoadFile(path)
		if err != nil {
			return err
		}
		source.Pipelines = append(source.Pipelines, pipelines...)
	}
	fmt.Fprint(w, "workload\t")
	fmt.Fprintln(w, strings.Repeat("cores\temitted ns/row\tvector ns/row\tvector/emitted\tinterp ns/row\tinterp/vector\tinterp/emitted\t", len(c.cores)))
	for _, load := range chosen {
		load.prepare(c.rows)
		p, err := newInProcess(source, load.pipeline)
		if err != nil {
			return err
		}
		line, err := c.line(load, p)
		if err != nil {
			return err
		}
		fmt.Fprintln(w, line)
		clearData()
		clearTables()
		runtime.GC()
	}
	return nil
}

// line measures a workload.
func (c comparison) line(load workload, p *inProcess) (string, error) {
	interpreted := p.interpreted(load.args())
	var forms []func() error // by each number of cores emitted Go and device vector, and the interpreter
	for _, cores := range c.cores {
		forms = append(forms, func() error { load.emitted(cores); return nil }, p.vectors(load.args(), cores))
	}
	forms = append(forms, interpreted)
	times := make([][]spent, len(forms))
	for round := range c.rounds + 1 { // the first touches the memory
		for i, form := range forms {
			if isInterpreter := i == len(forms)-1; isInterpreter && (round == 0 || round > c.interpreted) {
				continue
			}
			processor, begun := processorTime(), time.Now()
			if err := form(); err != nil {
				return "", err
			}
			elapsed, used := time.Since(begun), processorTime()-processor
			if round > 0 {
				times[i] = append(times[i], spent{float64(used.Nanoseconds()) / float64(c.rows), float64(elapsed.Nanoseconds()) / float64(c.rows)})
			}
		}
	}
	line := load.name + "\t"
	for i, cores := range c.cores {
		ns := func(form int) float64 {
			least := leastOf(times[form])
			if c.processor && cores == 1 {
				return least.processor
			}
			return least.elapsed
		}
		emitted, vector, interp := ns(2*i), ns(2*i+1), ns(len(forms)-1)
		line += fmt.Sprintf("%d\t%.2f\t%.2f\t%.1f\t%.0f\t%.0f\t%.0f\t", cores, emitted, vector, vector/emitted, interp, interp/vector, interp/emitted)
	}
	return line, nil
}
