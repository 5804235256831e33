package gocpu

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/templates"
)

// Emitter emits Go.
type Emitter struct{}

// Name returns the name of the backend.
func (Emitter) Name() string { return "gocpu" }

// hasTexts reports whether callers of a program need the dictionary.
func hasTexts(program *backends.Program) bool {
	return slices.ContainsFunc(program.Pipeline.Values, func(v *ir.Value) bool { return v.Type.Kind == ir.Text })
}

// Emit makes a file per program and the support file, all of one package.
func (Emitter) Emit(programs []*backends.Program, options backends.Options) (*backends.Output, error) {
	name := options.Package
	if name == "" {
		name = "pipelines"
	}
	out := &backends.Output{}
	p, files := newPrinter(), backends.FileNames{}
	partials := false
	for _, taken := range supportNames {
		p.names.FreshAsIs(taken)
	}
	hosts := make([]*host, len(programs)) // all first: the names of functions before what goes with them
	for i, program := range programs {
		if err := refuse(program); err != nil {
			return nil, err
		}
		hosts[i] = newHost(p, program, options)
	}
	for i, program := range programs {
		h := hosts[i]
		file := newFile(name, program.Pipeline)
		for _, line := range StaticcheckComments(program.Pipeline) {
			file.PackageComment(line + "\n")
		}
		for _, code := range h.emit() {
			file.Add(code).Line()
		}
		if program.Partial != nil {
			partials = true
			for _, code := range h.partial(program.Partial) {
				file.Add(code).Line()
			}
		}
		if h.fault != nil {
			return nil, h.fault
		}
		var text bytes.Buffer
		if err := file.Render(&text); err != nil {
			return nil, fmt.Errorf("pipeline %s: the emitted Go is malformed (a bug of kgen): %w", program.Pipeline.Name, err)
		}
		formatted, err := stable(text.Bytes())
		if err != nil {
			return nil, err
		}
		h.entry.Base = files.Base(program.Pipeline.Name, isSpecialName)
		out.Files = append(out.Files, backends.File{Name: h.entry.Base + ".go", Text: formatted})
	}
	for _, h := range hosts {
		if len(h.vectors) > 0 {
			file, err := simdFile(h, name)
			if err != nil {
				return nil, err
			}
			out.Files = append(out.Files, file)
		} else {
			out.Without = append(out.Without, h.entry.Base+simdSuffix)
		}
		if options.Kernels != "" { // after all plain forms, which have their names first
			file, err := deviceFile(h, name, h.entry.Base, options.Kernels)
			if err != nil {
				return nil, err
			}
			out.Files = append(out.Files, file)
		}
		out.Entries = append(out.Entries, h.entry)
	}
	out.Files = append(out.Files, backends.File{Name: SupportName, Text: Support(name)})
	if partials {
		out.Files = append(out.Files, backends.File{Name: partialName, Text: SupportFile(name, templates.GoPartial)})
	}
	if slices.ContainsFunc(programs, hasTexts) {
		out.Files = append(out.Files, backends.File{Name: textsName, Text: SupportFile(name, templates.GoTexts)})
	}
	if options.Trace {
		out.Files = append(out.Files, backends.File{Name: traceName, Text: SupportFile(name, templates.GoTrace)})
	}
	return out, nil
}

// newFile returns a file of a pipeline with its first lines.
func newFile(pkg string, p *ir.Pipeline) *jen.File {
	file := jen.NewFile(pkg)
	file.HeaderComment(backends.Generated())
	if source := p.Pos.Base().File; source != "" {
		file.HeaderComment("Source: " + source)
	}
	return file
}

// stable formats text until gofmt would leave it as it is, which it may not at
// once with the comments of users.
func stable(text []byte) ([]byte, error) {
	for range 4 {
		formatted, err := format.Source(text)
		if err != nil || bytes.Equal(formatted, text) {
			return formatted, err
		}
		text = formatted
	}
	return text, nil
}

// Loops returns the loop IR of the functions that the pipeline calls.
func (Emitter) Loops(program *backends.Program, options backends.Options) (string, error) {
	if err := refuse(program); err != nil {
		return "", err
	}
	h := newHost(newPrinter(), program, backends.Options{SIMD: options.SIMD})
	h.emit()
	return h.loops.String(), h.fault
}

// goTypeOf is the Go type of an element of a port.
func goTypeOf(k plan.Kind) *jen.Statement {
	switch k = k.Stored(); k {
	case plan.Bool:
		return jen.Bool()
	case plan.F32:
		return jen.Float32()
	case plan.F64:
		return jen.Float64()
	case plan.Date, plan.Text:
		return jen.Int32()
	case plan.Timestamp:
		return jen.Int64()
	case plan.Char8:
		return jen.Index(jen.Lit(8)).Byte()
	}
	name := "int" + string(k[1:])
	if k[0] == 'u' {
		name = "u" + name
	}
	return jen.Id(name)
}

// kindOf returns the element type that a plan calls k.
func kindOf(k plan.Kind) ir.Kind {
	kind, ok := ir.KindByName(string(k.Stored()))
	if !ok {
		panic("gocpu: no kind " + string(k))
	}
	return kind
}

// StaticcheckComments returns the comments that emitted text needs in order to
// pass staticcheck: for a pipeline that combines a value with itself, or with a
// constant that decides the result.
func StaticcheckComments(p *ir.Pipeline) (comments []string) {
	note := func(comment string) {
		if !slices.Contains(comments, comment) {
			comments = append(comments, comment)
		}
	}
	for _, v := range p.Values {
		if !v.Op.IsElementwise() || len(v.Args) != 2 {
			continue
		}
		x, y := v.Args[0], v.Args[1]
		if x == y {
			note("//lint:file-ignore SA4000 The pipeline has one value on both sides of an operator.")
		}
		if zero := (ir.Scalar{Kind: v.Type.Kind}); v.Op == ir.OpAnd || v.Op == ir.OpOr || v.Op == ir.OpXor {
			if x.Op == ir.OpConst && x.Const == zero || y.Op == ir.OpConst && y.Const == zero {
				note("//lint:file-ignore SA4016 The pipeline has 0 beside an operator on bits.")
			}
		}
		if v.Op == ir.OpRem && y.Op == ir.OpConst && y.Const == ir.Int(v.Type.Kind, 1) {
			note("//lint:file-ignore SA4028 The pipeline has a remainder of 1.")
		}
	}
	return comments
}
