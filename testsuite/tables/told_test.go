package tables_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/irtest"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// TestPairsFromWords makes pairs of rows that words tell: few for each left row, so many that codes do not tell them, and so few for all of them
// that rows search. Slots are keys, or a hash of keys of 32 or 64 bits.
func TestPairsFromWords(t *testing.T) {
	for _, key := range []string{"%s", "%s * 1640531527", "i64(%s) * 5_000_000_000"} {
		text := fmt.Sprintf("pipeline pairs(a: [n]i32, b: [m]i32) {\n\tj = join(%s, %s)\n\treturn left: j.left, right: j.right\n}\n", fmt.Sprintf(key, "a"), fmt.Sprintf(key, "b"))
		p := irtest.Load(t, text)
		for _, schedule := range []plan.Schedule{{Workgroup: 8, Items: 3}, {Workgroup: 8, Items: 4}, {}, {Sources: plan.Ends}} {
			lowered := kerneltest.Lowered(t, p, fuse.LevelAuto, schedule)
			if tells := strings.Contains(kerneltest.TextOf(lowered), "told"); tells != (schedule.Sources == "") {
				t.Errorf("%s: words tell pairs: %t", text, tells)
			}
			for what, c := range map[string]struct {
				left, right int
				of          func(row int) (key int)
			}{
				"four partners":            {401, 200, func(row int) int { return row % 50 }},
				"as many as codes tell":    {403, 310, func(row int) int { return row % 10 }},
				"many partners":            {203, 200, func(row int) int { return row % 3 }},
				"one key has most of them": {203, 400, func(row int) int { return max(row-300, 0) }},
				"hardly any partners":      {20_000, 60, func(row int) int { return row / 2 * 333 }},
				"none":                     {300, 40, func(row int) int { return -1 - row/2 }},
				"no right row":             {40, 0, nil},
				"no left row":              {0, 40, func(row int) int { return row / 2 }},
			} {
				in := []ir.Column{ir.NewColumn(ir.I32, c.left), ir.NewColumn(ir.I32, c.right)}
				for row := range c.left {
					in[0].Set(row, ir.Int(ir.I32, int64(row%(c.left/3+1))))
				}
				for row := range c.right {
					in[1].Set(row, ir.Int(ir.I32, int64(c.of(row))))
				}
				if different := kerneltest.DiffersFromInterpreter(t, lowered, p, in); different != "" {
					t.Errorf("%s, %s, %v: %s", text, what, schedule, different)
				}
			}
		}
	}
}
