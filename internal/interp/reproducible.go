package interp

import (
	"math"
	"math/bits"

	"github.com/kgen-go/kgen/ir"
)

// unit returns the power of two of which the summands of v, a reproducible sum, are made
// multiples where it adds these rows of x; 0 if all floats are multiples.
func (m *machine) unit(v *ir.Value, x column, rows []int) float64 {
	greatest := 0.0
	for _, row := range rows {
		if f := math.Abs(floatOf(x.kind, x.at(row))); f <= math.MaxFloat64 {
			greatest = max(greatest, f)
		}
	}
	exponent := -1022 // that of the least normal number
	if greatest >= 0x1p-1022 {
		exponent = math.Ilogb(greatest)
	}
	d := v.Args[0].Type.Domain
	if d == nil {
		d = v.By.Type.Domain
	}
	width := min(32, 64-bits.Len64(uint64(m.length(d))))
	return math.Ldexp(1, exponent+2-3*width)
}

// segment returns the rows that a scan adds from a row on, before it begins anew.
func (m *machine) segment(v *ir.Value, first int) (rows []int) {
	for row := first; row < m.length(v.Type.Domain); row++ {
		if v.By != nil && m.columns[v.By].at(row) != m.columns[v.By].at(first) {
			break
		}
		rows = append(rows, row)
	}
	return rows
}
