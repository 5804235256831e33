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

// TestWordsOfManyColumns packs more columns that follow an order than the words of one row hold, so
// that the words of two streams pass through local memory.
func TestWordsOfManyColumns(t *testing.T) {
	const columns = 10
	var parameters, results []string
	for i := range columns {
		parameters = append(parameters, fmt.Sprintf("x%d: [n]i64", i))
		results = append(results, fmt.Sprintf("x%d: x%[1]d[p]", i))
	}
	text := fmt.Sprintf("pipeline many(k: [n]i32, %s) {\n\tp = order(k)\n\treturn %s\n}\n", strings.Join(parameters, ", "), strings.Join(results, ", "))
	p := irtest.Load(t, text)
	lowered := kerneltest.Lowered(t, p, fuse.LevelAuto, plan.Schedule{Workgroup: 8, Items: 4})
	for _, rows := range []int{0, 1, 32, 77} {
		in := []ir.Column{ir.NewColumn(ir.I32, rows)}
		for row := range rows {
			in[0].Set(row, ir.Int(ir.I32, int64(row*37%53)-9))
		}
		for i := range columns {
			c := ir.NewColumn(ir.I64, rows)
			for row := range rows {
				c.Set(row, ir.Int(ir.I64, int64(row*columns+i)<<20))
			}
			in = append(in, c)
		}
		if different := kerneltest.DiffersFromInterpreter(t, lowered, p, in); different != "" {
			t.Errorf("%d rows: %s", rows, different)
		}
	}
}
