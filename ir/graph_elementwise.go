package ir

import (
	"fmt"
	"go/constant"
	"go/token"
)

// binary is x op y.
func (g *graph) binary(pos Pos, op Op, x, y operand) operand {
	if !g.plain(pos, x) || !g.plain(pos, y) {
		return operand{pos: pos}
	}
	if x.untyped() && y.untyped() {
		return g.fold(pos, op, x, y)
	}
	if op == OpShl || op == OpShr {
		return g.shift(pos, op, x, y)
	}
	kind, ok := g.binaryKinds(pos, op, &x, &y)
	if !ok {
		return operand{pos: pos}
	}
	d, ok := g.sameDomain(pos, x, y)
	if !ok {
		return operand{pos: pos}
	}
	return g.value(pos, Value{Op: op, Type: Type{Kind: kind, Domain: d}, Args: []*Value{x.value, y.value}})
}

// binaryKinds gives untyped constants among x and y their type and returns the
// element type of x op y.
func (g *graph) binaryKinds(pos Pos, op Op, x, y *operand) (Kind, bool) {
	if op == OpAdd || op == OpSub {
		if x.kind() == Date || y.kind() == Date {
			return g.dateKinds(pos, op, x, y)
		}
	}
	isComparison := op >= OpEq && op <= OpGe
	if (x.kind() == Date || y.kind() == Date) && !isComparison && op != OpLeast && op != OpGreatest {
		date := *x
		if x.kind() != Date {
			date = *y
		}
		g.fail(pos, arithmeticHint(op, Date), "%v of the date %v", op, date)
		return Date, false
	}
	if op == OpLogicalAnd || op == OpLogicalOr {
		return Bool, g.mask(*x, op.String()) && g.mask(*y, op.String())
	}
	k, ok := g.sameKind(pos, op.String(), x, y)
	if !ok {
		return k, false
	}
	switch {
	case isComparison:
		if k == Bool && op != OpEq && op != OpNe {
			g.fail(pos, "bools have no order: use ==, !=, && and ||", "%v of bools %v and %v", op, *x, *y)
			return k, false
		}
		return Bool, true
	case op == OpLeast || op == OpGreatest:
		if k == Bool {
			g.fail(pos, "use && for the least of two bools, || for the greatest", "%v of bools %v and %v", op, *x, *y)
			return k, false
		}
		return k, true
	case op == OpAdd || op == OpSub || op == OpMul || op == OpDiv:
		if k.IsNumeric() {
			return k, true
		}
	default:
		if k.IsInteger() {
			return k, true
		}
	}
	g.fail(pos, arithmeticHint(op, k), "%v of %v operands %v and %v", op, k, *x, *y)
	return k, false
}

func arithmeticHint(op Op, k Kind) string {
	switch {
	case k == Bool && op == OpAnd:
		return "for bools write &&"
	case k == Bool && op == OpOr:
		return "for bools write ||"
	case k == Bool && op == OpXor:
		return "for bools write !="
	case k == Bool:
		return "count true rows with count(mask), or convert with i64(...)"
	case k == Date:
		return "dates take date + i32, date - i32, date - date, comparisons and year, month, day"
	case k.IsFloat():
		return fmt.Sprintf("%v takes integers: convert with i64(...)", op)
	}
	return fmt.Sprintf("%v takes numbers", op)
}

// dateKinds types date + i32, i32 + date, date - i32 and date - date.
func (g *graph) dateKinds(pos Pos, op Op, x, y *operand) (Kind, bool) {
	if x.kind() == UntypedString || y.kind() == UntypedString {
		_, ok := g.sameKind(pos, op.String(), x, y)
		return Date, ok
	}
	if x.kind() == Date && y.kind() == Date {
		if op == OpSub {
			return I32, true
		}
		g.fail(pos, "add a number of days, an i32", "cannot add the dates %v and %v", *x, *y)
		return Date, false
	}
	days := y
	if x.kind() != Date {
		days = x
	}
	*days = g.as(*days, I32)
	switch {
	case days.bad():
		return Date, false
	case days.kind() != I32:
		g.fail(pos, fmt.Sprintf("convert it: i32(%v)", *days), "date %v a number of days takes i32, and %v is %v", op, *days, days.typ())
		return Date, false
	case days == x && op == OpSub:
		g.fail(pos, "write date - days", "cannot subtract the date %v from a number", *y)
		return Date, false
	}
	return Date, true
}

// shift is x << y or x >> y; the count has any integer type.
func (g *graph) shift(pos Pos, op Op, x, y operand) operand {
	x = g.typed(x)
	if y.untyped() {
		if _, problem, _ := represent(y.constant, x.kind()); problem == "" && x.kind().IsInteger() {
			y = g.convert(y, x.kind())
		} else {
			y = g.convert(y, I64)
		}
	}
	if x.bad() || y.bad() {
		return operand{pos: pos}
	}
	for _, o := range []operand{x, y} {
		if !o.kind().IsInteger() {
			return g.fail(pos, "shifts take integers", "%v of %v, which is %v", op, o, o.typ())
		}
	}
	d, ok := g.sameDomain(pos, x, y)
	if !ok {
		return operand{pos: pos}
	}
	return g.value(pos, Value{Op: op, Type: Type{Kind: x.kind(), Domain: d}, Args: []*Value{x.value, y.value}})
}

// unary is -x, ^x or !x.
func (g *graph) unary(pos Pos, op Op, x operand) operand {
	if !g.plain(pos, x) {
		return operand{pos: pos}
	}
	if x.untyped() {
		return g.foldUnary(pos, op, x)
	}
	k := x.kind()
	var hint string
	switch op {
	case OpNeg:
		if k.IsNumeric() {
			return g.map1(pos, op, k, x)
		}
		hint = "- takes numbers"
	case OpComplement:
		if k.IsInteger() {
			return g.map1(pos, op, k, x)
		}
		hint = "^ takes integers"
		if k == Bool {
			hint = "for bools write !"
		}
	case OpNot:
		if k == Bool {
			return g.map1(pos, op, k, x)
		}
		hint = "! takes a bool; for the bits of an integer write ^"
	}
	return g.fail(pos, hint, "%v%v where %v is %v", op, x, x, x.typ())
}

// map1 is an element-wise value of one operand.
func (g *graph) map1(pos Pos, op Op, k Kind, x operand) operand {
	return g.value(pos, Value{Op: op, Type: Type{Kind: k, Domain: x.typ().Domain}, Args: []*Value{x.value}})
}

// foldBits bounds the integers that constant expressions may compute with.
const foldBits = 512

var constantTokens = map[Op]token.Token{
	OpAdd: token.ADD, OpSub: token.SUB, OpMul: token.MUL, OpDiv: token.QUO, OpRem: token.REM,
	OpAnd: token.AND, OpOr: token.OR, OpXor: token.XOR, OpAndNot: token.AND_NOT,
	OpShl: token.SHL, OpShr: token.SHR,
	OpEq: token.EQL, OpNe: token.NEQ, OpLt: token.LSS, OpLe: token.LEQ, OpGt: token.GTR, OpGe: token.GEQ,
	OpNeg: token.SUB, OpComplement: token.XOR,
}

// fold computes a binary operation of two untyped constants exactly.
func (g *graph) fold(pos Pos, op Op, x, y operand) operand {
	a, b := x.constant, y.constant
	tok, ok := constantTokens[op]
	isString := x.kind() == UntypedString
	integers := x.kind() == UntypedInt && y.kind() == UntypedInt
	switch {
	case isString != (y.kind() == UntypedString):
		return g.fail(pos, "", "%v of a string and a number: %v and %v", op, x, y)
	case op == OpLeast || op == OpGreatest:
		if constant.Compare(a, token.LSS, b) == (op == OpLeast) {
			return operand{pos: pos, constant: a}
		}
		return operand{pos: pos, constant: b}
	case !ok: // && and ||
		g.mask(x, op.String())
		return operand{pos: pos}
	case op >= OpEq && op <= OpGe:
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

func (g *graph) foldUnary(pos Pos, op Op, x operand) operand {
	tok, ok := constantTokens[op]
	if !ok || x.kind() == UntypedString || op == OpComplement && x.kind() != UntypedInt {
		return g.fail(pos, "", "%v of the constant %v", op, x)
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

// cast is kind(x).
func (g *graph) cast(pos Pos, k Kind, x operand) operand {
	if !g.plain(pos, x) {
		return operand{pos: pos}
	}
	if x.untyped() {
		return g.castConstant(pos, k, x)
	}
	from := x.kind()
	switch {
	case k == from:
	case k.IsNumeric() && (from.IsNumeric() || from == Bool):
	case k == Date && from.IsInteger(), k.IsInteger() && from == Date:
	case k == Bool:
		return g.fail(pos, fmt.Sprintf("compare instead: %v != 0", x), "nothing casts to bool")
	case k == Char8:
		return g.fail(pos, "char8 values come from columns and string constants", "nothing casts to char8")
	case k == Date:
		return g.fail(pos, `write date("1994-01-01"), or date(x) of an integer count of days since 1970-01-01`, "cannot cast %v, which is %v, to date", x, x.typ())
	case from == Date:
		return g.fail(pos, "cast to an integer first: the days since 1970-01-01", "cannot cast date %v to %v", x, k)
	default:
		return g.fail(pos, "keep numbers beside the strings, as dictionary codes in an integer column", "cannot cast %v, which is %v, to %v", x, x.typ(), k)
	}
	return g.map1(pos, OpCast, k, x)
}

func (g *graph) castConstant(pos Pos, k Kind, x operand) operand {
	if k == Date {
		if x.kind() == UntypedString {
			text := constant.StringVal(x.constant)
			s, ok := dateLiteral(text)
			if !ok {
				return g.fail(x.pos, `write year-month-day of years 0001 to 9999, as in date("1994-01-01")`, "%v is no date of the calendar", x)
			}
			return g.scalar(pos, s)
		}
		s, problem, hint := represent(x.constant, I32)
		if problem != "" {
			return g.fail(x.pos, hint, "%s", problem)
		}
		return g.scalar(pos, Scalar{Date, s.Bits})
	}
	s, problem, hint := represent(x.constant, k)
	if problem != "" {
		return g.fail(x.pos, hint, "%s", problem)
	}
	return g.scalar(pos, s)
}

func buildSelect(g *graph, c *call) operand {
	condition, x, y := g.typed(c.args[0]), c.args[1], c.args[2]
	if condition.bad() {
		return condition
	}
	if condition.kind() != Bool {
		return g.fail(condition.pos, fmt.Sprintf("compare first, as in select(%v != 0, ...)", condition), "the condition of select is %v, not bool", condition.typ())
	}
	k, ok := g.sameKind(c.pos, "select", &x, &y)
	if !ok {
		return operand{pos: c.pos}
	}
	d, ok := g.sameDomain(c.pos, condition, x, y)
	if !ok {
		return operand{pos: c.pos}
	}
	return g.value(c.pos, Value{Op: OpSelect, Type: Type{Kind: k, Domain: d}, Args: []*Value{condition.value, x.value, y.value}})
}

func buildLeastGreatest(g *graph, c *call) operand {
	return g.binary(c.pos, c.op.op, c.args[0], c.args[1])
}

func buildAbs(g *graph, c *call) operand {
	x := g.typed(c.args[0])
	if x.bad() || x.kind().IsNumeric() {
		return g.map1OrBad(c, x.kind(), x)
	}
	return g.fail(c.pos, "abs takes numbers", "abs of %v, which is %v", x, x.typ())
}

func buildSqrt(g *graph, c *call) operand {
	x := g.as(c.args[0], F64)
	if x.bad() || x.kind().IsFloat() {
		return g.map1OrBad(c, x.kind(), x)
	}
	return g.fail(c.pos, fmt.Sprintf("convert it: sqrt(f64(%v))", x), "sqrt of %v, which is %v", x, x.typ())
}

// buildDatePart is year, month and day.
func buildDatePart(g *graph, c *call) operand {
	x := g.as(c.args[0], Date)
	if x.bad() || x.kind() == Date {
		return g.map1OrBad(c, I32, x)
	}
	return g.fail(c.pos, fmt.Sprintf("%s takes a date", c.op.name), "%s of %v, which is %v", c.op.name, x, x.typ())
}

func (g *graph) map1OrBad(c *call, k Kind, x operand) operand {
	if x.bad() {
		return x
	}
	return g.map1(c.pos, c.op.op, k, x)
}
