package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// histogram counts the values of the digits of w's keys: of those that the plan
// chooses, or of all from the lowest bit on.
func (b *kernelBuilder) histogram(s *Stage, w *Value) {
	x, radix := s.counted, int(w.IR.Shift)
	domain := b.row(x.Type.Domain)
	stream := b.Stream(w.Name, w.Type, w.Name, tile.Scatter, true)
	counters := numberOfDigits(s.turn, w.IR) << radix
	if s.turn.isWider() {
		radix = s.turn.of.other
	}
	mask := b.mask(s.turn, x.Type.Kind, radix)
	shift := b.Int(0)
	if s.turn.of != nil {
		for _, scalar := range s.turn.of.known() {
			if w := b.graph.result(scalar).Writer; b.in[w] {
				b.refuse("the plan chooses the digits that %s counts after %s", s.Name, w.Name)
			}
		}
		for other := range b.in {
			if other.turn.of != nil && other.turn.of != s.turn.of {
				b.refuse("the plan chooses the digits of each sort by itself")
			}
		}
		shift = b.Scalar(b.graph.digitShift, ir.I64)
	}
	for i := range numberOfDigits(s.turn, w.IR) {
		first, isUsed := b.Int(i<<radix), tile.ID(-1)
		switch {
		case s.turn.isTight():
			first, isUsed = b.countersBefore(b.Int(i)), b.Map(tile.Uniform, ir.OpLt, ir.Bool, "", b.Int(i), b.scalar(s.turn.of.count, false))
		case s.turn.isWider():
			first, isUsed = b.countersBefore(b.Int(i)), b.Map(tile.Uniform, ir.OpLe, ir.Bool, "", b.countersBefore(b.Int(i+1)), b.Int(counters))
		}
		if isUsed >= 0 && i > 0 { // of digits that no pass sorts by no row is counted
			domain = b.Derive(tile.Compact, domain, isUsed, "", "rows with such a digit")
		}
		at := b.Map(domain, ir.OpAdd, ir.I64, "", b.digit(domain, x, shift, mask), first)
		if s.turn.isWider() {
			at = b.Map(domain, ir.OpAnd, ir.I64, "", at, b.Int(counters-1)) // as compilers then know
		}
		b.Update(domain, stream, addition(), false, "", 0, at, b.Int(1))
		if s.turn.of != nil {
			shift = b.Map(tile.Uniform, ir.OpAdd, ir.I64, "", shift, b.Scalar(b.graph.digitWidth, ir.I64))
		} else {
			shift = b.Int((i + 1) * int64(radix))
		}
	}
}

// numberOfDigits returns how many digits v counts. If the plan chooses, there may be fewer: rows of the others have
// no counter.
func numberOfDigits(t turn, v *ir.Value) int64 {
	if t.isTight() {
		return int64(t.of.most)
	}
	return v.Args[1].Const.Int64() >> v.Shift
}

// countersBefore returns how many counters so many digits have whose width the plan chooses.
func (b *kernelBuilder) countersBefore(digits tile.ID) tile.ID {
	return b.Map(tile.Uniform, ir.OpShl, ir.I64, "", digits, b.Scalar(b.graph.digitWidth, ir.I64))
}

// mask returns the bits of a digit, whose width the plan may choose.
func (b *kernelBuilder) mask(t turn, k ir.Kind, radix int) tile.ID {
	if t.of == nil {
		return b.Const(ir.Int(k, 1<<radix-1))
	}
	one := b.Const(ir.Int(k, 1))
	above := b.Map(tile.Uniform, ir.OpShl, k, "", one, b.Scalar(b.graph.digitWidth, ir.I64))
	mask := b.Map(tile.Uniform, ir.OpSub, k, "", above, one)
	if !t.isTight() { // compilers then know that a digit has a counter
		mask = b.Map(tile.Uniform, ir.OpAnd, k, "", mask, b.Const(ir.Int(k, 1<<radix-1)))
	}
	return mask
}

// digit returns a digit of x: the bits of a mask from shift on.
func (b *kernelBuilder) digit(domain int, x *ir.Value, shift, mask tile.ID) tile.ID {
	k := x.Type.Kind
	bits := b.Map(domain, ir.OpShr, k, "", b.column(x), shift)
	bits = b.Map(domain, ir.OpAnd, k, "", bits, mask)
	return b.Map(domain, ir.OpCast, ir.I64, "digit", bits)
}

// rank returns the place of a row that is sorted by a digit of its key: how many
// rows have a lesser digit, and how many earlier rows an equal one.
func (b *kernelBuilder) rank(v *ir.Value) tile.ID {
	x, domain, radix := v.Args[0], b.row(v.Type.Domain), v.Split
	if domain != 0 {
		b.refuse("the rows of %s must be complete, to be sorted", b.graph.DomainName(v.Type.Domain))
	}
	if b.ranked != nil && b.ranked != v {
		b.refuse("rows move by one digit in a kernel")
	}
	b.ranked = v
	if len(v.Args) == 1 {
		return b.Order(b.column(x), int64(v.Split), b.graph.orderRoom)
	}
	stream := b.complete(b.graph.result(v.Args[1]), tile.Gather)
	// Which digit it is comes from the plan, so that one kernel sorts by all of them.
	number := b.Scalar(b.graph.digitNumber, ir.I64)
	shift := b.Scalar(b.graph.digitShift, ir.I64)
	t := b.graph.turns[v]
	digit := b.digit(domain, x, shift, b.mask(t, x.Type.Kind, radix))
	counted := radix
	if t.of != nil {
		counted = t.of.radix
	}
	counters := b.Map(domain, ir.OpMul, ir.I64, "", number, b.Int(1<<counted))
	if t.isTight() || t.isWider() {
		counters = b.countersBefore(number)
	}
	at := b.Map(domain, ir.OpAdd, ir.I64, "", digit, counters)
	right := b.Map(domain, ir.OpMul, ir.I64, "", number, b.lengthBefore(v.Type.Domain)) // each digit there has every row once
	lesser := b.Map(domain, ir.OpSub, ir.I64, "", b.LoadAt(domain, stream, at, false), right)
	if t.isTight() {
		return b.Rank(digit, lesser, 1<<radix, b.countersBefore(b.Int(1)))
	}
	if v.AnyOrder {
		return b.RankInAnyOrder(digit, lesser, 1<<radix)
	}
	return b.Rank(digit, lesser, 1<<radix)
}

// oneTurn refuses stages beside those that the plan may leave out.
func (b *kernelBuilder) oneTurn(stages []*Stage) {
	for _, s := range stages {
		if s.turn.ifChosen() != stages[0].turn.ifChosen() {
			b.refuse("the plan may leave out %s and still run %s, or the other way around", s.Name, stages[0].Name)
		}
	}
}

// movesOnly refuses operations that see more than their own row beside one that
// moves rows: schemes hand the rows of a tile out in the order of their digits.
func (b *kernelBuilder) movesOnly(k *tile.Kernel) {
	if b.ranked == nil {
		return
	}
	others := func(op *tile.Op) bool { return !op.Counts() && op.Traits().Asks.Refuse(tile.Neighbours) != "" }
	for _, op := range k.With(others) {
		b.refuse("%s sees other rows than its own, and the rows of %s move here", op.Stage, b.graph.DomainName(b.ranked.Type.Domain))
	}
}

// scatter moves the rows of w's argument to their places, on the way of a stage.
func (b *kernelBuilder) scatter(s *Stage, w *Value) {
	if w.IR.Op == ir.OpPack {
		b.pack(w)
		return
	}
	x := w.IR.Args[slices.Index(w.IR.Args, s.place)-1]
	rows := b.row(x.Type.Domain)
	if rows != 0 {
		b.refuse("the rows of %s must be complete, to be moved", b.graph.DomainName(x.Type.Domain))
	}
	b.known(w.Domain)
	if s.turn.part == noPass && w.IR.Limit == nil {
		b.Store(b.Stream(w.Name, w.Type, w.Name, tile.Element, true), b.column(x))
		return
	}
	to, from := b.column(s.place), b.column(x)
	if w.IR.Limit != nil {
		kept := b.Map(rows, ir.OpLt, ir.Bool, "", to, b.lengthBefore(w.Domain))
		rows = b.Derive(tile.Compact, rows, kept, "", "rows of "+w.Name)
	}
	b.StoreAt(rows, b.Stream(w.Name, w.Type, w.Name, tile.Permute, true), from, to)
}

// pack stores the words of each row side by side, at its place if it moves.
func (b *kernelBuilder) pack(w *Value) {
	for s := range b.in {
		if s.Kind == Histogram || s.Kind == Reduce {
			b.refuse("words are stored row by row, not by few work-groups that walk over the rows as %s has them", s.Name)
		}
	}
	from := w.IR.Args[0].Type.Domain
	rows, row := b.row(from), tile.ID(0)
	if w.IR.By == nil {
		row = b.place(from)
	} else {
		row = b.column(w.IR.By)
	}
	stream := b.Stream(w.Name, w.Type, w.Name, tile.Permute, true)
	b.Kernel.Streams[stream].Long = true
	for i, x := range w.IR.Args {
		b.StoreWord(rows, stream, w.Domain.Width, i, b.column(x), row)
	}
}

// rowCount returns the length of an order with a limit: 0 where that is negative.
func (b *kernelBuilder) rowCount(v *ir.Value, after bool) tile.ID {
	moved := v
	for moved.Op == ir.OpEither { // either way has the same rows
		moved = moved.Args[0]
	}
	limit := b.scalar(moved.Limit, after)
	if k := moved.Limit.Type.Kind; k == ir.U64 {
		limit = b.Map(tile.Uniform, ir.OpCast, ir.I64, "", b.Map(tile.Uniform, ir.OpLeast, k, "", limit, b.Const(ir.Int(k, 1<<62))))
	} else if k != ir.I64 {
		limit = b.Map(tile.Uniform, ir.OpCast, ir.I64, "", limit)
	}
	length := b.lengthBefore
	if after {
		length = b.lengthAfter
	}
	return b.Map(tile.Uniform, ir.OpLeast, ir.I64, "", b.notNegative(limit, v, ir.CheckLimit), length(rowsOrdered(moved)))
}
