package interp

import "github.com/kgen-go/kgen/ir"

// newAccumulator returns the accumulator of a scan's operation over kind k.
// Its identity is where exscan starts.
func newAccumulator(op ir.ReduceOp, k ir.Kind) accumulator {
	low, high := extremes(k)
	ones := ir.Int(k, -1).Bits
	if k == ir.Bool {
		ones = 1
	}
	arithmetic := func(op ir.Op) func(a, b uint64) uint64 {
		return func(a, b uint64) uint64 { return applyBinary(op, k, k, a, b) }
	}
	switch op {
	case ir.ReduceAdd:
		if k.IsFloat() {
			return &exactSum{from: k, to: k}
		}
		return &fold{identity: 0, combine: arithmetic(ir.OpAdd)}
	case ir.ReduceMul:
		if k.IsFloat() {
			return &product{kind: k}
		}
		return &fold{identity: 1, combine: arithmetic(ir.OpMul)}
	case ir.ReduceMin:
		return &fold{identity: high, combine: arithmetic(ir.OpLeast)}
	case ir.ReduceMax:
		return &fold{identity: low, combine: arithmetic(ir.OpGreatest)}
	case ir.ReduceAnd:
		return &fold{identity: ones, combine: arithmetic(ir.OpAnd)}
	case ir.ReduceOr:
		return &fold{identity: 0, combine: arithmetic(ir.OpOr)}
	case ir.ReduceXor:
		return &fold{identity: 0, combine: arithmetic(ir.OpXor)}
	}
	panic("interp: a scan without an operation")
}

// scan is scan and exscan; by: restarts it at the first row of each group.
func (m *machine) scan(v *ir.Value) column {
	c := newColumn(v, m.length(v.Type.Domain))
	x := m.arg(v, 0)
	running := newAccumulator(v.Reduce, c.kind)
	begin := func(row int) {
		running.reset()
		if m.pipeline.IsReproducible(v) {
			running.(*exactSum).unit = m.unit(v, x, m.segment(v, row))
		}
	}
	for row := range c.bits {
		if row == 0 || v.By != nil && m.columns[v.By].at(row) != m.columns[v.By].at(row-1) {
			begin(row)
		}
		if v.Op == ir.OpExscan {
			c.bits[row] = running.value()
		}
		running.add(x.at(row))
		if v.Op == ir.OpScan {
			c.bits[row] = running.value()
		}
	}
	return c
}
