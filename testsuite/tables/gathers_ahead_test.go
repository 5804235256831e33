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

// TestGathersAhead looks two keys up, the second of rows that the first one keeps, and in whole
// tiles loads what these gather before the rows are written. Keys are dense, as tables without
// a hash need them.
func TestGathersAhead(t *testing.T) {
	p := irtest.Load(t, `
pipeline ahead(k: [n]i32, l: [n]i32, v: [n]i32, a: [m]i32, x: [m]i32, b: [p]i32, y: [p]i32) {
	one = find(k, in: a)
	kept = one >= 0
	two = find(l[kept], in: b)
	known = two >= 0
	return total: sum(i64(v[kept][known]) * i64(y[two[known]]) + i64(x[one[kept][known]]))
}
`)
	schedule := plan.Schedule{Workgroup: 8, Items: 4}
	lowered := kerneltest.Lowered(t, p, fuse.LevelAuto, schedule)
	if !strings.Contains(kerneltest.TextOf(lowered), "_ahead") {
		t.Error("nothing is loaded ahead")
	}
	for _, rows := range []int{0, 31, 32, 500} {
		var in []ir.Column
		for i, n := range []int{rows, rows, rows, 40, 40, 40, 40} {
			c := ir.NewColumn(ir.I32, n)
			for row := range n {
				x := int64(row*37%1009) - 500
				switch i {
				case 0, 1: // some keys are below those of the table, some above
					x = int64((row*(5+2*i)+i)%60) - 9
				case 3, 5:
					x = int64(row * 7 % 40)
				}
				c.Set(row, ir.Int(ir.I32, x))
			}
			in = append(in, c)
		}
		if different := kerneltest.DiffersFromInterpreter(t, lowered, p, in); different != "" {
			t.Errorf("%d rows: %s", rows, different)
		}
	}
}
