package ir

// Infix and prefix operators as methods of their first operand, which is a
// value of the pipeline; the second may be a Go constant.

// Add is x + y.
func (x Operand) Add(y any) Operand { return x.infix(OpAdd, y) }

// Sub is x - y.
func (x Operand) Sub(y any) Operand { return x.infix(OpSub, y) }

// Mul is x * y.
func (x Operand) Mul(y any) Operand { return x.infix(OpMul, y) }

// Div is x / y.
func (x Operand) Div(y any) Operand { return x.infix(OpDiv, y) }

// Rem is x % y.
func (x Operand) Rem(y any) Operand { return x.infix(OpRem, y) }

// Shl is x << y.
func (x Operand) Shl(y any) Operand { return x.infix(OpShl, y) }

// Shr is x >> y.
func (x Operand) Shr(y any) Operand { return x.infix(OpShr, y) }

// BitAnd is x & y.
func (x Operand) BitAnd(y any) Operand { return x.infix(OpAnd, y) }

// BitOr is x | y.
func (x Operand) BitOr(y any) Operand { return x.infix(OpOr, y) }

// BitXor is x ^ y.
func (x Operand) BitXor(y any) Operand { return x.infix(OpXor, y) }

// BitAndNot is x &^ y.
func (x Operand) BitAndNot(y any) Operand { return x.infix(OpAndNot, y) }

// Eq is x == y.
func (x Operand) Eq(y any) Operand { return x.infix(OpEq, y) }

// Ne is x != y.
func (x Operand) Ne(y any) Operand { return x.infix(OpNe, y) }

// Lt is x < y.
func (x Operand) Lt(y any) Operand { return x.infix(OpLt, y) }

// Le is x <= y.
func (x Operand) Le(y any) Operand { return x.infix(OpLe, y) }

// Gt is x > y.
func (x Operand) Gt(y any) Operand { return x.infix(OpGt, y) }

// Ge is x >= y.
func (x Operand) Ge(y any) Operand { return x.infix(OpGe, y) }

// And is x && y.
func (x Operand) And(y any) Operand { return x.infix(OpLogicalAnd, y) }

// Or is x || y.
func (x Operand) Or(y any) Operand { return x.infix(OpLogicalOr, y) }

// Not is !x.
func (x Operand) Not() Operand { return x.prefix(OpNot) }

// Neg is -x.
func (x Operand) Neg() Operand { return x.prefix(OpNeg) }

// BitNot is ^x.
func (x Operand) BitNot() Operand { return x.prefix(OpComplement) }

// At is x[i]: compaction where i is a bool, else a gather.
func (x Operand) At(i any) Operand {
	if x.b == nil || !x.b.isOpen() { // reported where a builder meets it
		return x
	}
	return x.b.At(x, i)
}

// As is x under a label, for [Builder.Return].
func (x Operand) As(label string) LabelledResult { return As(label, x) }

func (x Operand) infix(op Op, y any) Operand {
	if x.b == nil || !x.b.isOpen() { // reported where a builder meets it
		return x
	}
	pos := x.b.here()
	return x.b.wrap(x.b.g.binary(pos, op, x.b.operand(pos, x), x.b.operand(pos, y)))
}

func (x Operand) prefix(op Op) Operand {
	if x.b == nil || !x.b.isOpen() { // reported where a builder meets it
		return x
	}
	pos := x.b.here()
	return x.b.wrap(x.b.g.unary(pos, op, x.b.operand(pos, x)))
}
