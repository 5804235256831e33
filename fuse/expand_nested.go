package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Nested loops compare each row with all rows of the other side: once to count its partners,
// and again to store them where the counts before say.

// nestedJoin returns a join by nested loops.
func (o *ordering) nestedJoin(left, right []*ir.Value, out *ir.Domain) *joined {
	j := &joined{}
	keys, others := o.keyWords(left), o.keyWords(right)
	var begin *ir.Value
	j.left, begin = o.expanded(repetition{length: o.compared(keys, others, ir.ReduceAdd), isNarrow: true}, out)
	args := slices.Concat([]*ir.Value{begin}, keys, others)
	j.right = o.add(o.pos, ir.Value{Op: ir.OpPairs, Args: args, Split: len(keys), Type: ir.Type{Kind: ir.I64, Domain: out, Target: others[0].Type.Domain}})
	return j
}

// compared returns how many of other rows have equal keys, or which is the first.
func (o *ordering) compared(keys, others []*ir.Value, by ir.ReduceOp) *ir.Value {
	return o.add(o.pos, ir.Value{Op: ir.OpPartners, Args: slices.Concat(keys, others), Split: len(keys), Reduce: by,
		Type: ir.Type{Kind: ir.I64, Domain: keys[0].Type.Domain, Target: others[0].Type.Domain}})
}

// keyWords returns keys as few unsigned integers, which are equal where the keys are.
func (o *ordering) keyWords(keys []*ir.Value) []*ir.Value {
	at := columnsName(keys)
	if o.wordsOf[at] == nil {
		for _, w := range o.words(o.sortKeysOf(keys)) {
			o.wordsOf[at] = append(o.wordsOf[at], w.value)
		}
	}
	return o.wordsOf[at]
}
