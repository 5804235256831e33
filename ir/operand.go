package ir

import "go/constant"

// An operand is what an expression denotes while a graph is built: a value, a
// constant that waits for its type, or, after an error, neither.
type operand struct {
	pos      Pos
	value    *Value
	constant constant.Value // where value is nil
	desc     bool           // desc(x), a key of order
	parts    []operand      // a tuple, the key of find and join
}

func (o operand) bad() bool {
	if len(o.parts) == 0 {
		return o.value == nil && o.constant == nil
	}
	for _, p := range o.parts {
		if p.bad() {
			return true
		}
	}
	return false
}

func (o operand) untyped() bool { return o.value == nil && o.constant != nil }

func (o operand) kind() Kind {
	switch {
	case o.value != nil:
		return o.value.Type.Kind
	case o.constant == nil:
		return Invalid
	case o.constant.Kind() == constant.Int:
		return UntypedInt
	case o.constant.Kind() == constant.Float:
		return UntypedFloat
	}
	return UntypedString
}

// typ is the operand's type; an untyped constant is a scalar.
func (o operand) typ() Type {
	if o.value != nil {
		return o.value.Type
	}
	return Type{Kind: o.kind()}
}

// String is a short text of the operand for messages.
func (o operand) String() string {
	switch {
	case o.value != nil:
		return shortText(o.value)
	case o.constant != nil:
		return constantText(o.constant)
	}
	return "?"
}

// typed gives an operand that is a constant without context its default type.
func (g *graph) typed(o operand) operand {
	switch o.kind() {
	case UntypedInt:
		return g.convert(o, I64)
	case UntypedFloat:
		return g.convert(o, F64)
	case UntypedString:
		return g.convert(o, Char8)
	}
	return o
}

// as gives an untyped constant the type that its context asks for; operands
// that have a type stay as they are.
func (g *graph) as(o operand, k Kind) operand {
	if o.untyped() {
		return g.convert(o, k)
	}
	return o
}

// convert makes an untyped constant a value of kind k.
func (g *graph) convert(o operand, k Kind) operand {
	if k == Text && o.kind() == UntypedString {
		return g.text(o.pos, constant.StringVal(o.constant))
	}
	s, problem, hint := represent(o.constant, k)
	if problem != "" {
		return g.fail(o.pos, hint, "%s", problem)
	}
	return g.scalar(o.pos, s)
}

// scalar is a constant of known type.
func (g *graph) scalar(pos Pos, s Scalar) operand {
	v := g.intern(Value{Op: OpConst, Type: Type{Kind: s.Kind}, Const: s, Pos: pos})
	return operand{pos: pos, value: v}
}
