package gocpu

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/naming"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// library is the package that the device form calls.
const library = "github.com/kgen-go/kgen"

// deviceSuffix ends the name of the file with the device form.
const deviceSuffix = "_device.go"

// A deviceWriter writes the form of a pipeline that runs on a device, over package kgen:
//
//	type FooOnDevice struct{ ... }
//	func FooOn(ctx, device, settings...) (*FooOnDevice, error)
//	func (*FooOnDevice) Run(ctx, ...) (FooResult, error)
//	func (*FooOnDevice) RunInto(ctx, dst, ...) error
//	func (*FooOnDevice) RunColumns(ctx, ...) (FooColumns, error)
//	func (*FooOnDevice) Close() error
//
// Its names are those of the plain form, whose types it uses.
type deviceWriter struct {
	*host
	base    string // of the pipeline's files
	text    string // the constant with the text of the pipeline
	kernels string // the variable with its kernels
	failure string // the function that returns failed checks as the plain form does; "" if it has none
	free    string // the method that frees the columns of results; "" if there are none

	receiver, ctx, out string // local names, other than the parameters'
}

// device returns the declarations of the device form. The plain form has been written.
func (h *host) device(base, folder string) ([]jen.Code, error) {
	text := withoutDoc(h.program.Pipeline.String())
	if err := readsBack(h.program.Pipeline, text); err != nil {
		return nil, err
	}
	local := strings.ToLower(h.entry.Func[:1]) + h.entry.Func[1:]
	taken := naming.Taken{}
	for _, name := range h.paramNames {
		taken[name] = true
	}
	global := func(name string) string {
		return h.names.FreshAsIs(naming.Free(name, "", func(name string) bool { return taken[name] }))
	}
	w := &deviceWriter{host: h, base: base, text: global(local + "Pipeline"), kernels: global(local + "Kernels")}
	h.entry.Kernels = w.kernels
	h.entry.On, h.entry.OnDevice = global(h.entry.Func+"On"), global(h.entry.Func+"OnDevice")
	h.entry.Columns = h.entry.Result
	if slices.ContainsFunc(h.entry.Results, func(f backends.Field) bool { return !f.Scalar }) {
		h.entry.Columns = global(h.entry.Func + "Columns")
		fields := naming.Taken{}
		for _, f := range h.entry.Results {
			fields[f.Name] = true
		}
		w.free = fields.Fresh("Free", "")
		h.entry.Free = w.free
	}
	if len(h.plan.Sites) > 0 {
		w.failure = global(local + "Failure")
	}
	w.receiver, w.ctx, w.out = taken.Fresh("f", ""), taken.Fresh("ctx", ""), taken.Fresh("out", "")
	code := []jen.Code{w.embedded(text, folder), w.onDevice(), w.on(), w.run(), w.runInto()}
	if w.free != "" {
		code = append(code, w.columnsType())
	}
	code = append(code, w.runColumns())
	if w.free != "" {
		code = append(code, w.freeColumns())
	}
	code = append(code, w.close())
	if w.failure != "" {
		code = append(code, w.failureFunc())
	}
	return code, nil
}

// readsBack reports whether text is a pipeline with the parameters, results and checks of p.
func readsBack(p *ir.Pipeline, text string) error {
	read, errs := ir.Load("pipeline", []byte(text))
	err := errs.Err()
	if err == nil {
		q := read[0]
		same := len(q.Params) == len(p.Params) && len(q.Results) == len(p.Results) && len(q.Sites) == len(p.Sites) && q.Reproducible == p.Reproducible
		for i := 0; same && i < len(p.Params); i++ {
			same = q.Params[i].Name == p.Params[i].Name && q.Params[i].Type.Kind == p.Params[i].Type.Kind
		}
		for i := 0; same && i < len(p.Results); i++ {
			same = q.Results[i].Label == p.Results[i].Label
		}
		for i := 0; same && i < len(p.Sites); i++ {
			same = q.Sites[i].Kind == p.Sites[i].Kind && q.Sites[i].Message == p.Sites[i].Message
		}
		if same {
			return nil
		}
		err = fmt.Errorf("it has other parameters, results or checks")
	}
	return fmt.Errorf("pipeline %s: its text does not read back (a bug of kgen): %w", p.Name, err)
}

func kgen(name string) *jen.Statement { return jen.Qual(library, name) }

// embedded declares the text of the pipeline and its kernels.
func (w *deviceWriter) embedded(text, folder string) jen.Code {
	literal := jen.Lit(text)
	if !strings.ContainsAny(text, "`\r\ufeff") {
		literal = jen.Id("`" + text + "`")
	}
	return comment(fmt.Sprintf("%s is the pipeline, for devices that %s has no kernels for.", w.text, folder)).
		Const().Id(w.text).Op("=").Add(literal).Line().Line().
		Add(comment(fmt.Sprintf("%s are its kernels and the plans by which they run.\n", w.kernels))).
		Comment(fmt.Sprintf("//go:embed %s/*/%s.*", folder, w.base)).Line().
		Var().Id(w.kernels).Qual("embed", "FS")
}

// onDevice declares the type of the form.
func (w *deviceWriter) onDevice() jen.Code {
	return comment(fmt.Sprintf("%s is %s on a device. It is safe for concurrent use.", w.entry.OnDevice, w.entry.Func)).
		Type().Id(w.entry.OnDevice).Struct(jen.Id("executable").Op("*").Add(kgen("Executable")))
}

// on declares the function that makes the form.
func (w *deviceWriter) on() jen.Code {
	return comment(fmt.Sprintf("%s loads %s for a device: its embedded kernels where the device takes them and no\nsetting chooses others. It compiles the pipeline for any other device.", w.entry.On, w.entry.Func)).
		Func().Id(w.entry.On).
		Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("device").Op("*").Add(kgen("Device")), jen.Id("settings").Op("...").Add(kgen("Setting"))).
		Params(jen.Op("*").Id(w.entry.OnDevice), jen.Error()).Block(
		jen.List(jen.Id("program"), jen.Err()).Op(":=").Add(kgen("Embedded")).Call(jen.Id(w.text), jen.Id(w.kernels), jen.Lit(w.base)),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
		jen.List(jen.Id("executable"), jen.Err()).Op(":=").Id("program").Dot("On").Call(jen.Id("ctx"), jen.Id("device"), jen.Id("settings").Op("...")),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
		jen.Return(jen.Op("&").Id(w.entry.OnDevice).Values(jen.Id("executable")), jen.Nil()))
}

// method begins a method that takes the pipeline's parameters.
func (w *deviceWriter) method(doc, name string, column func(plan.Port) *jen.Statement, result []jen.Code, body []jen.Code, first ...jen.Code) jen.Code {
	params := append([]jen.Code{jen.Id(w.ctx).Qual("context", "Context")}, first...)
	last := ""
	for i, port := range w.inputs() {
		goType := goTypeOf(port.Kind)
		if port.Buffer != "" {
			goType = column(port)
		}
		if text := goType.GoString(); text == last { // a, b []int64
			params[len(params)-1] = jen.Id(w.paramNames[i-1])
		} else {
			last = text
		}
		params = append(params, jen.Id(w.paramNames[i]).Add(goType))
	}
	return comment(doc).Func().Params(jen.Id(w.receiver).Op("*").Id(w.entry.OnDevice)).Id(name).Params(params...).
		Params(result...).Block(body...)
}

func ofSlices(p plan.Port) *jen.Statement { return jen.Index().Add(goTypeOf(p.Kind)) }

// returns are the results of a method that returns results of a type, or an error.
func returns(result string) []jen.Code { return []jen.Code{jen.Id(result), jen.Error()} }

// call runs the executable with the parameters, and returns zero and an error from the method if
// that fails.
func (w *deviceWriter) call(out jen.Code, zero []jen.Code, options ...jen.Code) []jen.Code {
	args := jen.Dict{}
	for i, v := range w.program.Pipeline.Params {
		args[jen.Lit(v.Name)] = jen.Id(w.paramNames[i])
	}
	if hasTexts(w.program) {
		options = append(options, kgen("Coded").Call())
	}
	err := jen.Id("err")
	if w.failure != "" {
		err = jen.Id(w.failure).Call(jen.Id("err"))
	}
	arguments := append([]jen.Code{jen.Id(w.ctx), kgen("Args").Values(args)}, options...)
	return []jen.Code{
		jen.List(out, jen.Id("err")).Op(":=").Id(w.receiver).Dot("executable").Dot("Run").Call(arguments...),
		jen.If(jen.Id("err").Op("!=").Nil()).Block(jen.Return(append(zero, err)...)),
	}
}

func (w *deviceWriter) scalar(i int) jen.Code {
	return kgen("Scalar").Types(goTypeOf(w.entry.Results[i].Kind)).Call(jen.Id(w.out), jen.Lit(w.program.Pipeline.Results[i].Label))
}

// run declares the method that takes and returns slices.
func (w *deviceWriter) run() jen.Code {
	arguments := []jen.Code{jen.Id(w.ctx), jen.Op("&").Id("result")}
	for _, name := range w.paramNames {
		arguments = append(arguments, jen.Id(name))
	}
	body := []jen.Code{
		jen.Var().Id("result").Id(w.entry.Result),
		jen.If(jen.Id("err").Op(":=").Id(w.receiver).Dot("RunInto").Call(arguments...), jen.Id("err").Op("!=").Nil()).
			Block(jen.Return(jen.Id(w.entry.Result).Values(), jen.Id("err"))),
		jen.Return(jen.Id("result"), jen.Nil()),
	}
	doc := fmt.Sprintf("Run is %s on the device: the same results, and a *CheckError for the same check and row.\nOther errors are those of kgen.Executable.Run.", w.entry.Func)
	if w.failure == "" {
		doc = fmt.Sprintf("Run is %s on the device: the same results. Errors of the device are those of\nkgen.Executable.Run.", w.entry.Func)
	}
	return w.method(doc, "Run", ofSlices, returns(w.entry.Result), body)
}

// runInto declares the method that takes slices and fills in results.
func (w *deviceWriter) runInto() jen.Code {
	text := fmt.Sprintf("%sRunInto: dst is nil; give it a *%s to fill in", position(w.program.Pipeline.Pos), w.entry.Result)
	body := []jen.Code{jen.If(jen.Id("dst").Op("==").Nil()).Block(jen.Return(jen.Qual("errors", "New").Call(jen.Lit(text))))}
	body = append(body, w.lengths()...)
	var options, scalars []jen.Code
	for i, r := range w.program.Pipeline.Results {
		field := jen.Id("dst").Dot(w.entry.Results[i].Name)
		if w.entry.Results[i].Scalar {
			scalars = append(scalars, jen.If(jen.List(field, jen.Id("err")).Op("=").Add(w.scalar(i)), jen.Id("err").Op("!=").Nil()).Block(jen.Return(jen.Id("err"))))
		} else {
			options = append(options, kgen("Into").Call(jen.Lit(r.Label), jen.Op("&").Add(field)))
		}
	}
	out := jen.Id("_")
	if len(scalars) > 0 {
		out = jen.Id(w.out)
	}
	body = append(append(body, w.call(out, nil, options...)...), scalars...)
	body = append(body, jen.Return(jen.Nil()))
	doc := "RunInto is Run that fills in dst, and reuses the memory of its columns, which the arguments must\nnot overlap. After an error it may hold some of the results."
	return w.method(doc, "RunInto", ofSlices, []jen.Code{jen.Error()}, body, jen.Id("dst").Op("*").Id(w.entry.Result))
}

// lengths returns the statements that require equal lengths, as the plain form does.
func (w *deviceWriter) lengths() (code []jen.Code) {
	first := map[string]int{}
	for i, port := range w.inputs() {
		if port.Buffer == "" {
			continue
		}
		j, seen := first[port.Domain]
		if !seen {
			first[port.Domain] = i
			continue
		}
		rows, others := jen.Len(jen.Id(w.paramNames[i])), jen.Len(jen.Id(w.paramNames[j]))
		code = append(code, jen.If(rows.Clone().Op("!=").Add(others)).Block(
			jen.Return(w.lengthError(i, w.inputs()[j].Name, port, rows, others))))
	}
	return code
}

// columnsType declares the type of results that stay on the device.
func (w *deviceWriter) columnsType() jen.Code {
	doc := fmt.Sprintf("%s are the results of %s, with columns that stay on the device until %s.", w.entry.Columns, w.entry.Func, w.free)
	return w.structOf(w.entry.Columns, doc, func(p plan.Port) jen.Code {
		if p.Buffer == "" {
			return goTypeOf(p.Kind)
		}
		return jen.Op("*").Add(kgen("Column"))
	}, func(p plan.Port) string {
		if p.Buffer == "" {
			return ""
		}
		return "of " + goTypeOf(p.Kind).GoString()
	})
}

// runColumns declares the method that takes and returns columns of the device.
func (w *deviceWriter) runColumns() jen.Code {
	doc := "RunColumns is Run with columns of the device, which it does not free."
	var options, cleanup, body []jen.Code
	if w.free != "" {
		doc = "RunColumns is Run with columns of the device, which it does not free. Its results stay there."
		options = append(options, kgen("KeepAll").Call())
	}
	zero := jen.Id(w.entry.Columns).Values()
	body = append(w.call(jen.Id(w.out), []jen.Code{zero}, options...), jen.Var().Id("result").Id(w.entry.Columns))
	for i, r := range w.program.Pipeline.Results { // those first that cannot fail
		if f := w.entry.Results[i]; !f.Scalar {
			body = append(body, jen.Id("result").Dot(f.Name).Op("=").Id(w.out).Dot("Column").Call(jen.Lit(r.Label)))
		}
	}
	if w.free != "" {
		cleanup = append(cleanup, jen.Id("result").Dot(w.free).Call())
	}
	for i, f := range w.entry.Results {
		if f.Scalar {
			failed := append(slices.Clone(cleanup), jen.Return(zero, jen.Id("err")))
			body = append(body, jen.If(jen.List(jen.Id("result").Dot(f.Name), jen.Id("err")).Op("=").Add(w.scalar(i)), jen.Id("err").Op("!=").Nil()).Block(failed...))
		}
	}
	body = append(body, jen.Return(jen.Id("result"), jen.Nil()))
	return w.method(doc, "RunColumns", func(plan.Port) *jen.Statement { return jen.Op("*").Add(kgen("Column")) }, returns(w.entry.Columns), body)
}

// freeColumns declares the method that frees results.
func (w *deviceWriter) freeColumns() jen.Code {
	var body []jen.Code
	for _, f := range w.entry.Results {
		if !f.Scalar {
			body = append(body, jen.Id("c").Dot(f.Name).Dot("Free").Call())
		}
	}
	return comment(w.free + " frees the columns.").Func().Params(jen.Id("c").Id(w.entry.Columns)).Id(w.free).Params().Block(body...)
}

func (w *deviceWriter) close() jen.Code {
	return comment("Close forgets the kernels; the device stays open.").Func().Params(jen.Id("f").Op("*").Id(w.entry.OnDevice)).Id("Close").Params().Error().
		Block(jen.Return(jen.Id("f").Dot("executable").Dot("Close").Call()))
}

// failureFunc declares the function that returns failed checks as the plain form does.
func (w *deviceWriter) failureFunc() jen.Code {
	return comment(fmt.Sprintf("%s returns an error of the device, a failed check as %s reports it.", w.failure, w.entry.Func)).
		Func().Id(w.failure).Params(jen.Id("failed").Error()).Error().Block(
		jen.Var().Id("check").Op("*").Add(kgen("CheckError")),
		jen.If(jen.Op("!").Qual("errors", "As").Call(jen.Id("failed"), jen.Op("&").Id("check"))).Block(jen.Return(jen.Id("failed"))),
		jen.Id("err").Op(":=").Op("&").Id("CheckError").Values(jen.Dict{jen.Id("Site"): jen.Id("check").Dot("Site").Dot("Number"), jen.Id("Row"): jen.Id("check").Dot("Row")}),
		describeSite(w.plan.Sites, jen.Id("err").Dot("Site")),
		jen.Return(jen.Id("err")))
}

// deviceFile returns the file with the device form of a pipeline.
func deviceFile(h *host, pkg, base, folder string) (backends.File, error) {
	code, err := h.device(base, folder)
	if err != nil {
		return backends.File{}, err
	}
	file := newFile(pkg, h.program.Pipeline)
	file.ImportName(library, "kgen")
	for _, c := range code {
		file.Add(c).Line()
	}
	var text bytes.Buffer
	if err := file.Render(&text); err != nil {
		return backends.File{}, fmt.Errorf("pipeline %s: the emitted Go is malformed (a bug of kgen): %w", h.program.Pipeline.Name, err)
	}
	formatted, err := stable(text.Bytes())
	return backends.File{Name: base + deviceSuffix, Text: formatted}, err
}
