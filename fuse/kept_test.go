package fuse

import (
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
)

// Which groups of what is kept share a prefix with it, where masks and heads are asked as states meet, and where they
// are not.
func TestGroupsOfFilteredRows(t *testing.T) {
	const filter = "m = y > 0\n\tz = x[m]\n\t"
	for _, test := range []struct {
		name, body    string
		atOnce, apart int // kernels
	}{
		{"groups of filtered rows", filter + "g = runs(z)\n\treturn x: first(z, by: g), s: sum(y[m], by: g)", 1, 2},
		{"those that are kept", filter + "g = runs(z)\n\tk = count(by: g) > 2\n\treturn x: first(z, by: g)[k], s: sum(y[m], by: g)[k]", 1, 3},
		{"groups by the row before", filter + "g = starts(z - prev(z, 1, 0) > 7)\n\treturn n: count(by: g)", 1, 2},
		{"groups by the row before that", filter + "g = starts(z - prev(z, 2, 0) > 7)\n\treturn n: count(by: g)", 2, 2},
		{"a filter of filtered rows", filter + "w = z[z < 9]\n\tg = runs(w)\n\treturn n: count(by: g)", 1, 2},
		{"a mask over a float mean", filter + "g = runs(z)\n\tk = avg(y[m], by: g) > 2.5\n\treturn x: first(z, by: g)[k]", 1, 3},
	} {
		for _, atOnce := range []bool{true, false} {
			want := test.apart
			if atOnce {
				want = test.atOnce
			}
			f := fused(t, graphOf(t, "x: [n]i64, y: [n]i64", test.body, Options{KeptAtOnce: atOnce}), LevelOnePass)
			if len(f.Groups) != want {
				t.Errorf("%s, at once %t: %d kernels, not %d: %s", test.name, atOnce, len(f.Groups), want, f)
				continue
			}
			if want > 1 {
				continue
			}
			p, err := f.Program()
			if err != nil {
				t.Fatal(err)
			}
			if cuts := tile.Analyze(p.Kernels[0]).Cuts; len(cuts) != 1 || cuts[0].Monoid.Kind != tile.Closing {
				t.Errorf("%s: %v", test.name, cuts)
			}
		}
	}
}
