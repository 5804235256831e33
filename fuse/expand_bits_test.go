package fuse

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// Masks ask bits where the column of what is found, if one is read, is read behind further masks alone.
func TestTablesOfBits(t *testing.T) {
	for _, c := range []struct {
		name, body string
		options    Options
		want       bool
	}{
		{"a further mask", "f = find(a, in: k)\n\tm = f >= 0\n\tn = b[m] > 0\n\treturn s: sum(v[f[m][n]])", Options{Short: true}, true},
		{"another mask", "f = find(a, in: k)\n\tm = f >= 0 && b > 0\n\treturn s: sum(v[f[m]])", Options{Short: true}, true},
		{"its own mask", "f = find(a, in: k)\n\tm = f >= 0\n\tn = b[m] > 0\n\treturn s: sum(v[f[m]]), t: sum(b[m][n])", Options{Short: true}, false},
		{"no column", "return s: count(find(a, in: k) < 0)", Options{Short: true}, true},
		{"the row", "f = find(a, in: k)\n\tm = f >= 0\n\tn = b[m] > 0\n\treturn s: sum(f[m][n])", Options{Short: true}, false},
		{"slots that are never keys", "return s: count(find(f32(a), in: f32(k)) >= 0)", Options{Short: true}, false},
		{"behind a mask", "m = b > 0\n\treturn s: count(find(a[m], in: k) < 0)", Options{Short: true}, true},
		{"behind two", "m = b > 0\n\tn = a[m] > 0\n\treturn s: count(find(a[m][n], in: k) < 0)", Options{Short: true}, false},
		{"cores", "return s: count(find(a, in: k) >= 0)", Options{}, false},
	} {
		g := graphOf(t, "a: [n]i32, b: [n]i32, k: [m]i32, v: [m]i32", c.body+", all: sum(b), more: sum(v)", c.options)
		isBits := func(w *Value) bool {
			return w.Domain != nil && w.Domain.Kind == ir.DomainEvery && w.Domain.Width == bitsOfWord
		}
		if got := slices.ContainsFunc(g.Stages, func(s *Stage) bool { return slices.ContainsFunc(s.Writes, isBits) }); got != c.want {
			t.Errorf("%s: masks ask bits: %t", c.name, got)
		}
	}
}
