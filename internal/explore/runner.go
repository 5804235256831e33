package explore

import (
	"context"
	"time"

	"github.com/kgen-go/kgen/ir"
)

// Runner makes columns, and compiles and runs pipelines.
type Runner interface {
	// Open makes the columns of a data set, which are there until Data is closed.
	// A data set of 0 rows has those of the files.
	Open(ctx context.Context, d DataSet) (Data, error)
}

// Data is a set of columns over which configurations run.
type Data interface {
	Rows() int64
	// Prepare compiles a configuration. The error is a [RefusedError] if it cannot be,
	// by the rules of kgen or the device. There is no program if skip, which may be nil, says
	// so of a digest of its text, which is known before any compiler runs.
	Prepare(ctx context.Context, c Configuration, skip func(text string) bool) (Program, error)
	// Differ says how results, or the error of a run, differ from the reference, ""
	// if they do not. Without a reference the first results become it.
	Differ(columns []ir.Column, err error) string
	// Referenced reports whether there is a reference.
	Referenced() bool
	Close()
}

// Program is a configuration that is ready to run.
type Program interface {
	// Run runs the program once and then repeats its work. Columns and Outcome are
	// good until the next Run.
	Run(ctx context.Context, repeat int) (*Outcome, error)
	// Explain predicts what the kernels do over the columns of a run.
	Explain(o *Outcome) Explanation
	Close()
}

// Outcome is what a run gave.
type Outcome struct {
	Columns []ir.Column
	// Samples are the times of the repetitions, in nanoseconds, by the clock of the
	// device or of the process that ran it; they never include the start of a
	// process, compilation, or the way of columns to a device and back.
	Samples []int64
	// Launches are the times of kernels by name, of one run or of several.
	Launches map[string][]int64
	Compile  time.Duration
	Waited   time.Duration // for other processes that measure
	Notes    []string
}

// Explanation is what kgen predicts for a configuration.
type Explanation struct {
	Kernels   []KernelResult // without samples
	Bytes     int64
	Predicted float64
	Plan      string
	Text      string // a digest of the emitted kernels, "" if it is not known
	Lengths   []Length
}

// RefusedError says why there is no such configuration.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return e.Reason }
