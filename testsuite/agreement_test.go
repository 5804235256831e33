package testsuite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	run "github.com/kgen-go/kgen/internal/device/gocpu"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
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
	var source run.Source
	plans := map[string]*plan.Plan{}
	for _, level := range fuse.Levels {
		var programs []*backends.Program
		for _, entry := range entries {
			program, _, err := compile.Compile(entry.Pipeline, emittedOptions(level))
			if err != nil {
				t.Errorf("%s at level %s: %v", entry.Name, level, err)
				continue
			}
			programs = append(programs, program)
			plans[level+"/"+entry.Pipeline.Name] = program.Plan
			if level == fuse.Levels[0] {
				compiled = append(compiled, entry)
			}
		}
		out, err := gocpu.Emitter{}.Emit(programs, backends.Options{Package: level})
		if err != nil {
			t.Fatal(err)
		}
		addPackage(&source, level, out)
	}
	device := openEmitted(t, source, plans)
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

// emittedOptions returns how pipelines are compiled for emitted Go. Few rows are enough for a
// hash table. Keys of a small range have bins at some levels only.
func emittedOptions(level string) compile.Options {
	options := compile.Options{Level: level, Options: fuse.Options{Hash: 2, Cores: true, Entered: level != fuse.LevelPaper3}}
	switch level {
	case fuse.LevelNone:
		options.Bins, options.Hash = -1, 0
	case fuse.LevelPaper3, fuse.LevelOnePass:
		options.Bins = -1
	}
	return options
}

// sizes are the numbers of rows to try.
func sizes(p *ir.Pipeline, shape testsuite.Shape) []int {
	list := []int{0, 1, 2, 33, 1000}
	if shape == testsuite.Runs || shape == testsuite.Mixed {
		list = append(list, chainRows)
	}
	most := kerneltest.MostRows(p)
	for i := range list {
		list[i] = min(list[i], most)
	}
	return slices.Compact(list)
}

// agree requires that every level, with one worker and with several, gives the
// results of the interpreter.
func agree(t *testing.T, device emittedGo, p *ir.Pipeline, what string, in []ir.Column) {
	t.Helper()
	want, err := testsuite.Expect(p, in)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	for _, level := range fuse.Levels {
		for _, workers := range []int{1, 3} {
			got, err := device.run(p, level, workers, in)
			if difference := want.Differ(got, err); difference != "" {
				t.Errorf("%s at level %s with %d workers: %s", what, level, workers, difference)
				return
			}
		}
	}
}

// chainRows is enough for several blocks of rows on several workers.
const chainRows = 3<<16 + 7

func addPackage(source *run.Source, name string, out *backends.Output) {
	files := map[string][]byte{}
	for _, f := range out.Files {
		files[f.Name] = f.Text
	}
	source.Packages = append(source.Packages, run.Package{Name: name, Files: files})
	for _, e := range out.Entries {
		entry := run.Entry{Program: name + "/" + e.Pipeline, Package: len(source.Packages) - 1, Into: e.Into, Result: e.Result}
		entry.Params, entry.Results = fields(e.Params), fields(e.Results)
		source.Entries = append(source.Entries, entry)
	}
}

func fields(list []backends.Field) []run.Field {
	var out []run.Field
	for _, f := range list {
		out = append(out, run.Field{Name: f.Name, Kind: f.Kind, Scalar: f.Scalar})
	}
	return out
}

// emittedGo runs emitted functions.
type emittedGo struct {
	worker *run.Worker
	space  *memory.Space
	plans  map[string]*plan.Plan // by level/pipeline
}

// openEmitted builds emitted functions, whose process ends with the test.
func openEmitted(t *testing.T, source run.Source, plans map[string]*plan.Plan) emittedGo {
	t.Helper()
	return openEmittedWith(t, source, plans, run.Options{CacheFolder: os.Getenv("KGEN_CACHE")})
}

// openEmittedWith is openEmitted with options of the build.
func openEmittedWith(t *testing.T, source run.Source, plans map[string]*plan.Plan, options run.Options) emittedGo {
	t.Helper()
	binary, err := run.Build(context.Background(), source, options)
	if err != nil {
		t.Fatal(err)
	}
	space := memory.NewSpace(0)
	t.Cleanup(space.Close)
	worker := binary.Worker(space)
	t.Cleanup(func() { worker.Close() })
	return emittedGo{worker, space, plans}
}

// run runs the function of a level, as kgen run does: large results are written
// to memory of the size that the plan bounds.
func (d emittedGo) run(p *ir.Pipeline, level string, workers int, in []ir.Column) ([]ir.Column, error) {
	call := run.Call{Program: level + "/" + p.Name, Workers: workers}
	rows, scalars := map[string]int64{}, map[string]int64{}
	for i, c := range in {
		if c.Slice == nil {
			c = ir.NewColumn(p.Params[i].Type.Kind, 1)
			c.Set(0, p.Params[i].Const)
		}
		call.Params = append(call.Params, raw.Bytes(c))
		port := d.plans[call.Program].Ports[i]
		if port.Domain != "" {
			rows[port.Domain] = int64(c.Len())
		} else if port.Kind == plan.I64 {
			scalars[port.Scalar] = c.At(0).Int64()
		}
	}
	call.Bounds = d.plans[call.Program].ResultBounds(rows, scalars)
	result, err := d.worker.Run(context.Background(), call)
	var check *run.CheckError
	if errors.As(err, &check) {
		return nil, &ir.CheckError{Site: &p.Sites[check.Site], Row: check.Row}
	}
	if err != nil {
		return nil, err
	}
	var columns []ir.Column
	for i, data := range result.Columns {
		columns = append(columns, raw.FromBytes(p.Results[i].Value.Type.Kind, bytes.Clone(data)))
		d.space.Free(data)
	}
	return columns, nil
}
