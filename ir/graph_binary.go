package ir

import "fmt"

// binary returns x op y.
func (g *graph) binary(pos Pos, op Op, x, y operand) operand {
	if !g.plain(pos, x) || !g.plain(pos, y) {
		return operand{pos: pos}
	}
	if x.untyped() && y.untyped() {
		return g.fold(pos, op, x, y)
	}
	if op.row().rule == anyCount {
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

// binaryKinds gives an untyped constant the type of the other operand and returns
// the element type of x op y.
func (g *graph) binaryKinds(pos Pos, op Op, x, y *operand) (Kind, bool) {
	hasDate := x.kind() == Date || y.kind() == Date
	switch {
	case op == OpLogicalAnd || op == OpLogicalOr:
		return Bool, g.mask(*x, op.String()) && g.mask(*y, op.String())
	case hasDate && op.row().rule == sameKindOrDays:
		return g.dateKinds(pos, op, x, y)
	case hasDate && !op.Takes(Date):
		g.fail(pos, operandHint(op, Date), "%v of a date: %v and %v", op, *x, *y)
		return Date, false
	}
	k, ok := g.sameKind(pos, op.String(), x, y)
	switch {
	case !ok:
		return k, false
	case !op.Takes(k):
		g.fail(pos, operandHint(op, k), "%v of %v operands %v and %v", op, k, *x, *y)
		return k, false
	}
	return op.Gives(k), true
}

// operandHint says what to write instead of x op y of kind k.
func operandHint(op Op, k Kind) string {
	switch {
	case k == Bool && (op == OpAnd || op == OpLeast):
		return "for bools write &&"
	case k == Bool && (op == OpOr || op == OpGreatest):
		return "for bools write ||"
	case k == Bool && op == OpXor:
		return "for bools write !="
	case k == Bool && op >= OpLt && op <= OpGe:
		return "bools have no order: use ==, !=, && and ||"
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

// shift returns x << y or x >> y. The count has any integer type.
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
