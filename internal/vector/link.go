package vector

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
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
	known    map[place]register // what steps so far have computed
	selected map[int]bool       // domains whose selection they have
	closes   int                // the domain that closes in this section; 0 for none
}

// newLinker begins a section.
func (f *frame) newLinker(closes int) *linker {
	return &linker{frame: f, section: &section{domains: make([]span, len(f.Domains))},
		known: map[place]register{}, selected: map[int]bool{0: true}, closes: closes}
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
	if own == domain || domain <= 0 {
		return nil, false
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
	guard := l.full(d.Guard, d.Parent).(*vector[uint8])
	if d.Kind == tile.Compact {
		l.add(func() { s.selects(guard.rows, *parent) })
		return &s.sel
	}
	if c := l.closing(domain); c != nil && l.closes == 0 {
		l.selectHeads(c, s, guard, parent)
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
	if len(s.sel.room) < parent+eight {
		s.sel.room = make([]int32, max(parent+eight, batchRows+eight))
	}
	s.sel.rows = selectRows(s.sel.room, flags[:parent])
	s.n = len(s.sel.rows)
	s.sel.all = s.n == parent
}

// selectRows returns the places of the flags that hold.
func selectRows(room []int32, flags []uint8) []int32 {
	k, i := 0, 0
	for ; i+eight <= len(flags); i += eight {
		w := word(flags, i)
		if w == 0 {
			continue
		}
		to := (*[eight]int32)(room[k:])
		mask := w * flagBits >> 56
		at, of := int32(i), &placesOf[mask]
		to[0] = at + int32(of[0])
		to[1] = at + int32(of[1])
		to[2] = at + int32(of[2])
		to[3] = at + int32(of[3])
		to[4] = at + int32(of[4])
		to[5] = at + int32(of[5])
		to[6] = at + int32(of[6])
		to[7] = at + int32(of[7])
		k += bits.OnesCount8(uint8(mask))
	}
	for ; i < len(flags); i++ {
		room[k] = int32(i)
		k += int(flags[i])
	}
	return room[:k]
}

// flagBits is the factor that moves eight flags to the highest eight bits of a word, in the
// order of memory.
var flagBits uint64 = 0x0102040810204080

// placesOf has the places of the bits of a mask, the first bit first.
var placesOf [256][eight]uint8

func init() {
	order := func(bit int) int { return bit }
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 { // the first flag is the highest byte
		order = func(bit int) int { return eight - 1 - bit }
	}
	for mask := range placesOf {
		k := 0
		for bit := range eight {
			if mask>>order(bit)&1 != 0 {
				placesOf[mask][k] = uint8(bit)
				k++
			}
		}
	}
}

// refusal is a panic with what an operation lacks here.
type refusal struct{ error }

func (f *frame) fail(format string, args ...any) {
	panic(refusal{fmt.Errorf("kernel %s: "+format, append([]any{f.Name}, args...)...)})
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
		l.update(op)
	case tile.Search:
		l.search(op)
	case tile.Source:
		l.source(op)
	case tile.Insert:
		l.insert(op)
	case tile.Probe:
		l.probe(op)
	case tile.Match:
		l.match(op)
	case tile.Check:
		l.check(op)
	case tile.StoreScalar:
		r, name := l.value(op.Args[0], tile.Uniform), op.Ref
		l.add(func() { l.run.scalars[name] = r.bits(0) })
	default:
		l.fail("there is no vector form of the operation %v", op.Kind)
	}
}

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
			r.gather(l, s, value(op.Args[0]).(*vector[int64]), n, op.Checked)
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

// shift links a neighbour: what it sees is computed again, for rows that lie the distance
// before those of the batch.
func (l *linker) shift(op *tile.Op) {
	base, into := &l.domains[0], new(int)
	other := &span{}
	l.add(func() {
		begin := base.first - op.Distance
		low := min(max(begin, 0), l.rows)
		high := min(max(begin+int64(base.n), low), l.rows)
		other.first, other.n = low, int(high-low)
		*into = int(min(low-begin, int64(base.n)))
		if other.n == 0 {
			*into = base.n
		}
	})
	again := map[tile.ID]register{}
	var value func(v tile.ID) register
	value = func(v tile.ID) register {
		if l.Values[v].Domain == tile.Uniform {
			return l.value(v, tile.Uniform)
		}
		r, ok := again[v]
		if !ok {
			r = l.pure(&l.Ops[l.Values[v].Op], &other.first, &other.n, value)
			again[v] = r
		}
		return r
	}
	seen := value(op.Args[0])
	if l.Values[op.Args[0]].Domain == tile.Uniform {
		seen = seen.repeated(l, &other.n)
	}
	dst := seen.like(l)
	l.add(dst.shifted(l, seen, into, &base.n, l.value(op.Args[1], 0)))
	l.define(op.Res[0], dst)
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
	if len(op.Args) == 1 {
		l.add(x.store(l, s, &l.domains[0].first, n))
		return
	}
	at := l.value(op.Args[1], op.Domain).(*vector[int64])
	l.add(x.scatter(l, s, at, n, l.Streams[op.Stream].Access == tile.Place))
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
	x, at := l.value(op.Args[0], l.Domains[d].Parent), l.value(op.Args[1], d).(*vector[int64])
	l.add(x.storeSelected(s, at, l.selection(d)))
	return true
}

// check links the report of the first row that fails.
func (l *linker) check(op *tile.Op) {
	failed := l.value(op.Args[0], op.Domain).(*vector[uint8])
	var row *vector[int64]
	if len(op.Args) > 1 {
		row = l.value(op.Args[1], op.Domain).(*vector[int64])
	}
	n, site := l.count(op.Domain), op.Site
	l.add(func() {
		flags := failed.rows
		if *n == 0 || bytes.IndexByte(flags, 1) < 0 {
			return
		}
		for i := range *n {
			if flags[min(i, len(flags)-1)] == 0 {
				continue
			}
			at := int64(0)
			if row != nil {
				at = row.rows[min(i, len(row.rows)-1)]
			}
			l.run.failed[site] = min(l.run.failed[site], at)
		}
	})
}
