package tile

import (
	"fmt"
	"math"

	"github.com/kgen-go/kgen/ir"
)

// Monoid is an associative operation with an identity, over a tuple of typed
// fields, as data: any scheme and any printer can expand it, and tests can
// evaluate it. It need not commute; A is the earlier operand.
type Monoid struct {
	Kind     MonoidKind
	Fields   []Field
	Identity []ir.Scalar // one per field
	Combine  []*Expr     // one per field, over the fields of A and B
}

// Field is one component of a monoid's state.
type Field struct {
	Name   string
	Kind   ir.Kind
	Counts bool // it counts rows: no more than there are
}

// MonoidKind is the property of a monoid that a scheme may exploit.
type MonoidKind uint8

// The kinds, from the most to the least special.
const (
	Fold      MonoidKind = iota // one commutative field: add, mul, min, max, and, or, xor
	Segmented                   // a head flag, and a fold that restarts at each head
	Closing                     // what segments leave that close between two states, and those at both ends; see kept.go
	Ordered                     // anything else, such as last-valid
)

var monoidKindNames = [...]string{"fold", "segmented", "closing", "ordered"}

func (k MonoidKind) String() string { return monoidKindNames[k] }

// Expr is an expression over two states of a monoid: a field of A or B, a
// constant, a scalar that is known before the launch, or an element-wise operator.
type Expr struct {
	Operator ir.Op // OpInvalid for a field or a scalar, OpConst for a constant
	Kind     ir.Kind
	Args     []*Expr
	Const    ir.Scalar
	Side     Side
	Field    int
	Scalar   string // its name in the plan, of a scalar
}

// Side is an operand of Combine.
type Side uint8

// The operands: A holds the earlier rows.
const (
	A Side = iota
	B
)

func (s Side) String() string { return [...]string{"a", "b"}[s] }

func field(side Side, index int, kind ir.Kind) *Expr {
	return &Expr{Side: side, Field: index, Kind: kind}
}

func apply(operator ir.Op, kind ir.Kind, args ...*Expr) *Expr {
	return &Expr{Operator: operator, Kind: kind, Args: args}
}

var reduceOperator = [...]ir.Op{ir.ReduceAdd: ir.OpAdd, ir.ReduceMul: ir.OpMul, ir.ReduceMin: ir.OpLeast,
	ir.ReduceMax: ir.OpGreatest, ir.ReduceAnd: ir.OpAnd, ir.ReduceOr: ir.OpOr, ir.ReduceXor: ir.OpXor}

// NewFold returns the monoid of a reduction operation over elements of kind k.
func NewFold(op ir.ReduceOp, k ir.Kind) *Monoid {
	operator := reduceOperator[op]
	if k == ir.Bool && (op == ir.ReduceAnd || op == ir.ReduceOr) {
		operator = map[ir.ReduceOp]ir.Op{ir.ReduceAnd: ir.OpLogicalAnd, ir.ReduceOr: ir.OpLogicalOr}[op]
	}
	if k == ir.Bool && op == ir.ReduceXor {
		operator = ir.OpNe
	}
	return &Monoid{Kind: Fold, Fields: []Field{{Name: op.String(), Kind: k}}, Identity: []ir.Scalar{Identity(op, k)},
		Combine: []*Expr{apply(operator, k, field(A, 0, k), field(B, 0, k))}}
}

// NewLast returns the monoid that keeps the last present element: fields
// present and last. A row that is absent contributes the identity.
func NewLast(k ir.Kind) *Monoid { return pick("last", k, B) }

// NewFirst returns the monoid that keeps the first present element: fields
// present and first.
func NewFirst(k ir.Kind) *Monoid { return pick("first", k, A) }

func pick(name string, k ir.Kind, preferred Side) *Monoid {
	other := 1 - preferred
	return &Monoid{Kind: Ordered, Fields: []Field{{Name: "present", Kind: ir.Bool}, {Name: name, Kind: k}},
		Identity: []ir.Scalar{ir.BoolScalar(false), {Kind: k}},
		Combine: []*Expr{
			apply(ir.OpLogicalOr, ir.Bool, field(A, 0, ir.Bool), field(B, 0, ir.Bool)),
			apply(ir.OpSelect, k, field(preferred, 0, ir.Bool), field(preferred, 1, k), field(other, 1, k)),
		}}
}

// NewSegmented returns m restarted at each head: a head flag before the fields of m.
func NewSegmented(m *Monoid) *Monoid {
	s := &Monoid{Kind: Segmented, Fields: []Field{{Name: "head", Kind: ir.Bool}}, Identity: []ir.Scalar{ir.BoolScalar(false)},
		Combine: []*Expr{apply(ir.OpLogicalOr, ir.Bool, field(A, 0, ir.Bool), field(B, 0, ir.Bool))}}
	s.Fields = append(s.Fields, m.Fields...)
	s.Identity = append(s.Identity, m.Identity...)
	for i, combine := range shift(m.Combine, 1) {
		k := m.Fields[i].Kind
		s.Combine = append(s.Combine, apply(ir.OpSelect, k, field(B, 0, ir.Bool), field(B, i+1, k), combine))
	}
	return s
}

// NewProduct returns the componentwise product of several monoids.
func NewProduct(parts ...*Monoid) *Monoid {
	product := &Monoid{Kind: Ordered}
	for _, part := range parts {
		base := len(product.Fields)
		product.Fields = append(product.Fields, part.Fields...)
		product.Identity = append(product.Identity, part.Identity...)
		product.Combine = append(product.Combine, shift(part.Combine, base)...)
	}
	if len(parts) == 1 {
		product.Kind = parts[0].Kind
	}
	return product
}

// shift renumbers the fields of expressions by distance.
func shift(list []*Expr, distance int) []*Expr {
	return with(list, func(leaf *Expr) *Expr {
		moved := *leaf
		moved.Field += distance
		return &moved
	})
}

// with returns expressions with others in place of their fields. What is shared among them is so in the result.
func with(list []*Expr, replace func(field *Expr) *Expr) []*Expr {
	done := map[*Expr]*Expr{}
	var visit func(e *Expr) *Expr
	visit = func(e *Expr) *Expr {
		switch {
		case e.Operator == ir.OpInvalid && e.Scalar == "":
			return replace(e)
		case len(e.Args) == 0:
			return e
		}
		if done[e] == nil {
			changed := *e
			changed.Args = make([]*Expr, len(e.Args))
			for i, arg := range e.Args {
				changed.Args[i] = visit(arg)
			}
			done[e] = &changed
		}
		return done[e]
	}
	now := make([]*Expr, len(list))
	for i, e := range list {
		now[i] = visit(e)
	}
	return now
}

// Shared lists the expressions that stand in several places of others, and are one there. What an expression
// follows from comes before it.
func Shared(list []*Expr) (shared []*Expr) {
	places := map[*Expr]int{}
	var inOrder []*Expr
	var visit func(e *Expr)
	visit = func(e *Expr) {
		if len(e.Args) == 0 {
			return
		}
		if places[e]++; places[e] > 1 {
			return
		}
		for _, arg := range e.Args {
			visit(arg)
		}
		inOrder = append(inOrder, e)
	}
	for _, e := range list {
		visit(e)
	}
	for _, e := range inOrder {
		if places[e] > 1 {
			shared = append(shared, e)
		}
	}
	return shared
}

// countOperators counts the operators of expressions, those that are shared once.
func countOperators(list []*Expr) int {
	seen := map[*Expr]bool{}
	var visit func(e *Expr)
	visit = func(e *Expr) {
		if !seen[e] && len(e.Args) > 0 {
			seen[e] = true
			for _, arg := range e.Args {
				visit(arg)
			}
		}
	}
	for _, e := range list {
		visit(e)
	}
	return len(seen)
}

// Operators returns how many operators combine two states.
func (m *Monoid) Operators() int { return countOperators(m.Combine) }

// Words is the width of the state in 32-bit words, as a status word of a
// single-pass scheme would hold it.
func (m *Monoid) Words() int {
	bits := 0
	for _, f := range m.Fields {
		if f.Kind == ir.Bool {
			bits++
		} else {
			bits += 8 * max(f.Kind.Size(), 4)
		}
	}
	return (bits + 31) / 32
}

// Identity returns the neutral element of a reduction over kind k: for min and
// max the type's extremes, or infinities.
func Identity(op ir.ReduceOp, k ir.Kind) ir.Scalar {
	switch op {
	case ir.ReduceAdd, ir.ReduceOr, ir.ReduceXor:
		return zero(k)
	case ir.ReduceMul:
		if k.IsFloat() {
			return ir.Float(k, 1)
		}
		return ir.Int(k, 1)
	case ir.ReduceAnd:
		if k == ir.Bool {
			return ir.BoolScalar(true)
		}
		return ir.Int(k, -1)
	case ir.ReduceMin:
		return extreme(k, true)
	case ir.ReduceMax:
		return extreme(k, false)
	}
	panic(fmt.Sprintf("tile: no identity of %v", op))
}

func zero(k ir.Kind) ir.Scalar {
	if k.IsFloat() {
		return ir.Float(k, 0)
	}
	return ir.Scalar{Kind: k}
}

// extreme returns the largest (or smallest) element of k.
func extreme(k ir.Kind, largest bool) ir.Scalar {
	switch {
	case k.IsFloat() && largest:
		return ir.Float(k, math.Inf(1))
	case k.IsFloat():
		return ir.Float(k, math.Inf(-1))
	case k == ir.Bool:
		return ir.BoolScalar(largest)
	case k == ir.Char8 && largest:
		return ir.Scalar{Kind: k, Bits: math.MaxUint64}
	case k.IsSigned() || k.IsCoded():
		bits := 8 * k.Size()
		if largest {
			return ir.Int(k, 1<<(bits-1)-1)
		}
		return ir.Int(k, -1<<(bits-1))
	case largest: // unsigned: all ones
		return ir.Int(k, -1)
	}
	return ir.Scalar{Kind: k}
}

// IsLast reports whether m is a monoid of [NewLast].
func (m *Monoid) IsLast() bool {
	return m.Kind == Ordered && len(m.Fields) == 2 && m.Fields[0].Kind == ir.Bool && m.Combine[1].Operator == ir.OpSelect &&
		m.Combine[1].Args[0].IsField(B, 0) && m.Combine[1].Args[1].IsField(B, 1) && m.Combine[1].Args[2].IsField(A, 1)
}

// isSum reports whether m adds up one number, from 0.
func (m *Monoid) isSum() bool {
	e := m.Combine[0]
	return m.Kind == Fold && m.Identity[0] == zero(ir.I64) && e.Operator == ir.OpAdd && e.Args[0].IsField(A, 0) && e.Args[1].IsField(B, 0)
}

// Restart reports whether a field starts anew, with the row's element, at rows
// with the flag of field 0, and returns its combination at other rows.
func (m *Monoid) Restart(index int) (otherwise *Expr, ok bool) {
	e := m.Combine[index]
	if e.Operator != ir.OpSelect || !e.Args[0].IsField(B, 0) || !e.Args[1].IsField(B, index) {
		return nil, false
	}
	return e.Args[2], true
}

// IsField reports whether e is a field of an operand, and nothing more.
func (e *Expr) IsField(side Side, index int) bool {
	return e.Operator == ir.OpInvalid && e.Scalar == "" && e.Side == side && e.Field == index
}
