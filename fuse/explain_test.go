package fuse

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/testsuite/sample"
)

func explained(t *testing.T, g *Graph, level string) *Explanation {
	t.Helper()
	e, err := program(t, g, level).Explain()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestExplainText holds the text of a few pipelines, for reading.
func TestExplainText(t *testing.T) {
	for _, c := range []struct{ file, level string }{
		{"examples/tpch/orders.kg", LevelPaper2},
		{"examples/tpch/orders.kg", LevelNone},
		{"examples/tpch/q6.kg", LevelPaper3},
		{"testsuite/corpus/having_runs.kg", LevelAuto},
		{"testsuite/corpus/scan_by_runs.kg", LevelPaper3},
		{"testsuite/corpus/grade_counts_lowered.kg", LevelOnePass},
	} {
		g := corpusGraph(t, c.file)
		golden(t, fmt.Sprintf("explain_%s_%s.txt", g.Pipeline.Name, c.level), explained(t, g, c.level).Text())
	}
	g := corpusGraph(t, "examples/tpch/orders.kg")
	golden(t, "explain_orders_by_hand.dot", explained(t, g, "mask | partial offset | add aggregate").Dot())
}

// TestExplainJSON checks the fields that other programs read.
func TestExplainJSON(t *testing.T) {
	e := explained(t, corpusGraph(t, "examples/tpch/orders.kg"), LevelPaper2)
	text, err := e.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Level   string
		Machine string
		Kernels []struct {
			Name    string
			Stages  []string
			Bytes   int64
			Formula string
		}
		Pairs []struct {
			From, To string
			Merged   bool
			Saved    int64
			Why      string
		}
	}
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	const rows = AssumedRows
	if len(read.Kernels) != 2 || read.Level != LevelPaper2 || read.Machine != cores.Device ||
		!slices.Equal(read.Kernels[0].Stages, []string{"mask", "partial", "offset"}) || read.Kernels[0].Bytes != 16*rows+16*rows/ChunkRows ||
		read.Kernels[0].Name != "orders_kernel1" || read.Kernels[0].Formula != "16·n + 16·chunks of n" {
		t.Errorf("%s", text)
	}
	for _, p := range read.Pairs {
		if p.Merged == (p.Why != "") {
			t.Errorf("%s and %s: merged %v, but why is %q", p.From, p.To, p.Merged, p.Why)
		}
	}
	var again Explanation
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if second, _ := again.JSON(); string(second) != string(text) {
		t.Error("reading the JSON and writing it again changes it")
	}
}

// With known lengths, predictions are for these, and decisions stay as they are.
func TestExplainKnowing(t *testing.T) {
	g := corpusGraph(t, "examples/tpch/orders.kg")
	p := program(t, g, LevelPaper2)
	before, err := p.Explain()
	if err != nil {
		t.Fatal(err)
	}
	e, err := p.ExplainKnowing(Known{Lengths: map[string]int64{"n": 8 * ChunkRows, "g": 100}})
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(24*8*ChunkRows + 24*100 + 8*8); e.Kernels[1].Bytes != want || e.Plan != before.Plan {
		t.Errorf("%d bytes, want %d; plan %s", e.Kernels[1].Bytes, want, e.Plan)
	}
	if e.Assumed[0] != (AssumedLength{"n", 8 * ChunkRows, "given"}) {
		t.Errorf("%+v", e.Assumed)
	}
	e, err = p.ExplainKnowing(Known{Lengths: map[string]int64{"n": 1000}})
	if err != nil {
		t.Fatal(err)
	}
	if e.Assumed[1].Rows != 250 {
		t.Errorf("%+v", e.Assumed)
	}
	after, err := p.Explain()
	if err != nil {
		t.Fatal(err)
	}
	if after.Text() != before.Text() {
		t.Error("known lengths have changed what is assumed later")
	}
}

// Of several ways one is taken: the first, or that of the kernels that ran.
func TestExplainWays(t *testing.T) {
	pipelines, errs := ir.Load("p.kg", []byte("pipeline p(k: [n]i64) {\n\tg = groups(k)\n\treturn key: first(k, by: g), count: count(by: g)\n}\n"))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	p := program(t, Lower(pipelines[0], Options{Radix: 8, Hash: DefaultHash}), LevelAuto)
	chosen := func(known Known) (names []string, total PlanTotals, last string) {
		e, err := p.ExplainKnowing(known)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range e.Ways {
			if w.Chosen && !slices.Contains(names, w.Name) {
				names = append(names, w.Name)
			}
		}
		for _, k := range e.Kernels {
			if k.Way == "sorting" {
				last = k.Name
			}
		}
		return names, e.Total, last
	}
	names, total, last := chosen(Known{})
	if !slices.Equal(names, []string{"bins"}) || last == "" {
		t.Errorf("%q, %q", names, last)
	}
	names, sorted, _ := chosen(Known{Ran: []string{last}})
	if !slices.Contains(names, "sorting") || slices.Contains(names, "bins") || sorted.Bytes <= total.Bytes {
		t.Errorf("%q, %+v and %+v", names, sorted, total)
	}
}

// Where lengths alone decide, explanations know the way that is taken.
func TestExplainWaysOfLengths(t *testing.T) {
	pipelines, errs := ir.Load("p.kg", []byte("pipeline p(k: [n]i32) {\n\treturn order: order(k)\n}\n"))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	for few, options := range map[int64]Options{64: {Radix: 8, Few: 64, Cores: true}, assumedRoom - 1: {Radix: 8, Short: true}} {
		p := program(t, Lower(pipelines[0], options), LevelAuto)
		for rows, many := range map[int64]bool{few: false, few + 1: true} {
			e, err := p.ExplainKnowing(Known{Lengths: map[string]int64{"n": rows}})
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range e.Ways {
				if w.Chosen != (many == (w.Name == "sorting many rows")) {
					t.Errorf("%d rows, of which %d are few: %s is taken: %v", rows, few, w.Name, w.Chosen)
				}
			}
			if len(e.Ways) != 2 {
				t.Errorf("%d ways, not two", len(e.Ways))
			}
		}
	}
}

// TestExplainEverything holds what must be true of every explanation; go test ./...
// takes a sample of them.
func TestExplainEverything(t *testing.T) {
	sample.Log(t)
	for i, g := range corpus(t) {
		if !sample.TakesAll(i) && !exact(g) {
			continue
		}
		for _, level := range Levels {
			e := explained(t, g, level)
			where := fmt.Sprintf("%s at level %s", g.Pipeline.Name, level)
			text := e.Text()
			second := explained(t, g, level)
			firstJSON, _ := e.JSON()
			secondJSON, _ := second.JSON()
			if second.Text() != text || second.Dot() != e.Dot() || string(firstJSON) != string(secondJSON) {
				t.Errorf("%s: a second time, the explanation is another", where)
			}
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(line); n > textWidth+30 {
					t.Errorf("%s: a line of %d columns: %s", where, n, line)
				}
			}
			bytes, predicted, kernels, inWays := int64(0), 0.0, 0, 0
			for _, k := range e.Kernels {
				if k.Way != "" {
					inWays++
				}
				if k.Idle {
					if k.Way == "" {
						t.Errorf("%s: %s is idle, but always runs", where, k.Name)
					}
					continue
				}
				kernels++
				bytes += k.Bytes
				predicted += k.Predicted
			}
			for _, w := range e.Ways {
				inWays -= w.Kernels
			}
			if inWays != 0 {
				t.Errorf("%s: the ways do not have the kernels of ways", where)
			}
			if bytes != e.Total.Bytes || kernels != e.Total.Kernels || predicted-e.Total.Predicted > 1 || e.Total.Predicted-predicted > 1 {
				t.Errorf("%s: kernels sum up to %d bytes and %g ns, the total is %+v", where, bytes, predicted, e.Total)
			}
			saved := int64(0)
			for _, p := range e.Pairs {
				saved += p.Saved
				if p.Merged == (p.Blocked != "") || p.Merged == (p.Why != "") || len(p.Values) == 0 {
					t.Errorf("%s: %+v", where, p)
				}
			}
			if level == LevelNone && (saved != 0 || e.Total != e.None) {
				t.Errorf("%s: %d bytes saved against itself; total %+v, none %+v", where, saved, e.Total, e.None)
			}
			if len(e.Dropped) == 0 && saved != e.None.Bytes-e.Total.Bytes && exact(g) {
				t.Errorf("%s: the pairs save %d bytes, all kernels %d\n%s", where, saved, e.None.Bytes-e.Total.Bytes, text)
			}
		}
	}
}

// exact tells the pipelines whose stages read and write at any level what they
// do at level none, so that the pairs account for every byte.
func exact(g *Graph) bool {
	return slices.Contains([]string{"orders", "grades", "ordered", "select4"}, g.Pipeline.Name)
}

// TestExplainReasons holds why stages are apart.
func TestExplainReasons(t *testing.T) {
	for _, c := range []struct{ name, parameters, body, level, pair, why string }{
		{"filter and runs", "k: [n]i64", "m = k > 3\nf = k[m]\ng = runs(f)\nreturn key: first(f, by: g), n: count(by: g)", LevelOnePass, "compact aggregate",
			"it would need 2 grid-wide prefixes, each after the other, and level onepass allows one"},
		{"rule", "k: [n]i64", "g = runs(k)\nreturn key: first(k, by: g)", LevelPaper3, "add aggregate",
			"at level paper3 the offset addition is a kernel between the prefix and its use"},
		{"none", "k: [n]i64", "g = runs(k)\nreturn key: first(k, by: g)", LevelNone, "mask partial", "at level none every stage is a kernel"},
		{"law", "x: [n]i64", "return y: x - max(x, else: 0)", LevelAuto, "reduce map", "reduce is known only after all rows: reduce ends a kernel"},
		{"order", "x: [n]i64", "y = x + 1\nreturn y, z: y - sum(y)", "map1 | reduce | map2", "map1 map2",
			"reduce has to run in between: it needs map1, and map2 needs it"},
		{"by hand", "x: [n]i64", "y = x + 1\nreturn y, z: y * 2", "map1 | map2", "map1 map2", "allowed, and would save 214.7 µs, but the plan parts them"},
		{"cost", "x: [n]i64", "once = scan(add, x)\nreturn once, twice: scan(add, once)", LevelAuto, "add1 partial2",
			"one kernel would cost 414.4 µs more: with 2 grid-wide prefixes, one after the other, it would run on one core"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := explained(t, graph(t, c.parameters, c.body), c.level)
			var whys []string
			for _, p := range e.Pairs {
				if c.pair == "" || p.From+" "+p.To == c.pair {
					whys = append(whys, p.Why)
				}
			}
			if !strings.Contains(strings.Join(whys, "\n"), c.why) {
				t.Errorf("%q, want %s\n%s", whys, c.why, e.Text())
			}
		})
	}
}

// TestDroppedKernels explains kernels that nothing needs.
func TestDroppedKernels(t *testing.T) {
	e := explained(t, corpusGraph(t, "examples/tpch/q6.kg"), LevelPaper3)
	want := []DroppedKernel{{[]string{"add"}, "compact needs no hit_place, since its kernel stores none of the rows"}}
	if diff := cmp.Diff(want, e.Dropped); diff != "" {
		t.Error(diff)
	}
	e = explained(t, corpusGraph(t, "testsuite/corpus/scan_by_runs.kg"), LevelPaper3)
	want = []DroppedKernel{{[]string{"add1"}, "no result needs g"}}
	if diff := cmp.Diff(want, e.Dropped); diff != "" {
		t.Error(diff)
	}
}

// TestDot gives every graph to graphviz, where there is one.
func TestDot(t *testing.T) {
	dot, err := exec.LookPath("dot")
	for _, g := range corpus(t) {
		text := explained(t, g, LevelOnePass).Dot()
		plain := strings.ReplaceAll(text, `\"`, "") // of strings in what the user wrote
		if strings.Count(plain, "{") != strings.Count(plain, "}") || !strings.HasPrefix(text, "digraph ") || strings.Count(plain, `"`)%2 != 0 {
			t.Errorf("%s:\n%s", g.Pipeline.Name, text)
		}
		if errors.Is(err, exec.ErrNotFound) {
			continue
		}
		c := exec.Command(dot, "-Tcanon")
		c.Stdin = strings.NewReader(text)
		if output, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s\n%s", g.Pipeline.Name, err, output, text)
		}
	}
}

// Ways that make a scalar have names, too.
func TestExplainWaysOfScalars(t *testing.T) {
	pipelines, errs := ir.Load("p.kg", []byte("pipeline p(x: [n]u32) {\n\tv = join(x, x)\n\treturn any: any(v.left > 4)\n}\n"))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	e, err := program(t, Lower(pipelines[0], Options{Radix: 8, Hash: DefaultHash, Cores: true}), LevelAuto).ExplainKnowing(Known{})
	if err != nil || len(e.Ways) == 0 {
		t.Fatal(e, err)
	}
}
