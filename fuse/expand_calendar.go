package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// What is computed of timestamps, and the parts of dates that no device computes
// itself, are composed of arithmetic on whole numbers of days and microseconds.

// withoutCalendar returns p without these; p itself if it has none.
func withoutCalendar(p *ir.Pipeline, options Options) *ir.Pipeline {
	if !slices.ContainsFunc(p.Values, isOfCalendar) {
		return p
	}
	e := newExpansion(p, options)
	for _, v := range p.Values {
		switch {
		case v.Op == ir.OpParam:
			e.parameter(v)
		case isOfCalendar(v):
			c := calendar{ordering{expansion: e, pos: v.Pos}}
			made := *c.compose(v)
			made.Name = v.Name
			e.values[v] = e.add(v.Pos, made)
		default:
			e.copy(v)
		}
	}
	return e.pipeline()
}

// isOfCalendar reports whether v is composed of arithmetic.
func isOfCalendar(v *ir.Value) bool {
	switch {
	case !v.Op.IsElementwise():
		return false
	case v.Op == ir.OpCast:
		from := v.Args[0].Type.Kind
		return from != v.Type.Kind && from.IsCalendar() && v.Type.Kind.IsCalendar()
	}
	return v.Op.IsComposed(v.Args[0].Type.Kind)
}

// calendar makes values of dates and timestamps. Numbers in between are i64.
type calendar struct{ ordering }

func (c calendar) compose(v *ir.Value) *ir.Value {
	x := c.column(v.Args[0])
	switch v.Op {
	case ir.OpCast:
		return c.castTo(v.Type.Kind, x)
	case ir.OpYear, ir.OpMonth, ir.OpDay:
		return c.apply(v.Op, c.castTo(ir.Date, x))
	case ir.OpWeekday:
		return c.cast(ir.I32, c.plus(c.sinceMonday(c.days(x)), 1))
	case ir.OpTruncate:
		return c.truncate(x, v.Unit())
	}
	return c.timePart(v.Op, x)
}

// castTo converts between the calendar types. Dates whose timestamps do not fit wrap.
func (c calendar) castTo(k ir.Kind, x *ir.Value) *ir.Value {
	switch from := x.Type.Kind; {
	case from == k:
		return x
	case k == ir.Date:
		return c.cast(ir.Date, c.cast(ir.I32, c.days(x)))
	}
	return c.cast(ir.Timestamp, c.apply(ir.OpMul, c.days(x), c.number(ir.MicrosPerDay)))
}

// days returns the days since 1970-01-01 of a date, or of the day of a timestamp.
func (c calendar) days(x *ir.Value) *ir.Value {
	if x.Type.Kind == ir.Date {
		return c.cast(ir.I64, x)
	}
	return c.quotient(c.cast(ir.I64, x), ir.MicrosPerDay)
}

// sinceMonday returns the days since the last Monday, 0 to 6; 1970-01-05 was one.
func (c calendar) sinceMonday(days *ir.Value) *ir.Value { return c.rest(c.plus(days, -4), 7) }

func (c calendar) timePart(op ir.Op, x *ir.Value) *ir.Value {
	unit, next := int64(ir.MicrosPerSecond), int64(ir.MicrosPerMinute)
	switch op {
	case ir.OpHour:
		unit, next = ir.MicrosPerHour, ir.MicrosPerDay
	case ir.OpMinute:
		unit, next = ir.MicrosPerMinute, ir.MicrosPerHour
	}
	return c.cast(ir.I32, c.apply(ir.OpDiv, c.rest(c.cast(ir.I64, x), next), c.number(unit)))
}

// truncate returns the beginning of a unit, as a value of the type of x.
func (c calendar) truncate(x *ir.Value, unit string) *ir.Value {
	k := x.Type.Kind
	if length := map[string]int64{"second": ir.MicrosPerSecond, "minute": ir.MicrosPerMinute, "hour": ir.MicrosPerHour}[unit]; length > 0 {
		micros := c.cast(ir.I64, x)
		return c.cast(k, c.apply(ir.OpSub, micros, c.rest(micros, length)))
	}
	days, date := c.days(x), c.castTo(ir.Date, x)
	part := func(op ir.Op) *ir.Value { return c.cast(ir.I64, c.apply(op, date)) }
	switch unit {
	case "week":
		days = c.apply(ir.OpSub, days, c.sinceMonday(days))
	case "month":
		days = c.plus(c.apply(ir.OpSub, days, part(ir.OpDay)), 1)
	case "quarter":
		days = c.firstOfQuarter(part(ir.OpYear), part(ir.OpMonth))
	case "year":
		days = c.firstOfYear(part(ir.OpYear))
	}
	return c.castTo(k, c.cast(ir.Date, c.cast(ir.I32, days)))
}

// firstOfYear returns the days from 1970-01-01 to January 1 of a year.
func (c calendar) firstOfYear(year *ir.Value) *ir.Value {
	const before1970 = 719162 // days since January 1 of year 1
	last := c.plus(year, -1)
	days := c.apply(ir.OpMul, last, c.number(365))
	days = c.apply(ir.OpAdd, days, c.quotient(last, 4))
	days = c.apply(ir.OpSub, days, c.quotient(last, 100))
	days = c.apply(ir.OpAdd, days, c.quotient(last, 400))
	return c.plus(days, -before1970)
}

// firstOfQuarter returns the days from 1970-01-01 to the first day of a month's quarter.
func (c calendar) firstOfQuarter(year, month *ir.Value) *ir.Value {
	isLeap := c.apply(ir.OpLogicalAnd, c.isMultiple(year, 4),
		c.apply(ir.OpLogicalOr, c.apply(ir.OpNot, c.isMultiple(year, 100)), c.isMultiple(year, 400)))
	leapDay := c.cast(ir.I64, isLeap)
	before := c.number(0) // days of the year
	for _, quarter := range []struct{ month, days int64 }{{4, 90}, {7, 181}, {10, 273}} {
		before = c.choose(c.apply(ir.OpGe, month, c.number(quarter.month)), c.plus(leapDay, quarter.days), before)
	}
	return c.apply(ir.OpAdd, c.firstOfYear(year), before)
}

func (c calendar) plus(x *ir.Value, i int64) *ir.Value { return c.apply(ir.OpAdd, x, c.number(i)) }

func (c calendar) isMultiple(x *ir.Value, of int64) *ir.Value {
	return c.apply(ir.OpEq, c.apply(ir.OpRem, x, c.number(of)), c.number(0))
}

// rest returns x modulo a positive number, which is 0 or more. That the bound of a rest
// below 0 is -1 tells the analysis of ranges that the sum is not above the modulus.
func (c calendar) rest(x *ir.Value, modulus int64) *ir.Value {
	r := c.apply(ir.OpRem, x, c.number(modulus))
	isBelow := c.apply(ir.OpLt, r, c.number(0))
	return c.choose(isBelow, c.plus(c.apply(ir.OpLeast, r, c.number(-1)), modulus), r)
}

// quotient returns x divided by a positive number, rounded down.
func (c calendar) quotient(x *ir.Value, by int64) *ir.Value {
	isBelow := c.apply(ir.OpLt, c.apply(ir.OpRem, x, c.number(by)), c.number(0))
	return c.apply(ir.OpSub, c.apply(ir.OpDiv, x, c.number(by)), c.cast(ir.I64, isBelow))
}
