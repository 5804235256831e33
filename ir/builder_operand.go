package ir

// Infix and prefix operators as methods of their first operand, which is a
// value of the pipeline; the second may be a Go constant.

// Add returns x + y.
func (x Operand) Add(y any) Operand { return x.infix(OpAdd, y) }

// Sub returns x - y.
func (x Operand) Sub(y any) Operand { return x.infix(OpSub, y) }

// Mul returns x * y.
func (x Operand) Mul(y any) Operand { return x.infix(OpMul, y) }

// Div returns x / y.
func (x Operand) Div(y any) Operand { return x.infix(OpDiv, y) }

// Rem returns x % y.
func (x Operand) Rem(y any) Operand { return x.infix(OpRem, y) }

// Shl returns x << y.
func (x Operand) Shl(y any) Operand { return x.infix(OpShl, y) }

// Shr returns x >> y.
func (x Operand) Shr(y any) Operand { return x.infix(OpShr, y) }

// BitAnd returns x & y.
func (x Operand) BitAnd(y any) Operand { return x.infix(OpAnd, y) }

// BitOr returns x | y.
func (x Operand) BitOr(y any) Operand { return x.infix(OpOr, y) }

// BitXor returns x ^ y.
func (x Operand) BitXor(y any) Operand { return x.infix(OpXor, y) }

// BitAndNot returns x &^ y.
func (x Operand) BitAndNot(y any) Operand { return x.infix(OpAndNot, y) }

// Eq returns x == y.
func (x Operand) Eq(y any) Operand { return x.infix(OpEq, y) }

// Ne returns x != y.
func (x Operand) Ne(y any) Operand { return x.infix(OpNe, y) }

// Lt returns x < y.
func (x Operand) Lt(y any) Operand { return x.infix(OpLt, y) }

// Le returns x <= y.
func (x Operand) Le(y any) Operand { return x.infix(OpLe, y) }

// Gt returns x > y.
func (x Operand) Gt(y any) Operand { return x.infix(OpGt, y) }

// Ge returns x >= y.
func (x Operand) Ge(y any) Operand { return x.infix(OpGe, y) }

// And returns x && y.
func (x Operand) And(y any) Operand { return x.infix(OpLogicalAnd, y) }

// Or returns x || y.
func (x Operand) Or(y any) Operand { return x.infix(OpLogicalOr, y) }

// Not returns !x.
func (x Operand) Not() Operand { return x.prefix(OpNot) }

// Neg returns -x.
func (x Operand) Neg() Operand { return x.prefix(OpNeg) }

// BitNot returns ^x.
func (x Operand) BitNot() Operand { return x.prefix(OpComplement) }

// At returns x[i]: a compaction if i is a bool, else a gather.
func (x Operand) At(i any) Operand {
	if x.b == nil || !x.b.isOpen() { // reported where a builder meets it
		return x
	}
	return x.b.At(x, i)
}

// As returns x with a label, for [Builder.Return].
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
