package vector

import "github.com/kgen-go/kgen/ir"

// fold is the state of a commutative operation, which may begin anew at the heads of
// segments: then a flag is its first field.
type fold[T number] struct {
	operator  ir.Op
	combine   func(a, b T) T
	all       func(s T, rows []T) T // combines rows, or nil
	identity  T
	x         T
	segmented bool
	head      uint8

	flags  vector[uint8] // of heads
	unread vector[T]     // states that nothing reads
	upTo   vector[T]     // sums of the rows of a batch before each
}

func newFold(operator ir.Op, k ir.Kind, identity ir.Scalar, segmented bool) folder {
	switch k.Stored() {
	case ir.Bool, ir.U8:
		return integerFold[uint8](operator, identity, segmented)
	case ir.I8:
		return integerFold[int8](operator, identity, segmented)
	case ir.I16:
		return integerFold[int16](operator, identity, segmented)
	case ir.I32:
		return integerFold[int32](operator, identity, segmented)
	case ir.I64:
		return integerFold[int64](operator, identity, segmented)
	case ir.U16:
		return integerFold[uint16](operator, identity, segmented)
	case ir.U32:
		return integerFold[uint32](operator, identity, segmented)
	case ir.U64, ir.Char8:
		return integerFold[uint64](operator, identity, segmented)
	case ir.F32:
		return &fold[float32]{operator: operator, combine: numbers[float32](operator), identity: ofBits[float32](identity.Bits), segmented: segmented}
	}
	return &fold[float64]{operator: operator, combine: numbers[float64](operator), identity: ofBits[float64](identity.Bits), segmented: segmented}
}

func integerFold[T integer](operator ir.Op, identity ir.Scalar, segmented bool) folder {
	combine := integers[T](operator)
	return &fold[T]{operator: operator, combine: combine, all: bitsOfAll[T](operator), identity: T(identity.Bits), segmented: segmented}
}

// bitsOfAll returns the operation of a state and rows, if it is one of bits.
func bitsOfAll[T integer](operator ir.Op) func(s T, rows []T) T {
	switch operator {
	case ir.OpAnd, ir.OpLogicalAnd:
		return andOfAll[T]
	case ir.OpOr, ir.OpLogicalOr:
		return orOfAll[T]
	}
	return nil
}

func andOfAll[T integer](s T, rows []T) T {
	for _, x := range rows {
		s &= x
	}
	return s
}

func orOfAll[T integer](s T, rows []T) T {
	for _, x := range rows {
		s |= x
	}
	return s
}

// integers returns the operation of two integers or bools.
func integers[T integer](operator ir.Op) func(a, b T) T {
	switch operator {
	case ir.OpAnd, ir.OpLogicalAnd:
		return func(a, b T) T { return a & b }
	case ir.OpOr, ir.OpLogicalOr:
		return func(a, b T) T { return a | b }
	case ir.OpXor, ir.OpNe:
		return func(a, b T) T { return a ^ b }
	}
	return numbers[T](operator)
}

func numbers[T number](operator ir.Op) func(a, b T) T {
	switch operator {
	case ir.OpAdd:
		return func(a, b T) T { return a + b }
	case ir.OpMul:
		return func(a, b T) T { return a * b }
	case ir.OpLeast:
		return func(a, b T) T { return min(a, b) }
	case ir.OpGreatest:
		return func(a, b T) T { return max(a, b) }
	}
	panic(refusal{errNoFold(operator)})
}

func (f *fold[T]) reset() { f.x, f.head = f.identity, 0 }

func (f *fold[T]) state(field int) uint64 {
	if f.segmented && field == 0 {
		return uint64(f.head)
	}
	return bitsOf(f.x)
}

func (f *fold[T]) scan(elements, outs []register, exclusive bool) func(low, high int) {
	in := elements[len(elements)-1].(*vector[T])
	out, _ := outs[len(outs)-1].(*vector[T])
	if !f.segmented {
		return func(low, high int) {
			if out == nil {
				f.x = f.reduced(f.x, in, low, high)
				return
			}
			f.running(out.rows[low:high], in, low, high, exclusive)
		}
	}
	heads := elements[0].(*vector[uint8])
	flags, _ := outs[0].(*vector[uint8])
	return func(low, high int) {
		if low == high { // heads may have no memory yet
			return
		}
		if flags != nil {
			f.seen(flags.rows[low:high], heads, low, exclusive)
		} else if f.head == 0 {
			f.head = f.anyHead(heads, low, high)
		}
		var to []T
		if out != nil {
			to = out.rows[low:high]
		}
		if len(heads.rows) == 1 && high-low > 1 {
			f.restartAll(to, in, low, high, heads.rows[0], exclusive)
			return
		}
		h := heads.rows[:1]
		if len(heads.rows) > 1 {
			h = heads.rows[low:high]
		} else {
			h = h[:high-low]
		}
		f.restarting(to, in, low, high, h, exclusive)
	}
}

func (f *fold[T]) anyHead(heads *vector[uint8], low, high int) uint8 {
	if len(heads.rows) == 1 {
		return heads.rows[0]
	}
	for _, h := range heads.rows[low:high] {
		if h != 0 {
			return 1
		}
	}
	return 0
}

// seen gives each row whether there has been a head.
func (f *fold[T]) seen(to []uint8, heads *vector[uint8], low int, exclusive bool) {
	for i := range to {
		after := f.head | heads.rows[min(low+i, len(heads.rows)-1)]
		if exclusive {
			to[i] = f.head
		} else {
			to[i] = after
		}
		f.head = after
	}
}

// restartAll is restarting where all rows are heads, or none.
func (f *fold[T]) restartAll(to []T, in *vector[T], low, high int, head uint8, exclusive bool) {
	heads := f.flags.sized(high - low)
	fill(heads, head)
	f.restarting(to, in, low, high, heads, exclusive)
}

// restarting folds rows that begin anew where a flag holds; to is nil if no row is wanted.
func (f *fold[T]) restarting(to []T, in *vector[T], low, high int, heads []uint8, exclusive bool) {
	s, n := f.x, high-low
	if to == nil {
		to = f.unread.sized(n)
	}
	heads = heads[:n]
	rows, step := in.rows, 0
	if len(rows) > 1 {
		rows, step = rows[low:high], 1
	}
	isSum, at := f.operator == ir.OpAdd, 0
	switch {
	case isSum && exclusive && step == 1:
		rows = rows[:n]
		for i, h := range heads {
			to[i] = s
			if h != 0 {
				s = rows[i]
			} else {
				s += rows[i]
			}
		}
	case isSum && exclusive && n > 0:
		x := rows[0]
		for i, h := range heads {
			to[i] = s
			if h != 0 {
				s = 0
			}
			s += x
		}
	default:
		for i, h := range heads {
			x := rows[at]
			at += step
			if exclusive {
				to[i] = s
			}
			if h != 0 {
				s = x
			} else {
				s = f.combine(s, x)
			}
			if !exclusive {
				to[i] = s
			}
		}
	}
	f.x = s
}

// running folds rows and gives each the state.
func (f *fold[T]) running(to []T, in *vector[T], low, high int, exclusive bool) {
	s := f.x
	if len(to) == 0 {
		return
	}
	if len(in.rows) == 1 {
		x := in.rows[0]
		if f.operator == ir.OpAdd {
			if exclusive {
				for i := range to {
					to[i] = s
					s += x
				}
			} else {
				for i := range to {
					s += x
					to[i] = s
				}
			}
			f.x = s
			return
		}
		for i := range to {
			if exclusive {
				to[i] = s
			}
			s = f.combine(s, x)
			if !exclusive {
				to[i] = s
			}
		}
		f.x = s
		return
	}
	rows := in.rows[low:high]
	to = to[:len(rows)]
	switch {
	case f.operator == ir.OpAdd && exclusive:
		for i, x := range rows {
			to[i] = s
			s += x
		}
	case f.operator == ir.OpAdd:
		for i, x := range rows {
			s += x
			to[i] = s
		}
	case f.operator == ir.OpGreatest && !exclusive:
		for i, x := range rows {
			s = max(s, x)
			to[i] = s
		}
	case f.operator == ir.OpLeast && !exclusive:
		for i, x := range rows {
			s = min(s, x)
			to[i] = s
		}
	case exclusive:
		for i, x := range rows {
			to[i] = s
			s = f.combine(s, x)
		}
	default:
		for i, x := range rows {
			s = f.combine(s, x)
			to[i] = s
		}
	}
	f.x = s
}

func (f *fold[T]) reduce(elements []register) func(n int) {
	in := elements[len(elements)-1].(*vector[T])
	if f.segmented { // the state after the last head
		scan := f.scan(elements, make([]register, 2), true)
		return func(n int) { scan(0, n) }
	}
	return func(n int) { f.x = f.reduced(f.x, in, 0, n) }
}

// reduced returns a state with some rows.
func (f *fold[T]) reduced(s T, in *vector[T], low, high int) T {
	if low == high {
		return s
	}
	if len(in.rows) == 1 {
		x := in.rows[0]
		if f.operator == ir.OpAdd && !isFloat[T]() {
			return s + x*T(high-low)
		}
		for range high - low {
			s = f.combine(s, x)
		}
		return s
	}
	rows := in.rows[low:high]
	switch f.operator {
	case ir.OpAdd:
		var a, b, c, d T
		for len(rows) >= 4 {
			a += rows[0]
			b += rows[1]
			c += rows[2]
			d += rows[3]
			rows = rows[4:]
		}
		for _, x := range rows {
			a += x
		}
		return s + ((a + b) + (c + d))
	case ir.OpLeast:
		return leastOfAll(s, rows)
	case ir.OpGreatest:
		return greatestOfAll(s, rows)
	}
	if f.all != nil {
		return f.all(s, rows)
	}
	for _, x := range rows {
		s = f.combine(s, x)
	}
	return s
}

// leastOfAll returns the least of a state and rows. Four rows in turn do not wait for each other.
func leastOfAll[T number](s T, rows []T) T {
	a, b, c, d := s, s, s, s
	for len(rows) >= 4 {
		a, b, c, d = min(a, rows[0]), min(b, rows[1]), min(c, rows[2]), min(d, rows[3])
		rows = rows[4:]
	}
	for _, x := range rows {
		a = min(a, x)
	}
	return min(a, b, c, d)
}

// greatestOfAll returns the greatest.
func greatestOfAll[T number](s T, rows []T) T {
	a, b, c, d := s, s, s, s
	for len(rows) >= 4 {
		a, b, c, d = max(a, rows[0]), max(b, rows[1]), max(c, rows[2]), max(d, rows[3])
		rows = rows[4:]
	}
	for _, x := range rows {
		a = max(a, x)
	}
	return max(a, b, c, d)
}
