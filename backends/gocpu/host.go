package gocpu

import (
	"fmt"
	"math"
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
	into    string            // name of the function that fills a result
	result  string            // name of the type of results
	body    []jen.Code
	kernels []jen.Code // the kernels' functions
	loops   loop.Program
	limited map[string]bool // domains whose length has been checked
	fault   error           // what the check of the loop IR found
}

func newHost(p *printer, program *backends.Program) *host {
	h := &host{printer: p, program: program, plan: program.Plan, fields: map[string]string{}, limited: map[string]bool{},
		env: environment{buffers: map[string]*loop.Var{}, scalars: map[string]loop.Expr{}}}
	name := exportedName(program.Pipeline.Name)
	h.entry = backends.Entry{Pipeline: program.Pipeline.Name, Func: p.freshExported(name)}
	h.into = p.freshExported(h.entry.Func + "Into")
	h.result = p.freshExported(h.entry.Func + "Result")
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
	h.names.push()
	defer h.names.pop()
	result := h.result
	for _, name := range []string{"result", "options", "err"} {
		h.names.scopes[len(h.names.scopes)-1][name] = true
	}
	params, arguments := h.parameters()
	h.arguments()
	h.steps()
	h.results()
	options := jen.Id("options").Op("...").Id("Option")
	code := []jen.Code{
		h.resultType(result),
		h.doc().Func().Id(h.entry.Func).Params(append(params[:len(params):len(params)], options)...).
			Params(jen.Id(result), jen.Error()).Block(
			jen.Var().Id("result").Id(result),
			jen.Id("err").Op(":=").Id(h.into).Call(append(append([]jen.Code{jen.Op("&").Id("result")}, arguments...), jen.Id("options").Op("..."))...),
			jen.Return(jen.Id("result"), jen.Id("err"))),
		jen.Commentf("%s is %s with the memory of result used again where it is large enough.", h.into, h.entry.Func).Line().
			Func().Id(h.into).Params(append(append([]jen.Code{jen.Id("result").Op("*").Id(result)}, params...), options)...).
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
		name := h.names.declare(v)
		param := jen.Id(name)
		switch {
		case port.Buffer != "":
			h.env.buffers[port.Buffer] = v
			param.Index()
		case port.Kind == plan.Char8: // 8 bytes to the caller, a number here
			v = &loop.Var{Name: port.Name + "_bits", T: t}
			bits := jen.Qual("encoding/binary", "BigEndian").Dot("Uint64").Call(jen.Id(name).Index(jen.Op(":")))
			h.add(jen.Id(h.names.declare(v)).Op(":=").Add(bits))
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
			column := h.names.of[h.env.buffers[port.Buffer]]
			if length == nil {
				length = &loop.Var{Name: d.Name, T: loop.Counter}
				h.add(jen.Id(h.names.declare(length)).Op(":=").Len(jen.Id(column)))
				h.env.scalars[lengthKey(d.Name)] = loop.ToKind(kindOf(plan.I64), length)
				rows = append(rows, h.use(length))
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
	name := h.names.declare(h.env.workers)
	h.add(jen.Id(name).Op(":=").Id("kgenWorkers").Call(jen.Id("options"), most, jen.Lit(parallelRows)))
}

// steps writes the plan's steps.
func (h *host) steps() {
	buffers := map[string]plan.Buffer{}
	for _, b := range h.plan.Buffers {
		buffers[b.Name] = b
	}
	used, workers := false, len(h.body)-1 // the last statement of arguments
	for _, step := range h.plan.Steps {
		switch {
		case step.Alloc != nil:
			h.alloc(buffers[step.Alloc.Buffer])
		case step.Init != nil:
			h.fill(buffers[step.Init.Buffer])
		case step.Launch != nil:
			for i, k := range h.plan.Kernels {
				if k.Name == step.Launch.Kernel {
					used = h.launch(i, step.Launch) || used
				}
			}
		}
	}
	if !used { // no kernel can be split
		h.body = slices.Delete(h.body, workers, workers+1)
	}
}

// counter is a plan expression as a count of rows.
func (h *host) counter(e plan.Expr) loop.Expr {
	arg := func(i int) loop.Expr { return h.counter(e.Args[i]) }
	switch e.Op {
	case plan.OpConst:
		return loop.Int(e.Const)
	case plan.OpScalar:
		return loop.ToCounter(h.env.scalars[e.Name])
	case plan.OpLen:
		return h.length(e.Name)
	case plan.OpAdd:
		return loop.Add(arg(0), arg(1))
	case plan.OpSub:
		return loop.Sub(arg(0), arg(1))
	case plan.OpMax:
		return loop.Greatest(arg(0), arg(1))
	case plan.OpMin:
		return loop.Least(arg(0), arg(1))
	case plan.OpLt:
		return loop.Lt(arg(0), arg(1))
	case plan.OpCeilDiv:
		divisor := e.Args[1].Const
		return loop.Div(loop.Add(arg(0), loop.Int(divisor-1)), loop.Int(divisor))
	}
	panic("gocpu: no Go for the plan's " + string(e.Op))
}

// length returns the length of a domain of the plan.
func (h *host) length(domain string) loop.Expr {
	if x, ok := h.env.scalars[lengthKey(domain)]; ok {
		return loop.ToCounter(x)
	}
	for _, d := range h.plan.Domains {
		if d.Name == domain {
			return h.counter(d.Len)
		}
	}
	panic("gocpu: no domain " + domain)
}

// alloc makes a buffer: a result's in the memory that the caller gave, if that
// is large enough.
func (h *host) alloc(b plan.Buffer) {
	v := &loop.Var{Name: b.Name, T: loop.SliceOf(loop.ScalarOf(kindOf(b.Kind)))}
	if b.Role == plan.Errors {
		h.env.buffers[errorsName] = v
		v.Name = "failed"
	}
	h.limit(b)
	length := h.expr(h.counter(b.Length)).code
	h.env.buffers[b.Name] = v
	for _, port := range h.plan.Ports {
		if port.Direction == plan.Out && port.Buffer == b.Name {
			field := jen.Id("result").Dot(h.fields[port.Name])
			h.add(jen.Id(h.names.declare(v)).Op(":=").Id("kgenSlice").Call(field, length))
			return
		}
	}
	h.add(jen.Id(h.names.declare(v)).Op(":=").Make(jen.Index().Add(goTypeOf(b.Kind)), length))
}

// limit refuses lengths that were computed and are beyond all sense, instead of
// running out of memory.
func (h *host) limit(b plan.Buffer) {
	for _, d := range h.plan.Domains {
		if b.Length.Op != plan.OpLen || b.Length.Name != d.Name || d.Bound.Op != plan.OpScalar || h.limited[d.Name] {
			continue
		}
		h.limited[d.Name] = true
		length := h.expr(h.length(d.Name)).code
		text := fmt.Sprintf("%s%s would have %%d rows; at most %d can be computed", h.origin(d.Name), d.Name, int64(plan.MaxRows))
		h.add(jen.If(length.Clone().Op(">").Lit(plan.MaxRows)).Block(jen.Return(jen.Qual("fmt", "Errorf").Call(jen.Lit(text), length))))
	}
}

// origin returns the position of the statement that made a domain, to begin a
// message with, or "".
func (h *host) origin(domain string) string {
	for _, d := range h.program.Pipeline.Domains {
		if d.Name == domain && d.By != nil && d.By.Pos.IsValid() {
			return d.By.Pos.String() + ": "
		}
	}
	return ""
}

// fill stores the initial value in every element of a buffer.
func (h *host) fill(b plan.Buffer) {
	v := h.env.buffers[b.Name]
	bits, err := b.Kind.Parse(b.Fill)
	if err != nil {
		panic("gocpu: " + err.Error())
	}
	if b.Role == plan.Errors {
		bits = math.MaxInt64
	}
	if bits == 0 {
		h.add(jen.Clear(h.use(v)))
		return
	}
	lb := loop.NewBuilder("fill")
	lb.For("i", loop.Int(0), loop.LenOf(v), func(i *loop.Var) {
		lb.Store(v, i, loop.ConstOf(scalarOf(b.Kind, bits)))
	})
	h.add(h.block(lb.Func().Body)...)
}

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

// results reports the first failed check, and hands the results over.
func (h *host) results() {
	if len(h.plan.Sites) > 0 {
		h.failures()
	}
	for _, port := range h.plan.Ports {
		if port.Direction != plan.Out {
			continue
		}
		field := jen.Id("result").Dot(h.fields[port.Name])
		switch {
		case port.Buffer == "":
			h.add(field.Op("=").Add(h.scalarResult(port)))
		case h.isInput(port.Buffer):
			h.add(field.Op("=").Append(jen.Id("result").Dot(h.fields[port.Name]).Index(jen.Op(":0")), h.use(h.env.buffers[port.Buffer]).Op("...")))
		default:
			h.add(field.Op("=").Add(h.use(h.env.buffers[port.Buffer])).Index(jen.Op(":").Add(h.expr(h.length(port.Domain)).code)))
		}
	}
	h.add(jen.Return(jen.Nil()))
}

func (h *host) isInput(buffer string) bool {
	for _, b := range h.plan.Buffers {
		if b.Name == buffer {
			return b.Role == plan.Input
		}
	}
	return false
}

// scalarResult prints the value of a scalar result.
func (h *host) scalarResult(port plan.Port) *jen.Statement {
	x, ok := h.env.scalars[port.Scalar]
	if !ok { // a constant
		for _, s := range h.plan.Scalars {
			if s.Name == port.Scalar {
				bits, err := s.Kind.Parse(s.Init)
				if err != nil {
					panic("gocpu: " + err.Error())
				}
				x = loop.ConstOf(scalarOf(s.Kind, bits))
			}
		}
	}
	if port.Kind != plan.Char8 {
		return h.expr(x).code
	}
	return jen.Id("kgenBytes").Call(h.expr(x).code)
}

// scalarOf returns the element of kind k with those bits.
func scalarOf(k plan.Kind, bits uint64) ir.Scalar {
	return ir.Scalar{Kind: kindOf(k), Bits: bits}
}

// failures returns the error of the first failed check, if there is one.
func (h *host) failures() {
	failed := h.env.buffers[errorsName]
	var cases []jen.Code
	for _, site := range h.plan.Sites {
		if !site.When.IsZero() {
			h.add(jen.If(h.expr(h.counter(site.When)).code).Block(h.use(failed).Index(jen.Lit(site.Number)).Op("=").Lit(0)))
		}
		cases = append(cases, jen.Case(jen.Lit(site.Number)).Block(
			jen.List(jen.Id("err").Dot("Position"), jen.Id("err").Dot("Message"), jen.Id("err").Dot("Domain")).Op("=").
				List(jen.Lit(site.Position), jen.Lit(site.Message), jen.Lit(site.Domain))))
	}
	h.add(jen.For(jen.List(jen.Id("site"), jen.Id("row")).Op(":=").Range().Add(h.use(failed))).Block(
		jen.If(jen.Id("row").Op("==").Qual("math", "MaxInt64")).Block(jen.Continue()),
		jen.Id("err").Op(":=").Op("&").Id("CheckError").Values(jen.Dict{jen.Id("Site"): jen.Id("site"), jen.Id("Row"): jen.Id("row")}),
		jen.Switch(jen.Id("site")).Block(cases...),
		jen.Return(jen.Id("err"))))
}
