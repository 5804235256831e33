package opencl_test

import (
	"fmt"
	"os"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// A filter needs the number of earlier rows that it keeps, for which work-groups wait
// for each other. So the plan has a fallback.
func Example() {
	b := ir.NewBuilder("positive")
	x := b.Column("x", "n", ir.I32)
	b.Return(x.At(x.Gt(0)))
	source, err := build.Load(os.Stderr, b)
	if err != nil {
		fmt.Println(err)
		return
	}
	program, _, err := build.Compile(source, source.Pipelines[0], "opencl", "", plan.Schedule{})
	if err != nil {
		fmt.Println(err)
		return
	}
	output, err := opencl.Emitter().Emit([]*backends.Program{program}, backends.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range output.Files {
		fmt.Println(f.Name)
	}
	// Output:
	// positive.cl
	// positive.fallback.cl
	// positive.plan.json
	// positive.h
}
