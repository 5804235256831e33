package vector

import (
	"unsafe"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// A sort takes keys apart into digits, and counts and places rows by them. One loop finds the
// digit of a row and does that; by steps of one operation each, a shift, a mask, a conversion
// and the place where rows of the digit begin would all be stored, and loaded again.

// digit is a value that is some bits of an unsigned one.
type digit struct {
	of     tile.ID
	shift  tile.ID // of all rows, as those below; 0 for none
	mask   tile.ID
	offset tile.ID // is added; 0 for none
}

// mapped returns the operation that makes v, if it is element-wise by such an operator.
func (f *frame) mapped(v tile.ID, operator ir.Op) *tile.Op {
	if op := &f.Ops[f.Values[v].Op]; op.Kind == tile.Map && op.Operator == operator {
		return op
	}
	return nil
}

// withUniform returns the operand that differs from row to row of an operation by such an operator,
// and the one that does not.
func (f *frame) withUniform(v tile.ID, operator ir.Op) (varies, uniform tile.ID, ok bool) {
	op := f.mapped(v, operator)
	if op == nil {
		return 0, 0, false
	}
	isUniform := func(i int) bool { return f.Values[op.Args[i]].Domain == tile.Uniform }
	if isUniform(0) == isUniform(1) || operator == ir.OpShr && isUniform(0) {
		return 0, 0, false
	}
	if isUniform(0) {
		return op.Args[1], op.Args[0], true
	}
	return op.Args[0], op.Args[1], true
}

// digitOf returns the digit that v is, if it is one.
func (f *frame) digitOf(v tile.ID) (d digit, ok bool) {
	if of, offset, added := f.withUniform(v, ir.OpAdd); added {
		d.offset, v = offset, of
	}
	cast := f.mapped(v, ir.OpCast)
	if cast == nil || f.Values[v].Kind != ir.I64 {
		return digit{}, false
	}
	if d.of, d.mask, ok = f.withUniform(cast.Args[0], ir.OpAnd); !ok {
		return digit{}, false
	}
	if of, shift, shifted := f.withUniform(d.of, ir.OpShr); shifted {
		d.of, d.shift = of, shift
	}
	switch f.Values[d.of].Kind {
	case ir.U8, ir.U16, ir.U32, ir.U64:
		return d, true
	}
	return digit{}, false
}

// digits is a digit of a vector.
type digits[T unsigned] struct {
	of                  *vector[T]
	shift, mask, offset register // nil for none
}

// digitLoops are the loops over rows by their digits.
type digitLoops interface {
	// ranks gives each row the next place of its digit.
	ranks(to, next []int64)
	// moves moves rows to the next places of their digits in a stream.
	moves(s *stream, next []int64, n int)
	// copies moves rows to consecutive places.
	copies(s *stream, first int64, n int)
	// count adds x to the elements of a table that the digits of n rows number: these, and other ones
	// of the same rows.
	count(others []digitLoops, table []int64, x int64, n int)
}

// digits returns the loops for the rows of a domain.
func (l *linker) digits(d digit, domain int) digitLoops {
	uniform := func(v tile.ID) register {
		if v == 0 {
			return nil
		}
		return l.value(v, tile.Uniform)
	}
	shift, mask, offset := uniform(d.shift), uniform(d.mask), uniform(d.offset)
	switch of := l.full(d.of, domain).(type) {
	case *vector[uint8]:
		return &digits[uint8]{of, shift, mask, offset}
	case *vector[uint16]:
		return &digits[uint16]{of, shift, mask, offset}
	case *vector[uint32]:
		return &digits[uint32]{of, shift, mask, offset}
	case *vector[uint64]:
		return &digits[uint64]{of, shift, mask, offset}
	}
	panic("vector: a digit of no unsigned number")
}

// parameters returns what is the same for all rows.
func (d *digits[T]) parameters() (shift uint64, mask T, offset int64) {
	if d.shift != nil {
		shift = d.shift.bits(0) & uint64(8*unsafe.Sizeof(mask)-1)
	}
	if d.offset != nil {
		offset = int64(d.offset.bits(0))
	}
	return shift, T(d.mask.bits(0)), offset
}

// byteDigits is the number of digits of 8 bits: an index of 8 bits needs no check there.
const byteDigits = 256

func (d *digits[T]) ranks(to, next []int64) {
	shift, mask, _ := d.parameters()
	shift &= 63
	rows := d.of.rows[:len(to)]
	if uint64(mask) == byteDigits-1 {
		next := (*[byteDigits]int64)(next)
		for i, x := range rows {
			place := &next[uint8(x>>shift)]
			to[i] = *place
			*place++
		}
		return
	}
	for i, x := range rows {
		place := &next[x>>shift&mask]
		to[i] = *place
		*place++
	}
}

func (d *digits[T]) moves(s *stream, next []int64, n int) {
	shift, mask, _ := d.parameters()
	shift &= 63
	to, rows := elements[T](s), d.of.rows[:n]
	if uint64(mask) == byteDigits-1 {
		next := (*[byteDigits]int64)(next)
		for _, x := range rows {
			place := &next[uint8(x>>shift)]
			to[*place] = x
			*place++
		}
		return
	}
	for _, x := range rows {
		place := &next[x>>shift&mask]
		to[*place] = x
		*place++
	}
}

func (d *digits[T]) copies(s *stream, first int64, n int) {
	copy(elements[T](s)[first:first+int64(n)], d.of.rows)
}

// places are the next places of the digits of a sort.
type places struct {
	next []int64
	only int64 // where the first row goes if all rows have one digit, and so stay in order; else -1
}

// rank links the places of rows that are sorted by a digit.
func (l *linker) rank(op *tile.Op) {
	dst, n := &vector[int64]{room: l.batch}, l.count(0)
	d, ok := l.digitOf(op.Args[0])
	if ok && d.offset == 0 && l.dependsOn(op.Args[1], op.Args[0]) {
		p, by := l.firstPlaces(op), l.digits(d, 0)
		base := &l.domains[0].first
		s, moves := l.onlyMoves(op, d)
		f := l.frame
		l.ordered(func() {
			if moves && f.turns == nil {
				if p.only >= 0 {
					by.copies(s, p.only+*base, *n)
				} else {
					by.moves(s, p.next, *n)
				}
				return
			}
			to := dst.sized(*n)
			if dst.dense = p.only >= 0; dst.dense {
				count(to, p.only+*base)
				return
			}
			by.ranks(to, p.next)
		})
		if moves { // of several workers each moves rows by itself
			scatter := l.full(d.of, 0).scatter(l, s, dst, n, false)
			l.add(func() {
				if f.turns != nil {
					scatter()
				}
			})
		}
		l.define(op.Res[0], dst)
		return
	}
	l.serial = true
	digit, first := l.full(op.Args[0], 0).(*vector[int64]), l.full(op.Args[1], 0).(*vector[int64])
	counts := shared(l, func() []int64 {
		counts := make([]int64, op.Digits)
		l.begin = append(l.begin, func() { clear(counts) })
		return counts
	})
	l.ordered(func() {
		ranks(dst.sized(*n), digit.rows, first.rows, counts)
	})
	l.define(op.Res[0], dst)
}

// onlyMoves returns the stream to which rows move that are ranked by a digit of what is stored there, if
// nothing else reads their places. Their store is spared.
func (l *linker) onlyMoves(rank *tile.Op, by digit) (*stream, bool) {
	v := rank.Res[0]
	for i := range l.Ops {
		op := &l.Ops[i]
		if op.Kind == tile.Store && op.Domain == 0 && len(op.Args) == 2 && op.Args[0] == by.of && op.Args[1] == v && l.uses[v] == 1 &&
			l.streams[op.Stream].kind == l.Values[by.of].Kind {
			l.spared[i] = true
			return &l.streams[op.Stream], true
		}
	}
	return nil, false
}

// ranks gives each row the place after the earlier rows of its digit.
func ranks(to, digits, first, counts []int64) {
	digits, first = digits[:len(to)], first[:len(to)]
	for i, d := range digits {
		c := counts[d]
		to[i] = first[i] + c
		counts[d] = c + 1
	}
}

// dependsOn reports whether v is a function of another value of the base, and of nothing else
// that differs from row to row.
func (f *frame) dependsOn(v, on tile.ID) bool {
	if v == on || f.Values[v].Domain == tile.Uniform {
		return true
	}
	op := &f.Ops[f.Values[v].Op]
	if op.Domain != 0 || op.Kind != tile.Map && !(op.Kind == tile.Load && len(op.Args) > 0) {
		return false
	}
	for _, arg := range op.Args {
		if !f.dependsOn(arg, on) {
			return false
		}
	}
	return true
}

// firstPlaces returns the places where rows of each digit begin, computed for all digits before
// the rows.
func (l *linker) firstPlaces(op *tile.Op) *places {
	return shared(l, func() *places {
		t := l.newLinker(0)
		t.lenient = true
		all := &vector[int64]{room: int(op.Digits)}
		t.domains[0].n = int(op.Digits)
		t.known[place{op.Args[0], 0}] = all
		t.add(func() { count(all.sized(int(op.Digits)), 0) })
		for i := range l.Ops {
			if k := l.Ops[i].Kind; k == tile.Map || k == tile.Load {
				t.later[l.Ops[i].Res[0]] = i
			}
		}
		first := t.full(op.Args[1], 0).(*vector[int64])
		p := &places{next: make([]int64, op.Digits)}
		t.add(func() {
			copy(p.next, first.rows)
			p.only = onlyDigit(p.next, l.rows)
		})
		l.tables = append(l.tables, t.section)
		return p
	})
}

// onlyDigit returns where rows begin that all have one digit, or -1: rows of other digits would
// begin between the first row and the end.
func onlyDigit(first []int64, rows int64) int64 {
	for _, place := range first {
		if place != first[0] && place != first[0]+rows {
			return -1
		}
	}
	return first[0]
}
