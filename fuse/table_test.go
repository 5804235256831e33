package fuse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
)

// byTables lowers g's pipeline anew, with tables.
func byTables(t *testing.T, g *Graph) *Graph {
	t.Helper()
	tables := Lower(g.Pipeline, Options{Tables: true})
	return tables
}

// TestTablePlans holds the kernels of some pipelines whose groups have tables.
func TestTablePlans(t *testing.T) {
	graphs := map[string]*Graph{}
	for _, g := range corpus(t) {
		graphs[g.Pipeline.Name] = g
	}
	var b strings.Builder
	for _, name := range []string{"orders", "aggregates_by_runs", "edges_by_starts", "runs_of_filter", "having_runs", "diamond_of_groups",
		"aggregate_of_aggregate", "share_of_group"} {
		g := byTables(t, graphs[name])
		fmt.Fprintf(&b, "%s: %d stages\n", name, len(g.Stages))
		for _, level := range Levels {
			p := program(t, g, level)
			fmt.Fprintf(&b, "%9s %d  %s\n", level, len(p.Kernels), planOf(p))
		}
	}
	golden(t, "plans_tables.txt", b.String())
}

// TestTablesNeedNumbersOnly holds that a kernel that knows the groups' numbers
// fills tables without a grid-wide prefix, and reads each row once.
func TestTablesNeedNumbersOnly(t *testing.T) {
	g := corpusGraph(t, "examples/tpch/orders.kg")
	for level, cuts := range map[string]int{LevelNone: 0, LevelPaper2: 0, LevelOnePass: 1} {
		kernels := program(t, byTables(t, g), level).Kernels
		if got := kernels[len(kernels)-1].CountCuts(); got != cuts {
			t.Errorf("at level %s the tables need %d cuts, not %d", level, got, cuts)
		}
	}
	kernels := program(t, g, LevelPaper2).Kernels
	if kernels[len(kernels)-1].CountCuts() != 1 {
		t.Error("a segmented scan needs no cut")
	}
}

// TestTableFill holds what elements of tables begin with.
func TestTableFill(t *testing.T) {
	g := byTables(t, graph(t, "k: [n]i32, x: [n]i16, f: [n]f64", "g = runs(k)\nreturn low: min(x, by: g), high: max(f, by: g), all: sum(x, by: g), mean: avg(i32(x) + 1, by: g)"))
	want := map[string]string{"low": "32767", "high": "-Inf", "all": "", "g_avg_sum": "0", "g_avg_count": "0"}
	p := program(t, g, LevelOnePass)
	seen := 0
	for _, b := range p.Plan.Buffers {
		if fill, ok := want[b.Name]; ok {
			seen++
			if string(b.Fill) != fill {
				t.Errorf("%s is filled with %q, not %q", b.Name, b.Fill, fill)
			}
		}
	}
	if seen != len(want) {
		t.Errorf("%d of %d tables: %v", seen, len(want), p.Plan.Buffers)
	}
}

// TestSharedTables holds that aggregates of one grouping share equal tables, and no
// others.
func TestSharedTables(t *testing.T) {
	for returns, want := range map[string]int{
		"rows: count(by: b), low: min(x, by: b, else: 0), high: max(x, by: b, else: 0)":   3, // min, max, and rows
		"mean: avg(x, by: b, else: 0), other: avg(y, by: b, else: 0)":                     3,
		"total: sum(x, by: b), mean: avg(x, by: b, else: 0), low: min(x, by: b, else: 0)": 3, // the sum, rows, min
		"total: sum(x, by: b), other: avg(y, by: b, else: 0)":                             3,
		"row: argmin(x, by: b), low: min(x, by: b), other: argmin(y, by: b)":              5, // two minima, two rows, rows
		"even: count(x == y, by: b), rows: count(by: b)":                                  2,
		"mean: avg(x, by: b, else: 0), rows: count(by: b), total: sum(x, by: b)":          2, // the sum, rows
		"low: min(x, by: b, else: 0), rows: count(by: b)":                                 2,
	} {
		g := graph(t, "x: [n]i32, y: [n]i32", "b = bins(x, 4)\nreturn "+returns+", used: y")
		tables := 0
		for _, k := range program(t, g, LevelOnePass).Kernels {
			for range k.With(func(op *tile.Op) bool { return op.Does(tile.Combines) }) {
				tables++
			}
		}
		if tables != want {
			t.Errorf("%s: %d tables, not %d", returns, tables, want)
		}
	}
}

// TestTableReasons holds why stages with tables do not share a kernel.
func TestTableReasons(t *testing.T) {
	for _, c := range []struct{ parameters, body, level, want string }{
		{"k: [n]i32, x: [n]i32", "g = runs(k)\nt = sum(x, by: g)\nreturn u: t + 1", "mask partial offset add aggregate map",
			"the table t is complete only after all rows: aggregate ends a kernel"},
		{"k: [n]i32, x: [n]i32", "g = runs(k)\nreturn mean: avg(x, by: g)", "mask partial offset add aggregate finish",
			"the table g_avg_sum is complete only after all rows: aggregate ends a kernel"},
		{"k: [n]i32, m: [n]bool", "y = k[m]\ng = runs(y)\nreturn last: last(y, by: g)", "partial1 offset1 add1 compact mask partial2 offset2 add2 aggregate",
			"which rows of m are the last of a group, the rows after them say, which are not complete here"},
	} {
		g := byTables(t, graph(t, c.parameters, c.body))
		_, err := Fuse(g, c.level, cores)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, not %q\n%s", c.body, err, c.want, g)
		}
	}
}

// TestTableChecks holds that bins without rows are reported even where nothing
// reads the aggregate.
func TestTableChecks(t *testing.T) {
	g := graph(t, "x: [n]i32", "b = bins(x, 4)\nlow = min(x, by: b)\nreturn rows: len(low)")
	for _, level := range Levels {
		sites := map[int]bool{}
		for _, k := range program(t, g, level).Kernels {
			for _, op := range k.Ops {
				if op.Kind == tile.Check {
					sites[op.Site] = true
				}
			}
		}
		if len(sites) != len(g.Pipeline.Sites) {
			t.Errorf("at level %s %d of %d sites are checked", level, len(sites), len(g.Pipeline.Sites))
		}
	}
}
