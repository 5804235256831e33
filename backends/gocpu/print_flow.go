package gocpu

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

func (p *printer) branch(s *loop.If) *jen.Statement {
	if len(s.Then) == 0 {
		return p.branch(&loop.If{Cond: loop.Not(s.Cond), Then: s.Else})
	}
	code := jen.If(p.expr(s.Cond).code).Block(p.block(s.Then)...)
	if len(s.Else) == 0 {
		return code
	}
	if len(s.Else) == 1 {
		if next, ok := s.Else[0].(*loop.If); ok {
			return code.Else().Add(p.branch(next))
		}
	}
	return code.Else().Block(p.block(s.Else)...)
}

// counted prints a For. It ranges over the elements of a slice if the loop does.
func (p *printer) counted(s *loop.For) *jen.Statement {
	lo, hi := p.expr(s.Lo).code, p.expr(s.Hi).code
	if s.Var.T.Kind != ir.I64 || !s.Var.T.Counter {
		lo, hi = p.typed(s.Lo).code, p.typed(s.Hi).code
	}
	p.names.Push()
	defer p.names.Pop()
	if c, ok := s.Lo.(*loop.Const); !ok || !isZero(c) || s.Step != 1 {
		name := p.names.Declare(s.Var)
		step := jen.Id(name).Op("++")
		if s.Step != 1 {
			step = jen.Id(name).Op("+=").Lit(int(s.Step))
		}
		if _, ok := s.Hi.(*loop.Const); !ok && !isFixed(s.Hi) {
			end := p.names.Fresh(s.Var.Name + "_end")
			return jen.For(jen.List(jen.Id(name), jen.Id(end)).Op(":=").List(lo, hi),
				jen.Id(name).Op("<").Id(end), step).Block(p.statements(s.Body)...)
		}
		return jen.For(jen.Id(name).Op(":=").Add(lo), jen.Id(name).Op("<").Add(hi), step).Block(p.statements(s.Body)...)
	}
	if memory, element, rest := p.elements(s); memory != nil {
		index := "_"
		if reads(rest, s.Var) {
			index = p.names.Declare(s.Var)
		}
		value := p.names.Declare(element)
		return jen.For(jen.List(jen.Id(index), jen.Id(value)).Op(":=").Range().Add(p.use(memory))).Block(p.statements(rest)...)
	}
	if l, ok := s.Hi.(*loop.Len); ok {
		hi = p.use(l.Memory)
	}
	if !reads(s.Body, s.Var) {
		return jen.For(jen.Range().Add(hi)).Block(p.statements(s.Body)...)
	}
	return jen.For(jen.Id(p.names.Declare(s.Var)).Op(":=").Range().Add(hi)).Block(p.statements(s.Body)...)
}

// isFixed reports whether x can be evaluated again at no cost, to the same value.
func isFixed(x loop.Expr) bool {
	switch x := x.(type) {
	case *loop.Var:
		return !x.Changes
	case *loop.Len:
		return true
	}
	return false
}

// elements returns the slice or window over all of whose elements s iterates, if
// its body begins with the load of an element. Then Go can range over them without
// bounds checks. Rest is the body without that load.
func (p *printer) elements(s *loop.For) (memory, element *loop.Var, rest []loop.Stmt) {
	for i, first := range s.Body {
		switch first := first.(type) {
		case *loop.Note:
			continue
		case *loop.Let:
			load, ok := first.X.(*loop.Load)
			if !ok || load.Index != s.Var || load.Memory.T.Kind == ir.Char8 || !spans(s.Hi, load.Memory) || isCut(s.Body, load.Memory) {
				return nil, nil, nil
			}
			rest = append(append(rest, s.Body[:i]...), s.Body[i+1:]...)
			return load.Memory, first.Var, rest
		}
		break
	}
	return nil, nil, nil
}

// spans reports whether n is the number of elements of m.
func spans(n loop.Expr, m *loop.Var) bool {
	switch n := n.(type) {
	case *loop.Len:
		return n.Memory == m
	case *loop.Const:
		return m.T.Form == loop.Window && n.Value.Int64() == int64(m.T.Len)
	}
	return false
}

// isCut reports whether body reslices m.
func isCut(body []loop.Stmt, m *loop.Var) bool {
	for _, s := range body {
		if v, ok := s.(*loop.View); ok && v.Var == m {
			return true
		}
	}
	return false
}

func reads(body []loop.Stmt, v *loop.Var) bool {
	found := false
	loop.Walk(body, func(x loop.Expr) { found = found || x == v })
	return found
}

func (p *printer) do(s *loop.Do) *jen.Statement {
	call := p.call(s.Call)
	if len(s.Results) == 0 {
		return call
	}
	var targets []jen.Code
	named, declared := false, false
	for _, v := range s.Results {
		if v == nil {
			targets = append(targets, jen.Id("_"))
			continue
		}
		if v.Changes { // declared before
			targets = append(targets, p.use(v))
			declared = true
			continue
		}
		targets = append(targets, jen.Id(p.names.Declare(v)))
		named = true
	}
	switch {
	case declared:
		return jen.List(targets...).Op("=").Add(call)
	case named:
		return jen.List(targets...).Op(":=").Add(call)
	}
	return call
}

func (p *printer) view(s *loop.View) *jen.Statement {
	isStart := func(x loop.Expr) bool { c, ok := x.(*loop.Const); return ok && isZero(c) }
	var bounds *jen.Statement
	switch {
	case s.Var.T.Form == loop.Window && isStart(s.Start):
		return jen.Id(p.names.Declare(s.Var)).Op(":=").Parens(goType(s.Var.T)).Call(p.use(s.Memory))
	case isStart(s.Start):
		bounds = jen.Op(":")
	default:
		bounds = p.index(s.Start).code.Op(":")
	}
	if s.End != nil && s.Var.T.Form != loop.Window {
		bounds.Add(p.index(s.End).code)
	}
	part := p.use(s.Memory).Index(bounds)
	if s.Var == s.Memory {
		return p.use(s.Var).Op("=").Add(part)
	}
	if s.Var.T.Form == loop.Window {
		part = jen.Parens(goType(s.Var.T)).Call(part)
	}
	return jen.Id(p.names.Declare(s.Var)).Op(":=").Add(part)
}

func (p *printer) parallel(s *loop.Parallel) *jen.Statement {
	workers, rows := p.expr(s.Workers).code, p.expr(s.Rows).code
	p.names.Push()
	defer p.names.Pop()
	param := func(v *loop.Var) *jen.Statement {
		if !reads(s.Body, v) {
			return jen.Id("_")
		}
		return jen.Id(p.names.Declare(v))
	}
	params := jen.Func().Params(param(s.Worker), param(s.Lo), param(s.Hi).Int())
	return jen.Id("kgenFork").Call(p.callUnless(s.Fixed), workers, rows, jen.Lit(int(s.Grain)), params.Block(p.statements(s.Body)...))
}

func (p *printer) chain(s *loop.Chain) *jen.Statement {
	workers, rows := p.expr(s.Workers).code, p.expr(s.Rows).code
	p.names.Push()
	defer p.names.Pop()
	blocks := p.names.Fresh("blocks")
	var body []jen.Code
	if s.Worker != nil {
		body = append(body, jen.Id(p.names.Declare(s.Worker)).Op(":=").Id(blocks).Dot("deal").Call())
	}
	body = append(body, p.statements(s.Setup)...)
	p.names.Push()
	defer p.names.Pop()
	turns := append([]loop.ChainTurn{{Before: s.Before, Turn: s.Turn}}, s.More...)
	all := s.After
	for _, part := range turns {
		all = slices.Concat(all, part.Before, part.Turn)
	}
	var bounds, values []jen.Code
	for i, v := range [...]*loop.Var{s.Lo, s.Hi} {
		if reads(all, v) {
			bounds = append(bounds, jen.Id(p.names.Declare(v)))
			values = append(values, jen.Id(blocks).Dot([]string{"lo", "hi"}[i]))
		}
	}
	var parts []jen.Code
	if len(bounds) > 0 {
		parts = append(parts, jen.List(bounds...).Op(":=").List(values...))
	}
	grows := false
	for _, part := range turns {
		parts = append(parts, p.statements(part.Before)...)
		parts = append(parts, jen.Id(blocks).Dot("await").Call())
		loop.WalkStmts(part.Turn, func(s loop.Stmt) {
			if _, ok := s.(*loop.Grow); ok {
				grows = true
			}
		})
		p.turn = blocks
		parts = append(parts, p.statements(part.Turn)...)
		p.turn = ""
		parts = append(parts, jen.Id(blocks).Dot("release").Call())
	}
	parts = append(parts, p.statements(s.After)...)
	if grows {
		parts = append(parts, jen.Id(blocks).Dot("done").Call())
	}
	body = append(body, jen.For(jen.Id(blocks).Dot("next").Call()).Block(parts...))
	if len(s.Finish) > 0 {
		lock := jen.Id(blocks).Dot("chain").Dot("lock")
		body = append(append(append(body, lock.Clone().Dot("Lock").Call()), p.block(s.Finish)...), lock.Clone().Dot("Unlock").Call())
	}
	return jen.Id("kgenInOrder").Call(p.callUnless(s.Fixed), workers, rows, jen.Lit(int(s.Block)),
		jen.Func().Params(jen.Id(blocks).Op("*").Id("kgenBlocks")).Block(body...))
}

// blocks prints a loop over blocks of rows.
func (p *printer) blocks(s *loop.Blocks) *jen.Statement {
	rows := p.expr(s.Rows).within(6)
	p.names.Push()
	defer p.names.Pop()
	lo, step := p.names.Declare(s.Lo), p.names.Fresh("step")
	size := jen.Lit(int(s.Block))
	if p.inCall {
		size = jen.Id("call").Dot("part").Call(size)
	}
	hi := jen.Id(p.names.Declare(s.Hi)).Op(":=").Id("min").Call(rows.Clone().Op("-").Id(lo), jen.Id(step)).Op("+").Id(lo)
	return jen.For(jen.List(jen.Id(lo), jen.Id(step)).Op(":=").List(jen.Lit(0), size), jen.Id(lo).Op("<").Add(rows), jen.Id(lo).Op("+=").Id(step)).
		Block(append([]jen.Code{hi}, p.statements(s.Body)...)...)
}

// grow prints the growth of columns, for which the turn of a block waits.
func (p *printer) grow(s *loop.Grow) *jen.Statement {
	need, used, done, rows := p.expr(s.Need).code, p.expr(s.Used).code, p.expr(s.Done).code, p.expr(s.Rows).code
	var lengths, statements []jen.Code
	if p.turn != "" {
		statements = append(statements, jen.Id(p.turn).Dot("settle").Call())
	}
	for i, column := range s.Columns {
		lengths = append(lengths, jen.Len(p.use(column)))
		statements = append(statements, p.use(column).Op("=").Id("kgenGrow").Call(p.use(column), jen.Lit(i+1), used, need, done, rows))
	}
	return jen.If(jen.Add(need).Op(">").Id("min").Call(lengths...)).Block(statements...)
}

// callUnless returns the state of the call, whose options may change the number of
// rows that workers take at once, or nil if that number is fixed.
func (p *printer) callUnless(fixed bool) jen.Code {
	if fixed || !p.inCall {
		return jen.Nil()
	}
	return jen.Op("&").Id("call")
}

var atomicTypes = map[ir.Kind]string{ir.I32: "Int32", ir.I64: "Int64", ir.U32: "Uint32", ir.U64: "Uint64"}

func (p *printer) atomic(s *loop.Atomic) []jen.Code {
	kind := atomicTypes[s.Memory.T.Kind]
	call := func(name string, args ...jen.Code) *jen.Statement {
		address := jen.Op("&").Add(p.element(s.Memory, s.Index))
		return jen.Qual("sync/atomic", name+kind).Call(append([]jen.Code{address}, args...)...)
	}
	value := func() text { return p.expr(s.X) }
	bind := func(old *jen.Statement) []jen.Code {
		if s.Old == nil {
			return []jen.Code{old}
		}
		return []jen.Code{jen.Id(p.names.Declare(s.Old)).Op(":=").Add(old)}
	}
	switch s.Op {
	case loop.AtomicAdd:
		added := call("Add", value().code)
		if s.Old != nil {
			added.Op("-").Add(value().within(5))
		}
		return bind(added)
	case loop.AtomicAnd:
		return bind(call("And", value().code))
	case loop.AtomicOr:
		return bind(call("Or", value().code))
	case loop.AtomicExchange:
		return bind(call("Swap", value().code))
	}
	// Look first, and exchange until the memory holds no worse value, or another one than
	// is expected.
	var name string
	if s.Old != nil {
		name = p.names.Declare(s.Old)
	} else {
		name = p.names.Fresh("old")
	}
	exchanges := value().within(4).Op("<").Id(name)
	switch s.Op {
	case loop.AtomicMax:
		exchanges = value().within(4).Op(">").Id(name)
	case loop.AtomicCompareExchange:
		exchanges = jen.Id(name).Op("==").Add(p.expr(s.Expected).within(4))
	}
	exchanged := call("CompareAndSwap", jen.Id(name), value().code)
	return []jen.Code{
		jen.Id(name).Op(":=").Add(call("Load")),
		jen.For(exchanges.Op("&&").Op("!").Add(exchanged)).Block(
			jen.Id(name).Op("=").Add(call("Load"))),
	}
}
