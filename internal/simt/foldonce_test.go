package simt

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/plan"
)

// A sum of what a kernel scans anyway is the last prefix: no launch finishes it, unless it rounds or
// is of other elements.
func TestFoldOnce(t *testing.T) {
	for _, test := range []struct {
		name, results string
		launches      int // that finish
	}{
		{"the same elements", "a: scan(add, x), s: sum(x)", 0},
		{"before each row", "a: exscan(add, x), s: sum(x)", 0},
		{"other elements", "a: scan(add, x), s: sum(y)", 1},
		{"another fold", "a: scan(add, x), s: max(x, else: 0)", 1},
		{"floats", "a: scan(add, f64(x)), s: sum(f64(x))", 1},
		{"rows that are repeated", "r: repeat(greatest(i32(least(x, 9)), 0))", 1}, // that of the blocks
		{"long rows that are repeated", "r: repeat(x)", 2},
	} {
		program := compiled(t, "pipeline fold(x: [n]i64, y: [n]i64) {\n\treturn "+test.results+", z: y + 1\n}\n", compile.Options{Level: fuse.LevelOnePass, Options: fuse.Options{Short: true}})
		lowered, err := Lower(program, plan.Schedule{})
		if err != nil {
			t.Fatal(err)
		}
		launches := 0
		for _, k := range lowered.Plan.Kernels {
			if strings.HasSuffix(k.Name, "_finish") {
				launches++
			}
		}
		if launches != test.launches {
			t.Errorf("%s: %d launches that finish, not %d", test.name, launches, test.launches)
		}
	}
}
