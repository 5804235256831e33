package tables_test

import (
	"math"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/irtest"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// TestShortCodes looks columns up whose values span what codes of 8 bits hold, one more, and all
// numbers of 32 bits.
func TestShortCodes(t *testing.T) {
	p := irtest.Load(t, `
pipeline codes(k: [n]i32, a: [m]i32, x: [m]i32) {
	found = find(k, in: a)
	kept = found >= 0
	return x: x[found[kept]], total: sum(i64(x[found[kept]]))
}
`)
	lowered := kerneltest.Lowered(t, p, fuse.LevelAuto, plan.Schedule{Workgroup: 8, Items: 4})
	if !strings.Contains(kerneltest.TextOf(lowered), "u8") {
		t.Error("no table has bytes")
	}
	const keys = 40
	for _, ends := range [][2]int64{{-100, 154}, {-100, 155}, {math.MinInt32, math.MaxInt32}} {
		for _, rows := range []int{0, 31, 32, 200} {
			k, a, x := ir.NewColumn(ir.I32, rows), ir.NewColumn(ir.I32, keys), ir.NewColumn(ir.I32, keys)
			for row := range rows {
				k.Set(row, ir.Int(ir.I32, int64(row*7%60)-9))
			}
			for row := range keys {
				a.Set(row, ir.Int(ir.I32, int64(row*7%keys)))
				x.Set(row, ir.Int(ir.I32, ends[row%2]+int64(row/2)*(1-2*int64(row%2))))
			}
			if different := kerneltest.DiffersFromInterpreter(t, lowered, p, []ir.Column{k, a, x}); different != "" {
				t.Errorf("values from %d to %d, %d rows: %s", ends[0], ends[1], rows, different)
			}
		}
	}
}
