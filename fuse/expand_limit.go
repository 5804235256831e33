package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// An order with a limit far below the number of rows sorts few of them. A sample of the
// rows, sorted, tells a key that more rows than the limit are likely not to exceed.
// These rows, the candidates, are selected in one pass. If they are fewer than the
// limit after all, every row is a candidate. Rows with equal keys are told apart by
// their numbers, so that a key of many rows has no more candidates than others.

// DefaultSample is how many rows are sorted to choose candidates. With fewer than 64
// times as many rows, or a limit of an eighth of them or more, all are candidates.
const DefaultSample = 1 << 16

// least sorts those rows by keys that come first, so many as o.limit says.
func (o *ordering) least(keys []sortKey) *ir.Value {
	row := o.index(keys[0].column, o.rows)
	rows := o.add(o.pos, ir.Value{Op: ir.OpLen, Args: []*ir.Value{keys[0].column}, Type: ir.Type{Kind: ir.I64}})
	limit := o.limit
	if limit.Type.Kind == ir.U64 {
		limit = o.apply(ir.OpLeast, limit, o.integer(limit, 1<<62))
	}
	limit = o.apply(ir.OpGreatest, o.apply(ir.OpLeast, o.cast(ir.I64, limit), rows), o.number(0))
	isFew := o.apply(ir.OpLogicalAnd, o.apply(ir.OpGe, rows, o.number(o.sample<<6)), o.apply(ir.OpLt, limit, o.apply(ir.OpShr, rows, o.number(3))))

	// A pass over all rows costs less if it leaves nothing but numbers.
	last := o.lastCandidate(keys, row, rows, limit, isFew)
	isCandidate := o.apply(ir.OpLogicalOr, o.notAfter(keys, row, last), o.apply(ir.OpNot, isFew))
	few, all := o.selected("_candidates", isCandidate), o.selected("_all", o.apply(ir.OpGe, row, o.number(0)))
	candidate, other := few(o.row(keys)), all(o.row(keys)) // not the same value, which would be stored for all rows
	count := o.add(o.pos, ir.Value{Op: ir.OpLen, Args: []*ir.Value{candidate}, Type: ir.Type{Kind: ir.I64}})
	isEnough := o.choose(o.apply(ir.OpGe, count, limit), o.number(1), o.number(0))

	candidates := o.newDomain(ir.DomainEither, o.rows.Name+"_least", o.rows)
	numbers := o.either(isEnough, candidate, other, ir.Type{Kind: candidate.Type.Kind, Domain: candidates, Target: o.rows})
	of := &ordering{expansion: o.expansion, pos: o.pos, rows: candidates, out: o.out, limit: o.limit, of: o.rows}
	found := o.keysAt(keys, o.rowOf(numbers))
	if of.isPacked(found) {
		of.numbers = numbers
		return of.sortPacked(found, keys)
	}
	sorted := of.sortNumbered(found, numbers)
	if !o.claimsPlaces(keys) {
		return sorted
	}
	claimed, isTaken := o.sortClaimed(keys, rows, limit, o.notAfter(keys, row, last))
	return o.either(isTaken, claimed, sorted, sorted.Type)
}

// sortNumbered sorts rows that have numbers of their own.
func (o *ordering) sortNumbered(keys []sortKey, numbers *ir.Value) *ir.Value {
	if len(o.words(keys)) == 1 {
		return o.sortFew(keys, func() *ir.Value { return numbers })
	}
	o.numbers = numbers
	return o.sortFew(keys, func() *ir.Value { return o.row(keys) })
}

// notAfter reports of each row whether it comes no later than the last candidate.
func (o *ordering) notAfter(keys []sortKey, row *ir.Value, candidate func() (keys []*ir.Value, number *ir.Value)) *ir.Value {
	last, number := candidate()
	isCandidate := o.apply(ir.OpLe, row, number)
	for i, key := range slices.Backward(keys) { // words of keys would cost more than to compare the keys
		isBefore, isEqual := o.compare(key, last[i])
		isCandidate = o.apply(ir.OpLogicalOr, isBefore, o.apply(ir.OpLogicalAnd, isEqual, isCandidate))
	}
	return o.apply(ir.OpLogicalAnd, o.apply(ir.OpNot, o.isAfter(keys[0], last[0])), isCandidate) // of most rows this one comparison
}

// isAfter reports of each row whether its key comes after another one, where neither is NaN.
func (o *ordering) isAfter(key sortKey, other *ir.Value) *ir.Value {
	x := o.comparable(key.column)
	other = o.comparable(other)
	if key.isDesc {
		return o.apply(ir.OpLt, x, other)
	}
	return o.apply(ir.OpGt, x, other)
}

// comparable returns a key as what operators compare.
func (o *ordering) comparable(x *ir.Value) *ir.Value {
	if x.Type.Kind == ir.Bool {
		return o.cast(ir.U32, x)
	}
	return x
}

// compare reports of each row whether its key comes before another one, and whether they are equal.
func (o *ordering) compare(key sortKey, other *ir.Value) (isBefore, isEqual *ir.Value) {
	x, before := o.comparable(key.column), ir.OpLt
	other = o.comparable(other)
	if key.isDesc {
		before = ir.OpGt
	}
	isBefore, isEqual = o.apply(before, x, other), o.apply(ir.OpEq, x, other)
	if !x.Type.Kind.IsFloat() {
		return isBefore, isEqual
	}
	isNaN, otherNaN := o.apply(ir.OpNe, x, x), o.apply(ir.OpNe, other, other)
	first, second := isNaN, otherNaN // NaN comes first if the key descends, else last
	if !key.isDesc {
		first, second = otherNaN, isNaN
	}
	isBefore = o.apply(ir.OpLogicalOr, isBefore, o.apply(ir.OpLogicalAnd, first, o.apply(ir.OpNot, second)))
	return isBefore, o.apply(ir.OpLogicalOr, isEqual, o.apply(ir.OpLogicalAnd, isNaN, otherNaN))
}

// sampleOfSize returns a domain of so many rows. Row is the number of each of the rows it is of.
func (o *ordering) sampleOfSize(row, size *ir.Value) *ir.Domain {
	sample := o.newDomain(ir.DomainBins, o.rows.Name+"_sample", nil)
	sample.By = o.add(o.pos, ir.Value{Op: ir.OpBins, Args: []*ir.Value{row, size}, Type: ir.Type{Kind: ir.I64, Domain: o.rows, Target: sample}})
	return sample
}

// selected returns a function that selects rows of columns.
func (o *ordering) selected(name string, isKept *ir.Value) func(x *ir.Value) *ir.Value {
	d := o.newDomain(ir.DomainMask, o.rows.Name+name, o.rows)
	d.By = isKept
	made := map[*ir.Value]*ir.Value{}
	return func(x *ir.Value) *ir.Value {
		if made[x] == nil {
			made[x] = o.compact(x, isKept, d)
		}
		return made[x]
	}
}
