package fuse

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// element returns the element that each row of domain adds to field f of the state
// of v.
func (b *kernelBuilder) element(domain int, v *ir.Value, f ir.StateField) tile.ID {
	switch f.Element {
	case ir.ElementRow:
		return b.place(aggregatedRows(v))
	case ir.ElementArgument:
		if len(v.Args) == 0 {
			break
		}
		id, k := b.operand(v.Args[0]), kindOf(f, v)
		if v.Args[0].Type.Kind != k {
			id = b.Map(domain, ir.OpCast, k, "", id)
		}
		return id
	case ir.ElementOne:
	default:
		panic(fmt.Sprintf("fuse: no element %d of %v", f.Element, v.Op))
	}
	return b.Int(1)
}

// aggregatedRows returns the domain of the rows that v aggregates.
func aggregatedRows(v *ir.Value) *ir.Domain {
	if v.By != nil {
		return v.By.Type.Domain
	}
	return v.Args[0].Type.Domain
}

// groupResult returns an aggregate over segments, with a row per segment.
func (b *kernelBuilder) groupResult(v *ir.Value) tile.ID {
	name := b.graph.result(v).Name
	group := b.row(v.By.Type.Target)
	domain, head := b.Kernel.Domains[group].Parent, b.Kernel.Domains[group].Guard
	field := func(f ir.StateField) tile.ID {
		last := tile.NewLast(kindOf(f, v))
		switch f.Fold {
		case ir.ReduceFirst: // the row of the last head, or any row if all rows of a segment are equal
			flag := head
			if x := v.Args[0]; slices.Contains(v.By.Args, x) && v.By.Op == ir.OpRuns && x.Type.Kind.EqualBits() {
				flag = b.Const(ir.BoolScalar(true))
			}
			return b.Scan(domain, last, true, name, flag, b.element(domain, v, f))[1]
		case ir.ReduceLast:
			return b.Scan(domain, last, true, name, b.Const(ir.BoolScalar(true)), b.element(domain, v, f))[1]
		}
		m := tile.NewSegmented(tile.NewFold(f.Fold, kindOf(f, v)))
		return b.Scan(domain, m, true, name, head, b.fromIdentity(domain, f.Fold, kindOf(f, v), b.element(domain, v, f)))[1]
	}
	a := v.Op.Aggregate()
	if a.GivesRow() {
		m := tile.NewSegmented(rowOfExtreme(v))
		fields := b.Scan(domain, m, true, name, append([]tile.ID{head}, b.stateElements(domain, v)...)...)
		return b.finish(group, v, func(i int) tile.ID { return fields[1+i] })
	}
	return b.finish(group, v, func(i int) tile.ID { return field(a.State[i]) })
}

// rowOfExtreme returns the monoid of an aggregate that finds the row of an extreme.
func rowOfExtreme(v *ir.Value) *tile.Monoid {
	extreme := v.Op.Aggregate().State[0]
	return tile.NewRowOfExtreme(extreme.Fold, kindOf(extreme, v))
}

// stateElements returns what the rows of domain enter into all fields of the state of v.
func (b *kernelBuilder) stateElements(domain int, v *ir.Value) (list []tile.ID) {
	for _, f := range v.Op.Aggregate().State {
		list = append(list, b.element(domain, v, f))
	}
	return list
}

// finish returns the result of an aggregate from the fields of its state.
func (b *kernelBuilder) finish(domain int, v *ir.Value, field func(i int) tile.ID) tile.ID {
	switch finish := v.Op.Aggregate().Finish; finish {
	case ir.FinishField:
		return field(0)
	case ir.FinishQuotient:
		return b.quotient(domain, field(0), field(1))
	case ir.FinishRow:
		return field(1)
	default:
		panic(fmt.Sprintf("fuse: no finish %d of %v", finish, v.Op))
	}
}

// fromIdentity returns an element that may be a whole sum: the identity plus the
// element, because 0.0 + -0.0 is 0.0.
func (b *kernelBuilder) fromIdentity(domain int, reduce ir.ReduceOp, k ir.Kind, element tile.ID) tile.ID {
	if reduce != ir.ReduceAdd || !k.IsFloat() {
		return element
	}
	return b.Map(domain, ir.OpAdd, k, "", element, b.Const(tile.Identity(reduce, k)))
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
	domain := b.row(v.Args[0].Type.Domain)
	fold := func(f ir.StateField) tile.ID {
		return b.Reduce(domain, tile.NewFold(f.Fold, kindOf(f, v)), name, b.element(domain, v, f))[0]
	}
	a := v.Op.Aggregate()
	switch {
	case a.NoRows == ir.NoRowsIdentity:
		return b.finish(tile.Uniform, v, func(i int) tile.ID { return fold(a.State[i]) })
	case a.IsEdge():
		m := tile.NewFirst(v.Type.Kind)
		if a.State[0].Fold == ir.ReduceLast {
			m = tile.NewLast(v.Type.Kind)
		}
		fields := b.Reduce(domain, m, name, b.Const(ir.BoolScalar(true)), b.element(domain, v, a.State[0]))
		return b.orElse(v, tile.Uniform, fields[0], fields[1])
	case a.GivesRow():
		fields := b.Reduce(domain, rowOfExtreme(v), name, b.stateElements(domain, v)...)
		row := b.finish(tile.Uniform, v, func(i int) tile.ID { return fields[i] })
		return b.orElse(v, tile.Uniform, b.Map(tile.Uniform, ir.OpGe, ir.Bool, "", row, b.Int(0)), row)
	}
	count := fold(ir.CountOfRows)
	present := b.Map(tile.Uniform, ir.OpGt, ir.Bool, "", count, b.Int(0))
	result := b.finish(tile.Uniform, v, func(i int) tile.ID {
		if a.State[i].CountsRows() {
			return count
		}
		return fold(a.State[i])
	})
	return b.orElse(v, tile.Uniform, present, result)
}

// orElse replaces the result of no rows by the else: operand, or adds the check
// that there are rows.
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
