package vector

import (
	"bytes"
	"math"
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// fromPlan links a scalar or a length of the plan.
func (l *linker) fromPlan(op *tile.Op) {
	r := newRegister(l.Values[op.Res[0]].Kind, 1)
	name := op.Ref
	l.define(op.Res[0], r)
	if op.Kind == tile.Scalar {
		l.add(func() { r.set(l.run.scalars[name]) })
		return
	}
	l.add(func() {
		length, err := l.run.Len(name)
		if err != nil {
			panic(refusal{err})
		}
		r.set(uint64(length))
	})
}

// pure links an operation that depends on its operands and on elements of streams alone, for
// n rows, of which the first of the base is given.
func (l *linker) pure(op *tile.Op, first *int64, n *int, value func(tile.ID) register) register {
	kind := l.Values[op.Res[0]].Kind
	switch {
	case op.Kind == tile.Row:
		r := newRegister(ir.I64, l.room(n)).(*vector[int64])
		l.add(func() { count(r.sized(*n), *first) })
		return r
	case op.Kind == tile.Load:
		s := &l.streams[op.Stream]
		r := newRegister(s.kind, l.room(n))
		if len(op.Args) == 0 {
			r.load(l, s, first, n)
		} else {
			r.gather(l, s, value(op.Args[0]).(*vector[int64]), n, op.Checked || l.lenient)
		}
		return r
	}
	args := make([]register, len(op.Args))
	uniform := make([]bool, len(op.Args))
	for i, v := range op.Args {
		args[i] = value(v)
		uniform[i] = l.Values[v].Domain == tile.Uniform
	}
	return l.apply(op.Operator, kind, args, uniform, n)
}

// findHeads links the search for rows whose keys differ from those of the row before.
func (l *linker) findHeads(op *tile.Op) {
	dst := newRegister(ir.Bool, l.batch).(*vector[uint8])
	for i, key := range op.Args {
		l.value(key, 0).head(l, dst, l.count(0), &l.domains[0].first, i > 0)
	}
	l.define(op.Res[0], dst)
}

// inMemory returns a value as memory has it.
func (l *linker) inMemory(r register, s *stream, n *int) register {
	if s.kind == ir.Char8 {
		return r.swapped(l, n)
	}
	return r
}

func (l *linker) store(op *tile.Op) {
	s, n := &l.streams[op.Stream], l.count(op.Domain)
	if l.storeSelected(op, s) {
		return
	}
	x := l.inMemory(l.value(op.Args[0], op.Domain), s, n)
	if first, known := l.firstPlace(op, x); known {
		x.goesInto(l, s, first)
	}
	if l.isInOrder(op) {
		if len(op.Args) > 1 {
			l.left[op.Args[1]]--
		}
		l.add(x.store(l, s, &l.domains[0].first, n))
		return
	}
	at := l.value(op.Args[1], op.Domain).(*vector[int64])
	l.add(x.scatter(l, s, at, n, l.Streams[op.Stream].Access == tile.Place))
}

// isInOrder reports whether rows of the base are stored where their numbers say.
func (l *linker) isInOrder(op *tile.Op) bool {
	return op.Domain == 0 && (len(op.Args) == 1 || l.Ops[l.Values[op.Args[1]].Op].Kind == tile.Row)
}

// firstPlace returns where rows of a batch are stored that lie together there, if that is known before
// anything is computed for them: rows of the base, and segments that are numbered as they are found. The
// numbers themselves, which may be what is stored, x, are not known before.
func (l *linker) firstPlace(op *tile.Op, x register) (first func() int64, known bool) {
	buffer, v := l.Streams[op.Stream].Buffer, op.Args[0]
	isElsewhere := func(s tile.Stream) bool { return s.Buffer == buffer }
	if l.closes > 0 || op.Domain < 0 || l.Values[v].Domain == tile.Uniform ||
		slices.IndexFunc(l.Streams, isElsewhere) != op.Stream || slices.ContainsFunc(l.Streams[op.Stream+1:], isElsewhere) {
		return nil, false
	}
	if base := &l.domains[0]; l.isInOrder(op) {
		return func() int64 { return base.first }, true
	}
	if len(op.Args) == 1 {
		return nil, false
	}
	if c := l.closing(op.Domain); c == nil || op.Args[1] != l.Domains[op.Domain].Position {
		return nil, false
	}
	at := l.value(op.Args[1], op.Domain).(*vector[int64])
	return func() int64 { return at.rows[0] }, register(at) != x
}

// storeSelected links the store of rows that a selection takes from its parent, whose places
// follow each other: they go from there to memory.
func (l *linker) storeSelected(op *tile.Op, s *stream) bool {
	d := op.Domain
	if len(op.Args) == 1 || d <= 0 || l.Streams[op.Stream].Access != tile.Place || s.kind == ir.Char8 ||
		l.Values[op.Args[0]].Domain != l.Domains[d].Parent || l.known[place{op.Args[0], d}] != nil || l.closes > 0 ||
		op.Args[1] != l.Domains[d].Position {
		return false
	}
	at := l.value(op.Args[1], d).(*vector[int64])
	if l.Ops[l.Values[op.Args[0]].Op].Kind == tile.Row && l.isOnlyFor(op.Args[0]) && l.Domains[d].Parent == 0 {
		base, sel := &l.domains[0], l.selection(d)
		l.add(func() {
			if n := len(sel.rows); n > 0 {
				numbersOf(elements[int64](s)[at.rows[0]:][:n], sel.rows, base.first)
			}
		})
		return true
	}
	x := l.value(op.Args[0], l.Domains[d].Parent)
	l.add(x.storeSelected(s, at, l.selection(d)))
	return true
}

// check links the report of the first row that fails. Rows are numbered only where one does.
func (l *linker) check(op *tile.Op) {
	n, site := l.count(op.Domain), op.Site
	if any := l.anyHolds(op.Args[0], op.Domain); any != nil { // flags, too, are computed only there
		l.branch(func() bool { return *n > 0 && any(*n) }, op.Domain, op.Args, func(values []register) {
			l.add(func() { l.report(site, values, *n) })
		})
		return
	}
	failed := l.value(op.Args[0], op.Domain).(*vector[uint8])
	fails := func() bool { return *n > 0 && bytes.IndexByte(failed.rows, 1) >= 0 }
	l.branch(fails, op.Domain, op.Args[1:], func(numbers []register) {
		values := append([]register{failed}, numbers...)
		l.add(func() { l.report(site, values, *n) })
	})
}

// report reports the first of n rows that fails a check. The values are flags of those that do, and the
// numbers of rows, if these have some.
func (l *linker) report(site int, values []register, n int) {
	flags, first := values[0].(*vector[uint8]).rows, int64(math.MaxInt64)
	for i := range n {
		if flags[min(i, len(flags)-1)] == 0 {
			continue
		}
		at := int64(0)
		if len(values) > 1 {
			rows := values[1].(*vector[int64]).rows
			at = rows[min(i, len(rows)-1)]
		}
		first = min(first, at)
	}
	l.run.failing.Lock()
	defer l.run.failing.Unlock()
	l.run.failed[site] = min(l.run.failed[site], first)
}
