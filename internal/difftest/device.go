package difftest

import (
	"context"
	"errors"
	"fmt"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
)

// Device is a place where programs run that have to agree with the interpreter.
// It is safe for concurrent use.
type Device interface {
	Name() string
	// Target is what its kernels of work-groups may use.
	Target() simt.Target
	// Prepare makes jobs ready to run, with one answer for each. It gets many
	// at once, so that they can share a build. What fails for one job does not
	// keep others from running; an error that wraps [ErrAbsent] says that the
	// device cannot run such a job, any other is a fault of kgen.
	Prepare(ctx context.Context, jobs []Job) []Prepared
	Close()
}

// ErrAbsent is wrapped by reasons for which a device does not run a job and
// nobody is to blame.
var ErrAbsent = errors.New("not run")

// ErrNotOpen is wrapped by those which may be gone the next time: the device, or
// what drives it, is not to be had now.
var ErrNotOpen = fmt.Errorf("%w: it does not open", ErrAbsent)

// Job is a program, compiled at a level.
type Job struct {
	Program     *backends.Program
	Schedule    plan.Schedule // of kernels of work-groups
	Seed        uint64        // of what the device decides by chance
	Unoptimized bool          // a driver that takes long to optimize shall not
}

// Prepared is a job that is ready, or why there is none.
type Prepared struct {
	Executable
	Err error
}

// Executable is a program ready to run.
type Executable interface {
	// Run gives what the interpreter gives: results, or an *ir.CheckError. Where
	// ctx ends, so does the run. Choice selects among ways to run that must not
	// show in results, such as the number of workers.
	Run(ctx context.Context, in []ir.Column, choice uint64) (Outcome, error)
	// Features names what of the device the program uses, such as
	// "scheme lookback", for the account of what was tested.
	Features() []string
	// MaxRows is the most rows that are run in reasonable time; 0 is any number.
	MaxRows() int
	// Close frees the executable's share of the device.
	Close()
}

// Outcome is what a run gives.
type Outcome struct {
	Results []ir.Column
	// GaveUp says why the plan gave up, so that the results are its fallback's;
	// "" where they are its own. A check that fails does not tell.
	GaveUp string
}

// RunPlan is [testsuite.RunPlan], and tells whether the plan gave up.
func RunPlan(p *ir.Pipeline, host *plan.Plan, run func(exec.Inputs) (*exec.Result, error), in []ir.Column) (out Outcome, err error) {
	out.Results, err = testsuite.RunPlan(p, host, func(inputs exec.Inputs) (*exec.Result, error) {
		result, err := run(inputs)
		if err == nil && len(result.GaveUp) > 0 {
			out.GaveUp = result.GaveUp[0].Reason
		}
		return result, err
	}, in)
	return out, err
}

// Fault says how an execution ended that gave no results.
type Fault string

// The faults that devices tell apart. All others are errors.
const (
	FaultCrash  Fault = "crash"
	FaultHang   Fault = "hang"
	FaultMemory Fault = "out of memory"
	FaultBuild  Fault = "does not build"
	FaultRace   Fault = "race"
)

// FaultError is an error whose kind is known.
type FaultError struct {
	Fault Fault
	Err   error
}

func (e *FaultError) Error() string { return string(e.Fault) + ": " + e.Err.Error() }

func (e *FaultError) Unwrap() error { return e.Err }
