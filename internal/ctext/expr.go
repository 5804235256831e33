package ctext

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/templates"
)

// text is a printed expression and how strongly it binds.
type text struct {
	string
	precedence int
	op         ir.Op // the outermost one, if it is infix
}

// The precedences that C gives to operators, of those used here.
const (
	choicePrecedence = iota + 1
	orPrecedence
	andPrecedence
	bitPrecedence // | ^ & have three levels in C; the printer treats them as one, in parentheses
	equalPrecedence
	orderPrecedence
	shiftPrecedence
	sumPrecedence
	productPrecedence
	unaryPrecedence
	operandPrecedence
)

// within prints t for a place that binds as strongly as precedence.
func (t text) within(precedence int) string {
	if t.precedence < precedence {
		return "(" + t.string + ")"
	}
	return t.string
}

func operand(format string, args ...any) text {
	return text{string: fmt.Sprintf(format, args...), precedence: operandPrecedence}
}

// prefix puts a unary operator or cast before t.
func prefix(token string, t text) text {
	inner := t.within(unaryPrecedence)
	if token == "-" && inner[0] == '-' { // not --
		inner = "(" + inner + ")"
	}
	return text{string: token + inner, precedence: unaryPrecedence}
}

// cast converts t to a C type.
func cast(to string, t text) text { return prefix("("+to+")", t) }

// use prints the name of v.
func (p *printer) use(v *loop.Var) string {
	name, ok := p.names.Of(v)
	if !ok {
		p.fail("%s is used before it is declared", v.Name)
	}
	return name
}

// value prints x, whose C type is that of its kind, or an integer type with a
// value of its kind where that is narrower than int.
func (p *printer) value(x loop.Expr) text {
	switch x := x.(type) {
	case *loop.Const:
		return p.literal(x)
	case *loop.Var:
		return operand("%s", p.use(x))
	case *loop.Unary:
		return p.unary(x)
	case *loop.Binary:
		return p.binary(x)
	case *loop.Compare:
		return p.compare(x)
	case *loop.Select:
		return p.choice(x)
	case *loop.Cast:
		return p.cast(x)
	case *loop.Load:
		return p.load(x)
	case *loop.Call:
		return operand("%s", p.call(x))
	case *loop.ID:
		if id, ok := p.dialect.IDs[x.Kind]; ok {
			return cast(p.counter, operand("%s", id))
		}
		p.fail("there is no %v", x.Kind)
	default:
		p.fail("there is no text for %T", x)
	}
	return operand("0")
}

// unlessConst prints x without a suffix if other, the other operand of a sum or
// comparison, determines the type.
func (p *printer) unlessConst(x, other loop.Expr) text {
	c, isConst := x.(*loop.Const)
	if _, both := other.(*loop.Const); isConst && !both && c.Counter {
		return p.plain(c)
	}
	return p.value(x)
}

// needRounding records arithmetic on floats of kind k. An f32 must keep
// subnormal numbers in it.
func (p *printer) needRounding(k ir.Kind) {
	if k == ir.F32 {
		p.needs[plan.CapDenormalsF32] = true
	}
}

// noteRounding records the capabilities that the arithmetic of x needs.
func (p *printer) noteRounding(x *loop.Binary) {
	p.needRounding(x.Type().Kind)
	if x.Op == ir.OpDiv && x.Type().Kind == ir.F32 {
		p.needs[plan.CapDivideF32] = true
	}
}

func (p *printer) compare(x *loop.Compare) text {
	if order := x.Logical(); order != nil {
		return p.value(order)
	}
	if x.IsOfKeys() {
		return p.compareKeys(x)
	}
	p.needRounding(x.X.Type().Kind)
	return infix(x.Op, p.unlessConst(x.X, x.Y), p.unlessConst(x.Y, x.X))
}

// compareKeys prints a comparison of floats in the order of keys.
func (p *printer) compareKeys(x *loop.Compare) text {
	isEqual, swapped, negated := x.Basis()
	name, left, right := "key_less", x.X, x.Y
	if isEqual {
		name = "key_equal"
	}
	if swapped {
		left, right = right, left
	}
	call := p.apply(name, x.X.Type(), left, right)
	if negated {
		return prefix("!", call)
	}
	return call
}

// choice prints a select. C evaluates one side only, so neither may have effects.
func (p *printer) choice(x *loop.Select) text {
	for _, side := range []loop.Expr{x.Then, x.Else} {
		loop.WalkExpr(side, func(e loop.Expr) {
			if c, ok := e.(*loop.Call); ok && p.hasEffects(c.Callee) {
				p.fail("%s is called for its effects in a choice, both sides of which happen; call it before", c.Callee.Name)
			}
		})
	}
	cond, then, otherwise := p.value(x.Cond), p.unlessConst(x.Then, x.Else), p.unlessConst(x.Else, x.Then)
	return text{string: fmt.Sprintf("%s ? %s : %s", cond.within(choicePrecedence+1), then.within(choicePrecedence+1),
		otherwise.within(choicePrecedence+1)), precedence: choicePrecedence}
}

// hasEffects reports whether a call may do more than compute its result. A
// function of the program has effects only on memory that it is passed.
func (p *printer) hasEffects(s *loop.Signature) bool {
	if p.funcs[s] == nil {
		return s.Effects || s.Collective
	}
	for _, t := range s.Params {
		if t.IsMemory() && !t.ReadOnly {
			return true
		}
	}
	return false
}

func (p *printer) load(x *loop.Load) text {
	t := x.Memory.T
	element := operand("%s", p.element(x.Memory, x.Index))
	if x.Volatile {
		element = prefix(fmt.Sprintf("*(volatile %s%s *)", p.dialect.Space[t.Space], p.memoryType(t)),
			text{string: "&" + element.string, precedence: unaryPrecedence})
	}
	switch {
	case t.Kind == ir.Bool:
		return text{string: element.string + " != 0", precedence: equalPrecedence}
	case isSwapped(t):
		return operand("%s(%s)", p.helper("swap_char8"), element.string)
	}
	return element
}

// element prints m[i].
func (p *printer) element(m *loop.Var, i loop.Expr) string {
	return fmt.Sprintf("%s[%s]", p.use(m), p.initial(i))
}

func (p *printer) call(x *loop.Call) string {
	args := make([]string, len(x.Args))
	for i, a := range x.Args {
		args[i] = p.value(a).string
	}
	return fmt.Sprintf("%s(%s)", p.callee(x.Callee), strings.Join(args, ", "))
}

// callee returns the name of a function of the program or of a helper.
func (p *printer) callee(s *loop.Signature) string {
	if f := p.funcs[s]; f != nil {
		return f.name
	}
	if helper, ok := p.dialect.Helpers.Lookup(s.Name); ok && !isSignature(helper, s) {
		p.fail("%s is called as another function than the helper", s.Name)
	}
	return p.helper(s.Name)
}

func isSignature(helper *templates.Helper, s *loop.Signature) bool {
	l := helper.Signature
	return fmt.Sprint(l.Params, l.Results) == fmt.Sprint(s.Params, s.Results)
}
