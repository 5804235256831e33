package gocpu

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/naming"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// host writes the functions that users call: they check the arguments, make
// the buffers, run the steps of the plan and hand the results over.
type host struct {
	*printer
	program     *backends.Program
	plan        *plan.Plan
	env         environment
	entry       backends.Entry
	call        *loop.Var         // what this call was asked for; not of loop IR
	fields      map[string]string // result label to field
	paramNames  []string
	texts       string // the function that lists the constants of kind text; "" for none
	trace       bool
	simd        bool        // kernels have functions of vectors, too
	vectors     []jen.Code  // these
	register    []jen.Code  // statements that put them in place of what does without
	inner       bool        // called by emitted code only, which passes checks
	checks      map[int]int // inner: what the plan's checks are among those passed
	body        []jen.Code
	optional    []declaration
	launches    []*launched
	lowered     map[string]*kernel // that a launch has used, by name
	kernels     []jen.Code         // the kernels' functions
	loops       loop.Program
	limited     map[string]bool // domains whose length has been checked
	branches    map[*plan.If]*[2]branch
	positive    map[string]bool    // scalars that the steps at hand know to be above 0, or to be 0
	read        map[*loop.Var]bool // variables that later statements read
	pending     bool               // memory that an allocator may have refused
	temporaries bool               // something is stored that is no result
	kept        map[string]string  // where scratch keeps columns that grow, by the buffer's name
	fault       error              // what the check of the loop IR found
}

// declaration is a statement that declares v.
type declaration struct {
	place int // in the body
	v     *loop.Var
}

func newHost(p *printer, program *backends.Program, options backends.Options) *host {
	name := exportedName(program.Pipeline.Name)
	if options.Unexported {
		name = naming.Free(p.names.Spell(program.Pipeline.Name), "", isImported)
	}
	entry := backends.Entry{Pipeline: program.Pipeline.Name, Func: p.names.FreshAsIs(name)}
	entry.Into = p.names.FreshAsIs(entry.Func + "Into")
	entry.Result = p.names.FreshAsIs(entry.Func + "Result")
	h := newHostCalled(p, program, entry)
	h.trace, h.simd = options.Trace, options.SIMD
	if len(program.Pipeline.Params) > len(program.Pipeline.Declared()) {
		h.texts = p.names.FreshAsIs(entry.Func + "Texts")
	}
	return h
}

// newHostCalled is newHost with names that the caller has chosen.
func newHostCalled(p *printer, program *backends.Program, entry backends.Entry) *host {
	p.inCall = true
	h := &host{printer: p, program: program, plan: program.Plan, entry: entry, fields: map[string]string{}, limited: map[string]bool{}, branches: map[*plan.If]*[2]branch{}, kept: map[string]string{}, positive: map[string]bool{}, read: map[*loop.Var]bool{},
		lowered: map[string]*kernel{}, env: environment{buffers: map[string]*loop.Var{}, scalars: map[string]loop.Expr{}, mayGrow: mayGrow(program), grown: map[string]*loop.Var{}}}
	taken := naming.Taken{}
	for _, port := range h.plan.Ports {
		field := backends.Field{Name: port.Name, Kind: port.Kind, Scalar: port.Buffer == ""}
		if port.Direction == plan.In {
			h.entry.Params = append(h.entry.Params, field)
			continue
		}
		field.Name = taken.Fresh(exportedName(port.Name), "")
		h.fields[port.Name] = field.Name
		h.entry.Results = append(h.entry.Results, field)
	}
	return h
}

// emit returns the declarations of the pipeline.
func (h *host) emit() []jen.Code {
	result := h.entry.Result
	params, arguments := h.write()
	options := jen.Id("options").Op("...").Id("Option")
	code := []jen.Code{
		h.resultType(result),
		h.doc().Func().Id(h.entry.Func).Params(append(params[:len(params):len(params)], options)...).
			Params(jen.Id(result), jen.Error()).Block(
			jen.Var().Id("result").Id(result),
			jen.Id("err").Op(":=").Id(h.entry.Into).Call(append(append([]jen.Code{jen.Op("&").Id("result")}, arguments...), jen.Id("options").Op("..."))...),
			jen.Return(jen.Id("result"), jen.Id("err"))),
		h.intoDoc().Func().Id(h.entry.Into).Params(append(append([]jen.Code{jen.Id("dst").Op("*").Id(result)}, params...), options)...).
			Error().Block(h.body...),
	}
	if h.texts != "" {
		code = append(code, h.textsFunc())
	}
	return append(code, h.kernels...)
}

// textsFunc lists the constants of kind text, which the caller's dictionary has to have.
func (h *host) textsFunc() jen.Code {
	p := h.program.Pipeline
	var list []jen.Code
	for _, v := range p.Params[len(p.Declared()):] {
		list = append(list, jen.Lit(*v.Literal))
	}
	return jen.Commentf("%s returns the texts that %s compares with, in the order of its last parameters.", h.texts, h.entry.Func).Line().
		Func().Id(h.texts).Params().Index().String().Block(jen.Return(jen.Index().String().Values(list...)))
}

// write writes the function's body and the kernels, and returns the parameters
// and the arguments that pass them on.
func (h *host) write() (params, arguments []jen.Code) {
	h.names.Push()
	defer h.names.Pop()
	for _, name := range []string{"dst", "checks", "result", "options", "err", "call", "trace"} {
		h.names.Fresh(name)
	}
	if h.inner {
		for _, name := range []string{"p", "later", "rows", "from", "to"} { // of the method that passes the arguments
			h.names.Fresh(name)
		}
		params, arguments = h.parameters()
	} else {
		params, arguments = h.parameters()
		h.needDestination()
	}
	h.arguments()
	h.lower()
	h.steps()
	h.results()
	h.dropUnread()
	return params, arguments
}

// parameters declares the pipeline's parameters, and returns them and the
// arguments that pass them on.
func (h *host) parameters() (params, arguments []jen.Code) {
	types := make([]string, 0, len(h.plan.Ports))
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
		h.paramNames = append(h.paramNames, name)
		goType := goTypeOf(port.Kind)
		switch {
		case port.Buffer != "":
			h.env.buffers[port.Buffer] = v
			goType = jen.Index().Add(goType)
		case port.Kind == plan.Char8: // 8 bytes to the caller, a number here
			v = &loop.Var{Name: port.Name + "_bits", T: t}
			bits := jen.Qual("encoding/binary", "BigEndian").Dot("Uint64").Call(jen.Id(name).Index(jen.Op(":")))
			h.addOptional(v, jen.Id(h.names.Declare(v)).Op(":=").Add(bits))
			h.env.scalars[port.Scalar] = v
		default:
			h.env.scalars[port.Scalar] = v
		}
		types = append(types, goType.GoString())
		if last := len(types) - 2; last >= 0 && types[last] == types[last+1] { // a, b []int64
			params[last] = arguments[last]
		}
		params = append(params, jen.Id(name).Add(goType))
		arguments = append(arguments, jen.Id(name))
	}
	return params, arguments
}

// add appends statements to the function's body.
func (h *host) add(code ...jen.Code) { h.body = append(h.body, code...) }

// needDestination refuses a nil destination.
func (h *host) needDestination() {
	text := fmt.Sprintf("%s%s: dst is nil; give it a *%s to fill in", position(h.program.Pipeline.Pos), h.entry.Into, h.entry.Result)
	h.add(jen.If(jen.Id("dst").Op("==").Nil()).Block(jen.Return(jen.Qual("errors", "New").Call(jen.Lit(text)))))
}

// position begins a message about a place of the source, if it is known.
func position(pos ir.Pos) string {
	if !pos.IsValid() {
		return ""
	}
	return pos.Base().String() + ": "
}

// arguments names the lengths of the parameters' domains and requires that all
// columns over one have it.
func (h *host) arguments() {
	rows := []jen.Code{}
	for _, d := range h.plan.Domains {
		if !d.Len.IsZero() {
			continue
		}
		var length *loop.Var
		var first string // column over d
		for i, port := range h.inputs() {
			if port.Domain != d.Name {
				continue
			}
			column, _ := h.names.Of(h.env.buffers[port.Buffer])
			if length == nil {
				first = port.Name
				length = &loop.Var{Name: d.Name, T: loop.Counter}
				name := h.names.Declare(length)
				h.addOptional(length, jen.Id(name).Op(":=").Len(jen.Id(column)))
				h.env.scalars[lengthKey(d.Name)] = loop.ToKind(kindOf(plan.I64), length)
				rows = append(rows, jen.Id(name))
				continue
			}
			h.add(jen.If(jen.Len(jen.Id(column)).Op("!=").Add(h.use(length))).Block(
				jen.Return(h.lengthError(i, first, port, jen.Len(jen.Id(column)), h.use(length)))))
		}
	}
	h.call = &loop.Var{Name: "call"}
	h.addOptional(h.call, jen.Id("call").Op(":=").Id("kgenBegin").Call(jen.Id("options")))
	h.env.workers = &loop.Var{Name: "workers", T: loop.Counter}
	if len(rows) == 0 {
		rows = append(rows, jen.Lit(1))
	}
	most := rows[0]
	if len(rows) > 1 {
		most = jen.Id("max").Call(rows...)
	}
	name := h.names.Declare(h.env.workers)
	h.addOptional(h.env.workers, jen.Id(name).Op(":=").Id("kgenWorkers").Call(jen.Op("&").Id("call"), most, jen.Lit(parallelRows)))
}

// lengthError returns the error of parameter i, a column of so many rows where the one called
// first has others.
func (h *host) lengthError(i int, first string, port plan.Port, rows, others jen.Code) jen.Code {
	text := fmt.Sprintf("%s%s: %s has %%d rows and %s has %%d, but both are over %s",
		position(h.program.Pipeline.Params[i].Pos), h.entry.Func, port.Name, first, port.Domain)
	return jen.Qual("fmt", "Errorf").Call(jen.Lit(text), rows, others)
}

// inputs are the parameters, in order.
func (h *host) inputs() []plan.Port {
	var ports []plan.Port
	for _, port := range h.plan.Ports {
		if port.Direction == plan.In {
			ports = append(ports, port)
		}
	}
	return ports
}

// addOptional appends the declaration of v, which dropUnread removes if nothing
// reads v.
func (h *host) addOptional(v *loop.Var, code jen.Code) {
	h.optional = append(h.optional, declaration{len(h.body), v})
	h.add(code)
}

// callPointer is the argument that hands the call on.
func (h *host) callPointer() jen.Code {
	h.used[h.call] = true
	return jen.Op("&").Id("call")
}

// bufferNamed returns a buffer of the plan.
func (h *host) bufferNamed(name string) plan.Buffer {
	for _, b := range h.plan.Buffers {
		if b.Name == name {
			return b
		}
	}
	panic("gocpu: no buffer " + name)
}

// steps writes the plan's steps, whose launches have been lowered.
func (h *host) steps() {
	h.trace = h.trace && len(h.launches) > 0
	if h.trace {
		h.add(jen.Id("trace").Op(":=").Id("kgenStartTrace").Call(h.callPointer()))
	}
	if h.writeSteps(h.plan.Steps, h.launches) {
		h.used[h.env.workers], h.used[h.call] = true, true
		for _, o := range h.optional { // the number of workers depends on all lengths
			h.used[o.v] = h.used[o.v] || o.v.T == loop.Counter
		}
	}
}

// writeSteps writes some steps, whose launches are the next ones, and reports whether any
// uses workers.
func (h *host) writeSteps(steps []plan.Step, launches []*launched) (splits bool) {
	for i, step := range steps {
		switch {
		case step.Alloc != nil:
			h.alloc(h.bufferNamed(step.Alloc.Buffer))
		case step.Init != nil:
			h.fill(h.bufferNamed(step.Init.Buffer))
		case step.Launch != nil:
			h.requireMemory()
			if h.trace && i > 0 && steps[i-1].Launch == nil {
				h.mark("allocate")
			}
			splits = h.launch(launches[0]) || splits
			launches = launches[1:]
			if h.trace {
				h.mark(step.Launch.Kernel)
			}
		case step.If != nil:
			splits = h.choose(step.If, launches) || splits
			launches = launches[launchesOf(step.If.Then)+launchesOf(step.If.Else):]
		}
	}
	return splits
}

// dropUnread removes the declarations that nothing needs, such as the length of
// a single column that is a result as it is.
func (h *host) dropUnread() {
	for _, o := range slices.Backward(h.optional) {
		if !h.used[o.v] {
			h.body = slices.Delete(h.body, o.place, o.place+1)
		}
	}
}

// mark ends a step of the trace.
func (h *host) mark(step string) { h.add(jen.Id("trace").Dot("end").Call(jen.Lit(step))) }

// launch prints a launch, and reports whether it uses workers.
func (h *host) launch(l *launched) bool {
	for _, function := range l.functions {
		if function.Otherwise != nil {
			h.vectorFunction(function)
			continue
		}
		function.Doc = h.funcName(function) + " " + function.Doc
		h.kernels = append(h.kernels, h.function(function))
	}
	h.add(h.statements(l.Body)...)
	for _, buffer := range l.grown {
		if h.isTemporary(buffer) {
			h.add(jen.Op("*").Id(h.kept[buffer]).Op("=").Add(h.use(h.env.grown[buffer])))
		}
	}
	uses := false
	loop.Walk(l.Body, func(x loop.Expr) { uses = uses || x == loop.Expr(h.env.workers) })
	return uses
}
