package ir

import (
	"fmt"
	"go/constant"
)

// unary returns -x, ^x or !x.
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
		if k.IsNumeric() || k.IsDecimal() {
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

// map1 returns an element-wise value of one operand.
func (g *graph) map1(pos Pos, op Op, k Kind, x operand) operand {
	return g.value(pos, Value{Op: op, Type: Type{Kind: k, Domain: x.typ().Domain}, Args: []*Value{x.value}})
}

// castable reports whether a cast takes values of one kind to another.
func castable(from, to Kind) bool {
	isNumber := func(k Kind) bool { return k.IsNumeric() || k.IsDecimal() }
	switch {
	case from == to:
		return true
	case to.IsCalendar():
		return from.IsInteger() || from.IsCalendar()
	case from.IsCalendar():
		return to.IsInteger()
	}
	return isNumber(to) && (isNumber(from) || from == Bool)
}

// cast returns x cast to k.
func (g *graph) cast(pos Pos, k Kind, x operand) operand {
	if !g.plain(pos, x) {
		return operand{pos: pos}
	}
	if x.untyped() {
		return g.castConstant(pos, k, x)
	}
	from := x.kind()
	switch {
	case castable(from, k):
	case k == Bool:
		return g.fail(pos, fmt.Sprintf("compare instead: %v != 0", x), "nothing casts to bool")
	case k == Text, from == Text:
		return g.fail(pos, "text values come from columns and string constants", "nothing casts to text, or from it")
	case k == Char8:
		return g.fail(pos, "char8 values come from columns and string constants", "nothing casts to char8")
	case k.IsCalendar():
		return g.fail(pos, fmt.Sprintf("write %s, or %v(x) of an integer count of %s since 1970-01-01", calendarExample(k), k, countedUnit(k)),
			"cannot cast %v, which is %v, to %v", x, x.typ(), k)
	case from.IsCalendar():
		return g.fail(pos, fmt.Sprintf("cast to an integer first: the %s since 1970-01-01", countedUnit(from)), "cannot cast %v %v to %v", from, x, k)
	default:
		return g.fail(pos, "keep numbers beside the strings, in an integer column", "cannot cast %v, which is %v, to %v", x, x.typ(), k)
	}
	return g.map1(pos, OpCast, k, x)
}

func (g *graph) castConstant(pos Pos, k Kind, x operand) operand {
	if k == Text && x.kind() == UntypedString {
		return g.text(pos, constant.StringVal(x.constant))
	}
	if k.IsCalendar() {
		if x.kind() == UntypedString {
			text := constant.StringVal(x.constant)
			s, ok := calendarLiteral(k, text)
			if !ok {
				return g.fail(x.pos, calendarFormat(k), "%v is no %v of the calendar", x, k)
			}
			return g.scalar(pos, s)
		}
		s, problem, hint := represent(x.constant, k.Stored())
		if problem != "" {
			return g.fail(x.pos, hint, "%s", problem)
		}
		return g.scalar(pos, Scalar{k, s.Bits})
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
