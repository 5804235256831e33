package interp

import (
	"math"

	"github.com/kgen-go/kgen/ir"
)

// grouping is the rows of each group, in row order.
type grouping struct {
	rows  []int
	start []int // of each group in rows, and the end
}

func (g grouping) size() int         { return len(g.start) - 1 }
func (g grouping) group(i int) []int { return g.rows[g.start[i]:g.start[i+1]] }

// grouping returns the rows that an aggregate reads: without by: one group of
// all rows of its argument.
func (m *machine) grouping(v *ir.Value) grouping {
	if v.By == nil {
		n := m.length(v.Args[0].Type.Domain)
		g := grouping{rows: make([]int, n), start: []int{0, n}}
		for row := range g.rows {
			g.rows[row] = row
		}
		return g
	}
	by, groups := m.columns[v.By], uint64(m.length(v.By.Type.Target))
	g := grouping{start: make([]int, groups+1)}
	for _, group := range by.bits {
		if group < groups {
			g.start[group+1]++
		}
	}
	for i := range groups {
		g.start[i+1] += g.start[i]
	}
	next := append([]int(nil), g.start...)
	g.rows = make([]int, g.start[groups])
	for row, group := range by.bits {
		if group < groups {
			g.rows[next[group]] = row
			next[group]++
		}
	}
	return g
}

func (m *machine) aggregate(v *ir.Value) column {
	g := m.grouping(v)
	c := newColumn(v, g.size())
	x := column{kind: ir.Bool, scalar: true, bits: []uint64{1}} // count(by: g) counts a mask that is true
	if len(v.Args) > 0 {
		x = m.arg(v, 0)
	}
	reduce := m.reducer(v, x)
	for i := range c.bits {
		rows := g.group(i)
		switch {
		case len(rows) > 0 || hasIdentity(v.Op):
			c.bits[i] = reduce(rows)
		case v.Else != nil:
			c.bits[i] = m.columns[v.Else].at(i)
		default:
			m.checks.fail(v, ir.CheckEmpty, i)
		}
	}
	return c
}

// hasIdentity reports whether an aggregate has a value of no rows.
func hasIdentity(op ir.Op) bool {
	switch op {
	case ir.OpSum, ir.OpCount, ir.OpProduct, ir.OpAny, ir.OpAll:
		return true
	}
	return false
}

// reducer returns the function from the rows of a group to the aggregate v of
// x over them.
func (m *machine) reducer(v *ir.Value, x column) func(rows []int) uint64 {
	// best is the first row that no other row beats.
	best := func(extreme func(k ir.Kind, a, b uint64) uint64) func(rows []int) uint64 {
		return func(rows []int) uint64 {
			row := rows[0]
			for _, other := range rows[1:] {
				if a, b := x.at(row), x.at(other); !same(x.kind, extreme(x.kind, a, b), a) {
					row = other
				}
			}
			return uint64(row)
		}
	}
	value := func(pick func(rows []int) uint64) func(rows []int) uint64 {
		return func(rows []int) uint64 { return x.at(int(pick(rows))) }
	}
	switch v.Op {
	case ir.OpSum:
		return m.summation(v, x)
	case ir.OpAvg:
		return m.average(v, x)
	case ir.OpProduct:
		return folded(ir.ReduceMul, sumKind(x.kind), x)
	case ir.OpAny:
		return folded(ir.ReduceOr, ir.Bool, x)
	case ir.OpAll:
		return folded(ir.ReduceAnd, ir.Bool, x)
	case ir.OpCount:
		return func(rows []int) uint64 {
			count := uint64(0)
			for _, row := range rows {
				count += x.at(row)
			}
			return count
		}
	case ir.OpFirst:
		return value(func(rows []int) uint64 { return uint64(rows[0]) })
	case ir.OpLast:
		return value(func(rows []int) uint64 { return uint64(rows[len(rows)-1]) })
	case ir.OpMin:
		return value(best(least))
	case ir.OpMax:
		return value(best(greatest))
	case ir.OpArgmin:
		return best(least)
	case ir.OpArgmax:
		return best(greatest)
	}
	panic(unknownOp(v.Op))
}

// same reports whether a and b are one value: all NaNs are.
func same(k ir.Kind, a, b uint64) bool {
	if k.IsFloat() {
		if x, y := floatOf(k, a), floatOf(k, b); x != x && y != y {
			return true
		}
	}
	return a == b
}

// sumKind is the kind that sums of kind k have.
func sumKind(k ir.Kind) ir.Kind {
	switch {
	case k.IsFloat():
		return ir.F64
	case k.IsUnsigned():
		return ir.U64
	case k.IsDecimal():
		return k
	}
	return ir.I64
}

// summation returns the sum of x over rows, an i64, u64 or f64.
func (m *machine) summation(v *ir.Value, x column) func(rows []int) uint64 {
	var sum accumulator = &fold{combine: func(a, b uint64) uint64 { return a + b }}
	floats := &exactSum{from: x.kind, to: ir.F64}
	if x.kind.IsFloat() {
		sum = floats
	}
	return func(rows []int) uint64 {
		sum.reset()
		if m.pipeline.IsReproducible(v) {
			floats.unit = m.unit(v, x, rows)
		}
		for _, row := range rows {
			sum.add(x.at(row))
		}
		return sum.value()
	}
}

// folded folds x over rows as a scan does, in kind k.
func folded(operation ir.ReduceOp, k ir.Kind, x column) func(rows []int) uint64 {
	state := newAccumulator(operation, k)
	return func(rows []int) uint64 {
		state.reset()
		for _, row := range rows {
			value := x.at(row)
			if x.kind != k {
				value = cast(x.kind, k, value)
			}
			state.add(value)
		}
		return state.value()
	}
}

// average returns f64(sum) / f64(count).
func (m *machine) average(v *ir.Value, x column) func(rows []int) uint64 {
	sum := m.summation(v, x)
	return func(rows []int) uint64 {
		total := floatOf(ir.F64, cast(sumKind(x.kind), ir.F64, sum(rows)))
		return math.Float64bits(total / float64(len(rows)))
	}
}
