package ir

import "fmt"

// The checks that constructors share. A check that fails reports its error and
// returns false.

// value interns v and returns it as an operand at pos.
func (g *graph) value(pos Pos, v Value) operand {
	v.Pos = pos
	return operand{pos: pos, value: g.intern(v)}
}

// plain requires one typed or untyped value: no tuple, no desc(x), no join.
func (g *graph) plain(pos Pos, o operand) bool {
	switch {
	case o.bad():
	case len(o.parts) > 0:
		g.fail(o.pos, "only find and join take a tuple, as their key", "a tuple is no value")
	case o.desc:
		g.fail(o.pos, "it marks a key of order, as in order(a, desc(b))", "desc(...) is no value")
	case o.kind() == Pair:
		g.fail(o.pos, fmt.Sprintf("its index columns are %v.left and %v.right", o, o), "join %v is no column", o)
	default:
		return true
	}
	return false
}

// column requires a column. What names the operand in messages.
func (g *graph) column(o operand, what string) bool {
	if o.bad() {
		return false
	}
	if o.untyped() || o.typ().IsScalar() {
		g.fail(o.pos, fmt.Sprintf("repeat it with align(%v, to: y)", o), "%s takes a column, and %v is a scalar", what, o)
		return false
	}
	return true
}

// scalarOf requires a scalar. Its kind must be k, unless k is Invalid.
func (g *graph) scalarOf(o *operand, k Kind, what string) bool {
	if k != Invalid {
		*o = g.as(*o, k)
	} else {
		*o = g.typed(*o)
	}
	switch {
	case o.bad() || !g.plain(o.pos, *o):
		return false
	case !o.typ().IsScalar():
		g.fail(o.pos, fmt.Sprintf("reduce it first, as in max(%v)", *o), "%s is a scalar, and %v is %v", what, *o, o.typ())
		return false
	case k != Invalid && o.kind() != k:
		g.fail(o.pos, castHint(*o, k), "%s is %v, and %v is %v", what, k, *o, o.typ())
		return false
	}
	return true
}

// castHint proposes the cast of o to k, if there is one.
func castHint(o operand, k Kind) string {
	from := o.kind()
	if o.value != nil && o.value.Op == OpConst && k.IsNumeric() && from.IsNumeric() {
		return fmt.Sprintf("no type converts by itself: write the constant as %v", k)
	}
	if castable(from, k) {
		return fmt.Sprintf("no type converts by itself: write %s", castText(k, o.String()))
	}
	return ""
}

// sameKind gives untyped constants the kind of the other operand and requires
// equal kinds.
func (g *graph) sameKind(pos Pos, what string, x, y *operand) (Kind, bool) {
	switch {
	case x.untyped() && y.untyped():
		if x.kind() == UntypedFloat || y.kind() == UntypedFloat {
			*x, *y = g.as(*x, F64), g.as(*y, F64)
		}
		*x, *y = g.typed(*x), g.typed(*y)
	case x.untyped():
		*x = g.meet(*x, *y)
	case y.untyped():
		*y = g.meet(*y, *x)
	}
	if x.bad() || y.bad() {
		return Invalid, false
	}
	a, b := x.kind(), y.kind()
	if a == b {
		return a, true
	}
	hint := ""
	switch {
	case a.IsFloat() && !b.IsFloat() || a.IsNumeric() && b == Bool:
		hint = castHint(*y, a)
	case b.IsFloat() && !a.IsFloat() || b.IsNumeric() && a == Bool:
		hint = castHint(*x, b)
	case b.IsNumeric() && a.IsNumeric() && a.Size() < b.Size(), b.IsDecimal() && (a.IsInteger() || a.IsDecimal() && a.Scale() < b.Scale()):
		hint = castHint(*x, b)
	default:
		hint = castHint(*y, a)
	}
	g.fail(pos, hint, "%s of different types: %v is %v, %v is %v", what, *x, a, *y, b)
	return a, false
}

// meet gives constant c the type of other. The hint says what the user probably
// wants.
func (g *graph) meet(c, other operand) operand {
	if c.kind() == UntypedFloat && other.kind().IsInteger() {
		if _, problem, _ := represent(c.constant, other.kind()); problem != "" {
			return g.fail(c.pos, fmt.Sprintf("no type converts by itself, and / on integers truncates: write f64(%v)", other),
				"constant %v is no whole number, and %v is %v", c, other, other.typ())
		}
	}
	return g.convert(c, other.kind())
}

// sameDomain returns the one domain of the operands that are columns, nil if
// all are scalars.
func (g *graph) sameDomain(pos Pos, operands ...operand) (*Domain, bool) {
	var first operand
	for _, o := range operands {
		switch d := o.typ().Domain; {
		case d == nil:
		case first.value == nil:
			first = o
		case first.typ().Domain != d:
			g.mismatch(pos, first, o)
			return nil, false
		}
	}
	return first.typ().Domain, true
}

// mismatch reports columns of different domains.
func (g *graph) mismatch(pos Pos, x, y operand) {
	g.fail(pos, mismatchHint(x, y), "%v and %v have different domains: %s and %s", x, y, x.typ().Domain.Origin(), y.typ().Domain.Origin())
}

// mismatchHint says how to bring one of the columns to the domain of the other.
func mismatchHint(x, y operand) string {
	made := y // its domain may be made from that of x
	if source(x.typ().Domain) == y.typ().Domain || x.typ().Domain.Kind == DomainJoin {
		x, made = y, x
	}
	d := made.typ().Domain
	if source(d) == x.typ().Domain || d.Kind == DomainJoin {
		maker := shortText(d.By)
		switch d.Kind {
		case DomainMask:
			return fmt.Sprintf("compact both: %v[%s]", x, maker)
		case DomainOrder:
			return fmt.Sprintf("bring both into that order: %v[%s]", x, maker)
		case DomainRepeat:
			return fmt.Sprintf("repeat both: %v[%s]", x, maker)
		case DomainRuns, DomainStarts, DomainGroups, DomainBins:
			return fmt.Sprintf("spread the groups over their rows: %v[%s]", made, maker)
		case DomainJoin:
			return fmt.Sprintf("bring both to the pairs of the join: x[%s.left], y[%s.right]", maker, maker)
		}
	}
	return fmt.Sprintf("where both always have the same length: align(%v, to: %v)", made, x)
}

// source returns the domain that d is made from.
func source(d *Domain) *Domain {
	if d.Kind == DomainBins {
		return d.By.Type.Domain
	}
	return d.Parent
}

// integerColumn requires a column of integers.
func (g *graph) integerColumn(o operand, what string) bool {
	if !g.plain(o.pos, o) || !g.column(o, what) {
		return false
	}
	if !o.kind().IsInteger() {
		g.fail(o.pos, castHint(o, I64), "%s takes integers, and %v is %v", what, o, o.typ())
		return false
	}
	return true
}

// mask requires a bool.
func (g *graph) mask(o operand, what string) bool {
	if !g.plain(o.pos, o) {
		return false
	}
	if o.kind() != Bool {
		g.fail(o.pos, fmt.Sprintf("compare first, as in %v != 0", o), "%s takes a bool, and %v is %v", what, o, o.typ())
		return false
	}
	return true
}
