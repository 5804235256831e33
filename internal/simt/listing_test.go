package simt

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/plan"
)

// Rows that two masks keep are listed, where a subgroup can do that and no other rows have passed as many.
func TestListing(t *testing.T) {
	const two = "m = a > 0\n\tn = b[m] > 0\n\treturn s: sum(c[m][n])"
	with, without := Target{Subgroup: SubgroupOf(32)}, Target{}
	for _, c := range []struct {
		name, body string
		target     Target
		schedule   plan.Schedule
		want       bool
	}{
		{"two masks", two, with, plan.Schedule{}, true},
		{"three", "m = a > 0\n\tn = b[m] > 0\n\to = c[m][n] > 0\n\treturn s: sum(a[m][n][o], by: bins(a[m][n][o] & 7, 8))", with, plan.Schedule{}, true},
		{"one", "m = a > 0\n\treturn s: sum(c[m]), t: sum(b)", with, plan.Schedule{}, false},
		{"no subgroups", two, without, plan.Schedule{}, false},
		{"half a subgroup", two, with, plan.Schedule{Workgroup: 16}, false},
		{"two second masks", "m = a > 0\n\tn = b[m] > 0\n\to = c[m] > 0\n\treturn s: sum(c[m][n]), t: sum(a[m][o])", with, plan.Schedule{}, false},
		{"stored rows", "m = a > 0\n\tn = b[m] > 0\n\treturn s: c[m][n]", with, plan.Schedule{}, false},
	} {
		program := compiled(t, "pipeline masks(a: [n]i32, b: [n]i32, c: [n]i32) {\n\t"+c.body+"\n}\n", compile.Options{Level: fuse.LevelOnePass})
		lowered, err := c.target.Lower(program, c.schedule)
		if err != nil {
			t.Fatal(err)
		}
		text := lowered.Kernels[0].String()
		if got := strings.Contains(text, "are_listed"); got != c.want {
			t.Errorf("%s: rows are listed: %v", c.name, got)
		}
	}
}
