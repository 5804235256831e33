// Package backends is the interface between the compiler and the emitters: the
// input of an [Emitter], its output, and tools that all of them use.
//
// The table of emitters is in package build; each is a package of its own below
// this one. An emitter is given compiled pipelines and returns files:
//
//	output, err := gocpu.Emitter{}.Emit([]*backends.Program{program}, backends.Options{Package: "tpch"})
//	if err != nil {
//		return err // what the target cannot express, at its place in the pipeline
//	}
//	for _, f := range output.Files {
//		err = errors.Join(err, os.WriteFile(filepath.Join(folder, f.Name), f.Text, 0o666))
//	}
//
// Programs come from package build. Tile programs and loop programs have types that
// are internal to this module, so emitters, and the functions here that help them,
// are for this module only; anyone may call an emitter.
package backends

import (
	"github.com/kgen-go/kgen/internal/partial"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Program is a compiled pipeline.
type Program struct {
	Pipeline *ir.Pipeline   // the operator graph
	Plan     *plan.Plan     // the host program
	Kernels  []*tile.Kernel // the tile programs, in the order of Plan.Kernels
	Source   []byte         // the text of the pipeline's file, for comments; may be nil
	Partial  *Partial       // for computation in shards; nil unless it is emitted too
}

// Partial is a pipeline that is cut at its aggregates, for computation in
// shards.
type Partial struct {
	Split  *partial.Split
	Shard  *Program // of Split.Shard: from rows to a state
	Finish *Program // of Split.Finish: from a state to the results
}

// Options are the user's choices for emitted text. The zero value is the
// default.
type Options struct {
	Package    string        // the name of the package of Go text
	Schedule   plan.Schedule // of work-group kernels; the backend chooses fields that are zero
	Unexported bool          // whether Go functions and result types are unexported
	Kernels    string        // the folder of embedded kernels if Go text has a form that runs on a device; "" without one
	SIMD       bool          // whether Go text also has bodies with vectors, for processors that have them
	Trace      bool          // whether Go text has an option WithTrace, which reports how long each kernel took
}

// File is one emitted file.
type File struct {
	Name string // relative to the output folder
	Text []byte // its contents
}

// Entry says how a host calls one emitted pipeline.
type Entry struct {
	Pipeline string  // the name of the pipeline
	Func     string  // the function that returns the results
	Into     string  // the function that stores the results in existing memory
	Result   string  // the type of the results
	Params   []Field // the parameters, in order
	Results  []Field // the results, in order

	Base string // of the names of its files; "" if that is the name of the pipeline

	On       string // the function that loads it for a device; "" if that form is not emitted
	OnDevice string // the type of the form
	Kernels  string // the variable with its embedded kernels
	Columns  string // the type of results on the device
	Free     string // the method that frees them; "" if none are columns

	Partial    string // the type of partials; "" if they are not emitted
	NewPartial string // the function that makes a partial
}

// Field is a parameter or a result of an entry.
type Field struct {
	Name   string    // as emitted
	Kind   plan.Kind // of the elements or the scalar
	Scalar bool      // whether it is a scalar, not a column
}

// Output is the result of emitting some programs.
type Output struct {
	Files   []File   // with distinct names
	Entries []Entry  // one per program, in order
	Without []string // names of files that the programs have with other options: none of an earlier call may stay
}

// Emitter turns programs into source text. Equal input gives equal bytes.
type Emitter interface {
	// Name returns the name of the backend, as in --backend NAME.
	Name() string
	// Emit returns the source text of programs. The error says what the target
	// cannot express.
	Emit(programs []*Program, options Options) (*Output, error)
	// Loops returns the loop IR of a program's kernels, as text.
	Loops(program *Program, options Options) (string, error)
}
