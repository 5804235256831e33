package emitted

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/difftest/random"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// Every pipeline of the corpus that can be computed in shards gives the results
// of the whole, or its failed check in the same row, however the shards are cut
// and combined.
func TestEmittedPartials(t *testing.T) {
	corpus, err := testsuite.Load("../corpus")
	if err != nil {
		t.Fatal(err)
	}
	special, err := testsuite.Load("testdata/partials")
	if err != nil {
		t.Fatal(err)
	}
	sample.Log(t)
	var entries []testsuite.Entry
	for i, entry := range append(corpus, special...) {
		if sample.TakesMore(i) {
			entries = append(entries, entry)
		}
	}
	used := comparePartials(t, entries)
	if used < sample.Least(28+len(special)) {
		t.Errorf("only %d pipelines have partials", used)
	}
}

// Groups of shards are those of all rows: by keys of several types, of kept rows, with checks.
func TestPartialsOfGroups(t *testing.T) {
	special, err := testsuite.Load("testdata/partials")
	if err != nil {
		t.Fatal(err)
	}
	special = slices.DeleteFunc(special, func(e testsuite.Entry) bool { return !strings.HasPrefix(e.Name, "groups_") })
	if used := comparePartials(t, special); used < 2 || used != len(special) {
		t.Errorf("%d of %d pipelines have partials", used, len(special))
	}
}

// Random pipelines too, with their columns aggregated. KGEN_PARTIALS is the
// first number and the count: 2000+500 runs 500 of them.
func TestEmittedPartialsOfRandomPipelines(t *testing.T) {
	from, count := 0, 15
	if sample.Everything() {
		count = 60
	}
	if text := os.Getenv("KGEN_PARTIALS"); text != "" {
		if _, err := fmt.Sscanf(text, "%d+%d", &from, &count); err != nil {
			t.Fatalf("KGEN_PARTIALS=%s: %v", text, err)
		}
	}
	without := []ir.Op{ir.OpScan, ir.OpExscan, ir.OpRepeat, ir.OpOrder, ir.OpFind, ir.OpJoin, ir.OpLeft, ir.OpRight,
		ir.OpArgmin, ir.OpArgmax, ir.OpIndex, ir.OpAlign, ir.OpGather}
	var entries []testsuite.Entry
	for number := from; number < from+count; number++ {
		p, err := random.Pipeline(1, number, random.Options{Without: without})
		if err != nil {
			t.Fatal(err)
		}
		if p, err = testsuite.Aggregated(p); err != nil {
			t.Fatal(err)
		}
		data := testsuite.RandomData{Rows: 24, Shape: testsuite.Shapes()[number%len(testsuite.Shapes())], Seed: uint64(number), Whole: true, Careless: number%3 == 0}
		entries = append(entries, testsuite.Entry{Name: p.Name, Pipeline: p, Columns: data.Columns(p)})
	}
	used := comparePartials(t, entries)
	t.Logf("%d of %d pipelines have partials", used, count)
	if used < count/5 {
		t.Errorf("only %d of %d pipelines have partials", used, count)
	}
}

// comparePartials compares the partials of the pipelines that have any with the
// functions of the whole, and returns the number of partials.
func comparePartials(t *testing.T, entries []testsuite.Entry) int {
	folder := t.TempDir()
	var programs []*backends.Program
	var used []testsuite.Entry
	for _, entry := range entries {
		var options compile.Options
		if entry.Path != "" {
			var err error
			if options.Source, err = os.ReadFile(entry.Path); err != nil {
				t.Fatal(err)
			}
		}
		program, err := compileGuarded(entry.Pipeline, options)
		if err != nil { // a matter of other tests
			t.Logf("%s is not compiled: %v", entry.Name, err)
			continue
		}
		var refused ir.Error
		if program.Partial, err = compile.Partial(entry.Pipeline, options); errors.As(err, &refused) {
			continue
		} else if err != nil {
			t.Fatalf("%s: %v\n%v", entry.Name, err, entry.Pipeline)
		}
		programs, used = append(programs, program), append(used, entry)
	}
	out, err := gocpu.Emitter{}.Emit(programs, backends.Options{Package: "emitted"})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "go.mod"), []byte("module partials\n\ngo 1.23\n"))
	for _, file := range out.Files {
		if formatted, err := format.Source(file.Text); err != nil || !bytes.Equal(formatted, file.Text) {
			t.Errorf("%s is not as gofmt would have it; error %v", file.Name, err)
		}
		refuseState(t, file)
		write(t, filepath.Join(folder, "emitted", file.Name), file.Text)
	}
	harness, err := os.ReadFile("testdata/partials/main.go")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "main.go"), harness)
	write(t, filepath.Join(folder, "table.go"), []byte(partialTable(used, out.Entries)))
	check := func(want string, arguments ...string) {
		command := exec.Command("go", arguments...)
		command.Dir = folder
		if output, err := command.CombinedOutput(); err != nil || string(output) != want {
			t.Errorf("go %v: %v\n%s", arguments, err, output)
		}
	}
	check(fmt.Sprintf("%d pipelines, %d trials\n", len(used), 150*len(used)), "run", ".")
	if entries[0].Path == "" { // vet warns about random pipelines
		return len(used)
	}
	check("", "vet", "./...")
	if tool := os.Getenv("KGEN_STATICCHECK"); tool != "" {
		check("", "run", tool, "./emitted")
	}
	return len(used)
}

// compileGuarded compiles p; a panic is an error.
func compileGuarded(p *ir.Pipeline, options compile.Options) (program *backends.Program, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v", fault)
		}
	}()
	program, _, err = compile.Compile(p, options)
	return program, err
}

// partialTable is Go source of the pipelines and the corpus's arguments.
func partialTable(entries []testsuite.Entry, emitted []backends.Entry) string {
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\t\"math\"\n\n\t\"partials/emitted\"\n)\n\nvar _ = math.NaN\n\nvar pipelines = []pipeline{\n")
	for i, entry := range entries {
		fmt.Fprintf(&b, "{%q, emitted.%s, emitted.%s, []param{\n", entry.Name, emitted[i].Func, emitted[i].NewPartial)
		for j, v := range entry.Pipeline.Params {
			domain := ""
			if !v.Type.IsScalar() {
				domain = v.Type.Domain.Name
			}
			fmt.Fprintf(&b, "{%q, %s},\n", domain, goLiteral(entry.Columns[j], domain == ""))
		}
		b.WriteString("}},\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// goLiteral is a column, or its one element, as an expression of Go.
func goLiteral(c ir.Column, scalar bool) string {
	kind := c.Kind.Stored().String()
	switch c.Kind {
	case ir.Char8:
		kind = "[8]byte"
	case ir.Bool:
	default:
		kind = map[byte]string{'i': "int", 'u': "uint", 'f': "float"}[kind[0]] + kind[1:]
	}
	var elements []string
	for row := range c.Len() {
		s := c.At(row)
		var text string
		switch {
		case c.Kind == ir.Bool:
			text = strconv.FormatBool(s.IsTrue())
		case c.Kind == ir.Char8:
			bytes := s.Bytes()
			text = fmt.Sprintf("{%d, %d, %d, %d, %d, %d, %d, %d}", bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7])
		case c.Kind == ir.F64:
			text = fmt.Sprintf("math.Float64frombits(%#x)", s.Bits)
		case c.Kind == ir.F32:
			text = fmt.Sprintf("float32(math.Float64frombits(%#x))", ir.Float(ir.F64, s.Float64()).Bits)
		case c.Kind.IsUnsigned():
			text = strconv.FormatUint(s.Bits, 10)
		default:
			text = strconv.FormatInt(s.Int64(), 10)
		}
		elements = append(elements, text)
	}
	switch {
	case !scalar:
		return "[]" + kind + "{" + strings.Join(elements, ", ") + "}"
	case c.Kind == ir.Char8:
		return kind + elements[0]
	}
	return kind + "(" + elements[0] + ")"
}
