package ir

import (
	"fmt"
	"math"
	"math/bits"
)

// facts holds what analysis proves about the values of a pipeline.
type facts struct {
	ranges    []valueRange
	passed    bool         // ranges holds where no check fails
	checked   []valueRange // the ranges where no check fails
	exactness []exactness
	warnings  []Error
}

// analyze derives the facts of p in one pass, because operands precede their
// users.
func analyze(p *Pipeline) *facts {
	f := &facts{ranges: make([]valueRange, len(p.Values)), exactness: make([]exactness, len(p.Values))}
	for _, v := range p.Values {
		f.ranges[v.ID] = f.rangeOf(v)
	}
	passed := &facts{ranges: make([]valueRange, len(p.Values)), passed: true}
	for _, v := range p.Values {
		passed.ranges[v.ID] = passed.rangeOf(v)
	}
	f.checked = passed.ranges
	f.warnings = f.warn(p)
	return f
}

// known returns the facts that were found when p was built, or new facts if a pass
// has put p together.
func (p *Pipeline) known() *facts {
	if p.facts == nil {
		return analyze(p)
	}
	return p.facts
}

// Range returns the least and the greatest value that a row of the integer or date
// v can have, even if a check fails. Ok is false for other kinds, and for u64
// values that may exceed the greatest int64.
func (p *Pipeline) Range(v *Value) (lo, hi int64, ok bool) {
	r := p.known().ranges[v.ID]
	return r.lo, r.hi, r.bounded
}

// CheckedRange is Range where no check fails: bins are then below their number.
func (p *Pipeline) CheckedRange(v *Value) (lo, hi int64, ok bool) {
	r := p.known().checked[v.ID]
	return r.lo, r.hi, r.bounded
}

// NonZero reports whether no row of the integer v can be zero.
func (p *Pipeline) NonZero(v *Value) bool { return p.known().ranges[v.ID].excludesZero() }

// nonNegative reports whether the integer v is never below zero.
func (f *facts) nonNegative(v *Value) bool {
	return v.Type.Kind.IsUnsigned() || f.ranges[v.ID].nonNegative()
}

// A valueRange bounds an integer or date. Other kinds are not bounded, nor are u64
// values that may exceed the greatest int64.
type valueRange struct {
	lo, hi  int64
	bounded bool
	nonZero bool // zero lies between the bounds but never occurs
	clamped bool // an index column that holds 0 after a failed check, even if its target is empty
}

func between(lo, hi int64) valueRange { return valueRange{lo: lo, hi: hi, bounded: true} }

var (
	anyRow  = between(0, math.MaxInt64)
	zero    = between(0, 0)
	unknown = valueRange{}
)

func (r valueRange) excludesZero() bool { return r.nonZero || r.bounded && (r.lo > 0 || r.hi < 0) }
func (r valueRange) nonNegative() bool  { return r.bounded && r.lo >= 0 }

// within reports whether r lies in lo..hi.
func (r valueRange) within(lo, hi int64) bool { return r.bounded && lo <= r.lo && r.hi <= hi }

// union returns bounds for values that r or s bounds.
func (r valueRange) union(s valueRange) valueRange {
	if !r.bounded || !s.bounded {
		return valueRange{nonZero: r.excludesZero() && s.excludesZero()}
	}
	u := between(min(r.lo, s.lo), max(r.hi, s.hi))
	u.nonZero = r.excludesZero() && s.excludesZero()
	return u
}

// kindRange returns the bounds of all values of kind k.
func kindRange(k Kind) valueRange {
	switch k.Stored() {
	case I8, I16, I32, I64:
		shift := 8*k.Size() - 1
		return between(math.MinInt64>>(63-shift), math.MaxInt64>>(63-shift))
	case U8, U16, U32:
		return between(0, 1<<(8*k.Size())-1)
	}
	return unknown
}

// fit returns r if all of r fits kind k. Otherwise the result may wrap, and fit
// returns the range of k.
func fit(k Kind, r valueRange) valueRange {
	all := kindRange(k)
	switch {
	case !r.bounded:
		return all
	case all.bounded && r.within(all.lo, all.hi), k == U64 && r.lo >= 0:
		return r
	}
	return all
}

// rangeOf derives the range of v from those of its operands.
func (f *facts) rangeOf(v *Value) valueRange {
	k := v.Type.Kind
	if !k.IsInteger() && !k.IsCoded() {
		return unknown
	}
	arg := func(i int) valueRange { return f.ranges[v.Args[i].ID] }
	switch v.Op {
	case OpConst:
		if k == U64 && v.Const.Bits > math.MaxInt64 {
			return valueRange{nonZero: true}
		}
		return between(v.Const.Int64(), v.Const.Int64())
	case OpSelect:
		return f.refined(v.Args[1], v.Args[0], true).union(f.refined(v.Args[2], v.Args[0], false))
	case OpCompact:
		return f.refined(v.Args[0], v.Args[1], true)
	case OpGather:
		r := arg(0)
		if !f.passed && f.indexUnproven(v) || arg(1).clamped {
			r = r.union(zero)
			r.clamped = true
		}
		return r
	case OpCast:
		return f.castRange(v)
	case OpIndex, OpLen, OpRuns, OpStarts, OpGroups, OpOrder, OpRepeat, OpLeft, OpRight, OpExpand, OpSearch, OpPairs:
		return anyRow
	case OpBins:
		switch {
		case !f.binUnproven(v):
			return arg(0)
		case f.passed:
			return arg(0).where(OpGe, zero).where(OpLt, f.sizeRange(v.Args[1]))
		}
		return between(-1, math.MaxInt64)
	case OpFind, OpProbe, OpPartners:
		return between(-1, math.MaxInt64)
	case OpPrev, OpNext:
		if v.Shift == 0 {
			return arg(0)
		}
		return arg(0).union(arg(1))
	case OpAlign:
		if v.Args[0].Type.IsScalar() {
			return arg(0)
		}
		return arg(0).union(zero)
	case OpScan, OpExscan:
		return f.scanRange(v)
	}
	if v.Op.IsAggregate() {
		return f.aggregateRange(v)
	}
	if !v.Op.IsElementwise() || v.Op.row().bounds == nil {
		return kindRange(k)
	}
	return v.Op.row().bounds(v.Op, k, arg(0), arg(len(v.Args)-1))
}

// sizeRange bounds the number of bins that size, a scalar or a column, stands for.
func (f *facts) sizeRange(size *Value) valueRange {
	if size.Type.IsScalar() {
		return f.ranges[size.ID]
	}
	return anyRow
}

// aggregateRange is rangeOf for an aggregate, whose result is an integer or a
// date.
func (f *facts) aggregateRange(v *Value) valueRange {
	a := v.Op.Aggregate()
	switch a.Finish {
	case FinishField:
	case FinishRow:
		r := anyRow
		r.clamped = mayBeEmpty(v)
		return r
	default: // a quotient is no integer
		panic(fmt.Sprintf("ir: no range of %v", v.Op))
	}
	var r valueRange
	x := between(0, 1) // a mask, or the 1 of every row
	if len(v.Args) > 0 && v.Args[0].Type.Kind != Bool {
		x = f.ranges[v.Args[0].ID]
	}
	switch fold := a.State[0].Fold; fold {
	case ReduceAdd:
		r = countRange(v.Type.Kind, x)
	case ReduceMul, ReduceOr, ReduceAnd:
		r = kindRange(v.Type.Kind)
	case ReduceMin, ReduceMax, ReduceFirst, ReduceLast:
		r = x
	default:
		panic(fmt.Sprintf("ir: no range of %v", v.Op))
	}
	switch {
	case a.NoRows == NoRowsIdentity:
	case v.Else != nil:
		r = r.union(f.ranges[v.Else.ID])
	case mayBeEmpty(v):
		r = r.union(zero)
	}
	return r
}

// countRange bounds the sum of values of range r in kind k. A sum that only counts
// rows cannot wrap, and any other sum can.
func countRange(k Kind, r valueRange) valueRange {
	if r.within(0, 1) && (k == I64 || k == U64) {
		return anyRow
	}
	return kindRange(k)
}

func (f *facts) scanRange(v *Value) valueRange {
	k, x := v.Type.Kind, f.ranges[v.Args[0].ID]
	switch v.Reduce {
	case ReduceAdd:
		return countRange(k, x)
	case ReduceOr, ReduceXor:
		if x.nonNegative() {
			return between(0, onesUpTo(x.hi))
		}
	case ReduceMin, ReduceMax:
		if v.Op == OpScan { // exscan begins with the identity, an extreme of k
			return x
		}
	case ReduceAnd:
		if v.Op == OpScan && x.nonNegative() {
			return between(0, x.hi)
		}
	}
	return kindRange(k)
}

func (f *facts) castRange(v *Value) valueRange {
	from, to := v.Args[0].Type.Kind, v.Type.Kind
	x := f.ranges[v.Args[0].ID]
	switch {
	case from == Bool && !to.IsDecimal():
		return between(0, 1)
	case from == Bool, from.IsFloat(), from != to && (from.IsCalendar() && to.IsCalendar() || from.IsDecimal() || to.IsDecimal()):
		return kindRange(to)
	}
	r := fit(to, x)
	r.nonZero = x.excludesZero() && from.Size() <= to.Size()
	return r
}

// onesUpTo returns the least 2^k - 1 that is at least x.
func onesUpTo(x int64) int64 { return 1<<bits.Len64(uint64(x)) - 1 }

func unaryRange(op Op, k Kind, x, _ valueRange) valueRange {
	all := kindRange(k)
	r := all
	switch {
	case !x.bounded:
	case op == OpComplement && k.IsSigned():
		return between(^x.hi, ^x.lo)
	case op == OpComplement, k.IsUnsigned() && op == OpNeg:
	case k.IsUnsigned():
		return x
	case x.lo == all.lo: // the least integer has no positive counterpart
	case op == OpNeg:
		r = between(-x.hi, -x.lo)
	case x.lo >= 0:
		r = x
	default:
		r = between(max(0, -x.hi), max(x.hi, -x.lo))
	}
	r.nonZero = x.excludesZero() && op != OpComplement
	return r
}

func binaryRange(op Op, k Kind, x, y valueRange) valueRange {
	switch op {
	case OpAdd, OpSub, OpMul:
		return fit(k, arithmeticRange(op, x, y))
	case OpDiv:
		return fit(k, quotientRange(x, y))
	case OpRem:
		return fit(k, remainderRange(x, y))
	case OpAnd:
		switch {
		case x.nonNegative() && y.nonNegative():
			return between(0, min(x.hi, y.hi))
		case x.nonNegative():
			return between(0, x.hi)
		case y.nonNegative():
			return between(0, y.hi)
		}
	case OpOr, OpXor:
		if x.nonNegative() && y.nonNegative() {
			r := between(0, onesUpTo(x.hi|y.hi))
			if op == OpOr {
				r.lo = max(x.lo, y.lo)
			}
			return r
		}
	case OpAndNot:
		if x.nonNegative() {
			return between(0, x.hi)
		}
	case OpShl, OpShr:
		return fit(k, shiftRange(op, k, x, y))
	case OpLeast:
		switch {
		case x.bounded && y.bounded:
			return between(min(x.lo, y.lo), min(x.hi, y.hi))
		case x.bounded: // y is a u64
			return between(0, x.hi)
		case y.bounded:
			return between(0, y.hi)
		}
	case OpGreatest:
		if x.bounded && y.bounded {
			return between(max(x.lo, y.lo), max(x.hi, y.hi))
		}
		return valueRange{nonZero: x.excludesZero() || y.excludesZero()}
	}
	return kindRange(k)
}

// arithmeticRange bounds x op y. It is unknown if an int64 may overflow.
func arithmeticRange(op Op, x, y valueRange) valueRange {
	if !x.bounded || !y.bounded {
		return unknown
	}
	switch op {
	case OpAdd:
		lo, hi := x.lo+y.lo, x.hi+y.hi
		if (lo < x.lo) != (y.lo < 0) || (hi < x.hi) != (y.hi < 0) {
			return unknown
		}
		return between(lo, hi)
	case OpSub:
		lo, hi := x.lo-y.hi, x.hi-y.lo
		if (lo > x.lo) != (y.hi < 0) || (hi > x.hi) != (y.lo < 0) {
			return unknown
		}
		return between(lo, hi)
	}
	var corners [4]int64
	for i, pair := range [4][2]int64{{x.lo, y.lo}, {x.lo, y.hi}, {x.hi, y.lo}, {x.hi, y.hi}} {
		product := pair[0] * pair[1]
		if pair[0] != 0 && (product/pair[0] != pair[1] || pair[0] == -1 && pair[1] == math.MinInt64) {
			return unknown
		}
		corners[i] = product
	}
	return between(min(corners[0], corners[1], corners[2], corners[3]), max(corners[0], corners[1], corners[2], corners[3]))
}

// quotientRange bounds x / y, which is 0 if y is zero.
func quotientRange(x, y valueRange) valueRange {
	if !x.bounded || !y.bounded {
		return unknown
	}
	if y.lo >= 0 && y.hi >= 1 {
		least := max(y.lo, 1)
		q := between(min(x.lo/least, x.lo/y.hi), max(x.hi/least, x.hi/y.hi))
		if y.lo == 0 && !y.nonZero {
			return q.union(zero)
		}
		return q
	}
	if x.lo == math.MinInt64 {
		return unknown
	}
	most := max(x.hi, -x.lo)
	return between(-most, most)
}

// remainderRange bounds x % y, which has the sign of x.
func remainderRange(x, y valueRange) valueRange {
	most := int64(math.MaxInt64)
	if y.bounded && y.lo > math.MinInt64 {
		most = max(y.hi, -y.lo, 1) - 1
	}
	switch {
	case !x.bounded && !y.bounded:
		return unknown
	case !x.bounded: // a u64
		return between(0, most)
	case x.lo >= 0:
		return between(0, min(x.hi, most))
	}
	return between(max(x.lo, -most), min(max(x.hi, 0), most))
}

func shiftRange(op Op, k Kind, x, y valueRange) valueRange {
	constant := y.bounded && y.lo == y.hi
	count := uint(y.lo) % uint(8*k.Size())
	switch {
	case op == OpShl && constant && x.bounded && x.lo<<count>>count == x.lo && x.hi<<count>>count == x.hi:
		return between(x.lo<<count, x.hi<<count)
	case op == OpShl:
		return unknown
	case constant && x.bounded:
		return between(x.lo>>count, x.hi>>count)
	case constant && count > 0: // a u64
		return between(0, int64(uint64(math.MaxUint64)>>count))
	case !x.bounded:
		return unknown
	}
	return between(min(x.lo, 0), max(x.hi, -1))
}
