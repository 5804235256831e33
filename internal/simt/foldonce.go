package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
)

// foldOnce takes the fold of all rows from a scan that folds the same elements, which the last
// tile knows: a reduction would fold each tile a second time, and ask for a launch of its own. Floats are
// left as they are, since a scan may round them otherwise.
func foldOnce(t *tile.Kernel) *tile.Kernel {
	k := *t
	k.Ops = slices.Clone(t.Ops)
	found := false
	for i := range k.Ops {
		op := &k.Ops[i]
		if !op.IsReduction() || op.Segment != 0 || op.Monoid.Kind != tile.Fold || op.Monoid.Fields[0].Kind.IsFloat() {
			continue
		}
		for _, scan := range t.With((*tile.Op).Cuts) {
			isSame := scan.Domain == op.Domain && scan.Segment == 0 && slices.Equal(scan.Args, op.Args) &&
				scan.Monoid.Kind == op.Monoid.Kind && scan.Monoid.String() == op.Monoid.String()
			if isSame {
				k.Ops[i] = tile.Op{Kind: tile.Total, Domain: tile.Uniform, Args: scan.Res[:1:1], Res: op.Res, Epilogue: true, Stage: op.Stage, Pos: op.Pos}
				found = true
				break
			}
		}
	}
	if !found {
		return t
	}
	isOfRows := func(op tile.Op) bool { return !op.Epilogue }
	k.Ops = slices.Concat(slices.DeleteFunc(slices.Clone(k.Ops), func(op tile.Op) bool { return !isOfRows(op) }), slices.DeleteFunc(k.Ops, isOfRows))
	k.Values = slices.Clone(t.Values)
	for i, op := range k.Ops {
		for _, v := range op.Res {
			k.Values[v].Op = i
		}
	}
	return &k
}
