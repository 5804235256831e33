package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/plan"
)

// Shape of work-groups that walk over the tiles: their size, the digits of a work-item
// that looks back, the bytes of rows for which a work-item has registers, and the most rows of one. Those with masks are
// smaller unless digits have few values. No fewer subgroups look back for these.
const (
	walkingWorkgroup = 768
	walkingDigits    = 4
	walkingBytes     = 192
	movedWordsBytes  = 240 // that move beside others: then the rows of a tile are few
	maxWalkingItems  = 40

	maskedWorkgroup = 640
	fewDigits       = 64
	leastLookBack   = 2
)

// walk writes the work of a work-group that takes one tile after the other. It has the
// ticket of the next tile before the rows of this one are handed out. Tiles still wait
// for lower tickets only, and each work-group takes its own in their order.
func (s ranking) walk(r *rankedTile) {
	tickets := s.earlier.(*polledCounts).launches
	rowItems := r.rowItems()
	lookBack := func(body func()) { r.b.Role("look back", rowItems/r.kernel.subgroup.Width, r.ranks.lookBack, body) }
	rank := func(body func()) { r.b.Role("rank", 0, rowItems/r.kernel.subgroup.Width, body) }
	tiles := r.b.Let("tiles", loop.ToCounter(r.arguments.value("tiles", s.tiles)))
	current := r.b.Decl("tile", tickets.ticket(r.function))
	loadTile := func(number loop.Expr) {
		r.b.If(loop.Lt(number, tiles), func() {
			r.tileBody.tile = number
			r.tileRows()
			r.load()
		}, nil)
	}
	r.begin()
	rank(func() { loadTile(current) })
	r.b.Barrier(loop.WorkgroupScope) // all have read the ticket
	r.b.While(loop.Lt(current, tiles), func() {
		rank(func() {
			r.tileBody.tile = current
			r.tileRows()
			r.clear()
			r.b.Barrier(loop.SubgroupScope)
			r.count()
		})
		r.b.If(loop.Eq(r.localID, loop.Int(int64(rowItems))), func() { tickets.takeTicket(r.function) }, nil)
		r.b.Barrier(loop.WorkgroupScope)
		r.tileBody.tile = current
		r.tileRows()
		r.begins(s.earlier)
		next := r.b.Let("next_tile", tickets.taken(r.function))
		rank(func() {
			r.handOut()
			loadTile(next)
		})
		r.tileBody.tile = current
		r.tileRows()
		lookBack(func() { r.offset(s.earlier, loop.Sub(r.localID, loop.Int(int64(rowItems))), r.workgroup-rowItems) })
		r.b.Barrier(loop.WorkgroupScope)
		r.move()
		r.moveWords()
		r.b.Assign(current, next)
	})
}

// walkingBytes returns the bytes of rows for which a work-item has registers.
func (k *kernel) walkingBytes() int64 {
	if len(k.ranks.words) > 0 {
		return movedWordsBytes
	}
	return walkingBytes
}

// walkers returns how many work-groups walk over the tiles: as many as run at once.
func (s ranking) walkers(kernel string) plan.Expr {
	tiles := s.tiles
	if s.runsWithoutRows() {
		tiles = plan.Max(tiles, plan.Const(1))
	}
	return plan.Min(tiles, plan.Max(plan.Resident(kernel), plan.Const(1)))
}

// lookBackSubgroups returns how many subgroups only look back: none in work-groups of
// few.
func (k *kernel) lookBackSubgroups() int {
	if !k.ranks.walks || !k.collective.inRegisters() {
		return 0
	}
	perSubgroup := int64(walkingDigits * k.subgroup.Width)
	return min(max(int((k.ranks.digits+perSubgroup-1)/perSubgroup), leastLookBack), k.workgroup/k.subgroup.Width/4)
}
