package fuse

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

var update = flag.Bool("update", false, "write the golden files anew")

var cores = plan.Profiles()[plan.DefaultProfile]

// corpus lowers every pipeline of the corpus and the examples that has a
// compiled form.
func corpus(t *testing.T) []*Graph {
	t.Helper()
	var graphs []*Graph
	for _, pattern := range []string{"../testsuite/corpus/*.kg", "../examples/*/*.kg"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %d files", pattern, err, len(files))
		}
		for _, file := range files {
			pipelines, err := ir.LoadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range pipelines {
				g := Lower(p, Options{})
				graphs = append(graphs, g)
			}
		}
	}
	if len(graphs) < 50 {
		t.Fatalf("only %d pipelines compile", len(graphs))
	}
	return graphs
}

// corpusGraph lowers one pipeline of the corpus.
func corpusGraph(t *testing.T, file string) *Graph {
	t.Helper()
	pipelines, err := ir.LoadFile(filepath.Join("..", file))
	if err != nil {
		t.Fatal(err)
	}
	g := Lower(pipelines[0], Options{})
	return g
}

// graph lowers a pipeline; the text is what stands between its braces.
func graph(t *testing.T, parameters, body string) *Graph {
	t.Helper()
	return graphOf(t, parameters, body, Options{})
}

func graphOf(t *testing.T, parameters, body string, options Options) *Graph {
	t.Helper()
	pipelines, errs := ir.Load("test.kg", []byte("pipeline test("+parameters+") {\n"+body+"\n}\n"))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	g := Lower(pipelines[0], options)
	return g
}

func fused(t *testing.T, g *Graph, level string) *Fusion {
	t.Helper()
	f, err := Fuse(g, level, cores)
	if err != nil {
		t.Fatalf("%s at level %s: %v", g.Pipeline.Name, level, err)
	}
	return f
}

// program fuses g and checks the tile programs and the plan.
func program(t *testing.T, g *Graph, level string) *Program {
	t.Helper()
	p, err := fused(t, g, level).Program()
	if err != nil {
		t.Fatalf("%s at level %s: %v", g.Pipeline.Name, level, err)
	}
	verify(t, p)
	return p
}

func verify(t *testing.T, p *Program) {
	t.Helper()
	for _, k := range p.Kernels {
		if err := tile.Verify(k); err != nil {
			t.Errorf("%s at level %s: kernel %s: %v\n%s", p.Plan.Pipeline, p.Plan.Level, k.Name, err, tile.Analyze(k))
		}
	}
	if err := plan.Validate(p.Plan); err != nil {
		t.Errorf("%s at level %s: %v", p.Plan.Pipeline, p.Plan.Level, err)
	}
}

// planOf writes the kernels that run as a plan by hand.
func planOf(p *Program) string {
	var kernels []string
	for _, group := range p.Groups {
		kernels = append(kernels, strings.Join(names(group), " "))
	}
	return strings.Join(kernels, " | ")
}

// golden compares text with a file of testdata, or writes it with -update.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n")); diff != "" {
		t.Errorf("%s (-file +got; go test ./fuse -update writes it anew):\n%s", path, diff)
	}
}
