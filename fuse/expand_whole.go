package fuse

import "github.com/kgen-go/kgen/ir"

// Few rows are sorted in one launch, in which each counts those before it. That costs less than the launches
// that count digits and move rows by each. How many rows that is the plan knows of the kernel.
// A core sorts few rows by insertion, word by word: digits have more counters than there are rows.

// sortsFew reports whether one launch sorts few rows by some keys: those of one word.
func (o *ordering) sortsFew(keys []sortKey) bool {
	bits := 0
	for _, key := range keys {
		bits += key.width
	}
	return o.short && bits <= maxWord
}

// sortFew sorts rows by keys as sort does, for their numbers, and in another way if they are few.
func (o *ordering) sortFew(keys []sortKey, beside func() *ir.Value) *ir.Value {
	return o.fewOr(keys, beside, func() *ir.Value { return o.sort(keys, beside(), false).number })
}

// fewOr is sortFew with a way to sort many rows.
func (o *ordering) fewOr(keys []sortKey, beside, sortMany func() *ir.Value) *ir.Value {
	if o.fewRows == 0 && !o.sortsFew(keys) {
		return sortMany()
	}
	few := o.few(o.words(keys), beside())
	many := sortMany()
	return o.either(o.isFew(keys[0].column), few, many, many.Type)
}

// few returns the numbers of few rows, which are beside, in the order of words.
func (o *ordering) few(words []word, beside *ir.Value) *ir.Value {
	number := beside
	for i, w := range words {
		key, end := w.value, destination{out: o.rows}
		if i > 0 {
			key = o.gather(o.pos, key, o.rowOf(number))
		}
		if i+1 == len(words) {
			end = destination{out: o.out, limit: o.limit, isLast: true}
		}
		place := o.add(o.pos, ir.Value{Op: ir.OpRank, Args: []*ir.Value{key}, Split: max(w.bits, 1), Type: ir.Type{Kind: ir.I64, Domain: o.rows, Target: o.rows}})
		number = o.arrive(end, arrival{carried{key: key, beside: number}, place}).number
	}
	return number
}

// isFew returns a scalar above 0 if the rows of x are few: where no launch can sort them, not even no rows.
func (o *ordering) isFew(x *ir.Value) *ir.Value {
	room := ir.Value{Op: ir.OpRoom, Type: ir.Type{Kind: ir.I64}}
	if o.fewRows > 0 {
		room.Const = ir.Int(ir.I64, o.fewRows+1)
	}
	return o.apply(ir.OpSub, o.add(o.pos, room), o.length(x))
}
