package fuse_test

import (
	"fmt"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// A level groups stages into kernels. The program has the plan that launches the
// kernels.
func Example() {
	pipelines, errs := ir.Load("grades.kg", []byte(`pipeline grades(grade: [n]i32, score: [n]i32) {
	g = runs(grade)
	return key: first(grade, by: g), total: sum(score, by: g)
}`))
	if len(errs) > 0 {
		fmt.Println(errs)
		return
	}
	graph := fuse.Lower(pipelines[0], fuse.Options{})
	for _, level := range []string{fuse.LevelNone, fuse.LevelPaper2, fuse.LevelOnePass} {
		fusion, err := fuse.Fuse(graph, level, plan.Profiles()[plan.DefaultProfile])
		if err != nil {
			fmt.Println(err)
			return
		}
		program, err := fusion.Program()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s, kernels %d: %v", level, len(program.Plan.Kernels), fusion)
	}
	// Output:
	// none, kernels 5: mask | partial | offset | add | aggregate
	// paper2, kernels 2: mask partial offset | add aggregate
	// onepass, kernels 1: mask partial offset add aggregate
}
