package vector_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/vector"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
)

// options returns how pipelines are compiled at a level. Few rows are enough for a hash table.
// Keys of a small range have bins at some levels only.
func options(level string) compile.Options {
	o := compile.Options{Level: level, Options: fuse.Options{Hash: 2}}
	switch level {
	case fuse.LevelNone:
		o.Bins, o.Hash = -1, 0
	case fuse.LevelPaper3, fuse.LevelOnePass:
		o.Bins = -1
	}
	return o
}

// run runs a program over columns.
func run(program *vector.Program, host *plan.Plan, p *ir.Pipeline, in []ir.Column, o vector.Options) ([]ir.Column, error) {
	return testsuite.RunPlan(p, host, func(inputs exec.Inputs) (*exec.Result, error) {
		return program.Run(context.Background(), inputs, o)
	}, in)
}

// compiled compiles the text of a pipeline.
func compiled(t testing.TB, text, level string) (*vector.Program, *plan.Plan, *ir.Pipeline) {
	t.Helper()
	pipelines, errs := ir.Load("test.kg", []byte(text))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	made, _, err := compile.Compile(pipelines[0], options(level))
	if err != nil {
		t.Fatal(err)
	}
	program, err := vector.Compile(made)
	if err != nil {
		t.Fatal(err)
	}
	return program, made.Plan, pipelines[0]
}

// TestCorpus compares every pipeline of the corpus, at every level, with the interpreter: on
// its own data and on random data, in batches so small that they cross everything.
func TestCorpus(t *testing.T) {
	entries, err := testsuite.Load("../../testsuite/corpus")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		t.Run(entry.Name, func(t *testing.T) {
			t.Parallel()
			for _, level := range fuse.Levels {
				compiled, _, err := compile.Compile(entry.Pipeline, options(level))
				if err != nil {
					t.Fatal(err)
				}
				program, err := vector.Compile(compiled)
				if err != nil {
					t.Errorf("level %s: %v", level, err)
					continue
				}
				agree := func(what string, in []ir.Column, batches ...int) {
					want, err := testsuite.Expect(entry.Pipeline, in)
					if err != nil {
						t.Fatalf("%s: %v", what, err)
					}
					for _, batch := range batches {
						got, err := run(program, compiled.Plan, entry.Pipeline, in, vector.Options{Batch: batch, Workers: 1 + (batch+len(in))%4})
						if difference := want.Differ(got, err); difference != "" {
							t.Errorf("%s at level %s in batches of %d: %s", what, level, batch, difference)
						}
					}
				}
				agree("own data", entry.Columns, 0, 1, 2, 3, 7)
				for i, shape := range testsuite.Shapes() {
					rows := []int{0, 1, 2, 33, 60}[i%5]
					data := testsuite.RandomData{Rows: rows, Shape: shape, Seed: uint64(i), Careless: i%4 == 3, Whole: true}
					agree(fmt.Sprintf("%+v", data), data.Columns(entry.Pipeline), 0, []int{1, 2, 3, 7}[i%4])
				}
			}
		})
	}
}
