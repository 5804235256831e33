package simt

import (
	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// update combines a value into a table. An index outside, which a check has
// reported or which means no group, changes nothing.
func (e *rowBody) update(op *tile.Op) {
	if t := e.localTableOf(op); t != nil && t.entered != nil {
		e.updateEntered(t, op, e.b.Let("x", e.expr(op.Args[1])))
		return
	}
	bin := e.b.Let("bin", e.expr(op.Args[0]))
	x := e.b.Let("x", e.expr(op.Args[1]))
	if t := e.localTableOf(op); t != nil && t.cache != nil && t.cache.first == t.op {
		e.findSlot(t, op, bin)
	}
	if e.sharesElement(op) {
		e.updateShared(op, bin, x)
		return
	}
	e.b.If(e.inTable(op, bin), func() { e.updateAt(op, loop.ToCounter(bin), x) }, nil)
}

// inTable returns whether a table has an element at index.
func (e *function) inTable(op *tile.Op, index loop.Expr) loop.Expr {
	elements := loop.Expr(nil)
	if t := e.localTableOf(op); t != nil && t.isKnown {
		elements = loop.ConstOf(ir.Int(ir.U64, t.length))
	} else {
		elements = loop.ToKind(ir.U64, e.tableElements(op))
	}
	return loop.Lt(loop.ToKind(ir.U64, index), elements)
}

// updateAt combines a value into an element of a table.
func (e *function) updateAt(op *tile.Op, at, x loop.Expr) {
	global := func() { e.updateGlobal(op, at, x) }
	if t := e.localTableOf(op); t != nil {
		e.combineLocally(t, at, x, global)
		return
	}
	global()
}

// updateGlobal combines a value into an element of a table in global memory.
func (e *function) updateGlobal(op *tile.Op, at, x loop.Expr) {
	s := e.Streams[op.Stream]
	e.combineAt(s.Buffer, s.Kind, op.Monoid.Combine[0], at, x)
}

// combineAt combines a value into an element of a buffer, while others may do
// so, too.
func (e *function) combineAt(buffer string, kind ir.Kind, combine *tile.Expr, at, x loop.Expr) {
	kind = loop.ScalarOf(kind).Kind
	if atomic, ok := directly(kind, combine); ok {
		e.b.Atomic(atomic, e.arguments.buffer(buffer, kind, plan.ReadsWrites), at, x)
		return
	}
	e.exchange(buffer, kind, combine, at, x)
}

// directly returns the atomic operation that combines elements of a buffer, if there is one.
func directly(kind ir.Kind, combine *tile.Expr) (atomic loop.AtomicOp, ok bool) {
	kind = loop.ScalarOf(kind).Kind
	atomic, ok = loop.AtomicOf(combine.Operator)
	return atomic, ok && (kind.IsInteger() && kind.Size() >= 4 || kind.IsFloat() && combine.Operator == ir.OpAdd)
}

// exchange updates an element by compare-and-exchange of the word that holds it,
// again and again until no other work-item has changed the word in between.
func (e *function) exchange(buffer string, kind ir.Kind, combine *tile.Expr, at, x loop.Expr) {
	v := view{kind: kind, word: ir.U32, index: at}
	switch size := kind.Size(); {
	case size == 8:
		v.word = ir.U64
	case size < 4:
		in := int64(4 / size)
		v.index = e.b.Let("word", loop.Div(at, loop.Int(in)))
		place := loop.Sub(at, loop.Mul(v.index, loop.Int(in)))
		v.shift = e.b.Let("shift", loop.ToKind(ir.U32, loop.Mul(place, loop.Int(int64(8*size)))))
	}
	e.exchangeWord(e.arguments.words(buffer, v.word), v, combine, x)
}

// exchangeWord is exchange of an element in words of shared memory. What does not lessen a minimum, or change another
// element of this kind, exchanges nothing: rows of few elements would wait for each other.
func (e *function) exchangeWord(words *loop.Var, v view, combine *tile.Expr, x loop.Expr) {
	seen := e.b.Decl("seen", loop.VolatileAt(words, v.index))
	e.b.While(loop.True, func() {
		old := func(int) loop.Expr { return v.get(seen) }
		next := e.b.Let("next", v.put(seen, backends.Combine(combine, old, func(int) loop.Expr { return x })))
		if keeps(combine.Operator) {
			e.b.If(loop.Eq(next, seen), func() { e.b.Break() }, nil)
		}
		before := e.b.CompareExchange("before", words, v.index, seen, next)
		e.b.If(loop.Eq(before, seen), func() { e.b.Break() }, nil)
		e.b.Assign(seen, before)
	})
}

// keeps reports whether a combination is often one of its operands: a value that has been combined changes nothing
// the second time.
func keeps(op ir.Op) bool {
	switch op {
	case ir.OpLeast, ir.OpGreatest, ir.OpAnd, ir.OpOr, ir.OpLogicalAnd, ir.OpLogicalOr:
		return true
	}
	return false
}

// view is an element within the words of a buffer, in the byte order of
// devices: the least significant byte comes first.
type view struct {
	kind  ir.Kind
	word  ir.Kind
	index loop.Expr // of the word
	shift loop.Expr // bits before the element; nil where it fills the word
}

// get returns the element that a word holds.
func (v view) get(word loop.Expr) loop.Expr {
	switch {
	case v.kind == ir.Char8:
		return loop.FromBits(ir.Char8, swapBytes(word))
	case v.kind.IsFloat():
		return loop.FromBits(v.kind, word)
	case v.shift == nil:
		return loop.ToKind(v.kind, word)
	}
	part := loop.Apply(ir.OpAnd, loop.Apply(ir.OpShr, word, v.shift), v.mask())
	if v.kind == ir.Bool {
		return loop.Ne(part, v.number(0))
	}
	return loop.ToKind(v.kind, part)
}

// put returns the word with another element.
func (v view) put(word, x loop.Expr) loop.Expr {
	switch {
	case v.kind == ir.Char8:
		return swapBytes(loop.BitsOf(x))
	case v.kind.IsFloat():
		return loop.BitsOf(x)
	case v.shift == nil:
		return loop.ToKind(v.word, x)
	}
	part := loop.Apply(ir.OpAnd, loop.ToKind(ir.U32, x), v.mask())
	rest := loop.Apply(ir.OpAnd, word, &loop.Unary{Op: ir.OpComplement, X: loop.Apply(ir.OpShl, v.mask(), v.shift)})
	return loop.Apply(ir.OpOr, rest, loop.Apply(ir.OpShl, part, v.shift))
}

func (v view) number(n int64) loop.Expr { return loop.ConstOf(ir.Int(v.word, n)) }

func (v view) mask() loop.Expr { return v.number(1<<(8*v.kind.Size()) - 1) }

// swapBytes reverses the bytes of a u64: a char8 is a number whose first byte
// counts most.
func swapBytes(x loop.Expr) loop.Expr {
	u64 := func(n uint64) loop.Expr { return loop.ConstOf(ir.Scalar{Kind: ir.U64, Bits: n}) }
	for _, step := range []struct {
		bits uint64
		mask uint64
	}{{8, 0x00ff00ff00ff00ff}, {16, 0x0000ffff0000ffff}, {32, 0x00000000ffffffff}} {
		high := loop.Apply(ir.OpAnd, loop.Apply(ir.OpShr, x, u64(step.bits)), u64(step.mask))
		low := loop.Apply(ir.OpShl, loop.Apply(ir.OpAnd, x, u64(step.mask)), u64(step.bits))
		x = loop.Apply(ir.OpOr, high, low)
	}
	return x
}
