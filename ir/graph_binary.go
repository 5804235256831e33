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
	k := x.kind()
	if !k.IsCalendar() {
		k = y.kind()
	}
	switch {
	case op == OpLogicalAnd || op == OpLogicalOr:
		return Bool, g.mask(*x, op.String()) && g.mask(*y, op.String())
	case op == OpMul && (x.kind().IsDecimal() || y.kind().IsDecimal()):
		return g.productKinds(pos, x, y)
	case x.kind().IsDecimal() && !op.Takes(x.kind()):
		g.fail(pos, operandHint(op, x.kind()), "%v of decimals: %v and %v", op, *x, *y)
		return Invalid, false
	case k.IsCalendar() && op.row().rule == sameKindOrCount:
		return g.calendarKinds(pos, op, k, x, y)
	case k.IsCalendar() && !op.Takes(k):
		g.fail(pos, operandHint(op, k), "%v of a %v: %v and %v", op, k, *x, *y)
		return k, false
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
	case k.IsDecimal() && op == OpDiv:
		return "how many digits are wanted is not known: write f64(x) / f64(y), and decimal(z, 2) of that if it is to be a decimal"
	case k.IsDecimal():
		return fmt.Sprintf("write unscaled(x) %v unscaled(y) for decimals of one scale", op)
	case k.IsCalendar():
		return fmt.Sprintf("%[1]vs take %[1]v + %[2]v, %[1]v - %[2]v, %[1]v - %[1]v, comparisons, and year, month and their like", k, k.Stored())
	case k.IsFloat():
		return fmt.Sprintf("%v takes integers: convert with i64(...)", op)
	}
	return fmt.Sprintf("%v takes numbers", op)
}

// calendarKinds types date + i32, i32 + date, date - i32, date - date, and the same of
// timestamps and i64; k is the calendar type.
func (g *graph) calendarKinds(pos Pos, op Op, k Kind, x, y *operand) (Kind, bool) {
	if x.kind() == UntypedString || y.kind() == UntypedString || x.kind().IsCalendar() && y.kind().IsCalendar() && x.kind() != y.kind() {
		_, ok := g.sameKind(pos, op.String(), x, y)
		return k, ok
	}
	if x.kind() == k && y.kind() == k {
		if op == OpSub {
			return k.Stored(), true
		}
		g.fail(pos, fmt.Sprintf("add a number of %s, an %v", countedUnit(k), k.Stored()), "cannot add the %vs %v and %v", k, *x, *y)
		return k, false
	}
	count := y
	if x.kind() != k {
		count = x
	}
	*count = g.as(*count, k.Stored())
	switch {
	case count.bad():
		return k, false
	case count.kind() != k.Stored():
		g.fail(pos, fmt.Sprintf("convert it: %v(%v)", k.Stored(), *count),
			"%v %v a number of %s takes %v, and %v is %v", k, op, countedUnit(k), k.Stored(), *count, count.typ())
		return k, false
	case count == x && op == OpSub:
		g.fail(pos, fmt.Sprintf("write %v - %s", k, countedUnit(k)), "cannot subtract the %v %v from a number", k, *y)
		return k, false
	}
	return k, true
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
