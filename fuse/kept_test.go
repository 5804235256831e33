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
		{"groups of kept groups", "g = runs(x)\n\tc = count(by: g)\n\th = runs(c[c > 2])\n\treturn n: count(by: h), s: sum(sum(y, by: g)[c > 2], by: h)", 1, 3},
		{"groups of all groups, of which some are kept", "g = runs(x)\n\ts = sum(y, by: g)\n\th = runs(s)\n\tn = count(by: h)\n\treturn s: s, n: n[n > 1]", 1, 3},
		{"groups of kept groups of kept groups of filtered rows", filter + "g = runs(z)\n\tc = count(by: g)\n\tu = c[c > 2]\n\th = runs(u)\n\tn = count(by: h)\n\tv = n[n > 2]\n\ti = runs(v)\n\treturn n: count(by: i)", 1, 6},
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
			if _, closes := p.Kernels[0].Closes(); !closes || p.Kernels[0].CountCuts() != 1 {
				t.Errorf("%s: %v", test.name, tile.Analyze(p.Kernels[0]).Cuts)
			}
		}
	}
}
