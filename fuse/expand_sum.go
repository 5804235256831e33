package fuse

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Float sums of a pipeline that returns reproducible become sums of integers, which are exact
// and so the same in any order. It is the pre-rounding of Demmel and Nguyen, "Fast Reproducible
// Floating-Point Summation", ARITH 2013, with three slices that are added as integers and put
// together without a rounding.
//
// Let the rows that are added, those of a group or of a segment if there are any, be less than
// 2^e+1 in magnitude, where 2^e is the power of two of the greatest one (the least power of a
// normal number, if all are less). A column of n rows has slices of w bits, w the least of 32
// and 64-k for the least k with n < 2^k. Each row is rounded to the nearest multiple, of two
// the even one, of 2^(e+2-3w). The result is the exact sum of these multiples, rounded once to
// the nearest float. Of this, nothing depends on an order.
//
// To split a row, it is scaled by 2^(1-e), which is exact but for rows that are far less than
// the last slice, and less than 4 then. Slice i has the unit u = 2^(3-iw). Adding 1.5·2^52·u
// rounds what is left of the row to a multiple of u, whose integer is in the last bits of the
// float, and a subtraction leaves the rest, which is at most u/2, that is 2^(w-1) units of the
// next slice. The rest is exact: it is a multiple of the row's last bit, and not greater than
// the row. The three together are the row, rounded once, because only the last slice drops
// bits, and an even number of its units is an even number of all. An integer is at most 2^(w-1),
// and fewer than 2^(64-w) of them are added, so no sum overflows.
//
// Put together, the sums are T·2^2w + L units of the last slice, where L has 2w bits. T fits 64
// bits, because all rows together are below n·2^(3w-1) units: carries may wrap on the way. The
// leading 64 bits are rounded to a float, the last of them set if any later one is: that rounds
// once. An f32 takes 53 bits in between, rounded to odd, which a second rounding does not show
// (Boldo and Melquiond, "Emulation of a FMA and Correctly Rounded Sums", IEEE Transactions on
// Computers 57(4), 2008). A result that is no normal number needs no rounding at all, as all
// rows are multiples of the least float. So only the last of the multiplications that scale the
// result back can overflow, and it does where the rounded sum has to.
//
// Infinities and NaN are added as floats, by themselves: any order gives the same.
type floatSums struct {
	ordering
	split map[[3]*ir.Value]splitColumn // by column, grouping, and the average whose check it makes
	units map[*ir.Domain]units         // by the rows that are added
}

// splitColumn is a column that is split.
type splitColumn struct {
	units
	greatest *ir.Value // of all rows or each group: the bits of the greatest magnitude
	scale    *ir.Value // of all rows or each group: 2^(1-e)
	ofRows   *ir.Value // the same for each row
	integer  [3]*ir.Value
	special  *ir.Value // infinities and NaN; 0 for other rows
}

// units are those of the slices for a number of rows.
type units struct {
	width   *ir.Value    // w, an i64
	rounder [3]*ir.Value // 1.5·2^52 units of each slice
}

const (
	mantissaBits = 52
	bias         = 1023
	infinity     = 0x7ff << mantissaBits // the bits of +infinity
	widest       = 32                    // the greatest w
	oddBit       = 1 << 11               // the last of 53 bits of 64
)

// withoutFloatSums returns p without sums of floats that have to be reproducible; p itself if it has none.
func withoutFloatSums(p *ir.Pipeline, options Options) *ir.Pipeline {
	if !slices.ContainsFunc(p.Values, p.IsReproducible) {
		return p
	}
	e := newExpansion(p, options)
	s := floatSums{ordering{expansion: e}, map[[3]*ir.Value]splitColumn{}, map[*ir.Domain]units{}}
	for _, v := range p.Values {
		switch {
		case v.Op == ir.OpParam:
			e.parameter(v)
		case p.IsReproducible(v):
			s.pos = v.Pos
			made := s.sum(v)
			made.Name = v.Name
			e.values[v] = made
		default:
			e.copy(v)
		}
	}
	return e.pipeline()
}

// sum writes a sum, an average or a running sum.
func (s *floatSums) sum(v *ir.Value) *ir.Value {
	x, by := s.column(v.Args[0]), s.values[v.By]
	column := s.slices(v, x, by)
	fold := func(x *ir.Value) *ir.Value {
		made := ir.Value{Op: ir.OpSum, Args: []*ir.Value{x}, By: by, Type: ir.Type{Kind: x.Type.Kind, Domain: s.domain(v.Type.Domain)}}
		if !v.Op.IsAggregate() {
			made.Op, made.Reduce = v.Op, v.Reduce
		}
		return s.add(s.pos, made)
	}
	scale, kind := column.scale, ir.F64
	if !v.Op.IsAggregate() {
		scale, kind = column.ofRows, v.Type.Kind
	}
	total := s.together(column.width, fold(column.integer[0]), fold(column.integer[1]), fold(column.integer[2]), scale, kind)
	special := fold(column.special)
	isFinite := s.apply(ir.OpEq, special, s.float(0))
	total = s.choose(isFinite, total, s.cast(kind, special))
	if v.Op == ir.OpAvg {
		return s.average(v, total, x, by)
	}
	return total
}

// average divides a sum by the number of rows.
func (s *floatSums) average(v, total, x, by *ir.Value) *ir.Value {
	var count *ir.Value
	if by != nil { // x may be a scalar, of each row of the group
		count = s.add(s.pos, ir.Value{Op: ir.OpCount, By: by, Type: ir.Type{Kind: ir.I64, Domain: total.Type.Domain}})
	} else {
		count = s.length(x)
	}
	none := s.float(0)
	if v.Else != nil {
		none = s.column(v.Else)
	}
	quotient := s.apply(ir.OpDiv, total, s.cast(ir.F64, count))
	return s.choose(s.apply(ir.OpGt, count, s.number(0)), quotient, none)
}

// slices splits the column that v adds.
func (s *floatSums) slices(v, x, by *ir.Value) splitColumn {
	at := [3]*ir.Value{x, by, nil}
	checks := slices.ContainsFunc(s.from.Sites, func(site ir.Site) bool { return site.Value == v })
	if checks { // that a group has rows
		at[2] = v
	}
	if made, ok := s.split[at]; ok {
		return made
	}
	rows := x
	if x.Type.IsScalar() {
		rows = by
	}
	made := splitColumn{units: s.unitsOf(rows)}
	x = s.cast(ir.F64, x)
	magnitude, isFinite := s.magnitude(x)
	none := s.integer(magnitude, 0)
	extreme := ir.Value{Op: ir.OpMax, Args: []*ir.Value{s.choose(isFinite, magnitude, none)}, By: by, Type: ir.Type{Kind: ir.U64}}
	if by != nil {
		extreme.Type.Domain = by.Type.Target
	}
	if !checks {
		extreme.Else = none
	}
	made.greatest = s.add(s.pos, extreme)
	if checks {
		s.checked[v] = made.greatest
	}
	exponent := s.apply(ir.OpGreatest, s.shiftRight(made.greatest, mantissaBits), s.integer(magnitude, 1))
	made.scale = s.power(s.apply(ir.OpSub, s.integer(magnitude, 2*bias+1), exponent))
	made.ofRows = made.scale
	if by != nil {
		made.ofRows = s.gather(s.pos, made.scale, by)
	}
	_, isFinite = s.magnitude(x) // once more: it costs less than to store it
	made.special = s.choose(isFinite, s.float(0), x)
	rest := s.apply(ir.OpMul, s.choose(isFinite, x, s.float(0)), made.ofRows)
	for i, rounder := range made.rounder {
		rounded := s.apply(ir.OpAdd, rest, rounder)
		units := s.apply(ir.OpSub, s.apply(ir.OpBits, rounded), s.apply(ir.OpBits, rounder))
		made.integer[i] = s.cast(ir.I64, units)
		rest = s.apply(ir.OpSub, rest, s.apply(ir.OpSub, rounded, rounder))
	}
	s.split[at] = made
	return made
}

// magnitude returns the bits of the absolute value of x, and whether x is finite.
func (s *floatSums) magnitude(x *ir.Value) (bits, isFinite *ir.Value) {
	bits = s.apply(ir.OpBits, s.apply(ir.OpAbs, x))
	return bits, s.apply(ir.OpLt, bits, s.integer(bits, infinity))
}

// unitsOf returns the units for the rows of x.
func (s *floatSums) unitsOf(x *ir.Value) units {
	if made, ok := s.units[x.Type.Domain]; ok {
		return made
	}
	var made units
	if s.short { // there are fewer than 2^32 rows
		made.width = s.number(widest)
		for i := range made.rounder {
			made.rounder[i] = s.float(math.Ldexp(1.5, mantissaBits+3-(i+1)*widest))
		}
	} else {
		made.width = s.apply(ir.OpLeast, s.apply(ir.OpLeadingzeros, s.length(x)), s.number(widest))
		unit := s.power(s.cast(ir.U64, s.apply(ir.OpSub, s.number(bias), made.width))) // 2^-w
		rounder := s.float(math.Ldexp(1.5, mantissaBits+3))
		for i := range made.rounder {
			rounder = s.apply(ir.OpMul, rounder, unit)
			made.rounder[i] = rounder
		}
	}
	s.units[x.Type.Domain] = made
	return made
}

// together returns the sum of three slices, each of which has been added, as a float.
func (s *floatSums) together(width, first, second, third, scale *ir.Value, k ir.Kind) *ir.Value {
	word := func(i uint64) *ir.Value { return s.constant(ir.Scalar{Kind: ir.U64, Bits: i}) }
	unsigned := func(x *ir.Value) *ir.Value { return s.cast(ir.U64, x) }
	mask := s.apply(ir.OpSub, s.apply(ir.OpShl, s.number(1), width), s.number(1))
	low := func(x *ir.Value) *ir.Value { return unsigned(s.apply(ir.OpAnd, x, mask)) }

	carried := s.apply(ir.OpAdd, s.apply(ir.OpShr, third, width), s.apply(ir.OpAnd, second, mask))
	high := s.apply(ir.OpAdd, s.apply(ir.OpAdd, first, s.apply(ir.OpShr, second, width)), s.apply(ir.OpShr, carried, width))
	beside := s.apply(ir.OpSub, s.number(64), width)
	rest := s.apply(ir.OpOr, s.apply(ir.OpShl, low(carried), beside), s.apply(ir.OpShl, low(third), s.apply(ir.OpSub, beside, width)))

	// The magnitude, of 128 bits.
	isBelow := s.apply(ir.OpLt, high, s.number(0))
	borrow := unsigned(s.apply(ir.OpEq, rest, word(0)))
	top := unsigned(high)
	top = s.choose(isBelow, s.apply(ir.OpAdd, s.apply(ir.OpComplement, top), borrow), top)
	rest = s.choose(isBelow, s.apply(ir.OpSub, word(0), rest), rest)

	// Its leading 64 bits.
	isLow := s.apply(ir.OpEq, top, word(0))
	top, rest = s.choose(isLow, rest, top), s.choose(isLow, word(0), rest)
	zeros := s.apply(ir.OpLeast, s.apply(ir.OpLeadingzeros, top), word(63))
	next := s.apply(ir.OpShr, s.shiftRight(rest, 1), s.apply(ir.OpSub, word(63), zeros))
	top = s.apply(ir.OpOr, s.apply(ir.OpShl, top, zeros), next)
	sticky := s.apply(ir.OpNe, s.apply(ir.OpShl, rest, zeros), word(0))
	if k == ir.F32 {
		isOdd := s.apply(ir.OpLogicalOr, sticky, s.apply(ir.OpNe, s.apply(ir.OpAnd, top, word(oddBit-1)), word(0)))
		top = s.apply(ir.OpOr, s.apply(ir.OpAndNot, top, word(oddBit-1)), s.choose(isOdd, word(oddBit), word(0)))
	} else {
		top = s.apply(ir.OpOr, top, unsigned(sticky))
	}

	shift := s.apply(ir.OpAdd, zeros, s.apply(ir.OpShl, unsigned(isLow), s.number(6)))
	exponent := s.apply(ir.OpSub, s.apply(ir.OpSub, word(bias+2), unsigned(width)), shift)
	unscale := s.power(s.apply(ir.OpSub, word(2*bias+1), s.shiftRight(s.apply(ir.OpBits, scale), mantissaBits)))
	sum := s.apply(ir.OpMul, s.apply(ir.OpMul, s.cast(ir.F64, top), s.power(exponent)), unscale)
	return s.cast(k, s.choose(isBelow, s.apply(ir.OpNeg, sum), sum))
}

// power returns the power of two whose biased exponent, a u64, is given.
func (s *floatSums) power(exponent *ir.Value) *ir.Value {
	return s.apply(ir.OpOfBits, s.apply(ir.OpShl, exponent, s.number(mantissaBits)))
}

func (s *floatSums) shiftRight(x *ir.Value, n int64) *ir.Value {
	return s.apply(ir.OpShr, x, s.number(n))
}

func (s *floatSums) float(f float64) *ir.Value { return s.constant(ir.Float(ir.F64, f)) }
