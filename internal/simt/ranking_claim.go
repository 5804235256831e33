package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Where rows of one digit may lie in any order, no tile waits for another: it claims places for its rows of a digit by
// one addition to what all tiles have claimed. Nor are the rows of a subgroup told apart from those of another: the addition that
// counts a row, in local memory, says how many rows of the tile with its digit come before.

// claimedRows is the most rows of a tile, so that these numbers take half a word.
const claimedRows = 1 << 16

// claimedCounts is a word per digit: how many rows tiles have claimed places for.
type claimedCounts struct {
	launches *lookback
	words    string
}

func (c *claimedCounts) describe(v *plan.Variant) { c.launches.describe(v) }

func (c *claimedCounts) refuse(ranking) error { return c.launches.refuse() }

func (c *claimedCounts) forward() plan.Forward { return plan.ForwardNone }

func (c *claimedCounts) eachTile(_ ranking, e *tileBody, body func()) { c.launches.eachTile(e, body) }

func (c *claimedCounts) prepare(s ranking) {
	c.words = s.fresh(s.Name + "_claimed")
	s.addBuffer(plan.Buffer{Name: c.words, Kind: plan.U32, Role: plan.Status, Length: plan.Const(s.ranks.digits)})
	c.launches.addTickets()
}

func (c *claimedCounts) publish(*tileBody, loop.Expr, loop.Expr) {}

func (c *claimedCounts) before(e *tileBody, digits []ownDigit) (earlier []loop.Expr) {
	memory := e.arguments.buffer(c.words, ir.U32, plan.ReadsWrites)
	for _, d := range digits {
		claimed := e.b.Decl("claimed", number(ir.U32, 0))
		d.If(e.b, func() { e.b.Assign(claimed, e.b.AtomicOld("before", loop.AtomicAdd, memory, d.digit, d.count)) })
		earlier = append(earlier, loop.ToKind(e.rowKind(), claimed))
	}
	return earlier
}

// countOnce counts the rows of the tile by their digits, and notes how many come before each.
func (r *rankedTile) countOnce() {
	one := func(item loop.Expr, count func(digit loop.Expr) loop.Expr) {
		r.recallItem(item)
		r.note(item, count(r.digit()))
	}
	r.b.If(loop.Eq(r.tileBody.count, loop.Int(r.kernel.rows())), func() {
		each := func(count func(digit loop.Expr) loop.Expr) {
			r.b.For("item", loop.Int(0), loop.Int(int64(r.items)), func(item *loop.Var) { one(item, count) })
		}
		r.recallItem(loop.Int(0))
		first := r.b.Let("first_digit", loop.ToKind(ir.U32, r.digit()))
		lanes := r.kernel.subgroup.ballot(loop.Eq(first, loop.CallOf(broadcast[ir.U32], first, number(ir.U32, 0))))
		isSkewed := loop.Ge(loop.Apply(ir.OpPopcount, lanes), number(r.kernel.subgroup.Mask, leastSkewed))
		r.b.If(isSkewed, func() { each(r.countTogether) }, func() { each(r.countAlone) })
	}, func() {
		r.isWhole = false
		last := r.rowsEnd()
		r.eachHeld(func(item loop.Expr) {
			r.b.If(loop.Lt(r.rowAt(item), last), func() { one(item, r.countAlone) }, nil)
		})
	})
}

// countAlone counts a row, and returns how many of the tile with its digit come before.
func (r *rankedTile) countAlone(digit loop.Expr) loop.Expr {
	return r.b.AtomicOld("rank", loop.AtomicAdd, r.counts, digit, number(ir.U32, 1))
}

// countTogether is countAlone where many rows of a subgroup have the digit of the first one, which counts them all.
func (r *rankedTile) countTogether(digit loop.Expr) loop.Expr {
	subgroup := r.kernel.subgroup
	own := loop.ToKind(ir.U32, digit)
	isShared := r.b.Let("is_shared", loop.Eq(own, loop.CallOf(broadcast[ir.U32], own, number(ir.U32, 0))))
	lanes := r.b.Let("lanes", subgroup.ballot(isShared))
	isFirst := loop.Eq(sublane(), loop.Int(0))
	rank := r.b.Decl("rank", number(ir.U32, 0))
	r.b.If(loop.Or(isFirst, loop.Not(isShared)), func() {
		count := loop.Choose(isFirst, loop.ToKind(ir.U32, loop.Apply(ir.OpPopcount, lanes)), number(ir.U32, 1))
		r.b.Assign(rank, r.b.AtomicOld("before", loop.AtomicAdd, r.counts, digit, count))
	}, nil)
	first := r.b.Let("first", loop.CallOf(broadcast[ir.U32], rank, number(ir.U32, 0)))
	earlier := loop.ToKind(ir.U32, loop.Apply(ir.OpPopcount, subgroup.before(lanes)))
	return loop.Choose(isShared, loop.Add(first, earlier), rank)
}

// note notes how many rows come before one of the work-item's: two rows share a word.
func (r *rankedTile) note(item, rank loop.Expr) {
	word, shift := loop.Div(item, loop.Int(2)), r.shiftOf(item)
	low := loop.Choose(loop.Eq(shift, number(ir.U32, 0)), number(ir.U32, 0), loop.At(r.ranked, word))
	r.b.Store(r.ranked, word, loop.Apply(ir.OpOr, low, loop.Apply(ir.OpShl, rank, shift)))
}

// shiftOf returns where in its word the number of a row begins.
func (r *rankedTile) shiftOf(item loop.Expr) loop.Expr {
	return loop.Mul(loop.ToKind(ir.U32, loop.Apply(ir.OpAnd, item, loop.Int(1))), number(ir.U32, 16))
}

// claimedPlace returns the place in the tile of the row at hand.
func (r *rankedTile) claimedPlace() loop.Expr {
	rank := loop.Apply(ir.OpShr, loop.At(r.ranked, loop.Div(r.item, loop.Int(2))), r.shiftOf(r.item))
	rank = loop.Apply(ir.OpAnd, rank, number(ir.U32, claimedRows-1))
	return r.b.Let("place", loop.ToCounter(loop.Add(loop.At(r.starts, r.digit()), rank)))
}

// takeTotal returns how many rows of the tile have a digit. The count is that of the next tile from now on.
func (r *rankedTile) takeTotal(digit loop.Expr) loop.Expr {
	total := r.b.Let("total", loop.At(r.counts, digit))
	r.b.Store(r.counts, digit, number(ir.U32, 0))
	return total
}
