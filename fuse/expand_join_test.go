package fuse

import (
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/plan"
)

// On cores an aggregate of all pairs of a join stores no pairs, unless it has a check, or
// something else needs them.
func TestPairsAreFolded(t *testing.T) {
	for _, c := range []struct {
		results  string
		isStored bool
	}{
		{"s: sum(i64(x[j.left]) * i64(w[j.right]))", false},
		{"s: sum(x[j.left]), most: max(w[j.right], else: 0), pairs: len(j.left)", false},
		{"s: sum(x[j.left] * factor)", false},
		{"at: argmax(x[j.left])", true},
		{"most: max(x[j.left] / w[j.right], else: 0)", true},
		{"s: sum(x[j.left]), x: x[j.left]", true},
		{"s: sum(x[j.left] + prev(x[j.left], 1, 0))", true},
	} {
		body := "j = join(key, id)\n\treturn factor: factor, least: min(w, else: 0), " + c.results
		g := graphOf(t, "key: [n]i32, x: [n]i32, id: [m]i32, w: [m]i32, factor: i32", body, Options{Cores: true})
		for _, level := range []string{LevelAuto} {
			isStored := slices.ContainsFunc(program(t, g, level).Plan.Buffers, func(b plan.Buffer) bool {
				return b.Role != plan.Errors && strings.Contains(b.Length.String(), "repeated")
			})
			if isStored != c.isStored {
				t.Errorf("%s at level %s: pairs are stored: %v, want %v", c.results, level, isStored, c.isStored)
			}
		}
	}
}
