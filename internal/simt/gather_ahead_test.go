package simt

import (
	"regexp"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/plan"
)

// Rows that read the table of short codes or that of others ask once for all of them which one it is.
func TestGathersOfOneTable(t *testing.T) {
	program := compiled(t, `pipeline p(k: [n]i32, v: [n]i32, a: [m]i32, x: [m]i32) {
	row = find(k, in: a)
	kept = row >= 0
	return s: sum(i64(v[kept]) * i64(x[row[kept]]))
}
`, compile.Options{Level: fuse.LevelOnePass})
	lowered, err := Lower(program, plan.Schedule{})
	if err != nil {
		t.Fatal(err)
	}
	asks := regexp.MustCompile(`if (!?)(\S+) \{\n\s*for item`)
	asked := map[string]string{}
	for _, k := range lowered.Kernels {
		for _, found := range asks.FindAllStringSubmatch(k.String(), -1) {
			asked[found[1]] = found[2]
		}
	}
	if len(asked) != 2 || asked[""] != asked["!"] {
		t.Errorf("gathers ask for %v", asked)
	}
}
