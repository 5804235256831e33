// Package backends is what all emitters share: their input, their output and
// the interface that the command line drives them by.
package backends

import (
	"github.com/kgen-go/kgen/internal/partial"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Version is the version of kgen that emitted text names.
const Version = "v0.1.0"

// Program is a compiled pipeline: what it means, the host program, and the tile
// program of each kernel, in the order of Plan.Kernels.
type Program struct {
	Pipeline *ir.Pipeline
	Plan     *plan.Plan
	Kernels  []*tile.Kernel
	Source   []byte   // the text of the pipeline's file, for comments; may be nil
	Partial  *Partial // where code for shards is wanted too, else nil
}

// Partial is a pipeline that is cut at its aggregates, compiled.
type Partial struct {
	*partial.Split
	Rows *Program // of Split.Shard
	Ends *Program // of Split.Finish
}

// Options are what a user may ask of emitted text.
type Options struct {
	Package    string        // of Go text
	Schedule   plan.Schedule // of kernels of work-groups; the zero value leaves it to the backend
	Unexported bool          // Go functions and types of results are for their package alone
	Trace      bool          // Go text gets an option WithTrace, which tells how long each kernel took
}

// File is one emitted file; Name is relative to the output folder.
type File struct {
	Name string
	Text []byte
}

// Entry says how a host calls one emitted pipeline.
type Entry struct {
	Pipeline string
	Func     string // the function that returns the results
	Into     string // the one that fills them in
	Result   string // the type of the results
	Params   []Field
	Results  []Field

	Partial    string // the type of partials, if they are wanted
	NewPartial string // the function that makes one
}

// Field is a parameter or a result of an entry.
type Field struct {
	Name   string // as emitted
	Kind   plan.Kind
	Scalar bool
}

// Output is what an emitter makes of some programs.
type Output struct {
	Files   []File
	Entries []Entry // one per program, in order
}

// Emitter turns programs into source text. Equal input gives equal bytes.
type Emitter interface {
	Name() string
	Emit(programs []*Program, options Options) (*Output, error)
	// Loops returns the loop IR of a program's kernels, as text.
	Loops(program *Program, options Options) (string, error)
}
