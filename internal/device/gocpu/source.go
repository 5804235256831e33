package gocpu

import (
	"embed"
	"fmt"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/plan"
)

// Package is an emitted Go package: names of files, without folders, and their text.
type Package struct {
	Name  string
	Files map[string][]byte
}

// Entry is a function of an emitted package that calls can name. Its Go form is
//
//	func OrdersInto(dst *OrdersResult, key, quantity []int64, from int32, options ...Option) error
//
// beside WithWorkers(int) Option, WithScratch(*Scratch) Option and CheckError with the fields
// Site and Row, and in a traced package WithTrace(func(step string, elapsed time.Duration)) Option.
type Entry struct {
	Program string // the name in calls; unique in a build
	Package int    // position in Source.Packages
	Into    string // the function
	Result  string // the type of its results
	Traced  bool
	Params  []Field
	Results []Field
}

// Field is a parameter or a field of the result.
type Field struct {
	Name   string // the Go name; only results are addressed by it
	Kind   plan.Kind
	Scalar bool
}

// Source is everything that goes into one executable.
type Source struct {
	Packages []Package
	Entries  []Entry
}

var goTypes = map[plan.Kind]string{
	plan.Bool: "bool", plan.I8: "int8", plan.I16: "int16", plan.I32: "int32", plan.I64: "int64",
	plan.U8: "uint8", plan.U16: "uint16", plan.U32: "uint32", plan.U64: "uint64",
	plan.F32: "float32", plan.F64: "float64", plan.Date: "int32", plan.Text: "int32", plan.Timestamp: "int64", plan.Char8: "[8]byte",
}

// GoType returns the Go type of an element of f.
func (f Field) GoType() string { return goTypes[f.Kind.Stored()] }

//go:embed harness/harness.go harness/map_linux.go harness/map_other.go harness/processor_linux.go harness/processor_other.go
var harnessFiles embed.FS

// oldestGo is the oldest Go that compiles emitted programs and the harness.
const oldestGo = "1.23"

const goMod = "module kgenrun\n\ngo " + oldestGo + "\n"

var mainTemplate = template.Must(template.New("main").Funcs(template.FuncMap{
	"used": func(s Source) []int {
		var used []int
		seen := map[int]bool{}
		for _, e := range s.Entries {
			if !seen[e.Package] {
				seen[e.Package] = true
				used = append(used, e.Package)
			}
		}
		return used
	},
}).Parse(`package main

import (
	"errors"
	"kgenrun/harness"
{{range used .}}	p{{.}} "kgenrun/p{{.}}"
{{end}})

func main() {
	harness.Serve(map[string]harness.Program{
{{range $i, $e := .Entries}}		{{printf "%q" $e.Program}}: program{{$i}},
{{end}}	})
}
{{range $i, $e := .Entries}}
// Calls come one after the other, and share the memory of intermediate columns.
var scratch{{$i}} p{{.Package}}.Scratch

func program{{$i}}(c *harness.Call) error {
	options := []p{{.Package}}.Option{p{{.Package}}.WithScratch(&scratch{{$i}})}
	if c.Workers > 0 {
		options = append(options, p{{.Package}}.WithWorkers(c.Workers))
	}
{{if .Traced}}	options = append(options, p{{.Package}}.WithTrace(c.Trace))
{{end}}	var out p{{.Package}}.{{.Result}}
{{range $j, $r := .Results}}{{if not .Scalar}}	out.{{.Name}} = harness.Reserved[{{.GoType}}](c, {{$j}})
{{end}}{{end}}	err := p{{.Package}}.{{.Into}}(&out,
{{range $j, $p := .Params}}		harness.{{if .Scalar}}Scalar{{end}}Param[{{.GoType}}](c, {{$j}}),
{{end}}		options...)
	var check *p{{.Package}}.CheckError
	if errors.As(err, &check) {
		return c.FailCheck(int(check.Site), int64(check.Row))
	}
	if err != nil {
		return err
	}
{{range .Results}}	harness.Return{{if .Scalar}}Scalar{{end}}(c, out.{{.Name}})
{{end}}	return nil
}
{{end}}`))

// files returns all files of the module: path within the build folder to text.
func (s Source) files() (map[string][]byte, error) {
	files := map[string][]byte{"go.mod": []byte(goMod)}
	harness, err := harnessFiles.ReadDir("harness")
	if err != nil {
		return nil, err
	}
	for _, f := range harness {
		if files["harness/"+f.Name()], err = harnessFiles.ReadFile("harness/" + f.Name()); err != nil {
			return nil, err
		}
	}
	for i, p := range s.Packages {
		for name, text := range p.Files {
			if name != filepath.Base(name) || !strings.HasSuffix(name, ".go") {
				return nil, fmt.Errorf("package %s: %q is no name of a Go file", p.Name, name)
			}
			files[fmt.Sprintf("p%d/%s", i, name)] = text
		}
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	var main strings.Builder
	if err := mainTemplate.Execute(&main, s); err != nil {
		return nil, err
	}
	files["main.go"] = []byte(main.String())
	return files, nil
}

// check refuses mistakes that would otherwise show as puzzling compile errors.
func (s Source) check() error {
	seen := map[string]bool{}
	for _, e := range s.Entries {
		if seen[e.Program] {
			return fmt.Errorf("two programs are called %q", e.Program)
		}
		seen[e.Program] = true
		if e.Package < 0 || e.Package >= len(s.Packages) {
			return fmt.Errorf("program %q: no package %d", e.Program, e.Package)
		}
		for _, fields := range [][]Field{e.Params, e.Results} {
			for _, f := range fields {
				if f.GoType() == "" {
					return fmt.Errorf("program %q: %s has the unknown kind %q", e.Program, f.Name, f.Kind)
				}
			}
		}
	}
	return nil
}

// SourceOf returns what a backend has emitted as Build takes it.
func SourceOf(output *backends.Output) Source {
	files := map[string][]byte{}
	for _, f := range output.Files {
		files[f.Name] = f.Text
	}
	s := Source{Packages: []Package{{Files: files}}}
	for _, e := range output.Entries {
		entry := Entry{Program: e.Pipeline, Into: e.Into, Result: e.Result, Traced: true}
		for _, f := range e.Params {
			entry.Params = append(entry.Params, Field(f))
		}
		for _, f := range e.Results {
			entry.Results = append(entry.Results, Field(f))
		}
		s.Entries = append(s.Entries, entry)
	}
	return s
}
