package gocpu

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/ir/loop"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/tile"
)

// host writes the functions that users call: they check the arguments, make
// the buffers, run the steps of the plan and hand the results over.
type host struct {
	*printer
	program *backends.Program
	plan    *plan.Plan
	env     environment
	entry   backends.Entry
	fields  map[string]string // result label to field
	trace   bool
	body    []jen.Code
	lengths []declaredLength
	kernels []jen.Code // the kernels' functions
	loops   loop.Program
	limited map[string]bool // domains whose length has been checked
	fault   error           // what the check of the loop IR found
}

// declaredLength is the statement that names the length of a domain.
type declaredLength struct {
	place int // in the body
	v     *loop.Var
}

func newHost(p *printer, program *backends.Program) *host {
	h := &host{printer: p, program: program, plan: program.Plan, fields: map[string]string{}, limited: map[string]bool{},
		env: environment{buffers: map[string]*loop.Var{}, scalars: map[string]loop.Expr{}}}
	name := exportedName(program.Pipeline.Name)
	h.entry = backends.Entry{Pipeline: program.Pipeline.Name, Func: p.names.FreshAsIs(name)}
	h.entry.Into = p.names.FreshAsIs(h.entry.Func + "Into")
	h.entry.Result = p.names.FreshAsIs(h.entry.Func + "Result")
	taken := map[string]bool{}
	for _, port := range h.plan.Ports {
		field := backends.Field{Name: port.Name, Kind: port.Kind, Scalar: port.Buffer == ""}
		if port.Direction == plan.In {
			h.entry.Params = append(h.entry.Params, field)
			continue
		}
		field.Name = exportedName(port.Name)
		for i := 2; taken[field.Name]; i++ {
			field.Name = fmt.Sprintf("%s%d", exportedName(port.Name), i)
		}
		taken[field.Name] = true
		h.fields[port.Name] = field.Name
		h.entry.Results = append(h.entry.Results, field)
	}
	return h
}

// emit returns the declarations of the pipeline.
func (h *host) emit() []jen.Code {
	h.names.Push()
	defer h.names.Pop()
	result := h.entry.Result
	for _, name := range []string{"result", "options", "err", "trace"} {
		h.names.Fresh(name)
	}
	params, arguments := h.parameters()
	h.arguments()
	h.steps()
	h.results()
	h.dropLengths()
	options := jen.Id("options").Op("...").Id("Option")
	code := []jen.Code{
		h.resultType(result),
		h.doc().Func().Id(h.entry.Func).Params(append(params[:len(params):len(params)], options)...).
			Params(jen.Id(result), jen.Error()).Block(
			jen.Var().Id("result").Id(result),
			jen.Id("err").Op(":=").Id(h.entry.Into).Call(append(append([]jen.Code{jen.Op("&").Id("result")}, arguments...), jen.Id("options").Op("..."))...),
			jen.Return(jen.Id("result"), jen.Id("err"))),
		jen.Commentf("%s is %s with the memory of result used again where it is large enough.", h.entry.Into, h.entry.Func).Line().
			Func().Id(h.entry.Into).Params(append(append([]jen.Code{jen.Id("result").Op("*").Id(result)}, params...), options)...).
			Error().Block(h.body...),
	}
	return append(code, h.kernels...)
}

// doc is the comment of the pipeline, and its text.
func (h *host) doc() *jen.Statement {
	p := h.program.Pipeline
	code := &jen.Statement{}
	text := strings.TrimSpace(p.Doc)
	if text == "" {
		text = fmt.Sprintf("runs the pipeline %s.", p.Name)
	}
	for i, line := range strings.Split(text, "\n") {
		if i == 0 {
			line = h.entry.Func + ": " + line
		}
		code.Comment(strings.TrimRight("// "+line, " ")).Line()
	}
	code.Comment("//").Line()
	for _, line := range strings.Split(strings.TrimSpace(withoutDoc(p.String())), "\n") {
		code.Comment("//\t" + line).Line()
	}
	return code
}

// withoutDoc is a pipeline's text without the comment above it.
func withoutDoc(text string) string {
	for strings.HasPrefix(text, "//") {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}

func (h *host) resultType(name string) jen.Code {
	var fields []jen.Code
	for _, port := range h.plan.Ports {
		if port.Direction != plan.Out {
			continue
		}
		field := jen.Id(h.fields[port.Name])
		if port.Buffer != "" {
			field.Index()
		}
		field.Add(goTypeOf(port.Kind))
		if port.Domain != "" {
			field.Comment("a row per row of " + port.Domain)
		}
		fields = append(fields, field)
	}
	return jen.Commentf("%s is what %s computes. Columns over one domain have one length.", name, h.entry.Func).Line().
		Type().Id(name).Struct(fields...)
}

// parameters declares the pipeline's parameters, and returns them and the
// arguments that pass them on.
func (h *host) parameters() (params, arguments []jen.Code) {
	for _, port := range h.plan.Ports {
		if port.Direction != plan.In {
			continue
		}
		t := loop.ScalarOf(kindOf(port.Kind))
		if port.Buffer != "" {
			t = loop.SliceOf(t).AsReadOnly()
		}
		v := &loop.Var{Name: port.Name, T: t}
		name := h.names.Declare(v)
		param := jen.Id(name)
		switch {
		case port.Buffer != "":
			h.env.buffers[port.Buffer] = v
			param.Index()
		case port.Kind == plan.Char8: // 8 bytes to the caller, a number here
			v = &loop.Var{Name: port.Name + "_bits", T: t}
			bits := jen.Qual("encoding/binary", "BigEndian").Dot("Uint64").Call(jen.Id(name).Index(jen.Op(":")))
			h.add(jen.Id(h.names.Declare(v)).Op(":=").Add(bits))
			h.env.scalars[port.Scalar] = v
		default:
			h.env.scalars[port.Scalar] = v
		}
		params = append(params, param.Add(goTypeOf(port.Kind)))
		arguments = append(arguments, jen.Id(name))
	}
	return params, arguments
}

// add appends statements to the function's body.
func (h *host) add(code ...jen.Code) { h.body = append(h.body, code...) }

// arguments names the lengths of the parameters' domains and requires that all
// columns over one have it.
func (h *host) arguments() {
	rows := []jen.Code{}
	for _, d := range h.plan.Domains {
		if !d.Len.IsZero() {
			continue
		}
		var length *loop.Var
		for _, port := range h.plan.Ports {
			if port.Direction != plan.In || port.Domain != d.Name {
				continue
			}
			column, _ := h.names.Of(h.env.buffers[port.Buffer])
			if length == nil {
				length = &loop.Var{Name: d.Name, T: loop.Counter}
				h.lengths = append(h.lengths, declaredLength{len(h.body), length})
				name := h.names.Declare(length)
				h.add(jen.Id(name).Op(":=").Len(jen.Id(column)))
				h.env.scalars[lengthKey(d.Name)] = loop.ToKind(kindOf(plan.I64), length)
				rows = append(rows, jen.Id(name))
				continue
			}
			text := fmt.Sprintf("%s: %s has %%d rows, the columns over %s before it have %%d", h.entry.Func, port.Name, d.Name)
			h.add(jen.If(jen.Len(jen.Id(column)).Op("!=").Add(h.use(length))).Block(
				jen.Return(jen.Qual("fmt", "Errorf").Call(jen.Lit(text), jen.Len(jen.Id(column)), h.use(length)))))
		}
	}
	h.env.workers = &loop.Var{Name: "workers", T: loop.Counter}
	if len(rows) == 0 {
		rows = append(rows, jen.Lit(1))
	}
	most := rows[0]
	if len(rows) > 1 {
		most = jen.Id("max").Call(rows...)
	}
	name := h.names.Declare(h.env.workers)
	h.add(jen.Id(name).Op(":=").Id("kgenWorkers").Call(jen.Id("options"), most, jen.Lit(parallelRows)))
}

// steps writes the plan's steps.
func (h *host) steps() {
	buffers := map[string]plan.Buffer{}
	for _, b := range h.plan.Buffers {
		buffers[b.Name] = b
	}
	used, workers := false, len(h.body)-1 // the last statement of arguments
	h.trace = h.trace && slices.ContainsFunc(h.plan.Steps, func(s plan.Step) bool { return s.Launch != nil })
	if h.trace {
		h.add(jen.Id("trace").Op(":=").Id("kgenStartTrace").Call(jen.Id("options")))
	}
	for i, step := range h.plan.Steps {
		switch {
		case step.Alloc != nil:
			h.alloc(buffers[step.Alloc.Buffer])
		case step.Init != nil:
			h.fill(buffers[step.Init.Buffer])
		case step.Launch != nil:
			if h.trace && i > 0 && h.plan.Steps[i-1].Launch == nil {
				h.mark("allocate")
			}
			for j, k := range h.plan.Kernels {
				if k.Name == step.Launch.Kernel {
					used = h.launch(j, step.Launch) || used
				}
			}
			if h.trace {
				h.mark(step.Launch.Kernel)
			}
		}
	}
	if !used { // no kernel can be split
		h.body = slices.Delete(h.body, workers, workers+1)
	}
	for _, l := range h.lengths {
		h.used[l.v] = h.used[l.v] || used // by the number of workers
	}
}

// dropLengths removes the lengths that nothing needs: of a single column that
// is a result as it is.
func (h *host) dropLengths() {
	for _, l := range slices.Backward(h.lengths) {
		if !h.used[l.v] {
			h.body = slices.Delete(h.body, l.place, l.place+1)
		}
	}
}

// mark ends a step of the trace.
func (h *host) mark(step string) { h.add(jen.Id("trace").Dot("end").Call(jen.Lit(step))) }

// launch writes a kernel, and reports whether it uses workers.
func (h *host) launch(index int, launch *plan.Launch) bool {
	k := newKernel(h.program.Kernels[index], sourceLines(h.program.Source))
	known := map[string]bool{}
	for name := range h.env.scalars {
		known[name] = true
	}
	h.know(k)
	lb := loop.NewBuilder("launch")
	functions := k.drive(lb, h.env, h.counter(launch.Rows))
	var made []loop.Expr // what later steps read
	for _, op := range k.Ops {
		if x, ok := h.env.scalars[op.Ref]; ok && op.HasEffect() && op.Ref != "" && !known[op.Ref] {
			made = append(made, x)
		}
	}
	f := lb.Func(made...)
	loop.RemoveUnread(f)
	h.verify(functions)
	h.loops.Funcs = append(h.loops.Funcs, functions...)
	for _, function := range functions {
		function.Doc = h.funcName(function) + " " + function.Doc
		h.kernels = append(h.kernels, h.function(function))
	}
	h.add(h.statements(f.Body)...)
	uses := false
	loop.Walk(f.Body, func(x loop.Expr) { uses = uses || x == loop.Expr(h.env.workers) })
	return uses
}

// verify checks what lowering made; the functions call each other.
func (h *host) verify(functions []*loop.Func) {
	if err := loop.Verify(&loop.Program{Name: h.entry.Func, Funcs: functions}, loop.Cores); err != nil {
		h.fault = fmt.Errorf("pipeline %s: internal error after lowering to loops: %w", h.program.Pipeline.Name, err)
	}
}

// know puts the lengths that k asks for among the scalars.
func (h *host) know(k *kernel) {
	for _, d := range h.plan.Domains {
		asked := d.Name == k.Domains[0].Plan
		for i := range k.Ops {
			asked = asked || k.Ops[i].Kind == tile.Length && k.Ops[i].Ref == d.Name
		}
		if _, known := h.env.scalars[lengthKey(d.Name)]; asked && !known {
			h.env.scalars[lengthKey(d.Name)] = loop.ToKind(ir.I64, h.length(d.Name))
		}
	}
}
