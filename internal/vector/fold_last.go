package vector

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// last is the state of the last element that is present, or of the first.
type last[T number] struct {
	first   bool
	present uint8
	x       T
}

func isFirst(m *tile.Monoid) bool {
	return m.Kind == tile.Ordered && len(m.Fields) == 2 && m.Fields[0].Kind == ir.Bool && m.Combine[1].Operator == ir.OpSelect &&
		m.Combine[1].Args[0].IsField(tile.A, 0) && m.Combine[1].Args[1].IsField(tile.A, 1) && m.Combine[1].Args[2].IsField(tile.B, 1)
}

// last returns the state of the last element of the type of v, or of the first.
func (v *vector[T]) last(first bool) folder { return &last[T]{first: first} }

func (f *last[T]) reset() { *f = last[T]{first: f.first} }

func (f *last[T]) state(field int) uint64 {
	if field == 0 {
		return uint64(f.present)
	}
	return bitsOf(f.x)
}

func (f *last[T]) scan(elements, outs []register, exclusive bool) func(low, high int) {
	present, in := elements[0].(*vector[uint8]), elements[1].(*vector[T])
	flags, _ := outs[0].(*vector[uint8])
	out, _ := outs[1].(*vector[T])
	give := func(i int) {
		if flags != nil {
			flags.rows[i] = f.present
		}
		if out != nil {
			out.rows[i] = f.x
		}
	}
	return func(low, high int) {
		if low == high {
			return
		}
		if len(present.rows) == 1 && present.rows[0] == 1 && exclusive && !f.first && len(in.rows) > 1 {
			if flags != nil {
				fill(flags.rows[low:high], 1)
				flags.rows[low] = f.present
			}
			if out != nil {
				out.rows[low] = f.x
				copy(out.rows[low+1:high], in.rows[low:high-1])
			}
			f.present, f.x = 1, in.rows[high-1]
			return
		}
		for i := low; i < high; i++ {
			if exclusive {
				give(i)
			}
			f.see(present, in, i)
			if !exclusive {
				give(i)
			}
		}
	}
}

// see folds one row.
func (f *last[T]) see(present *vector[uint8], in *vector[T], i int) {
	if present.rows[min(i, len(present.rows)-1)] != 0 && (!f.first || f.present == 0) {
		f.present, f.x = 1, in.rows[min(i, len(in.rows)-1)]
	}
}

func (f *last[T]) reduce(elements []register) func(n int) {
	present, in := elements[0].(*vector[uint8]), elements[1].(*vector[T])
	return func(n int) {
		if f.first {
			for i := 0; i < n && f.present == 0; i++ {
				f.see(present, in, i)
			}
			return
		}
		for i := n - 1; i >= 0; i-- {
			if present.rows[min(i, len(present.rows)-1)] != 0 {
				f.see(present, in, i)
				return
			}
		}
	}
}
