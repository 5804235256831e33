package fuse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// TestOrderedAggregation holds the published counts of kernels.
func TestOrderedAggregation(t *testing.T) {
	for _, file := range []string{"examples/grades/grades.kg", "examples/tpch/orders.kg"} {
		g := corpusGraph(t, file)
		for level, want := range map[string]string{
			LevelNone:    "mask | partial | offset | add | aggregate",
			LevelPaper3:  "mask partial offset | add | aggregate",
			LevelPaper2:  "mask partial offset | add aggregate",
			LevelOnePass: "mask partial offset add aggregate",
			LevelAuto:    "mask partial offset add aggregate",
		} {
			if got := planOf(program(t, g, level)); got != want {
				t.Errorf("%s at level %s: %s, want %s", file, level, got, want)
			}
		}
	}
}

// planned are the pipelines whose plans are held: each kind of stage, alone and
// beside others, in one domain and in several.
var planned = []string{"orders", "grade_counts_lowered", "q6", "select4", "mavg7", "diamond", "diamond_of_groups", "having_runs",
	"runs_of_filter", "runs_of_runs", "filter_of_filter", "filter_by_prefix", "neighbours_of_filter", "scan_of_scan", "scan_of_filter",
	"scan_by_runs", "scan_two_columns", "aggregate_of_aggregate", "aggregate_scalar_argument", "aggregates_by_bins", "align_domains",
	"check_bin_size", "gather_lookup", "several_domains", "share_of_group", "scalar_parameters"}

// TestPlans holds the kernels of some pipelines at every level.
func TestPlans(t *testing.T) {
	graphs := map[string]*Graph{}
	for _, g := range corpus(t) {
		graphs[g.Pipeline.Name] = g
	}
	var b strings.Builder
	for _, name := range planned {
		g := graphs[name]
		if g == nil {
			t.Fatalf("no pipeline %s", name)
		}
		fmt.Fprintf(&b, "%s: %d stages\n", name, len(g.Stages))
		for _, level := range Levels {
			p := program(t, g, level)
			fmt.Fprintf(&b, "%9s %d  %s\n", level, len(p.Kernels), planOf(p))
		}
	}
	golden(t, "plans.txt", b.String())
}

// TestLevelRules verifies every pipeline, of which go test ./... takes a sample, at every
// level, and checks each kernel against the rule of its level.
func TestLevelRules(t *testing.T) {
	sample.Log(t)
	for i, g := range corpus(t) {
		if !sample.TakesAll(i) {
			continue
		}
		for _, level := range Levels {
			p := program(t, g, level)
			for k, group := range p.Groups {
				if why := rules[level].refuses(group); why != "" {
					t.Errorf("%s at level %s: %v: %s", g.Pipeline.Name, level, names(group), why)
				}
				if cuts := len(tile.Analyze(p.Kernels[k]).Cuts); level == LevelOnePass && cuts > 1 && len(group) > 1 {
					t.Errorf("%s: %v has %d cuts at level onepass", g.Pipeline.Name, names(group), cuts)
				}
			}
		}
	}
}

// TestNoneStores checks that at level none each value that one stage writes and
// another reads goes through memory, stored by its own kernel.
func TestNoneStores(t *testing.T) {
	for _, g := range corpus(t) {
		p := program(t, g, LevelNone)
		writer := map[string]string{}
		for i, k := range p.Kernels {
			if len(p.Groups[i]) != 1 {
				t.Errorf("%s: kernel %s is made of %v", g.Pipeline.Name, k.Name, names(p.Groups[i]))
			}
			for _, s := range k.Streams {
				if s.Write {
					writer[s.Buffer] = p.Groups[i][0].Name
				}
			}
			for _, op := range k.Ops {
				if op.Kind == tile.StoreScalar {
					writer[op.Ref] = p.Groups[i][0].Name
				}
			}
		}
		for i, k := range p.Kernels {
			for _, s := range k.Streams {
				w := g.byName[s.Buffer]
				if s.Write || w.Writer == nil || w.Writer.Kind == Pass || w.Writer.Kind == Either { // passes and ways share memory
					continue
				}
				if w.Writer == p.Groups[i][0] || writer[s.Buffer] != w.Writer.Name {
					t.Errorf("%s: %s reads %s, which %s stores and %s makes", g.Pipeline.Name, k.Name, s.Buffer, writer[s.Buffer], w.Writer.Name)
				}
			}
			for _, op := range k.Ops {
				if op.Kind == tile.Scalar && g.byName[op.Ref] != nil && writer[op.Ref] == "" {
					t.Errorf("%s: %s reads the scalar %s, which no kernel stores", g.Pipeline.Name, k.Name, op.Ref)
				}
			}
		}
		// What a stage needs according to the graph, it loads: a mask, a scan and
		// the offsets of the published pipeline each exist in memory.
		if g.Pipeline.Name == "orders" {
			for _, name := range []string{"g_head", "g_partial", "g_total", "g_offset", "g"} {
				if writer[name] == "" {
					t.Errorf("orders: %s is not stored", name)
				}
			}
		}
	}
}
