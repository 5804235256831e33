package difftest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/simt/simttest"
	"github.com/kgen-go/kgen/ir"
)

// Emulated is a device of work-groups that needs no driver: package simttest
// runs the loop programs statement by statement, switches between work-items
// at random, and reports barriers that not all work-items reach, accesses out of
// bounds, and reads of unwritten local memory, which races cause.
type Emulated struct{}

// Name returns "emulated".
func (Emulated) Name() string { return "emulated" }

// Target returns the features that all devices have, and launches of kernels by kernels.
func (Emulated) Target() simt.Target { return simt.Target{Children: true} }

// Close does nothing.
func (Emulated) Close() {}

// Prepare lowers programs for work-groups.
func (e Emulated) Prepare(_ context.Context, jobs []Job) []Prepared {
	ready := make([]Prepared, len(jobs))
	for i, job := range jobs {
		ready[i] = Guard(func() (Executable, error) {
			lowered, err := e.Target().Lower(job.ForWorkgroups(), job.Schedule)
			if err != nil {
				return nil, err
			}
			return &emulated{job: job, program: lowered}, nil
		})
	}
	return ready
}

// emulated is a program lowered for work-groups.
type emulated struct {
	job     Job
	program *simt.Program
}

// emulatedSteps bounds the statements of a launch, in case it hangs. A row takes
// a few hundred, and joins make thousands of rows.
const emulatedSteps = 100_000_000

// emulatedRows bounds the rows of a launch to what these steps suffice for, emulatedPairs those of nested loops.
const emulatedRows, emulatedPairs = emulatedSteps / 400, emulatedSteps / 200

var errLongLaunch = fmt.Errorf("%w: launches over more than %d rows, or %d pairs of them", ErrAbsent, emulatedRows, emulatedPairs)

// smallDevice is an emulated device that refuses longer launches.
type smallDevice struct{ *simttest.Device }

// Alloc refuses the memory of such launches before it is there: a join whose keys a failed check has
// found wrong may ask for any.
func (d smallDevice) Alloc(bytes int64) (exec.Memory, error) {
	if bytes > emulatedRows*64 {
		return nil, errLongLaunch
	}
	return d.Device.Alloc(bytes)
}

func (d smallDevice) Launch(ctx context.Context, l *exec.Launch) error {
	if l.Rows > emulatedRows || slices.ContainsFunc(l.Kernel.Stages, isNested) && l.Rows > emulatedPairs/mostElements(l.Args) {
		return errLongLaunch
	}
	return d.Device.Launch(ctx, l)
}

// isNested reports whether a stage pairs each row with all others.
func isNested(stage string) bool { return strings.HasPrefix(stage, string(fuse.Nested)) }

// mostElements returns the elements of the longest argument, 1 at least.
func mostElements(args []exec.Arg) int64 {
	most := int64(1)
	for _, arg := range args {
		most = max(most, arg.Length)
	}
	return most
}

func (e *emulated) Run(ctx context.Context, in []ir.Column, choice uint64) (Outcome, error) {
	device := simttest.NewDevice(e.program.Kernels, rand.New(rand.NewPCG(e.job.Seed, choice)))
	device.Workgroups = []int{3, 8, 1, 16, 5}[choice%5]
	device.Steps = emulatedSteps
	out, err := RunPlan(e.job.Program.Pipeline, e.program.Plan, func(inputs exec.Inputs) (*exec.Result, error) {
		return exec.Run(ctx, smallDevice{device}, e.program.Plan, inputs, exec.Options{})
	}, in)
	if errors.Is(err, errLongLaunch) { // without the kernel and its rows: the report counts equal reasons
		err = errLongLaunch
	}
	return out, err
}

func (e *emulated) Features() []string { return PlanFeatures(e.program.Plan) }

func (e *emulated) Close() {}

// MaxRows bounds a run, which takes a few microseconds per row and statement.
func (e *emulated) MaxRows() int { return 600 }
