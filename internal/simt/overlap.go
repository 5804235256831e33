package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
)

// Under look-back a tile waits for the earlier ones. Often its rows need not: the
// earlier tiles only decide at which place of a result the tile's rows begin, and
// what the segment holds that is open at its beginning. Then the tile puts its
// results together in local memory first, looks back, writes the results to their
// places, and closes the open segment. The columns are no longer needed while it
// waits, and the earlier tiles have had time to publish.

// overlaps reports whether a tile can do its rows before it looks back.
func (s *lookback) overlaps() bool {
	if len(s.cuts) != 1 || len(s.arena.regions) == 0 {
		return false
	}
	for _, i := range s.cuts[0] {
		if op := &s.Ops[i]; !op.Cuts() || !op.Exclusive {
			return false
		}
	}
	for i := range s.Ops {
		op := &s.Ops[i]
		if op.Epilogue || !op.IsReduction() && (!op.HasEffect() || s.phase[i] == 0) {
			continue
		}
		for _, condition := range s.Conditions(op.Domain) {
			if d := &s.Domains[op.Domain]; !s.isLocal(condition) && (condition != d.Open || d.Counter == 0) {
				return false
			}
		}
		switch _, direct := s.arena.regions[i]; {
		case op.IsReduction():
			if !s.areLocal(op.Args) {
				return false
			}
		case !direct || !s.isCounted(op):
			return false
		case !s.isLocal(op.Args[0]) && !(s.Domains[op.Domain].Kind == tile.Close && s.isOfSegment(op.Args[0], op.Domain)):
			return false
		}
	}
	return true
}

// isLocal reports whether v does not depend on a scan.
func (k *kernel) isLocal(v tile.ID) bool {
	op := &k.Ops[k.Values[v].Op]
	return !op.Cuts() && k.areLocal(op.Args)
}

func (k *kernel) areLocal(list []tile.ID) bool {
	for _, v := range list {
		if !k.isLocal(v) {
			return false
		}
	}
	return true
}

// isCounted reports whether a store goes to the place of a row in a domain whose
// rows are counted.
func (k *kernel) isCounted(store *tile.Op) bool {
	d := &k.Domains[store.Domain]
	return d.Counter != 0 && store.Args[1] == d.Position
}

// isOfSegment reports whether v, for segments that close in d, depends only on the
// rows since the segment began.
func (k *kernel) isOfSegment(v tile.ID, d int) bool {
	domain := &k.Domains[d]
	op := &k.Ops[k.Values[v].Op]
	if !op.Cuts() {
		for _, arg := range op.Args {
			if !k.isOfSegment(arg, d) {
				return false
			}
		}
		return true
	}
	if op.Domain != domain.Parent || v == op.Res[0] {
		return false
	}
	return op.Segment == domain.Guard || k.KeepsLast(op)
}

// overlap runs the rows after the only cut, then looks back.
type overlap struct{ scheme *lookback }

// If all columns lie in local memory at once, work-items take them again after the
// scan of the work-group, which then has more registers.
func (overlap) keepsColumns(e *function) bool {
	bytes := int64(0)
	for _, i := range e.stagedReads() {
		bytes += e.layoutOf(e.Streams[i].Kind).bytes
	}
	return !e.collective.inRegisters() && bytes > 0 && bytes <= e.arena.bytes
}

func (overlap) keepsValues() bool { return true }

func (o overlap) run(s *launches, e *rowBody) {
	const cut = 0
	e.declareFolds(s.cuts[cut])
	e.loopRows(cut)
	st := s.stateOf(s.cuts[cut])
	before, total := e.blockScan(st, e.folded(st), duringScan{publish: s.publish(e.tileBody, cut)})
	if o.keepsColumns(e.function) {
		e.takeColumns()
		e.barrier()
	}
	for j, slot := range st.slots {
		e.running[slot.stateKey] = e.b.Decl(st.name(j), before[j])
		e.earlier[slot.stateKey] = st.identities()[j]
	}
	e.pack()
	for d := range s.Domains {
		if s.Domains[d].Kind == tile.Close {
			e.open[d] = &openSegment{here: e.b.Decl("open", loop.False), state: e.declare(st, st.identities())}
			if e.looksBack() {
				e.open[d].row = e.b.Decl("closes_at", loop.Int(0))
			}
		}
	}
	e.loopRows(e.until)
	earlier := s.prefix(e.tileBody, cut, st, total)
	e.know(st, earlier, total)
	for _, p := range e.scatters {
		p.base, p.end = e.span(p.place)
	}
	now := e.now
	e.now = atEnd
	for d := range s.Domains {
		if e.open[d] == nil {
			continue
		}
		e.b.If(e.open[d].here, func() {
			for j, x := range e.combine(st, earlier, exprsOf(e.open[d].state)) {
				e.running[st.slots[j].stateKey] = e.b.Decl(st.name(j), x)
			}
			e.values = map[tile.ID]loop.Expr{}
			if row := e.open[d].row; row != nil {
				e.row = row
			}
			e.nested(e.expr(s.Domains[d].Open), func() { e.block(d) })
		}, nil)
	}
	e.now = now
	e.isOpenStored = true
	e.deliver()
}

// openSegment is the segment that was open before the tile, if it closes there.
type openSegment struct {
	here  *loop.Var   // whether the work-item has that row
	row   *loop.Var   // its number, if that is needed
	state []*loop.Var // the state before the row, of the tile alone
}

// looksBack reports whether rows see those before them.
func (k *kernel) looksBack() bool {
	return k.Has(func(op *tile.Op) bool { return op.Kind == tile.Shift })
}

// hold keeps the state at the row where the segment closes.
func (e *rowBody) hold(g *openSegment) {
	e.b.Assign(g.here, loop.True)
	if g.row != nil {
		e.b.Assign(g.row, e.row)
	}
	for j, slot := range e.stateOf(e.cuts[0]).slots {
		e.b.Assign(g.state[j], e.running[slot.stateKey])
	}
}
