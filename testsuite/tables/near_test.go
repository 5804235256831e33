package tables_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/irtest"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// TestNearTables looks many and fewer rows up in tables of codes that fit local memory, and in some that are too small or too large
// for that to pay. The number of codes is no multiple of those that one access copies.
func TestNearTables(t *testing.T) {
	p := irtest.Load(t, `
pipeline near(k: [n]i32, l: [n]i32, a: [m]i32, x: [m]i32, b: [p]i32, y: [p]i32) {
	one = find(k, in: a)
	two = find(l, in: b)
	return total: sum(x[one[one >= 0]]), other: sum(y[two[two >= 0]])
}
`)
	program, _, err := compile.Compile(p, compile.Options{Level: fuse.LevelAuto, Options: fuse.Options{Short: true}})
	if err != nil {
		t.Fatal(err)
	}
	lowered, err := simt.Target{Atomics64: true, LaunchedLocal: 300 << 10}.Lower(program, plan.Schedule{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rows, one, two int
		isNear         bool
	}{{33000, 8195, 1<<15 - 3, true}, {33000, 8191, 9000, false}, {33000, 1<<15 + 1, 9000, false}, {1000, 8195, 9000, false}, {0, 8195, 9000, false}} {
		var in []ir.Column
		for i, n := range []int{c.rows, c.rows, c.one, c.one, c.two, c.two} {
			column := ir.NewColumn(ir.I32, n)
			for row := range n {
				x := int64(row * 40503 % 33000) // of which some are no keys
				switch i {
				case 2, 4:
					x = int64(n - 1 - row)
				case 3, 5:
					x = int64(row) * 31337
				}
				column.Set(row, ir.Int(ir.I32, x))
			}
			in = append(in, column)
		}
		var launched []string
		run := kerneltest.Watching(lowered, 7, func(name string) { launched = append(launched, name) })
		kerneltest.Agree(t, lowered.Plan, run, p, fmt.Sprint(c), in)
		if isNear := slices.ContainsFunc(launched, func(name string) bool { return strings.HasSuffix(name, "_near") }); isNear != c.isNear {
			t.Errorf("%v: tables lie in local memory: %t; launches %v", c, isNear, launched)
		}
	}
}
