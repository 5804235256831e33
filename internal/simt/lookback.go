package simt

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Look-back with decoupled tiles: Merrill and Garland, Single-pass Parallel
// Prefix Scan with Decoupled Look-back, 2016. A tile publishes the fold of its
// own rows, then folds what the tiles before it have published, back to the first
// that has published a prefix, and publishes its own prefix. Words are written by
// atomic exchanges, which on some devices become visible sooner than stores. A
// ticket numbers the tiles, so that all tiles before one have started.

// spinLimit is how often a tile polls before it gives up: seconds on a GPU, and on a CPU about as
// long as a loaded machine takes a core away.
const spinLimit = 1 << 24

// abortCheck is how many polls pass between looks at the abort word.
const abortCheck = 1 << 10

// maxWindow is how many work-items poll at once.
const maxWindow = 32

// segmentWorkgroup is the size of work-groups of subgroups that fold the rows
// between selected ones, if the schedule leaves it open. Such folds need extra
// barriers, which cost large work-groups more.
const segmentWorkgroup = 128

// lookback is the scheme of one launch whose tiles publish, and poll earlier ones.
type lookback struct {
	flat
	statuses []*status // of the cuts
	tickets  string    // the buffer that numbers tiles
}

var lookbackFamily = family{Traits: Traits{Name: SchemeLookback, Portable: true},
	settings: []ownSetting{{"ids", func(s plan.Schedule) bool { return s.IDs != "" }}},
	refuse:   func(plan.Schedule) error { return nil },
	fallback: byPublished,
	shape: func(l *lowering, t *tile.Kernel, s shape) (shape, error) {
		if s.isOpen && l.target.Subgroup.divides(flatWorkgroup) {
			s.segmentWorkgroup = segmentWorkgroup
		}
		return workgroupShape(l, t, s)
	},
	lower: func(s *launches) scheme {
		if len(s.gridCuts()) == 0 || s.waitsForCores() {
			return withoutPrefix(s)
		}
		return &lookback{flat: flat{s}}
	},
}

// waitsForCores reports whether tiles that look back would wait for what other cores write, unless the schedule asks for that: a
// tile of a core takes hardly longer than a line of its cache to another one. On two cores three scans of 4 * 10^6 rows take 7.9 ms
// so and 2.2 with a launch for each, on one core 4.1 and 4.3.
func (s *launches) waitsForCores() bool {
	return s.target.Cores > 1 && s.schedule.Scheme == "" && s.schedule.IDs == ""
}

func (s *lookback) meets() tile.Demands { return metByTiles | tile.Prefixes }

func (s *lookback) refuse() error {
	if s.chunk() > 1 {
		return fmt.Errorf("chunk=%d: under scheme=%s each work-group of kernel %s takes one tile; several are a choice of scheme=%s",
			s.chunk(), SchemeLookback, s.Name, SchemePublished)
	}
	return nil
}

func (s *lookback) describe(v *plan.Variant) {
	v.Schedule.Scheme = SchemeLookback
	if s.schedule.IDs != plan.Static || s.isStatic() {
		v.Schedule.IDs = s.schedule.IDs
	}
}

func (s *lookback) prepare() {
	for _, cut := range s.gridCuts() {
		st := newStatus(s.stateOf(s.gridScans(cut)), cut, s.statusName(cut), false)
		perTile := int64(st.words)
		if !st.sole {
			perTile *= 2
		}
		s.addStatus(st, plan.Mul(plan.Max(s.tiles, plan.Const(1)), plan.Const(perTile)))
		s.statuses = append(s.statuses, st)
		s.addTickets()
		s.addAbort()
	}
	s.addReductions()
	s.addTotals()
}

// addTickets adds the buffer that numbers tiles.
func (s *lookback) addTickets() {
	if s.tickets == "" && !s.isStatic() {
		s.tickets = s.fresh(s.Name + "_tickets")
		s.addBuffer(plan.Buffer{Name: s.tickets, Kind: plan.U32, Role: plan.Status, Length: plan.Const(1)})
	}
}

// isStatic reports whether tiles are numbered by work-group IDs, without tickets.
// Work-groups that walk over the tiles take a ticket for each in any case.
func (s *lookback) isStatic() bool {
	return s.schedule.IDs == plan.Static && (s.ranks == nil || !s.ranks.walks)
}

func (s *lookback) main() {
	strategy, forward := s.strategy, plan.ForwardTicket
	if s.overlaps() {
		strategy = overlap{s}
	}
	if s.isStatic() {
		forward = plan.ForwardStatic
	}
	s.launchRows(s.mainFunction(strategy), s.grid(), forward)
}

func (s *lookback) eachTile(e *tileBody, body func()) {
	if s.isStatic() {
		s.flat.eachTile(e, body)
		return
	}
	e.tile = s.ticket(e.function)
	body()
}

func (s *lookback) knowsTotal() bool { return true }

func (s *lookback) endTile(e *rowBody) {
	if s.hasEnd() {
		s.endLastTile(e)
	}
}

// ticket numbers the tile, in the order in which work-groups begin.
func (s *lookback) ticket(e *function) loop.Expr {
	e.b.If(loop.Eq(e.localID, loop.Int(0)), func() { s.takeTicket(e) }, nil)
	e.b.Barrier(loop.WorkgroupScope)
	return e.b.Let("tile", s.taken(e))
}

// takeTicket lets a work-item take the next ticket for its work-group.
func (s *lookback) takeTicket(e *function) {
	tickets := e.arguments.buffer(s.tickets, ir.U32, plan.ReadsWrites)
	taken := e.b.AtomicOld("taken", loop.AtomicAdd, tickets, loop.Int(0), number(ir.U32, 1))
	e.b.Store(e.localWords("ticket", 1), loop.Int(0), taken)
}

// taken returns the ticket that the work-group has taken.
func (s *lookback) taken(e *function) loop.Expr {
	return loop.ToCounter(loop.At(e.localWords("ticket", 1), loop.Int(0)))
}

// localWords returns words of local memory.
func (e *function) localWords(name string, count int) *loop.Var {
	return e.localArray("shared_"+name, ir.U32, count)
}

// statusOf returns the status of a cut.
func (s *lookback) statusOf(cut int) *status {
	return s.statuses[slices.IndexFunc(s.statuses, func(t *status) bool { return t.cut == cut })]
}

// publish publishes the fold of the tile, unless it is the first.
func (s *lookback) publish(e *tileBody, cut int) func(total []loop.Expr) {
	t := s.statusOf(cut)
	return func(total []loop.Expr) {
		memory := e.arguments.buffer(t.buffer, ir.U64, plan.ReadsWrites)
		e.b.If(loop.Gt(e.tile, loop.Int(0)), func() { t.publish(e, memory, flagAggregate, total) }, nil)
	}
}

func (s *lookback) prefix(e *tileBody, cut int, _ *state, total []loop.Expr) []loop.Expr {
	return e.collective.lookBack(s, e, cut, total)
}

// noPrefix is above the number of any work-item.
const noPrefix = 1 << 16

// lookBack returns the fold of all earlier tiles. The work-group walks back over
// them, a window at a time, with a work-item per tile. Some work-items fold a
// stretch of the window each. The last work-item of the work-group folds their
// folds while others poll the next window.
func (localMemory) lookBack(s *lookback, e *tileBody, cut int, total []loop.Expr) (earlier []loop.Expr) {
	t := s.statusOf(cut)
	st := t.state
	memory := e.arguments.buffer(t.buffer, ir.U64, plan.ReadsWrites)
	isLast := loop.Eq(e.localID, loop.Int(int64(e.workgroup-1)))
	fold := e.declare(st, st.identities()) // of the last work-item
	window := int64(min(e.workgroup, maxWindow))
	stretches := int64(stretchesOf(int(window)))
	// The first work-item whose tile has published a prefix; windows take the two
	// words by turns.
	nearest := e.localWords("nearest", 2)
	e.b.If(loop.Eq(e.localID, loop.Int(0)), func() { e.b.Store(nearest, loop.Int(0), number(ir.U32, noPrefix)) }, nil)
	parity := e.b.Decl("parity", loop.Int(0))
	e.b.Barrier(loop.WorkgroupScope) // nearest is set
	before := e.b.Decl("before", loop.Sub(e.tile, loop.Int(1)))
	shared := e.sharedState(st)
	e.b.While(loop.Ge(before, loop.Int(0)), func() {
		e.b.If(loop.Lt(e.localID, loop.Int(window)), func() {
			theirs := e.declare(st, st.identities())
			e.b.If(loop.Ge(before, e.localID), func() {
				q := s.poll(e.function, t, memory, e.b.Let("polled", loop.Sub(before, e.localID)))
				s.waitForStatus(e.function, q, func(state []loop.Expr, isPrefix loop.Expr) {
					e.assignAll(theirs, state)
					e.b.If(isPrefix, func() { e.b.Atomic(loop.AtomicMin, nearest, parity, loop.ToKind(ir.U32, e.localID)) }, nil)
				})
			}, nil)
			e.storeState(shared, e.localID, exprsOf(theirs))
		}, nil)
		e.b.Barrier(loop.WorkgroupScope)
		last := e.b.Let("last", loop.ToCounter(loop.At(nearest, parity)))
		e.b.Assign(parity, loop.Sub(loop.Int(1), parity))
		e.b.If(loop.Eq(e.localID, loop.Int(0)), func() { e.b.Store(nearest, parity, number(ir.U32, noPrefix)) }, nil)
		e.foldStretches(st, shared, last, window, stretches)
		e.b.Barrier(loop.WorkgroupScope)
		e.b.If(isLast, func() {
			part := e.foldBackwards(st, shared, loop.Int(window), stretches, nil)
			e.assignAll(fold, e.combine(st, part, exprsOf(fold)))
		}, nil)
		e.b.Assign(before, loop.Choose(loop.Lt(last, loop.Int(window)), loop.Int(-1), loop.Sub(before, loop.Int(window))))
	})
	e.b.If(isLast, func() { s.publishPrefix(e, t, memory, exprsOf(fold), total) }, nil)
	return e.broadcastPrefix(t)
}

// publishPrefix publishes the prefix of the tile, and puts the fold of the earlier
// tiles in local memory.
func (s *lookback) publishPrefix(e *tileBody, t *status, memory *loop.Var, fold, total []loop.Expr) {
	t.publish(e, memory, flagPrefix, e.combine(t.state, fold, total))
	e.storeState(e.sharedPrefix(t), loop.Int(0), fold)
}

// broadcastPrefix returns what publishPrefix has put in local memory.
func (e *function) broadcastPrefix(t *status) []loop.Expr {
	e.b.Barrier(loop.WorkgroupScope)
	return e.loadState(e.sharedPrefix(t), loop.Int(0))
}

// sharedPrefix returns local memory for the result of a cut's look-back. Each cut
// has its own: some work-items may still read the result of the cut before.
func (e *function) sharedPrefix(t *status) []*loop.Var {
	name := "earlier"
	if t.cut > 0 {
		name += strconv.Itoa(t.cut)
	}
	return e.localState(name, t.state, 1)
}

// foldStretches folds the shared states last to 0 of a window by stretches, a
// work-item each, and puts the folds behind the window.
func (e *function) foldStretches(st *state, shared []*loop.Var, last loop.Expr, window, stretches int64) {
	length := window / stretches
	e.b.If(loop.Lt(e.localID, loop.Int(stretches)), func() {
		start := e.b.Let("start", loop.Mul(e.localID, loop.Int(length)))
		fold := e.foldBackwards(st, shared, start, length, last)
		e.storeState(shared, loop.Add(loop.Int(window), e.localID), fold)
	}, nil)
}

// foldBackwards folds count shared states from start on, the last one first. It
// leaves out those behind last, unless that is nil.
func (e *function) foldBackwards(st *state, shared []*loop.Var, start loop.Expr, count int64, last loop.Expr) []loop.Expr {
	fold := e.declare(st, st.identities())
	e.b.For("i", loop.Int(0), loop.Int(count), func(i *loop.Var) {
		at := e.b.Let("at", loop.Sub(loop.Add(start, loop.Int(count-1)), i))
		theirs := e.loadState(shared, at)
		if last != nil {
			theirs = e.choose(loop.Le(at, last), theirs, st.identities())
		}
		e.assignAll(fold, e.combine(st, exprsOf(fold), theirs))
	})
	return exprsOf(fold)
}

// polled holds the status words of a tile as they were last read.
type polled struct {
	status *status
	memory *loop.Var
	tile   loop.Expr
	words  map[int][]*loop.Var // by flag
}

// flags lists the flags whose words are polled.
func (t *status) flags() []int {
	if t.sole { // one word, whose flag says which of the two it is
		return []int{flagPrefix}
	}
	return []int{flagPrefix, flagAggregate}
}

// poll reads what a tile has published so far.
func (s *lookback) poll(e *function, t *status, memory *loop.Var, tile loop.Expr) *polled {
	q := &polled{t, memory, tile, map[int][]*loop.Var{}}
	for _, flag := range t.flags() {
		for w := range t.words {
			q.words[flag] = append(q.words[flag], e.b.Decl("word", q.read(flag, w)))
		}
	}
	return q
}

func (q *polled) read(flag, w int) loop.Expr {
	return loop.VolatileAt(q.memory, q.status.place(q.tile, flag, w))
}

// has reports whether all words of a flag are there.
func (q *polled) has(flag int) loop.Expr {
	all := loop.Expr(loop.True)
	for _, word := range q.words[flag] {
		all = loop.And(all, q.status.isThere(word))
	}
	return all
}

// waitForStatus polls until the tile has published a state, and runs take with that
// and whether it is a prefix. Past the limit, or once another tile has given up, it
// runs take with an arbitrary state as a prefix: the plan's fallback will do the
// work again.
func (s *lookback) waitForStatus(e *function, q *polled, take func(theirs []loop.Expr, isPrefix loop.Expr)) {
	spins := e.b.Decl("spins", loop.Int(0))
	waiting := e.b.Decl("waiting", loop.True)
	known := loop.Expr(loop.False)
	for _, flag := range q.status.flags() {
		known = loop.Or(known, q.has(flag))
	}
	e.b.While(loop.And(waiting, loop.Not(known)), func() {
		s.wait(e, spins, waiting)
		for _, flag := range q.status.flags() {
			for w, word := range q.words[flag] {
				e.b.Assign(word, q.read(flag, w))
			}
		}
	})
	state := func(flag int) []loop.Expr { return q.status.unpack(e, exprsOf(q.words[flag])) }
	if q.status.sole {
		take(state(flagPrefix), loop.Or(loop.Not(waiting), q.status.isPrefix(q.words[flagPrefix][0])))
		return
	}
	e.b.If(loop.And(waiting, loop.Not(q.has(flagPrefix))),
		func() { take(state(flagAggregate), loop.False) },
		func() { take(state(flagPrefix), loop.True) })
}

// wait counts a poll that found nothing, and ends the waiting past the limit.
func (s *launches) wait(e *function, spins, waiting *loop.Var) {
	e.b.Assign(spins, loop.Add(spins, loop.Int(1)))
	e.b.If(loop.Eq(loop.Apply(ir.OpAnd, spins, loop.Int(abortCheck-1)), loop.Int(0)), func() {
		abort := e.arguments.buffer(s.abort, ir.U32, plan.ReadsWrites)
		e.b.If(loop.Ge(spins, loop.Int(s.spinLimit)), func() { e.b.Atomic(loop.AtomicOr, abort, loop.Int(0), number(ir.U32, abortWaited)) }, nil)
		e.b.If(loop.Ne(loop.Apply(ir.OpAnd, loop.VolatileAt(abort, loop.Int(0)), number(ir.U32, abortWaited)), number(ir.U32, 0)), func() { e.b.Assign(waiting, loop.False) }, nil)
	}, nil)
}

// endLastTile does what comes after all rows, or stores the totals for the launch
// that does.
func (s *launches) endLastTile(e *rowBody) {
	last := loop.Sub(loop.Greatest(loop.ToCounter(e.arguments.value("tiles", s.tiles)), loop.Int(1)), loop.Int(1))
	e.b.If(loop.And(loop.Eq(e.localID, loop.Int(0)), loop.Eq(e.tile, last)), func() {
		e.now, e.row = atEnd, nil
		e.values = map[tile.ID]loop.Expr{}
		for _, cut := range s.gridCuts() {
			for _, slot := range s.stateOf(s.gridScans(cut)).slots {
				if s.lastTileEnds() {
					e.running[slot.stateKey] = e.b.Decl("total", e.whole[slot.stateKey])
				} else {
					e.b.Store(e.memory(s.totals[slot.stateKey], slot, plan.Writes), loop.Int(0), e.whole[slot.stateKey])
				}
			}
		}
		if s.lastTileEnds() {
			e.end()
		}
	}, nil)
}
