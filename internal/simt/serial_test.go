package simt

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/plan"
)

// Where a device runs the work-items of a work-group one after the other, a work-group has one, unless the schedule says how many.
func TestSerial(t *testing.T) {
	for _, c := range []struct {
		name, text string
		schedule   plan.Schedule
		workgroup  int
		items      int
		lists      int // of rows that pass a mask
		cores      int
		scheme     string
	}{
		{"a scan", "x: [n]i64) {\n\treturn y: scan(add, x)", plan.Schedule{}, 1, serialItems, 0, 1, SchemeLookback},
		{"few rows", "x: [n]i64) {\n\treturn y: scan(add, x)", plan.Schedule{Items: 5}, 1, 5, 0, 1, SchemeLookback},
		{"work-groups as asked", "x: [n]i64) {\n\treturn y: x[x > 0]", plan.Schedule{Workgroup: 32, Items: 4}, 32, 4, 0, 1, SchemeLookback},
		{"a filter", "x: [n]i64) {\n\treturn y: x[x > 0]", plan.Schedule{}, 1, serialItems, 1, 1, SchemeLookback},
		{"a filter of a filter", "x: [n]i64) {\n\ty = x[x > 0]\n\treturn y, z: y[y < 9]", plan.Schedule{}, 1, serialItems, 2, 1, SchemeLookback},
		{"a filter of what a scan has", "x: [n]i64) {\n\treturn y: scan(add, x)[x > 0]", plan.Schedule{}, 1, serialItems, 0, 1, SchemeLookback},
		{"a sum of a filter", "x: [n]i64) {\n\treturn y: sum(x[x > 0])", plan.Schedule{}, 1, serialItems, 0, 2, SchemeFlat},
		{"a scan on several cores", "x: [n]i64) {\n\treturn y: scan(add, x)", plan.Schedule{}, 1, serialItems, 0, 2, SchemePublished},
		{"one that looks back there as asked", "x: [n]i64) {\n\treturn y: scan(add, x)", plan.Schedule{Scheme: SchemeLookback}, 1, serialItems, 0, 2, SchemeLookback},
		{"work-groups as asked on several cores", "x: [n]i64) {\n\treturn y: x[x > 0]", plan.Schedule{Workgroup: 32, Items: 4}, 32, 4, 0, 2, SchemePublished},
	} {
		program := compiled(t, "pipeline p("+c.text+"\n}\n", compile.For(fuse.LevelOnePass, c.schedule))
		lowered, err := Target{Cores: c.cores}.Lower(program, c.schedule)
		if err != nil {
			t.Fatal(err)
		}
		s := lowered.Plan.Kernels[0].Variants[0].Schedule
		if s.Workgroup != c.workgroup || max(s.Items, 1) != c.items {
			t.Errorf("%s: %d work-items of %d rows, not %d of %d", c.name, s.Workgroup, s.Items, c.workgroup, c.items)
		}
		if s.Scheme != c.scheme {
			t.Errorf("%s: scheme=%s, not %s", c.name, s.Scheme, c.scheme)
		}
		text := lowered.Kernels[0].String()
		if got := strings.Count(text, "var passed"); got != c.lists {
			t.Errorf("%s: %d lists, not %d, in\n%s", c.name, got, c.lists, text)
		}
		if isSerial := !strings.Contains(text, "barrier"); isSerial != (c.workgroup == 1) {
			t.Errorf("%s: whether work-items wait is %v", c.name, !isSerial)
		}
	}
}
