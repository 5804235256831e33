package simt

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/ir/loop"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/tile"
)

// The round window: as many groups as run at once walk over the rows together,
// a round of tiles after the other. A group tells the fold of a tile some rounds
// before it goes on with that tile; then the folds of the round between have
// been told long ago, and the prefix of a tile is that of the group's tile
// before and these. Copies beside the work-items bring the columns of the next
// rounds to a ring in local memory.
//
// In a group each subgroup has rows of its own, and for all that comes before
// and after the fold of the group they are a tile, which the subgroup handles as
// a group does elsewhere. Three more subgroups are the control: one asks for the
// folds of other groups, one tells those of its own, one brings columns. All meet
// once in a round.
//
//	round k:  control: fold of the round before tile k - lookahead
//	          others:  columns of tile k, its fold             (front)
//	          barrier
//	          control: tell the fold of tile k, refill the ring
//	          others:  rows of tile k - lookahead, results     (back)

// roundGroup is the size of a group where the schedule leaves it open: 16
// subgroups and the control. Two groups a unit of half the size are half as fast:
// each waits for twice as many.
const roundGroup = (16 + roundControl) * roundSubgroup

// roundControl is how many subgroups take no rows.
const roundControl = plan.RoundControl / roundSubgroup

// roundSubgroup is the size of subgroups that rounds are made for.
const roundSubgroup = 32

// roundLookahead is by how many rounds folds are told ahead where the schedule
// leaves it open.
const roundLookahead = 2

// roundBudget is how many bytes of local memory a group may have; some are left
// for what compilers align.
const roundBudget = 227<<10 - 256

// tilesAsked is how many tiles of the round before each work-item of the control
// asks for, and mostRound how many groups there are at most.
const tilesAsked, mostRound = 5, tilesAsked * roundSubgroup

// round is how the groups of a kernel walk.
type round struct {
	teams     int           // subgroups that take rows
	lookahead int           // rounds
	ring      int           // stages; 0 until they are chosen
	wanted    int           // those of the schedule, or 0
	columns   map[int]int64 // of staged streams: the first byte in a stage
	stage     int64         // bytes of a stage
}

// group returns the work-items of a group.
func (r *round) group() int { return (r.teams + roundControl) * roundSubgroup }

// roundShape is the shape of t's tiles where its groups walk in rounds, if they
// do, or the reason why they cannot.
func (l *lowering) roundShape(t *tile.Kernel, s shape) (_ shape, reason string) {
	lookahead, ring := l.schedule.Lookahead, l.schedule.Ring
	if lookahead == 0 {
		lookahead = roundLookahead
	}
	analysis := tile.Analyze(t)
	isFlat := len(analysis.Cuts) == 0 && !slices.ContainsFunc(t.Ops, func(op tile.Op) bool { return op.Kind == tile.ChunkScan })
	switch refused := analysis.RefuseRound(); {
	case refused != "" && !isFlat:
		return s, fmt.Sprintf("kernel %s: %s; choose scheme=%s or another level of fusion", t.Name, refused, SchemeLookback)
	case l.target.Subgroup != roundSubgroup:
		return s, fmt.Sprintf("it takes subgroups of %d; choose scheme=%s", roundSubgroup, SchemeLookback)
	case l.inParts():
		return s, fmt.Sprintf("a round goes on where the round before it ended, in one launch; for parts choose scheme=%s", SchemeLookback)
	case s.workgroup%roundSubgroup != 0 || s.workgroup <= plan.RoundControl:
		return s, fmt.Sprintf("workgroup=%d: a group is subgroups of %d that take rows, one at least, and %d for control", s.workgroup, roundSubgroup, roundControl)
	case ring > 0 && ring < lookahead+2:
		return s, fmt.Sprintf("ring=%d: with lookahead=%d groups would wait for each other forever; the ring has at least %d stages", ring, lookahead, lookahead+2)
	case isFlat:
		if s.workgroup&(s.workgroup-1) != 0 {
			s.workgroup = flatGroup
		}
		return s, ""
	}
	s.round = &round{teams: s.workgroup/roundSubgroup - roundControl, lookahead: lookahead, wanted: ring}
	s.workgroup = roundSubgroup
	return s, ""
}

// refuseRing says why a ring of the schedule cannot be, or "".
func (k *kernel) refuseRing(schedule plan.Schedule) string {
	if k.round == nil || !k.unstaged || schedule.Ring == 0 && schedule.Items == 0 {
		return ""
	}
	return fmt.Sprintf("kernel %s: a ring of this schedule takes more registers, or more local memory, than a group has; choose less of items, ring, lookahead or workgroup, or leave them out", k.Name)
}

// canCopy reports whether bulk copies bring elements of kind k as they are held.
func canCopy(k ir.Kind) bool { return k != ir.Char8 }

// copiedLayout is the layout of a column that a bulk copy has brought: as in
// global memory.
func (k *kernel) copiedLayout(kind ir.Kind) layout {
	l := layout{word: kind, stride: k.items, wide: loop.Wide(loop.SliceOf(loop.ScalarOf(kind)).In(loop.Global))}
	if kind.Size() >= ir.U32.Size() {
		l.word = wordOf(kind)
	}
	if k.singly || l.wide > 0 && k.items%l.wide != 0 {
		l.wide = 0
	}
	return l
}

// fit lays out a stage for the columns of a pool, chooses how many there are, and
// reports whether local memory suffices.
func (r *round) fit(k *kernel, p pool) bool {
	r.columns, r.stage = map[int]int64{}, 0
	for i := range k.Streams {
		if !p.staged[i] {
			continue
		}
		r.stage += loop.WideBytes // before the first row, for the row before it
		r.columns[i] = r.stage
		r.stage += aligned16(int64(r.teams) * k.rows() * int64(k.Streams[i].Kind.Size()))
	}
	st := k.stateOf(k.cuts[0])
	states := 2*((r.lookahead+2)*r.teams+1)*st.bytes() + mostRound*newStatus(st, 0, "", true).words*ir.U64.Size()
	least, most := r.lookahead+2, r.lookahead+3
	if r.wanted > 0 {
		least, most = r.wanted, r.wanted
	}
	for r.ring = most; r.ring >= least; r.ring-- {
		if r.ring*(int(r.stage)+ir.U64.Size())+r.teams*int(p.bytes)+states <= roundBudget {
			return true
		}
	}
	return false
}

// bytes returns the local memory of the ring and of what subgroups share.
func (r *round) bytes(k *kernel) int64 {
	return max(int64(r.ring)*r.stage+int64(r.teams)*k.pool.bytes, loop.WideBytes)
}

// walkInRounds counts the tiles of subgroups as those of whole groups.
func (s *launches) walkInRounds() {
	teams := plan.Const(int64(s.round.teams))
	s.turns = plan.CeilDiv(s.span, plan.Const(s.rows()*int64(s.round.teams)))
	s.tiles = plan.Mul(s.turns, teams)
}

// roundGrid is a group a unit at most, all of which run at once. Where none does,
// one is too many, and the plan gives up.
func (s *launches) roundGrid(kernel string) plan.Expr {
	groups := plan.CeilDiv(plan.Rows(), plan.Const(s.rows()*int64(s.round.teams)))
	if s.runsWithoutRows() {
		groups = plan.Max(groups, plan.Const(1))
	}
	return plan.Min(groups, plan.Min(plan.Max(plan.Resident(kernel), plan.Const(1)), plan.Min(plan.Property("units"), plan.Const(mostRound))))
}

// window is what a group that walks in rounds knows at some place of its walk.
type window struct {
	team     loop.Expr   // the number of the subgroup
	arrived  *loop.Var   // a barrier of bulk copies for each stage
	whole    loop.Expr   // tiles of groups that have all their rows
	stage    loop.Expr   // that of the tile at hand
	copied   loop.Expr   // whether a bulk copy has brought it
	folds    []*loop.Var // of the tiles of subgroups, for each round that is under way
	offsets  []*loop.Var // of the subgroups before each
	prefixes []*loop.Var // of all earlier tiles, for this round and the next
}

// column returns the word of the pool at which the subgroup's rows of a staged
// column begin.
func (w *window) column(e *emission, i int, word ir.Kind) loop.Expr {
	size := int64(word.Size())
	start := loop.Add(loop.Mul(w.stage, loop.Int(e.round.stage/size)), loop.Int(e.round.columns[i]/size))
	return e.b.Let("column", loop.Add(start, loop.Mul(w.team, loop.Int(e.kernel.rows()))))
}

// share returns the word of the pool at which byte region of what the subgroup's
// work-items share lies.
func (w *window) share(e *emission, region int64, word ir.Kind) loop.Expr {
	size := int64(word.Size())
	start := int64(e.round.ring)*e.round.stage + region
	return loop.Add(loop.Mul(w.team, loop.Int(e.pool.bytes/size)), loop.Int(start/size))
}

// The leaf intrinsics of bulk copies, and of the words that groups ask for.
var (
	words64      = loop.SliceOf(loop.ScalarOf(ir.U64)).In(loop.Local)
	words32      = loop.SliceOf(loop.ScalarOf(ir.U32)).In(loop.Local)
	scalarI32    = loop.ScalarOf(ir.I32)
	scalarU32    = loop.ScalarOf(ir.U32)
	copyInit     = effect("mbarrier_init", words64, scalarI32)
	copyPublish  = effect("mbarrier_publish")
	copyExpect   = effect("mbarrier_expect", words64, scalarI32, scalarU32)
	copyHasCome  = &loop.Signature{Name: "mbarrier_passed", Params: []loop.Type{words64, scalarI32, scalarU32}, Results: []loop.Type{loop.Bool}, Effects: true}
	copyReuse    = effect("bulk_reuse")
	loadRelaxed  = &loop.Signature{Name: "load_relaxed_u64", Params: []loop.Type{loop.SliceOf(loop.ScalarOf(ir.U64)).In(loop.Global), scalarI32}, Results: []loop.Type{loop.ScalarOf(ir.U64)}, Effects: true}
	copyOfColumn = map[ir.Kind]*loop.Signature{}
)

func init() {
	for _, k := range []ir.Kind{ir.Bool, ir.I8, ir.U8, ir.I16, ir.U16, ir.I32, ir.U32, ir.I64, ir.U64, ir.F32, ir.F64, ir.Date} {
		from := loop.SliceOf(loop.ScalarOf(k)).In(loop.Global).AsReadOnly()
		copyOfColumn[k] = effect("bulk_copy_"+k.String(), words32, scalarI32, from, loop.ScalarOf(ir.I64), scalarU32, words64, scalarI32)
	}
}

func effect(name string, params ...loop.Type) *loop.Signature {
	return &loop.Signature{Name: name, Params: params, Effects: true}
}

func narrow(x loop.Expr) loop.Expr { return loop.ToKind(ir.I32, x) }

// bring starts the copies of a tile of a group, where that has all its rows.
func (s *launches) bring(e *emission, stage, tile loop.Expr) {
	w, r := e.window, s.round
	rows := s.rows() * int64(r.teams)
	e.b.If(loop.Lt(tile, w.whole), func() {
		first := e.b.Let("from", loop.Add(loop.ToKind(ir.I64, e.arguments.row0), loop.Mul(loop.ToKind(ir.I64, tile), loop.ToKind(ir.I64, loop.Int(rows)))))
		halo := e.b.Let("halo", loop.ToKind(ir.U32, loop.Choose(loop.Gt(first, number(ir.I64, 0)), number(ir.U32, loop.WideBytes), number(ir.U32, 0))))
		bytes := loop.Expr(number(ir.U32, 0))
		sizeOf := func(i int) loop.Expr {
			size := loop.Expr(number(ir.U32, rows*int64(s.Streams[i].Kind.Size())))
			if s.pool.halo[i] {
				size = loop.Add(size, halo)
			}
			return size
		}
		streams := slices.Sorted(maps.Keys(r.columns))
		for _, i := range streams {
			bytes = loop.Add(bytes, sizeOf(i))
		}
		e.b.Do(copyExpect, []loop.Expr{w.arrived, narrow(stage), bytes})
		for _, i := range streams {
			kind := s.Streams[i].Kind
			word := loop.Add(loop.Mul(stage, loop.Int(r.stage/4)), loop.Int(r.columns[i]/4))
			from := loop.Mul(first, number(ir.I64, int64(kind.Size())))
			if s.pool.halo[i] {
				word = loop.Sub(word, loop.ToCounter(loop.Apply(ir.OpShr, halo, number(ir.U32, 2))))
				from = loop.Sub(from, loop.ToKind(ir.I64, halo))
			}
			e.b.Do(copyOfColumn[kind], []loop.Expr{e.poolOf(ir.U32), narrow(word), e.stream(i), from, sizeOf(i), w.arrived, narrow(stage)})
		}
	}, nil)
}

// rounds writes the launch that does the work of the rows.
func (s *launches) rounds() *emission {
	const cut = 0
	e := s.function(s.Name)
	r, st := s.round, s.stateOf(s.cuts[cut])
	e.until, e.effects = len(s.cuts), true
	e.begin()
	team, lane := e.b.Let("team", &loop.ID{Kind: loop.SubgroupID}), e.b.Let("lane", sublane())
	takesRows, asks := loop.Lt(team, loop.Int(int64(r.teams))), loop.Eq(team, loop.Int(int64(r.teams)))
	tells, brings := loop.Eq(team, loop.Int(int64(r.teams+1))), loop.Eq(team, loop.Int(int64(r.teams+2)))
	group, groups := e.b.Let("group", &loop.ID{Kind: loop.GroupID}), e.b.Let("groups", &loop.ID{Kind: loop.GroupCount})
	e.lane = lane
	slots, ring := int64(r.lookahead+2), int64(r.ring)
	w := &window{team: team, arrived: e.localArray("arrived", ir.U64, r.ring),
		folds: e.localState("folds", st, int(slots)*r.teams), offsets: e.localState("offsets", st, int(slots)*r.teams), prefixes: e.localState("prefix", st, 2)}
	e.window = w
	turns := e.b.Let("turns", loop.Greatest(loop.ToCounter(e.arguments.value("turns", s.turns)), loop.Int(1)))
	w.whole = e.b.Let("whole", loop.Div(e.arguments.rows, loop.Int(s.rows()*int64(r.teams))))
	if len(r.columns) > 0 {
		e.b.If(loop.And(brings, loop.Eq(lane, loop.Int(0))), func() {
			e.b.For("stage", loop.Int(0), loop.Int(ring), func(stage *loop.Var) {
				e.b.Do(copyInit, []loop.Expr{w.arrived, narrow(stage)})
			})
			e.b.Do(copyPublish, nil)
			e.b.For("stage", loop.Int(0), loop.Int(ring), func(stage *loop.Var) {
				s.bring(e, stage, loop.Add(group, loop.Mul(stage, groups)))
			})
		}, nil)
	}
	e.b.Barrier(loop.GroupScope)

	// All indices are of the first round; a tile below 0 is none.
	back := loop.Mul(groups, loop.Int(int64(r.lookahead)))
	ahead, at := e.b.Decl("ahead", group), e.b.Decl("tile", loop.Sub(group, back))
	stageAhead, parity := e.b.Decl("stage_ahead", loop.Int(0)), e.b.Decl("parity", number(ir.U32, 0))
	stage, freed := e.b.Decl("stage", loop.Int(ring-int64(r.lookahead))), e.b.Decl("freed", loop.Int(ring-int64(r.lookahead)-1))
	foldAhead, fold := e.b.Decl("fold_ahead", loop.Int(0)), e.b.Decl("fold", loop.Int(slots-int64(r.lookahead)))
	turn := e.b.Decl("turn", loop.Int(0))
	carry := e.declare(st, st.identities())
	left := make([][]*loop.Var, r.lookahead+1) // by fronts to backs, by rounds until then
	for i := range left {
		for range s.picks {
			left[i] = append(left[i], e.b.Decl("picked", number(ir.U32, 0)))
		}
		left[i] = append(left[i], e.declare(st, st.identities())...)
	}
	e.b.While(loop.Lt(at, turns), func() {
		hasTile := e.b.Let("has_tile", loop.Ge(at, loop.Int(0)))
		goesAhead := e.b.Let("goes_ahead", loop.Lt(ahead, turns))
		e.b.If(loop.And(asks, hasTile), func() { s.askRound(e, at, groups, carry, turn) }, nil)
		e.b.If(loop.And(takesRows, goesAhead), func() {
			w.stage = stageAhead
			s.front(e, st, ahead, parity, foldAhead, left[r.lookahead])
		}, nil)
		e.b.Barrier(loop.GroupScope)
		if len(r.columns) > 0 {
			mayBring := loop.And(loop.Eq(lane, loop.Int(0)), loop.Ge(loop.Sub(at, groups), loop.Int(0)))
			e.b.If(loop.And(brings, mayBring), func() {
				s.bring(e, freed, e.b.Let("next", loop.Add(at, loop.Mul(groups, loop.Int(ring-1)))))
			}, nil)
		}
		e.b.If(loop.And(tells, goesAhead), func() { s.tellFold(e, ahead, foldAhead) }, nil)
		e.b.If(loop.And(takesRows, hasTile), func() {
			w.stage = stage
			s.back(e, st, at, fold, turn, left[0])
		}, nil)
		for i := range r.lookahead {
			for j, v := range left[i] {
				e.b.Assign(v, left[i+1][j])
			}
		}
		e.b.Assign(ahead, loop.Add(ahead, groups))
		e.b.Assign(at, loop.Add(at, groups))
		e.b.Assign(turn, loop.Sub(loop.Int(1), turn))
		step := func(v *loop.Var, count int64) {
			e.b.Assign(v, loop.Choose(loop.Eq(v, loop.Int(count-1)), loop.Int(0), loop.Add(v, loop.Int(1))))
		}
		e.b.If(loop.Eq(stageAhead, loop.Int(ring-1)), func() {
			e.b.Assign(parity, loop.Sub(number(ir.U32, 1), parity))
		}, nil)
		step(stageAhead, ring)
		step(stage, ring)
		step(freed, ring)
		step(foldAhead, slots)
		step(fold, slots)
	})
	return e
}
