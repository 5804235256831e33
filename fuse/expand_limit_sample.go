package fuse

import "github.com/kgen-go/kgen/ir"

// The last candidate of an order with a limit is a row of a sample. Where a work-group sorts few rows by itself, the
// sample is large, as is then told more exactly which rows are candidates, and only those of its rows are sorted that come first.
// These a sample of the sample tells.

// Samples of which only the first rows are sorted have one of so many rows, as a power of 2, and up to so many
// times as many rows as others. Of these, as many are sorted as others have, divided by a power of 2.
const (
	rowsPerSampled = 10
	largeSample    = 2
	sampleOfSample = 5
)

// lastCandidate returns the keys of the row that is to be the last candidate, and its number, by a sample: a row
// of each stretch of so many.
func (o *ordering) lastCandidate(keys []sortKey, row, rows, limit, isFew *ir.Value) (last []*ir.Value, number *ir.Value) {
	size := o.number(o.sample)
	if o.sortsFew(keys) { // whatever the limit: the plan does not wait for sizes that follow from the number of rows
		size = o.apply(ir.OpGreatest, o.apply(ir.OpShr, rows, o.number(rowsPerSampled)), size)
		size = o.apply(ir.OpLeast, size, o.number(o.sample<<largeSample))
		more := o.apply(ir.OpGreatest, o.apply(ir.OpSub, rows, o.number(o.sample<<sampledBits-1)), o.number(0))
		isSampled := o.apply(ir.OpLeast, more, o.number(1))
		sample := o.sampleOfSize(row, o.apply(ir.OpMul, size, isSampled))
		of := &ordering{expansion: o.expansion, pos: o.pos, rows: sample}
		some := of.sampleOfSize(o.index(row, sample), o.apply(ir.OpMul, o.number(of.fewOfSample()), isSampled))
		at := o.stretches(sample, row, rows, size)
		sampled, place := o.keysAt(keys, at), o.placeFor(limit, rows, size)
		order := of.roughlyLeast(sampled, some, place)
		return o.chosen(sampled, at, order, o.within(place, order))
	}
	sample := o.sampleOfSize(row, o.choose(isFew, size, o.number(0)))
	of := &ordering{expansion: o.expansion, pos: o.pos, rows: sample}
	at := o.stretches(sample, row, rows, size)
	sampled := o.keysAt(keys, at)
	// Twice as many as the limit is of the rows, and some.
	share := o.apply(ir.OpDiv, o.apply(ir.OpMul, limit, o.number(2*o.sample)), o.apply(ir.OpGreatest, rows, o.number(1)))
	place := o.apply(ir.OpLeast, o.apply(ir.OpAdd, share, o.number(max(o.sample>>13, 8))), o.number(o.sample-1))
	return o.chosen(sampled, at, of.roughly(sampled), o.apply(ir.OpGreatest, place, o.number(0)))
}

// chosen returns the keys and the number of the row at a place of an order of sampled rows.
func (o *ordering) chosen(sampled []sortKey, at, order, place *ir.Value) (last []*ir.Value, number *ir.Value) {
	chosen := o.gather(o.pos, order, place)
	for _, key := range sampled {
		last = append(last, o.gather(o.pos, key.column, chosen))
	}
	return last, o.gather(o.pos, at, chosen)
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

// within returns a place, or the last one of rows if it lies behind them; -1 if there are none.
func (o *ordering) within(place, rows *ir.Value) *ir.Value {
	return o.apply(ir.OpLeast, place, o.apply(ir.OpSub, o.length(rows), o.number(1)))
}

// fewOfSample is how many rows of a large sample are sorted.
func (o *ordering) fewOfSample() int64 { return max(o.sample>>sampleOfSample, 1) }

// roughlyLeast returns the numbers of rows in the order of their keys, of those that come first: at least up to a place, in
// all likelihood. Sample is some of the rows.
func (o *ordering) roughlyLeast(keys []sortKey, sample *ir.Domain, place *ir.Value) *ir.Value {
	row, rows, size := o.index(keys[0].column, o.rows), o.length(keys[0].column), o.number(o.fewOfSample())
	at := o.stretches(sample, row, rows, size)
	of := &ordering{expansion: o.expansion, pos: o.pos, rows: sample}
	sampled := o.keysAt(keys, at)
	order := of.roughly(sampled)
	last, number := o.chosen(sampled, at, order, o.within(o.placeFor(o.apply(ir.OpAdd, place, o.number(1)), rows, size), order))

	candidate := o.selected("_candidates", o.notAfter(keys, row, last, number))(o.row(keys))
	first := &ordering{expansion: o.expansion, pos: o.pos, rows: candidate.Type.Domain, of: o.rows}
	first.out = o.newDomain(ir.DomainOrder, first.rows.Name+"_sorted", first.rows)
	few := first.few(o.keysAt(keys, o.rowOf(candidate)), candidate)
	asTheyAre := first.arrive(destination{first.out, nil, true, false}, arrival{carried{key: candidate, beside: candidate}, first.index(candidate, first.rows)})
	order = o.either(first.isFew(candidate), few, asTheyAre.number, few.Type)
	first.out.By = order
	return order
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

// stretches returns, for each row of a sample, a row of a stretch of the rows. Row is the number of each row, rows how many there
// are, and size how many the sample has, or would have.
func (o *ordering) stretches(sample *ir.Domain, row, rows, size *ir.Value) (at *ir.Value) {
	index := o.index(row, sample)
	stretch := o.apply(ir.OpGreatest, o.apply(ir.OpDiv, rows, size), o.number(1))
	jump := o.apply(ir.OpRem, o.apply(ir.OpMul, index, o.number(0x9e3779b1)), stretch) // no period of the rows is met each time
	at = o.apply(ir.OpAdd, o.apply(ir.OpMul, index, stretch), jump)
	at.Type.Target = o.rows
	return at
}
