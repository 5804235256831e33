package interp

import (
	"encoding/binary"

	"github.com/kgen-go/kgen/ir"
)

// order is a stable sort by keys, of which some descend.
func (m *machine) order(v *ir.Value) column {
	n := m.length(v.Args[0].Type.Domain)
	keys := m.keys(v.Args, n)
	for i, ranks := range keys {
		if v.Desc[i] {
			for row := range ranks {
				ranks[row] = ^ranks[row]
			}
		}
	}
	rows := keys.sorted(n)
	if v.Limit != nil {
		limit := m.columns[v.Limit]
		first := min(limit.bits[0], uint64(n))
		if isNegative(limit.kind, limit.bits[0]) {
			m.checks.fail(v, ir.CheckLimit, 0)
			first = 0
		}
		rows = rows[:first]
	}
	c := newColumn(v, len(rows))
	for i, row := range rows {
		c.bits[i] = uint64(row)
	}
	return c
}

// sides returns the two key tuples of find and join as strings, which are
// equal where all keys are.
func (m *machine) sides(v *ir.Value) (left, right []string) {
	side := func(values []*ir.Value) []string {
		n := m.length(values[0].Type.Domain)
		keys := m.keys(values, n)
		rows := make([]string, n)
		text := make([]byte, 0, 8*len(keys))
		for row := range rows {
			text = text[:0]
			for _, ranks := range keys {
				text = binary.BigEndian.AppendUint64(text, ranks[row])
			}
			rows[row] = string(text)
		}
		return rows
	}
	return side(v.Args[:v.Split]), side(v.Args[v.Split:])
}

// find gives the smallest right row that is equal, else -1.
func (m *machine) find(v *ir.Value) column {
	left, right := m.sides(v)
	first := make(map[string]int, len(right))
	for row, key := range right {
		if _, found := first[key]; !found {
			first[key] = row
		}
	}
	c := newColumn(v, len(left))
	for row, key := range left {
		match, found := first[key]
		if !found {
			match = -1
		}
		c.bits[row] = uint64(int64(match))
	}
	return c
}

// join gives the pairs of equal rows by left row, then right row.
func (m *machine) join(v *ir.Value) (column, error) {
	left, right := m.sides(v)
	matches := make(map[string][]int, len(right))
	for row, key := range right {
		matches[key] = append(matches[key], row)
	}
	total := 0
	for _, key := range left {
		if total += len(matches[key]); total > m.rowLimit {
			return column{}, m.tooManyRows(v, "join")
		}
	}
	c := newColumn(v, 0)
	for row, key := range left {
		for _, match := range matches[key] {
			c.bits = append(c.bits, uint64(row))
			c.right = append(c.right, uint64(match))
		}
	}
	return c, nil
}
