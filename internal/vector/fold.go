package vector

import (
	"math"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// folder is the state that rows fold into by a monoid. It lives from batch to batch.
type folder interface {
	reset()
	// scan folds rows low to high-1 of the elements, field by field, and gives each the state
	// that includes it or, exclusively, the one before. Outs are sized; those that nothing
	// uses are nil.
	scan(elements, outs []register, exclusive bool) func(low, high int)
	// reduce folds so many rows.
	reduce(elements []register) func(n int)
	// state returns the bits of a field.
	state(field int) uint64
}

// folder returns the state of operation i.
func (l *linker) folder(i int) folder {
	if l.folds[i] == nil {
		l.folds[i] = l.newFolder(l.Ops[i].Monoid)
		l.begin = append(l.begin, l.folds[i].reset)
	}
	return l.folds[i]
}

func (l *linker) newFolder(m *tile.Monoid) folder {
	k := m.Fields[len(m.Fields)-1].Kind
	switch {
	case m.Kind == tile.Fold:
		return newFold(m.Combine[0].Operator, k, m.Identity[0], false)
	case m.Kind == tile.Segmented && len(m.Fields) == 2:
		if next, ok := m.Restart(1); ok && len(next.Args) == 2 && next.Args[0].IsField(tile.A, 1) && next.Args[1].IsField(tile.B, 1) {
			return newFold(next.Operator, k, m.Identity[1], true)
		}
	case m.IsLast():
		return newLast(k, false)
	case isFirst(m):
		return newLast(k, true)
	case isRowOfExtreme(m, 0):
		return newRowOfExtreme(m, 0)
	case m.Kind == tile.Segmented && isRowOfExtreme(m, 1):
		return newRowOfExtreme(m, 1)
	}
	return l.newGeneral(m)
}

// scan links a Scan or a ChunkScan.
func (l *linker) scan(i int) {
	op := &l.Ops[i]
	n := l.count(op.Domain)
	elements := l.values(op.Args, op.Domain)
	state := l.folder(i)
	outs := make([]register, len(op.Res))
	for field, v := range op.Res {
		if l.uses[v] > 0 {
			outs[field] = newRegister(l.Values[v].Kind, l.batch)
			l.define(v, outs[field])
		}
	}
	run := state.scan(elements, outs, op.Exclusive)
	size := func() {
		for _, out := range outs {
			if out != nil {
				out.resize(*n)
			}
		}
	}
	if op.Kind == tile.Scan {
		l.add(func() {
			size()
			run(0, *n)
		})
		return
	}
	totals := make([]func(at int64, bits uint64), len(op.Totals))
	for field, s := range op.Totals {
		totals[field] = l.setter(&l.streams[s])
	}
	base := &l.domains[0]
	l.add(func() {
		size()
		for low := 0; low < *n; {
			row := base.first + int64(low)
			chunk := row / l.Chunk
			if row%l.Chunk == 0 {
				state.reset()
			}
			end := min((chunk+1)*l.Chunk, l.rows)
			high := int(min(int64(*n), end-base.first))
			run(low, high)
			if base.first+int64(high) == end {
				for field, set := range totals {
					set(chunk, state.state(field))
				}
			}
			low = high
		}
	})
}

// setter returns a function that stores elements of a stream.
func (l *linker) setter(s *stream) func(at int64, bits uint64) {
	r := newRegister(s.kind, 1)
	at := &vector[int64]{room: 1}
	steps := &section{}
	in := &linker{frame: l.frame, section: steps}
	x := l.inMemoryBy(in, r, s)
	in.add(x.scatter(in, s, at, &one, false))
	return func(place int64, bits uint64) {
		r.set(bits)
		at.sized(1)[0] = place
		steps.runAll()
	}
}

func (l *linker) inMemoryBy(in *linker, r register, s *stream) register {
	if s.kind == ir.Char8 {
		return r.swapped(in, &one)
	}
	return r
}

// stateAfter gives the results of a scan the state after all rows, where a segment closes.
func (l *linker) stateAfter(i int) {
	state := l.folder(i)
	for field, v := range l.Ops[i].Res {
		r := newRegister(l.Values[v].Kind, 1)
		l.define(v, r)
		l.add(func() { r.set(state.state(field)) })
	}
}

// reduce links a fold of which only the state after all rows is wanted.
func (l *linker) reduce(i int) {
	op := &l.Ops[i]
	n := l.count(op.Domain)
	run := l.folder(i).reduce(l.values(op.Args, op.Domain))
	l.add(func() { run(*n) })
}

// reduced gives the results of a Reduce their values.
func (l *linker) reduced(i int) {
	state := l.folder(i)
	for field, v := range l.Ops[i].Res {
		r := newRegister(l.Values[v].Kind, 1)
		l.define(v, r)
		l.add(func() { r.set(state.state(field)) })
	}
}

// total links the value that a fold has after all rows.
func (l *linker) total(op *tile.Op) {
	by := l.Values[op.Args[0]].Op
	r := newRegister(l.Values[op.Res[0]].Kind, 1)
	l.define(op.Res[0], r)
	for field, v := range l.Ops[by].Res {
		if v == op.Args[0] {
			state := l.folder(by)
			l.add(func() { r.set(state.state(field)) })
		}
	}
}

// scanTotals links the scan of the states of chunks.
func (l *linker) scanTotals(op *tile.Op) {
	state := l.newFolder(op.Monoid)
	elements, outs := make([]register, len(op.Res)), make([]register, len(op.Res))
	at := &vector[int64]{room: 1}
	loads := l.newLinker(0)
	var offsets []func(at int64, bits uint64)
	for field, v := range op.Res {
		s := &l.streams[op.Totals[field]]
		elements[field], outs[field] = newRegister(s.kind, 1), newRegister(l.Values[v].Kind, 1)
		elements[field].gather(loads, s, at, &one, false)
		offsets = append(offsets, l.setter(&l.streams[op.Offsets[field]]))
		l.define(v, outs[field])
	}
	run := state.reduce(elements)
	l.add(func() {
		state.reset()
		for chunk := range l.streams[op.Totals[0]].length {
			at.sized(1)[0] = chunk
			loads.runAll()
			for field, set := range offsets {
				set(chunk, state.state(field))
			}
			run(1)
		}
		for field, out := range outs {
			out.set(state.state(field))
		}
	})
}

// fold is the state of a commutative operation, which may begin anew at the heads of
// segments: then a flag is its first field.
type fold[T number] struct {
	operator  ir.Op
	combine   func(a, b T) T
	identity  T
	x         T
	segmented bool
	head      uint8

	flags  vector[uint8] // of a batch in which all rows are heads, or none
	unread vector[T]     // states that nothing reads
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
	return &fold[T]{operator: operator, combine: combine, identity: T(identity.Bits), segmented: segmented}
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
		if flags != nil {
			f.seen(flags.rows[low:high], heads, low, exclusive)
		} else if f.head == 0 && low < high {
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
		for _, x := range rows {
			s = min(s, x)
		}
		return s
	case ir.OpGreatest:
		for _, x := range rows {
			s = max(s, x)
		}
		return s
	}
	for _, x := range rows {
		s = f.combine(s, x)
	}
	return s
}

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

func newLast(k ir.Kind, first bool) folder {
	switch newRegister(k, 0).(type) {
	case *vector[uint8]:
		return &last[uint8]{first: first}
	case *vector[int8]:
		return &last[int8]{first: first}
	case *vector[int16]:
		return &last[int16]{first: first}
	case *vector[int32]:
		return &last[int32]{first: first}
	case *vector[int64]:
		return &last[int64]{first: first}
	case *vector[uint16]:
		return &last[uint16]{first: first}
	case *vector[uint32]:
		return &last[uint32]{first: first}
	case *vector[uint64]:
		return &last[uint64]{first: first}
	case *vector[float32]:
		return &last[float32]{first: first}
	}
	return &last[float64]{first: first}
}

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

func newRowOfExtreme(m *tile.Monoid, from int) folder {
	switch newRegister(m.Fields[from].Kind, 0).(type) {
	case *vector[uint8]:
		return extremeOf[uint8](m, from)
	case *vector[int8]:
		return extremeOf[int8](m, from)
	case *vector[int16]:
		return extremeOf[int16](m, from)
	case *vector[int32]:
		return extremeOf[int32](m, from)
	case *vector[int64]:
		return extremeOf[int64](m, from)
	case *vector[uint16]:
		return extremeOf[uint16](m, from)
	case *vector[uint32]:
		return extremeOf[uint32](m, from)
	case *vector[uint64]:
		return extremeOf[uint64](m, from)
	case *vector[float32]:
		return extremeOf[float32](m, from)
	}
	return extremeOf[float64](m, from)
}

func extremeOf[T number](m *tile.Monoid, from int) folder {
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

// reduced folds some rows. Almost no element outranks those before; a comparison finds all
// that may.
func (f *rowOfExtreme[T]) reduced(in *vector[T], rows *vector[int64], low, high int) {
	if low == high {
		return
	}
	row := func(i int) int64 { return rows.rows[min(i, len(rows.rows)-1)] }
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
