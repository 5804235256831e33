package fuse

import "github.com/kgen-go/kgen/ir"

// Few rows are sorted in one launch, in which each counts those before it. That costs less than the launches
// that count digits and move rows by each. How many rows that is the plan knows of the kernel.

// sortsFew reports whether one launch sorts few rows by some keys: those of one word.
func (o *ordering) sortsFew(keys []sortKey) bool {
	bits := 0
	for _, key := range keys {
		bits += key.width
	}
	return o.short && bits <= maxWord
}

// sortFew sorts rows by keys as sort does, for their numbers, and in one launch if they are few.
func (o *ordering) sortFew(keys []sortKey, beside func() *ir.Value) *ir.Value {
	if !o.sortsFew(keys) {
		return o.sort(keys, beside(), false).number
	}
	few := o.few(o.words(keys)[0], beside())
	many := o.sort(keys, beside(), false).number
	return o.either(o.isFew(keys[0].column), few, many, many.Type)
}

// few returns the numbers of few rows, which are beside, in the order of a word.
func (o *ordering) few(w word, beside *ir.Value) *ir.Value {
	place := o.add(o.pos, ir.Value{Op: ir.OpRank, Args: []*ir.Value{w.value}, Split: max(w.bits, 1), Type: ir.Type{Kind: ir.I64, Domain: o.rows, Target: o.rows}})
	return o.arrive(destination{o.out, o.limit, true, false}, arrival{carried{key: w.value, beside: beside}, place}).number
}

// isFew returns a scalar above 0 if one launch sorts the rows of x: where none can, not even no rows.
func (o *ordering) isFew(x *ir.Value) *ir.Value {
	room := o.add(o.pos, ir.Value{Op: ir.OpRoom, Type: ir.Type{Kind: ir.I64}})
	return o.apply(ir.OpSub, room, o.length(x))
}
