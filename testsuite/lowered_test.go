package testsuite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/simt/simttest"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// loadOne returns the first pipeline of a text.
func loadOne(t *testing.T, text string) *ir.Pipeline {
	t.Helper()
	pipelines, errs := ir.Load("test.kg", []byte(text))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	return pipelines[0]
}

// lowered returns a pipeline as work-groups run it that have atomic operations of 64 bits and launch kernels.
func lowered(t *testing.T, p *ir.Pipeline, level string, schedule plan.Schedule) *simt.Program {
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

// textOf returns the bodies of all kernels.
func textOf(program *simt.Program) (text string) {
	for _, k := range program.Kernels {
		text += fmt.Sprint(k)
	}
	return text
}

// kernelWith returns the name of the first kernel that has an operation, "" if none has.
func kernelWith(kernels []*tile.Kernel, has func(*tile.Op) bool) string {
	at := slices.IndexFunc(kernels, func(k *tile.Kernel) bool { return k.Has(has) })
	if at < 0 {
		return ""
	}
	return kernels[at].Name
}

// watching returns what runs a program on emulated work-groups, in an order that seed says, and
// tells the name of each launch.
func watching(program *simt.Program, seed uint64, launched func(name string)) func(exec.Inputs) (*exec.Result, error) {
	device := simttest.NewDevice(program.Kernels, rand.New(rand.NewPCG(1, seed)))
	return func(in exec.Inputs) (*exec.Result, error) {
		return exec.Run(context.Background(), device, program.Plan, in, exec.Options{Event: func(e exec.Event) {
			if e.Step == "launch" {
				launched(e.Name)
			}
		}})
	}
}
