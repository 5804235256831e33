package vector

import (
	"math/bits"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Sums take flags and narrow integers as they are, and no step stores these as elements of the sum's
// type.

// adder is a fold that may be a sum of integers.
type adder interface {
	addsUp() bool // whether it is
	add(x uint64)
}

func (f *fold[T]) addsUp() bool { return f.operator == ir.OpAdd && !isFloat[T]() }

func (f *fold[T]) add(x uint64) { f.x += T(x) }

// reduceSum links a sum of flags, or of integers that are widened for it alone, if a fold is one.
func (l *linker) reduceSum(i int) bool {
	op := &l.Ops[i]
	state, ok := l.folder(i).(adder)
	if !ok || op.Monoid.Kind != tile.Fold || !state.addsUp() {
		return false
	}
	n, v := l.count(op.Domain), op.Args[0]
	if flag, ok := l.Indicator(v); ok && l.isOnlyFor(v) && l.Values[flag].Domain != tile.Uniform {
		l.left[v] = 0
		if d := l.selectedBy(flag, op.Domain); d > 0 { // so many it selects
			l.left[flag]--
			l.selection(d)
			count := l.count(d)
			l.ordered(func() { state.add(uint64(*count)) })
			return true
		}
		flags := l.value(flag, op.Domain).(*vector[uint8])
		l.ordered(func() { state.add(countFlags(flags.rows[:*n])) })
		return true
	}
	if l.sharesScan(i) {
		return true
	}
	if l.reduceBits(op, state) {
		return true
	}
	of := l.widened(v)
	if of == v {
		return false
	}
	sum, total := l.sumOf(of, op.Domain), uint64(0)
	l.add(func() { total = sum(*n) })
	l.ordered(func() { state.add(total) })
	return true
}

// sharesScan has a sum be that of a scan that adds the same up, if there is one.
func (l *linker) sharesScan(i int) bool {
	op := &l.Ops[i]
	for j := range l.Ops {
		scan := &l.Ops[j]
		if scan.Kind == tile.Scan && scan.Monoid.Kind == tile.Fold && scan.Monoid.Combine[0].Operator == ir.OpAdd && !l.spared[j] &&
			scan.Domain == op.Domain && scan.Args[0] == op.Args[0] && scan.Monoid.Fields[0].Kind == op.Monoid.Fields[0].Kind {
			l.folds[i] = l.folder(j)
			return true
		}
	}
	return false
}

// reduceBits links a sum of some bits of integers, which no step stores, if a fold is one.
func (l *linker) reduceBits(op *tile.Op, state adder) bool {
	v := op.Args[0]
	if !l.isOnlyFor(v) {
		return false
	}
	for _, operator := range []ir.Op{ir.OpShr, ir.OpAnd} {
		varies, uniform, ok := l.withUniform(v, operator)
		if !ok || l.Values[v].Kind != ir.I64 || l.Values[uniform].Kind != ir.I64 {
			continue
		}
		l.left[v] = 0
		x, by, n := l.value(varies, op.Domain).(*vector[int64]), l.value(uniform, tile.Uniform), l.count(op.Domain)
		sum, total := sumMasked, uint64(0)
		if operator == ir.OpShr {
			sum = sumShifted
		}
		l.add(func() { total = sum(x.rows[:*n], by.bits(0)) })
		l.ordered(func() { state.add(total) })
		return true
	}
	return false
}

func sumMasked(rows []int64, mask uint64) (sum uint64) {
	for _, x := range rows {
		sum += uint64(x) & mask
	}
	return sum
}

func sumShifted(rows []int64, by uint64) (sum uint64) {
	for _, x := range rows {
		sum += uint64(x >> (by & 63))
	}
	return sum
}

// isOnlyFor reports whether a value waits to be computed, for one reader.
func (l *linker) isOnlyFor(v tile.ID) bool {
	_, waits := l.later[v]
	return waits && l.left[v] == 1
}

// selectedBy returns the domain of the rows of another one for which a flag holds, or 0.
func (l *linker) selectedBy(flag tile.ID, parent int) int {
	for d := 1; d < len(l.Domains); d++ {
		if x := &l.Domains[d]; x.Kind == tile.Compact && x.Guard == flag && x.Parent == parent {
			return d
		}
	}
	return 0
}

// countFlags returns how many flags hold.
func countFlags(flags []uint8) (n uint64) {
	i := 0
	for ; i+eight <= len(flags); i += eight {
		n += uint64(bits.OnesCount64(word(flags, i)))
	}
	for ; i < len(flags); i++ {
		n += uint64(flags[i])
	}
	return n
}

// widened returns the narrow integer that v is as one of 64 bits for one reader, which takes the narrow
// one in its place, or v.
func (l *linker) widened(v tile.ID) tile.ID {
	of, ok := l.isWidened(v)
	if ok {
		l.left[v] = 0
	}
	return of
}

// isWidened returns the narrow integer that v is for one reader, if it is one, or v.
func (l *linker) isWidened(v tile.ID) (tile.ID, bool) {
	cast := l.mapped(v, ir.OpCast)
	if cast == nil || !l.isOnlyFor(v) || l.Values[v].Domain == tile.Uniform {
		return v, false
	}
	if _, ok := l.chainOf(v); ok {
		return v, false
	}
	of, to := l.Values[cast.Args[0]].Kind.Stored(), l.Values[v].Kind.Stored()
	if !of.IsInteger() || !to.IsInteger() || of.Size() == 8 || to.Size() < 8 {
		return v, false
	}
	return cast.Args[0], true
}

// sumOf returns a function that adds rows of a narrow integer up.
func (l *linker) sumOf(v tile.ID, domain int) func(n int) uint64 {
	switch x := l.value(v, domain).(type) {
	case *vector[int8]:
		return func(n int) uint64 { return sumRows(uint64(0), x.rows, n) }
	case *vector[int16]:
		return func(n int) uint64 { return sumRows(uint64(0), x.rows, n) }
	case *vector[int32]:
		return func(n int) uint64 { return sumRows(uint64(0), x.rows, n) }
	case *vector[uint8]:
		return func(n int) uint64 { return sumRows(uint64(0), x.rows, n) }
	case *vector[uint16]:
		return func(n int) uint64 { return sumRows(uint64(0), x.rows, n) }
	case *vector[uint32]:
		return func(n int) uint64 { return sumRows(uint64(0), x.rows, n) }
	}
	panic("vector: a sum of no narrow integers")
}

// sumRows adds integers up, n rows or as often one that all have.
func sumRows[T, S number](s T, rows []S, n int) T {
	if len(rows) == 1 {
		return s + T(rows[0])*T(n)
	}
	var a, b, c, d T
	rows = rows[:n]
	for len(rows) >= 4 {
		a += T(rows[0])
		b += T(rows[1])
		c += T(rows[2])
		d += T(rows[3])
		rows = rows[4:]
	}
	for _, x := range rows {
		a += T(x)
	}
	return s + ((a + b) + (c + d))
}

// sumAtHeads is atHeads for sums of integers, of another type perhaps.
func sumAtHeads[T, S number](f *fold[T], in *vector[S], out *vector[T]) func(heads []int32, dropped, n int) {
	return func(heads []int32, dropped, n int) {
		var to []T
		if out != nil {
			to = out.rows
		}
		if len(heads) == 0 {
			f.x = sumRows(f.x, in.rows, n)
			return
		}
		// The segment that is open before the batch ends at the first head.
		f.head = 1
		rows := func(low, high int) []S { return in.rows[min(low, len(in.rows)-1):min(high, len(in.rows))] }
		first, last := int(heads[0]), int(heads[len(heads)-1])
		if s := sumRows(f.x, rows(0, first), first); dropped == 0 && out != nil {
			to[0], to = s, to[1:]
		}
		starts, ends := heads[:len(heads)-1], heads[1:]
		isLong := n >= manyRows*len(heads)
		switch {
		case to == nil:
		case len(in.rows) == 1:
			multiples(to, T(in.rows[0]), starts, ends)
		case isLong:
			for i, start := range starts {
				to[i] = sumRows(T(0), in.rows[start:ends[i]], int(ends[i]-start))
			}
		case n > 2*len(heads):
			upTo := f.upTo.sized(n + 1)
			sumsBefore(upTo, in.rows)
			differences(to, upTo, starts, ends)
		default:
			sums(to, in.rows, starts, ends)
		}
		f.x = sumRows(T(0), rows(last, n), n-last)
	}
}

// sumNarrowAtHeads is sumAtHeads for narrow integers.
func sumNarrowAtHeads[T integer](f *fold[T], in register, out *vector[T]) func(heads []int32, dropped, n int) {
	switch in := in.(type) {
	case *vector[int8]:
		return sumAtHeads(f, in, out)
	case *vector[int16]:
		return sumAtHeads(f, in, out)
	case *vector[int32]:
		return sumAtHeads(f, in, out)
	case *vector[uint8]:
		return sumAtHeads(f, in, out)
	case *vector[uint16]:
		return sumAtHeads(f, in, out)
	case *vector[uint32]:
		return sumAtHeads(f, in, out)
	}
	panic("vector: a sum of no narrow integers")
}

// sumsBefore gives the sum of the rows before each, and behind them that of all.
func sumsBefore[T, S number](to []T, rows []S) {
	to[0] = 0
	to, sum := to[1:], T(0)
	for i, x := range rows[:len(to)] {
		sum += T(x)
		to[i] = sum
	}
}

// differences gives the sum of each segment's rows, of which there are few but not one or two,
// without a branch at each end. It takes sums before rows, of integers: what overflows there cancels out.
func differences[T number](to, upTo []T, starts, ends []int32) {
	ends, to = ends[:len(starts)], to[:len(starts)]
	for i, start := range starts {
		to[i] = upTo[ends[i]] - upTo[start]
	}
}

// multiples gives for each segment the sum of an element that all rows have.
func multiples[T number](to []T, x T, starts, ends []int32) {
	ends, to = ends[:len(starts)], to[:len(starts)]
	if areOfOneRow(starts, ends) {
		fill(to, x)
		return
	}
	for i, start := range starts {
		to[i] = x * T(ends[i]-start)
	}
}

// sums gives the sum of each segment's rows, of which there are few.
func sums[T, S number](to []T, rows []S, starts, ends []int32) {
	ends, to = ends[:len(starts)], to[:len(starts)]
	if areOfOneRow(starts, ends) {
		for i, x := range rows[starts[0]:][:len(to)] {
			to[i] = T(x)
		}
		return
	}
	for i, start := range starts {
		sum := T(rows[start])
		for at := int(start) + 1; at < int(ends[i]); at++ {
			sum += T(rows[at])
		}
		to[i] = sum
	}
}
