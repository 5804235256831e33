package main

import (
	_ "embed"
	"fmt"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/generated/bench"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

//go:embed more.kg
var more []byte

//go:embed bins.kg
var binned []byte

//go:embed order.kg
var ordered []byte

//go:embed join.kg
var joined []byte

//go:embed ssb.kg
var star []byte

// pipelines are all pipelines that workloads name.
type pipelines map[string]*build.Source

func loadPipelines() (pipelines, error) {
	all := pipelines{}
	for name, text := range map[string][]byte{"bench.kg": bench.Pipelines, "more.kg": more, "bins.kg": binned, "order.kg": ordered, "join.kg": joined, "ssb.kg": star} {
		list, errs := ir.Load(name, text)
		if err := errs.Err(); err != nil {
			return nil, err
		}
		for _, p := range list {
			all[p.Name] = &build.Source{Text: text, Pipelines: []*ir.Pipeline{p}}
		}
	}
	return all, nil
}

// make compiles a pipeline to kernels. The schedule that says nothing is that of kgen run, which
// depends on the rows of the parameters' domains.
func (all pipelines) make(e kernels.Emitter, name, level string, schedule plan.Schedule, rows map[string]int64) (*kernels.Program, error) {
	source := all[name]
	if source == nil {
		return nil, fmt.Errorf("there is no pipeline %s", name)
	}
	if schedule == (plan.Schedule{Sources: schedule.Sources}) { // shapes are open
		known := build.RowsFor(level, rows, plan.Machine{})
		e, rows = e.Over(known), known
		schedule = e.ForDrivers(schedule)
	} else {
		rows = nil
	}
	program, _, err := build.CompileOver(source, source.Pipelines[0], rows, plan.Machine{}, e.Name(), level, schedule)
	if err != nil {
		return nil, err
	}
	return e.Make(program, schedule)
}

// lengths returns the rows of the domains of a workload's columns.
func (all pipelines) lengths(w *workload, rows func(column int) int64) map[string]int64 {
	lengths := map[string]int64{}
	if source := all[w.pipeline]; source != nil {
		for i, c := range w.columns {
			for _, p := range source.Pipelines[0].Params {
				if p.Name == c.param && !p.Type.IsScalar() {
					lengths[p.Type.Domain.Name] = rows(i)
				}
			}
		}
	}
	return lengths
}

// schemeOf is the scheme of the grid-wide prefix in the kernels of a plan, or
// "".
func schemeOf(p *plan.Plan) (scheme string) {
	for _, k := range p.Kernels {
		if s := k.Variants[0].Schedule.Scheme; s != "" && s != "flat" {
			scheme = s
		}
	}
	return scheme
}
