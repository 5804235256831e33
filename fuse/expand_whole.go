package fuse

import "github.com/kgen-go/kgen/ir"

// Few rows are sorted by one work-group, all digits in one kernel, which costs less than the launches
// that count digits and move rows by each. How many rows that is the plan knows of the kernel.

// sortFew sorts rows by keys as sort does, for their numbers, and by one work-group if they are few. It has
// another way only for keys of one word.
func (o *ordering) sortFew(keys []sortKey, beside func() *ir.Value) *ir.Value {
	words := o.words(keys)
	if !o.short || len(words) > 1 {
		return o.sort(keys, beside(), false).number
	}
	w, number := words[0], beside()
	place := o.add(o.pos, ir.Value{Op: ir.OpRank, Args: []*ir.Value{w.value}, Split: w.bits, Type: ir.Type{Kind: ir.I64, Domain: o.rows, Target: o.rows}})
	few := o.arrive(destination{o.out, o.limit, true, false}, arrival{carried{key: w.value, beside: number}, place}).number
	spare := o.apply(ir.OpSub, o.room(), o.apply(ir.OpSub, o.length(keys[0].column), o.number(1)))
	many := o.sort(keys, beside(), false).number
	return o.either(spare, few, many, many.Type)
}

// room returns how many rows a work-group sorts by itself.
func (o *ordering) room() *ir.Value {
	return o.add(o.pos, ir.Value{Op: ir.OpRoom, Type: ir.Type{Kind: ir.I64}})
}
