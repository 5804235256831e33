package fuse

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Groups whose keys lie in a small range need no sort: the rows are combined in bins,
// one for each number that the keys could be, and the groups are the bins that have
// rows. The least and the greatest key are found first, and the plan chooses.

// binned is groups by bins.
type binned struct {
	*ordering
	size   *ir.Value               // scalar: how many bins there are; 0 if the keys have a larger range
	of     *ir.Value               // the bin of each row
	kept   *ir.Value               // of each bin: whether it has rows
	keys   map[*ir.Value]*ir.Value // of each bin
	groups *ir.Domain              // the bins that have rows
	out    *ir.Domain              // the groups, whichever way they are made
}

// binned returns groups of keys by bins; nil if the keys do not follow from their bin,
// or if rows are always sorted. It is tried under a condition, in any case if that is nil.
func (o *ordering) binned(keys []sortKey, tried *ir.Value, out *ir.Domain) *binned {
	if o.bins < 1 || slices.ContainsFunc(keys, func(key sortKey) bool { return !isInvertible(key.column.Type.Kind) }) {
		return nil
	}
	words := o.words(keys)
	if len(words) > 1 {
		return nil
	}
	least, greatest := o.extreme(ir.OpMin, words[0].value), o.extreme(ir.OpMax, words[0].value)
	least.Limit, greatest.Limit = tried, tried
	span := o.apply(ir.OpSub, greatest, least)
	most := o.integer(span, uint64(o.bins)-1)
	if !o.short { // a core has no local memory to fit, but a cache, which rows of many groups leave in any case
		rows := o.apply(ir.OpLeast, o.length(words[0].value), o.number(math.MaxInt32-1))
		most = o.cast(span.Type.Kind, rows)
	}
	isNarrow := o.apply(ir.OpLe, span, most)
	size := o.apply(ir.OpAdd, o.cast(ir.I64, o.apply(ir.OpLeast, span, most)), o.number(1))
	b := &binned{ordering: o, size: o.choose(isNarrow, size, o.number(0)), out: out, keys: map[*ir.Value]*ir.Value{}}
	b.size.By = tried

	word := o.words(keys)[0].value // once more: it costs less than to store it
	bins := o.newDomain(ir.DomainBins, o.rows.Name+"_bins", nil)
	at := o.cast(ir.I64, o.apply(ir.OpSub, word, least))
	b.of = o.add(o.pos, ir.Value{Op: ir.OpBins, Args: []*ir.Value{at, b.size}, Type: ir.Type{Kind: ir.I64, Domain: o.rows, Target: bins}})
	bins.By = b.of
	count := o.add(o.pos, ir.Value{Op: ir.OpCount, By: b.of, Type: ir.Type{Kind: ir.I64, Domain: bins}})
	b.kept = o.apply(ir.OpGt, count, o.number(0))
	b.groups = o.newDomain(ir.DomainMask, o.rows.Name+"_filled", bins)
	b.groups.By = b.kept
	number := o.index(count, bins)
	b.filled(number) // says how many groups there are, also where nothing else does
	o.keysOf(o.apply(ir.OpAdd, o.cast(word.Type.Kind, number), least), keys, b.keys)
	return b
}

// condition returns how many bins there are.
func (b *binned) condition() *ir.Value { return b.size }

// target returns the groups, whichever way they are made.
func (b *binned) target() *ir.Domain { return b.out }

// aggregate writes an aggregate by the bins that have rows.
func (b *binned) aggregate(v *ir.Value) *ir.Value {
	var x *ir.Value
	if len(v.Args) > 0 {
		x = b.keys[b.values[v.Args[0]]]
	}
	switch v.Op {
	case ir.OpFirst, ir.OpLast, ir.OpMin, ir.OpMax: // all rows of a group have one key
	default:
		x = nil
	}
	if x == nil {
		x = b.aggregateBy(v, b.of, b.columns(v.Args))
	}
	return b.filled(x)
}

// aggregateBy writes an aggregate of some arguments by bins.
func (o *ordering) aggregateBy(v, bins *ir.Value, args []*ir.Value) *ir.Value {
	made := *v
	made.Name, made.By, made.Args = "", bins, args
	if v.Else != nil {
		made.Else = o.column(v.Else)
	}
	made.Type.Domain, made.Type.Target = bins.Type.Target, o.domain(v.Type.Target)
	return o.add(v.Pos, made)
}

// filled returns the bins of x that have rows.
func (b *binned) filled(x *ir.Value) *ir.Value { return b.compact(x, b.kept, b.groups) }

// numbers returns the number of each row's group.
func (b *binned) numbers() *ir.Value {
	place := b.add(b.pos, ir.Value{Op: ir.OpExscan, Reduce: ir.ReduceAdd, Args: []*ir.Value{b.cast(ir.I64, b.kept)},
		Type: ir.Type{Kind: ir.I64, Domain: b.kept.Type.Domain, Target: b.groups}})
	return b.gather(b.pos, place, b.of)
}

// extreme returns the least or the greatest row of x, an unsigned integer; 0 of none.
func (o *ordering) extreme(op ir.Op, x *ir.Value) *ir.Value {
	return o.add(o.pos, ir.Value{Op: op, Args: []*ir.Value{x}, Else: o.integer(x, 0), Type: ir.Type{Kind: x.Type.Kind}})
}
