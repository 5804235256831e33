package testsuite_test

import (
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// TestWorkGroups runs the corpus, lowered for work-groups, on an emulated
// device of small work-groups, at every level.
func TestWorkGroups(t *testing.T) {
	entries, err := testsuite.Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	sample.Log(t)
	for i, entry := range entries {
		if !sample.TakesMore(i) || kerneltest.Joins(entry.Pipeline) && !sample.Everything() {
			continue
		}
		t.Run(entry.Name, func(t *testing.T) {
			t.Parallel()
			for j, level := range fuse.Levels {
				if kerneltest.SkipsLevel(entry.Pipeline, i, j) {
					continue
				}
				program, _, err := compile.Compile(entry.Pipeline, kerneltest.EmulatedOptions(level, ""))
				if err != nil {
					t.Fatal(err)
				}
				target, schedule := simt.Target{}, plan.Schedule{Workgroup: 8, Items: 4, Scheme: []string{simt.SchemeLookback, simt.SchemePublished}[(i+j)%2]}
				if (i+2*j)%3 == 0 { // as on CPUs
					target.Cores, schedule.Workgroup, schedule.Items = 1, 0, []int{11, 16, 40}[i/3%3] // loops of 16 rows and more are split
				}
				lowered, err := target.Lower(program, schedule)
				if err != nil {
					t.Errorf("%s: %v", level, err)
					continue
				}
				kerneltest.AgreeEmulated(t, lowered, entry.Pipeline, level+", own data", entry.Columns)
				for seed := range 2 { // each pipeline and level gets other shapes
					if seed > 0 && kerneltest.Sorts(entry.Pipeline) {
						break
					}
					shape := testsuite.Shapes()[(i+2*j+seed)%len(testsuite.Shapes())]
					for _, rows := range []int{0, 1, 31, 103} {
						data := testsuite.RandomData{Rows: min(rows, kerneltest.MostRows(entry.Pipeline)/4), Shape: shape, Seed: uint64(seed), Whole: true, Careless: seed%2 == 1}
						kerneltest.AgreeEmulated(t, lowered, entry.Pipeline, fmt.Sprintf("%s, %+v", level, data), data.Columns(entry.Pipeline))
					}
				}
			}
		})
	}
}

// TestVariants runs the pipelines of the corpus that aggregate groups by every
// variant, at every level, on an emulated device.
func TestVariants(t *testing.T) {
	entries, err := testsuite.Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	sample.Log(t)
	for i, entry := range entries {
		variants := kerneltest.VariantsOf(entry.Pipeline, plan.Variants...)
		if len(variants) == 1 || !sample.TakesMore(i) || kerneltest.SkipsSorts(entry.Pipeline) {
			continue
		}
		t.Run(entry.Name, func(t *testing.T) {
			t.Parallel()
			for j, level := range fuse.Levels {
				if kerneltest.SkipsLevel(entry.Pipeline, i, j) {
					continue
				}
				for k, variant := range variants {
					if !sample.TakesSetting(i, j+k/2, 2) {
						continue
					}
					program, _, err := compile.Compile(entry.Pipeline, kerneltest.EmulatedOptions(level, variant))
					if err != nil {
						t.Fatal(err)
					}
					scheme := []string{simt.SchemeLookback, simt.SchemePublished}[(i+j+k)%2]
					lowered, err := simt.Lower(program, plan.Schedule{Workgroup: 4, Items: 6, Scheme: scheme, Variant: variant})
					if err != nil {
						t.Errorf("%s, %s: %v", level, variant, err)
						continue
					}
					kerneltest.AgreeEmulated(t, lowered, entry.Pipeline, level+", "+variant+", own data", entry.Columns)
					shape := testsuite.Shapes()[(i+2*j+k)%len(testsuite.Shapes())]
					for _, rows := range []int{0, 1, 25, 79} {
						data := testsuite.RandomData{Rows: min(rows, kerneltest.MostRows(entry.Pipeline)/4), Shape: shape, Seed: uint64(k), Whole: true, Careless: rows == 25}
						kerneltest.AgreeEmulated(t, lowered, entry.Pipeline, fmt.Sprintf("%s, %s, %s, %+v", level, variant, scheme, data), data.Columns(entry.Pipeline))
					}
				}
			}
		})
	}
}

// TestSerialSearches runs searches whose rows are filtered in work-groups of one work-item: whole tiles of a kernel go one of
// several ways there, by what is known of the table, and each lists the rows that pass.
func TestSerialSearches(t *testing.T) {
	entries, err := testsuite.Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Name != "find_values" {
			continue
		}
		schedule := plan.Schedule{Items: 8}
		program, _, err := compile.Compile(entry.Pipeline, compile.For(fuse.LevelOnePass, schedule).WithHash(schedule, cuda.HashGroups))
		if err != nil {
			t.Fatal(err)
		}
		lowered, err := simt.Target{Cores: 1}.Lower(program, schedule)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range 6 {
			data := testsuite.RandomData{Rows: 40 + 20*seed, Shape: testsuite.Mixed, Seed: uint64(seed), Whole: true, Careless: seed%2 == 0}
			kerneltest.AgreeEmulated(t, lowered, entry.Pipeline, fmt.Sprintf("%+v", data), data.Columns(entry.Pipeline))
		}
		return
	}
	t.Fatal("the corpus has no find_values")
}

// Values of filtered rows that a later phase folds with those of all rows are loaded of each row, also where none was stored.
func TestSerialKept(t *testing.T) {
	pipelines, errs := ir.Load("kept.kg", []byte(`pipeline p(x: [n]i64, k: [n]i64) {
	s = scan(add, k)
	m = x > 0
	q = x[m] / (x[m] | 1)
	return s, t: sum(q + s[m])
}
`))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	program, _, err := compile.Compile(pipelines[0], compile.For(fuse.LevelOnePass, plan.Schedule{}))
	if err != nil {
		t.Fatal(err)
	}
	lowered, err := simt.Target{Cores: 1}.Lower(program, plan.Schedule{})
	if err != nil {
		t.Fatal(err)
	}
	data := testsuite.RandomData{Rows: 600, Shape: testsuite.Mixed, Whole: true}
	kerneltest.AgreeEmulated(t, lowered, pipelines[0], "rows that do not pass", data.Columns(pipelines[0]))
}
