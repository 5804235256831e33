package kerneltest

import (
	"errors"
	"testing"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
)

// Agree requires that a run of a plan, without its fallback, gives the
// results of the interpreter, unless that refuses the input.
func Agree(t *testing.T, host *plan.Plan, run func(exec.Inputs) (*exec.Result, error), p *ir.Pipeline, what string, in []ir.Column) {
	t.Helper()
	want, err := testsuite.Expect(p, in)
	var refused *interp.ArgumentError
	switch {
	case errors.As(err, &refused) && refused.TooManyRows: // by chance
		t.Logf("%s: %v", what, err)
		return
	case err != nil:
		t.Fatalf("%s: %v", what, err)
	}
	steadfast := func(in exec.Inputs) (*exec.Result, error) {
		result, err := run(in)
		if err == nil && len(result.GaveUp) > 0 {
			t.Errorf("%s: gave up: %v", what, result.GaveUp)
		}
		return result, err
	}
	got, err := testsuite.RunPlan(p, host, steadfast, in)
	if difference := want.Differ(got, err); difference != "" {
		t.Fatalf("%s: %s", what, difference)
	}
}
