package tile

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// NewRowOfExtreme returns the monoid of the least or the greatest element, by
// ReduceMin or ReduceMax, and of the first row that holds it: fields min or max, and
// row, which is -1 of no rows.
func NewRowOfExtreme(op ir.ReduceOp, k ir.Kind) *Monoid {
	absent := apply(ir.OpLt, ir.Bool, field(A, 1, ir.I64), constant(ir.Int(ir.I64, 0)))
	later := outranks(op, k, absent)
	pick := func(index int, k ir.Kind) *Expr {
		return apply(ir.OpSelect, k, later, field(B, index, k), field(A, index, k))
	}
	return &Monoid{Kind: Ordered, Fields: []Field{{Name: op.String(), Kind: k}, {Name: "row", Kind: ir.I64}},
		Identity: []ir.Scalar{Identity(op, k), ir.Int(ir.I64, -1)}, Combine: []*Expr{pick(0, k), pick(1, ir.I64)}}
}

// IsRowOfExtreme reports whether m is a monoid of [NewRowOfExtreme]. States combine in any order if that
// of the lesser row is the earlier one.
func (m *Monoid) IsRowOfExtreme() bool {
	return m.Kind == Ordered && len(m.Fields) == 2 && m.Identity[1] == ir.Int(ir.I64, -1) && m.Combine[1].Args[0] == m.Combine[0].Args[0]
}

// Outranks returns whether the element of B is less than that of A, or greater if
// op is ReduceMax: whether it alone is the extreme of the two. A NaN outranks all
// else, and -0.0 is less than 0.0.
func Outranks(op ir.ReduceOp, k ir.Kind) *Expr { return outranks(op, k, nil) }

// outranks is Outranks; of equal elements that of B outranks if orElse holds. Most
// elements lose to the extreme of those before, which the first comparison tells.
func outranks(op ir.ReduceOp, k ir.Kind, orElse *Expr) *Expr {
	before := ir.OpLt
	if op == ir.ReduceMax {
		before = ir.OpGt
	}
	a, b := field(A, 0, k), field(B, 0, k)
	compare := func(operator ir.Op, x, y *Expr) *Expr { return apply(operator, ir.Bool, x, y) }
	better := compare(before, b, a)
	if orElse != nil {
		better = compare(ir.OpLogicalOr, better, orElse)
	}
	switch {
	case orElse == nil && !k.IsFloat():
		return better
	case k.IsFloat():
		only := compare(ir.OpLogicalAnd, compare(ir.OpNe, b, b), compare(ir.OpEq, a, a)) // NaN
		bits := func(x *Expr) *Expr { return apply(ir.OpBits, ir.OpBits.Gives(k), x) }
		zero := compare(ir.OpLogicalAnd, compare(ir.OpEq, a, b), compare(before, bits(a), bits(b))) // of equal numbers only zeros differ, -0.0 has the greater bits
		better = compare(ir.OpLogicalOr, better, compare(ir.OpLogicalOr, only, zero))
	}
	return compare(ir.OpLogicalAnd, apply(ir.OpNot, ir.Bool, compare(before, a, b)), better)
}

func constant(s ir.Scalar) *Expr { return &Expr{Operator: ir.OpConst, Kind: s.Kind, Const: s} }

// Choice reports whether a combination takes whole states: field index is that of
// the later one if a condition holds, and else that of the earlier one. Fields of
// equal conditions change together.
func (m *Monoid) Choice(index int) (condition *Expr, ok bool) {
	e := m.Combine[index]
	if e.Operator != ir.OpSelect || !e.Args[1].IsField(B, index) {
		return nil, false
	}
	if otherwise := e.Args[2]; !otherwise.IsField(A, index) {
		if otherwise.Operator != ir.OpSelect || !otherwise.Args[1].IsField(B, index) || !otherwise.Args[2].IsField(A, index) {
			return nil, false
		}
		return apply(ir.OpLogicalOr, ir.Bool, e.Args[0], otherwise.Args[0]), true
	}
	return e.Args[0], true
}

// Equal reports whether two expressions over the same states are the same.
func (e *Expr) Equal(other *Expr) bool {
	return e.Operator == other.Operator && e.Kind == other.Kind && e.Const == other.Const && e.Side == other.Side && e.Field == other.Field && e.Scalar == other.Scalar &&
		slices.EqualFunc(e.Args, other.Args, (*Expr).Equal)
}
