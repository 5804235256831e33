package interp

import "github.com/kgen-go/kgen/ir"

// eval computes v from its operands.
func (m *machine) eval(v *ir.Value) (column, error) {
	switch {
	case v.Op.IsElementwise():
		return m.elementwise(v), nil
	case v.Op.IsAggregate():
		return m.aggregate(v), nil
	}
	switch v.Op {
	case ir.OpConst:
		return scalarColumn(v.Const), nil
	case ir.OpCompact:
		return m.compact(v), nil
	case ir.OpGather:
		return m.gather(v), nil
	case ir.OpIndex:
		return m.index(v), nil
	case ir.OpLen:
		c := newColumn(v, 1)
		c.bits[0] = uint64(m.length(v.Args[0].Type.Domain))
		return c, nil
	case ir.OpPrev, ir.OpNext:
		return m.shift(v), nil
	case ir.OpScan, ir.OpExscan:
		return m.scan(v), nil
	case ir.OpRuns:
		return m.runs(v), nil
	case ir.OpStarts:
		return m.starts(v), nil
	case ir.OpGroups:
		return m.groups(v), nil
	case ir.OpBins:
		return m.bins(v)
	case ir.OpRepeat:
		return m.repeat(v)
	case ir.OpOrder:
		return m.order(v), nil
	case ir.OpFind:
		return m.find(v), nil
	case ir.OpJoin:
		return m.join(v)
	case ir.OpLeft:
		c := newColumn(v, 0)
		c.bits = m.arg(v, 0).bits
		return c, nil
	case ir.OpRight:
		c := newColumn(v, 0)
		c.bits = m.arg(v, 0).right
		return c, nil
	case ir.OpAlign:
		return m.align(v), nil
	}
	panic(unknownOp(v.Op))
}

func (m *machine) elementwise(v *ir.Value) column {
	c := newColumn(v, m.length(v.Type.Domain))
	x := m.arg(v, 0)
	switch len(v.Args) {
	case 1:
		for row := range c.bits {
			c.bits[row] = applyUnary(v.Op, x.kind, c.kind, x.at(row))
		}
	case 2:
		y := m.arg(v, 1)
		divides := (v.Op == ir.OpDiv || v.Op == ir.OpRem) && !c.kind.IsFloat()
		for row := range c.bits {
			if divides && y.at(row) == 0 {
				m.checks.fail(v, ir.CheckDivideByZero, row)
			}
			c.bits[row] = applyBinary(v.Op, x.kind, c.kind, x.at(row), y.at(row))
		}
	default: // select
		then, otherwise := m.arg(v, 1), m.arg(v, 2)
		for row := range c.bits {
			if x.at(row) != 0 {
				c.bits[row] = then.at(row)
			} else {
				c.bits[row] = otherwise.at(row)
			}
		}
	}
	return c
}

func (m *machine) compact(v *ir.Value) column {
	c := newColumn(v, 0)
	x, mask := m.arg(v, 0), m.arg(v, 1)
	for row, keep := range mask.bits {
		if keep != 0 {
			c.bits = append(c.bits, x.at(row))
		}
	}
	return c
}

func (m *machine) gather(v *ir.Value) column {
	x, index := m.arg(v, 0), m.arg(v, 1)
	c := newColumn(v, len(index.bits))
	for i, want := range index.bits {
		row, ok := clampRow(index.kind, want, len(x.bits))
		if !ok {
			m.checks.fail(v, ir.CheckIndexRange, i)
		}
		if len(x.bits) > 0 { // otherwise there is no row to clamp to
			c.bits[i] = x.bits[row]
		}
	}
	return c
}

func (m *machine) index(v *ir.Value) column {
	c := newColumn(v, m.length(v.Type.Domain))
	for row := range c.bits {
		c.bits[row] = uint64(row)
	}
	return c
}

// shift is prev and next.
func (m *machine) shift(v *ir.Value) column {
	n := m.length(v.Type.Domain)
	c := newColumn(v, n)
	x, fill := m.arg(v, 0), m.arg(v, 1)
	for row := range c.bits {
		switch {
		case v.Op == ir.OpPrev && v.Shift <= int64(row):
			c.bits[row] = x.at(row - int(v.Shift))
		case v.Op == ir.OpNext && v.Shift < int64(n-row):
			c.bits[row] = x.at(row + int(v.Shift))
		default:
			c.bits[row] = fill.at(row)
		}
	}
	return c
}

// align reads x over the rows of another domain.
func (m *machine) align(v *ir.Value) column {
	x := m.arg(v, 0)
	c := newColumn(v, m.length(v.Args[1].Type.Domain))
	if !x.scalar && len(x.bits) != len(c.bits) {
		m.checks.fail(v, ir.CheckAlignLength, 0)
	}
	for row := range c.bits {
		if x.scalar || row < len(x.bits) {
			c.bits[row] = x.at(row)
		}
	}
	return c
}
