package ctext_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/loop"
)

// TestPlantedBugs changes printed kernels as a mistake in the printer would, and
// expects the comparison of TestSemantics to find each.
func TestPlantedBugs(t *testing.T) {
	bugs := []struct{ name, kind, expr, correct, wrong string }{
		{"signed overflow", "i32", "x - 1 < x", "(int)((uint)x2 - 1u)", "x2 - 1"},
		{"no mask of a narrow shift", "i8", "x << y", "(y2 & 7)", "(y2 & 31)"},
		{"a sum that C widened", "u8", "(x + y) / 2", "(uchar)((uint)x2 + (uint)y2)", "((uint)x2 + (uint)y2)"},
		{"a complement that C widened", "u16", "^x > x", "(ushort)~x2", "~x2"},
		{"no guard of -1", "i32", "x % d", "y == -1 ? 0 : x % y", "y == -1 ? 1 : x % y"},
		{"rounding a cast", "f64", "i8(x)", "_sat_rtz", "_sat_rte"},
		{"no saturation", "f32", "u8(x)", "_sat_rtz", "_rtz"},
		{"minimum without NaN", "f64", "least(x, y)", "_f64(double x, double y) {\n\tif (x != x || y != y)",
			"_f64(double x, double y) {\n\tif (y != y)"},
		{"minimum of zeros", "f32", "least(x, y)", "as_uint(x) | as_uint(y)", "as_uint(x)"},
		{"maximum of zeros", "f64", "greatest(x, y)", "as_ulong(x) & as_ulong(y)", "as_ulong(x)"},
		{"a contracted product", "f32", "x * y + x", "x2 * y2 + x2", "fma(x2, y2, x2)"},
		{"a negated comparison", "f32", "!(x < y)", "!(x2 < y2)", "x2 >= y2"},
		{"bytes of a char8", "char8", `x < "B"`, "as_ulong(as_uchar8(x).s76543210)", "x"},
		{"the year ends in February", "date", "year(x)", ">= 306", ">= 305"},
		{"a literal rounded to f32", "f64", "0.1 * x + y", "0x1.999999999999ap-4", "0x1.99999ap-4f"},
	}
	cases := map[string]semanticsCase{}
	for _, c := range semanticsCases() {
		cases[c.name] = c
	}
	var funcs []*loop.Func
	var checks []*check
	var launches []launch
	for i, bug := range bugs {
		c := cases[bug.kind]
		c.exprs = []string{bug.expr, "x == y"}
		for _, col := range c.columns[2:] { // a parameter has to be used
			c.exprs = append(c.exprs, col.name+" == "+col.name)
		}
		f, check := newCheck(t, fmt.Sprintf("bug%d", i), c)
		funcs, checks, launches = append(funcs, f), append(checks, check), append(launches, check.launch())
	}
	text := printed(t, funcs...)
	// The parts are the helpers and a kernel for each bug.
	parts := strings.Split(string(text.Source), "__kernel ")
	for i, bug := range bugs {
		at := i + 1
		if !strings.Contains(parts[at], bug.correct) {
			at = 0
		}
		changed := strings.Replace(parts[at], bug.correct, bug.wrong, 1)
		if changed == parts[at] {
			t.Fatalf("%s: nothing to change in\n%s%s", bug.name, parts[0], parts[i+1])
		}
		parts[at] = changed
	}
	if err := run(t, text, []byte(strings.Join(parts, "__kernel ")), launches...); err != nil {
		t.Fatal(err)
	}
	for i, c := range checks {
		differ := c.differences()
		if len(differ) == 0 {
			t.Errorf("%s: not found in\n%s", bugs[i].name, parts[i+1])
			continue
		}
		t.Logf("%s: %s", bugs[i].name, differ[0])
	}
}
