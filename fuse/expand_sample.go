package fuse

import (
	"math/bits"

	"github.com/kgen-go/kgen/ir"
)

// How groups are best made depends on the range of their keys and on how many groups there
// are. A sample tells roughly, so that no pass over all rows is made in vain: neither one that
// finds the exact range, nor one that enters rows of too many groups in a small table.

// groupSample is what some of the rows say about the groups of keys: conditions of the ways to make
// them. Of few rows there is no sample, and then ways are tried one after the other.
type groupSample struct {
	isNarrow *ir.Value  // the keys may lie in a small range, or many of them in one that bins of partitioned rows are for; nil if they never do
	isFew    *ir.Value  // there are so few groups that rows need no partition
	few      *ir.Value  // a scalar: how many groups the sample has where it says so, else 0
	isSome   *ir.Value  // there are so few groups beside the rows of the sample that a partition is worth it; in local memory, about how many then
	isSpread *ir.Value  // the keys lie anywhere among all of 32 bits, and rows are many; nil if that makes no difference
	parts    *partRange // of ranges of the keys; nil if there never are any
}

// groupsPerSample is up to how many times as many groups as the sample has rows are worth a
// partition. Of as many groups, one row in twice as many of a sample has the keys of another.
// It is no power of two: chance would decide how rows of so many groups are handled.
const groupsPerSample = 24

// sparedBits say of how many groups at most work-groups do without the range of the keys, to find which takes a pass over these: the rows of the sample
// >> sparedBits, 512. On an H200 sums and counts of 2^28 rows by 16, 256 and 1,024 of a small range take 0.62, 0.64 and 0.66 ms by a hash, and 0.73, 0.75 and 0.75 by
// bins, of which 0.13 is the pass; by 2,048 0.82 and 0.77. Four aggregates, and two of which one is of f64, lose 7 and 5 % by 1,024.
const sparedBits = 7

// sampledBits say of how many rows there is a sample: 1 << sampledBits times as many as it has.
const sampledBits = 6

// sampleOf takes a sample of the rows with some keys.
func (o *ordering) sampleOf(keys []sortKey) groupSample {
	t := o.sampleRows(keys, o.sample)
	var s groupSample
	few := o.hashGroups
	if !o.short {
		few = min(few, max(o.sample/2, 1)) // of more, the sample may not have met half
	}
	s.few = o.choose(o.apply(ir.OpLe, t.distinct, o.number(few)), t.distinct, o.number(0))
	s.few.By = t.isLong
	s.isFew = o.apply(ir.OpGreatest, t.isShort, s.few)
	if words := t.words; len(words) == 1 {
		least := o.extreme(ir.OpMin, words[0].value)
		span := o.apply(ir.OpSub, o.extreme(ir.OpMax, words[0].value), least)
		isNarrow := o.apply(ir.OpLt, span, o.integer(span, uint64(o.bins)))
		if low := o.windowBits(); o.parts && words[0].bits > low {
			isDense := o.apply(ir.OpLogicalAnd, o.apply(ir.OpLt, span, o.integer(span, 1<<(low+partitionBits))), o.apply(ir.OpGt, t.distinct, o.number(few)))
			isNarrow = o.apply(ir.OpLogicalOr, isNarrow, isDense)
		}
		if o.short {
			isNarrow = o.apply(ir.OpLogicalAnd, isNarrow, o.apply(ir.OpGt, t.distinct, o.number(o.sample>>sparedBits)))
		}
		s.isNarrow = o.apply(ir.OpGreatest, t.isShort, t.found(isNarrow))
		s.parts = t.partsOfGroups(least, span)
		if o.short && words[0].bits == codeBits {
			areMany := o.apply(ir.OpGe, t.rows, o.number(o.sample*leastInParts))
			isWide := o.apply(ir.OpGe, o.cast(ir.I64, span), o.apply(ir.OpAdd, t.rows, t.rows))
			s.isSpread = t.found(o.apply(ir.OpLogicalAnd, areMany, isWide))
		}
	}
	some := o.number(1)
	if o.short { // of n rows of m groups, m far above n, n * n / (2 * m) have the keys of another one
		equal := o.apply(ir.OpGreatest, o.apply(ir.OpSub, o.number(o.sample), t.distinct), o.number(1))
		some = o.apply(ir.OpDiv, o.number(max(o.sample*o.sample/2, o.sample)), equal)
	}
	s.isSome = o.choose(o.apply(ir.OpLe, t.distinct, o.mostDistinct(t.rows, t.isNarrow)), some, o.number(0))
	s.isSome.By = t.isLong
	return s
}

// sampledRows are some of the rows with some keys.
type sampledRows struct {
	*ordering
	size     int64     // of the sample
	rows     *ir.Value // how many there are in all
	at       *ir.Value // the number of each row of the sample
	isLong   *ir.Value // a scalar above 0 if they are so many that there is a sample, and
	isShort  *ir.Value // one that is if they are not
	words    []word    // of the keys of the sample
	isNarrow bool      // the keys are one word of 32 bits at most
	distinct *ir.Value // how many different ones there are
	table    *ir.Value // of hash slots: a row of the sample with each key, if any
}

// sampleRows takes a sample of so many of the rows with some keys. It has rows from anywhere: one of each
// stretch would have all keys once, if rows of equal keys lie together in stretches as long.
func (o *ordering) sampleRows(keys []sortKey, size int64) *sampledRows {
	s := &sampledRows{ordering: o, size: size, rows: o.length(keys[0].column)}
	least := o.sample << sampledBits
	s.isLong = o.apply(ir.OpSub, s.rows, o.number(least-1))
	s.isShort = o.apply(ir.OpSub, o.number(least), s.rows)
	row := o.index(keys[0].column, o.rows)
	s.at = o.anyRow(o.index(row, o.sampleOfSize(row, o.number(size))), s.rows)
	keys = o.keysAt(keys, s.at)
	t := rowTable{isDirect: o.constant(ir.BoolScalar(false))}
	for _, key := range keys {
		t.keys = append(t.keys, key.column)
	}
	s.words = o.words(keys)
	s.isNarrow = len(s.words) == 1 && s.words[0].bits <= codeBits
	slots := int64(2) << bits.Len64(uint64(size-1))
	t.shift = o.constant(ir.Int(ir.U64, int64(65-bits.Len64(uint64(slots)))))
	o.insert(&t, o.slotOfWords(t, s.words), o.number(slots), nil)
	s.table = t.rows
	s.distinct = o.add(o.pos, ir.Value{Op: ir.OpSum, Args: []*ir.Value{o.cast(ir.I64, o.isTaken(t.rows))}, Type: ir.Type{Kind: ir.I64}})
	return s
}

// anyRow returns the number of one of some rows for each number: the high bits of its hash, modulo the rows.
func (o *ordering) anyRow(number, rows *ir.Value) *ir.Value {
	x := o.hashOf([]word{{value: o.apply(ir.OpAdd, number, o.number(1)), bits: 64}})
	x = o.apply(ir.OpShr, x, o.integer(x, 16))
	at := o.apply(ir.OpRem, o.cast(ir.I64, x), o.apply(ir.OpGreatest, rows, o.number(1)))
	at.Type.Target = o.rows
	return at
}

// nearRows returns how many rows of the sample have a neighbour, so many rows behind, of which something is true.
func (s *sampledRows) nearRows(distance int64, isTrue func(x, neighbour *ir.Value) *ir.Value, x *ir.Value) *ir.Value {
	last := s.apply(ir.OpSub, s.rows, s.number(1))
	next := s.apply(ir.OpLeast, s.apply(ir.OpAdd, s.at, s.number(distance)), last)
	next.Type.Target = s.ordering.rows
	found := isTrue(s.gather(s.pos, x, s.at), s.gather(s.pos, x, next))
	return s.add(s.pos, ir.Value{Op: ir.OpSum, Args: []*ir.Value{s.cast(ir.I64, found)}, Type: ir.Type{Kind: ir.I64}})
}

// found returns a scalar that is 1 if there is a sample of which something is true, else 0.
func (s *sampledRows) found(isTrue *ir.Value) *ir.Value {
	made := s.choose(isTrue, s.number(1), s.number(0))
	made.By = s.isLong
	return made
}

// mostDistinct returns how many different keys a sample has at most if a partition is worth it. Of n
// rows of m groups, m far above n, n * n / (2 * m) have the keys of another one.
func (o *ordering) mostDistinct(rows *ir.Value, isNarrow bool) *ir.Value {
	if o.short {
		return o.number(mostDistinctOf(o.sample))
	}
	most := o.mostGroups(rows, isNarrow, o.roomForSome())
	equal := o.apply(ir.OpDiv, o.number(o.sample*o.sample/4), most) // half as many might be chance
	return o.apply(ir.OpSub, o.number(o.sample), equal)
}

// mostDistinctOf is mostDistinct where memory for the groups of partitioned rows is no question.
func mostDistinctOf(sample int64) int64 { return sample - sample/(2*groupsPerSample) }
