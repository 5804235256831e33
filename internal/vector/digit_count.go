package vector

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// A sort counts all digits of its rows before it moves any. What the digits of a row have in common is
// loaded once for two or three of them.

// counted links the count of rows by a digit, if an operation is one, along with later counts by other
// digits of the same rows in the same table, which are spared.
func (l *linker) counted(i int) bool {
	op := &l.Ops[i]
	d, ok := l.countedDigit(op)
	if !ok {
		return false
	}
	by := []digitLoops{l.digits(d, op.Domain)}
	for j := i + 1; j < len(l.Ops) && op.Domain == 0; j++ {
		other := &l.Ops[j]
		if other.Kind != tile.Update || other.Domain != 0 || other.Stream != op.Stream || other.Args[1] != op.Args[1] {
			continue
		}
		if e, ok := l.countedDigit(other); ok && e.of == d.of {
			by = append(by, l.digits(e, 0))
			l.spared[j] = true
		}
	}
	x, n := l.value(op.Args[1], tile.Uniform), l.count(op.Domain)
	inTable(l, op, integers[int64](ir.OpAdd), func(table []int64) { by[0].count(by[1:], table, int64(x.bits(0)), *n) })
	return true
}

// countedDigit returns the digit by which an update counts rows, if it does that.
func (l *linker) countedDigit(op *tile.Op) (d digit, ok bool) {
	if l.streams[op.Stream].kind != ir.I64 || op.Monoid.Combine[0].Operator != ir.OpAdd || l.Values[op.Args[1]].Domain != tile.Uniform {
		return digit{}, false
	}
	return l.digitOf(op.Args[0])
}

// tally is where rows are counted by a digit: an element for each value that it can have.
type tally struct {
	counters []int64
	shift    uint64
	mask     uint64
}

// together is how many digits one loop counts by.
const together = 3

func (d *digits[T]) count(others []digitLoops, table []int64, x int64, n int) {
	rows := d.of.rows[:n]
	if n == 0 {
		return
	}
	var open [together]tally
	k := 0
	for i := -1; i < len(others); i++ {
		if i >= 0 {
			d = others[i].(*digits[T])
		}
		shift, mask, offset := d.parameters()
		switch {
		case offset >= int64(len(table)): // the plan has fewer digits than the kernel
			continue
		case allLike(rows, mask<<shift): // to add to one element again and again is slow
			if at := int64(rows[0]>>shift&mask) + offset; uint64(at) < uint64(len(table)) {
				table[at] += x * int64(n)
			}
			continue
		case offset < 0 || uint64(mask) >= uint64(int64(len(table))-offset):
			countInside(rows, table, shift, mask, offset, x)
			continue
		}
		open[k] = tally{table[offset : offset+int64(mask)+1], shift, uint64(mask)}
		if k++; k == together {
			countThree(rows, open[0], open[1], open[2], x)
			k = 0
		}
	}
	switch k {
	case 1:
		countOne(rows, open[0], x)
	case 2:
		countTwo(rows, open[0], open[1], x)
	}
}

// countInside counts by a digit of which some values may lie outside of the table.
func countInside[T unsigned](rows []T, table []int64, shift uint64, mask T, offset, x int64) {
	for _, row := range rows {
		if at := int64(row>>(shift&63)&mask) + offset; uint64(at) < uint64(len(table)) {
			table[at] += x
		}
	}
}

func countOne[T unsigned](rows []T, a tally, x int64) {
	shift := a.shift & 63
	if len(a.counters) == byteDigits {
		counters := (*[byteDigits]int64)(a.counters)
		for _, row := range rows {
			counters[uint8(row>>shift)] += x
		}
		return
	}
	for _, row := range rows {
		a.counters[uint64(row)>>shift&a.mask] += x
	}
}

func countTwo[T unsigned](rows []T, a, b tally, x int64) {
	s, t := a.shift&63, b.shift&63
	if len(a.counters) == byteDigits && len(b.counters) == byteDigits {
		a, b := (*[byteDigits]int64)(a.counters), (*[byteDigits]int64)(b.counters)
		for _, row := range rows {
			a[uint8(row>>s)] += x
			b[uint8(row>>t)] += x
		}
		return
	}
	for _, row := range rows {
		a.counters[uint64(row)>>s&a.mask] += x
		b.counters[uint64(row)>>t&b.mask] += x
	}
}

func countThree[T unsigned](rows []T, a, b, c tally, x int64) {
	s, t, u := a.shift&63, b.shift&63, c.shift&63
	if len(a.counters) == byteDigits && len(b.counters) == byteDigits && len(c.counters) == byteDigits {
		a, b, c := (*[byteDigits]int64)(a.counters), (*[byteDigits]int64)(b.counters), (*[byteDigits]int64)(c.counters)
		for _, row := range rows {
			a[uint8(row>>s)] += x
			b[uint8(row>>t)] += x
			c[uint8(row>>u)] += x
		}
		return
	}
	for _, row := range rows {
		a.counters[uint64(row)>>s&a.mask] += x
		b.counters[uint64(row)>>t&b.mask] += x
		c.counters[uint64(row)>>u&c.mask] += x
	}
}

// allLike reports whether all rows have some bits of the first.
func allLike[T unsigned](rows []T, bits T) bool {
	first := rows[0]
	if (rows[len(rows)/2]^first)&bits != 0 { // as mostly
		return false
	}
	other := T(0)
	for _, x := range rows {
		other |= x ^ first
	}
	return other&bits == 0
}
