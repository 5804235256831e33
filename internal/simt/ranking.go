package simt

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Rows move to the place of their digit, rows of one digit in their order (Adinets and
// Merrill, Onesweep: A Faster Least Significant Digit Radix Sort for GPUs, 2022). The
// state of the cut is a counter per digit. A subgroup takes consecutive rows of the
// tile, lane i of 32 the rows i, i + 32 and so on:
//
//  1. The rows of each subgroup are counted by their digits.
//  2. The counts say where the rows of a digit begin in the tile, and those of each
//     subgroup among them. The tile's counts go to the tiles behind.
//  3. The rows are handed out in local memory, in the order of their digits. Rows of
//     one digit, as in sorted columns, stay as they are.
//  4. Where the rows of a digit go depends on the counts of earlier tiles. Neighbours
//     of one digit are neighbours there, too.
//
// Where a launch may bring much local memory, large work-groups walk over the tiles.
// Some subgroups look back while the others hand out rows; these then load the rows
// of the next tile, which arrive while the work-group moves those of this one.

// ranking is the scheme of kernels whose rows move by a digit.
type ranking struct {
	flat
	earlier digitCounts
	tickets *lookback // of the tiles; nil if launches before count rows
}

// digitCounts brings the counts of earlier tiles.
type digitCounts interface {
	describe(v *plan.Variant)
	// prepare adds the buffers and the launches that the main launch needs.
	prepare(s ranking)
	forward() plan.Forward
	// eachTile runs body for each tile of the work-group.
	eachTile(s ranking, e *tileBody, body func())
	// publish hands on how many rows of the tile have a digit.
	publish(e *tileBody, digit, count loop.Expr)
	// before returns how many rows of earlier tiles have each of some digits.
	before(e *tileBody, digits []ownDigit) []loop.Expr
	refuse(s ranking) error
}

func (s ranking) meets() tile.Demands { return tile.Counters | tile.Neighbours }

func (s ranking) refuse() error {
	if s.ranks.items <= 0 {
		return fmt.Errorf("kernel %s: %d work-items of a work-group and their rows do not fit local memory", s.Name, s.workgroup)
	}
	return s.earlier.refuse(s)
}

func (s ranking) prepare() { s.earlier.prepare(s) }

func (s ranking) describe(v *plan.Variant) {
	s.earlier.describe(v)
	if s.target.LaunchedLocal > 0 && s.ranks.bytes(s.kernel) > ownBudget {
		v.LocalBytes = plan.Const(s.arena.bytes)
	}
}

func (s ranking) eachTile(e *tileBody, body func()) { s.earlier.eachTile(s, e, body) }

func (s ranking) main() {
	e := s.function(s.Name)
	e.until, e.effects = 1, true
	e.begin()
	r := s.rankedTile(e)
	grid := s.grid()
	if s.ranks.lookBack > 0 {
		grid = s.walkers(e.b.Func().Name)
		s.walk(r)
	} else {
		s.eachTile(e.tileBody, func() { s.tile(r) })
	}
	s.launchRows(e.function, grid, s.earlier.forward())
}

// tile writes the work of a tile.
func (s ranking) tile(r *rankedTile) {
	r.tileRows()
	r.begin()
	r.clear()
	r.load()
	r.b.Barrier(r.sharing()) // the counters are clear
	r.count()
	r.b.Barrier(loop.WorkgroupScope)
	r.begins(s.earlier)
	r.handOut()
	r.offset(s.earlier, r.localID, r.workgroup)
	r.b.Barrier(loop.WorkgroupScope)
	r.move()
	r.moveWords()
}

// moving is the strategy of kernels whose rows move.
type moving struct{ inOrder }

func (moving) keepsValues() bool { return false }

// rankingFamily is what kernels have whose rows move, whatever scheme the schedule
// names: that decides how the counts of earlier tiles come.
var rankingFamily = family{
	shape: func(l *lowering, t *tile.Kernel, s shape) (shape, error) {
		s.ranks = &ranks{}
		if l.target.LaunchedLocal > 0 && l.suffix == "" {
			s.ranks.launched = l.target.LaunchedLocal
			l.asksMuch = !t.Has(sortsFew)
			s.ranks.inLanes = l.target.LanesInOrder && l.schedule.Rank != plan.Masks
			s.ranks.walks = !t.Has(sortsFew) && l.target.Subgroup.Width > 1 && l.schedule.Part == 0 && l.schedule.Scheme != SchemePublished
		}
		return s, nil
	},
	lower: func(s *launches) scheme {
		if s.ranks.room > 0 {
			return counting{flat{s}}
		}
		if s.ranks.lookBack > 0 && s.items%itemsAtOnce == 0 {
			s.shareTiles(leastMovedItems, fewTiles)
		}
		r := ranking{flat: flat{s}, earlier: &publishedCounts{}}
		if s.family.Name != SchemePublished {
			r.tickets = &lookback{flat: r.flat}
			r.earlier = &polledCounts{launches: r.tickets}
		}
		if s.ranks.claims {
			r.earlier = &claimedCounts{launches: r.tickets}
		}
		return r
	},
}

// Limits of a tile whose rows move: the bytes of its rows that suit large GPUs, two
// work-groups of which a compute unit is to run, and the most rows of a work-item.
const (
	movedBudget   = 76 << 10
	maxMovedItems = 28
)

// leastMovedItems are the fewest rows of a work-item in tiles of few rows.
const leastMovedItems = 4

// maskBits is the most lanes that share counters.
const maskBits = 32

// ranks is the plan of a tile whose rows move.
type ranks struct {
	op       int       // the Rank
	digits   int64     // values of a digit
	room     int64     // up to how many rows are sorted at once, see ranking_order.go; 0 if they move by a digit
	held     []tile.ID // of each row: from these follows what is stored
	lanes    int       // work-items that share counters
	items    int       // of a work-item; 0 if nothing fits
	launched int64     // bytes of local memory that a launch may bring
	walks    bool      // work-groups walk over the tiles if they have subgroups enough
	inLanes  bool      // devices serve lanes in their order
	lookBack int       // subgroups that only look back, the last of a work-group that walks
	words    []int     // operations that store elements of the moved rows side by side, see ranking_words.go
	serves   bool      // atomic operations give rows their places, see ranking_serve.go
	claims   bool      // tiles claim places for their rows, see ranking_claim.go
}

// planRanks plans the tile of a kernel whose rows move.
func (k *kernel) planRanks() {
	t, r := *k.Kernel, k.ranks
	t.Ops = slices.Clone(t.Ops)
	r.op = slices.IndexFunc(t.Ops, func(op tile.Op) bool { return op.Counts() })
	t.Ops[r.op].Monoid = tile.NewFold(ir.ReduceAdd, ir.I64) // of the counters
	k.Kernel = &t
	k.phase, _ = t.Phases(func(op *tile.Op) bool { return op.Counts() || op.IsPrefix() })
	k.countUses()
	k.planMovedWords()
	k.arena, k.strategy = newArena(), moving{}
	if k.Has(sortsFew) {
		k.planCounting()
		return
	}
	r.digits = t.Ops[r.op].Digits
	k.workgroup = k.movedWorkgroup()
	for items := k.items; ; k.workgroup = halfWorkgroup(k.workgroup) {
		k.collective = k.collectiveOf()
		r.lanes = min(k.workgroup, maskBits)
		if k.collective.inRegisters() {
			r.lanes = min(k.subgroup.Width, maskBits)
		}
		r.lookBack = k.lookBackSubgroups()
		r.claims = t.Ops[r.op].AnyOrder && r.lookBack > 0
		r.serves = r.inLanes && r.lookBack > 0 && r.digits > fewDigits && !r.claims // few values have many lanes each
		r.held = k.heldOf(r)
		budget, bytes, mostItems := k.budget-r.countBytes(k), k.rowBytes(), maxMovedItems
		switch {
		case r.lookBack > 0 && items == 0:
			budget, mostItems = r.launched-r.countBytes(k), min(int(k.walkingBytes()/max(k.heldBytes(r.held), 1)), maxWalkingItems)
		case r.launched > 0 && items > 0:
			budget = r.launched - r.countBytes(k)
		case r.launched > 0:
			budget = movedBudget
		}
		most := int(budget / (int64(k.rowItems()) * bytes))
		switch {
		case r.serves:
			most = min(most, servedRows/k.rowItems())
		case r.claims:
			most = min(most, claimedRows/k.rowItems())
		}
		if items > 0 {
			r.items = min(items, most)
		} else if r.items = min(most, mostItems); r.items > 4 && len(r.words) == 0 {
			r.items = r.items / 4 * 4
		}
		if r.items > 0 && r.countBytes(k) <= ownBudget || k.workgroup == 1 {
			break
		}
	}
	k.items = max(r.items, 1)
	k.arena.bytes = aligned16(k.rows() * k.rowBytes())
}

// halfWorkgroup returns half of the size of a work-group, of whole subgroups.
func halfWorkgroup(workgroup int) int {
	if workgroup > 2*maskBits {
		return workgroup / 2 / maskBits * maskBits
	}
	return workgroup / 2
}

// movedWorkgroup returns the size of work-groups whose rows move.
func (k *kernel) movedWorkgroup() int {
	switch {
	case !k.isOpen:
		return k.workgroup
	case k.ranks.walks && !k.ranks.inLanes && k.ranks.digits > fewDigits && !k.Ops[k.ranks.op].AnyOrder:
		return maskedWorkgroup
	case k.ranks.walks && k.ranks.digits > manyDigits:
		return maskedWorkgroup
	case k.ranks.walks:
		return walkingWorkgroup
	case k.ranks.launched > 0:
		return 256
	}
	return 128
}

// bytes returns the local memory of a work-group.
func (r *ranks) bytes(k *kernel) int64 {
	return r.countBytes(k) + int64(k.rowItems()*r.items)*k.rowBytes()
}

// countBytes returns the local memory of counters: counts per subgroup and masks if rows have them, or counts and
// starts, totals and offsets, and what a scan takes.
func (r *ranks) countBytes(k *kernel) int64 {
	subgroups := int64(k.rowItems() / r.lanes)
	words := 2 * subgroups
	switch {
	case r.serves:
		words = subgroups
	case r.claims:
		words = 2
	}
	return r.digits*(4*words+12) + int64(8*k.collective.elements(k)) + 16
}

// rowBytes returns what a row takes of local memory.
func (k *kernel) rowBytes() int64 {
	if k.ranks.serves {
		return k.heldBytes(k.ranks.held) + int64(numberKind.Size())
	}
	return k.heldBytes(k.ranks.held)
}

// heldBytes returns what a row takes of registers.
func (k *kernel) heldBytes(held []tile.ID) (bytes int64) {
	for _, v := range held {
		bytes += int64(k.heldWord(v).Size())
	}
	return bytes
}

// heldWord returns the kind of the word in which a row holds a value. Numbers of rows
// and digits need no more than 32 bits.
func (k *kernel) heldWord(v tile.ID) ir.Kind {
	op := &k.Ops[k.Values[v].Op]
	if v == k.Ops[k.ranks.op].Args[0] || op.IsRowNumber() && !k.long {
		return ir.U32
	}
	return wordOf(loop.ScalarOf(k.Values[v].Kind).Kind)
}

// heldOf returns the values that rows hold until they know their place: those that
// what is stored follows from, in the fewest bytes.
func (k *kernel) heldOf(r *ranks) []tile.ID {
	digit := k.Ops[r.op].Args[0]
	var stored []tile.ID
	seen := map[tile.ID]bool{k.Ops[r.op].Res[0]: true}
	add := func(v tile.ID) {
		for k.isWidened(v) {
			v = k.Ops[k.Values[v].Op].Args[0]
		}
		if !seen[v] && k.Values[v].Domain != tile.Uniform {
			seen[v] = true
			stored = append(stored, v)
		}
	}
	var use func(v tile.ID)
	use = func(v tile.ID) {
		if i := k.Values[v].Op; k.phase[i] == 0 {
			add(v)
		} else if i != r.op {
			for _, arg := range k.Ops[i].Args {
				use(arg)
			}
		}
	}
	for i, op := range k.With((*tile.Op).HasEffect) {
		if k.phase[i] == 0 || k.isMovedWord(i) {
			continue
		}
		for _, v := range append(k.Conditions(op.Domain), op.Args...) {
			use(v)
		}
	}
	if !k.follows(digit, seen) {
		stored = append(stored, digit)
	}
	// What is held as it was loaded may arrive late.
	if leaves := k.leavesOf(append(stored, digit)); k.heldBytes(leaves) <= k.heldBytes(stored) {
		stored = leaves
	}
	if r.serves { // the number of a row follows from that in the tile
		stored = slices.DeleteFunc(stored, func(v tile.ID) bool { return k.Ops[k.Values[v].Op].IsRowNumber() })
	}
	var words []tile.ID // come first, one after the other
	for _, i := range r.words {
		words = append(words, k.Ops[i].Args[0])
	}
	return append(words, stored...)
}

// isWidened reports whether a value is an integer of fewer bits.
func (k *kernel) isWidened(v tile.ID) bool {
	op := &k.Ops[k.Values[v].Op]
	if !op.IsMap() || op.Operator != ir.OpCast {
		return false
	}
	from, to := k.Values[op.Args[0]].Kind, k.Values[v].Kind
	return from.IsInteger() && to.IsInteger() && from.Size() < to.Size()
}

// follows reports whether a value can be computed from others.
func (k *kernel) follows(v tile.ID, from map[tile.ID]bool) bool {
	if from[v] || k.Values[v].Domain == tile.Uniform {
		return true
	}
	op := &k.Ops[k.Values[v].Op]
	if !op.IsMap() {
		return false
	}
	for _, arg := range op.Args {
		if !k.follows(arg, from) {
			return false
		}
	}
	return true
}

// leavesOf returns what values are computed from by element-wise operators.
func (k *kernel) leavesOf(values []tile.ID) (leaves []tile.ID) {
	seen := map[tile.ID]bool{}
	var visit func(v tile.ID)
	visit = func(v tile.ID) {
		if seen[v] || k.Values[v].Domain == tile.Uniform {
			return
		}
		seen[v] = true
		op := &k.Ops[k.Values[v].Op]
		if !op.IsMap() {
			leaves = append(leaves, v)
			return
		}
		for _, arg := range op.Args {
			visit(arg)
		}
	}
	for _, v := range values {
		visit(v)
	}
	return leaves
}
