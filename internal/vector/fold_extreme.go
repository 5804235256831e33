package vector

import (
	"math"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// rowOfExtreme is the state of the least or greatest element and the first row that has it. It
// may begin anew at the heads of segments: then a flag is its first field.
type rowOfExtreme[T number] struct {
	greatest bool
	flags    int // fields before those two: 0 or 1
	identity T
	x        T
	row      int64
	head     uint8
}

// isRowOfExtreme reports whether fields from some place on are those of an extreme and its row.
func isRowOfExtreme(m *tile.Monoid, from int) bool {
	return len(m.Fields) == from+2 && m.Fields[from+1].Name == "row" && int64(m.Identity[from+1].Bits) == -1
}

// extreme returns the state of a monoid of the extreme, which is of the type of v, and its row,
// from a field on.
func (v *vector[T]) extreme(m *tile.Monoid, from int) folder {
	return &rowOfExtreme[T]{greatest: m.Fields[from].Name == ir.ReduceMax.String(), flags: from, identity: ofBits[T](m.Identity[from].Bits)}
}

func (f *rowOfExtreme[T]) reset() { f.x, f.row, f.head = f.identity, -1, 0 }

func (f *rowOfExtreme[T]) state(field int) uint64 {
	switch field - f.flags {
	case 0:
		return bitsOf(f.x)
	case 1:
		return uint64(f.row)
	}
	return uint64(f.head)
}

// operands returns what rows fold.
func (f *rowOfExtreme[T]) operands(elements []register) (in *vector[T], rows *vector[int64]) {
	return elements[f.flags].(*vector[T]), elements[f.flags+1].(*vector[int64])
}

func (f *rowOfExtreme[T]) scan(elements, outs []register, exclusive bool) func(low, high int) {
	in, rows := f.operands(elements)
	out, _ := outs[f.flags].(*vector[T])
	outRow, _ := outs[f.flags+1].(*vector[int64])
	var heads, seen *vector[uint8]
	if f.flags > 0 {
		heads = elements[0].(*vector[uint8])
		seen, _ = outs[0].(*vector[uint8])
	}
	give := func(i int) {
		if out != nil {
			out.rows[i] = f.x
		}
		if outRow != nil {
			outRow.rows[i] = f.row
		}
		if seen != nil {
			seen.rows[i] = f.head
		}
	}
	return func(low, high int) {
		for i := low; i < high; i++ {
			if exclusive {
				give(i)
			}
			if heads != nil && heads.rows[min(i, len(heads.rows)-1)] != 0 {
				f.head, f.row = 1, -1
			}
			f.see(in.rows[min(i, len(in.rows)-1)], rows.rows[min(i, len(rows.rows)-1)])
			if !exclusive {
				give(i)
			}
		}
	}
}

// see folds one row.
func (f *rowOfExtreme[T]) see(x T, row int64) {
	if f.row < 0 || outranks(x, f.x, f.greatest) {
		f.x, f.row = x, row
	}
}

// outranks reports whether x alone is the extreme of two elements.
func outranks[T number](x, of T, greatest bool) bool {
	switch {
	case of != of:
		return false
	case x != x:
		return true
	case x == of:
		return isFloat[T]() && x == 0 && math.Signbit(float64(x)) != greatest && math.Signbit(float64(of)) == greatest
	}
	return x < of != greatest
}

func (f *rowOfExtreme[T]) reduce(elements []register) func(n int) {
	if f.flags > 0 {
		scan := f.scan(elements, make([]register, 3), true)
		return func(n int) { scan(0, n) }
	}
	in, rows := f.operands(elements)
	return func(n int) { f.reduced(in, rows, 0, n) }
}

// countsRows reports whether reduce takes rows of which the first number alone is known.
func (f *rowOfExtreme[T]) countsRows() bool { return f.flags == 0 }

// reduced folds some rows. Almost no element outranks those before; a comparison finds all
// that may.
func (f *rowOfExtreme[T]) reduced(in *vector[T], rows *vector[int64], low, high int) {
	if low == high {
		return
	}
	row := func(i int) int64 {
		if rows.dense {
			return rows.rows[0] + int64(i)
		}
		return rows.rows[min(i, len(rows.rows)-1)]
	}
	if len(in.rows) == 1 {
		f.see(in.rows[0], row(low)) // the first of equal elements stays
		return
	}
	if f.row < 0 {
		f.x, f.row = in.rows[low], row(low)
		low++
	}
	if at := extreme(in.rows[low:high], f.x, f.greatest); at >= 0 {
		f.x, f.row = in.rows[low+at], row(low+at)
	}
}

// extreme returns the place of the first row that holds the extreme of rows, if it outranks
// best, and else -1.
func extreme[T number](rows []T, best T, greatest bool) int {
	at := -1
	if greatest {
		for i, x := range rows {
			if !(x < best) && outranks(x, best, true) {
				best, at = x, i
			}
		}
		return at
	}
	for i, x := range rows {
		if !(x > best) && outranks(x, best, false) {
			best, at = x, i
		}
	}
	return at
}
