package kgen

import (
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/ir"
)

// Program is a verified pipeline, for any device. It is safe for concurrent use.
type Program struct {
	source   *build.Source
	pipeline *ir.Pipeline
	embedded embedded
}

// embedded are kernels that were compiled earlier; files is nil if there are none.
type embedded struct {
	files fs.FS
	name  string
}

// Compile reads the text of pipelines and verifies the one called name, or with the name
// "" the only one. The error is an [ir.ErrorList] with positions and lines if the text is
// wrong.
func Compile(text, name string) (*Program, error) {
	return compile("pipeline", []byte(text), name)
}

// CompileFile is [Compile] for the text of a file.
func CompileFile(path, name string) (*Program, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return compile(path, text, name)
}

// compile compiles a text, which errors call by the name of its file.
func compile(file string, text []byte, name string) (*Program, error) {
	pipelines, errs := ir.Load(file, text)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return choose(&build.Source{Text: text, Pipelines: pipelines}, file, name)
}

// Embedded returns the program of a pipeline whose kernels kgen emit --go has compiled, and
// which emitted Go embeds: name is that of their files. On a device of their backend they run
// as they are, unless [Level] or [Schedule] asks for others; any other device compiles the
// text.
func Embedded(text string, kernels fs.FS, name string) (*Program, error) {
	p, err := compile("pipeline", []byte(text), "")
	if err != nil {
		return nil, err
	}
	p.embedded = embedded{kernels, name}
	return p, nil
}

// CompileBuilder verifies the pipeline that a builder has made.
func CompileBuilder(b *ir.Builder) (*Program, error) {
	p, err := b.Pipeline()
	if err != nil {
		return nil, err
	}
	return Of(&build.Source{Pipelines: []*ir.Pipeline{p}}, p), nil
}

// Of returns the program of one pipeline of a source.
func Of(source *build.Source, p *ir.Pipeline) *Program { return &Program{source: source, pipeline: p} }

func choose(source *build.Source, file, name string) (*Program, error) {
	var names []string
	for _, p := range source.Pipelines {
		if p.Name == name || name == "" && len(source.Pipelines) == 1 {
			return Of(source, p), nil
		}
		names = append(names, p.Name)
	}
	switch {
	case len(names) == 0:
		return nil, usage("%s: there is no pipeline in it", file)
	case name == "":
		return nil, usage("%s has the pipelines %s: choose one by its name", file, strings.Join(names, ", "))
	}
	return nil, usage("%s has no pipeline %s; it has %s", file, name, strings.Join(names, ", "))
}

// Reproducible returns p with float sums that have the same bits on every device, as in a
// pipeline that returns reproducible. Kernels that were compiled earlier are not of it.
func (p *Program) Reproducible() *Program { return Of(p.source, p.pipeline.WithReproducible(true)) }

// Pipeline returns the operator graph, with its parameters, results and warnings.
func (p *Program) Pipeline() *ir.Pipeline { return p.pipeline }

// Texts returns the strings that the pipeline compares texts with. A dictionary for its
// calls has to have them: [NewTexts].
func (p *Program) Texts() []string {
	var list []string
	for _, v := range p.pipeline.Params {
		if v.Literal != nil {
			list = append(list, *v.Literal)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Failed returns a failed check of the pipeline with the line of its text.
func (p *Program) Failed(e *ir.CheckError) error {
	return &CheckError{Site: e.Site, Row: e.Row, source: p.source}
}
