package fuse

import (
	"math/bits"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Rows of many bins combine in global memory, where each takes an atomic operation on a line of its
// own. A sample tells what is better. Where rows of neighbouring bins lie together, local memory has a window
// of the bins. Where they do not, work-groups partition them first, as they do rows of groups whose keys
// are dense: by the high bits of their bins. Rows of few bins, or that have few of all, combine in a cache.

// Windows of partitioned rows have up to 1 << morePerWindow times as many bins as local memory has of sums
// and counts. Then so many work-groups have slices of them, which costs less than another pass over the rows.
// Local memory has 1 << morePerCount times as many counts alone.
const morePerWindow, morePerCount = 3, 2

// Rows that masks keep are combined as they come by up to 1 << morePerKept times as many bins as local memory
// has: to move them, they would have to be stored, and the second-level cache holds so many bins.
const morePerKept = 3

// binnedRows are the rows of bins(...), by ways to combine them.
type binnedRows struct {
	*partition
	moved    *ir.Value // the bins of the rows that have moved, and
	ordered  *ir.Value // of rows as they are, whose neighbours have bins of one window
	isSpread *ir.Value // a scalar: not 0 if the rows are worth to be moved
	isNear   *ir.Value // likewise if they are in such an order
}

// binDigit returns the bits of a bin, an unsigned integer, by which its row moves: those above the
// low ones.
func (o *ordering) binDigit(bin *ir.Value, low int) *ir.Value {
	return o.cast(ir.U32, o.apply(ir.OpShr, bin, o.integer(bin, uint64(low))))
}

// isManyBins reports whether v is bins(...) of so many that their rows may be partitioned: more than
// local memory has room for, be they counts alone or sums. How many there are may be known only
// when the plan runs.
func (e *expansion) isManyBins(v *ir.Value) bool {
	if v.Op != ir.OpBins || v.Args[0].Type.IsScalar() || !e.windows || e.bins < 1 {
		return false
	}
	ofRows := func(user *ir.Value) bool { return e.isOfPartitioned(user, v) }
	if !slices.ContainsFunc(e.from.Values, ofRows) {
		return false
	}
	size, countsAlone := v.Args[1], e.countsAlone(v)
	if size.Op != ir.OpConst {
		return (e.parts || countsAlone) && (size.Type.Domain != nil || size.Type.Kind == ir.I64) // which the plan reads
	}
	least := e.bins << 1
	switch {
	case countsAlone:
		least = e.bins << 3 // of which two work-groups have slices
	case !e.parts: // windows of sums have slices in small local memory
		least = e.bins << partitionBits
	}
	if v.Args[0].Type.Domain.Kind == ir.DomainMask {
		least = max(least, e.bins<<morePerKept)
	}
	n := size.Const.Int64()
	return n > least && n <= e.bins<<(morePerWindow+partitionBits)
}

// isOfPartitioned reports whether v is an aggregate by some bins that can be of partitioned rows. Rows
// have numbers of their own there, and whether each bin has rows only one place checks.
func (e *expansion) isOfPartitioned(v, bins *ir.Value) bool {
	isChecked := func(s ir.Site) bool { return s.Value == v }
	return v.By == bins && v.Op.IsAggregate() && !v.Op.Aggregate().GivesRow() && !slices.ContainsFunc(e.from.Sites, isChecked)
}

// partitionBins returns the rows of bins v.
func (e *expansion) partitionBins(v *ir.Value) *binnedRows {
	if made := e.binnedRows[v]; made != nil {
		return made
	}
	index := e.column(v.Args[0])
	o := &ordering{expansion: e, pos: v.Pos, rows: index.Type.Domain}
	size := o.binsOf(v)
	checked := func() ir.Value { // of rows that have not moved
		bins := *v
		bins.Name, bins.Args = "", e.columns(v.Args)
		bins.Type.Domain, bins.Type.Target = o.rows, e.domain(v.Type.Target)
		return bins
	}
	counted, ordered := o.add(v.Pos, checked()), checked()
	ordered.Split = o.windowBits()
	made := &binnedRows{ordered: o.add(v.Pos, ordered)}
	e.alsoChecked[v] = []*ir.Value{counted, made.ordered}
	bin := func(x *ir.Value) *ir.Value { return o.cast(ir.U32, x) } // any of a row outside, which the check reports
	keys := []sortKey{{column: bin(index), width: codeBits}}
	made.partition = o.partition(keys, size.digit, o.binDigit(bin(counted), size.low), o.binDigit(bin(index), size.low), o.beside(v, keys))
	made.place.AnyOrder = o.inAnyOrder(v, keys)
	moved := o.cast(ir.I64, made.movedKeys[0].column)
	made.moved = o.add(v.Pos, ir.Value{Op: ir.OpBins, Args: []*ir.Value{moved, ordered.Args[1]}, Split: size.low,
		Type: ir.Type{Kind: ir.I64, Domain: made.on.rows, Target: ordered.Type.Target}})

	s := o.sampleRows(o.sortKeysOf([]*ir.Value{index}), size.sample)
	if size.isTried != nil {
		s.isLong = o.apply(ir.OpLeast, s.isLong, size.isTried)
	}
	isMany := o.apply(ir.OpGt, s.distinct, o.number(size.leastSpread))
	near := s.nearRows(max(o.sample>>4, 1), func(x, neighbour *ir.Value) *ir.Value {
		return o.apply(ir.OpEq, o.binDigit(bin(x), ordered.Split), o.binDigit(bin(neighbour), ordered.Split))
	}, index)
	isNear := o.apply(ir.OpGt, near, o.number(size.sample*3/4))
	made.isSpread = s.found(o.apply(ir.OpLogicalAnd, isMany, o.apply(ir.OpNot, isNear)))
	made.isNear = s.found(o.apply(ir.OpLogicalAnd, isMany, isNear))
	e.binnedRows[v] = made
	return made
}

// binsSize is how many bins there are.
type binsSize struct {
	low, digit  int       // bits of a bin in its window, and by which its row moves
	sample      int64     // rows of a sample
	leastSpread int64     // it has more different bins if a partition is worth it
	isTried     *ir.Value // a scalar that is above 0 if there are so many bins; nil if it is known
}

// binsOf returns how many bins v has.
func (o *ordering) binsOf(v *ir.Value) binsSize {
	number, sample := v.Args[1], max(o.sample>>3, 16)
	s := binsSize{low: o.windowBits(), digit: partitionBits, sample: sample, leastSpread: sample * 3 / 8}
	if number.Op == ir.OpConst {
		n := number.Const.Int64()
		width := bits.Len64(uint64(n - 1))
		s.low = bitsPerWindow(s.low, width, o.countsAlone(v))
		s.digit = max(width-s.low, 1)
		s.leastSpread = min(s.leastSpread, n/2)
		return s
	}
	size := o.column(number)
	if number.Type.Domain != nil {
		size = o.length(size)
	}
	least, most := o.bins<<2, o.bins<<partitionBits
	some := o.apply(ir.OpGreatest, size, o.number(0)) // of which the plan subtracts without an overflow
	s.isTried = o.apply(ir.OpLeast, o.apply(ir.OpSub, some, o.number(least)), o.apply(ir.OpSub, o.number(most+1), some))
	return s
}

// bitsPerWindow returns how many bits of a bin of so many are of its window, where local memory has one of few. Of sums, one more bit of a
// digit costs less than slices of the largest windows: 0.1 of 0.9 ms where 2^28 rows have 2^24 bins.
func bitsPerWindow(few, width int, countsAlone bool) int {
	if countsAlone {
		return max(few+morePerCount, width-partitionBits)
	}
	return max(few, min(width-partitionBits, max(few+1, width-partitionBits-1)))
}

// countsAlone reports whether the aggregates by bins v are one count.
func (e *expansion) countsAlone(v *ir.Value) bool {
	counts := 0
	for _, user := range e.from.Values {
		if e.isOfPartitioned(user, v) {
			if counts++; user.Op != ir.OpCount {
				return false
			}
		}
	}
	return counts == 1
}

// aggregateBins writes an aggregate by bins in several ways.
func (e *expansion) aggregateBins(v *ir.Value) {
	rows := e.partitionBins(v.By)
	e.copy(v)
	made := e.values[v]
	name := made.Name
	made.Name = ""
	o := ordering{expansion: e, pos: v.Pos}
	args := e.columns(v.Args)
	moved := slices.Clone(args)
	for i, x := range args {
		moved[i] = rows.move(x)
	}
	made = e.either(rows.isNear, o.aggregateBy(v, rows.ordered, args), made, made.Type)
	made = e.either(rows.isSpread, o.aggregateBy(v, rows.moved, moved), made, made.Type)
	made.Name = name
	e.values[v] = made
}
