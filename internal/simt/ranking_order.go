package simt

import (
	"strconv"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/plan"
)

// Few rows are one tile, which a work-group sorts by all digits of their words, one after the other: rows are
// handed out in local memory in the order of a digit, and taken back for the next.

// ordering is the scheme of kernels whose rows are one tile.
type ordering struct{ flat }

// orderWorkgroup is the size of work-groups that have much local memory, and maxOrderedItems the most
// rows of a work-item.
const (
	orderWorkgroup  = 512
	maxOrderedItems = 24
)

// newOrdering returns the scheme, in which work-items have no more rows than they must.
func newOrdering(s *launches) ordering {
	if rowItems := int64(s.rowItems() * itemsAtOnce); s.items%itemsAtOnce == 0 {
		s.share = plan.Mul(plan.CeilDiv(s.span, plan.Const(rowItems)), plan.Const(itemsAtOnce))
	}
	return ordering{flat{s}}
}

// orderedBits is how many bits a digit has.
const orderedBits = 8

func (s ordering) meets() tile.Demands { return tile.Counters | tile.Neighbours }

func (s ordering) refuse() error { return s.refuseItems() }

func (s ordering) prepare() {}

func (s ordering) describe(v *plan.Variant) {
	s.flat.describe(v)
	s.describeMemory(v)
}

func (s ordering) main() {
	s.haveRoom()
	e := s.function(s.Name)
	e.until, e.effects = 1, true
	e.begin()
	r := s.rankedTile(e)
	s.eachTile(e.tileBody, func() { s.tile(r) })
	s.launchRows(e.function, s.grid(), plan.ForwardNone)
}

// haveRoom tells the plan how many rows the kernel is for. The plan has one number for all of its kernels.
func (s ordering) haveRoom() {
	room := s.Ops[s.ranks.op].Ref
	for i := range s.out.Scalars {
		if scalar := &s.out.Scalars[i]; scalar.Name == room {
			if s.room == 0 || s.rows() < s.room {
				s.room, scalar.Init = s.rows(), plan.Literal(strconv.FormatInt(s.rows(), 10))
			}
		}
	}
}

// tile writes the work of the tile.
func (s ordering) tile(r *rankedTile) {
	r.tileRows()
	r.begin()
	r.load()
	pass := r.b.Decl("pass", loop.Int(0))
	passes := loop.Int((r.ranks.bits + orderedBits - 1) / orderedBits)
	r.pass = pass
	r.b.While(loop.Lt(pass, passes), func() {
		r.b.If(loop.Lt(loop.Int(0), pass), r.takeBack, nil)
		r.clear()
		r.b.Barrier(r.sharing())
		r.count()
		r.b.Barrier(loop.WorkgroupScope)
		r.begins(ownCounts{})
		r.handOut()
		r.b.Barrier(loop.WorkgroupScope)
		r.b.Assign(pass, loop.Add(pass, loop.Int(1)))
	})
	r.move()
}

// takeBack loads the rows of the work-item from where they have been handed out.
func (r *rankedTile) takeBack() {
	words := r.heldInTile()
	r.eachAt(r.rowItems(), r.rowAt, r.rowsEnd, func(item, at loop.Expr) {
		for j, word := range words {
			r.b.Store(r.held[j], item, loop.At(word, loop.Add(at, loop.Int(r.heldStart(j)))))
		}
	})
}

// ownCounts are those of a tile that has all rows.
type ownCounts struct{ digitCounts }

func (ownCounts) publish(*tileBody, loop.Expr, loop.Expr) {}
