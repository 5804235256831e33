package fuse

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// column returns the column v for the rows of its domain.
func (b *kernelBuilder) column(v *ir.Value) tile.ID {
	if id, ok := b.columns[v]; ok {
		return id
	}
	id := b.newColumn(v)
	b.columns[v] = id
	return id
}

func (b *kernelBuilder) newColumn(v *ir.Value) tile.ID {
	w := b.graph.result(v)
	if w == nil {
		return b.rowWise(v, false)
	}
	if w.Writer == nil || !b.in[w.Writer] {
		if b.computesAgain(w) {
			return b.rowWise(v, false)
		}
		return b.load(w)
	}
	switch s := w.Writer; s.Kind {
	case Map, Mask, Finish:
		if s.Kind == Finish {
			return b.finishTable(v)
		}
		return b.rowWise(v, false)
	case Add:
		return b.prefixResult(s.prefix)
	case Compact:
		b.row(v.Type.Domain)
		return b.column(v.Args[0])
	case Aggregate:
		if s.Out != nil {
			return b.groupResult(v)
		}
	}
	b.refuse("every row of %s must be there first: %s ends a kernel", w.Name, w.Writer.Name)
	return 0
}

// operand returns v, a column or a scalar, for use beside columns.
func (b *kernelBuilder) operand(v *ir.Value) tile.ID { return b.value(v, false) }

func (b *kernelBuilder) value(v *ir.Value, after bool) tile.ID {
	if v.Type.IsScalar() {
		return b.scalar(v, after)
	}
	return b.column(v)
}

// scalar returns the scalar v: before the rows, or after them, when reductions of
// the rows here are known too.
func (b *kernelBuilder) scalar(v *ir.Value, after bool) tile.ID {
	memo := b.scalars[0]
	if after {
		memo = b.scalars[1]
	}
	if id, ok := memo[v]; ok {
		return id
	}
	id := b.newScalar(v, after)
	memo[v] = id
	return id
}

func (b *kernelBuilder) newScalar(v *ir.Value, after bool) tile.ID {
	w := b.graph.result(v)
	switch {
	case v.Op == ir.OpConst:
		return b.Const(v.Const)
	case v.Op == ir.OpParam:
		return b.Scalar(v.Name, v.Type.Kind)
	case w == nil:
		return b.rowWise(v, after)
	case !b.in[w.Writer]:
		return b.Scalar(w.Name, v.Type.Kind)
	case w.Writer.Kind == ScalarMap:
		return b.rowWise(v, after)
	case !after:
		b.refuse("%s is known only after all rows: %s ends a kernel", w.Name, w.Writer.Name)
	}
	return b.reduceResult(v)
}

// rowWise computes v from the same row of its operands, from neighbours or by
// a gather; or the scalar v from scalars.
func (b *kernelBuilder) rowWise(v *ir.Value, after bool) tile.ID {
	domain := b.row(v.Type.Domain)
	switch v.Op {
	case ir.OpConst:
		return b.Const(v.Const)
	case ir.OpLen:
		if after {
			return b.lengthAfter(v.Args[0].Type.Domain)
		}
		return b.lengthBefore(v.Args[0].Type.Domain)
	case ir.OpIndex:
		return b.place(v.Type.Domain)
	case ir.OpGather:
		return b.gather(v, domain, after)
	case ir.OpPrev, ir.OpNext:
		return b.neighbour(v, domain)
	case ir.OpAlign:
		return b.align(v, domain)
	case ir.OpBins:
		return b.bin(v, domain)
	case ir.OpRank:
		return b.rank(v)
	case ir.OpExpand:
		return b.source(v, domain)
	case ir.OpPlaced:
		return b.Placed(b.source(v, domain), v.Name)
	case ir.OpSearch:
		sorted := b.complete(b.graph.result(v.Args[0]), tile.Gather)
		return b.Search(domain, sorted, v.Name, b.column(v.Args[1]), b.operand(v.Args[2]), b.operand(v.Args[3]))
	case ir.OpPartners:
		return b.partners(v)
	case ir.OpProbe:
		return b.probe(v, domain)
	case ir.OpMatch:
		return b.match(v, domain)
	}
	args := make([]tile.ID, len(v.Args))
	for i, arg := range v.Args {
		args[i] = b.value(arg, after)
	}
	for _, site := range b.graph.sites[v] {
		zero := b.Const(ir.Scalar{Kind: v.Type.Kind})
		if site.Kind == ir.CheckRepeatLength {
			b.check(domain, v, site, b.Map(domain, ir.OpLt, ir.Bool, "", args[0], zero))
			continue
		}
		failed := b.Map(domain, ir.OpEq, ir.Bool, "", args[1], zero)
		b.check(domain, v, site, failed)
		args[1] = b.Map(domain, ir.OpSelect, v.Type.Kind, "", failed, b.Const(ir.Int(v.Type.Kind, 1)), args[1])
	}
	made := b.Map(domain, v.Op, v.Type.Kind, v.Name, args...)
	b.Kernel.Values[made].Likely = v.Likely
	return made
}

// check reports the rows of v's domain where failed holds.
func (b *kernelBuilder) check(domain int, v *ir.Value, site ir.Site, failed tile.ID) {
	row := b.Int(0)
	if domain != tile.Uniform {
		row = b.place(v.Type.Domain)
	}
	b.Check(domain, site.Number, failed, row)
}

// gather returns x[i].
func (b *kernelBuilder) gather(v *ir.Value, domain int, after bool) tile.ID {
	x, i := v.Args[0], v.Args[1]
	index := b.value(i, after)
	if i.Type.Kind != ir.I64 && i.Type.Kind != ir.U64 {
		index = b.Map(domain, ir.OpCast, ir.I64, "", index)
	}
	stream := b.complete(b.graph.result(x), tile.Gather)
	b.Kernel.Streams[stream].Long = x.Type.Domain.Kind == ir.DomainWords
	checked := false
	for _, site := range b.graph.sites[v] {
		checked = true
		b.check(domain, v, site, b.outside(domain, index, b.lengthBefore(x.Type.Domain)))
	}
	if b.failable(i) {
		checked = true // an index column that a failed check left in an empty domain
	}
	loaded := b.LoadAt(domain, stream, b.Map(domain, ir.OpCast, ir.I64, "", index), checked)
	load := &b.Kernel.Ops[b.Kernel.Values[loaded].Op]
	load.Ascending, load.Padded = b.graph.ascends(i), v.Padded
	return loaded
}

// failable reports whether an index column may hold a row that does not exist,
// after a failed check.
func (b *kernelBuilder) failable(i *ir.Value) bool {
	return i.Op != ir.OpRuns && i.Op != ir.OpStarts && i.Op != ir.OpIndex
}

// outside returns whether index is no row of a domain of that length.
func (b *kernelBuilder) outside(domain int, index, length tile.ID) tile.ID {
	// As unsigned numbers, negative indices are large.
	return b.Map(domain, ir.OpGe, ir.Bool, "", b.Map(domain, ir.OpCast, ir.U64, "", index),
		b.Map(domain, ir.OpCast, ir.U64, "", length))
}

// neighbour returns prev or next.
func (b *kernelBuilder) neighbour(v *ir.Value, domain int) tile.ID {
	x, fill := b.operand(v.Args[0]), b.operand(v.Args[1])
	distance := v.Shift
	if v.Op == ir.OpNext {
		distance = -distance
	}
	switch {
	case distance == 0:
		return x
	case domain == 0:
		b.halo(x, v.Args[0])
		return b.Shift(x, fill, distance)
	case distance == 1:
		last := b.Scan(domain, tile.NewLast(v.Type.Kind), true, v.Name, b.Const(ir.BoolScalar(true)), x)
		return b.Map(domain, ir.OpSelect, v.Type.Kind, v.Name, last[0], last[1], fill)
	}
	b.refuse("a row of %s at distance %d may belong to another tile: only the last one can be carried", b.graph.DomainName(v.Type.Domain), distance)
	return 0
}

// align returns x over the domain of y. If lengths differ, which is an error,
// missing rows are zero.
func (b *kernelBuilder) align(v *ir.Value, domain int) tile.ID {
	x := v.Args[0]
	if x.Type.Domain == nil || x.Type.Domain == v.Type.Domain {
		return b.operand(x)
	}
	return b.LoadAt(domain, b.complete(b.graph.result(x), tile.Place), b.place(v.Type.Domain), true)
}

// bin returns the bin of each row; rows outside are reported, and skipped by
// the aggregation.
func (b *kernelBuilder) bin(v *ir.Value, domain int) tile.ID {
	i := v.Args[0]
	index := b.Map(domain, ir.OpCast, ir.I64, v.Name, b.operand(i))
	for _, site := range b.graph.sites[v] {
		if site.Kind == ir.CheckBinRange {
			b.check(domain, v, site, b.outside(domain, index, b.lengthBefore(v.Type.Target)))
		}
	}
	return index
}
