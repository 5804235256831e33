package ir

import "strings"

// Named is an operand with a name: by:, else: or limit:.
type Named struct {
	name string
	x    any
}

// By returns by: g, the grouping of an aggregate or scan.
func By(g any) Named { return Named{"by", g} }

// Else returns else: x, the result of an aggregate of no rows.
func Else(x any) Named { return Named{"else", x} }

// Limit returns limit: x, the maximum of rows of an order.
func Limit(x any) Named { return Named{"limit", x} }

// Descending is a key of [Builder.Order] from greatest to least: desc(x).
type Descending struct{ x any }

// Desc makes a key of [Builder.Order] descending.
func Desc(x any) Descending { return Descending{x} }

// CompoundKey is a key of several columns, for [Builder.Find] and [Builder.Join].
type CompoundKey []any

// Keys makes a compound key: (a, b).
func Keys(columns ...any) CompoundKey { return columns }

// Infix returns x op y for an operator of source text: + - * / % & | ^ &^ << >>
// == != < <= > >= && ||.
func (b *Builder) Infix(x any, op string, y any) Operand {
	if !b.isOpen() {
		return Operand{}
	}
	pos := b.here()
	o, ok := infix[op]
	if !ok {
		return b.wrap(b.g.fail(pos, "the operators are + - * / % & | ^ &^ << >> == != < <= > >= && ||", "unknown operator %q", clip(op)))
	}
	return b.wrap(b.g.binary(pos, o, b.operand(pos, x), b.operand(pos, y)))
}

// Prefix returns op x for an operator of source text: - ^ !.
func (b *Builder) Prefix(op string, x any) Operand {
	if !b.isOpen() {
		return Operand{}
	}
	pos := b.here()
	o, ok := prefix[op]
	if !ok {
		return b.wrap(b.g.fail(pos, "the operators are - ^ !", "unknown operator %q", clip(op)))
	}
	return b.wrap(b.g.unary(pos, o, b.operand(pos, x)))
}

// Cast returns kind(x), the cast of x to a kind.
func (b *Builder) Cast(kind Kind, x any) Operand {
	if !b.isOpen() {
		return Operand{}
	}
	pos := b.here()
	if !kind.isElement() {
		return b.wrap(b.g.fail(pos, kindsAre, "cast to %v", kind))
	}
	return b.wrap(b.g.cast(pos, kind, b.operand(pos, x)))
}

// Date returns the constant date("1994-01-01").
func (b *Builder) Date(text string) Operand {
	return b.literal(Date, text)
}

// Timestamp returns the constant timestamp("1994-01-01T12:30:00Z").
func (b *Builder) Timestamp(text string) Operand {
	return b.literal(Timestamp, text)
}

// literal returns the constant of kind k that a text writes.
func (b *Builder) literal(k Kind, text string) Operand {
	if !b.isOpen() {
		return Operand{}
	}
	pos := b.here()
	return b.wrap(b.g.cast(pos, k, b.operand(pos, text)))
}

// At returns x[i]: a compaction if i is a bool, else a gather.
func (b *Builder) At(x, i any) Operand {
	if !b.isOpen() {
		return Operand{}
	}
	pos := b.here()
	column, _ := x.(Operand)
	return Operand{b, b.g.subscript(pos, b.operand(pos, x), b.operand(pos, i)), column.label}
}

// Left returns join.left.
func (b *Builder) Left(join any) Operand { return b.field(join, "left") }

// Right returns join.right.
func (b *Builder) Right(join any) Operand { return b.field(join, "right") }

func (b *Builder) field(join any, name string) Operand {
	if !b.isOpen() {
		return Operand{}
	}
	pos := b.here()
	return b.wrap(b.g.field(pos, b.operand(pos, join), name))
}

// Select returns select(condition, x, y): x in rows where the condition is true,
// else y. Both are computed.
func (b *Builder) Select(condition, x, y any) Operand { return b.call(OpSelect, condition, x, y) }

// Least returns least(x, y): the lesser value, row by row. NaN wins.
func (b *Builder) Least(x, y any) Operand { return b.call(OpLeast, x, y) }

// Greatest returns greatest(x, y): the greater value, row by row. NaN wins.
func (b *Builder) Greatest(x, y any) Operand { return b.call(OpGreatest, x, y) }

// Abs returns abs(x): the absolute value; that of the least integer is itself.
func (b *Builder) Abs(x any) Operand { return b.call(OpAbs, x) }

// Sqrt returns sqrt(x): the square root of a float, correctly rounded.
func (b *Builder) Sqrt(x any) Operand { return b.call(OpSqrt, x) }

// Year returns year(x): the year of a date, an i32.
func (b *Builder) Year(x any) Operand { return b.call(OpYear, x) }

// Month returns month(x): the month of a date, 1 to 12.
func (b *Builder) Month(x any) Operand { return b.call(OpMonth, x) }

// Day returns day(x): the day of the month of a date, 1 to 31.
func (b *Builder) Day(x any) Operand { return b.call(OpDay, x) }

// Index returns index(x): the number of each row, from 0.
func (b *Builder) Index(x any) Operand { return b.call(OpIndex, x) }

// Len returns len(x): the number of rows.
func (b *Builder) Len(x any) Operand { return b.call(OpLen, x) }

// Prev returns prev(x, k, fill): the value k rows before, or fill. k is at least 0.
func (b *Builder) Prev(x any, k int, fill any) Operand { return b.call(OpPrev, x, k, fill) }

// Next returns next(x, k, fill): the value k rows after, or fill. k is at least 0.
func (b *Builder) Next(x any, k int, fill any) Operand { return b.call(OpNext, x, k, fill) }

// Scan returns scan(op, x): the running reduction that includes its row, with an
// optional [By].
func (b *Builder) Scan(op ReduceOp, x any, named ...Named) Operand {
	return b.call(OpScan, op, x, named)
}

// Exscan returns exscan(op, x): the reduction of the rows before, with an optional
// [By].
func (b *Builder) Exscan(op ReduceOp, x any, named ...Named) Operand {
	return b.call(OpExscan, op, x, named)
}

// Runs returns runs(keys...): a group for each run of equal neighbours.
func (b *Builder) Runs(keys ...any) Operand { return b.call(OpRuns, keys...) }

// Starts returns starts(mask): a group begins at each true row, and at row 0.
func (b *Builder) Starts(mask any) Operand { return b.call(OpStarts, mask) }

// Groups returns groups(keys...): a group for each distinct key, ascending.
func (b *Builder) Groups(keys ...any) Operand { return b.call(OpGroups, keys...) }

// Bins returns bins(i, size), or bins(i, column): row r belongs to group i[r], of a
// known number of groups.
func (b *Builder) Bins(i, size any) Operand { return b.call(OpBins, i, size) }

// Repeat returns repeat(length): row r appears length[r] times.
func (b *Builder) Repeat(length any) Operand { return b.call(OpRepeat, length) }

// Order returns order(keys...); a key may be [Desc], the last one [Limit].
func (b *Builder) Order(keys ...any) Operand { return b.call(OpOrder, keys...) }

// Find returns find(key, in: table); a key is a column or [Keys].
func (b *Builder) Find(key, table any) Operand { return b.call(OpFind, key, Named{"in", table}) }

// Join returns join(left, right); a key is a column or [Keys].
func (b *Builder) Join(left, right any) Operand { return b.call(OpJoin, left, right) }

// Align returns align(x, to: y): the column x over the domain of y, which must have
// as many rows; a scalar is repeated.
func (b *Builder) Align(x, y any) Operand { return b.call(OpAlign, x, Named{"to", y}) }

// Aggregate returns an aggregate of x, with an optional [By] and [Else].
func (b *Builder) Aggregate(op Op, x any, named ...Named) Operand {
	if !op.IsAggregate() {
		return b.wrap(b.g.fail(b.here(), "ir.Aggregates lists them", "%v is no aggregate", op))
	}
	return b.call(op, x, named)
}

// Sum returns sum(x), with an optional [By].
func (b *Builder) Sum(x any, named ...Named) Operand { return b.call(OpSum, x, named) }

// Count returns count(mask), with an optional [By].
func (b *Builder) Count(mask any, named ...Named) Operand { return b.call(OpCount, mask, named) }

// CountBy returns count(by: g).
func (b *Builder) CountBy(g any) Operand { return b.call(OpCount, By(g)) }

// Min returns min(x), with an optional [By] and [Else].
func (b *Builder) Min(x any, named ...Named) Operand { return b.call(OpMin, x, named) }

// Max returns max(x), with an optional [By] and [Else].
func (b *Builder) Max(x any, named ...Named) Operand { return b.call(OpMax, x, named) }

// Avg returns avg(x), with an optional [By] and [Else].
func (b *Builder) Avg(x any, named ...Named) Operand { return b.call(OpAvg, x, named) }

// First returns first(x), with an optional [By] and [Else].
func (b *Builder) First(x any, named ...Named) Operand { return b.call(OpFirst, x, named) }

// Last returns last(x), with an optional [By] and [Else].
func (b *Builder) Last(x any, named ...Named) Operand { return b.call(OpLast, x, named) }

// Product returns product(x), with an optional [By].
func (b *Builder) Product(x any, named ...Named) Operand { return b.call(OpProduct, x, named) }

// Any returns any(mask), with an optional [By].
func (b *Builder) Any(mask any, named ...Named) Operand { return b.call(OpAny, mask, named) }

// All returns all(mask), with an optional [By].
func (b *Builder) All(mask any, named ...Named) Operand { return b.call(OpAll, mask, named) }

// Argmin returns argmin(x), with an optional [By].
func (b *Builder) Argmin(x any, named ...Named) Operand { return b.call(OpArgmin, x, named) }

// Argmax returns argmax(x), with an optional [By].
func (b *Builder) Argmax(x any, named ...Named) Operand { return b.call(OpArgmax, x, named) }

// call makes a call of an operator from operands and what names or marks them.
func (b *Builder) call(op Op, operands ...any) Operand { return b.callNamed(op.String(), operands...) }

// callNamed is call by the name of a function.
func (b *Builder) callNamed(function string, operands ...any) Operand {
	if !b.isOpen() {
		return Operand{}
	}
	pos := b.here()
	f := functionsByName[function]
	c := &call{pos: pos, op: f, named: map[string]operand{}}
	bad := false
	name := func(n Named) {
		if n.name == "" {
			bad = true
			b.g.fail(pos, "make it by ir.By, ir.Else or ir.Limit", "the zero ir.Named is no operand")
			return
		}
		if _, twice := c.named[n.name]; twice {
			b.g.fail(pos, "leave one out", "%s: is given twice", n.name)
		}
		c.named[n.name] = b.key(pos, n.x)
	}
	for i, x := range operands {
		switch x := x.(type) {
		case ReduceOp:
			if !f.operation || i > 0 {
				bad = b.operand(pos, x).bad()
				continue
			}
			c.reduce = x
			if x == ReduceNone || int(x) >= len(reduceNames) {
				return b.wrap(b.g.fail(pos, "the operations are "+strings.Join(reduceNames[1:], " "), "unknown operation %d of %s", uint8(x), f.name))
			}
		case Named:
			name(x)
		case []Named:
			for _, n := range x {
				name(n)
			}
		case Descending:
			o := b.operand(pos, x.x)
			o.desc = true
			c.args = append(c.args, o)
		default:
			c.args = append(c.args, b.key(pos, x))
		}
	}
	if bad {
		return b.wrap(operand{pos: pos})
	}
	return b.wrap(b.g.call(c))
}

// key accepts an operand or a compound key.
func (b *Builder) key(pos Pos, x any) operand {
	columns, ok := x.(CompoundKey)
	if !ok {
		return b.operand(pos, x)
	}
	o := operand{pos: pos}
	for _, c := range columns {
		o.parts = append(o.parts, b.operand(pos, c))
	}
	if len(columns) == 0 {
		return b.g.fail(pos, "name the columns: ir.Keys(a, b)", "a key without columns")
	}
	return o
}
