package gocpu_test

import (
	"fmt"
	"os"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Entries say how emitted functions are called.
func Example() {
	b := ir.NewBuilder("positive")
	x := b.Column("x", "n", ir.I32)
	b.Return(x.At(x.Gt(0)))
	source, err := build.Load(os.Stderr, b)
	if err != nil {
		fmt.Println(err)
		return
	}
	program, _, err := build.Compile(source, source.Pipelines[0], "gocpu", "", plan.Schedule{})
	if err != nil {
		fmt.Println(err)
		return
	}
	output, err := gocpu.Emitter{}.Emit([]*backends.Program{program}, backends.Options{Package: "rows"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range output.Files {
		fmt.Println(f.Name)
	}
	fmt.Println(output.Entries[0].Func, output.Entries[0].Result)
	// Output:
	// positive.go
	// kgen_support.go
	// Positive PositiveResult
}
