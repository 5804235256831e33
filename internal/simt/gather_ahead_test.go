package simt

import (
	"regexp"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/plan"
)

// Rows that read the table of short codes or that of others ask once for all of them which one it is, where few are left to be
// listed. Else a work-item has many rows, for each of which it would hold what both tables have.
func TestGathersOfOneTable(t *testing.T) {
	asks := regexp.MustCompile(`if (!?)(\S+) \{\n\s*for item`)
	for _, c := range []struct {
		name, rest string
		asks       bool
	}{
		{"listed", "\tfew = v[kept] > 0\n\treturn s: sum(i64(v[kept][few]) * i64(x[row[kept][few]]))", true},
		{"not listed", "\treturn s: sum(i64(v[kept]) * i64(x[row[kept]]))", false},
	} {
		program := compiled(t, "pipeline p(k: [n]i32, v: [n]i32, a: [m]i32, x: [m]i32) {\n\trow = find(k, in: a)\n\tkept = row >= 0\n"+c.rest+"\n}\n", compile.Options{Level: fuse.LevelOnePass})
		lowered, err := Target{Subgroup: SubgroupOf(32)}.Lower(program, plan.Schedule{})
		if err != nil {
			t.Fatal(err)
		}
		asked := map[string]string{}
		for _, k := range lowered.Kernels {
			for _, found := range asks.FindAllStringSubmatch(k.String(), -1) {
				asked[found[1]] = found[2]
			}
		}
		if all := len(asked) == 2 && asked[""] == asked["!"]; all != c.asks || !c.asks && len(asked) > 0 {
			t.Errorf("%s: gathers ask for %v", c.name, asked)
		}
	}
}
