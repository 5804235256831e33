package tables_test

import (
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/irtest"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// TestBinsOfComputedSize has bins whose number a kernel computes, and more than one way to combine
// their rows: none may read the number before it is there.
func TestBinsOfComputedSize(t *testing.T) {
	p := irtest.Load(t, `
pipeline chunks(x: [n]i32) {
	size = (len(x) + 15) / 16
	rows = count(by: bins(index(x) / 16, size))
	return first: x[16 * i64(index(rows))]
}
`)
	lowered := loweredWithWays(t, p, plan.Schedule{Workgroup: 16, Items: 4})
	for _, rows := range []int{0, 1, 16, 17, 300} {
		in := []ir.Column{ir.NewColumn(ir.I32, rows)}
		for row := range rows {
			in[0].Set(row, ir.Int(ir.I32, int64(row*row)))
		}
		if different := kerneltest.DiffersFromInterpreter(t, lowered, p, in); different != "" {
			t.Errorf("%d rows: %s", rows, different)
		}
	}
}

// loweredWithWays returns a pipeline as work-groups run it that have several ways to combine rows.
func loweredWithWays(t *testing.T, p *ir.Pipeline, schedule plan.Schedule) *simt.Program {
	t.Helper()
	options := compile.Options{Level: fuse.LevelAuto, Variant: schedule.Variant, Options: fuse.Options{Short: true, Radix: 4, Bins: 16, Partitions: true, Sample: 32}}
	program, _, err := compile.Compile(p, options)
	if err != nil {
		t.Fatal(err)
	}
	lowered, err := simt.Target{Atomics64: true, LaunchedLocal: 200 << 10}.Lower(program, schedule)
	if err != nil {
		t.Fatal(err)
	}
	return lowered
}

// Tables of bins whose number is computed may be as large as it can be or as it is. Rows of a bin
// that there is not change none of them.
func TestTablesOfBoundedBins(t *testing.T) {
	p := irtest.Load(t, `
pipeline tables(x: [n]i32, y: [n]i64, even: [n]bool) {
	number = greatest(least(count(even), 20), 1)
	place = bins(i64(x) & 7, number)
	some = any(even, by: place)
	least_row = argmin(y, by: place)
	largest = max(y, by: place, else: 4)
	return both: some || some, rows: len(least_row), largest: largest, before: exscan(or, min(u16(0), by: least_row, else: 3))
}
`)
	for _, variant := range plan.Variants {
		l := loweredWithWays(t, p, plan.Schedule{Workgroup: 64, Items: 1, Scheme: "published", Variant: variant})
		for _, rows := range []int{1, 8, 300} {
			in := []ir.Column{ir.NewColumn(ir.I32, rows), ir.NewColumn(ir.I64, rows), ir.NewColumn(ir.Bool, rows)}
			for row := range rows {
				in[0].Set(row, ir.Int(ir.I32, int64(row)))
				in[1].Set(row, ir.Int(ir.I64, int64(row*row%19)))
			}
			if different := kerneltest.DiffersFromInterpreter(t, l, p, in); different != "" {
				t.Errorf("variant %s, %d rows: %s", variant, rows, different)
			}
		}
	}
}
