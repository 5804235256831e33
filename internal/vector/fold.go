package vector

import (
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
		return newRegister(k, 0).last(false)
	case isFirst(m):
		return newRegister(k, 0).last(true)
	case isRowOfExtreme(m, 0):
		return newRegister(m.Fields[0].Kind, 0).extreme(m, 0)
	case m.Kind == tile.Segmented && isRowOfExtreme(m, 1):
		return newRegister(m.Fields[1].Kind, 0).extreme(m, 1)
	}
	return l.newGeneral(m)
}

// scan links a Scan or a ChunkScan.
func (l *linker) scan(i int) {
	op := &l.Ops[i]
	n := l.count(op.Domain)
	if l.numbersRows(op) {
		state, first := l.folder(i).(*fold[int64]), &vector[int64]{room: 1, dense: true}
		l.define(op.Res[0], first)
		l.ordered(func() {
			first.sized(1)[0] = state.x
			state.x += int64(*n)
		})
		return
	}
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
		l.ordered(func() {
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
	l.ordered(func() {
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

// numbersRows reports whether a scan numbers rows that are stored in this order, and nothing else: then
// the first number says where they go.
func (l *linker) numbersRows(op *tile.Op) bool {
	v := op.Res[0]
	return op.Kind == tile.Scan && op.Exclusive && op.Monoid.Kind == tile.Fold && op.Monoid.Combine[0].Operator == ir.OpAdd &&
		op.Domain > 0 && l.closes == 0 && l.Values[v].Kind == ir.I64 && l.IsConst(op.Args[0], 1) &&
		l.usedOnly(v, func(_ int, use *tile.Op) bool {
			return use.Kind == tile.Total || use.Kind == tile.Store && use.Domain == op.Domain && use.Args[0] != v &&
				l.Streams[use.Stream].Access == tile.Place
		})
}

// setter returns a function that stores elements of a stream.
func (l *linker) setter(s *stream) func(at int64, bits uint64) {
	r := newRegister(s.kind, 1)
	at := &vector[int64]{room: 1}
	steps := &section{}
	in := &linker{frame: l.frame, section: steps}
	in.add(in.inMemory(r, s, &one).scatter(in, s, at, &one, false))
	return func(place int64, bits uint64) {
		r.set(bits)
		at.sized(1)[0] = place
		steps.runAll()
	}
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
	if l.reduceSum(i) {
		return
	}
	op := &l.Ops[i]
	n, state := l.count(op.Domain), l.folder(i)
	elements := make([]register, len(op.Args))
	for field, v := range op.Args {
		by, ok := state.(interface{ countsRows() bool })
		if ok && by.countsRows() && op.Domain == 0 && l.Ops[l.Values[v].Op].Kind == tile.Row && l.isOnlyFor(v) {
			rows, base := &vector[int64]{room: 1, dense: true}, &l.domains[0]
			l.add(func() { rows.sized(1)[0] = base.first })
			elements[field] = rows
			continue
		}
		elements[field] = l.value(v, op.Domain)
	}
	run := state.reduce(elements)
	l.ordered(func() { run(*n) })
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
