package testsuite_test

import (
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

const picksText = `
pipeline picks(x: [n]i32, keep: [n]bool) {
	y = x[keep]
	return first: first(y, else: 1), last: last(y, else: 2), least: argmin(x & 3), most: argmax(f32(x & 3)), all: first(x, else: 3), end: last(x, else: 4)
}
`

// Work-items with rows in any order find the first and the last row that is kept, and of equal rows the first.
func TestPickedRows(t *testing.T) {
	loaded, errs := ir.Load("picks.kg", []byte(picksText))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	for _, level := range []string{fuse.LevelNone, fuse.LevelOnePass} {
		program, _, err := compile.Compile(loaded[0], compile.Options{Level: level})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []plan.Schedule{{Workgroup: 8, Items: 4}, {Workgroup: 8, Items: 3, Part: 48}} {
			lowered, err := simt.Lower(program, s)
			if err != nil {
				t.Fatal(err)
			}
			for seed := range uint64(4) {
				for _, rows := range []int{1, 13, 150, 600} {
					data := testsuite.RandomData{Rows: rows, Shape: testsuite.Mixed, Seed: seed, Whole: true}
					kerneltest.AgreeEmulated(t, lowered, loaded[0], fmt.Sprintf("%s, %v, %d rows, seed %d", level, s, rows, seed), data.Columns(loaded[0]))
				}
			}
		}
	}
}
