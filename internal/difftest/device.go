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

// Device runs programs, whose results have to agree with the interpreter. It is
// safe for concurrent use.
type Device interface {
	Name() string
	// Target returns the features that its work-group kernels may use.
	Target() simt.Target
	// Prepare makes jobs ready to run and returns a result for each. It gets many
	// jobs at once, so that they can share a build. A failure of one job does not
	// prevent others from running. An error that wraps [ErrAbsent] says that the
	// device cannot run the job; any other error is a fault of kgen.
	Prepare(ctx context.Context, jobs []Job) []Prepared
	Close()
}

// ErrAbsent is wrapped by the reasons for which a device does not run a job that
// are no fault.
var ErrAbsent = errors.New("not run")

// ErrNotOpen is wrapped by the reasons that may be temporary: the device or its
// driver is not available now.
var ErrNotOpen = fmt.Errorf("%w: it does not open", ErrAbsent)

// Job is a program, compiled at a level.
type Job struct {
	Program     *backends.Program
	Cores       *backends.Program // for emitted Go
	Workgroups  *backends.Program // for work-groups; nil if that is Program
	Schedule    plan.Schedule     // of kernels of work-groups
	Seed        uint64            // of the device's random decisions
	Unoptimized bool              // disables slow optimization of a driver
}

// ForWorkgroups returns the program for devices of work-groups.
func (j Job) ForWorkgroups() *backends.Program {
	if j.Workgroups != nil {
		return j.Workgroups
	}
	return j.Program
}

// Prepared is a job that is ready, or the reason why it is not.
type Prepared struct {
	Executable
	Err error
}

// Executable is a program ready to run.
type Executable interface {
	// Run returns results or an *ir.CheckError, as the interpreter does. It ends
	// with ctx. Choice selects between ways to run that must not affect results,
	// such as the number of workers.
	Run(ctx context.Context, in []ir.Column, choice uint64) (Outcome, error)
	// Features names the features of the device that the program uses, such as
	// "scheme lookback", for the report of what was tested.
	Features() []string
	// MaxRows is the maximum of rows that run in reasonable time; 0 is any number.
	MaxRows() int
	// Close frees the executable's share of the device.
	Close()
}

// Outcome is the outcome of a run.
type Outcome struct {
	Results []ir.Column
	// GaveUp says why the plan gave up, so that the results come from its fallback;
	// "" if it did not. It is not known for a failed check.
	GaveUp string
}

// RunPlan is [testsuite.RunPlan] with an outcome that says whether the plan gave
// up.
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

// Fault is the way in which an execution failed without results.
type Fault string

// The faults that devices distinguish. All others are errors.
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
