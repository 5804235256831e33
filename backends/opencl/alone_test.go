package opencl_test

import (
	"io"
	"regexp"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// A column that a kernel only stores to has no other name there, and says so: without that PoCL computes no rows in lanes where there are
// several. Memory that is loaded from, too, as tables that are updated, does not; nor do kernels for NVIDIA's compiler, which gains nothing.
func TestResultsAreAlone(t *testing.T) {
	b := ir.NewBuilder("alone")
	x := b.Column("x", "n", ir.I64)
	b.Return(ir.As("sums", x.Add(1)), ir.As("doubles", x.Mul(2)), ir.As("counts", b.CountBy(b.Bins(x.Rem(65536), 65536))))
	source, err := build.Load(io.Discard, b)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		backend string
		emitter backends.Emitter
		alone   []string
	}{{"opencl", opencl.Emitter(), []string{"doubles", "sums"}}, {"opencl-ptx", opencl.PTXEmitter(), nil}} {
		program, _, err := build.Compile(source, source.Pipelines[0], test.backend, "", plan.Schedule{})
		if err != nil {
			t.Fatal(err)
		}
		output, err := test.emitter.Emit([]*backends.Program{program}, backends.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var alone []string
		for _, m := range regexp.MustCompile(`__global (?:long|int|uint|ulong) \*restrict (\w+)`).FindAllSubmatch(output.Files[0].Text, -1) {
			alone = append(alone, string(m[1]))
		}
		slices.Sort(alone)
		if !slices.Equal(slices.Compact(alone), test.alone) {
			t.Errorf("%s: %v are said to have no other name, not %v:\n%s", test.backend, alone, test.alone, output.Files[0].Text)
		}
	}
}
