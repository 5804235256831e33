package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// argument returns the aggregated column as kind k, for the rows of domain.
func (b *kernelBuilder) argument(domain int, x *ir.Value, k ir.Kind) tile.ID {
	id := b.operand(x)
	if x.Type.Kind == k {
		return id
	}
	return b.Map(domain, ir.OpCast, k, "", id)
}

// counted returns what a row adds to a count.
func (b *kernelBuilder) counted(domain int, v *ir.Value) tile.ID {
	if v.Op == ir.OpCount && len(v.Args) > 0 {
		return b.argument(domain, v.Args[0], ir.I64)
	}
	return b.Int(1)
}

// groupResult returns an aggregate over contiguous groups, for the rows of the groups.
func (b *kernelBuilder) groupResult(v *ir.Value) tile.ID {
	name := b.graph.result(v).Name
	group := b.row(v.By.Type.Target)
	domain, head := b.Kernel.Domains[group].Parent, b.Kernel.Domains[group].Guard
	restarted := func(reduce ir.ReduceOp, k ir.Kind, leaf tile.ID) tile.ID {
		m := tile.NewSegmented(tile.NewFold(reduce, k))
		return b.Scan(domain, m, true, name, head, b.fromIdentity(domain, reduce, k, leaf))[1]
	}
	count := func() tile.ID { return restarted(ir.ReduceAdd, ir.I64, b.counted(domain, v)) }
	sum := func() tile.ID {
		k := sumKind(v.Args[0].Type.Kind)
		return restarted(ir.ReduceAdd, k, b.argument(domain, v.Args[0], k))
	}
	switch v.Op {
	case ir.OpCount:
		return count()
	case ir.OpSum:
		return sum()
	case ir.OpAvg:
		return b.quotient(group, sum(), count())
	case ir.OpMin:
		return restarted(ir.ReduceMin, v.Type.Kind, b.operand(v.Args[0]))
	case ir.OpMax:
		return restarted(ir.ReduceMax, v.Type.Kind, b.operand(v.Args[0]))
	case ir.OpFirst: // the last head's row; any row, where all of a group are equal
		if x := v.Args[0]; slices.Contains(v.By.Args, x) && v.By.Op == ir.OpRuns && x.Type.Kind.EqualBits() {
			return b.Scan(domain, tile.NewLast(v.Type.Kind), true, name, b.Const(ir.BoolScalar(true)), b.operand(x))[1]
		}
		return b.Scan(domain, tile.NewLast(v.Type.Kind), true, name, head, b.operand(v.Args[0]))[1]
	case ir.OpLast:
		return b.Scan(domain, tile.NewLast(v.Type.Kind), true, name, b.Const(ir.BoolScalar(true)), b.operand(v.Args[0]))[1]
	}
	panic("fuse: no aggregate " + v.Op.String())
}

// fromIdentity returns a leaf that may stand for a whole sum: -0.0 added to
// nothing is 0.0.
func (b *kernelBuilder) fromIdentity(domain int, reduce ir.ReduceOp, k ir.Kind, leaf tile.ID) tile.ID {
	if reduce != ir.ReduceAdd || !k.IsFloat() {
		return leaf
	}
	return b.Map(domain, ir.OpAdd, k, "", leaf, b.Const(tile.Identity(reduce, k)))
}

// quotient returns the average: sum / count as f64.
func (b *kernelBuilder) quotient(domain int, sum, count tile.ID) tile.ID {
	if b.Kernel.Values[sum].Kind != ir.F64 {
		sum = b.Map(domain, ir.OpCast, ir.F64, "", sum)
	}
	return b.Map(domain, ir.OpDiv, ir.F64, "", sum, b.Map(domain, ir.OpCast, ir.F64, "", count))
}

// reduceResult returns an aggregate over all rows, after them.
func (b *kernelBuilder) reduceResult(v *ir.Value) tile.ID {
	name := b.graph.result(v).Name
	x := v.Args[0]
	domain := b.row(x.Type.Domain)
	fold := func(reduce ir.ReduceOp, k ir.Kind, leaf tile.ID) tile.ID {
		return b.Reduce(domain, tile.NewFold(reduce, k), name, leaf)[0]
	}
	count := func() tile.ID { return fold(ir.ReduceAdd, ir.I64, b.counted(domain, v)) }
	sum := func() tile.ID {
		k := sumKind(x.Type.Kind)
		return fold(ir.ReduceAdd, k, b.argument(domain, x, k))
	}
	switch v.Op {
	case ir.OpCount:
		return count()
	case ir.OpSum:
		return sum()
	}
	var present, result tile.ID
	switch v.Op {
	case ir.OpAvg:
		n := count()
		present = b.Map(tile.Uniform, ir.OpGt, ir.Bool, "", n, b.Int(0))
		result = b.quotient(tile.Uniform, sum(), n)
	case ir.OpMin, ir.OpMax:
		reduce := ir.ReduceMin
		if v.Op == ir.OpMax {
			reduce = ir.ReduceMax
		}
		present = b.Map(tile.Uniform, ir.OpGt, ir.Bool, "", count(), b.Int(0))
		result = fold(reduce, v.Type.Kind, b.operand(x))
	default:
		m := tile.NewFirst(v.Type.Kind)
		if v.Op == ir.OpLast {
			m = tile.NewLast(v.Type.Kind)
		}
		fields := b.Reduce(domain, m, name, b.Const(ir.BoolScalar(true)), b.operand(x))
		present, result = fields[0], fields[1]
	}
	return b.orElse(v, tile.Uniform, present, result)
}

// orElse replaces the result of no rows by the else: operand, or reports it.
func (b *kernelBuilder) orElse(v *ir.Value, domain int, present, result tile.ID) tile.ID {
	if v.Else != nil {
		return b.Map(domain, ir.OpSelect, v.Type.Kind, v.Name, present, result, b.scalar(v.Else, domain == tile.Uniform))
	}
	for _, site := range b.graph.sites[v] {
		b.check(domain, v, site, b.Map(domain, ir.OpNot, ir.Bool, "", present))
		zero := b.Const(ir.Scalar{Kind: v.Type.Kind})
		return b.Map(domain, ir.OpSelect, v.Type.Kind, v.Name, present, result, zero)
	}
	return result
}
