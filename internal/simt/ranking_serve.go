package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Where the rows of several digits are handed out, an atomic addition to the counter of a digit can give a row its
// place, with half of the accesses to local memory that masks take. Rows of one digit then come in the order in which
// the device serves the lanes of a subgroup. That is their own order, as a rule, which nothing promises: so each row
// brings the last bits of its number, and where two neighbours of one digit are in another order, the kernel gives up
// and the plan's fallback runs. (Compilers would keep numbers in the tile in registers, which are the same in each tile.)

// servedRows is the most rows of a tile, so that the last bits of their numbers tell their order.
const servedRows = 1 << 15

// serve is handOut for rows of several digits.
func (r *rankedTile) serve() {
	end := func() { r.b.Barrier(r.sharing()) } // the rows of an item come before those of the next
	r.b.If(loop.Eq(r.tileBody.count, loop.Int(r.kernel.rows())), func() {
		r.isWhole = true
		r.b.For("item", loop.Int(0), loop.Int(int64(r.items)), func(item *loop.Var) {
			r.serveRow(item)
			end()
		})
	}, func() {
		r.isWhole = false
		last := r.rowsEnd()
		r.eachHeld(func(item loop.Expr) {
			r.b.If(loop.Lt(r.rowAt(item), last), func() { r.serveRow(item) }, nil)
			end()
		})
	})
}

// serveRow gives a row of the work-item its place in local memory.
func (r *rankedTile) serveRow(item loop.Expr) {
	r.row = loop.Add(r.rowBody.tileBody.first, r.rowAt(item))
	r.recallItem(item)
	next := r.b.AtomicOld("next", loop.AtomicAdd, r.counts, r.counter(r.subgroup, r.digit()), number(ir.U32, 1))
	r.put(r.b.Let("place", loop.ToCounter(next)), item)
}

// numbers is local memory in which rows have the last bits of their numbers, behind what they hold.
func (r *rankedTile) numbers() *loop.Var { return r.arenaOf(numberKind) }

func (r *rankedTile) numbersStart() loop.Expr {
	return loop.Int(r.kernel.rows() * r.heldBytes(r.ranks.held) / int64(numberKind.Size()))
}

// numberAt returns the last bits of the number of the row at a place in local memory.
func (r *rankedTile) numberAt(at loop.Expr) loop.Expr {
	return loop.ToCounter(loop.At(r.numbers(), loop.Add(at, r.numbersStart())))
}

// recallServed names the values of the row at a place in local memory, and returns the last bits of its number.
func (r *rankedTile) recallServed(at loop.Expr) loop.Expr {
	bits, first := r.b.Let("last_bits", r.numberAt(at)), r.rowBody.tileBody.first
	r.row = loop.Add(first, loop.Apply(ir.OpAnd, loop.Sub(bits, first), loop.Int(1<<(8*numberKind.Size())-1)))
	r.recallAt(at)
	return bits
}

// compare finds out whether the row before the one at a place in local memory has the same digit and a greater number.
func (r *rankedTile) compare(at, digit, bits loop.Expr) {
	row, values := r.row, r.values
	before := r.b.Let("before", loop.Greatest(loop.Sub(at, loop.Int(1)), loop.Int(0)))
	r.values = map[tile.ID]loop.Expr{}
	other := r.recallServed(before)
	r.b.Assign(r.isLate, loop.Or(r.isLate, loop.And(loop.Ne(loop.Apply(ir.OpAnd, loop.Sub(bits, other), loop.Int(servedRows)), loop.Int(0)), loop.Eq(r.digit(), digit))))
	r.row, r.values = row, values
}

// giveUp ends the plan if rows of one digit are in another order.
func (r *rankedTile) giveUp() {
	r.b.If(r.isLate, func() {
		r.b.Atomic(loop.AtomicOr, r.arguments.buffer(r.lowering.abort, ir.U32, plan.ReadsWrites), loop.Int(0), number(ir.U32, abortOrder))
	}, nil)
}
