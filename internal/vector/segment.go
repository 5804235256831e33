package vector

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// closing is a domain of segments of which nothing but the segments themselves needs the
// numbers. Then rows need not know how many segments began before them: the batch's heads are
// selected, and numbered from the count so far.
type closing struct {
	domain  int
	counter int // operation: the scan that counts heads
}

// findClosings finds the domains that are closings, and the operations that they spare.
func (f *frame) findClosings() {
	f.spared = make([]bool, len(f.Ops))
	for i, d := range f.Domains {
		if d.Kind != tile.Close || d.Counter == 0 {
			continue
		}
		counter := f.Values[d.Counter].Op
		scan := &f.Ops[counter]
		if scan.Kind != tile.Scan || !scan.Exclusive || scan.Monoid.Kind != tile.Fold || scan.Domain != d.Parent {
			continue
		}
		flag, ok := f.Indicator(scan.Args[0])
		open, position := f.Values[d.Open].Op, f.Values[d.Position].Op
		isNumber := func(op *tile.Op, operator ir.Op, other uint64) bool {
			return op.Kind == tile.Map && op.Operator == operator && op.Args[0] == d.Counter && f.IsConst(op.Args[1], other)
		}
		if !ok || flag != d.Guard || !isNumber(&f.Ops[open], ir.OpGt, 0) || !isNumber(&f.Ops[position], ir.OpSub, 1) {
			continue
		}
		if !f.usedOnly(d.Counter, func(i int, op *tile.Op) bool { return i == open || i == position || op.Kind == tile.Total }) ||
			f.uses[d.Open] != 1 || !f.usedOnly(d.Position, f.inside(i)) {
			continue
		}
		f.closings = append(f.closings, closing{domain: i, counter: counter})
		f.spared[counter], f.spared[open], f.spared[position] = true, true, true
		if f.uses[scan.Args[0]] == 1 {
			f.spared[f.Values[scan.Args[0]].Op] = true
		}
	}
}

// usedOnly reports whether all operations that use a value are such, and no domain depends on it.
func (f *frame) usedOnly(v tile.ID, such func(i int, op *tile.Op) bool) bool {
	uses := f.uses[v]
	for i := range f.Ops {
		op := &f.Ops[i]
		for _, arg := range op.Args {
			if arg != v {
				continue
			}
			if !such(i, op) {
				return false
			}
			uses--
		}
	}
	return uses == 0
}

// inside returns whether operations are for rows of a domain, or for those of one derived from it.
func (f *frame) inside(domain int) func(int, *tile.Op) bool {
	return func(_ int, op *tile.Op) bool { return op.Domain > 0 && f.Inside(op.Domain, domain) }
}

// closing returns the closing of a domain, if it is one.
func (l *linker) closing(domain int) *closing {
	for i := range l.closings {
		if l.closings[i].domain == domain {
			return &l.closings[i]
		}
	}
	return nil
}

// selectHeads links the selection of a closing, and the numbers of its rows.
func (l *linker) selectHeads(c *closing, s *span, parent *int) {
	begun := l.folder(c.counter).(*fold[int64])
	d := l.Domains[c.domain].Position
	position := &vector[int64]{room: l.batch, dense: l.usedOnly(d, func(_ int, op *tile.Op) bool {
		return op.Kind == tile.Store && op.Domain == c.domain && op.Args[0] != d
	})}
	l.known[place{d, c.domain}] = position
	before := int64(0)
	l.placeHeads(&l.Domains[c.domain], s, parent)
	l.add(func() { s.heads, s.dropped = s.sel.rows, 0 })
	l.ordered(func() {
		before = begun.x
		begun.x += int64(len(s.heads))
	})
	l.add(func() {
		if before == 0 && len(s.heads) > 0 { // no segment is open
			s.dropped, s.sel.rows, s.sel.all, s.n = 1, s.heads[1:], false, s.n-1
		}
		n := s.n
		if position.dense {
			n = 1
		}
		count(position.sized(n), before-1+int64(s.dropped))
	})
}

// placeHeads links the places of heads: without flags, where one key tells them.
func (l *linker) placeHeads(d *tile.Domain, s *span, parent *int) {
	head := &l.Ops[l.Values[d.Guard].Op]
	if _, waits := l.later[d.Guard]; waits && head.Kind == tile.Head && len(head.Args) == 1 && d.Parent == 0 {
		l.full(head.Args[0], 0).placeHeads(l, s, parent, &l.domains[0].first)
		return
	}
	guard := l.full(d.Guard, d.Parent).(*vector[uint8])
	l.add(func() { s.selects(guard.rows, *parent) })
}

// placeHeads selects the rows whose key differs from that of the row before, and row 0 of the base.
func (v *vector[T]) placeHeads(l *linker, s *span, n *int, first *int64) {
	before := v.rowBefore(l, n)
	l.add(func() {
		s.grow(*n)
		room, k := s.sel.room, 0
		if rows := v.rows; *n > 0 {
			if *first == 0 || !sameKey(*before, rows[0]) {
				room[0], k = 0, 1
			}
			k += placesOfHeads(room[k:], rows)
		}
		s.take(room[:k], *n)
	})
}

// placesOfHeads gives the places of rows after the first that differ from the row before, and
// returns how many there are.
func placesOfHeads[T number](room []int32, rows []T) int {
	before, rows := rows[:len(rows)-1], rows[1:]
	room = room[:len(rows)+1]
	k := 0
	if isFloat[T]() {
		for i, x := range rows {
			room[k] = int32(i + 1)
			k += int(truth(!sameKey(x, before[i])))
		}
		return k
	}
	for i, x := range rows {
		room[k] = int32(i + 1)
		k += int(truth(x != before[i]))
	}
	return k
}

// scanAtHeads links a scan of which rows see the state only where a segment closes: the rows
// between two heads are folded at once.
func (l *linker) scanAtHeads(i int) bool {
	op := &l.Ops[i]
	if op.Kind != tile.Scan || !op.Exclusive || l.closes > 0 {
		return false
	}
	for c := range l.closings {
		d := l.closings[c].domain
		if l.Domains[d].Parent != op.Domain || !(op.Segment == l.Domains[d].Guard && op.Segment != 0 || l.KeepsLast(op)) || l.uses[op.Res[0]] > 0 && op.Monoid.Fields[0].Kind == ir.Bool {
			continue
		}
		isSeen := true
		for _, v := range op.Res {
			isSeen = isSeen && l.usedOnly(v, l.inside(d))
		}
		state, ok := l.folder(i).(headFolder)
		if !isSeen || !ok {
			continue
		}
		l.selection(d)
		outs := make([]register, len(op.Res))
		for field, v := range op.Res {
			if l.uses[v] > 0 {
				outs[field] = newRegister(l.Values[v].Kind, l.batch)
				l.known[place{v, d}] = outs[field]
			}
		}
		elements := make([]register, len(op.Args))
		for field, v := range op.Args {
			if isFlag := field == 0 && len(op.Args) > 1 && v == l.Domains[d].Guard; !isFlag { // the places of heads tell it
				if state, ok := state.(adder); ok && field == len(op.Args)-1 && state.addsUp() {
					v = l.widened(v)
				}
				elements[field] = l.value(v, op.Domain)
			}
		}
		run, s, n := state.atHeads(elements, outs, l.KeepsLast(op)), &l.domains[d], l.count(op.Domain)
		l.ordered(func() {
			for _, out := range outs {
				if out != nil {
					out.resize(s.n)
				}
			}
			run(s.heads, s.dropped, *n)
		})
		return true
	}
	return false
}

// headFolder is a folder of which the elements of rows are all present, or those of heads alone,
// that can give its states where segments begin.
type headFolder interface {
	folder
	// atHeads folds n rows, all of which are present always, or only heads; an element that tells heads
	// is nil. It gives the state before each head but those dropped first.
	atHeads(elements, outs []register, always bool) func(heads []int32, dropped, n int)
}

// manyRows is the length from which a loop of its own folds rows faster.
const manyRows = 16

func (f *fold[T]) atHeads(elements, outs []register, _ bool) func(heads []int32, dropped, n int) {
	in, same := elements[len(elements)-1].(*vector[T])
	out, _ := outs[len(outs)-1].(*vector[T])
	switch f := any(f).(type) {
	case *fold[int64]:
		if !same {
			return sumNarrowAtHeads(f, elements[len(elements)-1], any(out).(*vector[int64]))
		}
	case *fold[uint64]:
		if !same {
			return sumNarrowAtHeads(f, elements[len(elements)-1], any(out).(*vector[uint64]))
		}
	}
	if f.addsUp() {
		return sumAtHeads(f, in, out)
	}
	isSum := f.operator == ir.OpAdd
	return func(heads []int32, dropped, n int) {
		var to []T
		if out != nil {
			to = out.rows
		}
		if len(heads) == 0 {
			f.x = f.reduced(f.x, in, 0, n)
			return
		}
		// The segment that is open before the batch ends at the first head.
		f.head = 1
		if s := f.reduced(f.x, in, 0, int(heads[0])); dropped == 0 && out != nil {
			to[0], to = s, to[1:]
		}
		starts := heads[:len(heads)-1]
		ends := heads[1:]
		areShort := len(in.rows) > 1 && n < manyRows*len(heads)
		switch {
		case to == nil:
		case areShort && isSum:
			sums(to, in.rows, starts, ends)
		case len(starts) == 0:
		case areShort && f.operator == ir.OpGreatest:
			greatestOf(to, in.rows[heads[0]:heads[len(starts)]], f.flagsOf(heads))
		case areShort && f.operator == ir.OpLeast:
			leastOf(to, in.rows[heads[0]:heads[len(starts)]], f.flagsOf(heads))
		default:
			for i, start := range starts {
				to[i] = f.reduced(in.rows[min(int(start), len(in.rows)-1)], in, int(start)+1, int(ends[i]))
			}
		}
		last := int(heads[len(heads)-1])
		f.x = f.reduced(in.rows[min(last, len(in.rows)-1)], in, last+1, n)
	}
}

// flagsOf returns flags of the rows from the first head up to the last, which are 1 at heads.
func (f *fold[T]) flagsOf(heads []int32) []uint8 {
	first, last := heads[0], heads[len(heads)-1]
	flags := f.flags.sized(int(last - first))
	clear(flags)
	for _, head := range heads[:len(heads)-1] {
		flags[head-first] = 1
	}
	return flags
}

// greatestOf gives the greatest of each segment's rows, of which there are few. Flags are 1 at its
// first row, so that nothing branches on where segments end.
func greatestOf[T number](to, rows []T, flags []uint8) {
	flags = flags[:len(rows)]
	k, most := -1, rows[0]
	for i, x := range rows {
		most = max(most, x)
		if flags[i] != 0 {
			most = x
		}
		k += int(flags[i])
		to[k] = most
	}
}

// leastOf gives the least.
func leastOf[T number](to, rows []T, flags []uint8) {
	flags = flags[:len(rows)]
	k, least := -1, rows[0]
	for i, x := range rows {
		least = min(least, x)
		if flags[i] != 0 {
			least = x
		}
		k += int(flags[i])
		to[k] = least
	}
}

// atHeads gives the element of the row before a head or, if only heads are present, that of
// the head before.
func (f *last[T]) atHeads(elements, outs []register, always bool) func(heads []int32, dropped, n int) {
	in := elements[1].(*vector[T])
	out, _ := outs[1].(*vector[T])
	return func(heads []int32, dropped, n int) {
		if n == 0 {
			return
		}
		var to []T
		if out != nil {
			to = out.rows
		}
		most := len(in.rows) - 1
		if always {
			seen := heads[dropped:]
			if len(seen) > 0 && seen[0] == 0 && to != nil {
				to[0], to, seen = f.x, to[1:], seen[1:]
			}
			if to != nil && most == 0 {
				fill(to, in.rows[0])
			} else if to != nil {
				takeBefore(to, in.rows, seen)
			}
			f.present, f.x = 1, in.rows[most]
			return
		}
		for i := range to {
			if before := i + dropped - 1; before >= 0 {
				to[i] = in.rows[min(int(heads[before]), most)]
			} else {
				to[i] = f.x
			}
		}
		if len(heads) > 0 {
			f.present, f.x = 1, in.rows[min(int(heads[len(heads)-1]), most)]
		}
	}
}

// areOfOneRow reports whether each of some neighbouring segments has one row.
func areOfOneRow(starts, ends []int32) bool {
	return areInSequence(starts) && ends[len(ends)-1]-starts[len(starts)-1] == 1
}

// areInSequence reports whether places, which ascend, leave none out: segments of one row do so.
func areInSequence(places []int32) bool {
	n := len(places)
	return n > 0 && int(places[n-1]-places[0]) == n-1
}

// takeBefore copies the rows before places.
func takeBefore[T any](to, from []T, places []int32) {
	to = to[:len(places)]
	if areInSequence(places) {
		copy(to, from[places[0]-1:])
		return
	}
	for i, p := range places {
		to[i] = from[p-1]
	}
}

func (f *rowOfExtreme[T]) atHeads(elements, outs []register, _ bool) func(heads []int32, dropped, n int) {
	in, rows := f.operands(elements)
	out, _ := outs[f.flags].(*vector[T])
	outRow, _ := outs[f.flags+1].(*vector[int64])
	return func(heads []int32, dropped, n int) {
		low := 0
		for i, head := range heads {
			f.reduced(in, rows, low, int(head))
			if at := i - dropped; at >= 0 {
				if out != nil {
					out.rows[at] = f.x
				}
				if outRow != nil {
					outRow.rows[at] = f.row
				}
			}
			f.head, f.row = 1, -1
			low = int(head)
		}
		f.reduced(in, rows, low, n)
	}
}
