package gocpu

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// text is a printed expression with its precedence.
type text struct {
	code       *jen.Statement
	precedence int
}

// within prints t as an operand of an operator of the given precedence.
func (t text) within(precedence int) *jen.Statement {
	if t.precedence < precedence {
		return jen.Parens(t.code)
	}
	return t.code
}

// expr prints x for a place where a literal gets its type from the context.
func (p *printer) expr(x loop.Expr) text {
	if c, ok := x.(*loop.Const); ok {
		return literal(c)
	}
	return p.typed(x)
}

// typed prints x for a place where the text must determine the type.
func (p *printer) typed(x loop.Expr) text {
	if x.Type().Form == loop.Vector {
		return p.vector(x)
	}
	switch x := x.(type) {
	case *loop.Const:
		return typedLiteral(x)
	case *loop.Var:
		return text{p.use(x), operand}
	case *loop.Unary:
		return p.unary(x)
	case *loop.Binary:
		return p.binary(x)
	case *loop.Compare:
		return p.compare(x)
	case *loop.Select:
		then := p.expr(x.Then)
		if _, ok := x.Else.(*loop.Const); ok {
			then = p.typed(x.Then)
		}
		return helper("kgenSelect", p.expr(x.Cond).code, then.code, p.expr(x.Else).code)
	case *loop.Cast:
		return p.cast(x)
	case *loop.Load:
		return p.load(x)
	case *loop.Call:
		return text{p.call(x), operand}
	case *loop.Len:
		return text{jen.Len(p.use(x.Memory)), operand}
	case *loop.CountLanes:
		return p.countLanes(x)
	case *loop.AnyLane:
		return text{p.typed(x.Mask).within(4).Op("!=").Lit(0), 3}
	}
	panic(fmt.Sprintf("gocpu: no Go for %T", x))
}

func helper(name string, args ...*jen.Statement) text {
	list := make([]jen.Code, len(args))
	for i, a := range args {
		list[i] = a
	}
	return text{jen.Id(name).Call(list...), operand}
}

// variable prints x so that Go treats it as a variable. Arithmetic on literals is
// constant arithmetic, which must not overflow.
func (p *printer) variable(x loop.Expr) text {
	t := p.typed(x)
	if _, ok := x.(*loop.Const); ok {
		return helper("kgenVariable", t.code)
	}
	return t
}

// operands prints x and y so that at least one of them determines the type.
func (p *printer) operands(x, y loop.Expr, unfused bool) (left, right text) {
	_, xConst := x.(*loop.Const)
	_, yConst := y.(*loop.Const)
	if xConst && yConst {
		return p.variable(x), p.expr(y)
	}
	if unfused {
		return p.unrounded(x), p.unrounded(y)
	}
	return p.expr(x), p.expr(y)
}

func (p *printer) shiftOperands(x *loop.Binary) (left, right text) {
	width := int64(x.Type().Kind.Size() * 8)
	if c, ok := x.Y.(*loop.Const); ok {
		return p.variable(x.X), literal(loop.Int(c.Value.Int64() & (width - 1)))
	}
	count := p.expr(x.Y).within(5).Op("&").Add(jen.Lit(int(width - 1)))
	return p.typed(x.X), text{count, 5}
}

func (p *printer) compare(x *loop.Compare) text {
	if order := x.Logical(); order != nil {
		return p.expr(order)
	}
	left, right := p.operands(x.X, x.Y, true)
	if x.IsOfKeys() {
		return compareKeys(x, left, right)
	}
	o := operators[x.Op]
	return text{left.within(o.precedence + 1).Op(o.token).Add(right.within(o.precedence + 1)), o.precedence}
}

// compareKeys prints a comparison of floats in the order of keys.
func compareKeys(x *loop.Compare, left, right text) text {
	isEqual, swapped, negated := x.Basis()
	name := "kgenKeyLess"
	if isEqual {
		name = "kgenKeyEqual"
	}
	if swapped {
		left, right = right, left
	}
	call := helper(name, left.code, right.code)
	if negated {
		return text{jen.Op("!").Add(call.code), unaryPrecedence}
	}
	return call
}

func (p *printer) cast(x *loop.Cast) text {
	from, to := x.X.Type().Kind, x.To.Kind
	convert := func(t *jen.Statement) text { return text{goType(x.To).Call(t), operand} }
	if x.Bits && from == ir.Char8 { // which has the bits of its value
		return p.expr(x.X)
	}
	if x.Bits {
		name := map[ir.Kind]string{ir.U32: "Float32bits", ir.U64: "Float64bits", ir.F32: "Float32frombits", ir.F64: "Float64frombits"}[to]
		return text{jen.Qual("math", name).Call(p.expr(x.X).code), operand}
	}
	switch {
	case from == ir.Bool && to.IsFloat():
		return convert(jen.Id("kgenBit").Types(jen.Int32()).Call(p.expr(x.X).code))
	case from == ir.Bool:
		return text{jen.Id("kgenBit").Types(goType(x.To)).Call(p.expr(x.X).code), operand}
	case from.IsFloat() && to.IsInteger():
		arg := p.expr(x.X).code
		if from == ir.F32 {
			arg = jen.Float64().Call(p.typed(x.X).code)
		}
		low, high := limits(to)
		return text{jen.Id("kgenTruncate").Types(goType(x.To)).Call(arg, low, high), operand}
	case from.IsFloat():
		return convert(p.variable(x.X).code)
	}
	return convert(p.variable(x.X).code)
}

// limits prints the least and greatest value of an integer kind.
func limits(k ir.Kind) (low, high *jen.Statement) {
	bits := fmt.Sprint(k.Size() * 8)
	if k.IsUnsigned() {
		return jen.Lit(0), jen.Qual("math", "MaxUint"+bits)
	}
	return jen.Qual("math", "MinInt"+bits), jen.Qual("math", "MaxInt"+bits)
}

func (p *printer) load(x *loop.Load) text {
	element := p.element(x.Memory, x.Index)
	if x.Memory.T.Kind == ir.Char8 {
		return text{jen.Qual("encoding/binary", "BigEndian").Dot("Uint64").Call(element.Index(jen.Op(":"))), operand}
	}
	return text{element, operand}
}

// element prints m[i].
func (p *printer) element(m *loop.Var, i loop.Expr) *jen.Statement {
	return p.use(m).Index(p.index(i).code)
}

// index prints x as an index or a bound, where Go accepts an int64 without a
// conversion.
func (p *printer) index(x loop.Expr) text {
	if c, ok := x.(*loop.Cast); ok && !c.Bits && c.To == loop.Counter && c.X.Type().Kind == ir.I64 {
		x = c.X
	}
	return p.expr(x)
}

func (p *printer) call(x *loop.Call) *jen.Statement {
	args := make([]jen.Code, len(x.Args))
	for i, a := range x.Args {
		args[i] = p.expr(a).code
	}
	return jen.Id(p.callee(x.Callee)).Call(args...)
}
