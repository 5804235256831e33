package testsuite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/backends/gocpu/run"
	"github.com/kgen-go/kgen/compile"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/ir/interp"
	"github.com/kgen-go/kgen/table"
)

// TestAgreement compares emitted Go, at every level, with the interpreter, over
// the corpus: on its own data, and on random data of every shape. All programs
// share one build.
func TestAgreement(t *testing.T) {
	entries, err := Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	var compiled []Entry
	var source run.Source
	for _, level := range fuse.Levels {
		var programs []*backends.Program
		for _, entry := range entries {
			program, _, err := compile.Compile(entry.Pipeline, compile.Options{Level: level})
			var unsupported *fuse.Unsupported
			if errors.As(err, &unsupported) {
				continue
			}
			if err != nil {
				t.Errorf("%s at level %s: %v", entry.Name, level, err)
				continue
			}
			programs = append(programs, program)
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
	binary, err := run.Build(context.Background(), source, run.Options{CacheFolder: os.Getenv("KGEN_CACHE")})
	if err != nil {
		t.Fatal(err)
	}
	worker := binary.Worker()
	defer worker.Close()
	for _, entry := range compiled {
		t.Run(entry.Name, func(t *testing.T) {
			compare := func(what string, in []ir.Column) {
				t.Helper()
				want := expected(t, entry.Pipeline, in)
				for _, level := range fuse.Levels {
					for _, workers := range []int{1, 3} {
						if got := runGo(t, worker, entry.Pipeline, level, workers, in); got != want {
							t.Errorf("%s at level %s with %d workers:\n%s\nwant\n%s", what, level, workers, excerpt(got), excerpt(want))
							return
						}
					}
				}
			}
			compare("own data", entry.Columns)
			for _, shape := range Shapes() {
				for seed, rows := range []int{0, 1, 2, 33, 1000, chainRows} {
					for _, careless := range []bool{false, true} {
						if careless && rows != 33 || rows == chainRows && (shape != Runs && shape != Mixed) {
							continue
						}
						data := RandomData{Rows: rows, Shape: shape, Seed: uint64(seed), Careless: careless, Whole: true}
						compare(fmt.Sprintf("%+v", data), data.Columns(entry.Pipeline))
					}
				}
			}
		})
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
		entry := run.Entry{Program: name + "/" + e.Pipeline, Package: len(source.Packages) - 1, Func: e.Func}
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

// expected renders what the interpreter gives.
func expected(t *testing.T, p *ir.Pipeline, in []ir.Column) string {
	t.Helper()
	columns, err := interp.Run(p, in)
	text, err := Render(p, columns, err)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// runGo renders what the emitted function gives.
func runGo(t *testing.T, worker *run.Worker, p *ir.Pipeline, level string, workers int, in []ir.Column) string {
	t.Helper()
	call := run.Call{Program: level + "/" + p.Name, Workers: workers}
	for i, c := range in {
		if c.Slice == nil {
			c = ir.NewColumn(p.Params[i].Type.Kind, 1)
			c.Set(0, p.Params[i].Const)
		}
		call.Params = append(call.Params, table.Bytes(c))
	}
	result, err := worker.Run(context.Background(), call)
	var check *run.CheckError
	if errors.As(err, &check) {
		err = &ir.CheckError{Site: &p.Sites[check.Site], Row: check.Row}
	} else if err != nil {
		return err.Error()
	}
	var columns []ir.Column
	for i, data := range result.Columns {
		columns = append(columns, table.FromBytes(p.Results[i].Value.Type.Kind, data))
	}
	text, err := Render(p, columns, err)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func excerpt(text string) string {
	if len(text) > 600 {
		return text[:600] + "..."
	}
	return text
}
