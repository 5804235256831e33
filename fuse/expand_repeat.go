package fuse

import (
	"math"
	"math/bits"

	"github.com/kgen-go/kgen/ir"
)

// A row that is repeated ends where the next one begins: the ends are a running sum of
// the lengths, and a row of the expansion finds its source among them.

// repeat writes repeat(length).
func (e *expansion) repeat(v *ir.Value) {
	o := ordering{expansion: e, pos: v.Pos}
	x := e.column(v.Args[0])
	length := x
	if !x.Type.Kind.IsUnsigned() {
		length = o.apply(ir.OpGreatest, x, e.constant(ir.Int(x.Type.Kind, 0)))
		e.checked[v] = length
	}
	if x.Type.Kind == ir.U64 {
		length = o.apply(ir.OpLeast, length, o.integer(length, math.MaxInt64))
	}
	narrow := length
	length = o.cast(ir.I64, length)
	r := repetition{length: length, isNarrow: x.Type.Kind.Size() < ir.I64.Size()}
	if e.lengths && (x.Op == ir.OpParam && r.isNarrow || x.Type.Kind.Size() <= ir.U32.Size()/2) {
		r.stored = x // fewer bytes than all ends
		if x.Type.Kind.Size() > ir.U16.Size() {
			r.shorts = o.shortLengths(narrow)
		}
	}
	made, begin := o.expanded(r, e.domain(v.Type.Domain))
	made.Name = v.Name
	e.values[v], e.begins[v] = made, begin
}

// scanRepeated writes a scan by repeat(length), whose rows are segments: of each source
// row with a length, one.
func (e *expansion) scanRepeated(v *ir.Value) {
	o, source := ordering{expansion: e, pos: v.Pos}, e.values[v.By]
	if e.segments[v.By] == nil {
		row := o.index(source, source.Type.Domain)
		isFirst := o.apply(ir.OpEq, row, o.gather(o.pos, e.begins[v.By], source))
		segments := o.newDomain(ir.DomainStarts, source.Type.Domain.Name+"_segments", source.Type.Domain)
		segments.By = o.add(o.pos, ir.Value{Op: ir.OpStarts, Args: []*ir.Value{isFirst}, Type: ir.Type{Kind: ir.I64, Domain: source.Type.Domain, Target: segments}})
		e.segments[v.By] = segments.By
	}
	e.copy(v)
	e.values[v].By = e.segments[v.By]
}

// A repetition says how often each row is repeated.
type repetition struct {
	length   *ir.Value // i64, not negative
	isNarrow bool      // it has 32 bits
	stored   *ir.Value // it lies in memory so, unless it is negative and a check fails; nil if it does not
	shorts   *ir.Value // it lies in memory as a few bits, too, as far as these suffice; nil if it does not
	told     *toldRows // words that lie in memory tell it; nil if none do
}

// expanded returns the source of each row of out, which has each row so many times as r says; and at
// which row of out each begins.
func (o *ordering) expanded(r repetition, out *ir.Domain) (source, begin *ir.Value) {
	rows := r.length.Type.Domain
	ends := o.runningSum(r.length)
	begin = o.apply(ir.OpSub, ends, r.length)
	if !o.short {
		return o.sources(sourceSearch{ends: ends, of: rows}, o.total(r), 0, out), begin
	}
	var total *ir.Value
	if r.stored == nil && r.told == nil {
		total = o.total(r)
	} else {
		sums := o.sumOfEvery(r.length, endsOf)
		ends, total = o.runningSum(sums), o.sum(sums)
	}
	ends = o.cast(ir.U32, ends) // the plan refuses out if it has more rows
	by := sourceSearch{ends, rows, o.blocksOf(ends, total, out), r.stored, r.shorts, r.told}
	return o.sources(by, total, 0, out), begin
}

// blocksOf returns the source of the first of each block of so many rows of out.
func (o *ordering) blocksOf(ends, total *ir.Value, out *ir.Domain) *ir.Value {
	isShort := o.apply(ir.OpLe, total, o.number(math.MaxInt32))
	size := o.choose(isShort, o.apply(ir.OpAdd, o.apply(ir.OpShr, total, o.number(blockShift)), o.number(3)), o.number(0))
	return o.sources(sourceSearch{ends: ends, of: ends.Type.Domain}, size, blockShift, o.newDomain(ir.DomainBins, out.Name+"_blocks", nil))
}

// blockShift is the binary logarithm of the length of blocks. The sources of the rows of
// a block lie between those of its first row and of the next block's, so that few and
// neighbouring elements are looked at.
const blockShift = 10

// endsOf is of how many rows the end of the last one is stored where the lengths of all are: a power
// of two. The ends between are sums that work-items add up, of elements that lie together. So the prefix is of the
// sums of so many rows each, which a kernel without a prefix makes.
const endsOf = 256

// shortLengths returns words of the lengths of a few rows each, so that those who look for their sources need not read
// all lengths again; see [ir.OpExpand].
func (o *ordering) shortLengths(length *ir.Value) *ir.Value {
	row := o.cast(ir.U32, o.index(length, length.Type.Domain))
	place := o.apply(ir.OpAnd, row, o.integer(row, ir.ShortsOfWord-1))
	short := o.cast(ir.U32, o.apply(ir.OpLeast, length, o.integer(length, ir.LongLength)))
	return o.sumOfEvery(o.apply(ir.OpShl, short, o.apply(ir.OpMul, place, o.integer(place, ir.ShortBits))), ir.ShortsOfWord)
}

// sourceSearch is what the rows of an expansion find their sources by.
type sourceSearch struct {
	ends            *ir.Value
	of              *ir.Domain // that of the sources
	blocks, lengths *ir.Value  // see [ir.OpExpand]; either may be nil
	shorts          *ir.Value  // likewise, beside lengths
	told            *toldRows  // in place of lengths; nil if there are none
}

// sources returns the source of every row of out, or of each first of so many as a
// shift says.
func (o *ordering) sources(by sourceSearch, size *ir.Value, shift int64, out *ir.Domain) *ir.Value {
	v := ir.Value{Op: ir.OpExpand, Args: []*ir.Value{by.ends, size}, Shift: shift, Type: ir.Type{Kind: ir.I64, Domain: out, Target: by.of}}
	if by.blocks != nil {
		v.Args = append(v.Args, by.blocks)
		v.Split = int(by.blocks.Shift)
	}
	if by.lengths != nil {
		v.Args = append(v.Args, by.lengths)
	}
	if by.shorts != nil {
		v.Args = append(v.Args, by.shorts)
	}
	if w := by.told; w != nil {
		v.Args = append(v.Args, w.words, w.bits, w.most, w.many)
	}
	out.By = o.add(o.pos, v)
	return out.By
}

// runningSum returns the sum of x of all rows up to each.
func (o *ordering) runningSum(x *ir.Value) *ir.Value {
	return o.add(o.pos, ir.Value{Op: ir.OpScan, Reduce: ir.ReduceAdd, Args: []*ir.Value{x}, Type: ir.Type{Kind: ir.I64, Domain: x.Type.Domain}})
}

// sumOfEvery returns the sum of x of each so many rows, a power of two.
func (o *ordering) sumOfEvery(x *ir.Value, rows int) *ir.Value {
	d := o.newDomain(ir.DomainEvery, x.Type.Domain.Name+"_every", x.Type.Domain)
	d.Width = rows
	few := o.apply(ir.OpShr, o.index(x, x.Type.Domain), o.number(int64(bits.TrailingZeros(uint(rows)))))
	few.Type.Target = d
	d.By = o.add(o.pos, ir.Value{Op: ir.OpSum, Args: []*ir.Value{x}, By: few, Type: ir.Type{Kind: x.Type.Kind, Domain: d}})
	return d.By
}

// total returns the sum of lengths; if it is no number of 64 bits, the greatest one. That of
// fewer than 2^32 lengths of 32 bits always is.
func (o *ordering) total(r repetition) *ir.Value {
	length := r.length
	if o.short && r.isNarrow {
		return o.sum(length)
	}
	low := o.sum(o.apply(ir.OpAnd, length, o.number(1<<32-1)))
	high := o.apply(ir.OpAdd, o.sum(o.apply(ir.OpShr, length, o.number(32))), o.apply(ir.OpShr, low, o.number(32)))
	fits := o.apply(ir.OpLt, high, o.number(1<<31))
	return o.choose(fits, o.sum(length), o.number(math.MaxInt64))
}

// sum returns the sum of x of all rows.
func (o *ordering) sum(x *ir.Value) *ir.Value {
	return o.add(o.pos, ir.Value{Op: ir.OpSum, Args: []*ir.Value{x}, Type: ir.Type{Kind: ir.I64}})
}

// length returns the number of rows of x.
func (o *ordering) length(x *ir.Value) *ir.Value {
	return o.add(o.pos, ir.Value{Op: ir.OpLen, Args: []*ir.Value{x}, Type: ir.Type{Kind: ir.I64}})
}
