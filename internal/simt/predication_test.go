package simt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/plan"
)

// On CPUs rows that do not pass are folded as identities, and both sides of an operator are computed, where that is cheap; never on GPUs.
func TestPredication(t *testing.T) {
	for _, c := range []struct {
		name, body string
		isEager    bool
		has        string // the text on a CPU
	}{
		{"a sum", "return y: sum(x[x > 0])", true, "add + select(counts, x.2, 0)"},
		{"extremes and a length", "z = x[x > 0]\n\treturn y: min(z), w: max(z), c: len(z)", true, "min least select(x.3, x.2, 9223372036854775807)"},
		{"a filter of a filter", "z = x[x > 0]\n\treturn y: sum(z[z < 9])", true, "let counts bool = x.3 & (x.2 < 9)"},
		{"a product of floats", "return y: product(f[x > 0])", true, "mul * select(counts, element, 1.0)"},
		{"an extreme of floats", "return y: max(f[x > 0])", false, "if x.2 {"},
		{"quotients", "return y: sum((x / i)[x > 0])", false, "if x.2 > 0 {"},
		{"quotients by a constant", "return y: sum((x / 7)[x > 0])", true, "select(counts, element, 0)"},
		{"a gather", "return y: sum(x[i[x > 0]])", false, "if x"},
		{"both sides", "return y: x > 0 && i % 3 != 0", true, "(x[first + at] > 0) & ((i[first + at] % 3) != 0)"},
		{"either side", "return y: x > 0 || i > x", true, "(x.2 > 0) | (i[first + at] > x.2)"},
		{"a side that is dear", "return y: x > 0 && i % x != 0", false, "(x.2 > 0) && ((i[first + at]"},
	} {
		text := "pipeline p(x: [n]i64, i: [n]i64, f: [n]f64) {\n\t" + c.body + ", f: f, i: i\n}\n"
		program := compiled(t, text, compile.For(fuse.LevelOnePass, plan.Schedule{}))
		for _, target := range []Target{{}, {Cores: 1}} {
			lowered, err := target.Lower(program, plan.Schedule{})
			if err != nil {
				t.Fatal(err)
			}
			text, isCPU := lowered.Kernels[0].String(), target.Cores > 0
			if isCPU && !strings.Contains(text, c.has) {
				t.Errorf("%s: no %s in\n%s", c.name, c.has, text)
			}
			for _, eager := range []string{"select(counts", "select(x.3, x.2", ") & (", ") | (", "let counts"} {
				if strings.Contains(text, eager) && !(isCPU && c.isEager) {
					t.Errorf("%s: %s in\n%s", c.name, eager, text)
				}
			}
		}
	}
}

// What listed and visited rows need of others is written once, however often each value is used.
func TestLongChain(t *testing.T) {
	text := "pipeline p(x: [n]i64, t: [m]i64) {\n\tx0 = x\n"
	for i := range 40 {
		text += fmt.Sprintf("\tx%d = x%d + x%d\n", i+1, i, i)
	}
	text += "\ty = x40[x > 0]\n\tz = x40[x > 1]\n\treturn a: t[y], s: sum(z), w: scan(add, z), v: t[z]\n}\n"
	program := compiled(t, text, compile.For(fuse.LevelOnePass, plan.Schedule{}))
	for _, target := range []Target{{}, {Cores: 1}} {
		lowered, err := target.Lower(program, plan.Schedule{})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range lowered.Kernels {
			if length := len(k.String()); length > 1<<17 {
				t.Errorf("%d cores: a kernel of %d bytes", target.Cores, length)
			}
		}
	}
}
