package tables_test

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/irtest"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// Operations on tables of two indices alternate.
const neighboursText = `
pipeline tables(key: [n]i32, other: [n]i32, x: [n]i64) {
	g = bins(key, 100)
	h = bins(other, 50)
	return a: sum(x, by: g), b: sum(x, by: h), most: max(x, by: g, else: 0), least: min(x, by: h, else: 0), rows: count(by: g)
}
`

// TestNeighbours combines rows of neighbouring work-items by local memory where the language has no
// subgroups: of one key, of runs of a key, and of keys that alternate with that of the first.
func TestNeighbours(t *testing.T) {
	p := irtest.Load(t, neighboursText)
	for _, workgroup := range []int{32, 64} {
		lowered := kerneltest.Lowered(t, p, fuse.LevelAuto, plan.Schedule{Workgroup: workgroup, Items: 3, Variant: plan.Subgroup, Table: plan.Global})
		if !strings.Contains(kerneltest.TextOf(lowered), "neighbours_run_1") {
			t.Errorf("workgroup=%d: no rows are combined in tables of two indices", workgroup)
		}
		for name, key := range map[string]func(row int) int64{
			"one key": func(int) int64 { return 7 }, "runs": func(row int) int64 { return int64(row / 5 % 100) },
			"every other key": func(row int) int64 { return int64(row%2) * int64(row%37) },
		} {
			const rows = 500 // whole tiles and a rest
			in := []ir.Column{ir.NewColumn(ir.I32, rows), ir.NewColumn(ir.I32, rows), ir.NewColumn(ir.I64, rows)}
			for row := range rows {
				in[0].Set(row, ir.Int(ir.I32, key(row)))
				in[1].Set(row, ir.Int(ir.I32, key(row+row%3)/2))
				in[2].Set(row, ir.Int(ir.I64, int64(row*row+1)))
			}
			if different := kerneltest.DiffersFromInterpreter(t, lowered, p, in); different != "" {
				t.Errorf("workgroup=%d, %s: %s", workgroup, name, different)
			}
		}
	}
}
