package loop

import (
	"fmt"

	"github.com/kgen-go/kgen/ir"
)

// The constructors omit operations without effect (x+0, a cast to the same
// type, a logical operator with a literal), so that lowering need not look for
// them and printed text stays simple.

// Int returns a literal counter.
func Int(i int64) *Const { return &Const{ir.Int(ir.I64, i), true} }

// ConstOf returns a literal.
func ConstOf(s ir.Scalar) *Const {
	s.Kind = s.Kind.Stored()
	return &Const{Value: s}
}

// True and False are the literals of bool.
var (
	True  = ConstOf(ir.BoolScalar(true))
	False = ConstOf(ir.BoolScalar(false))
)

// Apply applies an element-wise operator of the language to its operands;
// ir.OpCast is [To].
func Apply(op ir.Op, args ...Expr) Expr {
	switch {
	case op == ir.OpSelect:
		return Choose(args[0], args[1], args[2])
	case op.IsComparison():
		return compare(op, args[0], args[1])
	case len(args) == 1:
		return unary(op, args[0])
	case len(args) == 2:
		return binary(op, args[0], args[1])
	}
	panic(fmt.Sprintf("loop: operator %d of %d operands", op, len(args)))
}

func unary(op ir.Op, x Expr) Expr {
	switch {
	case op == ir.OpNot:
		return Not(x)
	case op == ir.OpBits:
		return BitsOf(x)
	case op == ir.OpOfBits:
		return FromBits(ir.F64, x)
	case op == ir.OpAbs && x.Type().Kind.IsUnsigned():
		return x
	}
	return &Unary{op, x}
}

func binary(op ir.Op, x, y Expr) Expr {
	integer := x.Type().Kind.IsInteger()
	switch {
	case op == ir.OpAdd && integer && isInt(x, 0):
		return y
	case (op == ir.OpAdd || op == ir.OpSub) && integer && isInt(y, 0):
		return x
	case op == ir.OpMul && integer && isInt(x, 1):
		return y
	case op == ir.OpMul && integer && isInt(y, 1):
		return x
	case op == ir.OpLogicalAnd && isBool(x, true), op == ir.OpLogicalOr && isBool(x, false):
		return y
	case op == ir.OpLogicalAnd && isBool(y, true), op == ir.OpLogicalOr && isBool(y, false):
		return x
	case op == ir.OpLogicalAnd && isBool(x, false), op == ir.OpLogicalOr && isBool(x, true):
		return x
	case op == ir.OpLogicalAnd && isBool(y, false), op == ir.OpLogicalOr && isBool(y, true):
		return y
	}
	if a, ok := x.(*Const); ok && a.Counter {
		if b, ok := y.(*Const); ok {
			switch op {
			case ir.OpAdd:
				return Int(a.Value.Int64() + b.Value.Int64())
			case ir.OpSub:
				return Int(a.Value.Int64() - b.Value.Int64())
			case ir.OpMul:
				return Int(a.Value.Int64() * b.Value.Int64())
			}
		}
	}
	return &Binary{op, x, y}
}

// compare folds comparisons of an integer with a limit of its type that are
// always true or false, and the equality of two constant counts.
func compare(op ir.Op, x, y Expr) Expr {
	if a, ok := x.(*Const); ok && a.Counter && op == ir.OpEq {
		if b, ok := y.(*Const); ok {
			if a.Value == b.Value {
				return True
			}
			return False
		}
	}
	if c, ok := y.(*Const); ok && c.Value.Kind.IsInteger() && !hasEffects(x) {
		low, high := limits(c.Value.Kind)
		switch {
		case op == ir.OpLt && c.Value.Bits == low.Bits, op == ir.OpGt && c.Value.Bits == high.Bits:
			return False
		case op == ir.OpGe && c.Value.Bits == low.Bits, op == ir.OpLe && c.Value.Bits == high.Bits:
			return True
		}
	}
	return &Compare{Op: op, X: x, Y: y}
}

// limits returns the least and greatest value of an integer kind.
func limits(k ir.Kind) (low, high ir.Scalar) {
	bits := k.Size() * 8
	if k.IsUnsigned() {
		return ir.Int(k, 0), ir.Int(k, -1)
	}
	return ir.Int(k, -1<<(bits-1)), ir.Int(k, 1<<(bits-1)-1)
}

func isInt(x Expr, i int64) bool {
	c, ok := x.(*Const)
	return ok && c.Value.Kind.IsInteger() && c.Value.Int64() == i
}

func isBool(x Expr, b bool) bool {
	c, ok := x.(*Const)
	return ok && c.Value.Kind == ir.Bool && c.Value.IsTrue() == b
}

// Add returns x + y.
func Add(x, y Expr) Expr { return binary(ir.OpAdd, x, y) }

// Sub returns x - y.
func Sub(x, y Expr) Expr { return binary(ir.OpSub, x, y) }

// Mul returns x * y.
func Mul(x, y Expr) Expr { return binary(ir.OpMul, x, y) }

// Div returns x / y; an integer y is not zero.
func Div(x, y Expr) Expr { return binary(ir.OpDiv, x, y) }

// And returns x && y.
func And(x, y Expr) Expr { return binary(ir.OpLogicalAnd, x, y) }

// Or returns x || y.
func Or(x, y Expr) Expr { return binary(ir.OpLogicalOr, x, y) }

// Least returns the smaller of x and y: NaN if one is, and -0.0 < 0.0.
func Least(x, y Expr) Expr { return binary(ir.OpLeast, x, y) }

// Greatest returns the greater of x and y: NaN if one is, and -0.0 < 0.0.
func Greatest(x, y Expr) Expr { return binary(ir.OpGreatest, x, y) }

// Not returns !x. Comparisons that have an opposite take it.
func Not(x Expr) Expr {
	switch x := x.(type) {
	case *Const:
		return ConstOf(ir.BoolScalar(!x.Value.IsTrue()))
	case *Unary:
		if x.Op == ir.OpNot {
			return x.X
		}
	case *Compare:
		// With NaN, the opposite of < is not >=, unless they compare as keys.
		if x.Op == ir.OpEq || x.Op == ir.OpNe || x.Key || !x.X.Type().Kind.IsFloat() {
			return &Compare{opposite[x.Op], x.Key, x.X, x.Y}
		}
	}
	return &Unary{ir.OpNot, x}
}

var opposite = map[ir.Op]ir.Op{ir.OpEq: ir.OpNe, ir.OpNe: ir.OpEq,
	ir.OpLt: ir.OpGe, ir.OpGe: ir.OpLt, ir.OpGt: ir.OpLe, ir.OpLe: ir.OpGt}

// Eq returns x == y.
func Eq(x, y Expr) Expr { return compare(ir.OpEq, x, y) }

// Ne returns x != y.
func Ne(x, y Expr) Expr { return compare(ir.OpNe, x, y) }

// Lt returns x < y.
func Lt(x, y Expr) Expr { return compare(ir.OpLt, x, y) }

// Le returns x <= y.
func Le(x, y Expr) Expr { return compare(ir.OpLe, x, y) }

// Gt returns x > y.
func Gt(x, y Expr) Expr { return compare(ir.OpGt, x, y) }

// Ge returns x >= y.
func Ge(x, y Expr) Expr { return compare(ir.OpGe, x, y) }

// KeyEq reports whether x and y are equal as keys.
func KeyEq(x, y Expr) Expr { return &Compare{ir.OpEq, true, x, y} }

// KeyNe reports whether x and y differ as keys.
func KeyNe(x, y Expr) Expr { return &Compare{ir.OpNe, true, x, y} }

// KeyLt reports whether x comes before y in the total order of keys.
func KeyLt(x, y Expr) Expr { return &Compare{ir.OpLt, true, x, y} }

// Choose returns then if cond holds, else otherwise.
func Choose(cond, then, otherwise Expr) Expr {
	switch {
	case isBool(cond, true):
		return then
	case isBool(cond, false):
		return otherwise
	}
	return &Select{cond, then, otherwise}
}

// To casts x to the scalar type t.
func To(t Type, x Expr) Expr {
	if x.Type() == t {
		return x
	}
	if c, ok := x.(*Cast); ok && !c.Bits && c.To.Kind == ir.I64 && t.Kind == ir.I64 && c.X.Type().Kind == ir.I64 {
		return To(t, c.X) // between counters and i64 nothing changes
	}
	if c, ok := x.(*Const); ok && t.Kind.IsInteger() && c.Value.Kind.IsInteger() {
		return &Const{ir.Int(t.Kind, c.Value.Int64()), t.Counter}
	}
	return &Cast{To: t, X: x}
}

// BitsOf returns the bits of a float or char8 as an unsigned integer.
func BitsOf(x Expr) Expr {
	if c, ok := x.(*Const); ok && c.Value.Kind == ir.Char8 {
		return ConstOf(ir.Scalar{Kind: ir.U64, Bits: c.Value.Bits})
	}
	if x.Type().Kind == ir.F32 {
		return &Cast{ScalarOf(ir.U32), x, true}
	}
	return &Cast{ScalarOf(ir.U64), x, true}
}

// FromBits returns the float or char8 of kind k that has the bits x, an
// unsigned integer of its width.
func FromBits(k ir.Kind, x Expr) Expr { return &Cast{ScalarOf(k), x, true} }

// ToKind casts x to kind k.
func ToKind(k ir.Kind, x Expr) Expr { return To(ScalarOf(k), x) }

// ToCounter casts x to a counter.
func ToCounter(x Expr) Expr { return To(Counter, x) }

// At returns m[i].
func At(m *Var, i Expr) Expr { return &Load{Memory: m, Index: i} }

// VolatileAt returns m[i] as memory has it now.
func VolatileAt(m *Var, i Expr) Expr { return &Load{m, i, true} }

// Inside reports whether memory of a length has an element at index. Compared as
// unsigned numbers, a negative index is outside.
func Inside(index, length Expr) Expr {
	if kind := index.Type().Kind; kind.IsUnsigned() && kind == length.Type().Kind {
		return Lt(index, length)
	}
	return Lt(ToKind(ir.U64, index), ToKind(ir.U64, length))
}

// LenOf returns the length of the slice m.
func LenOf(m *Var) Expr { return &Len{m} }

// CallOf returns a call of callee, which has one result.
func CallOf(callee *Signature, args ...Expr) Expr { return &Call{callee, args} }
