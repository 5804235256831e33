package tile

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Inside reports whether rows of domain inner are rows of outer, so that they
// have its values.
func (k *Kernel) Inside(inner, outer int) bool {
	for inner > max(outer, 0) {
		inner = k.Domains[inner].Parent
	}
	return inner == outer
}

// CountUses counts, per value, the operations that it is an operand of, and the
// domains that it decides about.
func (k *Kernel) CountUses() []int {
	uses := make([]int, len(k.Values))
	for i := range k.Ops {
		for _, arg := range k.Ops[i].Args {
			uses[arg]++
		}
	}
	for _, d := range k.Domains[1:] {
		uses[d.Guard]++
		uses[d.Open]++
	}
	return uses
}

// NeededBy returns the operations that some operations need: these, and those
// that their operands and the numbers and conditions of their rows come from.
func (k *Kernel) NeededBy(isRoot func(i int) bool) []bool {
	needed := make([]bool, len(k.Ops))
	var need func(i int)
	need = func(i int) {
		if needed[i] {
			return
		}
		needed[i] = true
		for _, arg := range k.Ops[i].Args {
			need(k.Values[arg].Op)
		}
		for d := k.Ops[i].Domain; d > 0; d = k.Domains[d].Parent {
			need(k.Values[k.Domains[d].Guard].Op)
			if k.Domains[d].Kind == Close {
				need(k.Values[k.Domains[d].Open].Op)
				if at := k.Domains[d].Position; at != 0 {
					need(k.Values[at].Op)
				}
			}
		}
	}
	for i := range k.Ops {
		if isRoot(i) {
			need(i)
		}
	}
	return needed
}

// HasWords reports whether the operation finds sources by words that tell lengths and where something begins.
func (op *Op) HasWords() bool { return op.Kind == Source && len(op.Args) > 2 }

// HasShorts reports whether words have the lengths by which the operation finds sources, as far as these are short.
func (op *Op) HasShorts() bool { return op.Kind == Source && len(op.Keys) > 1 && !op.HasWords() }

// EntersParts reports whether base rows are slots of a hash table, which others enter by its parts.
func (op *Op) EntersParts() bool { return op.Kind == EnterParts }

// ByParts reports whether the base rows of an operation are parts of other rows.
func (op *Op) ByParts() bool {
	return op.Kind == MatchParts || op.Kind == PartnerParts || op.Kind == GroupParts
}

// GroupsParts reports whether base rows are parts of rows that are grouped.
func (op *Op) GroupsParts() bool { return op.Kind == GroupParts }

// Streams lists the streams that an operation touches.
func (op *Op) Streams() []int {
	if !op.touchesStreams() {
		return nil
	}
	list := slices.Concat([]int{op.Stream}, op.Totals, op.Offsets, op.Keys, op.Homes)
	for _, f := range op.Folds {
		list = append(list, f.To)
	}
	if op.HasPlaces() {
		list = append(list, op.Places)
	}
	return list
}

// HasPlaces reports whether the operation has the stream Places.
func (op *Op) HasPlaces() bool {
	return (op.Kind == PartnerParts || op.Kind == GroupParts) && op.Places != NoPlaces
}

// Touches reports whether an operation reads or writes a stream of a buffer.
func (k *Kernel) Touches(op *Op, buffer string) bool {
	return slices.ContainsFunc(op.Streams(), func(stream int) bool {
		return stream >= 0 && stream < len(k.Streams) && k.Streams[stream].Buffer == buffer
	})
}

// WordOfRow reports whether a place is that of a word among as many as a row has, which lie side by side, and returns the
// place of the first one.
func (k *Kernel) WordOfRow(place ID, words int) (first ID, word int, ok bool) {
	op := &k.Ops[k.Values[place].Op]
	for op.IsMap() && op.Operator == ir.OpCast && k.Values[op.Args[0]].Kind == ir.I64 {
		op = &k.Ops[k.Values[op.Args[0]].Op]
	}
	if !op.IsMap() || op.Operator != ir.OpAdd {
		return 0, 0, false
	}
	first = op.Args[0]
	row := &k.Ops[k.Values[first].Op]
	if !row.IsMap() || row.Operator != ir.OpMul || !k.IsConst(row.Args[1], uint64(words)) {
		return 0, 0, false
	}
	for word = range words {
		if k.IsConst(op.Args[1], uint64(word)) {
			return first, word, true
		}
	}
	return 0, 0, false
}
