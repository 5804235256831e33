package simt

import (
	"fmt"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
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
//	          control: refill the ring, here or behind the barrier
//	          barrier
//	          control: tell the fold of tile k
//	          others:  rows of tile k - lookahead, results     (back)

// roundGroup is the size of a group where the schedule leaves it open: 16
// subgroups and the control. Two groups a unit of half the size are half as fast:
// each waits for twice as many.
const roundGroup = (16 + roundControl) * roundSubgroup

// roundMore is how many subgroups more take rows where no stage is to spare and
// there is room for them. While their columns have no room, there are fewer, by
// steps of roundStep.
const roundMore, roundStep = 4, 4

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

// ownBudget is how many of them may be of arrays that the text declares.
const ownBudget = 48 << 10

// tilesAsked is how many tiles of the round before each work-item of the control
// asks for, and mostRound how many groups there are at most.
const tilesAsked, mostRound = 5, tilesAsked * roundSubgroup

// round is how the groups of a kernel walk.
type round struct {
	teams     int           // subgroups that take rows
	least     int           // so many at least
	usual     int           // least, to begin with
	lookahead int           // rounds
	ring      int           // stages; 0 until they are chosen
	wanted    int           // those of the schedule, or 0
	columns   map[int]int64 // of staged streams: the first byte in a stage
	copied    int64         // bytes of a stage that copies bring
	stage     int64         // bytes of a stage
}

// group returns the work-items of a group.
func (r *round) group() int { return (r.teams + roundControl) * roundSubgroup }

// persistent is the scheme of work-groups that walk over the tiles in rounds.
type persistent struct {
	flat
	round  *round
	status *status   // of its cut, if tiles need earlier ones
	turns  plan.Expr // tiles of whole groups
	window *window
}

var persistentFamily = family{name: SchemeRound, occupancy: "under scheme=" + SchemeRound + " a unit has one group; leave it out",
	shape: roundShape,
	lower: func(s *launches) scheme {
		r, ok := s.arena.(*round)
		if !ok {
			return withoutPrefix(s)
		}
		teams := plan.Const(int64(r.teams))
		p := &persistent{flat: flat{s}, round: r, turns: plan.CeilDiv(s.span, plan.Const(s.rows()*int64(r.teams)))}
		s.tiles, s.folds = plan.Mul(p.turns, teams), plan.Mul(plan.Max(p.turns, plan.Const(1)), teams)
		return p
	},
	fallback: func(s plan.Schedule) plan.Schedule {
		s.Workgroup, s.Items, s.Ring, s.Lookahead = 0, 0, 0, 0
		return byPublished(s)
	},
}

// A tile that is a subgroup's does not hold whole chunks.
func (s *persistent) meets() tile.Demands { return metByTiles&^tile.WholeChunks | tile.Prefixes }

func (s *persistent) prepare() {
	for _, cut := range s.gridCuts() {
		s.status = newStatus(s.stateOf(s.gridScans(cut)), cut, s.statusName(cut), true)
		s.addStatus(s.status, plan.Mul(plan.Max(s.turns, plan.Const(1)), plan.Const(int64(s.status.words))))
		s.addAbort()
	}
	s.addReductions()
	s.addTotals()
}

func (s *persistent) main() {
	e := s.rounds()
	s.launchTiles(e, launch{workgroup: s.round.group(), grid: s.roundGrid(e.b.Func().Name), forward: plan.ForwardResident,
		describe: func(v *plan.Variant) {
			v.Schedule.Scheme, v.Schedule.Ring, v.Schedule.Lookahead = SchemeRound, s.round.ring, s.round.lookahead
			v.LocalBytes = plan.Const(s.round.bytes(s.kernel))
		}})
}

func (s *persistent) knowsTotal() bool { return true }

// roundShape is the shape of t's tiles where its groups walk in rounds, if they
// do, or the reason why they cannot.
func roundShape(l *lowering, t *tile.Kernel, s shape) (shape, error) {
	if s.isOpen {
		s.workgroup = roundGroup
	}
	s, reason := l.roundShape(t, s)
	return s, refuseRound(reason)
}

// refuseRound returns the error for a reason, unless that is "".
func refuseRound(reason string) error {
	if reason == "" {
		return nil
	}
	return fmt.Errorf("scheme=%s: %s", SchemeRound, reason)
}

func (l *lowering) roundShape(t *tile.Kernel, s shape) (_ shape, reason string) {
	lookahead, ring := l.schedule.Lookahead, l.schedule.Ring
	if lookahead == 0 {
		lookahead = roundLookahead
	}
	analysis := tile.Analyze(t)
	isFlat := len(analysis.Cuts) == 0 && !t.Has((*tile.Op).IsChunkwise)
	switch refused := analysis.RefuseRound(); {
	case refused != "" && !isFlat:
		return s, fmt.Sprintf("kernel %s: %s; choose scheme=%s or another level of fusion", t.Name, refused, SchemeLookback)
	case l.target.Subgroup.Width != roundSubgroup:
		return s, fmt.Sprintf("it takes subgroups of %d; choose scheme=%s", roundSubgroup, SchemeLookback)
	case l.schedule.Part > 0:
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
	teams := s.workgroup/roundSubgroup - roundControl
	s.arena = &round{least: teams, usual: teams, lookahead: lookahead, wanted: ring}
	s.workgroup = roundSubgroup
	return s, ""
}

// refuse says why the groups' ring or states cannot be.
func (r *round) refuse(k *kernel, schedule plan.Schedule) error {
	switch {
	case !r.hasRoom(k):
		return refuseRound(fmt.Sprintf("kernel %s: what its tiles tell each other, %d bytes, is more than a group has room for; choose scheme=%s or less of lookahead or workgroup",
			k.Name, k.stateOf(k.cuts[0]).bytes(), SchemeLookback))
	case !k.unstaged || schedule.Ring == 0 && schedule.Items == 0:
		return nil
	}
	return refuseRound(fmt.Sprintf("kernel %s: a ring of this schedule takes more registers, or more local memory, than a group has; choose less of items, ring, lookahead or workgroup, or leave them out", k.Name))
}

// roundGrid is a group a unit at most, all of which run at once. Where none does,
// one is too many, and the plan gives up.
func (s *persistent) roundGrid(kernel string) plan.Expr {
	groups := plan.CeilDiv(plan.Rows(), plan.Const(s.rows()*int64(s.round.teams)))
	if s.runsWithoutRows() {
		groups = plan.Max(groups, plan.Const(1))
	}
	return plan.Min(groups, plan.Min(plan.Max(plan.Resident(kernel), plan.Const(1)), plan.Min(plan.Property("units"), plan.Const(mostRound))))
}

// window is what a group that walks in rounds knows at some place of its walk.
type window struct {
	*round
	team     loop.Expr   // the number of the subgroup
	arrived  *loop.Var   // a barrier for each stage: its copies have come
	freed    *loop.Var   // another: all subgroups have done their rows
	whole    loop.Expr   // tiles of groups that have all their rows
	stage    loop.Expr   // that of the tile at hand
	isCopied loop.Expr   // whether a bulk copy has brought it
	folds    []*loop.Var // of the tiles of subgroups, for each round that is under way
	offsets  []*loop.Var // of the subgroups before each
	prefixes []*loop.Var // of all earlier tiles, for this round and the next
}

// roles says which subgroup does what, and which of the work-groups this is.
type roles struct {
	takesRows, polls, publishes, copies loop.Expr
	group, groups                       loop.Expr
}

// rounds writes the launch that does the work of the rows.
func (s *persistent) rounds() *function {
	const cut = 0
	e := s.function(s.Name)
	r, st := s.round, s.stateOf(s.cuts[cut])
	e.until, e.effects = len(s.cuts), true
	e.begin()
	who := s.roles(e)
	s.share(e, st)
	w := s.window
	turns := e.b.Let("turns", loop.Greatest(loop.ToCounter(e.arguments.value("turns", s.turns)), loop.Int(1)))
	w.whole = e.b.Let("whole", loop.Div(e.arguments.rows, loop.Int(s.rows()*int64(r.teams))))
	if len(r.columns) > 0 {
		e.b.If(loop.And(who.copies, loop.Eq(e.lane, loop.Int(0))), func() { s.fillRing(e.function, who.group, who.groups) }, nil)
	}
	e.b.Barrier(loop.GroupScope)
	k := s.beginWalk(e, st, who)
	e.b.While(loop.Lt(k.at, turns), func() {
		s.oneRound(e, st, who, k, turns)
		k.advance(e.function, r, who.groups)
	})
	return e.function
}

// roles names the subgroup and its part.
func (s *persistent) roles(e *rowBody) roles {
	team, lane := e.b.Let("team", &loop.ID{Kind: loop.SubgroupID}), e.b.Let("lane", sublane())
	is := func(number int) loop.Expr { return loop.Eq(team, loop.Int(int64(number))) }
	rows := s.round.teams
	group, groups := e.b.Let("group", &loop.ID{Kind: loop.GroupID}), e.b.Let("groups", &loop.ID{Kind: loop.GroupCount})
	e.lane = lane
	s.window = &window{round: s.round, team: team}
	return roles{loop.Lt(team, loop.Int(int64(rows))), is(rows), is(rows + 1), is(rows + 2), group, groups}
}

// share names what the subgroups of a work-group share, and how they use it.
func (s *persistent) share(e *rowBody, st *state) {
	w, r := s.window, s.round
	slots := r.slots() * r.teams
	w.arrived = e.localArray("arrived", ir.U64, r.ring)
	w.folds, w.offsets, w.prefixes = e.localState("folds", st, slots), e.localState("offsets", st, slots), e.localState("prefix", st, 2)
	e.residence, e.retention = w, w
	switch {
	case len(s.batch.scans) > 0:
		e.selection = foldsFirst{}
	case len(s.picks) > 0:
		e.selection = countsFirst{}
	}
	if r.isTight() {
		w.freed = e.localArray("freed", ir.U64, r.ring)
	}
}

// slots returns for how many rounds the folds of a group's tiles are there.
func (r *round) slots() int { return r.lookahead + 2 }

// walk is where a work-group is in its walk over the tiles. All indices begin with
// those of the first round; a tile below 0 is none.
type walk struct {
	ahead, at          *loop.Var // the tile that is folded, and the one that is finished
	stageAhead, stage  *loop.Var // their stages
	foldAhead, fold    *loop.Var // the slots of their folds
	parity             *loop.Var // of the phase of stageAhead's barrier
	freed, freedParity *loop.Var // the stage that is refilled, and the parity of its barrier
	turn               *loop.Var
	carry              []*loop.Var
	left               [][]*loop.Var // by fronts to backs, by rounds until then
}

func (s *persistent) beginWalk(e *rowBody, st *state, who roles) *walk {
	r := s.round
	slots, ring := int64(r.slots()), int64(r.ring)
	k := &walk{}
	back := loop.Mul(who.groups, loop.Int(int64(r.lookahead)))
	k.ahead, k.at = e.b.Decl("ahead", who.group), e.b.Decl("tile", loop.Sub(who.group, back))
	k.stageAhead, k.parity = e.b.Decl("stage_ahead", loop.Int(0)), e.b.Decl("parity", number(ir.U32, 0))
	k.stage, k.freed = e.b.Decl("stage", loop.Int(ring-int64(r.lookahead))), e.b.Decl("freed", loop.Int(ring-int64(r.lookahead)-1))
	k.freedParity = e.b.Decl("freed_parity", number(ir.U32, 1)) // of the stages' phase before the first
	k.foldAhead, k.fold = e.b.Decl("fold_ahead", loop.Int(0)), e.b.Decl("fold", loop.Int(slots-int64(r.lookahead)))
	k.turn = e.b.Decl("turn", loop.Int(0))
	k.carry = e.declare(st, st.identities())
	k.left = make([][]*loop.Var, r.lookahead+1)
	for i := range k.left {
		for range s.picks {
			k.left[i] = append(k.left[i], e.b.Decl("picked", number(ir.U32, 0)))
		}
		k.left[i] = append(k.left[i], e.declare(st, st.identities())...)
	}
	return k
}

// oneRound writes one round.
func (s *persistent) oneRound(e *rowBody, st *state, who roles, k *walk, turns loop.Expr) {
	r, w := s.round, s.window
	hasTile := e.b.Let("has_tile", loop.Ge(k.at, loop.Int(0)))
	goesAhead := e.b.Let("goes_ahead", loop.Lt(k.ahead, turns))
	e.b.If(loop.And(who.polls, hasTile), func() { s.askRound(e.function, k.at, who.groups, k.carry, k.turn) }, nil)
	refill := func() {
		e.b.If(loop.And(who.copies, loop.Eq(e.lane, loop.Int(0))), func() { s.refill(e.function, k.at, who.groups, k.freed, k.freedParity) }, nil)
	}
	if r.isTight() {
		refill()
	}
	e.b.If(loop.And(who.takesRows, goesAhead), func() {
		w.stage = k.stageAhead
		s.front(e, st, k.ahead, k.parity, k.foldAhead, k.left[r.lookahead])
	}, nil)
	e.b.Barrier(loop.GroupScope)
	if !r.isTight() && len(r.columns) > 0 {
		refill()
	}
	e.b.If(loop.And(who.publishes, goesAhead), func() { s.tellFold(e.tileBody, k.ahead, k.foldAhead) }, nil)
	e.b.If(loop.And(who.takesRows, hasTile), func() {
		w.stage = k.stage
		s.back(e, st, k.at, k.fold, k.turn, k.left[0])
	}, nil)
}

// advance goes on to the next round.
func (k *walk) advance(e *function, r *round, groups loop.Expr) {
	slots, ring := int64(r.slots()), int64(r.ring)
	for i := range r.lookahead {
		for j, v := range k.left[i] {
			e.b.Assign(v, k.left[i+1][j])
		}
	}
	e.b.Assign(k.ahead, loop.Add(k.ahead, groups))
	e.b.Assign(k.at, loop.Add(k.at, groups))
	e.b.Assign(k.turn, loop.Sub(loop.Int(1), k.turn))
	step := func(v *loop.Var, count int64) {
		e.b.Assign(v, loop.Choose(loop.Eq(v, loop.Int(count-1)), loop.Int(0), loop.Add(v, loop.Int(1))))
	}
	flip := func(parity *loop.Var, stage *loop.Var) {
		e.b.If(loop.Eq(stage, loop.Int(ring-1)), func() { e.b.Assign(parity, loop.Sub(number(ir.U32, 1), parity)) }, nil)
	}
	flip(k.parity, k.stageAhead)
	if r.isTight() {
		flip(k.freedParity, k.freed)
	}
	step(k.stageAhead, ring)
	step(k.stage, ring)
	step(k.freed, ring)
	step(k.foldAhead, slots)
	step(k.fold, slots)
}
