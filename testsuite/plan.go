package testsuite

import (
	"errors"
	"fmt"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// RunPlan runs the plan of p over in with the function run, and returns the
// results, or the failed check, in the form of the interpreter.
func RunPlan(p *ir.Pipeline, host *plan.Plan, run func(exec.Inputs) (*exec.Result, error), in []ir.Column) ([]ir.Column, error) {
	inputs := exec.Inputs{Columns: map[string]exec.Column{}, Scalars: map[string]exec.Value{}}
	for i, c := range in {
		port := host.Ports[i]
		switch {
		case c.Slice == nil: // the default
		case port.Domain == "":
			inputs.Scalars[port.Name] = exec.Value{Kind: port.Kind, Bits: c.At(0).Bits}
		default:
			inputs.Columns[port.Name] = exec.Column{Kind: port.Kind, Data: raw.Bytes(c)}
		}
	}
	result, err := run(inputs)
	var check *exec.CheckError
	if errors.As(err, &check) {
		return nil, &ir.CheckError{Site: &p.Sites[check.Site.Number], Row: check.Row}
	}
	var full *exec.AllocError
	switch {
	case errors.Is(err, plan.ErrOverflow), errors.As(err, &full):
		return nil, fmt.Errorf("%w: %w", ErrTooManyRows, err)
	case err != nil:
		return nil, err
	}
	var out []ir.Column
	for _, port := range host.Ports {
		if port.Direction != plan.Out {
			continue
		}
		kind, _ := ir.KindByName(string(port.Kind))
		if port.Domain != "" {
			out = append(out, raw.FromBytes(kind, result.Columns[port.Name].Data))
			continue
		}
		c := ir.NewColumn(kind, 1)
		c.Set(0, ir.Scalar{Kind: kind, Bits: result.Scalars[port.Name].Bits})
		out = append(out, c)
	}
	return out, nil
}
