package testsuite

import (
	"errors"
	"testing"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/ir/interp"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/plan/exec"
	"github.com/kgen-go/kgen/table"
)

// agreeOn requires that a run of a plan gives what the interpreter gives.
func agreeOn(t *testing.T, host *plan.Plan, run func(exec.Inputs) (*exec.Result, error), p *ir.Pipeline, what string, in []ir.Column) {
	t.Helper()
	want, wantError := interp.Run(p, in)
	inputs := exec.Inputs{Columns: map[string]exec.Column{}, Scalars: map[string]exec.Value{}}
	rows := 0
	for i, c := range in {
		port := host.Ports[i]
		switch {
		case c.Slice == nil:
		case port.Domain == "":
			inputs.Scalars[port.Name] = exec.Value{Kind: port.Kind, Bits: c.At(0).Bits}
		default:
			rows = max(rows, c.Len())
			inputs.Columns[port.Name] = exec.Column{Kind: port.Kind, Data: table.Bytes(c)}
		}
	}
	result, err := run(inputs)
	var check *exec.CheckError
	var wantCheck *ir.CheckError
	switch {
	case errors.As(err, &check) && errors.As(wantError, &wantCheck):
		if check.Site.Number != wantCheck.Site.Number || check.Row != wantCheck.Row {
			t.Fatalf("%s: fails with %v, want %v", what, check, wantCheck)
		}
		return
	case err != nil || wantError != nil:
		t.Fatalf("%s: error %v, want %v", what, err, wantError)
	}
	var got []ir.Column
	for _, port := range host.Ports {
		if port.Direction != plan.Out {
			continue
		}
		kind, _ := ir.KindByName(string(port.Kind))
		if port.Domain != "" {
			got = append(got, table.FromBytes(kind, result.Columns[port.Name].Data))
			continue
		}
		got = append(got, ir.NewColumn(kind, 1))
		got[len(got)-1].Set(0, ir.Scalar{Kind: kind, Bits: result.Scalars[port.Name].Bits})
	}
	if difference := Differ(p, want, got, rows); difference != "" {
		t.Fatalf("%s: %s", what, difference)
	}
}
