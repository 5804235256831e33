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

// make compiles a pipeline to kernels.
func (all pipelines) make(e kernels.Emitter, name, level string, schedule plan.Schedule) (*kernels.Program, error) {
	source := all[name]
	if source == nil {
		return nil, fmt.Errorf("there is no pipeline %s", name)
	}
	program, _, err := build.Compile(source, source.Pipelines[0], e.Name(), level, schedule)
	if err != nil {
		return nil, err
	}
	return e.Make(program, schedule)
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
