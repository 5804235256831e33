package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// On devices with subgroups, the work-items of a subgroup run in lock step and read
// each other's registers. A scan of theirs takes a step for each power of two, and no
// local memory or barriers.

// The operations of a subgroup, by the kind of the word that they move.
var (
	shuffleUp   = shuffles("shuffle_up_", loop.Varying)   // the word of the lane at a distance before
	shuffleDown = shuffles("shuffle_down_", loop.Varying) // at a distance behind
	shuffle     = shuffles("shuffle_", loop.Varying)      // of any lane
	broadcast   = shuffles("broadcast_", loop.EqualInSubgroup)
	// By the kind of the mask.
	ballots = map[ir.Kind]*loop.Signature{ir.U32: ballot("ballot", ir.U32), ir.U64: ballot("ballot_u64", ir.U64)}
)

// Subgroup describes work-items that run in lock step and read each other's values.
type Subgroup struct {
	Width int     // lanes, a power of two; 0 for a target without subgroups
	Mask  ir.Kind // of a ballot: a bit per lane
}

// SubgroupOf returns subgroups of a width, with the narrowest mask.
func SubgroupOf(width int) Subgroup {
	if width > bitsIn(ir.U32) {
		return Subgroup{width, ir.U64}
	}
	return Subgroup{width, ir.U32}
}

// divides reports whether work-groups of a size consist of whole subgroups.
func (s Subgroup) divides(workgroup int) bool { return s.Width > 1 && workgroup%s.Width == 0 }

// ballot returns the mask of the lanes for which x holds.
func (s Subgroup) ballot(x loop.Expr) loop.Expr { return loop.CallOf(ballots[s.Mask], x) }

// isEmpty reports whether a mask has no lane.
func (s Subgroup) isEmpty(mask loop.Expr) loop.Expr { return loop.Eq(mask, number(s.Mask, 0)) }

// before returns the lanes of a mask before this one.
func (s Subgroup) before(mask loop.Expr) loop.Expr { return s.below(mask, 1) }

// upTo returns the lanes of a mask up to this one.
func (s Subgroup) upTo(mask loop.Expr) loop.Expr { return s.below(mask, 2) }

// below returns the lanes of a mask below bit, a power of two, shifted by the lane.
func (s Subgroup) below(mask loop.Expr, bit int64) loop.Expr {
	lanes := loop.Sub(loop.Apply(ir.OpShl, number(s.Mask, bit), loop.ToKind(s.Mask, sublane())), number(s.Mask, 1))
	return loop.Apply(ir.OpAnd, mask, lanes)
}

// last returns the last lane of a mask, or -1.
func (s Subgroup) last(mask loop.Expr) loop.Expr { return lastBit(s.Mask, mask) }

// bitsIn returns the bits of a kind.
func bitsIn(k ir.Kind) int { return 8 * k.Size() }

// lastBit returns the number of the highest bit of a word that is set, or -1.
func lastBit(k ir.Kind, word loop.Expr) loop.Expr {
	return loop.Sub(loop.Int(int64(bitsIn(k)-1)), loop.ToCounter(loop.CallOf(leadingZeros[k], word)))
}

func ballot(name string, mask ir.Kind) *loop.Signature {
	return &loop.Signature{Name: name, Params: []loop.Type{loop.Bool}, Results: []loop.Type{loop.ScalarOf(mask)},
		Collective: true, Scope: loop.SubgroupScope, Spread: loop.EqualInSubgroup}
}

func shuffles(name string, spread loop.Spread) map[ir.Kind]*loop.Signature {
	list := map[ir.Kind]*loop.Signature{}
	for _, word := range []ir.Kind{ir.U32, ir.U64} {
		t := loop.ScalarOf(word)
		list[word] = &loop.Signature{Name: name + word.String(), Params: []loop.Type{t, loop.ScalarOf(ir.U32)}, Results: []loop.Type{t},
			Collective: true, Scope: loop.SubgroupScope, Spread: spread}
	}
	return list
}

// bySubgroups is the collective of work-groups that consist of whole subgroups.
type bySubgroups struct{}

func (bySubgroups) inRegisters() bool { return true }

func (bySubgroups) elements(k *kernel) int { return k.workgroup / k.subgroup.Width }

// sublane returns the number of the work-item in its subgroup.
func sublane() loop.Expr { return &loop.ID{Kind: loop.SubgroupLane} }

// shuffle passes the values of a state to other work-items of the subgroup.
func (e *function) shuffle(st *state, by map[ir.Kind]*loop.Signature, values []loop.Expr, distance loop.Expr) []loop.Expr {
	out := make([]loop.Expr, len(values))
	for j, s := range st.slots {
		word := wordOf(s.kind)
		out[j] = e.b.Let("theirs", fromWord(s.kind, loop.CallOf(by[word], toWord(word, values[j]), loop.ToKind(ir.U32, distance))))
	}
	return out
}

// choose names one of two states.
func (e *function) choose(condition loop.Expr, then, otherwise []loop.Expr) []loop.Expr {
	out := make([]loop.Expr, len(then))
	for j := range then {
		out[j] = e.b.Let("state", loop.Choose(condition, then[j], otherwise[j]))
	}
	return out
}

// scanSubgroup scans the states of the first count lanes of a subgroup, inclusively.
func (e *function) scanSubgroup(st *state, mine []loop.Expr, count int) []loop.Expr {
	for distance := 1; distance < count; distance *= 2 {
		theirs := e.shuffle(st, shuffleUp, mine, loop.Int(int64(distance)))
		mine = e.choose(loop.Ge(sublane(), loop.Int(int64(distance))), e.combine(st, theirs, mine), mine)
	}
	return mine
}

// shiftUp returns the state of the previous lane; lane 0 gets the identity.
func (e *function) shiftUp(st *state, lane loop.Expr, values []loop.Expr) []loop.Expr {
	theirs := e.shuffle(st, shuffleUp, values, loop.Int(1))
	return e.choose(loop.Eq(lane, loop.Int(0)), st.identities(), theirs)
}

// scan is blockScan with one barrier.
func (bySubgroups) scan(e *function, st *state, mine []loop.Expr, during duringScan) (before, total []loop.Expr) {
	before, total = e.scanSubgroups(st, mine)
	if during.publish != nil {
		e.b.If(loop.Eq(e.localID, loop.Int(0)), func() { during.publish(total) }, nil)
	}
	return before, total
}

// scanSubgroups scans each subgroup, and then their totals.
func (e *function) scanSubgroups(st *state, mine []loop.Expr) (before, total []loop.Expr) {
	size, count := e.subgroup.Width, e.workgroup/e.subgroup.Width
	scanned := e.scanSubgroup(st, mine, size)
	before = e.shiftUp(st, sublane(), scanned)
	if count == 1 {
		return before, e.shuffle(st, broadcast, scanned, loop.Int(int64(size-1)))
	}
	subgroup := &loop.ID{Kind: loop.SubgroupID}
	shared := e.sharedState(st)
	e.b.If(loop.Eq(sublane(), loop.Int(int64(size-1))), func() { e.storeState(shared, subgroup, scanned) }, nil)
	e.b.Barrier(loop.WorkgroupScope)
	theirs := e.declare(st, st.identities())
	e.b.If(loop.Lt(sublane(), loop.Int(int64(count))), func() { e.assignAll(theirs, e.loadState(shared, sublane())) }, nil)
	folds := e.scanSubgroup(st, exprsOf(theirs), count)
	total = e.shuffle(st, broadcast, folds, loop.Int(int64(count-1)))
	earlier := e.shuffle(st, broadcast, folds, loop.Greatest(loop.Sub(subgroup, loop.Int(1)), loop.Int(0)))
	earlier = e.choose(loop.Eq(subgroup, loop.Int(0)), st.identities(), earlier)
	return e.combine(st, earlier, before), total
}

// fold folds each subgroup, and then lets the first one fold their folds.
func (bySubgroups) fold(e *function, st *state, mine []loop.Expr, body func(total []loop.Expr)) {
	subgroups := e.workgroup / e.subgroup.Width
	subgroup, isFirst := &loop.ID{Kind: loop.SubgroupID}, loop.Eq(sublane(), loop.Int(0))
	folded := e.foldLanes(st, mine, e.subgroup.Width)
	if subgroups == 1 {
		e.b.If(isFirst, func() { body(folded) }, nil)
		return
	}
	shared := e.sharedState(st)
	e.b.If(isFirst, func() { e.storeState(shared, subgroup, folded) }, nil)
	e.b.Barrier(loop.WorkgroupScope)
	e.b.If(loop.Eq(subgroup, loop.Int(0)), func() {
		theirs := e.declare(st, st.identities())
		e.b.If(loop.Lt(sublane(), loop.Int(int64(subgroups))), func() { e.assignAll(theirs, e.loadState(shared, sublane())) }, nil)
		total := e.foldLanes(st, exprsOf(theirs), subgroups)
		e.b.If(isFirst, func() { body(total) }, nil)
	}, nil)
}

// foldLanes folds the states of the first count work-items of a subgroup, in
// order; the first one has the result.
func (e *function) foldLanes(st *state, fold []loop.Expr, count int) []loop.Expr {
	for distance := 1; distance < count; distance *= 2 {
		fold = e.combine(st, fold, e.shuffle(st, shuffleDown, fold, loop.Int(int64(distance))))
	}
	return fold
}

// lookBack lets the first subgroup walk back.
func (bySubgroups) lookBack(s *lookback, e *tileBody, cut int, total []loop.Expr) (earlier []loop.Expr) {
	t := s.statusOf(cut)
	st := t.state
	memory := e.arguments.buffer(t.buffer, ir.U64, plan.ReadsWrites)
	e.b.Role("look back", 0, 1, func() {
		fold := e.declare(st, st.identities()) // of the first work-item
		before := e.b.Decl("before", loop.Sub(e.tile, loop.Int(1)))
		e.b.While(loop.Ge(before, loop.Int(0)), func() {
			states := e.declare(st, st.identities())
			found := e.b.Decl("found", loop.False)
			polledTile := e.b.Let("polled", loop.Sub(before, sublane()))
			e.b.If(loop.Ge(polledTile, loop.Int(0)), func() {
				s.waitForStatus(e.function, s.poll(e.function, t, memory, polledTile), func(state []loop.Expr, isPrefix loop.Expr) {
					e.assignAll(states, state)
					e.b.Assign(found, isPrefix)
				})
			}, nil)
			// Tiles behind the nearest prefix are part of it.
			mask := e.b.Let("mask", e.subgroup.ballot(found))
			part := e.choose(e.subgroup.isEmpty(e.subgroup.before(mask)), exprsOf(states), st.identities())
			for distance := 1; distance < e.subgroup.Width; distance *= 2 {
				part = e.combine(st, e.shuffle(st, shuffleDown, part, loop.Int(int64(distance))), part)
			}
			e.assignAll(fold, e.combine(st, part, exprsOf(fold)))
			next := loop.Sub(before, loop.Int(int64(e.subgroup.Width)))
			e.b.Assign(before, loop.Choose(loop.Ne(mask, number(e.subgroup.Mask, 0)), loop.Int(-1), next))
		})
		e.b.If(loop.Eq(sublane(), loop.Int(0)), func() { s.publishPrefix(e, t, memory, exprsOf(fold), total) }, nil)
	})
	return e.broadcastPrefix(t)
}
