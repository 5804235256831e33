package fuse

import "github.com/kgen-go/kgen/ir"

// How groups are best made depends on the range of their keys and on how many groups there
// are. A sample tells roughly, so that no pass over all rows is made in vain: neither one that
// finds the exact range, nor one that enters rows of too many groups in a small table.

// groupSample is what some of the rows say about the groups of keys: conditions of the ways to make
// them. Of few rows there is no sample, and then ways are tried one after the other.
type groupSample struct {
	isNarrow *ir.Value // the keys may lie in a small range, or many of them in one that bins of partitioned rows are for; nil if they never do
	isFew    *ir.Value // there are so few groups that rows need no partition
	isSome   *ir.Value // there are so few groups beside the rows of the sample that a partition is worth it
}

// groupsPerSample is up to how many times as many groups as the sample has rows are worth a
// partition. Of as many groups, one row in twice as many of a sample has the keys of another.
const groupsPerSample = 32

// sampleOf takes a sample of the rows with some keys.
func (o *ordering) sampleOf(keys []sortKey) groupSample {
	rows, least := o.length(keys[0].column), o.sample<<6
	isLong := o.apply(ir.OpSub, rows, o.number(least-1))
	isShort := o.apply(ir.OpSub, o.number(least), rows)
	_, at := o.sampled(o.index(keys[0].column, o.rows), rows, o.number(o.sample))
	keys = o.keysAt(keys, at)
	found := func(isTrue *ir.Value) *ir.Value {
		made := o.choose(isTrue, o.number(1), o.number(0))
		made.By = isLong
		return made
	}
	t := rowTable{isDirect: o.constant(ir.BoolScalar(false))}
	for _, key := range keys {
		t.keys = append(t.keys, key.column)
	}
	words := o.words(keys)
	isNarrow := len(words) == 1 && words[0].bits <= codeBits
	var s groupSample
	var size *ir.Value
	size, t.shift = o.fewSlots(o.cast(ir.U64, o.number(o.sample)))
	o.insert(&t, o.slotOfWords(t, words), size, nil)
	distinct := o.add(o.pos, ir.Value{Op: ir.OpSum, Args: []*ir.Value{o.cast(ir.I64, o.isTaken(t.rows))}, Type: ir.Type{Kind: ir.I64}})
	few := o.hashGroups
	if !o.short {
		few = min(few, max(o.sample/2, 1)) // of more, the sample may not have met half
	}
	s.isFew = o.apply(ir.OpGreatest, isShort, found(o.apply(ir.OpLe, distinct, o.number(few))))
	if len(words) == 1 {
		least := o.extreme(ir.OpMin, words[0].value)
		span := o.apply(ir.OpSub, o.extreme(ir.OpMax, words[0].value), least)
		isNarrow := o.apply(ir.OpLt, span, o.integer(span, uint64(o.bins)))
		if low := o.windowBits(); o.parts && words[0].bits > low {
			isDense := o.apply(ir.OpLogicalAnd, o.apply(ir.OpLt, span, o.integer(span, 1<<(low+partitionBits))), o.apply(ir.OpGt, distinct, o.number(few)))
			isNarrow = o.apply(ir.OpLogicalOr, isNarrow, isDense)
		}
		s.isNarrow = o.apply(ir.OpGreatest, isShort, found(isNarrow))
	}
	s.isSome = found(o.apply(ir.OpLe, distinct, o.mostDistinct(rows, isNarrow)))
	return s
}

// mostDistinct returns how many different keys a sample has at most if a partition is worth it. Of n
// rows of m groups, m far above n, n * n / (2 * m) have the keys of another one.
func (o *ordering) mostDistinct(rows *ir.Value, isNarrow bool) *ir.Value {
	if o.short {
		return o.number(o.sample - o.sample/(2*groupsPerSample))
	}
	most := o.mostGroups(rows, isNarrow, o.roomForSome())
	equal := o.apply(ir.OpDiv, o.number(o.sample*o.sample/4), most) // half as many might be chance
	return o.apply(ir.OpSub, o.number(o.sample), equal)
}
