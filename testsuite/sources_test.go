package testsuite_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

const sourcesText = `
pipeline repeated(length: [n]i32, x: [n]i64) {
	r = repeat(length)
	return row: r, x: x[r], total: sum(x[r], by: r)
}
`

// TestSources finds the rows that are repeated in each way. Only by default ends are counted, and
// rows are told their sources where the way says so.
func TestSources(t *testing.T) {
	p := loadOne(t, sourcesText)
	for i, way := range append(plan.SourceWays, plan.PerSubgroup) {
		schedule := plan.Schedule{Workgroup: 8, Items: 3, Sources: way}
		if i == len(plan.SourceWays) {
			schedule.Workgroup = 64 // two rows at once
		}
		lowered := lowered(t, p, fuse.LevelAuto, schedule)
		isTold := slices.ContainsFunc(lowered.Plan.Buffers, func(b plan.Buffer) bool { return strings.HasSuffix(b.Name, "_sources") })
		if want := slices.Index(plan.SourceWays, way) > slices.Index(plan.SourceWays, plan.Search); isTold != want {
			t.Errorf("sources=%s: rows are told their sources: %t", way, isTold)
		}
		if counts := strings.Contains(textOf(lowered), "end_of_sources"); counts != (way == plan.Count || way == plan.Ends) {
			t.Errorf("sources=%s: ends are counted: %t", way, counts)
		}
		hasAll := slices.ContainsFunc(lowered.Plan.Buffers, func(b plan.Buffer) bool { return b.Kind == plan.U32 && b.Length.String() == plan.Len("n").String() })
		if want := way != plan.Count && way != plan.Search; hasAll != want {
			t.Errorf("sources=%s: all ends are stored: %t", way, hasAll)
		}
		for _, most := range []int{1, 4, 300} { // lengths, of which most are 0 in the end
			rows := 200
			if way == plan.PerChild {
				rows = 20000 // two pages
			}
			in := []ir.Column{ir.NewColumn(ir.I32, rows), ir.NewColumn(ir.I64, rows)}
			for row := range rows {
				length := row % most
				if most == 300 && row%64 != 63 {
					length = 0
				}
				in[0].Set(row, ir.Int(ir.I32, int64(length)))
				in[1].Set(row, ir.Int(ir.I64, int64(row*row)))
			}
			if different := differsFromInterpreter(t, lowered, p, in); different != "" {
				t.Errorf("sources=%s, lengths below %d: %s", way, most, different)
			}
		}
	}
}

// Kernels launch kernels only where the target's do; elsewhere the error says what to choose.
func TestSourcesRefused(t *testing.T) {
	program, _, err := compile.Compile(loadOne(t, sourcesText), compile.For(fuse.LevelAuto, plan.Schedule{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		target simt.Target
		way    string
		want   string
	}{{simt.Target{Children: true}, plan.PerChild, ""}, {simt.Target{}, plan.Search, ""}, {simt.Target{}, plan.PerChild, "sources=search"}} {
		_, err := c.target.Lower(program, plan.Schedule{Sources: c.way})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("sources=%s, kernels launch kernels %t: %v", c.way, c.target.Children, err)
		}
	}
}
