package simt

import (
	"fmt"
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

// Many work-groups share a compute unit where rows have to pass many masks, and the schedule leaves all open.
func TestManyMasks(t *testing.T) {
	columns := []string{"a", "b", "c", "d", "e"}
	target := Target{Subgroup: SubgroupOf(32), Occupancy: true, LaunchedLocal: 227 << 10}
	for _, c := range []struct {
		masks    int
		schedule plan.Schedule
		want     bool
	}{{3, plan.Schedule{}, false}, {4, plan.Schedule{}, true}, {5, plan.Schedule{}, true}, {4, plan.Schedule{Items: 4}, false}, {4, plan.Schedule{Occupancy: 1}, false}} {
		params, body, passed := "", "", ""
		for i, column := range columns[:c.masks] {
			params += column + ": [n]i32, "
			body += fmt.Sprintf("\tm%d = %s%s > 0\n", i, column, passed)
			passed += fmt.Sprintf("[m%d]", i)
		}
		text := "pipeline masks(" + params + "v: [n]i64) {\n" + body + "\treturn s: sum(v" + passed + ", by: bins(a" + passed + " & 7, 8))\n}\n"
		lowered, err := target.Lower(compiled(t, text, compile.Options{Level: fuse.LevelOnePass}), c.schedule)
		if err != nil {
			t.Fatal(err)
		}
		if f := lowered.Kernels[0].Funcs[0]; f.Occupancy > 1 != c.want {
			t.Errorf("%d masks, %+v: registers for %d work-groups of %d", c.masks, c.schedule, f.Occupancy, f.WorkgroupSize)
		}
	}
}
