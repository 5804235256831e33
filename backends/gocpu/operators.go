package gocpu

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// operator is how Go writes an element-wise operator: by a token, or by a function
// for floats and one for everything else.
type operator struct {
	token      string
	precedence int
	math       string // in package math, on float64; the result for an f32 is exact, or rounds as that of f32 does
	function   string // builtin, or in the support file
	bits       string // in package math/bits, with the width of an unsigned integer behind it
}

// Go's precedences; those of binary operators are 1 to 5.
const (
	unaryPrecedence = 6
	operand         = 7
)

// operators has every element-wise operator but casts and select, which are
// expressions of their own in loop programs.
var operators = map[ir.Op]operator{
	ir.OpMul: {token: "*", precedence: 5}, ir.OpDiv: {token: "/", precedence: 5}, ir.OpRem: {token: "%", precedence: 5},
	ir.OpShl: {token: "<<", precedence: 5}, ir.OpShr: {token: ">>", precedence: 5},
	ir.OpAnd: {token: "&", precedence: 5}, ir.OpAndNot: {token: "&^", precedence: 5},
	ir.OpAdd: {token: "+", precedence: 4}, ir.OpSub: {token: "-", precedence: 4},
	ir.OpOr: {token: "|", precedence: 4}, ir.OpXor: {token: "^", precedence: 4},
	ir.OpEq: {token: "==", precedence: 3}, ir.OpNe: {token: "!=", precedence: 3},
	ir.OpLt: {token: "<", precedence: 3}, ir.OpLe: {token: "<=", precedence: 3},
	ir.OpGt: {token: ">", precedence: 3}, ir.OpGe: {token: ">=", precedence: 3},
	ir.OpLogicalAnd: {token: "&&", precedence: 2}, ir.OpLogicalOr: {token: "||", precedence: 1},
	ir.OpNeg:        {token: "-", precedence: unaryPrecedence},
	ir.OpComplement: {token: "^", precedence: unaryPrecedence},
	ir.OpNot:        {token: "!", precedence: unaryPrecedence},
	ir.OpLeast:      {function: "min"},
	ir.OpGreatest:   {function: "max"},
	ir.OpAbs:        {math: "Abs", function: "kgenAbs"},
	ir.OpSqrt:       {math: "Sqrt"},
	ir.OpFloor:      {math: "Floor"},
	ir.OpCeil:       {math: "Ceil"},
	ir.OpTrunc:      {math: "Trunc"},
	ir.OpRound:      {math: "RoundToEven"},
	ir.OpYear:       {function: "kgenYear"},
	ir.OpMonth:      {function: "kgenMonth"},
	ir.OpDay:        {function: "kgenDay"},

	ir.OpPopcount:      {bits: "OnesCount"},
	ir.OpLeadingzeros:  {bits: "LeadingZeros"},
	ir.OpTrailingzeros: {bits: "TrailingZeros"},
}

func (p *printer) unary(x *loop.Unary) text {
	o, kind := operators[x.Op], x.X.Type().Kind
	switch {
	case o.token != "":
		return text{jen.Op(o.token).Add(p.variable(x.X).within(unaryPrecedence)), unaryPrecedence}
	case o.math != "" && kind == ir.F32:
		return text{jen.Float32().Call(jen.Qual("math", o.math).Call(jen.Float64().Call(p.expr(x.X).code))), operand}
	case o.math != "" && kind == ir.F64:
		return text{jen.Qual("math", o.math).Call(p.expr(x.X).code), operand}
	case o.function != "":
		return helper(o.function, p.typed(x.X).code)
	case o.bits != "":
		width := fmt.Sprint(8 * kind.Size())
		count := jen.Qual("math/bits", o.bits+width).Call(jen.Id("uint" + width).Call(p.variable(x.X).code))
		return text{goType(x.Type()).Call(count), operand}
	}
	panic(fmt.Sprintf("gocpu: no Go for %v of %v", x.Op, kind))
}

func (p *printer) binary(x *loop.Binary) text {
	t := p.unrounded(x)
	if x.Op == ir.OpMul && x.Type().Kind.IsFloat() {
		// Go may fuse a product with a later sum, across statements too; a
		// conversion makes it round.
		return text{goType(x.Type()).Call(t.code), operand}
	}
	return t
}

// unrounded prints x, in the place of an operand that no Go compiler fuses a
// product into.
func (p *printer) unrounded(x loop.Expr) text {
	b, ok := x.(*loop.Binary)
	if !ok {
		return p.expr(x)
	}
	o := operators[b.Op]
	left, right := p.operands(b.X, b.Y, b.Op == ir.OpMul || b.Op == ir.OpDiv)
	switch {
	case o.function != "":
		return helper(o.function, left.code, right.code)
	case o.token == "":
		panic(fmt.Sprintf("gocpu: no Go for %v of %v", b.Op, b.X.Type()))
	case b.Op == ir.OpShl || b.Op == ir.OpShr:
		left, right = p.shiftOperands(b)
	}
	return text{left.within(o.precedence).Op(o.token).Add(right.within(o.precedence + 1)), o.precedence}
}
