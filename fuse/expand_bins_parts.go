package fuse

import (
	"math/bits"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Rows of many bins combine in global memory, where each takes an atomic operation on a line of its
// own. So work-groups partition them first, as they do rows of groups whose keys are dense: by the high
// bits of their bins, after which local memory has a window of the bins. A sample tells whether
// that is worth it: rows of few bins, or that have few of all, combine in a cache as they are.

// Windows of partitioned rows have up to 1 << morePerWindow times as many bins as local memory has of sums
// and counts. Then so many work-groups have slices of them, which costs less than another pass over the rows.
const morePerWindow = 3

// binnedRows are the rows of bins(...) after a partition.
type binnedRows struct {
	*partition
	bins     *ir.Value // of the rows that have moved
	isSpread *ir.Value // a scalar: 0 if the rows are not worth to be moved
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
	if v.Op != ir.OpBins || !e.parts || !e.samples || e.bins < 1 {
		return false
	}
	ofRows := func(user *ir.Value) bool { return e.isOfPartitioned(user, v) }
	if !slices.ContainsFunc(e.from.Values, ofRows) {
		return false
	}
	size := v.Args[1]
	if size.Op != ir.OpConst {
		return size.Type.Domain != nil || size.Type.Kind == ir.I64 // which the plan reads
	}
	least := e.bins << 3
	if slices.ContainsFunc(e.from.Values, func(user *ir.Value) bool { return ofRows(user) && user.Op != ir.OpCount }) {
		least = e.bins << 1
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

// partitionBins returns the rows of bins v after a partition.
func (e *expansion) partitionBins(v *ir.Value) *binnedRows {
	if made := e.binnedRows[v]; made != nil {
		return made
	}
	index := e.column(v.Args[0])
	o := &ordering{expansion: e, pos: v.Pos, rows: index.Type.Domain}
	size := o.binsOf(v)
	checked := *v // where rows are counted, which is before they move
	checked.Name, checked.Args = "", e.columns(v.Args)
	checked.Type.Domain, checked.Type.Target = o.rows, e.domain(v.Type.Target)
	counted := o.add(v.Pos, checked)
	e.alsoChecked[v] = counted
	bin := func(x *ir.Value) *ir.Value { return o.cast(ir.U32, x) } // any of a row outside, which the check reports
	keys := []sortKey{{column: bin(index), width: codeBits}}
	made := &binnedRows{partition: o.partition(keys, o.binDigit(bin(counted), size.low), o.binDigit(bin(index), size.low))}
	moved := o.cast(ir.I64, made.movedKeys[0].column)
	made.bins = o.add(v.Pos, ir.Value{Op: ir.OpBins, Args: []*ir.Value{moved, checked.Args[1]}, Split: size.low,
		Type: ir.Type{Kind: ir.I64, Domain: made.on.rows, Target: checked.Type.Target}})
	s := o.sampleRows(o.sortKeysOf([]*ir.Value{index}))
	if size.isTried != nil {
		s.isLong = o.apply(ir.OpLeast, s.isLong, size.isTried)
	}
	made.isSpread = s.found(o.apply(ir.OpGt, s.distinct, o.number(size.leastSpread)))
	e.binnedRows[v] = made
	return made
}

// binsSize is how many bins there are.
type binsSize struct {
	low         int       // bits of a bin in its window
	leastSpread int64     // a sample has more different bins if a partition is worth it
	isTried     *ir.Value // a scalar that is above 0 if there are so many; nil if it is known
}

// binsOf returns how many bins v has.
func (o *ordering) binsOf(v *ir.Value) (s binsSize) {
	number := v.Args[1]
	s.low = o.windowBits()
	if number.Op == ir.OpConst {
		n := number.Const.Int64()
		s.low = max(s.low, bits.Len64(uint64(n-1))-partitionBits)
		s.leastSpread = min(o.sample*3/8, n/2)
		if n > o.bins<<partitionBits { // tables leave the second-level cache, which costs atomic operations more than it costs the partition
			s.leastSpread = o.sample / 6
		}
		return s
	}
	size := o.column(number)
	if number.Type.Domain != nil {
		size = o.length(size)
	}
	least, most := o.bins<<2, o.bins<<partitionBits
	some := o.apply(ir.OpGreatest, size, o.number(0)) // of which the plan subtracts without an overflow
	s.isTried = o.apply(ir.OpLeast, o.apply(ir.OpSub, some, o.number(least)), o.apply(ir.OpSub, o.number(most+1), some))
	s.leastSpread = o.sample * 3 / 8
	return s
}

// aggregateBins writes an aggregate by bins in two ways.
func (e *expansion) aggregateBins(v *ir.Value) {
	rows := e.partitionBins(v.By)
	e.copy(v)
	direct := e.values[v]
	name := direct.Name
	direct.Name = ""
	args := e.columns(v.Args)
	for i, x := range args {
		args[i] = rows.move(x)
	}
	o := ordering{expansion: e, pos: v.Pos}
	made := e.either(rows.isSpread, o.aggregateBy(v, rows.bins, args), direct, direct.Type)
	made.Name = name
	e.values[v] = made
}
