package papers_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/table/generate"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/emittedtest"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// published is a pipeline of examples/papers beside the obvious program for it.
type published struct {
	// plain returns the results, a slice each, of columns that fail no check.
	plain func(in []ir.Column) []any
	// data are small inputs; nil for random ones of every shape.
	data func(t *testing.T, p *ir.Pipeline) [][]ir.Column
}

// publishedPipeline is one with its number and its name, FOLDER/NAME.
type publishedPipeline struct {
	number int
	name   string
	*ir.Pipeline
}

// loadPapers returns all pipelines of examples/papers.
func loadPapers(t *testing.T) (list []publishedPipeline) {
	t.Helper()
	paths, err := filepath.Glob("../../examples/papers/*/*.kg")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		pipelines, err := ir.LoadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pipelines {
			list = append(list, publishedPipeline{len(list), filepath.Base(filepath.Dir(path)) + "/" + p.Name, p})
		}
	}
	return list
}

// TestPapers compares the interpreter with programs written by hand, and emitted Go at
// every level and emulated work-groups with the interpreter, over the pipelines of examples/papers.
func TestPapers(t *testing.T) {
	papers := loadPapers(t)
	var names []string
	for _, p := range papers {
		names = append(names, p.name)
	}
	for name := range publishedPrograms {
		if !slices.Contains(names, name) {
			t.Errorf("examples/papers has no pipeline %s", name)
		}
	}
	device := emitPapers(t, papers)
	for _, p := range papers {
		t.Run(p.name, func(t *testing.T) {
			program, known := publishedPrograms[p.name]
			if !known {
				t.Fatal("no program to compare it with: add one to publishedPrograms")
			}
			data := anyData
			if program.data != nil {
				data = program.data
			}
			compared := 0
			inputs := data(t, p.Pipeline)
			for at, in := range inputs {
				what := fmt.Sprintf("input %d", at)
				results, err := interp.Run(p.Pipeline, in)
				if err == nil {
					compared++
					ir.ShareTexts(results, in)
					for r, want := range program.plain(in) {
						if difference := differs(results[r], want); difference != "" {
							t.Fatalf("%s: %s of the interpreter %s", what, p.Results[r].Label, difference)
						}
					}
				}
				agreePaper(t, device, p, what, in)
			}
			if compared*2 < len(inputs) {
				t.Errorf("only %d of %d inputs fail no check", compared, len(inputs))
			}
			agreePaperEmulated(t, p, inputs)
		})
	}
}

// emitPapers builds all pipelines at all levels as one program.
func emitPapers(t *testing.T, papers []publishedPipeline) emittedtest.Emitted {
	t.Helper()
	var build emittedtest.Build
	for _, level := range fuse.Levels {
		var programs []*backends.Program
		for _, p := range papers {
			if !slices.Contains(levelsOf(p), level) {
				continue
			}
			program, _, err := compile.Compile(p.Pipeline, emittedtest.Options(level))
			if err != nil {
				t.Fatalf("%s at level %s: %v", p.name, level, err)
			}
			programs = append(programs, program)
		}
		build.Add(t, backends.Options{Package: level}, programs...)
	}
	return build.Open(t)
}

// isAboutLevels reports whether a pipeline is of the paper that is about levels of fusion and variants of aggregation.
func isAboutLevels(p publishedPipeline) bool {
	return strings.HasPrefix(p.name, "ordered-aggregation/")
}

// levelsOf returns the levels of a pipeline that are emitted as Go: all where the paper is about them, or if everything is
// asked for, else the default, and the most kernels of each third pipeline.
func levelsOf(p publishedPipeline) []string {
	switch {
	case sample.Everything() || isAboutLevels(p):
		return fuse.Levels
	case p.number%3 == 0:
		return []string{fuse.LevelNone, fuse.LevelAuto}
	}
	return []string{fuse.LevelAuto}
}

// agreePaper requires that emitted Go gives the results of the interpreter.
func agreePaper(t *testing.T, device emittedtest.Emitted, p publishedPipeline, what string, in []ir.Column) {
	t.Helper()
	want, err := testsuite.Expect(p.Pipeline, in)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for _, level := range levelsOf(p) {
		for _, workers := range []int{1, 3} {
			got, err := device.Run(p.Pipeline, level, workers, in)
			if difference := want.Differ(got, err); difference != "" {
				t.Fatalf("%s at level %s with %d workers: %s", what, level, workers, difference)
			}
		}
	}
}

// takesLevel reports whether emulated work-groups run a pipeline at level j: the next one of all, or
// every one if everything is asked for, every other by its turn.
func takesLevel(p publishedPipeline, j int) bool {
	if sample.Everything() {
		return sample.TakesSetting(p.number*sample.Step, j, 2)
	}
	return j == p.number%len(fuse.Levels)
}

// agreePaperEmulated runs a pipeline on emulated work-groups, on a sample of the inputs that are short: at all levels or the next
// one, by the next variant of aggregation, or all of them for the paper that is about these.
func agreePaperEmulated(t *testing.T, p publishedPipeline, inputs [][]ir.Column) {
	t.Helper()
	variants := kerneltest.VariantsOf(p.Pipeline, plan.Variants...)
	most, step := 2000, 3
	switch makesRows := func(v *ir.Value) bool { return v.Op == ir.OpRepeat || v.Op == ir.OpBins }; {
	case kerneltest.Sorts(p.Pipeline): // which takes long
		most, step = 50, 7
	case slices.ContainsFunc(p.Values, makesRows):
		most = 300
	}
	for j, level := range fuse.Levels {
		if !takesLevel(p, j) {
			continue
		}
		for k, variant := range variants {
			if k != p.number%len(variants) && (!isAboutLevels(p) || kerneltest.Sorts(p.Pipeline)) {
				continue
			}
			program, _, err := compile.Compile(p.Pipeline, kerneltest.EmulatedOptions(level, variant))
			if err != nil {
				t.Fatal(err)
			}
			scheme := []string{simt.SchemeLookback, simt.SchemePublished}[(p.number+j+k)%2]
			lowered, err := simt.Lower(program, plan.Schedule{Workgroup: 8, Items: 4, Scheme: scheme, Variant: variant})
			if err != nil {
				t.Fatalf("%s, %s: %v", level, variant, err)
			}
			for at, in := range inputs {
				if rowsOf(in) > most || at%step != (p.number+k)%step {
					continue
				}
				kerneltest.AgreeEmulated(t, lowered, p.Pipeline, fmt.Sprintf("%s, %s, %s, input %d", level, variant, scheme, at), in)
			}
		}
	}
}

// rowsOf returns the rows of the longest column.
func rowsOf(in []ir.Column) (rows int) {
	for _, c := range in {
		rows = max(rows, c.Len())
	}
	return rows
}

// anyData are random columns of every shape.
func anyData(_ *testing.T, p *ir.Pipeline) (list [][]ir.Column) {
	for _, shape := range testsuite.Shapes() {
		for seed, rows := range []int{0, 1, 2, 33, 250} {
			data := testsuite.RandomData{Rows: min(rows, kerneltest.MostRows(p)), Shape: shape, Seed: uint64(seed), Whole: true}
			list = append(list, data.Columns(p))
		}
	}
	return list
}

// relations are data of the generators, by domain. A parameter has the column of its name, or of
// the name that bind has for it; set has scalars.
type relations struct {
	tables map[string]generate.Generator
	bind   map[string]string
	set    map[string]ir.Scalar
}

// columns returns the columns of a pipeline's parameters.
func (r relations) columns(t *testing.T, p *ir.Pipeline) []ir.Column {
	t.Helper()
	in := make([]ir.Column, len(p.Params))
	for i, v := range p.Params {
		if v.Type.IsScalar() {
			if value, ok := r.set[v.Name]; ok {
				in[i] = ir.NewColumn(v.Type.Kind, 1)
				in[i].Set(0, value)
			} // else its default
			continue
		}
		name := v.Name
		if other := r.bind[name]; other != "" {
			name = other
		}
		in[i] = columnOf(t, r.tables[v.Type.Domain.String()], name)
		if in[i].Kind != v.Type.Kind {
			t.Fatalf("%s is %v, %s of the relation %v", v.Name, v.Type.Kind, name, in[i].Kind)
		}
	}
	return in
}

// columnOf makes one column of a relation.
func columnOf(t *testing.T, g generate.Generator, name string) (all ir.Column) {
	t.Helper()
	if g == nil {
		t.Fatalf("no relation for column %s", name)
	}
	at := slices.IndexFunc(g.Columns(), func(c generate.Column) bool { return c.Name == name })
	if at < 0 {
		t.Fatalf("the relation has no column %s", name)
	}
	all = ir.NewColumn(g.Columns()[at].Kind, 0)
	err := g.Stream(context.Background(), 1, func(batch []ir.Column) error {
		joined := reflect.AppendSlice(reflect.ValueOf(all.Slice), reflect.ValueOf(batch[at].Slice))
		all.Slice = joined.Interface()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// made returns a relation, or fails.
func made(t *testing.T, g generate.Generator, err error) generate.Generator {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// differs compares a column with a slice: exactly, or floats that are sums to 1e-9 of the greatest.
func differs(got ir.Column, want any) string {
	if got.Kind == ir.Text {
		got.Slice = mapped(slice[int32](got), func(place int32) string { return got.Texts[place] })
	}
	g, w := reflect.ValueOf(got.Slice), reflect.ValueOf(want)
	if g.Type() != w.Type() {
		return fmt.Sprintf("is %v, that of the program %v", g.Type(), w.Type())
	}
	if g.Len() != w.Len() {
		return fmt.Sprintf("has %d rows, that of the program %d", g.Len(), w.Len())
	}
	largest := 1.0
	for i := range w.Len() {
		if w.Index(i).CanFloat() {
			largest = max(largest, math.Abs(w.Index(i).Float()))
		}
	}
	for i := range w.Len() {
		x, y := g.Index(i), w.Index(i)
		same := reflect.DeepEqual(x.Interface(), y.Interface())
		if x.CanFloat() && !same {
			a, b := x.Float(), y.Float()
			same = a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-9*largest
		}
		if !same {
			return fmt.Sprintf("has %v in row %d, that of the program %v", x, i, y)
		}
	}
	return ""
}

// slice returns the elements of a column.
func slice[T any](c ir.Column) []T { return c.Slice.([]T) }

var quotedName = regexp.MustCompile("`([^`]+)`")

// The page of a folder of examples/papers and the table of all of them name every pipeline, and the table names no other.
func TestPapersPages(t *testing.T) {
	table, err := os.ReadFile("../../docs/papers.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range loadPapers(t) {
		folder, name, _ := strings.Cut(p.name, "/")
		names = append(names, name)
		page, err := os.ReadFile(filepath.Join("../../examples/papers", folder, "README.md"))
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(page), "`"+name+"`") && !strings.Contains(string(page), "#"+name) {
			t.Errorf("examples/papers/%s/README.md does not mention %s", folder, name)
		}
		if !strings.Contains(string(table), "`"+name+"`") {
			t.Errorf("docs/papers.md does not mention %s", name)
		}
	}
	for row := range strings.Lines(string(table)) {
		cells := strings.Split(row, "|")
		if len(cells) < 7 {
			continue
		}
		for _, quoted := range quotedName.FindAllStringSubmatch(cells[3], -1) {
			if name := quoted[1]; !slices.Contains(names, name) && !slices.Contains([]string{"repeat", "kept", "out"}, name) {
				t.Errorf("docs/papers.md has %s, which is no pipeline of examples/papers", name)
			}
		}
	}
}
