package ir

import (
	"fmt"
	"go/constant"
	"go/token"
	"math"
	"strconv"
	"strings"
)

// A decimal is an exact number with a fixed number of digits after the point, its scale.
// Columns hold the unscaled number, 1250 for the decimal(2) 12.50, as an int64. Each scale
// is a kind of its own.

// MaxScale is the largest scale of a decimal.
const MaxScale = 18

const decimalName = "decimal"

// DecimalOf returns the kind of decimals with a scale from 0 to [MaxScale].
func DecimalOf(scale int) Kind {
	if scale < 0 || scale > MaxScale {
		panic(fmt.Sprintf("ir: no decimals have %d digits after the point", scale))
	}
	return decimal0 + Kind(scale)
}

// IsDecimal reports whether k is a decimal.
func (k Kind) IsDecimal() bool { return k >= decimal0 && k < endOfKinds }

// Scale returns how many digits a decimal has after the point; 0 for other kinds.
func (k Kind) Scale() int {
	if !k.IsDecimal() {
		return 0
	}
	return int(k - decimal0)
}

// PowerOfTen returns 10 to the power of n, which is at most [MaxScale].
func PowerOfTen(n int) int64 {
	power := int64(1)
	for range n {
		power *= 10
	}
	return power
}

// AppendDecimal appends an unscaled number with the point that its scale puts in it, and
// with all digits behind that.
func AppendDecimal(out []byte, unscaled int64, scale int) []byte {
	start := len(out)
	out = strconv.AppendInt(out, unscaled, 10)
	if scale == 0 {
		return out
	}
	if unscaled < 0 {
		start++
	}
	if missing := scale + 1 - (len(out) - start); missing > 0 { // zeros in front
		out = append(out, strings.Repeat("0", missing)...)
		copy(out[start+missing:], out[start:])
		copy(out[start:], strings.Repeat("0", missing))
	}
	out = append(out, 0)
	point := len(out) - 1 - scale
	copy(out[point+1:], out[point:])
	out[point] = '.'
	return out
}

// representDecimal returns constant c, a number, as a decimal of kind k, or what is wrong.
func representDecimal(c constant.Value, k Kind) (s Scalar, problem, hint string) {
	scaled := constant.ToInt(timesPower(c, k.Scale()))
	if scaled.Kind() != constant.Int {
		return s, fmt.Sprintf("constant %s has more digits after the point than %v", constantText(c), k),
			"write fewer digits, or give more to what the constant meets, as in decimal(x, 4)"
	}
	unscaled, exact := constant.Int64Val(scaled)
	if !exact {
		return s, fmt.Sprintf("literal %s does not fit %v: %s to %s", constantText(c), k,
			AppendDecimal(nil, math.MinInt64, k.Scale()), AppendDecimal(nil, math.MaxInt64, k.Scale())), ""
	}
	return Int(k, unscaled), "", ""
}

func timesPower(c constant.Value, n int) constant.Value {
	return constant.BinaryOp(constant.ToFloat(c), token.MUL, constant.ToFloat(constant.MakeInt64(PowerOfTen(n))))
}

// leastScale returns the least scale that holds constant c exactly; false if none does.
func leastScale(c constant.Value) (scale int, ok bool) {
	for scale := range MaxScale + 1 {
		if constant.ToInt(timesPower(c, scale)).Kind() == constant.Int {
			return scale, true
		}
	}
	return 0, false
}

// leastScaleOf is leastScale of a decimal.
func leastScaleOf(s Scalar) int {
	scale := s.Kind.Scale()
	for n := s.Int64(); scale > 0 && n%10 == 0; n /= 10 {
		scale--
	}
	return scale
}

// isLeastFactor reports whether operand i of v, a product, is no constant or one that
// gets its type from the other operand when it is read again.
func isLeastFactor(v *Value, i int) bool {
	c, other := v.Args[i].Const, v.Args[1-i].Type.Kind
	switch {
	case v.Args[i].Op != OpConst:
		return true
	case c.Kind.IsDecimal():
		return other.IsDecimal() && c.Kind.Scale() > 0 && leastScaleOf(c) == c.Kind.Scale()
	}
	return other.IsDecimal()
}

// productKinds types x * y where one of the two is a decimal: of another one, the scales
// add up; an i64 keeps the scale. A constant is a whole number, or a decimal with the
// digits that it needs.
func (g *graph) productKinds(pos Pos, x, y *operand) (Kind, bool) {
	for _, o := range []*operand{x, y} {
		if !o.untyped() {
			continue
		}
		if o.kind() == UntypedString {
			return Invalid, !g.fail(o.pos, "strings only compare, with strings", "* of a decimal and a string: %v and %v", *x, *y).bad()
		}
		switch scale, ok := leastScale(o.constant); {
		case !ok:
			*o = g.fail(o.pos, "a decimal factor has at most 18 digits after the point", "constant %v has no decimal", *o)
		case scale == 0:
			*o = g.convert(*o, I64)
		default:
			*o = g.convert(*o, DecimalOf(scale))
		}
	}
	if x.bad() || y.bad() {
		return Invalid, false
	}
	if k, ok := OpMul.ResultKind(x.kind(), y.kind()); ok {
		return k, true
	}
	decimal, other := x, y
	if !x.kind().IsDecimal() {
		decimal, other = y, x
	}
	switch k := other.kind(); {
	case k.IsDecimal():
		g.fail(pos, fmt.Sprintf("take digits away from one first, as in decimal(%v, 2), or write f64(%[1]v)", *x),
			"%v * %v would have %d digits after the point, and decimals have at most %d", *x, *y, decimal.kind().Scale()+k.Scale(), MaxScale)
	case k.IsFloat():
		g.fail(pos, castHint(*decimal, k), "* of different types: %v is %v, %v is %v", *x, x.kind(), *y, y.kind())
	default:
		g.fail(pos, castHint(*other, I64), "* of a decimal takes a decimal or an i64: %v is %v, %v is %v", *x, x.kind(), *y, y.kind())
	}
	return Invalid, false
}

// decimal builds decimal(x, scale), the cast of x.
func (g *graph) decimal(c *call) operand {
	if len(c.args) != 2 || len(c.named) > 0 {
		return g.fail(c.pos, "it is written decimal(x, 2), with the digits after the point", "decimal takes two operands")
	}
	x, scale := c.args[0], c.args[1]
	if x.bad() || scale.bad() || !g.plain(c.pos, scale) {
		return operand{pos: c.pos}
	}
	if n, exact := constant.Int64Val(constant.ToInt(constantOf(scale))); exact && n >= 0 && n <= MaxScale {
		return g.cast(c.pos, DecimalOf(int(n)), x)
	}
	return g.fail(scale.pos, fmt.Sprintf("it is a constant from 0 to %d", MaxScale), "the scale of a decimal is %v", scale)
}

// constantOf returns the constant that o is, or an unknown one.
func constantOf(o operand) constant.Value {
	if o.untyped() {
		return o.constant
	}
	return constant.MakeUnknown()
}

// average is avg(x) of a decimal: that of the unscaled numbers, divided by the power of
// ten.
func (g *graph) average(c *call, x operand) operand {
	if _, ok := g.rows(c, x); !ok {
		return operand{pos: c.pos}
	}
	isEmpty, orElse := operand{}, operand{}
	if e, ok := c.named["else"]; ok {
		if !g.scalarOf(&e, F64, "else: of avg") {
			return operand{pos: c.pos}
		}
		rows := Value{Op: OpLen, Type: Type{Kind: I64}, Args: []*Value{x.value}}
		if by := c.named["by"].value; by != nil {
			rows = Value{Op: OpCount, Type: Type{Kind: I64, Domain: by.Type.Target}, By: by}
		}
		orElse = e
		isEmpty = g.binary(c.pos, OpEq, g.value(c.pos, rows), g.scalar(c.pos, Int(I64, 0)))
	}
	mean := *c
	mean.named = map[string]operand{}
	if by, ok := c.named["by"]; ok {
		mean.named["by"] = by
	}
	if !orElse.bad() {
		mean.named["else"] = g.scalar(c.pos, Float(F64, 0))
	}
	v := g.aggregate(&mean, F64, g.map1(c.pos, OpUnscaled, I64, x))
	if v.bad() {
		return v
	}
	v = g.binary(c.pos, OpDiv, v, g.scalar(c.pos, Float(F64, float64(PowerOfTen(x.kind().Scale())))))
	if orElse.bad() {
		return v
	}
	return buildSelect(g, &call{pos: c.pos, args: []operand{isEmpty, orElse, v}})
}

// Unscaled returns unscaled(x): a decimal without its point, an i64.
func (b *Builder) Unscaled(x any) Operand { return b.call(OpUnscaled, x) }
