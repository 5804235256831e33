package simt

import (
	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// fold folds the rows of the part. Where those that a work-item has loaded are of one group, as most rows of a large one are, they are
// folded in registers; where those that neighbours have are, as of rows that came in clusters, the subgroup folds them.
func (g *groupedPart) fold() {
	h := g.holdGroup()
	g.eachRows(true, func(at, areAll loop.Expr) {
		first := g.b.Let("first_key", loop.At(g.keys, loop.Int(0)))
		areAlike := g.b.Decl("are_alike", areAll)
		g.eachOf(func(i loop.Expr) {
			g.b.Assign(areAlike, loop.And(areAlike, loop.Eq(loop.At(g.keys, i), first)))
		})
		alone := func() { g.b.If(areAlike, func() { h.fold(first) }, func() { g.foldAlone(at) }) }
		if !g.subgroup.divides(g.workgroup) {
			alone()
			return
		}
		_, members := g.membersOf(first, loop.And(areAll, loop.Not(areAlike)))
		areShared := loop.Ge(loop.Apply(ir.OpPopcount, members), number(g.subgroup.Mask, g.leastShared()))
		g.b.If(areShared, g.foldTogether, alone)
	})
	h.leave()
}

// membersOf returns whether the work-item has the key of the middle one of its subgroup, and a condition holds, and the mask of those of which that is so.
func (g *groupedPart) membersOf(key, condition loop.Expr) (isMember, members loop.Expr) {
	shared := g.b.Let("shared", loop.CallOf(broadcast[ir.U32], key, number(ir.U32, g.middle())))
	isMember = g.b.Let("is_member", loop.And(condition, loop.Eq(key, shared)))
	return isMember, g.b.Let("members", g.subgroup.ballot(isMember))
}

// middle is the lane whose rows others have, too, if these are of two groups.
func (g *groupedPart) middle() int64 { return int64(g.subgroup.Width / 2) }

// leastShared is of how many lanes rows have one key at least where the subgroup folds them.
func (g *groupedPart) leastShared() int64 { return int64(g.subgroup.Width * 3 / 8) }

// foldTogether folds rows at hand, of which there are all. The middle lane combines those of its group, others their own.
func (g *groupedPart) foldTogether() {
	g.eachOf(func(i loop.Expr) {
		key := g.b.Let("key", loop.At(g.keys, i))
		isMember, members := g.membersOf(key, loop.True)
		count := g.b.Let("member_count", loop.Apply(ir.OpPopcount, members))
		isLeader := g.b.Let("is_leader", loop.Eq(sublane(), loop.Int(g.middle())))
		combines := g.b.Decl("combines", loop.True)
		var list []*loop.Var
		for _, f := range g.op.Folds {
			list = append(list, g.b.Decl("x", g.elementOf(f, i)))
		}
		g.b.If(loop.Ge(count, number(g.subgroup.Mask, g.leastShared())), func() {
			for k, f := range g.op.Folds {
				all := loop.ToKind(f.Monoid.Fields[0].Kind, count)
				if f.From != tile.OnlyRows {
					all = g.foldMembers(f, isMember, list[k])
				}
				g.b.Assign(list[k], loop.Choose(isLeader, all, list[k]))
			}
			g.b.Assign(combines, loop.Or(isLeader, loop.Not(isMember)))
		}, nil)
		g.b.If(combines, func() { g.combine(key, func(k int) loop.Expr { return list[k] }) }, nil)
	})
}

// foldMembers folds x of some lanes of the subgroup, for all lanes.
func (g *groupedPart) foldMembers(f tile.PartFold, isMember, x loop.Expr) loop.Expr {
	kind := f.Monoid.Fields[0].Kind
	word := wordOf(kind)
	all := g.b.Decl("all", loop.Choose(isMember, x, loop.ConstOf(f.Monoid.Identity[0])))
	for distance := g.subgroup.Width / 2; distance > 0; distance /= 2 {
		theirs := g.b.Let("theirs", fromWord(kind, loop.CallOf(shuffleDown[word], toWord(word, all), number(ir.U32, int64(distance)))))
		g.b.Assign(all, backends.Combine(f.Monoid.Combine[0], func(int) loop.Expr { return all }, func(int) loop.Expr { return theirs }))
	}
	return g.b.Let("of_members", fromWord(kind, loop.CallOf(broadcast[word], toWord(word, all), number(ir.U32, 0))))
}

// foldAlone folds rows at hand one by one.
func (g *groupedPart) foldAlone(at loop.Expr) {
	g.eachOf(func(i loop.Expr) {
		g.b.If(loop.Lt(g.placeOf(at, i), g.rows), func() {
			g.combine(g.b.Let("key", loop.At(g.keys, i)), func(k int) loop.Expr { return g.elementOf(g.op.Folds[k], i) })
		}, nil)
	})
}

// heldGroup is the group whose folds a work-item has in registers, if any.
type heldGroup struct {
	*groupedPart
	key, isHeld *loop.Var
	folds       []*loop.Var
}

func (g *groupedPart) holdGroup() heldGroup {
	h := heldGroup{groupedPart: g, key: g.b.Decl("held", number(ir.U32, 0)), isHeld: g.b.Decl("is_held", loop.False)}
	for _, f := range g.op.Folds {
		h.folds = append(h.folds, g.b.Decl("folded", loop.ConstOf(f.Monoid.Identity[0])))
	}
	return h
}

// fold folds the rows at hand, which are of the group of a key, and holds that from now on.
func (h heldGroup) fold(key loop.Expr) {
	h.b.If(loop.Or(loop.Not(h.isHeld), loop.Ne(h.key, key)), func() {
		h.leave()
		for k, f := range h.op.Folds {
			h.b.Assign(h.folds[k], loop.ConstOf(f.Monoid.Identity[0]))
		}
		h.b.Assign(h.key, key)
		h.b.Assign(h.isHeld, loop.True)
	}, nil)
	h.eachOf(func(i loop.Expr) {
		for k, f := range h.op.Folds {
			x := h.b.Let("x", h.elementOf(f, i))
			h.b.Assign(h.folds[k], backends.Combine(f.Monoid.Combine[0], func(int) loop.Expr { return h.folds[k] }, func(int) loop.Expr { return x }))
		}
	})
}

// leave combines the folds with those of the group in local memory.
func (h heldGroup) leave() {
	h.b.If(h.isHeld, func() { h.combine(h.key, func(k int) loop.Expr { return h.folds[k] }) }, nil)
}

// combine combines something with each fold of the group of a key, if it is in local memory.
func (g *groupedPart) combine(key loop.Expr, x func(k int) loop.Expr) {
	group := g.groupOf(key)
	g.b.If(loop.And(loop.Ge(group, loop.Int(0)), loop.Lt(group, g.few)), func() {
		for k, table := range g.tables.folds {
			table.form.combine(g.element(table, group), x(k))
		}
	}, nil)
}

// elementOf returns what a row of those at hand adds to a fold.
func (g *groupedPart) elementOf(f tile.PartFold, i loop.Expr) loop.Expr {
	kind := f.Monoid.Fields[0].Kind
	if f.From == tile.OnlyRows {
		return loop.ConstOf(ir.Int(kind, 1))
	}
	x := loop.At(g.elements[f.From], i)
	if f.Kind != ir.Invalid {
		x = fromWord(f.Kind, x)
	}
	return loop.To(loop.ScalarOf(kind), x)
}
