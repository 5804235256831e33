package kgen

import (
	"errors"
	"slices"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// A pipeline's parameters and results are the ports of its plan, in order.

// fits reports whether a plan is of a pipeline: it has its parameters, results and checks.
func fits(p *plan.Plan, pipeline *ir.Pipeline) error {
	var values []*ir.Value
	values = append(values, pipeline.Params...)
	for _, r := range pipeline.Results {
		values = append(values, r.Value)
	}
	same := len(p.Ports) == len(values) && len(p.Sites) == len(pipeline.Sites)
	for i := 0; same && i < len(values); i++ {
		port, t := p.Ports[i], values[i].Type
		same = port.Kind == plan.Kind(t.Kind.String()) && (port.Domain == "") == t.IsScalar() && (port.Direction == plan.In) == (i < len(pipeline.Params))
	}
	if !same {
		return errors.New("their plan is of another pipeline")
	}
	return nil
}

// inputs returns columns, one per parameter, as the arguments of a plan.
func (p *Program) inputs(host *plan.Plan, columns []exec.Column) exec.Inputs {
	in := exec.Inputs{Columns: map[string]exec.Column{}, Scalars: map[string]exec.Value{}}
	p.fill(in, host, columns)
	return in
}

// fill is inputs in maps that are empty.
func (p *Program) fill(in exec.Inputs, host *plan.Plan, columns []exec.Column) {
	for i := range p.pipeline.Params {
		port := &host.Ports[i]
		if column := columns[i]; port.Domain == "" {
			if column.Data == nil {
				continue // the default
			}
			in.Scalars[port.Name] = exec.ValueOf(port.Kind, column.Data)
		} else {
			column.Kind = port.Kind
			in.Columns[port.Name] = column
		}
	}
}

// checked returns a failed check of a plan as one of the pipeline, and any other error as it
// is.
func (p *Program) checked(err error) error {
	var check *exec.CheckError
	if errors.As(err, &check) {
		return &ir.CheckError{Site: &p.pipeline.Sites[check.Site.Number], Row: check.Row}
	}
	return err
}

// resultPorts returns the ports of results, which are behind those of parameters.
func resultPorts(p *plan.Plan) []plan.Port {
	first := slices.IndexFunc(p.Ports, func(port plan.Port) bool { return port.Direction == plan.Out })
	if first < 0 {
		return nil
	}
	return p.Ports[first:]
}

// resultColumns returns what a plan returned, a column per result; a scalar is one row.
func resultColumns(p *plan.Plan, result *exec.Result) []exec.Column {
	ports := resultPorts(p)
	columns := make([]exec.Column, len(ports))
	for i := range ports {
		if port := &ports[i]; port.Domain != "" {
			columns[i] = result.Columns[port.Name]
		} else {
			columns[i].Data = result.Scalars[port.Name].Bytes()
		}
	}
	return columns
}

// sizes returns what columns, one per parameter, tell a plan about sizes.
func sizes(p *plan.Plan, columns []exec.Column) (rows, scalars map[string]int64) {
	return p.Sizes(func(i int) int64 {
		column := columns[i]
		column.Kind = p.Ports[i].Kind
		return column.Rows()
	}, func(i int) int64 { return raw.FromBytes(ir.I64, columns[i].Data).At(0).Int64() })
}

// ofPlan returns rows and scalars, by the names of the pipeline, by those of its plan.
func ofPlan(p *plan.Plan, pipeline *ir.Pipeline, rows, scalars map[string]int64) (_, _ map[string]int64) {
	return p.Sizes(func(i int) int64 { return rows[pipeline.Params[i].Type.Domain.Name] }, func(i int) int64 {
		if value, given := scalars[pipeline.Params[i].Name]; given {
			return value
		}
		return pipeline.Params[i].Const.Int64()
	})
}
