package fuse

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// TestAutoCostsLeast compares the prediction of auto with that of every level; go test
// ./... takes a sample of the pipelines.
func TestAutoCostsLeast(t *testing.T) {
	// One prefix a kernel is not always best: several cost less than to store
	// what is between them, on a GPU more often than on cores.
	wants := []string{"cores having_runs", "cores grade_counts_lowered", "cores filter_by_prefix", "h200 scan_of_scan", "h200 having_runs"}
	better := map[string]bool{} // than onepass
	sample.Log(t)
	for name, machine := range plan.Profiles() {
		for i, g := range corpus(t) {
			if !sample.TakesAll(i) && !slices.Contains(wants, name+" "+g.Pipeline.Name) {
				continue
			}
			cost := map[string]float64{}
			for _, level := range Levels {
				f, err := Fuse(g, level, machine)
				if err != nil {
					t.Fatal(err)
				}
				if cost[level], err = f.remaining(); err != nil {
					t.Fatal(err)
				}
			}
			for _, level := range Levels {
				if cost[LevelAuto] > cost[level]*(1+1e-12) {
					t.Errorf("%s on %s: auto costs %g, %s costs %g", g.Pipeline.Name, name, cost[LevelAuto], level, cost[level])
				}
			}
			if cost[LevelAuto] < cost[LevelOnePass]*0.99 {
				better[name+" "+g.Pipeline.Name] = true
			}
		}
	}
	for _, want := range wants {
		if !better[want] {
			t.Errorf("auto is no better than onepass for %s; it is for %v", want, better)
		}
	}
}

// TestAutoIsExhaustive compares the search with all ordered partitions of the
// stages, built one by one.
func TestAutoIsExhaustive(t *testing.T) {
	tried := 0
	for _, machine := range plan.Profiles() {
		for _, g := range corpus(t) {
			if len(g.Stages) > 6 {
				continue
			}
			f := &Fusion{Graph: g, Level: LevelAuto, Machine: machine}
			ideals, ok := f.ideals()
			if !ok {
				t.Fatalf("%s: %d stages are too many", g.Pipeline.Name, len(g.Stages))
			}
			f.Groups, _ = f.shortest(ideals)
			least := leastOfAll(&Fusion{Graph: g, Machine: machine}, 0)
			if got := f.Cost(); math.Abs(got-least) > 1e-12*least {
				t.Errorf("%s: the search finds %g, all partitions %g", g.Pipeline.Name, got, least)
			}
			tried++
		}
	}
	if tried < 40 {
		t.Errorf("only %d pipelines are small enough", tried)
	}
}

// leastOfAll tries every set of stages as the next kernel, when done have run.
func leastOfAll(f *Fusion, done set) float64 {
	n := len(f.Graph.Stages)
	if done == 1<<n-1 {
		return 0
	}
	least := math.Inf(1)
	for kernel := set(1); kernel < 1<<n; kernel++ {
		if kernel&done != 0 {
			continue
		}
		stages := kernel.stages(f.Graph)
		ready := !slices.ContainsFunc(stages, func(s *Stage) bool {
			return slices.ContainsFunc(f.Graph.Stages, func(needed *Stage) bool {
				return f.Graph.Needs(s, needed) && (done|kernel)>>needed.Index&1 == 0
			})
		})
		if !ready {
			continue
		}
		k, err := f.Graph.Build("brute", stages, f.Graph.leaving(stages))
		if err == nil {
			least = min(least, f.cost(k)+leastOfAll(f, done|kernel))
		}
	}
	return least
}

// TestAutoJoinsKernels searches a plan of too many stages to compare all: the rows that
// are looked up in three tables share one kernel, though the tables are made in between.
func TestAutoJoinsKernels(t *testing.T) {
	pipelines, errs := ir.Load("star.kg", []byte(`pipeline star(a: [l]i32, b: [l]i32, c: [l]i32, x: [l]i32, k: [m]i32, h: [o]i32, y: [o]i32, j: [q]i32, z: [q]i32) {
	p = find(a, in: k[k > 3]) >= 0
	far = h > 4
	other = find(b[p], in: h[far])
	r = other >= 0
	last = find(c[p][r], in: j)
	s = last >= 0
	return s: sum(x[p][r][s], by: bins(z[last[s]] * 8 + y[far][other[r][s]], 64))
}`))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	g := Lower(pipelines[0], Options{Short: true})
	for name, machine := range plan.Profiles() {
		f, err := Fuse(g, LevelAuto, machine)
		if err != nil {
			t.Fatal(err)
		}
		kernels := 0
		for _, group := range f.Groups {
			if slices.ContainsFunc(group, func(s *Stage) bool { return s.Domain != nil && s.Domain.Name == "l" }) {
				kernels++
			}
		}
		if kernels != 1 {
			t.Errorf("%s: %d kernels over the rows of l; %s", name, kernels, f.Searched)
		}
		for i, group := range f.Groups {
			for _, later := range f.Groups[i+1:] {
				if g.needsAny(group, later) {
					t.Errorf("%s: kernel %d needs a later one", name, i+1)
				}
			}
		}
	}
}

// TestRandomPlans writes plans at random: each is built and verified, or refused
// with a reason.
func TestRandomPlans(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	built, refused := 0, map[string]int{}
	for _, g := range corpus(t) {
		for range 30 {
			text := randomPlan(g, random)
			f, err := Fuse(g, text, cores)
			if err != nil {
				var reason *Reason
				if !errors.As(err, &reason) || reason.Text == "" {
					t.Fatalf("%s, plan %q: refused without a reason: %v", g.Pipeline.Name, text, err)
				}
				refused[g.Pipeline.Name]++
				continue
			}
			p, err := f.Program()
			if err != nil {
				t.Fatalf("%s, plan %q: %v", g.Pipeline.Name, text, err)
			}
			verify(t, p)
			if _, err := p.Explain(); err != nil {
				t.Errorf("%s, plan %q: %v", g.Pipeline.Name, text, err)
			}
			built++
		}
	}
	if built < 500 || len(refused) < 20 {
		t.Errorf("%d plans are legal, plans of %d pipelines are refused: too few to tell", built, len(refused))
	}
}

// randomPlan cuts an order in which the stages can run at random places.
func randomPlan(g *Graph, random *rand.Rand) string {
	var b strings.Builder
	placed := make([]bool, len(g.Stages))
	cut := random.IntN(5)
	for range g.Stages {
		var ready []*Stage
		for _, s := range g.Stages {
			if !placed[s.Index] && !slices.ContainsFunc(g.Stages, func(t *Stage) bool { return g.Needs(s, t) && !placed[t.Index] }) {
				ready = append(ready, s)
			}
		}
		s := ready[random.IntN(len(ready))]
		if random.IntN(3) > 0 {
			s = ready[0] // near the order of the text
		}
		if b.Len() > 0 {
			b.WriteString(" ")
			if random.IntN(5) < cut {
				b.WriteString("| ")
			}
		}
		placed[s.Index] = true
		b.WriteString(s.Name)
	}
	return b.String()
}

// TestLongPipelines holds how long compilation may take, with a wide margin.
func TestLongPipelines(t *testing.T) {
	for name, statement := range map[string]func(b *strings.Builder, i int) (result string){
		"maps": func(b *strings.Builder, i int) string {
			fmt.Fprintf(b, "\tx%d = x%d * x%d + %d\n", i, i-1, i/2, i)
			return fmt.Sprintf("x%d", i)
		},
		"scans": func(b *strings.Builder, i int) string {
			fmt.Fprintf(b, "\tx%d = scan(add, x0 * %d)\n", i, i)
			return fmt.Sprintf("x%d", i)
		},
		"scans of scans": func(b *strings.Builder, i int) string {
			fmt.Fprintf(b, "\tx%d = scan(add, x%d)\n", i, i-1)
			return fmt.Sprintf("x%d", i)
		},
		"filters": func(b *strings.Builder, i int) string {
			fmt.Fprintf(b, "\tx%d = x0[x0 > %d]\n", i, i)
			return fmt.Sprintf("x%d", i)
		},
		"groups": func(b *strings.Builder, i int) string {
			fmt.Fprintf(b, "\tg%d = runs(x0 / %d)\n", i, i+1)
			return fmt.Sprintf("x%d: sum(x0, by: g%d)", i, i)
		},
		"scalars": func(b *strings.Builder, i int) string {
			fmt.Fprintf(b, "\ts%d = s%d * s%d\n", i, i-1, i-1)
			return fmt.Sprintf("y%d: x0 + s%d", i, i)
		},
	} {
		t.Run(name, func(t *testing.T) {
			const statements = 60
			var b strings.Builder
			var results []string
			b.WriteString("pipeline long(x0: [n]i64, s0: i64) {\n")
			for i := 1; i <= statements; i++ {
				results = append(results, statement(&b, i))
			}
			fmt.Fprintf(&b, "\treturn %s, zero: x0 + s0\n}\n", strings.Join(results, ", "))
			pipelines, errs := ir.Load("long.kg", []byte(b.String()))
			if err := errs.Err(); err != nil {
				t.Fatal(err)
			}
			for _, level := range Levels {
				start := time.Now()
				g := Lower(pipelines[0], Options{})
				if _, err := program(t, g, level).Explain(); err != nil {
					t.Fatal(err)
				}
				if spent := time.Since(start); spent > 30*time.Second {
					t.Errorf("level %s took %v for %d stages", level, spent, len(g.Stages))
				} else {
					t.Logf("level %s took %v for %d stages", level, spent, len(g.Stages))
				}
			}
		})
	}
}

// TestStarQueriesReadFactsOnce: the kernel that looks keys of all tables up runs behind all of
// them, so no scalar that a table needs may be computed there.
func TestStarQueriesReadFactsOnce(t *testing.T) {
	pipelines, err := ir.LoadFile("../examples/papers/ssb/ssb.kg")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pipelines {
		f, err := Fuse(Lower(p, Options{Short: true, Hash: DefaultHash}), LevelAuto, plan.Profiles()["h200"])
		if err != nil {
			t.Fatal(err)
		}
		readers := map[string]int{} // kernels by the column that they read
		for _, group := range f.Groups {
			read := map[string]bool{}
			for _, s := range group {
				for _, use := range s.Reads {
					read[use.Value.Name] = true
				}
			}
			for name := range read {
				readers[name]++
			}
		}
		for _, name := range []string{"lo_custkey", "lo_suppkey", "lo_partkey", "lo_orderdate"} {
			if n := readers[name]; n > 1 {
				t.Errorf("%s: %d kernels read %s", p.Name, n, name)
			}
		}
	}
}
