package simt

import (
	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// An elementForm is how an element of a table is held in local memory.
type elementForm interface {
	// words returns how many words of 32 bits each copy takes, and how many the
	// element takes once, however many copies there are.
	words() (copied, single int)
	// isCount reports whether rows add 1 at most.
	isCount() bool
	// begin stores the identity in the element's words.
	begin(v elementView)
	// combine combines x into the element.
	combine(v elementView, x loop.Expr)
	// value returns the combination of the copies.
	value(v elementView) loop.Expr
}

// elementView is an element of a table in local memory.
type elementView struct {
	*function
	table  *localTable
	bin    loop.Expr
	copies loop.Expr // of each element
	copy   loop.Expr // the one that this work-item uses first
}

// formOf returns the form of an operation's elements.
func formOf(t *tile.Kernel, op *tile.Op) elementForm {
	_, isIndicator := t.Indicator(op.Args[1])
	return formFor(op.Monoid, t.Streams[op.Stream].Kind, isIndicator || t.IsConst(op.Args[1], 1))
}

// formFor returns the form of elements of a kind that a monoid combines; isCount tells whether rows add 1 at most.
func formFor(m *tile.Monoid, of ir.Kind, isCount bool) elementForm {
	kind, combine := loop.ScalarOf(of).Kind, m.Combine[0]
	_, isAtomic := wordAtomics[combine.Operator]
	switch {
	case combine.Operator == ir.OpAdd && kind.IsInteger() && isCount:
		return countForm{kind}
	case combine.Operator == ir.OpAdd && kind.IsInteger() && kind.Size() == 8:
		return sumForm{kind}
	case isAtomic && (kind.IsInteger() || kind == ir.Bool) && kind.Size() <= 4:
		return wordForm{kind, m}
	}
	return exchangedForm{kind, m}
}

// word returns the memory of a table's words and the place of one in it.
func (v elementView) word(kind ir.Kind, copy loop.Expr) (words *loop.Var, at loop.Expr) {
	first := v.table.at * 4 / int64(kind.Size())
	return v.place(kind, loop.Add(loop.Int(first), loop.Add(loop.Mul(v.bin, v.copies), copy)))
}

// place returns the words of a kind that the table is made of, and the place of one of them.
func (v elementView) place(kind ir.Kind, at loop.Expr) (words *loop.Var, place loop.Expr) {
	if v.own != nil && v.table.entered != nil {
		return v.own.place(kind, at)
	}
	return v.localTables.words[kind], at
}

// single returns the place of the word of 32 bits that the element has once.
func (v elementView) single() (words *loop.Var, at loop.Expr) {
	copied, _ := v.table.form.words()
	first := v.table.at + aligned16(v.table.elements*v.table.copies*int64(copied))
	return v.place(ir.U32, loop.Add(loop.Int(first), v.bin))
}

// eachCopy calls body for each copy of the element, for the work-item's own first:
// neighbouring work-items then read different banks.
func (v elementView) eachCopy(body func(copy loop.Expr)) {
	if c, ok := v.copies.(*loop.Const); ok && c.Value.Int64() == 1 {
		body(loop.Int(0))
		return
	}
	v.b.For("copy", loop.Int(0), v.copies, func(i *loop.Var) {
		body(v.b.Let("at", loop.Apply(ir.OpAnd, loop.Add(i, v.copy), loop.Sub(v.copies, loop.Int(1)))))
	})
}

// countForm is a count of rows: a launch has fewer than 2^31.
type countForm struct{ kind ir.Kind }

func (countForm) words() (copied, single int) { return 1, 0 }

func (countForm) isCount() bool { return true }

func (countForm) begin(v elementView) { v.storeAll(ir.U32, number(ir.U32, 0)) }

// storeAll stores a word in each copy of the element.
func (v elementView) storeAll(kind ir.Kind, x loop.Expr) {
	v.eachCopy(func(copy loop.Expr) {
		words, at := v.word(kind, copy)
		v.b.Store(words, at, x)
	})
}

func (countForm) combine(v elementView, x loop.Expr) {
	words, at := v.word(ir.U32, v.copy)
	if c, ok := x.(*loop.Const); ok && c.Value.Bits == 1 {
		v.b.Atomic(loop.AtomicAdd, words, at, number(ir.U32, 1))
		return
	}
	v.b.If(loop.Ne(x, loop.ConstOf(ir.Int(x.Type().Kind, 0))), func() { v.b.Atomic(loop.AtomicAdd, words, at, number(ir.U32, 1)) }, nil)
}

func (f countForm) value(v elementView) loop.Expr {
	sum := v.b.Decl("count", number(ir.U32, 0))
	v.eachCopy(func(copy loop.Expr) {
		words, at := v.word(ir.U32, copy)
		v.b.Assign(sum, loop.Add(sum, loop.At(words, at)))
	})
	return loop.ToKind(f.kind, sum)
}

// sumForm is a sum of 64 bits where no atomic has that many: the low words of the
// copies are signed numbers, and the high word changes only if one of them
// overflows.
type sumForm struct{ kind ir.Kind }

func (sumForm) words() (copied, single int) { return 1, 1 }

func (sumForm) isCount() bool { return false }

func (sumForm) begin(v elementView) {
	v.storeAll(ir.U32, number(ir.U32, 0))
	high, at := v.single()
	v.b.Store(high, at, number(ir.U32, 0))
}

func (sumForm) combine(v elementView, x loop.Expr) {
	x = v.b.Let("x", loop.ToKind(ir.I64, x))
	low := v.b.Let("low", loop.ToKind(ir.U32, x))
	rest := loop.Sub(x, loop.ToKind(ir.I64, loop.ToKind(ir.I32, low)))
	words, at := v.word(ir.U32, v.copy)
	old := v.b.AtomicOld("old", loop.AtomicAdd, words, at, low)
	sum := v.b.Let("sum", loop.Add(old, low))
	changed := loop.Apply(ir.OpAnd, loop.Apply(ir.OpXor, old, sum), loop.Apply(ir.OpXor, low, sum))
	carry := loop.Choose(loop.Lt(loop.ToKind(ir.I32, low), number(ir.I32, 0)), number(ir.U32, 1<<32-1), number(ir.U32, 1))
	carry = loop.Choose(loop.Lt(loop.ToKind(ir.I32, changed), number(ir.I32, 0)), carry, number(ir.U32, 0))
	more := v.b.Let("more", loop.Add(loop.ToKind(ir.U32, loop.Apply(ir.OpShr, rest, loop.ConstOf(ir.Int(ir.I64, 32)))), carry))
	v.b.If(loop.Ne(more, number(ir.U32, 0)), func() {
		high, at := v.single()
		v.b.Atomic(loop.AtomicAdd, high, at, more)
	}, nil)
}

func (f sumForm) value(v elementView) loop.Expr {
	high, at := v.single()
	wide := loop.ToKind(ir.I64, loop.ToKind(ir.U64, loop.At(high, at)))
	sum := v.b.Decl("sum", loop.Apply(ir.OpShl, wide, loop.ConstOf(ir.Int(ir.I64, 32))))
	v.eachCopy(func(copy loop.Expr) {
		words, at := v.word(ir.U32, copy)
		v.b.Assign(sum, loop.Add(sum, loop.ToKind(ir.I64, loop.ToKind(ir.I32, loop.At(words, at)))))
	})
	return loop.ToKind(f.kind, sum)
}

// wordAtomics are the operations of a wordForm.
var wordAtomics = map[ir.Op]loop.AtomicOp{ir.OpLeast: loop.AtomicMin, ir.OpGreatest: loop.AtomicMax,
	ir.OpLogicalAnd: loop.AtomicAnd, ir.OpLogicalOr: loop.AtomicOr}

// wordForm is an element of at most 32 bits that an atomic operation combines.
// Signed numbers have their sign bit changed, so that they compare as words do.
type wordForm struct {
	kind   ir.Kind
	monoid *tile.Monoid
}

func (wordForm) words() (copied, single int) { return 1, 0 }

func (wordForm) isCount() bool { return false }

// encode returns an element as a word, and decode what it returned.
func (f wordForm) encode(x loop.Expr) loop.Expr {
	if f.kind.IsUnsigned() || f.kind == ir.Bool {
		return loop.ToKind(ir.U32, x)
	}
	return loop.Apply(ir.OpXor, loop.ToKind(ir.U32, loop.ToKind(ir.I32, x)), number(ir.U32, f.bias()))
}

func (f wordForm) decode(word loop.Expr) loop.Expr {
	switch {
	case f.kind == ir.Bool:
		return loop.Ne(word, number(ir.U32, 0))
	case f.kind.IsUnsigned():
		return loop.ToKind(f.kind, word)
	}
	return loop.ToKind(f.kind, loop.ToKind(ir.I32, loop.Apply(ir.OpXor, word, number(ir.U32, f.bias()))))
}

// bias changes the sign bit where the order of numbers counts.
func (f wordForm) bias() int64 {
	switch f.monoid.Combine[0].Operator {
	case ir.OpLeast, ir.OpGreatest:
		return 1 << 31
	}
	return 0
}

func (f wordForm) begin(v elementView) {
	v.storeAll(ir.U32, f.encode(loop.ConstOf(f.monoid.Identity[0])))
}

func (f wordForm) combine(v elementView, x loop.Expr) {
	words, at := v.word(ir.U32, v.copy)
	v.b.Atomic(wordAtomics[f.monoid.Combine[0].Operator], words, at, f.encode(x))
}

func (f wordForm) value(v elementView) loop.Expr {
	return v.combined(ir.U32, f.kind, f.monoid, f.decode)
}

// combined combines the copies of the element.
func (v elementView) combined(word, kind ir.Kind, m *tile.Monoid, decode func(word loop.Expr) loop.Expr) loop.Expr {
	all := v.b.Decl("all", loop.ConstOf(m.Identity[0]))
	v.eachCopy(func(copy loop.Expr) {
		words, at := v.word(word, copy)
		one := v.b.Let("one", decode(loop.At(words, at)))
		v.b.Assign(all, backends.Combine(m.Combine[0], func(int) loop.Expr { return all }, func(int) loop.Expr { return one }))
	})
	return all
}

// exchangedForm is an element that has no atomic operation: a word is exchanged if
// it is still what the work-item has seen.
type exchangedForm struct {
	kind   ir.Kind
	monoid *tile.Monoid
}

func (f exchangedForm) words() (copied, single int) { return f.view(nil).word.Size() / 4, 0 }

func (exchangedForm) isCount() bool { return false }

// view is the element as a word of its own.
func (f exchangedForm) view(at loop.Expr) view {
	if f.kind.Size() == 8 {
		return view{kind: f.kind, word: ir.U64, index: at}
	}
	return view{kind: f.kind, word: ir.U32, index: at}
}

func (f exchangedForm) begin(v elementView) {
	as := f.view(nil)
	v.storeAll(as.word, as.put(nil, loop.ConstOf(f.monoid.Identity[0])))
}

func (f exchangedForm) combine(v elementView, x loop.Expr) {
	words, at := v.word(f.view(nil).word, v.copy)
	v.exchangeWord(words, f.view(v.b.Let("word", at)), f.monoid.Combine[0], x)
}

func (f exchangedForm) value(v elementView) loop.Expr {
	as := f.view(nil)
	return v.combined(as.word, f.kind, f.monoid, as.get)
}
