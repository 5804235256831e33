package fuse

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/plan"
)

// A column that two kernels read is stored, unless it is cheap to compute from as many
// bytes, and the level leaves the choice.
func TestComputedAgain(t *testing.T) {
	for _, c := range []struct {
		level, column string
		isStored      bool
	}{
		{LevelAuto, "k & 15", false},
		{LevelAuto, "(k & 15) * factor + 1", false},
		{LevelAuto, "select(k > 3, k, 7)", false},
		{LevelAuto, "k + k * 2", false},
		{LevelOnePass, "k & 15", true},
		{LevelAuto, "((k & 15) * factor + 1) ^ 3", true}, // four operators
		{LevelAuto, "k % 15", true},                      // is dear
		{LevelAuto, "k / factor", true},                  // has a check
		{LevelAuto, "k + v", true},                       // from more bytes
		{LevelAuto, "i32(w)", true},
		{LevelAuto, "k & prev(k, 1, 0)", true},
		{LevelAuto, "k - least", true}, // of a scalar that a kernel computes
	} {
		g := graphOf(t, "k: [n]i32, v: [n]i32, w: [n]i64, factor: i32", "least = min(k, else: 0)\n\tx = "+c.column+
			"\n\tg = groups(x)\n\treturn least, s: sum(v, by: g), w: sum(w) + i64(factor)", Options{})
		isStored := slices.ContainsFunc(program(t, g, c.level).Plan.Buffers, func(b plan.Buffer) bool { return b.Name == "x" })
		if isStored != c.isStored {
			t.Errorf("%s at level %s: stored %v, want %v", c.column, c.level, isStored, c.isStored)
		}
	}
}
