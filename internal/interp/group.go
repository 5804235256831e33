package interp

import (
	"cmp"
	"math"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// noGroup is the group of a row that failed the check of bins.
const noGroup = math.MaxUint64

// keyTuple is the ranks of a compound key: unsigned order, left to right, is
// the order of keys.
type keyTuple [][]uint64

// keys ranks n rows of the given values.
func (m *machine) keys(values []*ir.Value, n int) keyTuple {
	tuple := make(keyTuple, len(values))
	for i, v := range values {
		c := m.columns[v]
		tuple[i] = make([]uint64, n)
		for row := range n {
			tuple[i][row] = keyRank(c.kind, c.at(row))
		}
	}
	return tuple
}

func (t keyTuple) compare(a, b int) int {
	for _, ranks := range t {
		if order := cmp.Compare(ranks[a], ranks[b]); order != 0 {
			return order
		}
	}
	return 0
}

// sorted returns the rows of n ascending by key, equal ones in row order.
func (t keyTuple) sorted(n int) []int {
	rows := make([]int, n)
	for row := range rows {
		rows[row] = row
	}
	slices.SortFunc(rows, func(a, b int) int { return cmp.Or(t.compare(a, b), cmp.Compare(a, b)) })
	return rows
}

// consecutive numbers the groups of rows taken in some order: the first row
// begins a group, and so does each row for which begins is true.
func (m *machine) consecutive(v *ir.Value, n int, begins func(row int) bool) column {
	c := newColumn(v, n)
	groups := 0
	for row := range n {
		if row == 0 || begins(row) {
			groups++
		}
		c.bits[row] = uint64(groups - 1)
	}
	m.setLength(v.Type.Target, groups)
	return c
}

func (m *machine) runs(v *ir.Value) column {
	n := m.length(v.Type.Domain)
	keys := m.keys(v.Args, n)
	return m.consecutive(v, n, func(row int) bool { return keys.compare(row-1, row) != 0 })
}

func (m *machine) starts(v *ir.Value) column {
	mask := m.arg(v, 0)
	return m.consecutive(v, m.length(v.Type.Domain), func(row int) bool { return mask.at(row) != 0 })
}

func (m *machine) groups(v *ir.Value) column {
	n := m.length(v.Type.Domain)
	keys := m.keys(v.Args, n)
	rows := keys.sorted(n)
	inOrder := m.consecutive(v, n, func(i int) bool { return keys.compare(rows[i-1], rows[i]) != 0 })
	c := newColumn(v, n)
	for i, row := range rows {
		c.bits[row] = inOrder.bits[i]
	}
	return c
}

func (m *machine) bins(v *ir.Value) (column, error) {
	x, to := m.arg(v, 0), m.arg(v, 1)
	size := len(to.bits)
	if to.scalar {
		var ok bool
		if size, ok = m.count(to.kind, to.bits[0]); !ok {
			return column{}, m.tooManyRows(v, "bins")
		}
		if size < 0 {
			m.checks.fail(v, ir.CheckBinSize, 0)
			size = 0
		}
	}
	m.setLength(v.Type.Target, size)
	c := newColumn(v, m.length(v.Type.Domain))
	for row := range c.bits {
		bin, ok := clampRow(x.kind, x.at(row), size)
		c.bits[row] = uint64(bin)
		if !ok {
			m.checks.fail(v, ir.CheckBinRange, row)
			c.bits[row] = noGroup
		}
	}
	return c, nil
}

// count reads x of kind k as a number of rows, -1 if it is negative. It is not
// ok past the row limit.
func (m *machine) count(k ir.Kind, x uint64) (rows int, ok bool) {
	if isNegative(k, x) {
		return -1, true
	}
	if x > uint64(m.rowLimit) {
		return 0, false
	}
	return int(x), true
}

func (m *machine) repeat(v *ir.Value) (column, error) {
	times := m.arg(v, 0)
	c := newColumn(v, 0)
	for row, x := range times.bits {
		copies, ok := m.count(times.kind, x)
		if !ok || copies > m.rowLimit-len(c.bits) {
			return column{}, m.tooManyRows(v, "repeat")
		}
		if copies < 0 {
			m.checks.fail(v, ir.CheckRepeatLength, row)
		}
		for range copies {
			c.bits = append(c.bits, uint64(row))
		}
	}
	return c, nil
}
