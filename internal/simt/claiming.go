package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Rows that are few, and may lie in any order, claim their places by additions to a counter: no tile waits for
// the ones before. Work-groups walk over the tiles, and the one that is done last knows how many rows there are.

func isClaim(op *tile.Op) bool { return op.Kind == tile.Claim }

// claimsOnly reports whether rows of t leave nothing but what they store at claimed places, so that work-groups walk over them.
func (l *lowering) claimsOnly(t *tile.Kernel) bool {
	return l.schedule.Part == 0 && t.Has(isClaim) && l.hasTablesOnly(t) && !t.Has((*tile.Op).IsReduction) && !t.Has(isTableUpdate) && !t.Has(leavesMore)
}

// claimsBefore counts the claims of k among its first operations.
func claimsBefore(k *tile.Kernel, operations int) int64 {
	n := int64(0)
	for i := range k.With(isClaim) {
		if i < operations {
			n++
		}
	}
	return n
}

// addClaims adds the buffer of what is claimed: a word for each operation, and one for work-groups that are done.
func (s *launches) addClaims() {
	if n := claimsBefore(s.Kernel, len(s.Ops)); n > 0 {
		s.claimed = s.fresh(s.Name + "_claimed")
		s.addBuffer(plan.Buffer{Name: s.claimed, Kind: plan.U32, Role: plan.Status, Length: plan.Const(n + 1)})
	}
}

// claimedBy returns the words of what is claimed, and which is that of an operation.
func (e *function) claimedBy(i int) (words *loop.Var, at loop.Expr) {
	return e.arguments.buffer(e.lowering.claimed, ir.U32, plan.ReadsWrites), loop.Int(claimsBefore(e.Kernel, i))
}

// claimNumber claims a number for the row.
func (e *rowBody) claimNumber(i int) {
	words, at := e.claimedBy(i)
	old := e.b.AtomicOld("claimed", loop.AtomicAdd, words, at, number(ir.U32, 1))
	e.define(e.Ops[i].Res[0], loop.ToKind(ir.I64, old))
}

// nameClaimed names how many numbers have been claimed, when all are.
func (e *rowBody) nameClaimed() {
	for i, op := range e.With(isClaim) {
		words, at := e.claimedBy(i)
		e.named(op.Res[0], loop.ToKind(ir.I64, loop.VolatileAt(words, at)))
	}
}

// knowsTotal reports whether the work-group that is done last ends the launch.
func (w walking) knowsTotal() bool { return w.claims }

// endLastWorkgroup lets the work-group that is done last do what comes after all rows.
func (w walking) endLastWorkgroup(e *rowBody) {
	if !w.hasEnd() {
		return
	}
	e.b.Barrier(loop.WorkgroupScope)
	e.b.If(loop.Eq(e.localID, loop.Int(0)), func() {
		words, at := e.claimedBy(len(e.Ops))
		done := e.b.AtomicOld("done", loop.AtomicAdd, words, at, number(ir.U32, 1))
		last := loop.Sub(loop.ToKind(ir.U32, &loop.ID{Kind: loop.WorkgroupCount}), number(ir.U32, 1))
		e.b.If(loop.Eq(done, last), func() {
			e.now, e.row, e.values = atEnd, nil, map[tile.ID]loop.Expr{}
			e.end()
		}, nil)
	}, nil)
}
