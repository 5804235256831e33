package interp

import "github.com/kgen-go/kgen/ir"

// column is the evaluated form of a value: the bits of each row, encoded as in
// ir.Scalar. A scalar has one row, which stands for any row.
type column struct {
	kind   ir.Kind
	scalar bool
	bits   []uint64
	right  []uint64 // of a join only: the right rows, bits being the left ones
}

// at returns the bits of a row.
func (c column) at(row int) uint64 {
	if c.scalar {
		row = 0
	}
	return c.bits[row]
}

// newColumn returns n zero rows of v's kind.
func newColumn(v *ir.Value, n int) column {
	return column{kind: v.Type.Kind, scalar: v.Type.IsScalar(), bits: make([]uint64, n)}
}

// scalarColumn returns s as the value of every row.
func scalarColumn(s ir.Scalar) column {
	return column{kind: s.Kind, scalar: true, bits: []uint64{s.Bits}}
}

// fromData copies a caller's column.
func fromData(data ir.Column, scalar bool) column {
	c := column{kind: data.Kind, scalar: scalar, bits: make([]uint64, data.Len())}
	for row := range c.bits {
		c.bits[row] = data.At(row).Bits
	}
	return c
}

// toData copies the column into the Go slice that callers read, taking row
// order[i] as row i. A nil order keeps the rows as they are.
func (c column) toData(order []int) ir.Column {
	data := ir.NewColumn(c.kind, len(c.bits))
	for i := range c.bits {
		row := i
		if order != nil {
			row = order[i]
		}
		data.Set(i, ir.Scalar{Kind: c.kind, Bits: c.bits[row]})
	}
	return data
}

// clampRow returns the row of n that index x of kind k names, and whether it
// names one; if not, the nearest row. Of no rows none is.
func clampRow(k ir.Kind, x uint64, n int) (row int, ok bool) {
	if isNegative(k, x) {
		return 0, false
	}
	if x >= uint64(n) {
		return n - 1, false
	}
	return int(x), true
}
