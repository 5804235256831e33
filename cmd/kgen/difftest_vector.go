package main

import (
	"context"
	"fmt"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/difftest"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/vector"
	"github.com/kgen-go/kgen/ir"
)

// vectorTester tests batches of rows in this process.
type vectorTester struct{}

func (vectorTester) Name() string { return "vector" }

// Target returns the zero value: there are no work-groups.
func (vectorTester) Target() simt.Target { return simt.Target{} }

func (vectorTester) Close() {}

func (vectorTester) Prepare(_ context.Context, jobs []difftest.Job) []difftest.Prepared {
	ready := make([]difftest.Prepared, len(jobs))
	for i, job := range jobs {
		ready[i] = difftest.Guard(func() (difftest.Executable, error) {
			program, err := vector.Compile(job.Program)
			return &vectorTested{job, program}, err
		})
	}
	return ready
}

type vectorTested struct {
	job     difftest.Job
	program *vector.Program
}

// batchChoices lists rows of batches, which must not affect results.
var batchChoices = []int{0, 3, 64, 1000, 17}

// testMemory bounds the buffers of a run: expansions of random rows can be long.
const testMemory = 2 << 30

func (v *vectorTested) Run(ctx context.Context, in []ir.Column, choice uint64) (out difftest.Outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &difftest.FaultError{Fault: difftest.FaultCrash, Err: fmt.Errorf("panic: %v", r)}
		}
	}()
	options := vector.Options{Batch: batchChoices[choice%uint64(len(batchChoices))], Memory: testMemory}
	return difftest.RunPlan(v.job.Program.Pipeline, v.job.Program.Plan, func(inputs exec.Inputs) (*exec.Result, error) {
		return v.program.Run(ctx, inputs, options)
	}, in)
}

func (*vectorTested) Features() []string { return nil }

func (*vectorTested) MaxRows() int { return 0 }

func (*vectorTested) Close() {}
