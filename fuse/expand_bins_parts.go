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
// local memory has room for, be they counts alone or sums.
func (e *expansion) isManyBins(v *ir.Value) bool {
	if v.Op != ir.OpBins || !e.parts || !e.samples || e.bins < 1 {
		return false
	}
	size := v.Args[1]
	if size.Op != ir.OpConst {
		return false
	}
	least, most := e.bins<<1, e.bins<<(morePerWindow+partitionBits)
	users := slices.DeleteFunc(slices.Clone(e.from.Values), func(user *ir.Value) bool { return !e.isOfPartitioned(user, v) })
	if !slices.ContainsFunc(users, func(user *ir.Value) bool { return user.Op != ir.OpCount }) {
		least = e.bins << 3
	}
	n := size.Const.Int64()
	return n > least && n <= most && len(users) > 0
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
	size := v.Args[1].Const.Int64()
	low := max(o.windowBits(), bits.Len64(uint64(size-1))-partitionBits)
	// A bin outside has been reported. Its row moves to some place.
	inside := func(bin *ir.Value) *ir.Value {
		most := o.constant(ir.Scalar{Kind: ir.U64, Bits: uint64(size - 1)})
		return o.apply(ir.OpLeast, o.cast(ir.U64, o.cast(ir.I64, bin)), most)
	}
	checked := *v // where rows are counted, which is before they move
	checked.Name, checked.Args, checked.Type.Domain, checked.Type.Target = "", e.columns(v.Args), o.rows, e.domain(v.Type.Target)
	counted := o.add(v.Pos, checked)
	e.alsoChecked[v] = counted
	keys := []sortKey{{column: o.cast(ir.U32, inside(index)), width: bits.Len64(uint64(size - 1))}}
	made := &binnedRows{partition: o.partition(keys, o.binDigit(inside(counted), low), o.binDigit(inside(index), low))}
	moved := o.cast(ir.I64, made.movedKeys[0].column)
	made.bins = o.add(v.Pos, ir.Value{Op: ir.OpBins, Args: []*ir.Value{moved, checked.Args[1]}, Split: low,
		Type: ir.Type{Kind: ir.I64, Domain: made.on.rows, Target: checked.Type.Target}})
	s := o.sampleRows(o.sortKeysOf([]*ir.Value{index}))
	made.isSpread = s.found(o.apply(ir.OpGt, s.distinct, o.number(o.leastSpread(size))))
	e.binnedRows[v] = made
	return made
}

// leastSpread returns more than how many different bins a sample has if a partition is worth it. An atomic operation
// on memory outside of the second-level cache takes several times as long as one on that.
func (o *ordering) leastSpread(size int64) int64 {
	if size > o.bins<<partitionBits {
		return o.sample / 6
	}
	return min(o.sample*3/8, size/2)
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
