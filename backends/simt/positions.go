package simt

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/ir/loop"
	"github.com/kgen-go/kgen/tile"
)

// Where rows are only picked, and what is stored of a picked row follows from
// its columns, or from its distance to the one picked before it, a tile keeps
// nothing but the numbers of the rows that it picks. A work-item has a bit for
// each of its rows; counts are counts of bits; the numbers go to local memory,
// close together; and results are computed in the order in which they are
// stored, from columns that still lie in local memory, or that were not read
// before.

// pick is a choice of rows.
type pick struct {
	parent int     // the domain of the rows
	guard  tile.ID // whether a row is picked
	scan   int     // the one that counts them
	rows   []int   // the stores of something of each row
	groups []int   // those of something of the rows up to each
	region int64   // of the pool: the first byte of their numbers in the tile
}

// isStored reports whether anything is stored of the rows that are picked.
func (p *pick) isStored() bool { return len(p.rows)+len(p.groups) > 0 }

// numberKind is the kind in which the pool holds rows of a tile.
const numberKind = ir.U16

// mostNumbered is how many rows a tile of that may have.
const mostNumbered = 1 << 16

// findPicks returns the choices of rows that the kernel consists of, or nothing
// where it does more than that.
func (k *kernel) findPicks() (picks []pick) {
	if len(k.cuts) != 1 {
		return nil
	}
	for _, i := range k.cuts[0] {
		op := &k.Ops[i]
		if op.Kind != tile.Scan || !op.Exclusive {
			return nil
		}
		if op.Monoid.Kind == tile.Fold {
			p, ok := k.pickCounted(i)
			if !ok {
				return nil
			}
			picks = append(picks, p)
		}
	}
	for _, i := range k.cuts[0] {
		if k.Ops[i].Monoid.Kind != tile.Fold && pickedBy(picks, k.rowsSince(i)) < 0 {
			return nil
		}
	}
	for i := range k.Ops {
		op := &k.Ops[i]
		if op.Epilogue || k.phase[i] == 0 || op.Kind != tile.Reduce && !op.HasEffect() {
			continue
		}
		if op.Kind == tile.Reduce || !k.canExchange(i) || len(op.Args) != 2 {
			return nil
		}
		j := k.pickOf(picks, op)
		switch {
		case j < 0:
			return nil
		case k.Domains[op.Domain].Kind == tile.Close:
			picks[j].groups = append(picks[j].groups, i)
		default:
			picks[j].rows = append(picks[j].rows, i)
		}
	}
	return picks
}

// pickCounted returns the pick whose rows scan i counts: those of its domain where
// a flag is set, or all of a domain that is picked from another.
func (k *kernel) pickCounted(i int) (pick, bool) {
	op := &k.Ops[i]
	if !k.countsRows(i, 0) {
		return pick{}, false
	}
	if guard, ok := countedFlag(k.Kernel, op.Args[0]); ok {
		return pick{parent: op.Domain, guard: guard, scan: i}, true
	}
	d := &k.Domains[op.Domain]
	// Where subgroups fold, rows that go to local memory at once are faster.
	picked := op.Domain > 0 && d.Kind == tile.Compact && isConstant(k.Kernel, op.Args[0], 1) && (k.round != nil || !k.hasSubgroups())
	return pick{parent: d.Parent, guard: d.Guard, scan: i}, picked
}

// rowsSince returns the flag since which scan i counts the rows of the base, or 0.
func (k *kernel) rowsSince(i int) tile.ID {
	op := &k.Ops[i]
	if op.Domain != 0 || op.Monoid.Kind != tile.Segmented || !k.countsRows(i, 1) || !isConstant(k.Kernel, op.Args[1], 1) {
		return 0
	}
	return op.Args[0]
}

// pickedBy returns the pick of rows of the base by guard, or -1.
func pickedBy(picks []pick, guard tile.ID) int {
	return slices.IndexFunc(picks, func(p pick) bool { return p.parent == 0 && p.guard == guard })
}

// pickOf returns the pick that a store belongs to, or -1: it stores something of
// each row picked at the row's number among these, or something of the rows
// since the one picked before it at the number of that one.
func (k *kernel) pickOf(picks []pick, op *tile.Op) int {
	d, place := &k.Domains[op.Domain], op.Args[1]
	isGroup := d.Kind == tile.Close
	if isGroup {
		begun, ok := oneLess(k.Kernel, place)
		if !ok || !k.opens(d.Open, op.Domain) {
			return -1
		}
		place = begun
	}
	for _, condition := range k.Conditions(d.Parent) {
		if !k.isLocal(condition) {
			return -1
		}
	}
	return slices.IndexFunc(picks, func(p pick) bool {
		if p.scan != k.Values[place].Op || p.parent != d.Parent || p.guard != d.Guard {
			return false
		}
		if isGroup {
			return p.parent == 0 && k.isOfDistance(op.Args[0], p.guard)
		}
		return k.isOfRow(op.Args[0])
	})
}

// isOfRow reports whether v follows from the columns at its row.
func (k *kernel) isOfRow(v tile.ID) bool {
	op := &k.Ops[k.Values[v].Op]
	switch {
	case k.Values[v].Domain == tile.Uniform, op.Kind == tile.Row:
		return true
	case op.Kind != tile.Load && op.Kind != tile.Map:
		return false
	}
	return !slices.ContainsFunc(op.Args, func(arg tile.ID) bool { return !k.isOfRow(arg) })
}

// isOfDistance reports whether v follows from how many rows there are since guard.
func (k *kernel) isOfDistance(v, guard tile.ID) bool {
	i := k.Values[v].Op
	op := &k.Ops[i]
	switch {
	case k.Values[v].Domain == tile.Uniform:
		return true
	case op.Kind == tile.Scan:
		return k.rowsSince(i) == guard && op.Res[1] == v
	case op.Kind != tile.Map:
		return false
	}
	return !slices.ContainsFunc(op.Args, func(arg tile.ID) bool { return !k.isOfDistance(arg, guard) })
}

// tryPicks plans a pool for k.items rows a work-item in which the columns that
// rows are picked by stay, with the numbers of these, and reports whether
// registers and local memory suffice.
func (k *kernel) tryPicks(columns []tile.Staged) bool {
	p := newPool()
	registers := 0
	for _, s := range columns {
		if !slices.ContainsFunc(k.Ops, func(op tile.Op) bool {
			return op.Kind == tile.Load && len(op.Args) == 0 && op.Stream == s.Stream && k.early[op.Res[0]]
		}) {
			continue
		}
		kind := k.Streams[s.Stream].Kind
		p.staged[s.Stream], p.halo[s.Stream] = true, s.Before > 0
		if k.round == nil {
			p.bytes += k.layoutOf(kind).bytes
		}
		registers += kind.Size()
	}
	for j := range k.picks {
		k.picks[j].region = p.bytes
		p.bytes += aligned16(k.rows() * int64(numberKind.Size()))
	}
	p.bytes = aligned16(p.bytes)
	return k.items <= bitsOfRows && k.rows() <= mostNumbered && k.settle(p, registers)
}

// mark sets the bits of the row at hand for picks from domain d.
func (e *emission) mark(d int) {
	for j, p := range e.picks {
		if p.parent == d {
			bit := loop.Apply(ir.OpShl, loop.ToKind(ir.U32, e.expr(p.guard)), loop.ToKind(ir.U32, e.item))
			e.b.Assign(e.picked[j], loop.Apply(ir.OpOr, e.picked[j], bit))
		}
	}
}

// Functions of a word.
var (
	countOnes    = &loop.Signature{Name: "count_ones_u32", Params: []loop.Type{loop.ScalarOf(ir.U32)}, Results: []loop.Type{loop.ScalarOf(ir.U32)}}
	leadingZeros = &loop.Signature{Name: "leading_zeros_u32", Params: []loop.Type{loop.ScalarOf(ir.U32)}, Results: []loop.Type{loop.ScalarOf(ir.U32)}}
)

// foldPicked makes the states of this work-item's rows from their bits.
func (e *emission) foldPicked() {
	st := e.stateOf(e.cuts[0])
	for _, slot := range st.slots {
		op := &e.Ops[slot.op]
		var x loop.Expr
		if op.Monoid.Kind == tile.Fold {
			j := slices.IndexFunc(e.picks, func(p pick) bool { return p.scan == slot.op })
			x = loop.ToKind(slot.kind, loop.CallOf(countOnes, e.picked[j]))
		} else {
			bits := e.picked[pickedBy(e.picks, op.Args[0])]
			none := loop.Eq(bits, number(ir.U32, 0))
			if x = loop.Not(none); slot.field > 0 {
				rest := loop.Sub(e.count, loop.Mul(e.lane, loop.Int(int64(e.items))))
				rows := e.b.Let("mine", loop.Least(loop.Greatest(rest, loop.Int(0)), loop.Int(int64(e.items))))
				last := loop.Sub(loop.Int(bitsOfRows-1), loop.ToCounter(loop.CallOf(leadingZeros, bits)))
				x = loop.ToKind(slot.kind, loop.Choose(none, rows, loop.Sub(rows, last)))
			}
		}
		e.b.Assign(e.folds[slot.stateKey], x)
	}
}

// storePicked stores what the kernel stores of the rows that it has picked.
func (s *launches) storePicked(e *emission) {
	const cut = 0
	st := s.stateOf(s.cuts[cut])
	before, total := e.groupScan(st, e.folded(st))
	if s.lookback {
		s.announce(e, cut, total)
	}
	s.numberPicked(e, st, before, total)
	var earlier []loop.Expr
	if s.lookback {
		earlier = s.lookBack(e, cut, total)
	} else {
		earlier = s.prefix(e, cut, st, total)
	}
	s.deliverAllPicked(e, st, earlier, total)
}

// numberPicked writes the numbers of this work-item's rows to the pool.
func (s *launches) numberPicked(e *emission, st *state, before, total []loop.Expr) {
	for j, p := range s.picks {
		if p.isStored() {
			e.number(p, e.picked[j], before[st.counted(p)], total[st.counted(p)])
		}
	}
}

// deliverAllPicked stores what belongs to the rows of all picks.
func (s *launches) deliverAllPicked(e *emission, st *state, earlier, total []loop.Expr) {
	e.know(st, earlier, total)
	for _, p := range s.picks {
		if p.isStored() {
			e.deliverPicked(p, st, earlier, loop.ToCounter(total[st.counted(p)]))
		}
	}
}

// counted returns the slot that counts the rows of a pick.
func (st *state) counted(p pick) int { return st.of[stateKey{p.scan, 0}].slot }

// know notes the fold of the rows before the tile, and of those up to its end.
func (e *emission) know(st *state, earlier, total []loop.Expr) {
	whole := e.combine(st, earlier, total)
	for j, slot := range st.slots {
		e.earlier[slot.stateKey], e.whole[slot.stateKey] = earlier[j], whole[j]
	}
}

// number writes the numbers of this work-item's rows of a pick to the pool, the
// first one at place before. Where most of the tile's rows are picked it looks at
// each, elsewhere at the bits that are set.
func (e *emission) number(p pick, bits *loop.Var, before, total loop.Expr) {
	numbers := e.poolOf(numberKind)
	first := e.b.Let("first", loop.Add(loop.ToCounter(before), e.poolStart(p.region, numberKind)))
	start := e.b.Let("start", loop.Mul(e.lane, loop.Int(int64(e.items))))
	store := func(at, item loop.Expr) { e.b.Store(numbers, at, loop.ToKind(numberKind, loop.Add(start, item))) }
	e.b.If(loop.Gt(loop.ToCounter(total), loop.Int(e.kernel.rows()/2)), func() {
		at := e.b.Decl("at", first)
		e.b.For("item", loop.Int(0), loop.Int(int64(e.items)), func(item *loop.Var) {
			e.b.If(isSet(bits, item), func() {
				store(at, item)
				e.b.Assign(at, loop.Add(at, loop.Int(1)))
			}, nil)
		})
	}, func() {
		rest := e.b.Decl("rest", bits)
		at := e.b.Decl("at", loop.Add(first, loop.ToCounter(loop.CallOf(countOnes, bits))))
		e.b.While(loop.Ne(rest, number(ir.U32, 0)), func() {
			item := e.b.Let("item", loop.Sub(loop.Int(bitsOfRows-1), loop.ToCounter(loop.CallOf(leadingZeros, rest))))
			e.b.Assign(at, loop.Sub(at, loop.Int(1)))
			store(at, item)
			e.b.Assign(rest, loop.Apply(ir.OpXor, rest, loop.Apply(ir.OpShl, number(ir.U32, 1), loop.ToKind(ir.U32, item))))
		})
	})
}

// deliverPicked stores what belongs to the count rows of a pick; earlier are the
// states of all earlier tiles.
func (e *emission) deliverPicked(p pick, st *state, earlier []loop.Expr, count loop.Expr) {
	numbers := e.poolOf(numberKind)
	first := e.poolStart(p.region, numberKind)
	numberAt := func(at loop.Expr) loop.Expr { return loop.ToCounter(loop.At(numbers, loop.Add(first, at))) }
	base := e.b.Let("base", loop.ToCounter(earlier[st.counted(p)]))
	store := func(ops []int, place loop.Expr) {
		for _, i := range ops {
			op := &e.Ops[i]
			e.note(op)
			e.b.Store(e.stream(op.Stream), place, e.ofPicked(op.Args[0]))
		}
	}
	e.b.ForStep("at", e.lane, count, int64(e.workgroup), func(at *loop.Var) {
		e.inTile = e.b.Let("number", numberAt(at))
		e.row = e.b.Let("row", loop.Add(e.first, e.inTile))
		e.values = map[tile.ID]loop.Expr{}
		place := e.b.Let("place", loop.Add(base, at))
		store(p.rows, place)
		if len(p.groups) == 0 {
			return
		}
		e.b.If(loop.Gt(at, loop.Int(0)), func() {
			distance := e.b.Let("distance", loop.Sub(e.inTile, numberAt(loop.Sub(at, loop.Int(1)))))
			e.distance = func(int) loop.Expr { return distance }
			e.values = map[tile.ID]loop.Expr{}
			store(p.groups, loop.Sub(place, loop.Int(1)))
		}, nil)
	})
	if len(p.groups) == 0 {
		return
	}
	isOpen := loop.And(loop.Gt(count, loop.Int(0)), loop.Gt(base, loop.Int(0)))
	e.b.If(loop.And(loop.Eq(e.lane, loop.Int(0)), isOpen), func() {
		number := e.b.Let("number", numberAt(loop.Int(0)))
		e.distance = func(scan int) loop.Expr {
			return loop.Add(number, loop.ToCounter(earlier[st.of[stateKey{scan, 1}].slot]))
		}
		e.values = map[tile.ID]loop.Expr{}
		store(p.groups, loop.Sub(base, loop.Int(1)))
	}, nil)
}

// ofPicked computes v for the row that has been picked, or for the rows up to it.
func (e *emission) ofPicked(v tile.ID) loop.Expr {
	if x, ok := e.uniform[v]; ok {
		return x
	}
	if x, ok := e.values[v]; ok {
		return x
	}
	op := &e.Ops[e.Values[v].Op]
	var x loop.Expr
	switch {
	case op.Kind == tile.Scan:
		x = loop.ToKind(e.Values[v].Kind, e.distance(e.Values[v].Op))
	case op.Kind == tile.Map:
		args := make([]loop.Expr, len(op.Args))
		for i, arg := range op.Args {
			args[i] = e.ofPicked(arg)
		}
		x = e.apply(op, args)
	case op.Kind == tile.Load && len(op.Args) > 0:
		x = e.loadAt(op, e.ofPicked(op.Args[0]))
	case op.Kind == tile.Load && e.pool.staged[op.Stream]:
		kind := e.Streams[op.Stream].Kind
		l := e.stagedLayout(op.Stream)
		base := e.staged(op.Stream, l)
		x = fromWord(kind, loop.At(e.poolOf(l.word), loop.Add(base, l.dealt(e.kernel, e.inTile))))
	default:
		x = e.pure(op)
	}
	if e.uses[v] > 1 {
		x = e.b.Let(e.name(v), x)
		e.values[v] = x
	}
	return x
}
