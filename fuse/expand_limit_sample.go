package fuse

import "github.com/kgen-go/kgen/ir"

// The last candidate of an order with a limit is a row of a sample. Where one launch sorts few rows, the
// sample is large, as is then told more exactly which rows are candidates, and only some of its rows are sorted: the
// least of each of many groups. That is hardly ever another row, as rows that come first are few beside groups, and
// neighbours, as of sorted rows, are of different ones.

// There is a group for so many rows of other samples, as a power of 2. Its least row is found in two steps, which compare so many
// rows at a time.
const (
	sampledByGroup = 4
	comparedBits   = 3
	comparedAtOnce = 1 << comparedBits
)

// groupsByPlace is how many groups there are at least for each row of the sample that comes first.
const groupsByPlace = 8

// lastCandidate returns what writes the keys of the row that is to be the last candidate, and its number, by a sample: a row
// of each stretch of so many. Kernels that need them write their own, as the plan would wait for those of another.
func (o *ordering) lastCandidate(keys []sortKey, row, rows, limit, isFew *ir.Value) func() (last []*ir.Value, number *ir.Value) {
	if o.sortsFew(keys) {
		ofGroups := o.lastOfGroups(keys, row, rows, limit)
		return func() (last []*ir.Value, number *ir.Value) {
			number = o.choose(isFew, ofGroups(), o.number(-1)) // where there is no sample, no row, which may not have been written
			number.Type.Target = o.rows
			for _, key := range o.keysAt(keys, number) {
				last = append(last, key.column)
			}
			return last, number
		}
	}
	size := o.number(o.sample)
	sample := o.sampleOfSize(row, o.choose(isFew, size, o.number(0)))
	of := &ordering{expansion: o.expansion, pos: o.pos, rows: sample}
	at := o.stretches(o.index(row, sample), rows, size)
	sampled := o.keysAt(keys, at)
	// Twice as many as the limit is of the rows, and some.
	share := o.apply(ir.OpDiv, o.apply(ir.OpMul, limit, o.number(2*o.sample)), o.apply(ir.OpGreatest, rows, o.number(1)))
	place := o.apply(ir.OpLeast, o.apply(ir.OpAdd, share, o.number(max(o.sample>>13, 8))), o.number(o.sample-1))
	chosen := o.gather(o.pos, of.roughly(sampled), o.apply(ir.OpGreatest, place, o.number(0)))
	return func() (last []*ir.Value, number *ir.Value) {
		for _, key := range sampled {
			last = append(last, o.gather(o.pos, key.column, chosen))
		}
		return last, o.gather(o.pos, at, chosen)
	}
}

// lastOfGroups returns what writes the number of the row that is to be the last candidate, by the least rows of groups. The groups have as many
// rows as the limit allows, whose number the plan need not know.
func (o *ordering) lastOfGroups(keys []sortKey, row, rows, limit *ir.Value) func() *ir.Value {
	groups := max(o.sample>>sampledByGroup, groupsByPlace)
	more := o.apply(ir.OpGreatest, o.apply(ir.OpSub, rows, o.number(o.sample<<sampledBits-1)), o.number(0))
	isSampled := o.apply(ir.OpLeast, more, o.number(1)) // whatever the limit: the plan does not wait for sizes that follow from the number of rows
	size := o.apply(ir.OpDiv, rows, o.apply(ir.OpGreatest, o.apply(ir.OpMul, limit, o.number(groupsByPlace)), o.number(1)))
	size = o.apply(ir.OpGreatest, o.apply(ir.OpLeast, size, o.number(comparedAtOnce*comparedAtOnce)), o.number(1))
	sampled := o.apply(ir.OpMul, size, o.number(groups))

	parts := o.sampleOfSize(row, o.apply(ir.OpMul, isSampled, o.number(groups*comparedAtOnce)))
	part := o.index(row, parts)
	group := o.apply(ir.OpRem, part, o.number(groups))
	first := o.apply(ir.OpShl, o.apply(ir.OpDiv, part, o.number(groups)), o.number(comparedBits))
	ofPart := o.leastOf(func(i int64) (*ir.Value, *ir.Value) {
		inGroup := o.apply(ir.OpLeast, o.apply(ir.OpAdd, first, o.number(i)), o.apply(ir.OpSub, size, o.number(1)))
		at := o.stretches(o.apply(ir.OpAdd, o.apply(ir.OpMul, inGroup, o.number(groups)), group), rows, sampled)
		return o.words(o.keysAt(keys, at))[0].value, at
	})

	least := &ordering{expansion: o.expansion, pos: o.pos, rows: o.sampleOfSize(row, o.apply(ir.OpMul, isSampled, o.number(groups)))}
	group = o.index(row, least.rows)
	ofGroup := o.leastOf(func(i int64) (*ir.Value, *ir.Value) {
		at := o.apply(ir.OpAdd, group, o.number(i*groups))
		at.Type.Target = parts
		return o.gather(o.pos, ofPart.word, at), o.gather(o.pos, ofPart.number, at)
	})
	least.out = o.newDomain(ir.DomainOrder, least.rows.Name+"_sorted", least.rows)
	ofGroup.word = o.gather(o.pos, ofGroup.word, group) // which is stored then: all rows are compared with it
	order := least.few([]word{{ofGroup.word, o.words(keys)[0].bits}}, o.cast(ir.U32, group))
	least.out.By = order
	return func() *ir.Value {
		place := o.apply(ir.OpLeast, o.placeFor(limit, rows, sampled), o.number(groups-1))
		return o.gather(o.pos, ofGroup.number, o.gather(o.pos, order, place))
	}
}

// sampledRow is a row of a sample: the word of its keys, and its number.
type sampledRow struct{ word, number *ir.Value }

// leastOf returns the least of some rows, the first one of these that are equal.
func (o *ordering) leastOf(row func(i int64) (word, number *ir.Value)) (least sampledRow) {
	least.word, least.number = row(0)
	for i := int64(1); i < comparedAtOnce; i++ {
		word, number := row(i)
		isLess := o.apply(ir.OpLt, word, least.word)
		target := number.Type.Target
		least.word, least.number = o.choose(isLess, word, least.word), o.choose(isLess, number, least.number)
		least.number.Type.Target = target
	}
	return least
}

// placeFor returns a place in a sample, of so many of the rows, up to which as many rows as limit are likely to come. Of a
// share of s rows of the sample, more than s + 5 * sqrt(s) come in one case of a million; the root is below each of its tangents.
func (o *ordering) placeFor(limit, rows, size *ir.Value) *ir.Value {
	const fraction = 4 // bits
	shared := o.apply(ir.OpMul, limit, o.apply(ir.OpShl, size, o.number(fraction)))
	share := o.apply(ir.OpDiv, shared, o.apply(ir.OpGreatest, rows, o.number(1)))
	more := o.apply(ir.OpAdd, o.apply(ir.OpShr, share, o.number(2)), o.number(25<<fraction))
	for _, t := range []struct{ factor, offset int64 }{{1, 100}, {4, 32}} {
		more = o.apply(ir.OpLeast, more, o.apply(ir.OpAdd, o.apply(ir.OpMul, share, o.number(t.factor)), o.number(t.offset)))
	}
	return o.apply(ir.OpAdd, o.apply(ir.OpShr, o.apply(ir.OpAdd, share, more), o.number(fraction)), o.number(1))
}

// roughly returns the numbers of rows in the order of their keys, or of as many bits of these as
// are packed: any row may be the last candidate.
func (o *ordering) roughly(keys []sortKey) *ir.Value {
	if o.isPacked(keys) {
		word, p := o.pack(keys, keys)
		return o.numberIn(o.sortWords(word, p), p)
	}
	o.out = o.newDomain(ir.DomainOrder, o.rows.Name+"_sorted", o.rows)
	order := o.sortFew(keys, func() *ir.Value { return o.row(keys) })
	o.out.By = order
	return order
}

// stretches returns a row of a stretch of the rows, by the number of the stretch. Rows is how many there are, and size how many stretches
// there are, or would be.
func (o *ordering) stretches(index, rows, size *ir.Value) (at *ir.Value) {
	stretch := o.apply(ir.OpGreatest, o.apply(ir.OpDiv, rows, size), o.number(1))
	any := o.apply(ir.OpAnd, o.apply(ir.OpMul, index, o.number(0x9e3779b1)), o.number(1<<32-1)) // of 2^32: no period of the rows is met each time
	jump := o.apply(ir.OpShr, o.apply(ir.OpMul, any, stretch), o.number(32))
	at = o.apply(ir.OpAdd, o.apply(ir.OpMul, index, stretch), jump)
	at.Type.Target = o.rows
	return at
}
