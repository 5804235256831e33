package simt

import (
	"fmt"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Persistent work-groups: as many as are resident walk over the rows together, one
// tile each per round. A work-group publishes the fold of a tile some rounds before
// it finishes that tile. By then the other work-groups have long published theirs,
// so it need not wait for them. The prefix of a tile is the prefix of the
// work-group's previous tile and the folds of all tiles since. Asynchronous copies
// bring the columns of the next rounds to a ring in local memory.
//
// Each subgroup of a work-group has rows of its own. Except for the fold of the
// work-group, these are a tile, which the subgroup handles as a work-group does
// elsewhere. Three more subgroups are the control: one polls the folds of other
// work-groups, one publishes the work-group's own, one copies columns. All meet once
// in a round.
//
//	round k:  control: poll the folds before tile k - lookahead
//	          others:  columns of tile k, its fold             (foldTile)
//	          control: refill the ring, here or behind the barrier
//	          barrier
//	          control: publish the fold of tile k
//	          others:  rows of tile k - lookahead, results     (finishTile)

// persistentWorkgroup is the size of a work-group if the schedule leaves it open: 16
// subgroups and the control. Two work-groups of half the size per compute unit are
// half as fast: each waits for twice as many.
const persistentWorkgroup = (16 + controlSubgroups) * persistentWidth

// mostSubgroups is how many more subgroups take rows, at most, if their columns fit with a
// spare stage in the ring, and tightSubgroups without one: the time of a round is mostly that
// of its exchange. If columns do not fit at all, there are fewer subgroups, by steps of
// subgroupStep.
const mostSubgroups, tightSubgroups, subgroupStep = 8, 4, 4

// controlSubgroups is how many subgroups take no rows.
const controlSubgroups = plan.PersistentControl / persistentWidth

// persistentWidth is the size of subgroups that the scheme is made for.
const persistentWidth = 32

// defaultLookahead is by how many rounds folds are published ahead if the schedule
// leaves it open.
const defaultLookahead = 2

// persistentBudget is how many bytes of local memory a work-group may take. The rest
// is for the padding of compilers.
const persistentBudget = 227<<10 - 256

// ownBudget is how many of these bytes may belong to arrays of fixed size.
const ownBudget = 48 << 10

// tilesPolled is how many tiles of the round before each work-item of the control
// polls, and maxResidentGroups how many work-groups there are at most.
const tilesPolled, maxResidentGroups = 5, tilesPolled * persistentWidth

// ring is the plan of a kernel's persistent work-groups and of their ring of stages.
type ring struct {
	rowSubgroups int           // subgroups that take rows
	minSubgroups int           // the least number of these
	usual        int           // minSubgroups at first
	lookahead    int           // rounds
	stages       int           // 0 until they are chosen
	wanted       int           // stages of the schedule, or 0
	columns      map[int]int64 // of staged streams: the first byte in a stage
	copied       int64         // bytes of a stage that are copied to it
	stage        int64         // bytes of a stage
}

// workgroup returns the size of a work-group.
func (r *ring) workgroup() int { return (r.rowSubgroups + controlSubgroups) * persistentWidth }

// persistent is the scheme of work-groups that walk over the tiles in rounds.
type persistent struct {
	flat
	ring           *ring
	status         *status   // of its cut, if tiles need earlier ones
	workgroupTiles plan.Expr // tiles of work-groups, each of rowSubgroups tiles
	ringView       *ringView
}

var persistentFamily = family{Traits: Traits{Name: SchemePersistent, Walks: true, Control: plan.PersistentControl, Multiple: persistentWidth},
	settings: []ownSetting{
		{"ring", func(s plan.Schedule) bool { return s.Ring > 0 }},
		{"lookahead", func(s plan.Schedule) bool { return s.Lookahead > 0 }},
	},
	refuse: refusePersistentSettings,
	shape:  persistentShape,
	lower: func(s *launches) scheme {
		r, ok := s.placement.(*ring)
		if !ok {
			return withoutPrefix(s)
		}
		rowSubgroups := plan.Const(int64(r.rowSubgroups))
		p := &persistent{flat: flat{s}, ring: r, workgroupTiles: plan.CeilDiv(s.span, plan.Const(s.rows()*int64(r.rowSubgroups)))}
		s.tiles, s.folds = plan.Mul(p.workgroupTiles, rowSubgroups), plan.Mul(plan.Max(p.workgroupTiles, plan.Const(1)), rowSubgroups)
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
		s.addStatus(s.status, plan.Mul(plan.Max(s.workgroupTiles, plan.Const(1)), plan.Const(int64(s.status.words))))
		s.addAbort()
	}
	s.addReductions()
	s.addTotals()
}

func (s *persistent) main() {
	e := s.walkFunction()
	s.launchTiles(e, launch{workgroup: s.ring.workgroup(), grid: s.residentGrid(e.b.Func().Name), forward: plan.ForwardResident,
		describe: func(v *plan.Variant) {
			v.Schedule.Scheme, v.Schedule.Ring, v.Schedule.Lookahead = SchemePersistent, s.ring.stages, s.ring.lookahead
			v.LocalBytes = plan.Const(s.ring.bytes(s.kernel))
		}})
}

func (s *persistent) knowsTotal() bool { return true }

// persistentShape is the shape of t's tiles, or the reason why t cannot have
// persistent work-groups.
func persistentShape(l *lowering, t *tile.Kernel, s shape) (shape, error) {
	if s.isOpen {
		s.workgroup = persistentWorkgroup
	}
	s, reason := l.persistentShape(t, s)
	return s, refusePersistent(reason)
}

// refusePersistent returns the error for a reason, unless that is "".
func refusePersistent(reason string) error {
	if reason == "" {
		return nil
	}
	return fmt.Errorf("scheme=%s: %s", SchemePersistent, reason)
}

// refusePersistentSettings returns why no kernel has persistent work-groups under a
// schedule.
func refusePersistentSettings(s plan.Schedule) error {
	lookahead := lookaheadOf(s)
	switch {
	case s.Part > 0:
		return refusePersistent(fmt.Sprintf("a round goes on where the round before it ended, in one launch; for parts choose scheme=%s", SchemeLookback))
	case s.IDs != "" || s.Chunk > 0 || s.Offsets != "" || s.Occupancy > 0:
		return refusePersistent("one work-group per compute unit processes all rows with the others: omit ids, chunk, offsets, occupancy and part")
	case s.Workgroup > 0 && (s.Workgroup%persistentWidth != 0 || s.Workgroup <= plan.PersistentControl):
		return refusePersistent(fmt.Sprintf("workgroup=%d: a work-group has subgroups of %d that take rows, at least one, and %d for control", s.Workgroup, persistentWidth, controlSubgroups))
	case s.Ring > 0 && s.Ring < lookahead+2:
		return refusePersistent(fmt.Sprintf("ring=%d: with lookahead=%d work-groups would wait for each other forever; the ring has at least %d stages", s.Ring, lookahead, lookahead+2))
	}
	return nil
}

// lookaheadOf returns the lookahead of a schedule.
func lookaheadOf(s plan.Schedule) int {
	if s.Lookahead == 0 {
		return defaultLookahead
	}
	return s.Lookahead
}

func (l *lowering) persistentShape(t *tile.Kernel, s shape) (_ shape, reason string) {
	analysis := tile.Analyze(t)
	isFlat := len(analysis.Cuts) == 0 && !t.Has((*tile.Op).IsChunkwise)
	switch refused := analysis.RefusePersistent(); {
	case refused != "" && !isFlat:
		return s, fmt.Sprintf("kernel %s: %s; choose scheme=%s or another level of fusion", t.Name, refused, SchemeLookback)
	case l.target.Subgroup.Width != persistentWidth:
		return s, fmt.Sprintf("it takes subgroups of %d; choose scheme=%s", persistentWidth, SchemeLookback)
	case isFlat:
		if s.workgroup&(s.workgroup-1) != 0 {
			s.workgroup = flatWorkgroup
		}
		return s, ""
	}
	if !l.target.BulkCopies {
		return s, fmt.Sprintf("it takes bulk copies; choose scheme=%s", SchemeLookback)
	}
	rowSubgroups := s.workgroup/persistentWidth - controlSubgroups
	s.placement = &ring{minSubgroups: rowSubgroups, usual: rowSubgroups, lookahead: lookaheadOf(l.schedule), wanted: l.schedule.Ring}
	s.workgroup = persistentWidth
	return s, ""
}

// refuse says why the ring or the states do not fit.
func (r *ring) refuse(k *kernel, schedule plan.Schedule) error {
	switch {
	case !r.fitsStates(k):
		return refusePersistent(fmt.Sprintf("kernel %s: the folds that its tiles publish, of %d bytes each, do not fit local memory; choose scheme=%s or less of lookahead or workgroup",
			k.Name, k.stateOf(k.cuts[0]).bytes(), SchemeLookback))
	case !k.unstaged || schedule.Ring == 0 && schedule.Items == 0:
		return nil
	}
	return refusePersistent(fmt.Sprintf("kernel %s: a ring of this schedule takes more registers, or more local memory, than a work-group has; choose less of items, ring, lookahead or workgroup, or leave them out", k.Name))
}

// residentGrid launches at most one work-group per compute unit, all resident. If
// none can be resident, it still asks for one, and the plan falls back.
func (s *persistent) residentGrid(kernel string) plan.Expr {
	workgroups := plan.CeilDiv(plan.Rows(), plan.Const(s.rows()*int64(s.ring.rowSubgroups)))
	if s.runsWithoutRows() {
		workgroups = plan.Max(workgroups, plan.Const(1))
	}
	return plan.Min(workgroups, plan.Min(plan.Max(plan.Resident(kernel), plan.Const(1)), plan.Min(plan.Property("units"), plan.Const(maxResidentGroups))))
}

// ringView is where emitted text finds the ring and what subgroups share.
type ringView struct {
	*ring
	subgroup loop.Expr   // the number of the subgroup
	arrived  *loop.Var   // a barrier per stage: its copies have arrived
	freed    *loop.Var   // a barrier per stage: all subgroups are done with its rows
	whole    loop.Expr   // the number of work-groups' tiles that have all their rows
	stage    loop.Expr   // of the tile at hand
	isCopied loop.Expr   // whether bulk copies fill that stage
	folds    []*loop.Var // of the tiles of subgroups, for each round that is under way
	offsets  []*loop.Var // of the subgroups before each
	prefixes []*loop.Var // of all earlier tiles, for this round and the next
}

// roles says what the subgroup does, and which of the work-groups it belongs to.
type roles struct {
	takesRows, polls, publishes, copies loop.Expr
	workgroup, workgroups               loop.Expr
}

// walkFunction writes the launch that does the work of the rows.
func (s *persistent) walkFunction() *function {
	const cut = 0
	e := s.function(s.Name)
	r, st := s.ring, s.stateOf(s.cuts[cut])
	e.until, e.effects = s.lastPhase(), true
	e.begin()
	who := s.roles(e)
	s.share(e, st)
	w := s.ringView
	workgroupTiles := e.b.Let("workgroup_tiles", loop.Greatest(loop.ToCounter(e.arguments.value("workgroup_tiles", s.workgroupTiles)), loop.Int(1)))
	w.whole = e.b.Let("whole", loop.Div(e.arguments.rows, loop.Int(s.rows()*int64(r.rowSubgroups))))
	if len(r.columns) > 0 {
		e.b.If(loop.And(who.copies, loop.Eq(e.localID, loop.Int(0))), func() { s.fillRing(e.function, who.workgroup, who.workgroups) }, nil)
	}
	e.b.Barrier(loop.WorkgroupScope)
	k := s.beginWalk(e, st, who)
	e.b.While(loop.Lt(k.at, workgroupTiles), func() {
		s.writeRound(e, st, who, k, workgroupTiles)
		k.advance(e.function, r, who.workgroups)
	})
	return e.function
}

// roles names the subgroup and what it does.
func (s *persistent) roles(e *rowBody) roles {
	subgroup, lane := e.b.Let("subgroup", &loop.ID{Kind: loop.SubgroupID}), e.b.Let("lane", sublane())
	is := func(number int) loop.Expr { return loop.Eq(subgroup, loop.Int(int64(number))) }
	rows := s.ring.rowSubgroups
	workgroup, workgroups := e.b.Let("workgroup", &loop.ID{Kind: loop.WorkgroupID}), e.b.Let("workgroups", &loop.ID{Kind: loop.WorkgroupCount})
	e.localID = lane
	s.ringView = &ringView{ring: s.ring, subgroup: subgroup}
	return roles{loop.Lt(subgroup, loop.Int(int64(rows))), is(rows), is(rows + 1), is(rows + 2), workgroup, workgroups}
}

// share names what the subgroups of a work-group share, and how they use it.
func (s *persistent) share(e *rowBody, st *state) {
	w, r := s.ringView, s.ring
	slots := r.slots() * r.rowSubgroups
	w.arrived = e.localArray("arrived", ir.U64, r.stages)
	w.folds, w.offsets, w.prefixes = e.localState("folds", st, slots), e.localState("offsets", st, slots), e.localState("prefix", st, 2)
	e.residence, e.retention = w, w
	switch {
	case len(s.segments.scans) > 0:
		e.scanner = foldsFirst{}
	case len(s.selections) > 0:
		e.scanner = countsFirst{}
	}
	if r.isTight() {
		w.freed = e.localArray("freed", ir.U64, r.stages)
	}
}

// slots returns for how many rounds local memory holds the folds of subgroups.
func (r *ring) slots() int { return r.lookahead + 2 }

// walk is where a work-group is in its walk over the tiles. In the first rounds there
// is no tile to finish: its number is below 0.
type walk struct {
	foldTile, at       *loop.Var // the tile that is folded, and the tile that is finished
	foldStage, stage   *loop.Var // their stages
	foldSlot, fold     *loop.Var // the slots of their folds
	parity             *loop.Var // of the phase of foldStage's barrier
	freed, freedParity *loop.Var // the stage that is refilled, and the parity of its barrier
	prefixParity       *loop.Var
	prefix             []*loop.Var   // of the tile that is finished; the control has it
	live               [][]*loop.Var // values that foldTile leaves to finishTile, by rounds until then
}

func (s *persistent) beginWalk(e *rowBody, st *state, who roles) *walk {
	r := s.ring
	slots, stages := int64(r.slots()), int64(r.stages)
	k := &walk{}
	behind := loop.Mul(who.workgroups, loop.Int(int64(r.lookahead)))
	k.foldTile, k.at = e.b.Decl("fold_tile", who.workgroup), e.b.Decl("tile", loop.Sub(who.workgroup, behind))
	k.foldStage, k.parity = e.b.Decl("fold_stage", loop.Int(0)), e.b.Decl("parity", number(ir.U32, 0))
	k.stage, k.freed = e.b.Decl("stage", loop.Int(stages-int64(r.lookahead))), e.b.Decl("freed", loop.Int(stages-int64(r.lookahead)-1))
	k.freedParity = e.b.Decl("freed_parity", number(ir.U32, 1)) // of the stages' phase before the first
	k.foldSlot, k.fold = e.b.Decl("fold_slot", loop.Int(0)), e.b.Decl("fold", loop.Int(slots-int64(r.lookahead)))
	k.prefixParity = e.b.Decl("prefix_parity", loop.Int(0))
	k.prefix = e.declare(st, st.identities())
	k.live = make([][]*loop.Var, r.lookahead+1)
	for i := range k.live {
		for range s.selections {
			k.live[i] = append(k.live[i], e.b.Decl("selected", number(ir.U32, 0)))
		}
		k.live[i] = append(k.live[i], e.declare(st, st.identities())...)
	}
	return k
}

// writeRound writes one round.
func (s *persistent) writeRound(e *rowBody, st *state, who roles, k *walk, workgroupTiles loop.Expr) {
	r, w := s.ring, s.ringView
	hasTile := e.b.Let("has_tile", loop.Ge(k.at, loop.Int(0)))
	foldsTile := e.b.Let("folds_tile", loop.Lt(k.foldTile, workgroupTiles))
	e.b.If(loop.And(who.polls, hasTile), func() { s.pollRound(e.function, k.at, who.workgroups, k.prefix, k.prefixParity) }, nil)
	refill := func() {
		e.b.If(loop.And(who.copies, loop.Eq(e.localID, loop.Int(0))), func() { s.refill(e.function, k.at, who.workgroups, k.freed, k.freedParity) }, nil)
	}
	if r.isTight() {
		refill()
	}
	e.b.If(loop.And(who.takesRows, foldsTile), func() {
		w.stage = k.foldStage
		s.foldTile(e, st, k.foldTile, k.parity, k.foldSlot, k.live[r.lookahead])
	}, nil)
	e.b.Barrier(loop.WorkgroupScope)
	if !r.isTight() && len(r.columns) > 0 {
		refill()
	}
	e.b.If(loop.And(who.publishes, foldsTile), func() { s.publishFold(e.tileBody, k.foldTile, k.foldSlot) }, nil)
	e.b.If(loop.And(who.takesRows, hasTile), func() {
		w.stage = k.stage
		s.finishTile(e, st, k.at, k.fold, k.prefixParity, k.live[0])
	}, nil)
}

// advance goes on to the next round.
func (k *walk) advance(e *function, r *ring, workgroups loop.Expr) {
	slots, stages := int64(r.slots()), int64(r.stages)
	for i := range r.lookahead {
		for j, v := range k.live[i] {
			e.b.Assign(v, k.live[i+1][j])
		}
	}
	e.b.Assign(k.foldTile, loop.Add(k.foldTile, workgroups))
	e.b.Assign(k.at, loop.Add(k.at, workgroups))
	e.b.Assign(k.prefixParity, loop.Sub(loop.Int(1), k.prefixParity))
	step := func(v *loop.Var, count int64) {
		e.b.Assign(v, loop.Choose(loop.Eq(v, loop.Int(count-1)), loop.Int(0), loop.Add(v, loop.Int(1))))
	}
	flip := func(parity *loop.Var, stage *loop.Var) {
		e.b.If(loop.Eq(stage, loop.Int(stages-1)), func() { e.b.Assign(parity, loop.Sub(number(ir.U32, 1), parity)) }, nil)
	}
	flip(k.parity, k.foldStage)
	if r.isTight() {
		flip(k.freedParity, k.freed)
	}
	step(k.foldStage, stages)
	step(k.stage, stages)
	step(k.freed, stages)
	step(k.foldSlot, slots)
	step(k.fold, slots)
}
