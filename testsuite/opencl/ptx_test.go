package opencl_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// With PTX, local memory beyond what drivers of OpenCL bring to a launch is declared by the kernel, which
// says how much that is; the host brings none.
func TestLocalMemoryOfPTX(t *testing.T) {
	source := []byte("pipeline counts(x: [n]i32) {\n	g = bins(x, 32768)\n	return count: count(by: g)\n}\n")
	pipelines, errs := ir.Load("counts.kg", source)
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	program, _, err := compile.Compile(pipelines[0], compile.For("", plan.Schedule{}))
	if err != nil {
		t.Fatal(err)
	}
	made, err := opencl.PTXEmitter().Make(program, plan.Schedule{})
	if err != nil {
		t.Fatal(err)
	}
	const table = 32768 * 4
	found := false
	for _, k := range made.Plan.Kernels {
		v := k.Variants[0]
		if !v.LocalBytes.IsZero() {
			t.Errorf("%s: a launch brings %v bytes of local memory", k.Name, v.LocalBytes)
		}
		found = found || v.OwnBytes >= table
	}
	if !found {
		t.Errorf("no kernel says that it has %d bytes of local memory", table)
	}
	declared := fmt.Sprintf("__local __attribute__((aligned(128))) uint local_arena[%d];", table/4)
	if !bytes.Contains(made.Files[0].Text, []byte(declared)) {
		t.Errorf("no kernel declares %s", declared)
	}
}
