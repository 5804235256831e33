package ctext

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// operator is how C writes an element-wise operator: by a token, or by a function.
type operator struct {
	token      string
	precedence int
	operands   int  // how strongly operands bind, of an infix operator
	chains     bool // x op y op z is (x op y) op z

	// function is the helper that is called instead, with the kind of its operands
	// behind its name, unless there is one for all.
	function string
	alone    bool
}

// operators has the element-wise operators that C has a token for, and those whose
// helper is not called as the operator is. An operator that is not here is a
// function: one of the dialect's (see Dialect.Floats), or the helper of its
// name for each kind, as least_i32. And not is an and of a complement; casts and
// select are expressions of their own in loop programs. Operands of an infix operator are in parentheses
// unless they bind as strongly as C demands, and where compilers and readers
// want to see them.
var operators = map[ir.Op]operator{
	ir.OpMul:        {token: "*", precedence: productPrecedence, operands: unaryPrecedence, chains: true},
	ir.OpDiv:        {token: "/", precedence: productPrecedence, operands: unaryPrecedence, function: "divide"},
	ir.OpRem:        {token: "%", precedence: productPrecedence, operands: unaryPrecedence, function: "remainder"},
	ir.OpAdd:        {token: "+", precedence: sumPrecedence, operands: productPrecedence, chains: true},
	ir.OpSub:        {token: "-", precedence: sumPrecedence, operands: productPrecedence, chains: true},
	ir.OpShl:        {token: "<<", precedence: shiftPrecedence, operands: unaryPrecedence},
	ir.OpShr:        {token: ">>", precedence: shiftPrecedence, operands: unaryPrecedence},
	ir.OpAnd:        {token: "&", precedence: bitPrecedence, operands: unaryPrecedence, chains: true},
	ir.OpOr:         {token: "|", precedence: bitPrecedence, operands: unaryPrecedence, chains: true},
	ir.OpXor:        {token: "^", precedence: bitPrecedence, operands: unaryPrecedence, chains: true},
	ir.OpLt:         {token: "<", precedence: orderPrecedence, operands: sumPrecedence},
	ir.OpLe:         {token: "<=", precedence: orderPrecedence, operands: sumPrecedence},
	ir.OpGt:         {token: ">", precedence: orderPrecedence, operands: sumPrecedence},
	ir.OpGe:         {token: ">=", precedence: orderPrecedence, operands: sumPrecedence},
	ir.OpEq:         {token: "==", precedence: equalPrecedence, operands: sumPrecedence},
	ir.OpNe:         {token: "!=", precedence: equalPrecedence, operands: sumPrecedence},
	ir.OpLogicalAnd: {token: "&&", precedence: andPrecedence, operands: equalPrecedence, chains: true},
	ir.OpLogicalOr:  {token: "||", precedence: orPrecedence, operands: equalPrecedence, chains: true},
	ir.OpNeg:        {token: "-", precedence: unaryPrecedence},
	ir.OpComplement: {token: "~", precedence: unaryPrecedence},
	ir.OpNot:        {token: "!", precedence: unaryPrecedence},
	ir.OpAbs:        {function: "absolute"},
	ir.OpYear:       {function: "year", alone: true},
	ir.OpMonth:      {function: "month", alone: true},
	ir.OpDay:        {function: "day", alone: true},
}

// infix prints x op y. Chains of one operator associate to the left.
func infix(op ir.Op, x, y text) text {
	o := operators[op]
	if o.operands == 0 {
		panic(fmt.Sprintf("ctext: no infix operator %v", op))
	}
	left := x.within(o.operands)
	if x.op == op && o.chains {
		left = x.string
	}
	return text{left + " " + o.token + " " + y.within(o.operands), o.precedence, op}
}

func (p *printer) unary(x *loop.Unary) text {
	t, token := x.X.Type(), operators[x.Op].token
	switch {
	case x.Op == ir.OpNeg && isWrapped(t):
		return p.wrapped(x)
	case x.Op == ir.OpComplement && t.Kind.Size() < 4 && t.Kind.IsUnsigned(): // C widens it and sets the upper bits
		return cast(p.valueType(t), prefix(token, p.value(x.X)))
	case token != "":
		return prefix(token, p.value(x.X))
	case x.Op == ir.OpSqrt && t.Kind == ir.F32:
		p.needs[plan.CapDivideF32] = true
	}
	return p.named(x.Op, t, x.X)
}

// named calls what stands for op on operands of type t: a function of the
// dialect, or a helper.
func (p *printer) named(op ir.Op, t loop.Type, args ...loop.Expr) text {
	p.needRounding(t.Kind)
	if name := p.dialect.Floats[op][t.Kind]; name != "" {
		return operand("%s(%s)", name, p.values(args))
	}
	return operand("%s(%s)", p.helper(helperName(op, t.Kind)), p.values(args))
}

// helperName is the helper that stands for op on operands of kind k.
func helperName(op ir.Op, k ir.Kind) string {
	o := operators[op]
	name := o.function
	if name == "" {
		name = op.String()
	}
	if !o.alone {
		name += "_" + k.String()
	}
	return name
}

// apply calls the helper of that name for type t.
func (p *printer) apply(name string, t loop.Type, args ...loop.Expr) text {
	return operand("%s(%s)", p.helper(name+"_"+t.Kind.String()), p.values(args))
}

// values prints arguments.
func (p *printer) values(args []loop.Expr) string {
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = p.value(a).string
	}
	return strings.Join(list, ", ")
}
