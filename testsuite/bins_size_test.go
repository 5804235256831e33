package testsuite_test

import (
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// TestBinsOfComputedSize has bins whose number a kernel computes, and more than one way to combine
// their rows: none may read the number before it is there.
func TestBinsOfComputedSize(t *testing.T) {
	p := loadOne(t, `
pipeline chunks(x: [n]i32) {
	size = (len(x) + 15) / 16
	rows = count(by: bins(index(x) / 16, size))
	return first: x[16 * i64(index(rows))]
}
`)
	options := compile.Options{Level: fuse.LevelAuto, Short: true, Radix: 4, Bins: 16, Partitions: true, Sample: 32}
	program, _, err := compile.Compile(p, options)
	if err != nil {
		t.Fatal(err)
	}
	target := simt.Target{Atomics64: true, LaunchedLocal: 200 << 10}
	lowered, err := target.Lower(program, plan.Schedule{Workgroup: 16, Items: 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range []int{0, 1, 16, 17, 300} {
		in := []ir.Column{ir.NewColumn(ir.I32, rows)}
		for row := range rows {
			in[0].Set(row, ir.Int(ir.I32, int64(row*row)))
		}
		if different := differsFromInterpreter(t, lowered, p, in); different != "" {
			t.Errorf("%d rows: %s", rows, different)
		}
	}
}
