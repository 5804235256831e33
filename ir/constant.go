package ir

import (
	"fmt"
	"go/constant"
	"go/token"
	"math"
	"strconv"
)

// Constants without a type are values of go/constant: exact, until they meet
// the type that they must fit.

func constantText(c constant.Value) string {
	if c.Kind() == constant.String {
		return strconv.Quote(clip(constant.StringVal(c)))
	}
	return clip(c.String())
}

// foldBits bounds the integers that constant expressions may compute with.
const foldBits = 512

// fold computes a binary operation of two untyped constants exactly.
func (g *graph) fold(pos Pos, op Op, x, y operand) operand {
	a, b := x.constant, y.constant
	tok := op.row().token
	isString := x.kind() == UntypedString
	integers := x.kind() == UntypedInt && y.kind() == UntypedInt
	switch {
	case isString != (y.kind() == UntypedString):
		return g.fail(pos, "strings only compare, with strings", "%v of a string and a number: %v and %v", op, x, y)
	case op == OpLeast || op == OpGreatest:
		if constant.Compare(a, token.LSS, b) == (op == OpLeast) {
			return operand{pos: pos, constant: a}
		}
		return operand{pos: pos, constant: b}
	case tok == token.ILLEGAL: // && and ||
		g.mask(x, op.String())
		return operand{pos: pos}
	case op.IsComparison() && isString:
		return g.compareStrings(pos, tok, x, y)
	case op.IsComparison():
		return g.scalar(pos, BoolScalar(constant.Compare(a, tok, b)))
	case isString:
		return g.fail(pos, "strings only compare", "%v of strings %v and %v", op, x, y)
	case op == OpShl || op == OpShr:
		n, exact := constant.Uint64Val(constant.ToInt(b))
		if !integers || !exact || n > foldBits {
			return g.fail(pos, fmt.Sprintf("constants shift whole numbers by 0..%d", foldBits), "constant shift %v %v %v", x, op, y)
		}
		return g.folded(pos, constant.Shift(a, tok, uint(n)))
	case op != OpAdd && op != OpSub && op != OpMul && op != OpDiv && !integers:
		return g.fail(pos, fmt.Sprintf("%v takes integers", op), "%v of constants %v and %v", op, x, y)
	case (op == OpDiv || op == OpRem) && constant.Sign(b) == 0:
		return g.fail(pos, "", "constant division by zero")
	case op == OpDiv && integers:
		tok = token.QUO_ASSIGN // go/constant's division of integers that truncates
	}
	return g.folded(pos, constant.BinaryOp(a, tok, b))
}

// compareStrings compares strings as char8, so that "A" equals "A\x00".
func (g *graph) compareStrings(pos Pos, tok token.Token, x, y operand) operand {
	x, y = g.convert(x, Char8), g.convert(y, Char8)
	if x.bad() || y.bad() {
		return operand{pos: pos}
	}
	a, b := constant.MakeUint64(x.value.Const.Bits), constant.MakeUint64(y.value.Const.Bits)
	return g.scalar(pos, BoolScalar(constant.Compare(a, tok, b)))
}

func (g *graph) foldUnary(pos Pos, op Op, x operand) operand {
	tok := op.row().token
	if tok == token.ILLEGAL || x.kind() == UntypedString || op == OpComplement && x.kind() != UntypedInt {
		return g.fail(pos, operandHint(op, Kind(I64)), "%v of the constant %v", op, x)
	}
	return g.folded(pos, constant.UnaryOp(tok, x.constant, 0))
}

// folded accepts the result of constant arithmetic unless it has grown out of bounds.
func (g *graph) folded(pos Pos, c constant.Value) operand {
	if c.Kind() == constant.Unknown || c.Kind() == constant.Int && constant.BitLen(c) > foldBits {
		return g.fail(pos, fmt.Sprintf("constants are computed with up to %d bits", foldBits), "constant overflow")
	}
	return operand{pos: pos, constant: c}
}

// represent returns constant c as a scalar of kind k, or what is wrong.
func represent(c constant.Value, k Kind) (s Scalar, problem, hint string) {
	text := constantText(c)
	switch {
	case c.Kind() == constant.String && k == Char8:
		value := constant.StringVal(c)
		if len(value) <= 8 {
			return Char8Scalar(value), "", ""
		}
		return s, fmt.Sprintf("string %s has %d bytes; char8 holds 8", text, len(value)),
			"longer strings are of type text: declare the column as text, or write text(...)"
	case c.Kind() == constant.String && k.IsCalendar():
		hint = "write " + calendarExample(k)
		if _, ok := calendarLiteral(k, constant.StringVal(c)); ok {
			hint = fmt.Sprintf("write %v(%s)", k, text)
		}
		return s, fmt.Sprintf("string %s is no %v by itself", text, k), hint
	case c.Kind() == constant.String:
		return s, fmt.Sprintf("string %s where %v is needed", text, k), "strings are text or char8; date(...) and timestamp(...) read theirs"
	case k.IsInteger():
		i := constant.ToInt(c)
		if i.Kind() != constant.Int {
			return s, fmt.Sprintf("constant %s is no whole number, as %v needs", text, k),
				"write a whole number, or convert what it meets with f64(...)"
		}
		if bits, ok := integerBits(i, k); ok {
			return Scalar{k, bits}, "", ""
		}
		lo, hi := kindLimits(k)
		return s, fmt.Sprintf("literal %s does not fit %v: %s..%s", text, k, lo, hi), ""
	case k.IsFloat():
		f, _ := constant.Float64Val(c)
		if k == F32 {
			f32, _ := constant.Float32Val(c)
			f = float64(f32)
		}
		if math.IsInf(f, 0) {
			return s, fmt.Sprintf("literal %s does not fit %v", text, k), ""
		}
		return Float(k, f), "", ""
	case k.IsDecimal():
		return representDecimal(c, k)
	case k.IsCalendar():
		return s, fmt.Sprintf("constant %s where a %v is needed", text, k),
			fmt.Sprintf("write %s, or %v(%s) for a count of %s since 1970-01-01", calendarExample(k), k, text, countedUnit(k))
	case k == Bool:
		return s, fmt.Sprintf("constant %s where bool is needed", text), "compare it, as in x != 0"
	case k == Text:
		return s, fmt.Sprintf("constant %s where text is needed", text), `write a string, as in "AUTOMOBILE"`
	case k == Char8:
		return s, fmt.Sprintf("constant %s where char8 is needed", text), `write a string of at most 8 bytes, as in "BUILDING"`
	}
	return s, fmt.Sprintf("constant %s where %v is needed", text, k), ""
}

// integerBits returns i in the representation of Scalar, if it fits k.
func integerBits(i constant.Value, k Kind) (uint64, bool) {
	if k.IsUnsigned() {
		u, exact := constant.Uint64Val(i)
		return u, exact && wrap(k, u) == u
	}
	s, exact := constant.Int64Val(i)
	return uint64(s), exact && wrap(k, uint64(s)) == uint64(s)
}

// kindLimits returns the least and greatest integer of kind k.
func kindLimits(k Kind) (lo, hi constant.Value) {
	bits := uint(k.Size() * 8)
	one := constant.MakeInt64(1)
	if k.IsUnsigned() {
		return constant.MakeInt64(0), constant.BinaryOp(constant.Shift(one, token.SHL, bits), token.SUB, one)
	}
	half := constant.Shift(one, token.SHL, bits-1)
	return constant.UnaryOp(token.SUB, half, 0), constant.BinaryOp(half, token.SUB, one)
}
