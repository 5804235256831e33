package gocpu

import (
	"github.com/dave/jennifer/jen"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// results adds the report of the first failed check and the assignment of the
// results.
func (h *host) results() {
	switch {
	case h.inner:
		h.passChecks()
	case len(h.plan.Sites) > 0:
		h.failures()
	}
	copied := map[string]*loop.Var{} // the copies of inputs that are results
	for _, port := range h.plan.Ports {
		if port.Direction == plan.Out && h.isInput(port.Buffer) {
			input := h.env.buffers[port.Buffer]
			copied[port.Name] = &loop.Var{Name: port.Name, T: loop.SliceOf(loop.ScalarOf(kindOf(port.Kind)))}
			h.column(copied[port.Name], port, jen.Len(h.use(input)))
		}
	}
	h.requireMemory()
	for _, port := range h.plan.Ports {
		if port.Direction != plan.Out {
			continue
		}
		field := jen.Id("dst").Dot(h.fields[port.Name])
		switch {
		case port.Buffer == "":
			h.add(field.Op("=").Add(h.scalarResult(port)))
		case h.isInput(port.Buffer):
			column := copied[port.Name]
			h.add(jen.Copy(h.use(column), h.use(h.env.buffers[port.Buffer])), field.Op("=").Add(h.use(column)))
		default:
			h.add(field.Op("=").Add(h.use(h.env.buffers[port.Buffer])).Index(jen.Op(":").Add(h.index(h.length(port.Domain)).code)))
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

// scalarOf returns the value of a scalar result.
func (h *host) scalarOf(port plan.Port) loop.Expr {
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
	return x
}

// scalarResult prints the value of a scalar result.
func (h *host) scalarResult(port plan.Port) *jen.Statement {
	x := h.expr(h.scalarOf(port)).code
	if port.Kind == plan.Char8 {
		x = jen.Id("kgenBytes").Call(x)
	}
	return x
}

// scalarOf returns the element of kind k with those bits.
func scalarOf(k plan.Kind, bits uint64) ir.Scalar {
	return ir.Scalar{Kind: kindOf(k), Bits: bits}
}

// failures adds the statements that return the error of the first failed check.
func (h *host) failures() {
	h.hostChecks()
	h.add(failure(h.plan.Sites, h.use(h.env.buffers[errorsKey]), jen.Id("err")))
}

// hostChecks adds the checks of lengths, which no kernel makes.
func (h *host) hostChecks() {
	for _, site := range h.plan.Sites {
		if !site.When.IsZero() {
			failed := h.use(h.env.buffers[errorsKey])
			h.add(jen.If(h.expr(h.counter(site.When)).code).Block(failed.Index(jen.Lit(site.Number)).Op("=").Lit(0)))
		}
	}
}

// failure returns statements that return results from a function if a check has
// failed. Failed holds the first row that fails each check.
func failure(sites []plan.Site, failed *jen.Statement, results ...jen.Code) *jen.Statement {
	return jen.For(jen.List(jen.Id("site"), jen.Id("row")).Op(":=").Range().Add(failed)).Block(
		jen.If(jen.Id("row").Op("==").Qual("math", "MaxInt64")).Block(jen.Continue()),
		jen.Id("err").Op(":=").Op("&").Id("CheckError").Values(jen.Dict{jen.Id("Site"): jen.Id("site"), jen.Id("Row"): jen.Id("row")}),
		describeSite(sites, jen.Id("site")),
		jen.Return(results...))
}

// describeSite returns the statement that gives err the place and the message of a site.
func describeSite(sites []plan.Site, number *jen.Statement) *jen.Statement {
	var cases []jen.Code
	for _, site := range sites {
		cases = append(cases, jen.Case(jen.Lit(site.Number)).Block(
			jen.List(jen.Id("err").Dot("Position"), jen.Id("err").Dot("Message"), jen.Id("err").Dot("Domain")).Op("=").
				List(jen.Lit(site.Position), jen.Lit(site.Message), jen.Lit(site.Domain))))
	}
	return jen.Switch(number).Block(cases...)
}
