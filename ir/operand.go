package ir

import (
	"fmt"
	"go/constant"
	"go/token"
	"math"
	"strconv"
	"time"
)

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

func constantText(c constant.Value) string {
	if c.Kind() == constant.String {
		return strconv.Quote(clip(constant.StringVal(c)))
	}
	return clip(c.String())
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

// represent returns constant c as a scalar of kind k, or what is wrong.
func represent(c constant.Value, k Kind) (s Scalar, problem, hint string) {
	text := constantText(c)
	switch {
	case c.Kind() == constant.String && k == Char8:
		if text := constant.StringVal(c); len(text) <= 8 {
			return Char8Scalar(text), "", ""
		}
		return s, fmt.Sprintf("string %s has %d bytes; char8 holds 8", text, len(constant.StringVal(c))),
			"longer strings enter as dictionary codes, an integer column"
	case c.Kind() == constant.String && k == Date:
		return s, fmt.Sprintf("string %s is no date by itself", text), "write date(" + text + ")"
	case c.Kind() == constant.String:
		return s, fmt.Sprintf("string %s where %v is needed", text, k), ""
	case k.IsInteger():
		i := constant.ToInt(c)
		if i.Kind() != constant.Int {
			return s, fmt.Sprintf("constant %s is no whole number, as %v needs", text, k),
				"write a whole number, or convert what it meets with f64(...)"
		}
		if bits, ok := integerBits(i, k); ok {
			return Scalar{k, bits}, "", ""
		}
		lo, hi := kindLimits(k)
		return s, fmt.Sprintf("literal %s does not fit %v: %s..%s", text, k, lo, hi), ""
	case k.IsFloat():
		f, _ := constant.Float64Val(c)
		if k == F32 {
			f32, _ := constant.Float32Val(c)
			f = float64(f32)
		}
		if math.IsInf(f, 0) {
			return s, fmt.Sprintf("literal %s does not fit %v", text, k), ""
		}
		return Float(k, f), "", ""
	case k == Date:
		return s, fmt.Sprintf("constant %s where a date is needed", text), `write date("1994-01-01"), or date(8766) for a count of days since 1970-01-01`
	case k == Bool:
		return s, fmt.Sprintf("constant %s where bool is needed", text), "compare it, as in x != 0"
	case k == Char8:
		return s, fmt.Sprintf("constant %s where char8 is needed", text), `write a string of at most 8 bytes, as in "BUILDING"`
	}
	return s, fmt.Sprintf("constant %s where %v is needed", text, k), ""
}

// integerBits returns i in the representation of Scalar, if it fits k.
func integerBits(i constant.Value, k Kind) (uint64, bool) {
	if k.IsUnsigned() {
		u, exact := constant.Uint64Val(i)
		return u, exact && wrap(k, u) == u
	}
	s, exact := constant.Int64Val(i)
	return uint64(s), exact && wrap(k, uint64(s)) == uint64(s)
}

// kindLimits returns the least and greatest integer of kind k.
func kindLimits(k Kind) (lo, hi constant.Value) {
	bits := uint(k.Size() * 8)
	one := constant.MakeInt64(1)
	if k.IsUnsigned() {
		return constant.MakeInt64(0), constant.BinaryOp(constant.Shift(one, token.SHL, bits), token.SUB, one)
	}
	half := constant.Shift(one, token.SHL, bits-1)
	return constant.UnaryOp(token.SUB, half, 0), constant.BinaryOp(half, token.SUB, one)
}

// dateLiteral reads a date of the proleptic Gregorian calendar, year 0001 to 9999.
func dateLiteral(text string) (Scalar, bool) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil || t.Year() < 1 {
		return Scalar{}, false
	}
	return Int(Date, t.Unix()/86400), true
}

// dateText is the inverse of dateLiteral; ok is false outside its years.
func dateText(days int64) (text string, ok bool) {
	t := time.Unix(days*86400, 0).UTC()
	if t.Year() < 1 || t.Year() > 9999 {
		return "", false
	}
	return t.Format(time.DateOnly), true
}
