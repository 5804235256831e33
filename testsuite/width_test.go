package testsuite_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// TestLookBackWidths runs look-back with states of one word of 32 bits and
// more, up to what no status of 64 bits a word holds, in each mix of scans.
func TestLookBackWidths(t *testing.T) {
	for _, mix := range widthMixes {
		for width := 1; width <= 12; width++ {
			program := scansOfWidth(t, mix, width)
			lowered, err := simt.Lower(program, plan.Schedule{Workgroup: 4, Items: 3, Scheme: simt.SchemeLookback})
			if err != nil {
				t.Fatal(err)
			}
			for _, rows := range []int{0, 1, 13, 150} {
				data := testsuite.RandomData{Rows: rows, Shape: testsuite.Mixed, Seed: uint64(width), Whole: true}
				kerneltest.AgreeEmulated(t, lowered, program.Pipeline, fmt.Sprintf("%v, %d words, %d rows", mix, width, rows), data.Columns(program.Pipeline))
			}
		}
	}
}

// widthMixes are scans of columns, each with the words of its state.
var widthMixes = [][]scanOfWidth{
	{{"add", "i32", 1}},
	{{"min", "i64", 2}, {"max", "u8", 1}},
	{{"add", "u64", 2}, {"xor", "u32", 1}, {"max", "f64", 2}, {"min", "f32", 1}},
}

type scanOfWidth struct {
	operator, kind string
	words          int
}

// scansOfWidth compiles a pipeline whose only kernel has one cut, with a state
// of so many words.
func scansOfWidth(t *testing.T, mix []scanOfWidth, width int) *backends.Program {
	t.Helper()
	var parameters, results []string
	for words, i := 0, 0; words < width; i++ {
		s := mix[i%len(mix)]
		if words+s.words > width {
			s = scanOfWidth{"add", "i32", 1}
		}
		words += s.words
		parameters = append(parameters, fmt.Sprintf("x%d: [n]%s", i, s.kind))
		results = append(results, fmt.Sprintf("s%d: scan(%s, x%d)", i, s.operator, i))
	}
	text := fmt.Sprintf("pipeline wide(%s) {\n\treturn %s\n}\n", strings.Join(parameters, ", "), strings.Join(results, ", "))
	pipelines, errs := ir.Load("wide.kg", []byte(text))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	program, _, err := compile.Compile(pipelines[0], compile.Options{Level: fuse.LevelOnePass})
	if err != nil {
		t.Fatal(err)
	}
	if len(program.Kernels) != 1 {
		t.Fatalf("%s has %d kernels, not one", text, len(program.Kernels))
	}
	if cuts := tile.Analyze(program.Kernels[0]).Cuts; len(cuts) != 1 || cuts[0].Monoid.Words() != width {
		t.Fatalf("%s has %d cuts of %v words, not one of %d", text, len(cuts), cuts[0].Monoid.Words(), width)
	}
	return program
}
