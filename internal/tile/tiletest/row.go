package tiletest

import (
	"slices"
	"sort"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// row is one step of a kernel: a row of the base, or the end of the groups of
// a domain, when the group then open closes.
type row struct {
	*machine
	number  int         // of the base row; -1 at the end of groups
	end     int         // the domain whose last group closes; 0 for a base row, -1 outside the rows
	values  []ir.Scalar // kind Invalid: not known
	active  []truth     // per domain
	missing func(tile.ID) (ir.Scalar, bool)
}

type truth uint8

const (
	unknown truth = iota
	yes
	no
)

// steps lists the rows of the base and the ends of groups, in order.
func (m *machine) steps() []*row {
	var list []*row
	for number := range m.rows {
		list = append(list, &row{machine: m, number: number})
	}
	for d, domain := range m.Domains {
		if domain.Kind == tile.Close {
			list = append(list, &row{machine: m, number: -1, end: d})
		}
	}
	return list
}

// forget drops all that was computed.
func (r *row) forget() {
	r.values = make([]ir.Scalar, len(r.Values))
	r.active = make([]truth, len(r.Domains))
}

// value returns v, if it is known.
func (r *row) value(v tile.ID) (ir.Scalar, bool) {
	if r.Values[v].Domain == tile.Uniform {
		return r.uniform[v], r.uniform[v].Kind != ir.Invalid
	}
	if r.values != nil && r.values[v].Kind != ir.Invalid {
		return r.values[v], true
	}
	if r.missing != nil {
		return r.missing(v)
	}
	return ir.Scalar{}, false
}

// need returns v, which must be known.
func (r *row) need(v tile.ID) ir.Scalar {
	x, ok := r.value(v)
	if !ok {
		fail("%%%d.%s (operation %d, %v) is not known at row %d, end %d", v, r.Values[v].Name, r.Values[v].Op,
			r.Ops[r.Values[v].Op].Kind, r.number, r.end)
	}
	return x
}

func (r *row) needAll(list []tile.ID) []ir.Scalar {
	values := make([]ir.Scalar, len(list))
	for i, v := range list {
		values[i] = r.need(v)
	}
	return values
}

// isActive reports whether the step is a row of domain d.
func (r *row) isActive(d int) bool {
	switch {
	case d == tile.Uniform:
		return true
	case d == 0:
		return r.end == 0
	case r.active[d] == unknown:
		domain, holds := r.Domains[d], false
		switch {
		case r.end == d:
			holds = r.need(domain.Open).IsTrue()
		case r.isActive(domain.Parent):
			holds = r.need(domain.Guard).IsTrue() && (domain.Kind != tile.Close || r.need(domain.Open).IsTrue())
		}
		r.active[d] = no
		if holds {
			r.active[d] = yes
		}
	}
	return r.active[d] == yes
}

// run executes an operation that is no fold. Outside the rows of its domain
// only the end of groups computes what it can: arithmetic on folds before it, and loads but
// those within groups, whose places nobody has where no group is open.
func (r *row) run(op *tile.Op) {
	if !r.isActive(op.Domain) {
		if r.end > 0 && op.Kind == tile.Ended {
			if x, ok := r.value(r.chosen(op)); ok {
				r.define(op.Res[0], x)
			}
			return
		}
		if r.end > 0 && (op.Kind == tile.Map || op.Kind == tile.Load && len(op.Args) > 0 && !r.Inside(op.Domain, r.end)) {
			for _, arg := range op.Args {
				if _, ok := r.value(arg); !ok {
					return
				}
			}
			r.define(op.Res[0], r.pure(op, r.needAll(op.Args)))
		}
		return
	}
	switch op.Kind {
	case tile.Store:
		at := int64(r.number)
		if len(op.Args) > 1 {
			at = r.need(op.Args[1]).Int64()
		}
		if op.Room > 0 && at >= op.Room {
			return
		}
		r.store(op.Stream, at, r.need(op.Args[0]))
	case tile.Update:
		r.update(op, r.need(op.Args[0]).Int64(), r.need(op.Args[1]))
	case tile.Claim:
		r.define(op.Res[0], ir.Int(ir.I64, r.claimed[op.Res[0]]))
		r.claimed[op.Res[0]]++
	case tile.Insert:
		r.define(op.Res[0], ir.Int(ir.I64, r.insert(op, r.needAll(op.Args))))
	case tile.Enter:
		args := r.needAll(op.Args)
		r.enter(op, args[0], args[1].Int64(), args[2].Int64())
	case tile.Cuckoo:
		r.enterCuckoo(op, r.need(op.Args[0]).Int64())
	case tile.Pairs:
		args := r.needAll(op.Args)
		for i, of := range r.partners(op, args[1].Int64(), args[2:]) {
			r.store(op.Stream, args[0].Int64()+int64(i), ir.Int(ir.I64, of))
		}
	case tile.EnterParts:
		if r.number == 0 {
			r.enterParts(op, r.need(op.Args[0]).Int64())
		}
	case tile.MatchParts:
		args := r.needAll(op.Args)
		r.define(op.Res[0], ir.Int(ir.I64, r.matchParts(op, args[0].Int64(), args[1].Int64(), args[2].Int64(), args[3].Int64())))
	case tile.PartnerParts:
		args := r.needAll(op.Args)
		r.define(op.Res[0], ir.Int(ir.I64, r.partnerParts(op, args[0].Int64(), args[1].Int64(), args[2].Int64(), args[3].Int64())))
	case tile.GroupParts:
		args := r.needAll(op.Args)
		r.define(op.Res[0], ir.Int(ir.I64, r.groupParts(op, args[0].Int64(), args[1].Int64())))
	case tile.Order:
		r.define(op.Res[0], ir.Int(ir.I64, r.placeInOrder(op, r.need(op.Args[0]))))
	case tile.Check:
		r.check(op.Site, r.need(op.Args[0]).IsTrue(), r.need(op.Args[1]).Int64())
	case tile.Ended:
		r.define(op.Res[0], r.need(r.chosen(op)))
	case tile.Row, tile.Shift, tile.Head:
		x, ok := r.fresh(op.Res[0], r.number)
		if !ok {
			fail("%v cannot be computed at row %d", op.Kind, r.number)
		}
		r.define(op.Res[0], x)
	default:
		r.define(op.Res[0], r.pure(op, r.needAll(op.Args)))
	}
}

// chosen returns the operand of Ended that holds at the step.
func (r *row) chosen(op *tile.Op) tile.ID {
	if r.end > 0 && r.HasEnded(op, r.end) {
		return op.Args[1]
	}
	return op.Args[0]
}

func (r *row) define(v tile.ID, x ir.Scalar) {
	if x.Kind != r.Values[v].Kind {
		fail("%%%d.%s is %v, not %v", v, r.Values[v].Name, x.Kind, r.Values[v].Kind)
	}
	if r.Values[v].Domain == tile.Uniform {
		r.uniform[v] = x
		return
	}
	r.values[v] = x
}

// pure computes what depends on its operands and memory only.
func (r *row) pure(op *tile.Op, args []ir.Scalar) ir.Scalar {
	switch op.Kind {
	case tile.Const:
		return op.Const
	case tile.Scalar:
		return r.Scalars[op.Ref]
	case tile.Length:
		length, ok := r.Lengths[op.Ref]
		if !ok {
			fail("the length of %s is not known", op.Ref)
		}
		return ir.Int(ir.I64, length)
	case tile.Load:
		if len(args) > 0 {
			return r.load(op.Stream, args[0].Int64(), op.Checked)
		}
		return r.load(op.Stream, int64(r.number), false)
	case tile.Search:
		return r.search(op, args[0], args[1].Int64(), args[2].Int64())
	case tile.Source:
		source, _ := r.source(op, args)
		return ir.Int(ir.I64, source)
	case tile.Placed:
		source := &r.Ops[r.Values[op.Args[0]].Op]
		of, before := r.source(source, r.needAll(source.Args))
		_, begin := r.told(source, of, r.needAll(source.Args))
		return ir.Int(ir.U32, begin+int64(r.number)-before)
	case tile.Partners:
		of := r.partners(op, args[0].Int64(), args[1:])
		switch {
		case !op.First:
			return ir.Int(ir.I64, int64(len(of)))
		case len(of) == 0:
			return ir.Int(ir.I64, -1)
		}
		return ir.Int(ir.I64, of[0])
	case tile.Probe:
		slot := args[3].Int64()
		if !args[2].IsTrue() {
			slot, _ = r.slot(op, args[0].Int64(), args[1].Int64(), args[4:])
		}
		if slot < 0 || slot >= args[1].Int64() {
			slot = -1
		}
		return ir.Int(ir.I64, slot)
	case tile.Match:
		if args[2].IsTrue() {
			return ir.Scalar{Kind: ir.U32}
		}
		return r.match(op, args[0].Int64(), args[1].Int64(), args[3:])
	case tile.Map:
		return Apply(op.Operator, r.Values[op.Res[0]].Kind, args...)
	}
	fail("%v is not arithmetic", op.Kind)
	return ir.Scalar{}
}

// search returns how many elements of the operation's stream are at most x.
func (r *row) search(op *tile.Op, x ir.Scalar, first, end int64) ir.Scalar {
	n := sort.Search(int(end-first), func(i int) bool {
		element := r.load(op.Stream, first+int64(i), false)
		if x.Kind.IsUnsigned() {
			return element.Bits > x.Bits
		}
		return element.Int64() > x.Int64()
	})
	return ir.Int(ir.I64, first+int64(n))
}

// source returns which row the base row repeats, and the first base row that does, if that is known.
func (r *row) source(op *tile.Op, args []ir.Scalar) (source, begin int64) {
	found := r.search(op, ir.Int(ir.I64, int64(r.number)), args[0].Int64(), args[1].Int64()).Int64()
	if op.Width == 0 {
		return found, 0
	}
	ended := int64(0)
	if found > 0 {
		ended = r.load(op.Stream, found-1, false).Int64()
	}
	for source = found * int64(op.Width); ; source++ {
		length := r.load(op.Keys[0], source, false).Int64()
		if op.HasWords() {
			length, _ = r.told(op, source, args)
		}
		if length = max(length, 0); ended+length > int64(r.number) {
			return source, ended
		}
		ended += length
	}
}

// told returns what the word of a row tells.
func (r *row) told(op *tile.Op, source int64, args []ir.Scalar) (length, begin int64) {
	word, bits := r.load(op.Keys[0], source, false).Bits, args[2].Int64()
	length, begin = int64(word>>bits), int64(word&(1<<bits-1))
	if length == args[3].Int64() {
		both := r.load(op.Keys[1], begin, false).Bits
		length, begin = int64(both&(1<<32-1)), int64(both>>32)
	}
	return length, begin
}

// partners returns those of so many rows that have equal keys.
func (r *row) partners(op *tile.Op, rows int64, keys []ir.Scalar) (list []int64) {
	for other := range rows {
		isEqual := true
		for i, key := range keys {
			isEqual = isEqual && SameKey(key, r.load(op.Keys[i], other, false))
		}
		if isEqual {
			list = append(list, other)
		}
	}
	return list
}

// fresh computes v at a base row from elements of streams alone; it fails
// where v depends on other rows in any other way.
func (r *row) fresh(v tile.ID, number int) (ir.Scalar, bool) {
	if r.Values[v].Domain == tile.Uniform {
		return r.need(v), true
	}
	op := &r.Ops[r.Values[v].Op]
	if number < 0 && (op.Kind != tile.Map && op.Kind != tile.Ended && op.Kind != tile.Load || len(op.Args) == 0) {
		return ir.Scalar{}, false // the end of groups has no row of its own
	}
	switch op.Kind {
	case tile.Row:
		return ir.Int(ir.I64, int64(number)), true
	case tile.Shift:
		if other := number - int(op.Distance); other >= 0 && other < r.rows {
			return r.fresh(op.Args[0], other)
		}
		return r.fresh(op.Args[1], number)
	case tile.Head:
		head := number == 0
		for _, key := range op.Args {
			if head {
				break
			}
			x, known := r.fresh(key, number)
			y, also := r.fresh(key, number-1)
			if !known || !also {
				return ir.Scalar{}, false
			}
			head = !SameKey(x, y)
		}
		return ir.BoolScalar(head), true
	case tile.Ended:
		return r.fresh(r.chosen(op), number)
	case tile.Load, tile.Map:
		args := make([]ir.Scalar, len(op.Args))
		for i, arg := range op.Args {
			x, ok := r.fresh(arg, number)
			if !ok {
				return x, false
			}
			args[i] = x
		}
		return (&row{machine: r.machine, number: number}).pure(op, args), true
	}
	return ir.Scalar{}, false
}

// placeInOrder returns how many rows have a lesser word, or the same and stand before the row.
func (r *row) placeInOrder(op *tile.Op, word ir.Scalar) (place int64) {
	words := r.words[op.Res[0]]
	for other := len(words); other < r.rows; other++ {
		x, ok := r.fresh(op.Args[0], other)
		if !ok {
			fail("the word of row %d cannot be computed at another one", other)
		}
		words = append(words, x.Bits)
	}
	r.words[op.Res[0]] = words
	for other, x := range words {
		if x < word.Bits || x == word.Bits && other < r.number {
			place++
		}
	}
	return place
}

// elements returns the step's elements of a fold.
func (r *row) elements(op *tile.Op) []ir.Scalar {
	if !r.isActive(op.Domain) {
		return op.Monoid.Identity
	}
	return r.needAll(op.Args)
}

// scan gives the results of a Scan at the step and returns the state after it.
func (r *row) scan(op *tile.Op, before []ir.Scalar) []ir.Scalar {
	after := r.Combine(op.Monoid, before, r.elements(op))
	for f, result := range op.Res {
		switch {
		case op.Exclusive && (r.end > 0 || r.isActive(op.Domain)):
			r.define(result, before[f])
		case r.isActive(op.Domain):
			r.define(result, after[f])
		}
	}
	return after
}

// chunkScan is scan within chunks, whose folds it stores.
func (r *row) chunkScan(op *tile.Op, before []ir.Scalar) []ir.Scalar {
	if !r.isActive(0) {
		return before
	}
	if r.number%r.ChunkRows == 0 {
		before = op.Monoid.Identity
	}
	after := r.scan(op, before)
	if next := r.number + 1; next%r.ChunkRows == 0 || next == r.rows {
		for f, stream := range op.Totals {
			r.store(stream, int64(r.number/r.ChunkRows), after[f])
		}
	}
	return slices.Clone(after)
}
