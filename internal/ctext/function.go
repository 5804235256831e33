package ctext

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// function prints the definition of f.
func (p *printer) function(f *loop.Func) {
	this := p.funcs[f.Signature()]
	p.at, p.read, p.wide = f, loop.Reads(f), wideMemory(f.Body)
	p.b.WriteByte('\n')
	if len(f.Results) > 1 {
		p.resultType(this)
	}
	defer p.names.Enter()()
	if f.Doc != "" {
		for _, line := range comment(strings.TrimSuffix(f.Doc, "\n")) {
			p.line("%s", line)
		}
	}
	kernel := Kernel{Func: f, Entry: this.name}
	var params []string
	for _, v := range f.Params {
		if f.Kernel && isPacked(v.T) {
			name := p.names.Fresh(v.Name + "_argument")
			params = append(params, p.memoryType(v.T)+" "+name)
			kernel.Params = append(kernel.Params, name)
			continue
		}
		param := p.param(v)
		name, _ := p.names.Of(v)
		params = append(params, param)
		kernel.Params = append(kernel.Params, name)
	}
	head := p.dialect.Function + p.resultText(this)
	if f.Kernel {
		if f.Occupancy > 0 && !p.dialect.Occupancy {
			p.fail("nothing says for how many groups there are registers")
		}
		head = p.dialect.Kernel(f.WorkgroupSize, f.Occupancy)
		if !f.IsChild { // which the host does not see
			p.kernels = append(p.kernels, kernel)
		}
	}
	if list := strings.Join(params, ", "); len(head)+len(list) < 100 {
		p.line("%s %s(%s) {", head, this.name, list)
	} else {
		p.line("%s %s(\n\t%s) {", head, this.name, strings.Join(params, ",\n\t"))
	}
	p.depth++
	for i, v := range f.Params {
		p.unpack(v, kernel.Params[i])
	}
	p.statements(f.Body)
	p.results(this)
	p.depth--
	p.line("}")
}

// isPacked reports whether an argument of type t is passed in the form that it
// has in memory and has to be unpacked.
func isPacked(t loop.Type) bool {
	return t.Form == loop.Scalar && (t.Kind == ir.Bool || t.Kind == ir.Char8)
}

// unpack begins the body of a kernel with the value of a packed parameter. An
// unused parameter is mentioned, to keep compilers from warning.
func (p *printer) unpack(v *loop.Var, param string) {
	switch {
	case !p.read[v]:
		p.line("(void)%s;", param)
	case !p.at.Kernel || !isPacked(v.T):
	case v.T.Kind == ir.Bool:
		p.line("const %s %s = %s != 0;", p.valueType(v.T), p.names.Declare(v), param)
	default:
		p.line("const %s %s = %s(%s);", p.valueType(v.T), p.names.Declare(v), p.helper("swap_char8"), param)
	}
}

// param prints the declaration of a parameter.
func (p *printer) param(v *loop.Var) string {
	if !v.T.IsMemory() {
		return p.valueType(v.T) + " " + p.names.Declare(v)
	}
	text := p.dialect.Space[v.T.Space]
	restrict := ""
	switch {
	case v.T.ReadOnly:
		text += "const "
		restrict = p.dialect.Restrict
	case v.Alone:
		restrict = p.dialect.Alone
	}
	return text + p.memoryType(v.T) + " *" + restrict + p.names.Declare(v)
}

// resultType declares the structure that f returns.
func (p *printer) resultType(f *function) {
	f.results = p.names.FreshGlobal(f.Name + "_results")
	p.line("typedef struct {")
	for i, r := range f.Results {
		p.line("\t%s %s;", p.valueType(r.Type()), field(i))
	}
	p.line("} %s;\n", f.results)
}

func field(i int) string { return fmt.Sprintf("r%d", i) }

func (p *printer) resultText(f *function) string {
	switch len(f.Results) {
	case 0:
		return "void"
	case 1:
		return p.valueType(f.Results[0].Type())
	}
	return f.results
}

// results ends a function.
func (p *printer) results(f *function) {
	switch len(f.Results) {
	case 0:
	case 1:
		p.line("return %s;", p.value(f.Results[0]).string)
	default:
		name := p.names.Fresh("results")
		p.line("%s %s;", f.results, name)
		for i, r := range f.Results {
			p.line("%s.%s = %s;", name, field(i), p.value(r).string)
		}
		p.line("return %s;", name)
	}
}
