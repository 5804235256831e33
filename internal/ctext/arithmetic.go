package ctext

import (
	"strconv"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

func (p *printer) binary(x *loop.Binary) text {
	t := x.Type()
	switch x.Op {
	case ir.OpLogicalAnd, ir.OpLogicalOr:
		return infix(x.Op, p.value(x.X), p.value(x.Y))
	case ir.OpLeast, ir.OpGreatest:
		return p.extreme(x)
	case ir.OpDiv, ir.OpRem:
		return p.quotient(x)
	case ir.OpAnd, ir.OpOr, ir.OpXor: // results of narrow kinds stay in range
		return infix(x.Op, p.unlessConst(x.X, x.Y), p.unlessConst(x.Y, x.X))
	case ir.OpAndNot:
		return infix(ir.OpAnd, p.unlessConst(x.X, x.Y), prefix("~", p.value(x.Y)))
	case ir.OpShr: // stays in range, and C keeps the sign
		return infix(x.Op, p.value(x.X), p.shiftCount(x))
	}
	if isWrapped(t) || x.Op == ir.OpShl && !isWord(t) {
		return p.wrapped(x)
	}
	if x.Op == ir.OpShl {
		return infix(x.Op, p.value(x.X), p.shiftCount(x))
	}
	return p.plainBinary(x)
}

// extreme prints the smaller or greater of two values. Counters that are narrow are
// compared as such.
func (p *printer) extreme(x *loop.Binary) text {
	t := x.Type()
	if !t.Counter || p.counter == p.dialect.Types[ir.I64] {
		return p.named(x.Op, t, x.X, x.Y)
	}
	return operand("%s(%s, %s)", p.helper(helperName(x.Op, ir.I32)), p.unlessConst(x.X, x.Y).string, p.unlessConst(x.Y, x.X).string)
}

// plainBinary prints x with an operator of C, or the function that replaces it.
func (p *printer) plainBinary(x *loop.Binary) text {
	p.noteRounding(x)
	if function := p.dialect.Floats[x.Op][x.Type().Kind]; function != "" {
		return operand("%s(%s, %s)", function, p.value(x.X).string, p.value(x.Y).string)
	}
	return infix(x.Op, p.unlessConst(x.X, x.Y), p.unlessConst(x.Y, x.X))
}

// isWord reports whether C computes with t as the language does: unsigned and
// at least as wide as int.
func isWord(t loop.Type) bool { return t.Kind.IsUnsigned() && t.Kind.Size() >= 4 }

// isWrapped reports whether sums, differences and products of t must be
// computed in another C type: signed ones wrap in the language and must not
// overflow in C, and narrow ones are widened by C. Counters do not overflow.
func isWrapped(t loop.Type) bool { return t.Kind.IsInteger() && !isWord(t) && !t.Counter }

// quotient prints a division. Dividing the least integer by -1 is undefined in C.
func (p *printer) quotient(x *loop.Binary) text {
	t := x.Type()
	if t.Kind.IsSigned() && t.Kind.Size() >= 4 && !t.Counter {
		if c, ok := x.Y.(*loop.Const); !ok || c.Value.Int64() == -1 || c.Value.Int64() == 0 {
			return p.named(x.Op, t, x.X, x.Y)
		}
	}
	q := p.plainBinary(x)
	if t.Kind.IsSigned() && t.Kind.Size() < 4 { // -128 / -1
		return cast(p.valueType(t), q)
	}
	return q
}

// shiftCount prints the count of a shift, modulo the width.
func (p *printer) shiftCount(x *loop.Binary) text {
	mask := x.Type().Kind.Size()*8 - 1
	if c, ok := x.Y.(*loop.Const); ok {
		return operand("%d", c.Value.Int64()&int64(mask))
	}
	return infix(ir.OpAnd, p.value(x.Y), operand("%d", mask))
}

// wrapped prints x as computed in an unsigned type and cut to its own.
func (p *printer) wrapped(x loop.Expr) text {
	t := x.Type()
	work := ir.U32
	if t.Kind.Size() == 8 {
		work = ir.U64
	}
	return cast(p.valueType(t), p.modulo(x, work))
}

// modulo prints x as an unsigned integer of kind work, which is at least as wide
// as x. Only its low bits, as many as x has, are those of x: sums, differences,
// products and left shifts need no more.
func (p *printer) modulo(x loop.Expr, work ir.Kind) text {
	switch x := x.(type) {
	case *loop.Const:
		return p.literal(loop.ConstOf(ir.Int(work, x.Value.Int64())))
	case *loop.Unary:
		if x.Op == ir.OpNeg {
			return prefix("-", p.modulo(x.X, work))
		}
	case *loop.Binary:
		switch x.Op {
		case ir.OpAdd, ir.OpSub:
			op, y := x.Op, p.modulo(x.Y, work)
			if c, ok := x.Y.(*loop.Const); ok && c.Value.Int64() < 0 && c.Value.Kind.IsSigned() { // x + -1 is x - 1
				op = map[ir.Op]ir.Op{ir.OpAdd: ir.OpSub, ir.OpSub: ir.OpAdd}[op]
				y = p.literal(loop.ConstOf(ir.Int(work, -c.Value.Int64())))
			}
			return infix(op, p.modulo(x.X, work), y)
		case ir.OpMul:
			return infix(x.Op, p.modulo(x.X, work), p.modulo(x.Y, work))
		case ir.OpShl:
			return infix(x.Op, p.modulo(x.X, work), p.shiftCount(x))
		}
	}
	if isWord(x.Type()) {
		return p.value(x)
	}
	return cast(p.dialect.Types[work], p.value(x))
}

func (p *printer) cast(x *loop.Cast) text {
	from, to := x.X.Type(), x.To
	if x.Bits && (to.Kind == ir.Char8 || x.X.Type().Kind == ir.Char8) {
		return p.value(x.X) // already a ulong
	}
	if x.Bits {
		return p.bits(to.Kind, p.value(x.X).string)
	}
	switch {
	case from.Kind.IsFloat() && to.Kind.IsInteger():
		if to.Counter {
			to.Counter = false
		}
		return p.apply("truncate_"+from.Kind.String(), to, x.X)
	case from.Kind == to.Kind: // an i64 and a counter
		return p.sameWidth(x)
	}
	if from.Kind.IsFloat() && to.Kind.IsFloat() {
		p.needRounding(from.Kind)
		p.needRounding(to.Kind)
	}
	return cast(p.valueType(to), p.value(x.X))
}

// sameWidth prints a cast between an i64 and a counter.
func (p *printer) sameWidth(x *loop.Cast) text {
	if p.valueType(x.To) == p.valueType(x.X.Type()) {
		return p.value(x.X)
	}
	return cast(p.valueType(x.To), p.value(x.X))
}

// literal prints c so that it has its C type.
func (p *printer) literal(c *loop.Const) text {
	v := c.Value
	suffix := p.dialect.Suffix[v.Kind]
	switch {
	case v.Kind == ir.Bool && v.IsTrue():
		return operand("true")
	case v.Kind == ir.Bool:
		return operand("false")
	case v.Kind == ir.Char8:
		return operand("0x%016x%s", v.Bits, suffix)
	case v.Kind.IsFloat():
		return p.floatLiteral(v, suffix)
	case v.Kind.IsUnsigned():
		return operand("%d%s", v.Bits, suffix)
	}
	i := v.Int64()
	if lowest := int64(-1) << (v.Kind.Size()*8 - 1); i == lowest && v.Kind.Size() >= 4 {
		// In C this is a negated literal, and the positive one does not fit.
		return text{string: strconv.FormatInt(i+1, 10) + suffix + " - 1", precedence: sumPrecedence}
	}
	if i < 0 {
		return text{string: strconv.FormatInt(i, 10) + suffix, precedence: unaryPrecedence}
	}
	return operand("%d%s", i, suffix)
}

// plain prints c without a suffix, for places that determine its type.
func (p *printer) plain(c *loop.Const) text {
	if i := c.Value.Int64(); c.Counter && i == int64(int32(i)) && i > -1<<31 {
		return operand("%d", i)
	}
	return p.literal(c)
}
