package fuse

import (
	"math"
	"math/bits"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Groups whose keys lie in a small range need no sort: the rows are combined in bins,
// one for each number that the keys could be, and the groups are the bins that have
// rows. The least and the greatest key are found first, and the plan chooses.
//
// In a range that is larger than local memory has bins for, work-groups partition the rows by the
// high bits of their bins first. Then the bins of neighbours lie together, and local memory has a
// window of so many bins.

// keyRange is the range of keys that are one word.
type keyRange struct {
	keys        []sortKey
	tried       *ir.Value // the condition under which it is found out; nil if it always is
	word        word
	least, span *ir.Value // scalars: the least word, and what the greatest exceeds it by
}

// rangeOf returns the range of keys; nil if they do not follow from their bin, or if rows are
// always sorted.
func (o *ordering) rangeOf(keys []sortKey, tried *ir.Value) *keyRange {
	if o.bins < 1 || slices.ContainsFunc(keys, func(key sortKey) bool { return !isInvertible(key.column.Type.Kind) }) {
		return nil
	}
	words := o.words(keys)
	if len(words) > 1 {
		return nil
	}
	least, greatest := o.extreme(ir.OpMin, words[0].value), o.extreme(ir.OpMax, words[0].value)
	least.Limit, greatest.Limit = tried, tried
	return &keyRange{keys: keys, tried: tried, word: words[0], least: least, span: o.apply(ir.OpSub, greatest, least)}
}

// binOf returns the bin of each row, an integer like the words of the keys: once more wherever it
// is needed, which costs less than to store it.
func (r *keyRange) binOf(o *ordering, keys []sortKey) *ir.Value {
	return o.apply(ir.OpSub, o.words(keys)[0].value, r.least)
}

// size returns how many bins a range has: 0 if it has more than most and one.
func (r *keyRange) size(o *ordering, most *ir.Value) *ir.Value {
	size := o.apply(ir.OpAdd, o.cast(ir.I64, o.apply(ir.OpLeast, r.span, most)), o.number(1))
	made := o.choose(o.apply(ir.OpLe, r.span, most), size, o.number(0))
	made.By = r.tried
	return made
}

// binned is groups by bins.
type binned struct {
	*ordering
	size   *ir.Value               // scalar: how many bins there are; 0 if the keys have a larger range
	of     *ir.Value               // the bin of each row
	count  *ir.Value               // of each bin: its rows
	kept   *ir.Value               // of each bin: whether it has any
	keys   map[*ir.Value]*ir.Value // of each bin
	moved  *partition              // that has moved the rows before they are combined, or nil
	within *keyRange               // of the keys
	groups *ir.Domain              // the bins that have rows
	out    *ir.Domain              // the groups, whichever way they are made
}

// binned returns groups by bins of keys in a small range.
func (o *ordering) binned(r *keyRange, out *ir.Domain) *binned {
	most := o.integer(r.span, uint64(o.bins)-1)
	if !o.short { // a core has no local memory to fit, but a cache, which rows of many groups leave in any case
		rows := o.length(r.word.value)
		bins := o.apply(ir.OpLeast, rows, o.number(math.MaxInt32-1))
		if o.parts { // few rows are not worth to be moved
			bins = o.choose(o.apply(ir.OpLt, rows, o.number(o.sample<<sampledBits)), bins, o.number(o.bins-1))
		}
		most = o.cast(r.span.Type.Kind, bins)
	}
	b := &binned{ordering: o, out: out, within: r, size: r.size(o, most)}
	b.of = b.bin(o, r.keys)
	b.combine()
	return b
}

// lessPerWindow is by how many bits a window of a core is smaller than the bins of rows that do not move.
// Fewer and larger parts cost less when rows move, and more when they combine.
const lessPerWindow = 2

// windowBits are the bits of a bin in its window.
func (o *ordering) windowBits() int {
	all := bits.Len64(uint64(o.bins)) - 1
	if o.short {
		return all
	}
	return max(all-lessPerWindow, 1)
}

// binnedParts returns groups v by bins of rows that are partitioned by the high bits of their bins
// before; nil if there are never so many bins.
func (o *ordering) binnedParts(v *ir.Value, r *keyRange, out *ir.Domain) *binned {
	low := o.windowBits()
	if r == nil || !o.parts || r.word.bits <= low {
		return nil
	}
	rows := o.cast(r.span.Type.Kind, o.apply(ir.OpLeast, o.length(r.word.value), o.number(1<<(low+partitionBits)-1)))
	b := &binned{ordering: o, out: out, within: r, size: r.size(o, rows)}
	b.moved = o.partition(r.keys, partitionBits, o.binDigit(r.binOf(o, r.keys), low), o.binDigit(r.binOf(o, r.keys), low), o.beside(v, r.keys))
	b.moved.place.AnyOrder = o.inAnyOrder(v, r.keys)
	b.of = b.bin(b.moved.on, b.moved.movedKeys)
	b.of.Split = low
	b.combine()
	return b
}

// bin returns the bin of each row of an ordering.
func (b *binned) bin(rows *ordering, keys []sortKey) *ir.Value {
	bins := b.newDomain(ir.DomainBins, b.rows.Name+"_bins", nil)
	bins.By = b.add(b.pos, ir.Value{Op: ir.OpBins, Args: []*ir.Value{b.cast(ir.I64, b.within.binOf(rows, keys)), b.size},
		Type: ir.Type{Kind: ir.I64, Domain: rows.rows, Target: bins}})
	return bins.By
}

// combine finds out which bins have rows.
func (b *binned) combine() {
	r := b.within
	bins := b.of.Type.Target
	b.count = b.add(b.pos, ir.Value{Op: ir.OpCount, By: b.of, Type: ir.Type{Kind: ir.I64, Domain: bins}})
	b.kept = b.apply(ir.OpGt, b.count, b.number(0))
	b.groups = b.newDomain(ir.DomainMask, b.rows.Name+"_filled", bins)
	b.groups.By = b.kept
	number := b.index(b.count, bins)
	b.filled(number) // says how many groups there are, also where nothing else does
	b.keys = map[*ir.Value]*ir.Value{}
	b.keysOf(b.apply(ir.OpAdd, b.cast(r.word.value.Type.Kind, number), r.least), r.keys, b.keys)
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
	switch {
	case v.Op == ir.OpCount && len(v.Args) == 0:
		x = b.count
	case x == nil:
		x = b.aggregateBy(v, b.of, b.arguments(v.Args))
	}
	if b.moved == nil || !v.Op.Aggregate().GivesRow() {
		return b.filled(x)
	}
	x.Type.Target = b.moved.on.rows
	numbers := b.moved.numbers()
	return b.add(v.Pos, ir.Value{Op: ir.OpGather, Args: []*ir.Value{numbers, b.filled(x)}, Type: ir.Type{Kind: numbers.Type.Kind, Domain: b.groups, Target: numbers.Type.Target}})
}

// arguments returns what a list becomes as the arguments of an aggregate.
func (b *binned) arguments(list []*ir.Value) []*ir.Value {
	made := b.columns(list)
	if b.moved != nil {
		for i, x := range made {
			made[i] = b.moved.move(x)
		}
	}
	return made
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
	bin := b.of
	if b.moved != nil { // of the rows before they moved
		bin = b.cast(ir.I64, b.within.binOf(b.ordering, b.within.keys))
		bin.Type.Target = b.of.Type.Target
	}
	place := b.add(b.pos, ir.Value{Op: ir.OpExscan, Reduce: ir.ReduceAdd, Args: []*ir.Value{b.cast(ir.I64, b.kept)},
		Type: ir.Type{Kind: ir.I64, Domain: b.kept.Type.Domain, Target: b.groups}})
	return b.gather(b.pos, place, bin)
}

// extreme returns the least or the greatest row of x, an unsigned integer; 0 of none.
func (o *ordering) extreme(op ir.Op, x *ir.Value) *ir.Value {
	return o.add(o.pos, ir.Value{Op: op, Args: []*ir.Value{x}, Else: o.integer(x, 0), Type: ir.Type{Kind: x.Type.Kind}})
}
