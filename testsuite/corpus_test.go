package testsuite

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/internal/interp"
)

var update = flag.Bool("update", false, "write the expected results of the corpus anew from the interpreter")

// Every pipeline has a query for DuckDB (testsuite/oracle, which does not run every
// time), and every query a pipeline.
func TestCorpusHasQueries(t *testing.T) {
	entries, err := Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	var pipelines, queries []string
	for _, entry := range entries {
		pipelines = append(pipelines, entry.Name)
	}
	files, err := filepath.Glob("oracle/queries/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		queries = append(queries, strings.TrimSuffix(filepath.Base(file), ".sql"))
	}
	slices.Sort(pipelines)
	slices.Sort(queries)
	if diff := cmp.Diff(pipelines, queries); diff != "" {
		t.Errorf("pipelines (-) and queries (+): %s", diff)
	}
}

// The interpreter gives the expected results. They are written by -update,
// which refuses if a hand-written oracle disagrees with the interpreter.
func TestCorpus(t *testing.T) {
	entries, err := Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		t.Run(entry.Name, func(t *testing.T) {
			results, err := interp.Run(entry.Pipeline, entry.Columns)
			got, err := Render(entry.Pipeline, results, err)
			if err != nil {
				t.Fatal(err)
			}
			if oracle := oracles[entry.Name]; oracle != nil {
				if want := oracle(entry.Columns); got != want {
					t.Fatalf("the interpreter gives\n%s\nthe oracle\n%s", got, want)
				}
			}
			if *update {
				if err := os.WriteFile(entry.Golden, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(entry.Golden)
			if err != nil {
				t.Fatalf("%v; write it by go test ./testsuite -run TestCorpus -update", err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
	if *update {
		return
	}
	t.Run("no file without a pipeline", func(t *testing.T) { noStrays(t, entries) })
}

// noStrays fails if the corpus has data or results without a pipeline.
func noStrays(t *testing.T, entries []Entry) {
	files, err := os.ReadDir("corpus")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, entry := range entries {
		known[entry.Name] = true
	}
	for _, file := range files {
		if name, _, _ := strings.Cut(file.Name(), "."); !known[name] {
			t.Errorf("corpus/%s belongs to no pipeline", file.Name())
		}
	}
}
