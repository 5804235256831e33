package fuse

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// A column that follows from what is found is not in the table of the find, also if it
// does so only by the table of another.
func TestColumnsOfTables(t *testing.T) {
	for name, body := range map[string]string{
		"itself": "f = find(a, in: k)\nx = w + i32(count(f >= 0))\nreturn y: x[f[f >= 0]]",
		"each other": `f = find(a, in: k)
			g = find(b, in: k2)
			x2 = y + i32(count(f >= 0))
			x1 = w + i32(count(g >= 0))
			return x1: x1[f[f >= 0]], x2: x2[g[g >= 0]]`,
	} {
		parameters := "a: [n]i32, k: [m]i32, w: [m]i32"
		if name == "each other" {
			parameters += ", b: [p]i32, k2: [q]i32, y: [q]i32"
		}
		for _, short := range []bool{false, true} {
			program(t, graphOf(t, parameters, body, Options{Short: short}), LevelOnePass)
		}
	}
}

// Searches in the same columns share a table.
func TestTablesAreShared(t *testing.T) {
	g := graph(t, "a: [n]i32, b: [p]i32, k: [m]i32", "f = find(a, in: k)\ng = find(b, in: k)\nj = join(a, k)\nreturn f, g, left: j.left")
	tables := 0
	for _, s := range g.Stages {
		if s.Kind == Insert {
			tables++
		}
	}
	if tables != 1 {
		t.Errorf("%d tables", tables)
	}
}

// Rows that masks keep are stored before they combine only where there are very many bins.
func TestBinsOfKeptRows(t *testing.T) {
	options := Options{Short: true, Bins: DefaultBins, Hash: 2, HashGroups: 8, Partitions: true, Sample: 1 << 16}
	for body, moves := range map[string]bool{
		"return s: sum(x, by: bins(i, 20000)), m: count(m)": true,
		"return s: sum(x[m], by: bins(i[m], 20000))":        false,
		"return s: sum(x[m], by: bins(i[m], 200000))":       true,
	} {
		g := graphOf(t, "i: [n]i32, x: [n]i64, m: [n]bool", body, options)
		if got := slices.ContainsFunc(g.Stages, func(s *Stage) bool { return s.Kind == Pass }); got != moves {
			t.Errorf("%s: rows move: %t", body, got)
		}
	}
}

// Narrow keys that may be slots have buckets where rows have nothing but these, and only scalars are asked of what they find; those of
// a join if there is no other search.
func TestBucketsOfLoneSearches(t *testing.T) {
	const table = "a: [n]i32, k: [m]i32, w: [m]i32"
	for _, c := range []struct {
		parameters, body string
		bucket           int
	}{
		{table, "f = find(a, in: k)\nreturn s: sum(w[f[f >= 0]])", 4},
		{table, "f = find(a, in: k)\nreturn w: w[f[f >= 0]]", 0},
		{table + ", x: [n]i32", "f = find(a, in: k)\nhit = f >= 0\nreturn s: sum(w[f[hit]] * x[hit])", 0},
		{table, "f = find(a, in: k)\ng = find(a, in: w)\nreturn s: count(f >= 0), n: count(g >= 0)", 0},
		{table, "f = find(a, in: k)\nj = join(a, w)\nreturn s: count(f >= 0), n: count(j.left >= 0)", 0},
		{table + ", x: [n]i32", "j = join(a, k)\nreturn x: x[j.left], w: w[j.right]", 2},
		{table, "j = join(a, k)\ni = join(a, w)\nreturn s: count(j.left >= 0), n: count(i.left >= 0)", 0},
	} {
		for _, short := range []bool{false, true} {
			g := graphOf(t, c.parameters, c.body, Options{Short: short})
			searches := 0
			for _, v := range g.Pipeline.Values {
				if v.Op == ir.OpMatch {
					searches++
					if want := c.bucket; v.Split != want && short || v.Split != 0 && !short {
						t.Errorf("%s, short %t: buckets of %d", c.body, short, v.Split)
					}
				}
			}
			if searches == 0 && short {
				t.Errorf("%s: nothing is searched for", c.body)
			}
		}
	}
}
