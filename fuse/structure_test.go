package fuse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
)

// TestStructure names the kernels of pipelines that branch, join, filter what
// they group, or look back.
func TestStructure(t *testing.T) {
	for _, c := range []struct {
		name, parameters, body string
		level, plan            string
		cuts                   []int // of each kernel
	}{
		{"map", "x: [n]i64", "return y: x + 1", LevelNone, "map", []int{0}},
		{"branching", "x: [n]i64", "y = x * 2\nm = y > 3\nreturn y, s: scan(add, y), z: y[m]", LevelOnePass,
			"map mask partial1 offset1 add1 partial2 offset2 add2 compact", []int{1}},
		{"diamond", "x: [n]i64", "a = x * 2\nb = a + 1\nc = a - 1\nreturn d: b * c", LevelOnePass, "map1 map2", []int{0}},
		{"diamond, none", "x: [n]i64", "a = x * 2\nb = a + 1\nc = a - 1\nreturn d: b * c", LevelNone, "map1 | map2", []int{0, 0}},
		{"two domains", "x: [n]i64, y: [m]i64", "return a: sum(x), b: sum(y)", LevelOnePass, "reduce1 | reduce2", []int{0, 0}},
		{"a scalar of the same rows", "x: [n]i64", "return share: f64(x) / f64(sum(x))", LevelOnePass, "reduce | map", []int{0, 0}},
		{"two scans of different columns", "x: [n]i64, y: [n]f64", "return a: scan(add, x), b: scan(max, y)", LevelOnePass,
			"partial1 offset1 add1 partial2 offset2 add2", []int{1}},
		{"scan of scan", "x: [n]i64", "s = scan(add, x)\nreturn s: scan(add, s)", LevelOnePass,
			"partial1 offset1 add1 | partial2 offset2 add2", []int{1, 1}},
		{"scan of scan, auto", "x: [n]i64", "s = scan(add, x)\nreturn s: scan(add, s)", LevelAuto,
			"partial1 offset1 add1 partial2 offset2 add2", []int{2}},
		{"having over runs", "k: [n]i32, x: [n]i64", "g = runs(k)\ns = sum(x, by: g)\nh = s > 10\nreturn key: first(k, by: g)[h], s: s[h]", LevelOnePass,
			"mask1 partial1 offset1 add1 aggregate mask2 | partial2 offset2 add2 compact", []int{1, 1}},
		{"neighbour of the last row kept", "x: [n]i64", "m = x > 3\ny = x[m]\nreturn d: y - prev(y, 1, 0)", LevelOnePass,
			"mask partial offset add compact map", []int{1}},
		{"neighbour two rows back of those kept", "x: [n]i64", "m = x > 3\ny = x[m]\nreturn d: y - prev(y, 2, 0)", LevelOnePass,
			"mask partial offset add compact | map", []int{1, 0}},
		{"the next of the rows kept", "x: [n]i64", "m = x > 3\ny = x[m]\nreturn d: y - next(y, 1, 0)", LevelOnePass,
			"mask partial offset add compact | map", []int{1, 0}},
		{"filter that is only reduced", "x: [n]i64", "m = x > 3\nreturn s: sum(x[m])", LevelOnePass,
			"mask partial offset add compact reduce", []int{0}},
		{"bins", "i: [n]i32", "b = bins(i, 16)\nreturn avg: avg(i, by: b, else: 0)", LevelOnePass, "map aggregate | finish", []int{0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := program(t, graph(t, c.parameters, c.body), c.level)
			if got := planOf(p); got != c.plan {
				t.Fatalf("%s, want %s", got, c.plan)
			}
			for i, k := range p.Kernels {
				if cuts := len(tile.Analyze(k).Cuts); cuts != c.cuts[i] {
					t.Errorf("%v has %d cuts, want %d\n%s", k.Stages, cuts, c.cuts[i], tile.Analyze(k))
				}
			}
		})
	}
}

// TestTwoScansShareState checks that the scans of one cut are one product.
func TestTwoScansShareState(t *testing.T) {
	p := program(t, graph(t, "x: [n]i64, y: [n]f64", "return a: scan(add, x), b: scan(max, y)"), LevelOnePass)
	cut := tile.Analyze(p.Kernels[0]).Cuts[0]
	if len(cut.Scans) != 2 || cut.Monoid.Words() != 4 {
		t.Errorf("%d scans and %d words in one cut, want 2 and 4", len(cut.Scans), cut.Monoid.Words())
	}
}

// TestHandRefused holds why kernels are illegal, or plans are no plans.
func TestHandRefused(t *testing.T) {
	const (
		runsOfFilter = "m = k > 3\nf = k[m]\ng = runs(f)\nreturn key: first(f, by: g), n: count(by: g)"
		ordered      = "g = runs(k)\nreturn key: first(k, by: g)"
	)
	for _, c := range []struct{ parameters, body, plan, want string }{
		{"k: [n]i64", runsOfFilter, "mask1 partial1 offset1 add1 compact mask2 partial2 | offset2 add2 aggregate",
			"kernel 1 (mask1 partial1 offset1 add1 compact mask2 partial2) is illegal: partial2 needs the rows of m complete, to cut them into chunks"},
		{"k: [n]i64", ordered, "mask partial | offset add | aggregate", "kernel 2 (offset add) is illegal: the offsets need every chunk's total: offset belongs beside partial or in a kernel of its own"},
		{"k: [n]i64", ordered, "mask partial add | offset | aggregate", "add of kernel 1 needs offset of kernel 2, which runs later"},
		{"k: [n]i64", ordered, "aggregate | mask partial offset add", "aggregate of kernel 1 needs mask of kernel 2, which runs later"},
		{"k: [n]i64", ordered, "mask partial offset add", "stage aggregate is missing; the stages are mask partial offset add aggregate"},
		{"k: [n]i64", ordered, "mask partial offset | add add aggregate", "stage add stands twice"},
		{"k: [n]i64", ordered, "mask partial offset || add aggregate", "kernel 2 has no stages"},
		{"k: [n]i64", ordered, "mask partial offset | add aggregat", `there is no stage "aggregat"; the stages are mask partial offset add aggregate`},
		{"k: [n]i64", ordered, "onepas", `there is no fusion level "onepas"; there are none, paper3, paper2, onepass, auto, or a plan by hand: ` +
			`the stages of each kernel, kernels separated by |, such as "mask | partial | offset | add | aggregate"`},
		{"x: [n]i64", "m = x > 3\ny = x[m]\nreturn d: prev(y, 3, 0)", "mask partial offset add compact map",
			"a row of m at distance 3 may belong to another tile: only the last one can be carried"},
		{"x: [n]i64", "s = scan(add, x)\nreturn d: prev(s, 1, 0)", "partial offset add map",
			"a neighbour of s may be a row of another tile, which is not there before s is stored"},
		{"x: [n]i64", "return y: x - max(x, else: 0)", "reduce map", "reduce is known only after all rows: reduce ends a kernel"},
		{"i: [n]i32", "b = bins(i, 16)\nreturn avg: avg(i, by: b, else: 0)", "map aggregate finish",
			"the table b_avg_sum is complete only after all rows: aggregate ends a kernel"},
		{"x: [n]i64, i: [n]i64", "y = x + 1\nreturn z: y[i], y", "map", "every row of y must be there first: map1 ends a kernel"},
		{"x: [n]i64", "g = bins(x & 7, greatest(max(x, else: 0), 8))\nreturn row: index(count(by: g)), bin: g + 1", "reduce | scalar map3 | map1 map2 aggregate map4",
			"map3 runs over as many rows as scalar computes, and their number is known only after it"},
		{"x: [n]i64", "g = bins(x & 7, greatest(max(x, else: 0), 8))\nreturn row: index(count(by: g)), bin: g + 1", "reduce | map3 | scalar | map1 map2 aggregate map4",
			"map3 of kernel 2 needs scalar of kernel 3, which runs later"},
		{"x: [n]i64, y: [m]i64", "return a: x + 1, b: y + 1", "map", "map1 runs over n and map2 over m: neither set of rows is made from the other here"},
	} {
		_, err := Fuse(graph(t, c.parameters, c.body), c.plan, cores)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\nplan %q: %v\nwant %s", c.body, c.plan, err, c.want)
		}
	}
}

// TestHand accepts numbers and kinds where they are clear.
func TestHand(t *testing.T) {
	ordered := graph(t, "k: [n]i64", "g = runs(k)\nreturn key: first(k, by: g)")
	for _, text := range []string{"mask partial offset | add aggregate", "mask1 partial offset1|add1   aggregate", "partial offset mask | aggregate add"} {
		if got := planOf(program(t, ordered, text)); got != "mask partial offset | add aggregate" {
			t.Errorf("plan %q gives %s", text, got)
		}
	}
	var many string
	for i := 1; i <= 11; i++ {
		many += fmt.Sprintf("y%d = x + %d\n", i, i)
	}
	maps := graph(t, "x: [n]i64", many+"return y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11")
	if got := maps.stagesNamed("map11"); len(got) != 1 || got[0].Name != "map11" {
		t.Errorf("map11 stands for %v", names(got))
	}
	scans := graph(t, "x: [n]i64, y: [n]f64", "return a: scan(add, x), b: scan(max, y)")
	if got := planOf(program(t, scans, "partial offset | add2 | add1")); got != "partial1 offset1 partial2 offset2 | add2 | add1" {
		t.Errorf("kinds stand for %s", got)
	}
}
