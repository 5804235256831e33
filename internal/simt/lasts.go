package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
)

// seeLasts takes the element of the row before, which a tile program keeps by a scan of the last one, from
// that row. Work-items have it or can read it, and the state between tiles is narrower.
func seeLasts(t *tile.Kernel) *tile.Kernel {
	uses := t.CountUses()
	k := *t
	k.Ops, k.Values = nil, slices.Clone(t.Values)
	add := func(op tile.Op) {
		for _, v := range op.Res {
			k.Values[v].Op = len(k.Ops)
		}
		k.Ops = append(k.Ops, op)
	}
	found := false
	for _, op := range t.Ops {
		if !op.Cuts() || !op.Exclusive || op.Domain != 0 || !t.KeepsLast(&op) || !t.Recomputable(op.Args[1]) || uses[op.Res[0]] > 0 {
			add(op)
			continue
		}
		found = true
		fill := op.Res[0] // in place of the flag
		k.Values[fill].Kind, k.Values[fill].Domain = op.Monoid.Fields[1].Kind, tile.Uniform
		add(tile.Op{Kind: tile.Const, Domain: tile.Uniform, Const: op.Monoid.Identity[1], Res: []tile.ID{fill}, Stage: op.Stage, Pos: op.Pos})
		add(tile.Op{Kind: tile.Shift, Args: []tile.ID{op.Args[1], fill}, Distance: 1, Res: op.Res[1:2:2], Stage: op.Stage, Pos: op.Pos})
	}
	if !found {
		return t
	}
	return &k
}
