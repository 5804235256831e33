package random

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// rule makes values of an operator.
type rule struct {
	op    ir.Op
	takes []ir.Kind // of operands
	gives []ir.Kind
	make  func(g *generator) *value // nil where the operands that chance chose do not fit
}

var (
	bools    = []ir.Kind{ir.Bool}
	calendar = []ir.Kind{ir.Date, ir.Timestamp}
	signed   = []ir.Kind{ir.I8, ir.I16, ir.I32, ir.I64}
	floats   = []ir.Kind{ir.F32, ir.F64}
	rowKinds = []ir.Kind{ir.I64}
	integers = append(slices.Clone(signed), ir.U8, ir.U16, ir.U32, ir.U64)
	numbers  = append(slices.Clone(integers), floats...)
	decimals = []ir.Kind{ir.DecimalOf(1), ir.DecimalOf(2), ir.DecimalOf(4)} // products have others
	ordered  = slices.Concat(numbers, calendar, decimals, []ir.Kind{ir.Text, ir.Char8})
	all      = append(slices.Clone(ordered), ir.Bool)

	counted = slices.Concat(numbers, calendar, decimals) // what has a sum, or a difference
)

func among(kinds []ir.Kind) func(ir.Kind) bool {
	return func(k ir.Kind) bool { return slices.Contains(kinds, k) }
}

// rules returns the operators that may be used.
func (g *generator) rules() []rule {
	list := elementwise()
	list = append(list, rowRules()...)
	list = append(list, groupRules()...)
	list = append(list, matchRules()...)
	return slices.DeleteFunc(sorted(list), func(r rule) bool { return slices.Contains(g.without, r.op) })
}

// elementwise makes a rule of each element-wise operator, from the table of ir.
func elementwise() []rule {
	var list []rule
	for _, op := range ir.RowOps() {
		takes := taken(op)
		gives := takes
		if len(takes) > 0 && op.Gives(takes[0]) != takes[0] {
			gives = []ir.Kind{op.Gives(takes[0])}
		}
		make := combine
		switch op {
		case ir.OpAdd, ir.OpSub:
			takes, gives, make = counted, counted, plus
		case ir.OpMul:
			takes, gives, make = slices.Concat(takes, decimals), slices.Concat(gives, decimals), times
		case ir.OpDiv, ir.OpRem:
			make = divide
		case ir.OpShl, ir.OpShr:
			make = shift
		case ir.OpCast:
			gives, make = counted, cast
		case ir.OpSelect:
			make = choose
		case ir.OpTruncate:
			make = truncate
		}
		list = append(list, rule{op: op, takes: takes, gives: gives, make: func(g *generator) *value { return make(g, op) }})
	}
	return list
}

// taken lists the kinds of which operands of op may be.
func taken(op ir.Op) []ir.Kind {
	return slices.DeleteFunc(slices.Clone(all), func(k ir.Kind) bool { return !op.Takes(k) })
}

// join returns the domain of a value computed from x and y, one of which may be
// a scalar.
func join(x, y *value) *domain {
	if x.domain != nil {
		return x.domain
	}
	return y.domain
}

// both picks two operands of one kind that go together, in any order.
func (g *generator) both(kinds []ir.Kind) (x, y *value) {
	x = g.pickKind(among(kinds))
	if x == nil {
		return nil, nil
	}
	wanted := g.wanted
	if wanted == x && g.r.IntN(4) > 0 {
		g.wanted = nil
	}
	y = g.like(x.kind, x.domain)
	if x.isScalar() && g.r.IntN(2) == 0 { // a column beside a scalar
		if other := g.pick(func(v *value) bool { return v.kind == x.kind }); other != nil {
			y = other
		}
	}
	g.wanted = wanted
	if g.r.IntN(2) == 0 {
		x, y = y, x
	}
	return x, y
}

// combine applies an operator to operands of one kind.
func combine(g *generator, op ir.Op) *value {
	if op.Arity() == 1 {
		x := g.pickKind(op.Takes)
		if x == nil {
			return nil
		}
		text := op.String() + "($1)"
		if op.IsPrefix() {
			text = op.String() + "$1"
		}
		return g.add(value{op: op, kind: op.Gives(x.kind), domain: x.domain}, text, x)
	}
	x, y := g.both(taken(op))
	if x == nil {
		return nil
	}
	text := op.String() + "($1, $2)"
	if op.IsInfix() {
		text = "$1 " + op.String() + " $2"
	}
	return g.add(value{op: op, kind: op.Gives(x.kind), domain: join(x, y)}, text, x, y)
}

// truncate takes a unit of time.
func truncate(g *generator, op ir.Op) *value {
	x := g.pickKind(op.Takes)
	if x == nil {
		return nil
	}
	units := ir.UnitsOf(x.kind)
	unit := units[g.r.IntN(len(units))]
	return g.add(value{op: op, kind: x.kind, domain: x.domain}, op.String()+`($1, "`+unit+`")`, x)
}

// plus adds and subtracts numbers, and what is counted to dates and timestamps.
func plus(g *generator, op ir.Op) *value {
	x := g.pickKind(among(counted))
	switch {
	case x == nil:
		return nil
	case x.kind.IsCalendar() && op == ir.OpSub && g.r.IntN(2) == 0:
		y := g.like(x.kind, x.domain)
		return g.add(value{op: op, kind: x.kind.Stored(), domain: join(x, y)}, "$1 - $2", x, y)
	case x.kind.IsCalendar():
		count := g.like(x.kind.Stored(), x.domain)
		v := value{op: op, kind: x.kind, domain: join(x, count)}
		if op == ir.OpAdd && g.r.IntN(2) == 0 {
			return g.add(v, "$1 + $2", count, x)
		}
		return g.add(v, "$1 "+op.String()+" $2", x, count)
	}
	return combine(g, op)
}

// times multiplies numbers, or a decimal by another one or an i64.
func times(g *generator, op ir.Op) *value {
	x := g.pick(func(v *value) bool { return v.kind.IsDecimal() })
	if x == nil || x != g.wanted && g.r.IntN(4) > 0 {
		return combine(g, op)
	}
	kind := ir.I64
	if k := decimals[g.r.IntN(len(decimals))]; g.r.IntN(3) > 0 && x.kind.Scale()+k.Scale() <= ir.MaxScale {
		kind = k
	}
	wanted := g.wanted
	g.wanted = nil
	y := g.like(kind, x.domain)
	g.wanted = wanted
	if g.r.IntN(2) == 0 {
		x, y = y, x
	}
	result, _ := op.ResultKind(x.kind, y.kind)
	return g.add(value{op: op, kind: result, domain: join(x, y)}, "$1 * $2", x, y)
}

// divide mostly guards integer divisors.
func divide(g *generator, op ir.Op) *value {
	x, y := g.both(taken(op))
	if x == nil {
		return nil
	}
	v := value{op: op, kind: x.kind, domain: join(x, y)}
	switch guard := g.r.IntN(8); {
	case y.literal && (y.text == "0" || y.text == "0.0"):
		return nil // a program is not to fail always
	case v.kind.IsFloat() || y.literal || guard == 0:
		return g.add(v, "$1 "+op.String()+" $2", x, y)
	case guard < 4:
		return g.add(v, "$1 "+op.String()+" ($2 | 1)", x, y)
	}
	return g.add(v, "$1 "+op.String()+" select($2 == 0, 3, $2)", x, y)
}

func shift(g *generator, op ir.Op) *value {
	x := g.pickKind(among(integers))
	if x == nil {
		return nil
	}
	count := g.pick(func(v *value) bool { return v.kind.IsInteger() && (v.isScalar() || v.domain == x.domain) })
	if count == nil || g.r.IntN(3) == 0 {
		count = g.typed(g.literal(integers[g.r.IntN(len(integers))]))
	}
	return g.add(value{op: op, kind: x.kind, domain: join(x, count)}, "$1 "+op.String()+" $2", x, count)
}

// typed returns a value whose text has its kind without a context.
func (g *generator) typed(v *value) *value {
	if !v.literal || !v.kind.IsNumeric() {
		return v
	}
	c := *v
	c.text = v.kind.String() + "(" + v.text + ")"
	return &c
}

// cast converts to another type that it may.
func cast(g *generator, op ir.Op) *value {
	x := g.pickKind(func(k ir.Kind) bool { return k != ir.Char8 && k != ir.Text })
	if x == nil {
		return nil
	}
	to := numbers
	switch {
	case x.kind.IsCalendar():
		to = append(slices.Clone(integers), calendar...)
	case x.kind.IsInteger() && g.r.IntN(8) == 0:
		to = calendar
	case g.r.IntN(4) == 0:
		to = decimals
	}
	k := to[g.r.IntN(len(to))]
	if k == x.kind && x.target == nil { // of an index column it makes plain integers
		return nil
	}
	text := k.String() + "($1)"
	if k.IsDecimal() {
		text = fmt.Sprintf("decimal($1, %d)", k.Scale())
	}
	return g.add(value{op: op, kind: k, domain: x.domain}, text, x)
}

func choose(g *generator, op ir.Op) *value {
	x := g.pick(func(v *value) bool { return true })
	if x == nil {
		return nil
	}
	if g.wanted != nil && g.wanted.kind == ir.Bool && g.r.IntN(2) == 0 { // it may choose instead
		x = g.like(g.kind(), g.wanted.domain)
	}
	y := g.like(x.kind, x.domain)
	d := join(x, y)
	var condition *value
	if d == nil {
		condition = g.pick(func(v *value) bool { return v.kind == ir.Bool })
	} else {
		condition = g.like(ir.Bool, d)
	}
	if condition == nil || x.literal && y.literal && !g.context(x.kind) {
		return nil
	}
	if d == nil {
		d = condition.domain
	}
	return g.add(value{op: op, kind: x.kind, domain: d}, "select($1, $2, $3)", condition, x, y)
}

// context reports whether literals of kind k have it where they stand alone.
func (g *generator) context(k ir.Kind) bool {
	return k == ir.I64 || k == ir.F64 || k == ir.Bool || k.IsCalendar() || k == ir.Char8
}
