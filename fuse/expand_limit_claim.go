package fuse

import "github.com/kgen-go/kgen/ir"

// The candidates of a small limit are so few that one launch sorts them, by key and number. So they may be found in any
// order: tiles of the pass over all rows do not wait for each other, and leave keys beside numbers.

// DefaultClaimed is for how many candidates there is room, beside devices on which one launch sorts them. If they are as many, or fewer than the limit,
// they are found once more, in order.
const DefaultClaimed = 1 << 15

// claimedByLimit is how many candidates there are, roughly, for each row of a limit that is not very small.
const claimedByLimit = 4

// claimsPlaces reports whether candidates may be found in any order: key and number are one word.
func (o *ordering) claimsPlaces(keys []sortKey) bool {
	return o.claimed > 0 && o.sortsFew(keys) && o.words(keys)[0].bits <= numberBits && isPlanned(o.limit)
}

// isPlanned reports whether the plan knows a limit before any kernel runs. Its expressions have no other scalars than those of i64.
func isPlanned(limit *ir.Value) bool {
	return limit.Op == ir.OpConst || limit.Op == ir.OpParam && limit.Type.Kind == ir.I64
}

// sortClaimed sorts candidates that are found in any order, if the plan expects few. The scalar is above 0 if they were as many as are
// wanted, and had room.
func (o *ordering) sortClaimed(keys []sortKey, rows, limit, isCandidate *ir.Value) (sorted, isEnough *ir.Value) {
	d := o.newDomain(ir.DomainMask, o.rows.Name+"_claimed", o.rows)
	d.By, d.Room = isCandidate, o.claimed
	number := o.cast(ir.U64, o.row(keys))
	high := o.apply(ir.OpShl, o.cast(ir.U64, o.words(keys)[0].value), o.constant(ir.Int(ir.U64, numberBits)))
	found := o.compact(o.apply(ir.OpOr, high, number), isCandidate, d)
	of := &ordering{expansion: o.expansion, pos: o.pos, rows: d, out: o.out, limit: o.limit, of: o.rows}
	sorted = of.few([]word{{found, maxWord}}, o.cast(ir.U32, found))

	count := o.length(found)
	isEnough = o.apply(ir.OpLogicalAnd, o.apply(ir.OpGe, count, limit), o.apply(ir.OpLt, count, o.number(o.claimed)))
	isEnough = o.choose(isEnough, o.number(1), o.number(0))
	isEnough.By = o.expectsFew(keys)
	return sorted, isEnough
}

// expectsFew returns a scalar that the plan computes: above 0 if there is a sample of many more rows than the limit, and one launch may sort the candidates.
func (o *ordering) expectsFew(keys []sortKey) *ir.Value {
	rows, limit := o.length(keys[0].column), o.cast(ir.I64, o.limit)
	beyond := func(x *ir.Value, times int64) *ir.Value {
		return o.apply(ir.OpSub, x, o.apply(ir.OpMul, limit, o.number(times)))
	}
	isSampled := o.apply(ir.OpSub, rows, o.number(o.sample<<sampledBits-1))
	room := o.add(o.pos, ir.Value{Op: ir.OpRoom, Type: ir.Type{Kind: ir.I64}})
	return o.apply(ir.OpLeast, isSampled, o.apply(ir.OpLeast, beyond(rows, 8), beyond(room, claimedByLimit)))
}
