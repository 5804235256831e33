package kerneltest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/simt/simttest"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
)

// Lowered returns a pipeline as work-groups run it that have atomic operations of 64 bits and launch kernels.
func Lowered(t *testing.T, p *ir.Pipeline, level string, schedule plan.Schedule) *simt.Program {
	t.Helper()
	program, _, err := compile.Compile(p, compile.For(level, schedule))
	if err != nil {
		t.Fatal(err)
	}
	made, err := simt.Target{Atomics64: true, Children: true}.Lower(program, schedule)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TextOf returns the bodies of all kernels.
func TextOf(program *simt.Program) (text string) {
	for _, k := range program.Kernels {
		text += fmt.Sprint(k)
	}
	return text
}

// KernelWith returns the name of the first kernel that has an operation, "" if none has.
func KernelWith(kernels []*tile.Kernel, has func(*tile.Op) bool) string {
	at := slices.IndexFunc(kernels, func(k *tile.Kernel) bool { return k.Has(has) })
	if at < 0 {
		return ""
	}
	return kernels[at].Name
}

// Watching returns what runs a program on emulated work-groups, in an order that seed says, and
// tells the name of each launch.
func Watching(program *simt.Program, seed uint64, launched func(name string)) func(exec.Inputs) (*exec.Result, error) {
	return emulated(program, seed, exec.Options{Event: func(e exec.Event) {
		if e.Step == "launch" {
			launched(e.Name)
		}
	}})
}

// emulated returns what runs a program on emulated work-groups, in an order that seed says.
func emulated(program *simt.Program, seed uint64, options exec.Options) func(exec.Inputs) (*exec.Result, error) {
	device := simttest.NewDevice(program.Kernels, rand.New(rand.NewPCG(1, seed)))
	return func(in exec.Inputs) (*exec.Result, error) {
		return exec.Run(context.Background(), device, program.Plan, in, options)
	}
}

// someOrder is a seed for tests that any will do for.
const someOrder = 2

// AgreeEmulated requires that emulated work-groups give the results of the interpreter.
func AgreeEmulated(t *testing.T, program *simt.Program, p *ir.Pipeline, what string, in []ir.Column) {
	t.Helper()
	Agree(t, program.Plan, emulated(program, someOrder, exec.Options{}), p, what, in)
}

// EmulatedOptions returns how pipelines are compiled for emulated devices. The rows of
// the corpus have keys of a small range. So their groups are sorted at one level alone,
// unfused, and found by a hash table at others; and find and join do all that schedules can say.
func EmulatedOptions(level, variant string) compile.Options {
	s := plan.Schedule{Variant: variant, Radix: 2}
	switch level {
	case fuse.LevelNone:
		s.Groups = plan.Sort
	case fuse.LevelPaper3, fuse.LevelOnePass:
		s.Groups = plan.Hash
	}
	switch level { // tables of rows, likewise, or none
	case fuse.LevelNone:
		s.Probe = plan.Loops
	case fuse.LevelPaper3:
		s.Probe = plan.Sort
	case fuse.LevelPaper2:
		s.Probe = plan.Linear
	case fuse.LevelOnePass:
		s.Probe = plan.Cuckoo
	}
	options := compile.For(level, s)
	options.Sample = 1
	if s.Groups != plan.Sort {
		options.Hash = 2
	}
	if level == fuse.LevelOnePass {
		options.HashGroups, options.Partitions, options.Claimed = 2, true, 8
	}
	return options
}

// DiffersFromInterpreter runs a program and returns in what it differs from the interpreter.
func DiffersFromInterpreter(t *testing.T, program *simt.Program, p *ir.Pipeline, in []ir.Column) string {
	t.Helper()
	want, err := testsuite.Expect(p, in)
	if err != nil {
		t.Fatal(err)
	}
	got, err := testsuite.RunPlan(p, program.Plan, emulated(program, someOrder, exec.Options{}), in)
	return want.Differ(got, err)
}
