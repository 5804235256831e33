package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
)

// hoistFirsts stores the first element of each segment where the segment begins. A
// tile program stores it when the segment closes, and takes it there by a scan.
// Work-items know the places of heads anyway, so for them a store at the head is
// cheaper than a wider state.
func hoistFirsts(t *tile.Kernel) *tile.Kernel {
	k := *t
	k.Ops, k.Domains, k.Values = slices.Clone(t.Ops), slices.Clone(t.Domains), slices.Clone(t.Values)
	opening := map[int]int{} // domains of the heads, by those of the closes
	for i := range k.Ops {
		op := &k.Ops[i]
		if !op.Does(tile.Writes) || op.Epilogue || len(op.Args) != 2 || op.Domain <= 0 {
			continue
		}
		d := op.Domain
		if k.Domains[d].Kind != tile.Close || op.Args[1] != k.Domains[d].Position {
			continue
		}
		x, isFirst := firstOf(&k, op.Args[0], &k.Domains[d])
		begun := k.Domains[d].Counter
		if !isFirst || begun == 0 {
			continue
		}
		if _, ok := opening[d]; !ok {
			close := k.Domains[d]
			opening[d] = len(k.Domains)
			k.Domains = append(k.Domains, tile.Domain{Kind: tile.Compact, Name: close.Name, Plan: close.Plan,
				Parent: close.Parent, Guard: close.Guard, Counter: begun, Position: begun})
		}
		op.Domain, op.Args = opening[d], []tile.ID{x, begun}
	}
	if len(opening) == 0 {
		return t
	}
	return k.Pruned()
}

// firstOf returns the column of which v is the first element of each segment that
// closes in d.
func firstOf(k *tile.Kernel, v tile.ID, d *tile.Domain) (x tile.ID, ok bool) {
	scan := &k.Ops[k.Values[v].Op]
	if !scan.Cuts() || !scan.Exclusive || scan.Domain != d.Parent || !scan.Monoid.IsLast() || scan.Res[1] != v {
		return 0, false
	}
	x = scan.Args[1]
	if scan.Segment == d.Guard {
		return x, true
	}
	// The last element of a key is the first one if equal keys have equal bits.
	head := &k.Ops[k.Values[d.Guard].Op]
	isKey := head.IsHead() && slices.Contains(head.Args, x)
	return x, k.KeepsLast(scan) && isKey && k.Values[x].Kind.EqualBits()
}
