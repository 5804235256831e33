package fuse

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// histogram counts the values of the digits of w's keys.
func (b *kernelBuilder) histogram(w *Value) {
	x, radix := w.IR.Args[0], int(w.IR.Shift)
	domain := b.row(x.Type.Domain)
	stream := b.Stream(w.Name, w.Type, w.Name, tile.Scatter, true)
	for first := int64(0); first < w.IR.Args[1].Const.Int64(); first += 1 << radix {
		at := b.digit(domain, x, b.Int(first>>radix*int64(radix)), radix)
		b.Update(domain, stream, addition(), false, b.Map(domain, ir.OpAdd, ir.I64, "", at, b.Int(first)), b.Int(1))
	}
}

// digit returns a digit of x: the bits from shift on.
func (b *kernelBuilder) digit(domain int, x *ir.Value, shift tile.ID, radix int) tile.ID {
	k := x.Type.Kind
	bits := b.Map(domain, ir.OpShr, k, "", b.column(x), shift)
	bits = b.Map(domain, ir.OpAnd, k, "", bits, b.Const(ir.Int(k, 1<<radix-1)))
	return b.Map(domain, ir.OpCast, ir.I64, "digit", bits)
}

// rank returns the place of a row that is sorted by a digit of its key: how many
// rows have a lesser digit, and how many earlier rows an equal one.
func (b *kernelBuilder) rank(v *ir.Value) tile.ID {
	x, before := v.Args[0], v.Args[1]
	domain, radix := b.row(v.Type.Domain), v.Split
	if domain != 0 {
		b.refuse("the rows of %s must be complete, to be sorted", b.graph.DomainName(v.Type.Domain))
	}
	if b.ranked != nil && b.ranked != v {
		b.refuse("rows move by one digit in a kernel")
	}
	b.ranked = v
	stream := b.complete(b.graph.result(before), tile.Gather)
	// Which digit it is comes from the plan, so that one kernel sorts by all of them.
	number := b.Scalar(b.graph.digitNumber, ir.I64)
	digit := b.digit(domain, x, b.Scalar(b.graph.digitShift, ir.I64), radix)
	at := b.Map(domain, ir.OpAdd, ir.I64, "", digit, b.Map(domain, ir.OpMul, ir.I64, "", number, b.Int(1<<radix)))
	right := b.Map(domain, ir.OpMul, ir.I64, "", number, b.lengthBefore(v.Type.Domain)) // each digit there has every row once
	lesser := b.Map(domain, ir.OpSub, ir.I64, "", b.LoadAt(domain, stream, at, false), right)
	return b.Rank(digit, lesser, 1<<radix)
}

// movesOnly refuses operations that see more than their own row beside one that
// moves rows: schemes hand the rows of a tile out in the order of their digits.
// A pass that the plan may leave out has a kernel of its own.
func (b *kernelBuilder) movesOnly(k *tile.Kernel, stages []*Stage) {
	if b.ranked == nil {
		return
	}
	if b.ranked.Limit != nil && !isLastPass(b.ranked) {
		for _, s := range stages {
			if s.Kind != Pass || s.roots[0].Args[1] != b.ranked {
				b.refuse("%s always runs, and the plan may leave out this pass over %s", s.Name, b.graph.DomainName(b.ranked.Type.Domain))
			}
		}
	}
	others := func(op *tile.Op) bool { return !op.Counts() && op.Traits().Asks.Refuse(tile.Neighbours) != "" }
	for _, op := range k.With(others) {
		b.refuse("%s sees other rows than its own, and the rows of %s move here", op.Stage, b.graph.DomainName(b.ranked.Type.Domain))
	}
}

// scatter moves the rows of w's argument to their places.
func (b *kernelBuilder) scatter(w *Value) {
	x, place := w.IR.Args[0], w.IR.Args[1]
	rows := b.row(x.Type.Domain)
	if rows != 0 {
		b.refuse("the rows of %s must be complete, to be moved", b.graph.DomainName(x.Type.Domain))
	}
	b.known(w.Domain)
	to, from := b.column(place), b.column(x)
	if w.IR.Limit != nil {
		kept := b.Map(rows, ir.OpLt, ir.Bool, "", to, b.lengthBefore(w.Domain))
		rows = b.Derive(tile.Compact, rows, kept, "", "rows of "+w.Name)
	}
	b.StoreAt(rows, b.Stream(w.Name, w.Type, w.Name, tile.Permute, true), from, to)
}

// rowCount returns the length of an order with a limit: 0 where that is negative.
func (b *kernelBuilder) rowCount(v *ir.Value, after bool) tile.ID {
	limit := b.scalar(v.Limit, after)
	if k := v.Limit.Type.Kind; k == ir.U64 {
		limit = b.Map(tile.Uniform, ir.OpCast, ir.I64, "", b.Map(tile.Uniform, ir.OpLeast, k, "", limit, b.Const(ir.Int(k, 1<<62))))
	} else if k != ir.I64 {
		limit = b.Map(tile.Uniform, ir.OpCast, ir.I64, "", limit)
	}
	length := b.lengthBefore
	if after {
		length = b.lengthAfter
	}
	return b.Map(tile.Uniform, ir.OpLeast, ir.I64, "", b.notNegative(limit, v, ir.CheckLimit), length(v.Args[0].Type.Domain))
}
