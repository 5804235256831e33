package fuse

import (
	"strings"
	"testing"
)

// TestStages checks what every graph must have: names and values that differ,
// an order in which the stages can run, each value made by the stage that says so.
func TestStages(t *testing.T) {
	for _, g := range corpus(t) {
		stages, values := map[string]bool{}, map[string]bool{}
		for i, s := range g.Stages {
			if s.Index != i || stages[s.Name] || !s.Pos.IsValid() {
				t.Errorf("%s: stage %d is %s, number %d, at %v", g.Pipeline.Name, i, s.Name, s.Index, s.Pos)
			}
			stages[s.Name] = true
			for _, use := range s.Reads {
				if w := use.Value.Writer; w != nil && (w.Index >= i || !g.Needs(s, w)) {
					t.Errorf("%s: %s reads %s of %s, which is later or not needed", g.Pipeline.Name, s.Name, use.Value.Name, w.Name)
				}
			}
			for _, w := range s.Writes {
				if w.Writer != s && !g.Needs(w.Writer, s) { // or by several, the last of which says so
					t.Errorf("%s: %s writes %s of another", g.Pipeline.Name, s.Name, w.Name)
				}
			}
			if g.Needs(s, s) {
				t.Errorf("%s: %s needs itself", g.Pipeline.Name, s.Name)
			}
		}
		for _, w := range g.Values {
			if values[w.Name] {
				t.Errorf("%s: two values are named %s", g.Pipeline.Name, w.Name)
			}
			values[w.Name] = true
		}
		if text := g.String(); !strings.HasPrefix(text, "pipeline "+g.Pipeline.Name+"\n") || g.String() != text {
			t.Errorf("%s: the text is not settled", g.Pipeline.Name)
		}
	}
}

// TestAggregatesShareAStage checks that aggregates over one grouping, and the
// columns of one mask, are one stage.
func TestAggregatesShareAStage(t *testing.T) {
	for _, c := range []struct{ parameters, body, stages string }{
		{"k: [n]i64, x: [n]i64", "g = runs(k)\nreturn a: sum(x, by: g), b: min(x, by: g), c: count(by: g), d: avg(x, by: g)", "mask partial offset add aggregate"},
		{"x: [n]i64, y: [n]i64", "m = x > 0\nreturn a: x[m], b: y[m]", "mask partial offset add compact"},
		{"x: [n]i64, y: [n]i64", "return a: sum(x), b: max(y, else: 0), c: first(y, else: 0)", "reduce"},
		{"k: [n]i64, x: [n]i64", "g = runs(k)\nmean = avg(x, by: g)\nreturn s: sum(abs(f64(x) - mean[g]), by: g)",
			"mask partial offset add aggregate1 map aggregate2"},
	} {
		g := graph(t, c.parameters, c.body)
		if got := strings.Join(names(g.Stages), " "); got != c.stages {
			t.Errorf("%s\ngives %s, want %s", c.body, got, c.stages)
		}
	}
}
