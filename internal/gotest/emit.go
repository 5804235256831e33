package gotest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/templates"
)

// SupportName is the file that all tests of a package share, shardsName the one that those
// of partials do, and deviceName that of forms on a device.
const (
	SupportName = "kgen_support_test.go"
	shardsName  = "kgen_partial_test.go"
	deviceName  = "kgen_device_test.go"
)

// Emit prints the tests of the functions that gocpu emitted for some
// pipelines, for the same package: a file per pipeline and the one they share.
func Emit(pipelines []*ir.Pipeline, emitted *backends.Output, options backends.Options) ([]backends.File, error) {
	var files []backends.File
	for i, p := range pipelines {
		w := newWriter(p, emitted.Entries[i])
		text, err := w.file(options.Package)
		if err != nil {
			return nil, err
		}
		files = append(files, backends.File{Name: w.entry.Base + "_kgen_test.go", Text: text})
		if w.entry.On != "" {
			onDevice, err := w.deviceFile(options.Package)
			if err != nil {
				return nil, err
			}
			files = append(files, onDevice)
		}
	}
	files = append(files, backends.File{Name: SupportName, Text: gocpu.SupportFile(options.Package, templates.GoProperty)})
	if slices.ContainsFunc(emitted.Entries, func(e backends.Entry) bool { return e.On != "" }) {
		files = append(files, backends.File{Name: deviceName, Text: gocpu.SupportFile(options.Package, templates.GoDevice)})
	}
	if slices.ContainsFunc(emitted.Entries, func(e backends.Entry) bool { return e.Partial != "" }) {
		files = append(files, backends.File{Name: shardsName, Text: gocpu.SupportFile(options.Package, templates.GoShards)})
	}
	return files, nil
}

func newWriter(p *ir.Pipeline, entry backends.Entry) *writer {
	p = p.WithReproducible(false) // the reference adds as Go does, so the bound of any order holds
	w := &writer{pipeline: p, entry: entry, hints: hintsOf(p), fresh: gocpu.NewNames(),
		names: map[*ir.Value]string{}, rights: map[*ir.Value]string{}, lengths: map[*ir.Domain]string{}, uses: map[*ir.Value]int{}}
	for _, v := range p.Values {
		for _, o := range v.Operands() {
			w.uses[o]++
		}
		w.scaled = w.scaled || p.Inexact(v)
	}
	for _, name := range []string{entry.Func, entry.Into} { // which a parameter is perhaps called too, where they are not exported
		w.fresh.FreshAsIs(name)
	}
	for _, name := range []string{"i", "j", "g", "d", "k", "at", "want", "scale", "failed", "result", "err", "cmp", "testing", "time"} {
		w.fresh.Fresh(name)
	}
	return w
}

// file prints the test file of one pipeline.
func (w *writer) file(pkg string) ([]byte, error) {
	p, entry := w.pipeline, w.entry
	w.subject()
	w.tests()
	if entry.Partial != "" {
		w.partial()
	}
	w.example()
	if w.fault != nil {
		return nil, w.fault
	}
	body := w.String()
	imports, err := importsOf(body)
	if err != nil {
		return nil, fmt.Errorf("pipeline %s: the printed test is malformed (a bug of kgen): %w", p.Name, err)
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "// %s\n\n%s\n\npackage %s\n\nimport (\n%s\n)\n\n%s", backends.Generated(), strings.Join(gocpu.StaticcheckComments(p), "\n"), pkg, strings.Join(imports, "\n"), body)
	formatted, err := format.Source(text.Bytes())
	if err != nil {
		return nil, fmt.Errorf("pipeline %s: the printed test is malformed (a bug of kgen): %w", p.Name, err)
	}
	return formatted, nil
}

// importsOf returns the quoted paths of the packages that declarations name. No variable is called like one.
func importsOf(declarations string) (imports []string, err error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+declarations, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok {
				named[x.Name] = true
			}
		}
		return true
	})
	for _, name := range []string{"cmp", "fmt", "math", "math/bits", "testing", "time"} {
		if named[path.Base(name)] {
			imports = append(imports, strconv.Quote(name))
		}
	}
	return imports, nil
}

// typeName is the type of the pipeline's subject under test.
func (w *writer) typeName() string { return "kgenOf" + exported(w.entry.Func) }

// exported is a Go name as other packages could see it.
func exported(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// fieldType is the Go type of a parameter.
func fieldType(v *ir.Value) string {
	if v.Type.IsScalar() {
		return goTypeOf(v.Type.Kind)
	}
	return "[]" + goTypeOf(v.Type.Kind)
}

// subject prints the type that the shared tests drive: arguments, call,
// reference and comparison.
func (w *writer) subject() {
	p, name := w.pipeline, w.typeName()
	w.line("// %s is a call of %s.", name, w.entry.Func)
	w.line("type %s struct {", name)
	w.line("in struct {")
	var arguments, parameters []string
	for _, v := range p.Params {
		name := w.fresh.Fresh(v.Name)
		w.names[v] = name
		arguments = append(arguments, "k.in."+name)
		parameters = append(parameters, name+" "+fieldType(v))
		w.line("%s %s", name, fieldType(v))
	}
	w.line("}")
	w.line("dst, want %s", w.entry.Result)
	w.line("failed *CheckError // as the reference has it")
	if w.scaled {
		w.line("additions int // bound the rounding errors of sums")
		w.line("scale float64")
	}
	w.line("}\n")

	w.line("func (k *%s) draw(d *kgenData) {", name)
	w.drawArguments()
	if w.scaled {
		w.line("k.additions = %s", w.additions())
	}
	w.line("k.want, %sk.failed = k.reference(%s)", strings.ReplaceAll(w.scaleText(), "scale", "k.scale"), strings.Join(arguments, ", "))
	w.line("}\n")
	call := append([]string{"&k.dst"}, append(slices.Clone(arguments), "options...")...)
	w.line("func (k *%s) call(options ...Option) error {\nreturn %s(%s)\n}\n", name, w.entry.Into, strings.Join(call, ", "))
	w.differ(name)
	w.line("func (k *%s) arguments() any { return k.in }\n", name)
	var sizes []string
	for i, v := range p.Params {
		if !v.Type.IsScalar() {
			sizes = append(sizes, "kgenSizeOf("+arguments[i]+")")
		}
	}
	w.line("func (k *%s) bytes() int { return %s }\n", name, strings.Join(append(sizes, "0")[:max(1, len(sizes))], " + "))

	result := fmt.Sprintf("want %s, failed *CheckError", w.entry.Result)
	if w.scaled {
		result = fmt.Sprintf("want %s, scale float64, failed *CheckError", w.entry.Result)
	}
	w.line("// reference computes %s one operator after the other.", w.entry.Func)
	w.line("func (*%s) reference(%s) (%s) {", name, strings.Join(parameters, ", "), result)
	clear(w.lengths)
	for _, v := range p.Params {
		if d := v.Type.Domain; d != nil && w.lengths[d] == "" {
			w.lengths[d] = "len(" + w.names[v] + ")"
		}
	}
	w.reference()
	w.line("return want, %snil\n}\n", w.scaleText())
}

// additions bounds how many roundings a float sum may have; those of an f32
// count as as many of an f64 as they weigh.
func (w *writer) additions() string {
	rows := "d.rows"
	for _, v := range w.pipeline.Values {
		switch v.Op {
		case ir.OpRepeat:
			rows += fmt.Sprintf("*%d", mostBins)
		case ir.OpJoin:
			rows += "*d.rows"
		}
	}
	for _, v := range w.pipeline.Values {
		if v.Type.Kind == ir.F32 && w.pipeline.Inexact(v) {
			return "(" + rows + " + 1) << 29"
		}
	}
	return rows + " + 1"
}

// drawArguments prints how the arguments are made: numbers of bins, which bound
// others, then what remains.
func (w *writer) drawArguments() {
	w.fewRows()
	for _, v := range w.pipeline.Params {
		if d := v.Type.Domain; d != nil && w.lengths[d] == "" {
			number := len(w.lengths)
			w.lengths[d] = w.fresh.Fresh(d.Name)
			w.line("%s := d.length(%d)", w.lengths[d], number)
		}
	}
	for _, v := range w.pipeline.Params {
		if w.hints.sizes[v] {
			w.line("k.in.%s = kgenSize[%s](d)", w.names[v], goTypeOf(v.Type.Kind))
		}
	}
	for _, v := range w.pipeline.Params {
		switch {
		case w.hints.sizes[v]:
		case !v.Type.IsScalar():
			w.line("k.in.%s = %s", w.names[v], w.draw(v, w.lengths[v.Type.Domain]))
		case v.Const.Kind != ir.Invalid:
			w.line("k.in.%s = kgenIf(d.IntN(2) == 0, %s, %s[0])", w.names[v], w.constant(v.Const), w.draw(v, "1"))
		default:
			w.line("k.in.%s = %s[0]", w.names[v], w.draw(v, "1"))
		}
	}
}

// differ prints the comparison of the results with the reference's.
func (w *writer) differ(name string) {
	w.line("func (k *%s) differ(err error) string {", name)
	w.line("if err != nil || k.failed != nil {\nreturn kgenDifferError(err, k.failed)\n}")
	w.line("return cmp.Or(")
	for i, r := range w.pipeline.Results {
		field := w.entry.Results[i].Name
		got, want, kind := "k.dst."+field, "k.want."+field, r.Value.Type.Kind
		if r.Value.Type.IsScalar() {
			got, want = fmt.Sprintf("[]%s{%s}", goTypeOf(kind), got), fmt.Sprintf("[]%s{%s}", goTypeOf(kind), want)
		}
		switch {
		case !kind.IsFloat():
			w.line("kgenDiffer(%q, %s, %s),", field, got, want)
		case w.pipeline.Inexact(r.Value):
			w.line("kgenDifferFloats(%q, %s, %s, k.additions, k.scale),", field, got, want)
		default:
			w.line("kgenDifferFloats(%q, %s, %s, 0, 0),", field, got, want)
		}
	}
	w.line(")\n}\n")
}

// tests prints the functions that go test finds.
func (w *writer) tests() {
	name, title := w.typeName(), exported(w.entry.Func)
	w.line("func TestKgen%s(t *testing.T) { kgenTest(t, func() kgenSubject { return new(%s) }) }\n", title, name)
	w.line("func FuzzKgen%s(f *testing.F) { kgenFuzz(f, func() kgenSubject { return new(%s) }) }\n", title, name)
	w.line("func BenchmarkKgen%s(b *testing.B) { kgenBenchmark(b, new(%s)) }\n", title, name)
}
