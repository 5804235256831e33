package simt

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/plan"
)

// A column that only rows of a mask read is loaded after the mask.
func TestFiltering(t *testing.T) {
	for _, test := range []struct {
		name, body string
		order      []string // of loads
	}{
		{"two masks", "m = a > 0\n\tn = b[m] > 0\n\treturn s: sum(c[m][n])", []string{"a", "b", "c"}},
		{"a column of both", "m = a > 0\n\tn = c[m] > 0\n\treturn s: sum(c[m][n] * b[m][n])", []string{"a", "c", "b"}},
		{"a column of all rows", "m = b > 0\n\treturn s: sum(c[m]), t: sum(a)", []string{"b", "a", "c"}},
		{"bins", "m = c > 0\n\tn = b[m] > 0\n\treturn s: sum(a[m][n], by: bins(a[m][n] & 7, 8))", []string{"c", "b", "a"}},
	} {
		program := compiled(t, "pipeline masks(a: [n]i32, b: [n]i32, c: [n]i32) {\n\t"+test.body+"\n}\n", compile.Options{Level: fuse.LevelOnePass})
		lowered, err := Lower(program, plan.Schedule{})
		if err != nil {
			t.Fatal(err)
		}
		text := lowered.Kernels[0].String()
		last := -1
		for _, column := range test.order {
			at := strings.Index(text, "wide "+column+"[")
			if at <= last {
				t.Errorf("%s: %s is loaded too early in\n%s", test.name, column, text)
			}
			last = at
		}
	}
}
