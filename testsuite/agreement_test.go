package testsuite_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/emittedtest"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// TestAgreement compares emitted Go, at every level, with the interpreter, over
// the corpus: on its own data, and on random data of every shape. All programs
// share one build.
func TestAgreement(t *testing.T) {
	entries, err := testsuite.Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	sample.Log(t)
	chosen := entries[:0]
	for i, entry := range entries {
		if sample.Takes(i) {
			chosen = append(chosen, entry)
		}
	}
	testAgreement(t, chosen)
}

// Blocks of rows end before, within and behind groups of which some are kept.
func TestKeptGroups(t *testing.T) {
	testAgreementOf(t, "kept_runs")
	testAgreementOf(t, "kept_of_filtered")
}

// Workers combine tables in which order matters, and rows of extremes behind a prefix, in the order of their rows.
func TestCombinedInOrder(t *testing.T) {
	testAgreementOf(t, "bins_of_every_kind")
	testAgreementOf(t, "bins_by_expression")
	testAgreementOf(t, "date_bins")
	testAgreementOf(t, "argmin_of_rows")
	testAgreementOf(t, "product_of_shards")
	testAgreementOf(t, "product_any_all")
	testAgreementOf(t, "argmin_by_bins")
	testAgreementOf(t, "filter_by_prefix")
	testAgreementOf(t, "runs_of_exscan")
	testAgreementOf(t, "aggregate_scalar_argument")
}

// A kernel that enters keys in a table for few groups sums up all rows, be the table full.
func TestSumBesideGroups(t *testing.T) { testAgreementOf(t, "group_having") }

func testAgreementOf(t *testing.T, name string) {
	t.Helper()
	entries, err := testsuite.Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	testAgreement(t, slices.DeleteFunc(entries, func(e testsuite.Entry) bool { return e.Name != name }))
}

func testAgreement(t *testing.T, entries []testsuite.Entry) {
	t.Helper()
	var compiled []testsuite.Entry
	var build emittedtest.Build
	for _, level := range fuse.Levels {
		var programs []*backends.Program
		for _, entry := range entries {
			program, _, err := compile.Compile(entry.Pipeline, emittedtest.Options(level))
			if err != nil {
				t.Errorf("%s at level %s: %v", entry.Name, level, err)
				continue
			}
			programs = append(programs, program)
			if level == fuse.Levels[0] {
				compiled = append(compiled, entry)
			}
		}
		build.Add(t, backends.Options{Package: level}, programs...)
	}
	device := build.Open(t)
	for _, entry := range compiled {
		t.Run(entry.Name, func(t *testing.T) {
			agree(t, device, entry.Pipeline, "own data", entry.Columns)
			for _, shape := range testsuite.Shapes() {
				for seed, rows := range sizes(entry.Pipeline, shape) {
					for _, careless := range []bool{false, true} {
						if careless && rows != 33 {
							continue
						}
						data := testsuite.RandomData{Rows: rows, Shape: shape, Seed: uint64(seed), Careless: careless, Whole: true}
						agree(t, device, entry.Pipeline, fmt.Sprintf("%+v", data), data.Columns(entry.Pipeline))
					}
				}
			}
		})
	}
}

// sizes are the numbers of rows to try.
func sizes(p *ir.Pipeline, shape testsuite.Shape) []int {
	list := []int{0, 1, 2, 33, 1000}
	if shape == testsuite.Runs || shape == testsuite.Mixed {
		list = append(list, emittedtest.ChainRows)
	}
	most := kerneltest.MostRows(p)
	for i := range list {
		list[i] = min(list[i], most)
	}
	return slices.Compact(list)
}

// agree requires that every level, with one worker and with several, gives the
// results of the interpreter.
func agree(t *testing.T, device emittedtest.Emitted, p *ir.Pipeline, what string, in []ir.Column) {
	t.Helper()
	want, err := testsuite.Expect(p, in)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	for _, level := range fuse.Levels {
		for _, workers := range []int{1, 3} {
			got, err := device.Run(p, level, workers, in)
			if difference := want.Differ(got, err); difference != "" {
				t.Errorf("%s at level %s with %d workers: %s", what, level, workers, difference)
				return
			}
		}
	}
}
