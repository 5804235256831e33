package vector

import (
	"fmt"

	"github.com/kgen-go/kgen/internal/tile"
)

// step is a piece of a linked kernel: a loop over a batch.
type step func()

// selection are the rows of a derived domain in a batch, by their places in its parent.
type selection struct {
	rows []int32
	all  bool // every row of the parent; rows has them, too
	room []int32
}

// span is the rows of a domain in the batch at hand.
type span struct {
	first int64 // of the base: the number of the first row
	n     int
	sel   selection

	heads   []int32 // of a closing: where segments begin in its parent
	dropped int     // so many of these close no segment
}

// section is a list of steps that run together: once before the rows, for each batch, once
// after the rows for what closes there, or once after all.
type section struct {
	steps   []step
	domains []span // of the kernel
}

func (s *section) runAll() {
	for _, step := range s.steps {
		step()
	}
}

// place is a value as the rows of a domain see it.
type place struct {
	value  tile.ID
	domain int
}

// linker makes the steps of a section.
type linker struct {
	*frame
	*section
	known       map[place]register // what steps so far have computed
	selected    map[int]bool       // domains whose selection they have
	later       map[tile.ID]int    // values that are computed when a step asks for them, by their operations
	probes      map[tile.ID]*hashTable
	repetitions map[tile.ID]*repetition
	closes      int  // the domain that closes in this section; 0 for none
	lenient     bool // places outside of streams are zero
}

// newLinker begins a section.
func (f *frame) newLinker(closes int) *linker {
	return &linker{frame: f, section: &section{domains: make([]span, len(f.Domains))},
		known: map[place]register{}, later: map[tile.ID]int{}, probes: map[tile.ID]*hashTable{}, repetitions: map[tile.ID]*repetition{}, selected: map[int]bool{0: true}, closes: closes}
}

// put has an operation run, one that others only read the result of when they do so: loops
// that do the work of several operations leave some without a reader.
func (l *linker) put(i int) {
	op := &l.Ops[i]
	switch op.Kind {
	case tile.Row, tile.Map, tile.Load, tile.Head, tile.Shift, tile.Source:
		if op.Domain != tile.Uniform {
			l.later[op.Res[0]] = i
			return
		}
	}
	l.op(i)
}

// sees says that a vector's rows may be those of other memory.
func sees[T number](l *linker, v *vector[T]) {
	l.views = append(l.views, func() { v.rows = nil })
}

func (l *linker) add(s step) { l.steps = append(l.steps, s) }

// one is the number of rows of what is the same for all of them.
var one = 1

// count returns where the number of rows of a domain is.
func (l *linker) count(domain int) *int {
	if domain == tile.Uniform {
		return &one
	}
	return &l.domains[domain].n
}

// room returns how many elements a vector of n rows can have.
func (l *linker) room(n *int) int {
	if n == &one {
		return 1
	}
	return l.batch
}

// define makes r the value of v.
func (l *linker) define(v tile.ID, r register) {
	if l.Values[v].Domain == tile.Uniform {
		l.uniform[v] = r
		return
	}
	l.known[place{v, l.Values[v].Domain}] = r
}

// find returns v as the rows of a domain see it, if it is known.
func (l *linker) find(v tile.ID, domain int) (register, bool) {
	own := l.Values[v].Domain
	if own == tile.Uniform {
		r := l.uniform[v]
		return r, r != nil
	}
	if r, ok := l.known[place{v, domain}]; ok {
		return r, true
	}
	if i, ok := l.later[v]; ok && own == domain {
		delete(l.later, v)
		l.op(i)
		return l.known[place{v, domain}], true
	}
	if own == domain || domain <= 0 {
		return nil, false
	}
	if r, ok := l.selectedRows(v, domain); ok {
		return r, true
	}
	r, ok := l.find(v, l.Domains[domain].Parent)
	if !ok {
		return nil, false
	}
	if l.closes > 0 && !l.Inside(domain, l.closes) { // one row, of all domains
		return r, true
	}
	r = r.compacted(l, l.selection(domain))
	l.known[place{v, domain}] = r
	return r, true
}

// selectedRows links the numbers of selected rows, where those of the others are not needed.
func (l *linker) selectedRows(v tile.ID, domain int) (register, bool) {
	if l.Ops[l.Values[v].Op].Kind != tile.Row || !l.isOnlyFor(v) || l.Domains[domain].Parent != 0 || l.closes > 0 {
		return nil, false
	}
	sel, base, dst := l.selection(domain), &l.domains[0], &vector[int64]{room: l.batch}
	l.add(func() { numbersOf(dst.sized(len(sel.rows)), sel.rows, base.first) })
	l.known[place{v, domain}] = dst
	return dst, true
}

// value is find for a value that has to be known.
func (l *linker) value(v tile.ID, domain int) register {
	r, ok := l.find(v, domain)
	if !ok {
		l.fail("%%%d.%s is not known to rows of domain %d", v, l.Values[v].Name, domain)
	}
	return r
}

// values returns operands for the rows of a domain.
func (l *linker) values(list []tile.ID, domain int) []register {
	out := make([]register, len(list))
	for i, v := range list {
		out[i] = l.value(v, domain)
	}
	return out
}

// full returns v with an element for each row of a domain.
func (l *linker) full(v tile.ID, domain int) register {
	r := l.value(v, domain)
	if l.Values[v].Domain != tile.Uniform {
		return r
	}
	at := place{v, domain}
	if known, ok := l.known[at]; ok {
		return known
	}
	r = r.repeated(l, l.count(domain))
	l.known[at] = r
	return r
}

// selection returns the selection of a derived domain, which steps compute when it is asked
// for first.
func (l *linker) selection(domain int) *selection {
	s := &l.domains[domain]
	if l.selected[domain] {
		return &s.sel
	}
	l.selected[domain] = true
	d := l.Domains[domain]
	parent := l.count(d.Parent)
	if l.closes == domain { // of the one row that all domains outside have
		open := l.value(d.Open, d.Parent).(*vector[uint8])
		l.add(func() { s.selects(open.rows, *parent) })
		return &s.sel
	}
	if d.Parent != 0 {
		l.selection(d.Parent)
	}
	if d.Kind == tile.Compact && l.selectCompared(&d, s, parent) {
		return &s.sel
	}
	if c := l.closing(domain); c != nil && l.closes == 0 {
		l.selectHeads(c, s, parent)
		return &s.sel
	}
	guard := l.full(d.Guard, d.Parent).(*vector[uint8])
	if d.Kind == tile.Compact {
		l.add(func() { s.selects(guard.rows, *parent) })
		return &s.sel
	}
	open := l.full(d.Open, d.Parent).(*vector[uint8])
	l.add(func() {
		s.selects(guard.rows, *parent)
		if rows := s.sel.rows; len(rows) > 0 && open.rows[rows[0]] == 0 { // a segment that is open stays so
			s.sel.rows, s.sel.all = rows[1:], false
			s.n--
		}
	})
	return &s.sel
}

// selects takes the rows of a parent at which a flag holds.
func (s *span) selects(flags []uint8, parent int) {
	s.grow(parent)
	s.take(selectRows(s.sel.room, flags[:parent]), parent)
}

// grow makes room for the places of so many rows.
func (s *span) grow(parent int) {
	if len(s.sel.room) < parent+eight {
		s.sel.room = make([]int32, max(parent+eight, batchRows+eight))
	}
}

// take makes these of so many rows the domain's.
func (s *span) take(rows []int32, parent int) {
	s.sel.rows, s.n = rows, len(rows)
	s.sel.all = s.n == parent
}

// refusal is a panic with what an operation lacks here.
type refusal struct{ error }

func (f *frame) fail(format string, args ...any) {
	panic(refusal{fmt.Errorf("kernel %s: "+format, append([]any{f.Name}, args...)...)})
}

// fused link the work of several operations in one loop, if an operation ends such as they take.
var fused []func(l *linker, op *tile.Op) (register, bool)

func init() { // by methods that link operations by these
	fused = []func(l *linker, op *tile.Op) (register, bool){(*linker).hashed, (*linker).heldRow, (*linker).chosen, (*linker).repeatedLoad,
		(*linker).orderedFloats, (*linker).packed, (*linker).chained, (*linker).product, (*linker).plusRow}
}

// op links one operation.
func (l *linker) op(i int) {
	op := &l.Ops[i]
	if op.Domain > 0 && (l.closes == 0 || l.Inside(op.Domain, l.closes)) {
		l.selection(op.Domain)
	}
	switch op.Kind {
	case tile.Const:
		r := newRegister(op.Const.Kind, 1)
		r.set(op.Const.Bits)
		l.define(op.Res[0], r)
	case tile.Scalar, tile.Length:
		l.fromPlan(op)
	case tile.Row, tile.Map, tile.Load:
		for _, link := range fused {
			if r, ok := link(l, op); ok {
				l.define(op.Res[0], r)
				return
			}
		}
		l.define(op.Res[0], l.pure(op, &l.domains[0].first, l.count(op.Domain), func(v tile.ID) register { return l.value(v, op.Domain) }))
	case tile.Shift:
		l.shift(op)
	case tile.Head:
		l.findHeads(op)
	case tile.Scan, tile.ChunkScan:
		if !l.scanAtHeads(i) {
			l.scan(i)
		}
	case tile.Reduce:
		l.reduce(i)
	case tile.Rank:
		l.rank(op)
	case tile.Total:
		l.total(op)
	case tile.ScanTotals:
		l.scanTotals(op)
	case tile.Store:
		l.store(op)
	case tile.Update:
		l.update(i)
	case tile.Search:
		l.search(op)
	case tile.Source:
		l.source(op)
	case tile.Insert:
		l.insert(op)
	case tile.Enter:
		l.enterWords(op)
	case tile.Cuckoo:
		l.enterCuckoo(op)
	case tile.Probe:
		l.probe(op)
	case tile.Match:
		l.match(op)
	case tile.Partners, tile.Pairs:
		l.nested(op)
	case tile.Check:
		l.check(op)
	case tile.StoreScalar:
		r, name := l.value(op.Args[0], tile.Uniform), op.Ref
		l.add(func() { l.run.scalars[name] = r.bits(0) })
	default:
		l.fail("there is no vector form of the operation %v", op.Kind)
	}
}
