package tile

import "github.com/kgen-go/kgen/ir"

// WithoutRanks returns the kernel with each Rank as a scan that counts the rows of
// every digit, for schemes whose cuts have no arrays; k itself if it has none.
func (k *Kernel) WithoutRanks() *Kernel {
	isRank := func(op *Op) bool { return op.Kind == Rank }
	if !k.Has(isRank) {
		return k
	}
	out := *k
	out.Ops, out.Values = nil, append([]Value(nil), k.Values...)
	b := &Builder{Kernel: &out, memo: map[string]ID{}}
	for _, op := range k.Ops {
		b.Stage, b.Pos = op.Stage, op.Pos
		if isRank(&op) {
			op = b.counted(op)
		}
		for _, v := range op.Res {
			out.Values[v].Op = len(out.Ops)
		}
		out.Ops = append(out.Ops, op)
	}
	return &out
}

// counted returns the operation that chooses the result of a rank among the counts
// of all digits before the row.
func (b *Builder) counted(rank Op) Op {
	digit, d := rank.Args[0], rank.Domain
	var is, ones []ID
	var counts []*Monoid
	for i := range rank.Digits {
		is = append(is, b.Map(d, ir.OpEq, ir.Bool, "", digit, b.Int(i)))
		ones = append(ones, b.Map(d, ir.OpCast, ir.I64, "", is[i]))
		counts = append(counts, NewFold(ir.ReduceAdd, ir.I64))
	}
	before := b.Scan(d, NewProduct(counts...), true, "", ones...)
	x := before[0]
	for i := 1; i < len(before)-1; i++ {
		x = b.Map(d, ir.OpSelect, ir.I64, "", is[i], before[i], x)
	}
	last := len(before) - 1
	x = b.Map(d, ir.OpSelect, ir.I64, "", is[last], before[last], x)
	return Op{Kind: Map, Operator: ir.OpAdd, Domain: d, Args: []ID{rank.Args[1], x}, Res: rank.Res, Stage: rank.Stage, Pos: rank.Pos}
}
