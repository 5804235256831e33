package gocpu

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/naming"
	"github.com/kgen-go/kgen/internal/partial"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// partialName is the file that the partials of a package share.
const partialName = "kgen_partial.go"

// A partialWriter writes the type of a pipeline's partials:
//
//	type FooPartial struct {
//		scalars struct{ ... }   // parameters
//		begun   bool            // a shard, perhaps without rows, has set state
//		checks  [N]int64        // for each check of Foo the first row that fails it
//		state   fooState
//		shard   fooState        // scratch memory of Add
//	}
//
// and its methods. One function computes the state of some rows, and another
// the results from the state of all rows.
type partialWriter struct {
	*partial.Split
	whole, shard, finish *host
	sites                int // checks of the whole
	state                []backends.Field

	name, newName, header string // of the type, its constructor, the constant that its encoding begins with
	failure               string // the function that returns the error of failed checks
	rowsName              string // the type of kept rows, if there is a halo
	scalars               []scalarField
	columns               []columnField // of Add
	arguments             []string      // of the function of rows, as Add calls it
}

// scalarField is a scalar parameter of the whole, which a partial keeps.
type scalarField struct {
	param *ir.Value
	field string
	kind  plan.Kind
}

// columnField is a column of rows: its name as a parameter and as a field.
type columnField struct {
	name, field string
	kind        plan.Kind
}

// partial returns the declarations of the pipeline's partials.
func (h *host) partial(p *backends.Partial) []jen.Code {
	local := strings.ToLower(h.entry.Func[:1]) + h.entry.Func[1:]
	w := &partialWriter{Split: p.Split, whole: h, sites: len(h.plan.Sites)}
	w.name = h.names.FreshAsIs(h.entry.Func + "Partial")
	w.newName = "New" + w.name
	if h.entry.Func == local {
		w.newName = "new" + exportedName(w.name)
	}
	w.newName = h.names.FreshAsIs(w.newName)
	h.entry.Partial, h.entry.NewPartial = w.name, w.newName
	w.header = h.names.FreshAsIs(local + "PartialHeader")
	if w.Halo != nil {
		w.rowsName = h.names.FreshAsIs(local + "Rows")
	}
	rows := backends.Entry{Func: w.name + ".Add", Into: h.names.FreshAsIs(local + "Shard"), Result: h.names.FreshAsIs(local + "State")}
	w.shard = w.inner(p.Shard, rows)
	for i, check := range w.ShardChecks {
		w.check(w.shard, i, check.Whole)
	}
	w.state = w.shard.entry.Results
	ends := backends.Entry{Func: w.name + ".Result", Into: h.names.FreshAsIs(local + "Finish"), Result: h.entry.Result}
	w.finish = w.inner(p.Finish, ends)
	for i, whole := range w.FinishChecks {
		w.check(w.finish, i, whole)
	}
	taken := naming.Taken{}
	for _, v := range h.program.Pipeline.Params {
		if v.Type.IsScalar() {
			w.scalars = append(w.scalars, scalarField{v, taken.Fresh(exportedName(v.Name), ""), plan.Kind(v.Type.Kind.String())})
		}
	}
	code := w.functions()
	if w.sites > 0 {
		w.failure = h.names.FreshAsIs(local + "Failure")
		code = append(code, jen.Commentf("%s is the error of the first check that has failed, if one has.", w.failure).Line().
			Func().Id(w.failure).Params(jen.Id("checks").Op("*").Index(jen.Lit(w.sites)).Int64()).Error().
			Block(failure(h.plan.Sites, jen.Id("checks"), jen.Id("err")), jen.Return(jen.Nil())))
	}
	code = append([]jen.Code{w.declaration()}, code...)
	h.loops.Funcs = append(append(h.loops.Funcs, w.shard.loops.Funcs...), w.finish.loops.Funcs...)
	for _, inner := range []*host{w.shard, w.finish} {
		if h.fault == nil {
			h.fault = inner.fault
		}
	}
	return code
}

// functions returns the functions from rows to state and from state to results.
func (w *partialWriter) functions() []jen.Code {
	params, arguments := w.shard.write()
	taken := naming.Taken{}
	for i, port := range w.shard.inputs() {
		name := arguments[i].(*jen.Statement).GoString()
		if port.Buffer != "" {
			w.columns = append(w.columns, columnField{name, taken.Fresh(exportedName(port.Name), ""), port.Kind})
			w.arguments = append(w.arguments, name)
		} else if w.Halo != nil && (port.Name == w.Halo.From || port.Name == w.Halo.To) {
			w.arguments = append(w.arguments, map[bool]string{true: "from", false: "to"}[port.Name == w.Halo.From])
		} else {
			w.arguments = append(w.arguments, "p.scalars."+w.fieldOf(port.Name))
		}
	}
	code := []jen.Code{w.shard.stateType()}
	if w.Halo != nil {
		code = append(code, w.rowsType())
	}
	code = append(code, w.function(w.shard, "fills in the state of some rows, and per check the first row that fails it.", params)...)
	params, _ = w.finish.write()
	return append(code, w.function(w.finish, "fills in the results that a state of all rows has.", params)...)
}

// function declares the function of an inner host.
func (w *partialWriter) function(h *host, doc string, params []jen.Code) []jen.Code {
	first := []jen.Code{jen.Id("dst").Op("*").Id(h.entry.Result)}
	if len(h.checks) > 0 {
		first = append(first, jen.Id("checks").Op("*").Index(jen.Lit(w.sites)).Int64())
	}
	params = append(append(first, params...), jen.Id("options").Op("...").Id("Option"))
	f := jen.Comment(h.entry.Into + " " + doc).Line().Func().Id(h.entry.Into).Params(params...).Error().Block(h.body...)
	return append([]jen.Code{f}, h.kernels...)
}

// stateType declares the state.
func (h *host) stateType() jen.Code {
	var fields []jen.Code
	for _, f := range h.entry.Results {
		field := jen.Id(f.Name)
		if !f.Scalar {
			field.Index()
		}
		fields = append(fields, field.Add(goTypeOf(f.Kind)))
	}
	return jen.Commentf("%s is what the results need to know of some rows.", h.entry.Result).Line().Type().Id(h.entry.Result).Struct(fields...)
}

// fieldOf is the field of a scalar parameter.
func (w *partialWriter) fieldOf(param string) string {
	for _, s := range w.scalars {
		if s.param.Name == param {
			return s.field
		}
	}
	panic("gocpu: no scalar " + param)
}

// inner makes the host of a function that only emitted code calls.
func (w *partialWriter) inner(program *backends.Program, entry backends.Entry) *host {
	h := newHostCalled(w.whole.printer, program, entry)
	h.inner, h.checks = true, map[int]int{}
	return h
}

// check notes that check number i of h is one of the whole, if it is one.
func (w *partialWriter) check(h *host, i, whole int) {
	if whole >= 0 {
		h.checks[i] = whole
	}
}

// passChecks notes the failed checks in those that the caller passes.
func (h *host) passChecks() {
	if len(h.checks) == 0 {
		return
	}
	h.hostChecks()
	for _, site := range h.plan.Sites {
		if whole, known := h.checks[site.Number]; known {
			check := jen.Id("checks").Index(jen.Lit(whole))
			h.add(check.Clone().Op("=").Id("min").Call(check, h.use(h.env.buffers[errorsKey]).Index(jen.Lit(site.Number))))
		}
	}
}
