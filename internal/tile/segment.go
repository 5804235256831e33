package tile

import "github.com/kgen-go/kgen/ir"

// segmentOf returns the Segment that a fold must have: the element of field 0, if
// that is the head flag of a segmented fold or says which elements are present.
func (k *Kernel) segmentOf(op *Op) ID {
	if len(op.Args) == 0 || op.Monoid.Kind != Segmented && !op.Monoid.IsLast() || k.IsConst(op.Args[0], 1) {
		return 0
	}
	return op.Args[0]
}

// IsConst reports whether v is the constant of those bits.
func (k *Kernel) IsConst(v ID, bits uint64) bool {
	op := &k.Ops[k.Values[v].Op]
	return op.Kind == Const && op.Const.Bits == bits
}

// Indicator returns the flag whose number v is: 1 if it holds, else 0.
func (k *Kernel) Indicator(v ID) (flag ID, ok bool) {
	op := &k.Ops[k.Values[v].Op]
	if op.Kind != Map || op.Operator != ir.OpCast || k.Values[op.Args[0]].Kind != ir.Bool {
		return 0, false
	}
	return op.Args[0], true
}

// KeepsLast reports whether a fold keeps the element of its last row: it keeps
// the last present element, and all are present.
func (k *Kernel) KeepsLast(op *Op) bool {
	return op.Monoid.IsLast() && k.IsConst(op.Args[0], 1)
}
