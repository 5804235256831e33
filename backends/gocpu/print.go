package gocpu

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// printer prints loop IR of profile cores as Go. It decides on spelling only:
// what runs, and in which order, is what the statements say.
type printer struct {
	names  *backends.Names
	calls  map[*loop.Signature]string
	used   map[*loop.Var]bool // the variables that have been printed
	inCall bool               // a variable call, of type kgenCall, is in sight
	turn   string             // the variable of a chain's blocks in their turn, else ""
}

func newPrinter() *printer {
	return &printer{names: NewNames(), calls: map[*loop.Signature]string{}, used: map[*loop.Var]bool{}}
}

// use prints the name of v.
func (p *printer) use(v *loop.Var) *jen.Statement {
	name, ok := p.names.Of(v)
	if !ok {
		panic(fmt.Sprintf("gocpu: %s is used before it is declared", v.Name))
	}
	p.used[v] = true
	return jen.Id(name)
}

// callee returns the Go name of a function.
func (p *printer) callee(s *loop.Signature) string {
	if name, ok := p.calls[s]; ok {
		return name
	}
	return s.Name
}

// funcName names f in the package's scope, for its declaration and its calls.
func (p *printer) funcName(f *loop.Func) string {
	sig := f.Signature()
	name, ok := p.calls[sig]
	if !ok {
		name = p.names.FreshGlobal(f.Name)
		p.calls[sig] = name
	}
	return name
}

// function prints the declaration of f.
func (p *printer) function(f *loop.Func) *jen.Statement { return p.functionAs(p.funcName(f), f) }

// functionAs prints the declaration of f by a name.
func (p *printer) functionAs(name string, f *loop.Func) *jen.Statement {
	loop.RemoveUnread(f)
	// Only the package's names are in sight, wherever f is printed from.
	defer p.names.Enter()()
	code := &jen.Statement{}
	for _, line := range strings.Split(f.Doc, "\n") {
		if line != "" {
			code.Comment(line).Line()
		}
	}
	// Within its caller, which has much to keep, a loop would run short of registers.
	code.Comment("//").Line().Comment("//go:noinline").Line()
	code.Func().Id(name).Add(p.header(f))
	body := p.statements(f.Body)
	if f.Otherwise != nil {
		body = append(body, clearVectors())
	}
	if len(f.Results) > 0 {
		body = append(body, jen.Return(p.list(f.Results)...))
	}
	return code.Block(body...)
}

// header prints the parameters and results of f, and declares the parameters.
func (p *printer) header(f *loop.Func) *jen.Statement {
	var params []jen.Code
	for i, v := range f.Params {
		param := jen.Id(p.names.Declare(v))
		if i+1 == len(f.Params) || f.Params[i+1].T.AsReadOnly() != v.T.AsReadOnly() {
			param.Add(goType(v.T))
		}
		params = append(params, param)
	}
	var results []jen.Code
	for _, r := range f.Results {
		results = append(results, goType(r.Type()))
	}
	code := jen.Params(params...)
	if len(results) == 1 {
		return code.Add(results[0])
	} else if len(results) > 1 {
		return code.Params(results...)
	}
	return code
}

// list prints several expressions.
func (p *printer) list(xs []loop.Expr) (values []jen.Code) {
	for _, x := range xs {
		values = append(values, p.expr(x).code)
	}
	return values
}

// block prints the statements of a body in a scope of its own.
func (p *printer) block(body []loop.Stmt) []jen.Code {
	p.names.Push()
	defer p.names.Pop()
	return p.statements(body)
}

// statements prints body in the scope at hand.
func (p *printer) statements(body []loop.Stmt) []jen.Code {
	var code []jen.Code
	for _, s := range body {
		code = append(code, p.statement(s)...)
	}
	return code
}

func (p *printer) statement(s loop.Stmt) []jen.Code {
	one := func(c *jen.Statement) []jen.Code { return []jen.Code{c} }
	switch s := s.(type) {
	case *loop.Note:
		var lines []jen.Code
		for _, line := range strings.Split(s.Text, "\n") {
			lines = append(lines, jen.Comment("// "+line))
		}
		return lines
	case *loop.Decl:
		return p.decl(s)
	case *loop.Let:
		return p.let(s)
	case *loop.Assign:
		return one(p.assign(s))
	case *loop.Store:
		return one(p.store(s))
	case *loop.StoreLanes:
		return one(p.storeLanes(s))
	case *loop.Atomic:
		return p.atomic(s)
	case *loop.If:
		return one(p.branch(s))
	case *loop.For:
		return one(p.counted(s))
	case *loop.While:
		cond := p.expr(s.Cond).code
		return one(jen.For(cond).Block(p.block(s.Body)...))
	case *loop.Break:
		return one(jen.Break())
	case *loop.Do:
		return one(p.do(s))
	case *loop.View:
		return one(p.view(s))
	case *loop.Copy:
		return one(p.copied(s))
	case *loop.Parallel:
		return one(p.parallel(s))
	case *loop.Chain:
		return one(p.chain(s))
	case *loop.Blocks:
		return one(p.blocks(s))
	case *loop.Grow:
		return one(p.grow(s))
	}
	panic(fmt.Sprintf("gocpu: no Go for %T", s))
}

// copied prints a copy, of whole slices as such.
func (p *printer) copied(s *loop.Copy) *jen.Statement {
	to, from := p.use(s.To), p.use(s.From)
	if at, ok := s.At.(*loop.Const); !ok || !isZero(at) {
		to.Index(p.index(s.At).code.Op(":"))
	}
	if count, ok := s.Count.(*loop.Len); !ok || count.Memory != s.From {
		from.Index(jen.Op(":").Add(p.index(s.Count).code))
	}
	return jen.Copy(to, from)
}

func (p *printer) decl(s *loop.Decl) []jen.Code {
	var code *jen.Statement
	switch init := s.Init.(type) {
	case nil:
		if s.Length != nil {
			length := p.expr(s.Length).code
			made := jen.Make(goType(s.Var.T), length)
			if s.Kept {
				made = jen.Id("kgenTemporary").Types(goTypeOf(plan.Kind(s.Var.T.Kind.String()))).Call(jen.Op("&").Id("call"), length)
			}
			code = jen.Id(p.names.Declare(s.Var)).Op(":=").Add(made)
			break
		}
		code = jen.Var().Id(p.names.Declare(s.Var)).Add(goType(s.Var.T))
	case *loop.Select:
		return p.selected(s.Var, init)
	case *loop.Const:
		if isZero(init) && !init.Counter {
			code = jen.Var().Id(p.names.Declare(s.Var)).Add(goType(s.Var.T))
			break
		}
		code = jen.Id(p.names.Declare(s.Var)).Op(":=").Add(typedLiteral(init).code)
	default:
		value := p.typed(init).code
		code = jen.Id(p.names.Declare(s.Var)).Op(":=").Add(value)
	}
	return []jen.Code{code}
}

func (p *printer) let(s *loop.Let) []jen.Code {
	if x, ok := s.X.(*loop.Select); ok && s.Var.T.Form != loop.Vector {
		return p.selected(s.Var, x)
	}
	value := p.typed(s.X).code
	return []jen.Code{jen.Id(p.names.Declare(s.Var)).Op(":=").Add(value)}
}

// selected declares v as the choice x. Go compiles a value that is overwritten
// under a condition to a conditional move where it can.
func (p *printer) selected(v *loop.Var, x *loop.Select) []jen.Code {
	cond, then, otherwise := p.expr(x.Cond).code, p.expr(x.Then).code, p.typed(x.Else).code
	name := p.names.Declare(v)
	return []jen.Code{
		jen.Id(name).Op(":=").Add(otherwise),
		jen.If(cond).Block(jen.Id(name).Op("=").Add(then)),
	}
}

func (p *printer) assign(s *loop.Assign) *jen.Statement {
	if s.Var.T.Form == loop.Vector {
		return p.use(s.Var).Op("=").Add(p.typed(s.X).code)
	}
	if x, ok := s.X.(*loop.Select); ok {
		set := func(value loop.Expr) *jen.Statement { return p.assign(&loop.Assign{Var: s.Var, X: value}) }
		switch s.Var {
		case x.Else:
			return jen.If(p.expr(x.Cond).code).Block(set(x.Then))
		case x.Then:
			return jen.If(p.expr(loop.Not(x.Cond)).code).Block(set(x.Else))
		}
		return jen.If(p.expr(x.Cond).code).Block(set(x.Then)).Else().Block(set(x.Else))
	}
	isTarget := func(x loop.Expr) bool { return x == s.Var }
	return p.update(p.use(s.Var), isTarget, s.X)
}

func (p *printer) store(s *loop.Store) *jen.Statement {
	if s.Memory.T.Kind == ir.Char8 {
		return jen.Qual("encoding/binary", "BigEndian").Dot("PutUint64").Call(
			p.element(s.Memory, s.Index).Index(jen.Op(":")), p.expr(s.X).code)
	}
	isTarget := func(x loop.Expr) bool {
		l, ok := x.(*loop.Load)
		return ok && l.Memory == s.Memory && isSame(l.Index, s.Index)
	}
	return p.update(p.element(s.Memory, s.Index), isTarget, s.X)
}

// isSame reports whether x and y are one variable or equal literals.
func isSame(x, y loop.Expr) bool {
	if a, ok := x.(*loop.Const); ok {
		b, ok := y.(*loop.Const)
		return ok && *a == *b
	}
	_, ok := x.(*loop.Var)
	return ok && x == y
}

// update prints target = x, as target op= y or target++ where x allows it.
func (p *printer) update(target *jen.Statement, isTarget func(loop.Expr) bool, x loop.Expr) *jen.Statement {
	b, ok := x.(*loop.Binary)
	var o operator
	if ok {
		o = operators[b.Op]
	}
	isProduct := ok && b.Op == ir.OpMul && b.Type().Kind.IsFloat() // must round: see binary
	if o.token == "" || o.precedence < 4 || isProduct || !isTarget(b.X) {
		return target.Op("=").Add(p.expr(x).code)
	}
	if c, ok := b.Y.(*loop.Const); ok && c.Value.Kind.IsInteger() && c.Value.Int64() == 1 {
		switch b.Op {
		case ir.OpAdd:
			return target.Op("++")
		case ir.OpSub:
			return target.Op("--")
		}
	}
	right := p.expr(b.Y)
	if b.Op == ir.OpShl || b.Op == ir.OpShr {
		_, right = p.shiftOperands(b)
	} else if b.Op == ir.OpDiv {
		right = p.unrounded(b.Y)
	}
	return target.Op(o.token + "=").Add(right.code)
}
