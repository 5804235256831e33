package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// A sort-merge join needs no table: rows with equal keys are neighbours once they are sorted,
// and lie between two bounds. The rows of the other side search for these, instead of being
// sorted and merged: results are in their order.

// sortedSide is the rows among which others look for theirs, in the order of their keys.
type sortedSide struct {
	*ordering
	order *ir.Value   // the rows; those of equal keys in their order
	words []*ir.Value // their keys, the most significant word first
}

// sortedBy returns the rows with some keys, sorted. Searches in the same columns share them.
func (o *ordering) sortedBy(columns []*ir.Value) sortedSide {
	at := columnsName(columns)
	if side, ok := o.sides[at]; ok {
		return side
	}
	rows := columns[0].Type.Domain
	by := &ordering{expansion: o.expansion, pos: o.pos, rows: rows, out: o.newDomain(ir.DomainOrder, rows.Name+"_sorted", rows)}
	keys := o.sortKeysOf(columns)
	words := by.words(keys)
	sorted := by.sort(keys, by.row(keys), true)
	by.out.By = sorted.number
	side := sortedSide{ordering: by, order: by.rowOf(sorted.number)}
	for _, w := range slices.Backward(words) {
		x := sorted.word
		if x == nil {
			x = by.gather(by.pos, w.value, side.order)
		}
		side.words = append(side.words, x)
	}
	o.sides[at] = side
	return side
}

// bounds returns where the rows with keys begin and end. A word narrows the bounds that those
// before it have left.
func (s sortedSide) bounds(o *ordering, keys []*ir.Value) (begin, end *ir.Value) {
	begin, end = o.number(0), o.length(s.order)
	words := o.words(o.sortKeysOf(keys))
	slices.Reverse(words)
	for i, sorted := range s.words {
		x := words[i].value
		search := func(x, first, end *ir.Value) *ir.Value {
			return o.add(o.pos, ir.Value{Op: ir.OpSearch, Args: []*ir.Value{sorted, x, first, end},
				Type: ir.Type{Kind: ir.I64, Domain: x.Type.Domain, Target: sorted.Type.Domain}})
		}
		isLeast := o.apply(ir.OpEq, x, o.integer(x, 0)) // no word is less
		before := search(o.apply(ir.OpSub, x, o.integer(x, 1)), begin, end)
		begin = o.choose(isLeast, begin, before)
		end = search(x, begin, end)
	}
	return begin, end
}

// first returns the first row with keys, or -1.
func (s sortedSide) first(o *ordering, keys []*ir.Value) *ir.Value {
	begin, end := s.bounds(o, keys)
	isFound := o.apply(ir.OpLt, begin, end)
	row := o.choose(isFound, begin, o.number(-1)) // which is not read
	row.Type.Target = s.order.Type.Domain
	return o.choose(isFound, o.gather(o.pos, s.order, row), o.number(-1))
}
