package gotest

import (
	"fmt"
	"strconv"

	"github.com/kgen-go/kgen/ir"
)

// operator is how the reference writes an element-wise operator. It is no part of a
// backend, so that a mistake there shows.
type operator struct {
	token    string // infix or prefix
	strength int    // how strongly that binds
	call     string // a function of all operands
	math     string // of package math, on floats
	time     string // a method of time.Time
	ofTime   string // a function of time.Time
	bits     string // of package math/bits
}

const (
	unary   = 6
	primary = 7
)

// operators has every element-wise operator but casts.
var operators = map[ir.Op]operator{
	ir.OpMul: {token: "*", strength: 5}, ir.OpDiv: {token: "/", strength: 5}, ir.OpRem: {token: "%", strength: 5},
	ir.OpShl: {token: "<<", strength: 5}, ir.OpShr: {token: ">>", strength: 5},
	ir.OpAnd: {token: "&", strength: 5}, ir.OpAndNot: {token: "&^", strength: 5},
	ir.OpAdd: {token: "+", strength: 4}, ir.OpSub: {token: "-", strength: 4},
	ir.OpOr: {token: "|", strength: 4}, ir.OpXor: {token: "^", strength: 4},
	ir.OpEq: {token: "==", strength: 3}, ir.OpNe: {token: "!=", strength: 3}, ir.OpLt: {token: "<", strength: 3},
	ir.OpLe: {token: "<=", strength: 3}, ir.OpGt: {token: ">", strength: 3}, ir.OpGe: {token: ">=", strength: 3},
	ir.OpLogicalAnd: {token: "&&", strength: 2}, ir.OpLogicalOr: {token: "||", strength: 1},
	ir.OpNeg:        {token: "-", strength: unary},
	ir.OpComplement: {token: "^", strength: unary},
	ir.OpNot:        {token: "!", strength: unary},
	ir.OpLeast:      {call: "min"}, // of floats NaN, and -0.0 is less than 0.0, as the language has it
	ir.OpGreatest:   {call: "max"},
	ir.OpSelect:     {call: "kgenIf"},
	ir.OpAbs:        {math: "Abs"},
	ir.OpSqrt:       {math: "Sqrt"},
	ir.OpFloor:      {math: "Floor"},
	ir.OpCeil:       {math: "Ceil"},
	ir.OpTrunc:      {math: "Trunc"},
	ir.OpRound:      {math: "RoundToEven"},
	ir.OpYear:       {time: "Year"},
	ir.OpMonth:      {time: "Month"},
	ir.OpDay:        {time: "Day"},
	ir.OpHour:       {time: "Hour"},
	ir.OpMinute:     {time: "Minute"},
	ir.OpSecond:     {time: "Second"},
	ir.OpWeekday:    {ofTime: "kgenWeekday"},
	ir.OpTruncate:   {ofTime: "kgenStartOf"},

	ir.OpPopcount:      {bits: "OnesCount"},
	ir.OpLeadingzeros:  {bits: "LeadingZeros"},
	ir.OpTrailingzeros: {bits: "TrailingZeros"},
}

// elementwise returns the expression of an element-wise operator. Go computes with
// constants exactly, and refuses what does not fit: where all operands are
// constants they are made variables.
func (w *writer) elementwise(v *ir.Value, row string) (text string, strength int) {
	constants := true
	for _, arg := range v.Args {
		constants = constants && arg.Op == ir.OpConst
	}
	o := operators[v.Op]
	isShift := v.Op == ir.OpShl || v.Op == ir.OpShr
	typedByOther := v.Op.IsInfix() && !isShift && !constants && !(v.Op == ir.OpMul && v.Type.Kind.IsFloat())
	arg := func(i, strength int) string {
		if c := v.Args[i]; typedByOther && c.Op == ir.OpConst {
			return w.bare(c.Const)
		}
		if constants && v.Args[i].Op == ir.OpConst {
			return "kgenVariable(" + w.constant(v.Args[i].Const) + ")"
		}
		return w.operand(v.Args[i], row, strength)
	}
	kind, from := v.Type.Kind, v.Args[0].Type.Kind
	goType := goTypeOf(kind)
	call := func(format string, args ...any) (string, int) { return fmt.Sprintf(format, args...), primary }
	switch {
	case isShift:
		return fmt.Sprintf("%s %s (uint64(%s) & %d)", arg(0, 5), o.token, w.shiftCount(v.Args[1], row), 8*kind.Size()-1), 5
	case v.Op.IsComparison() && !v.Op.Takes(ir.Bool) && from == ir.Char8:
		return fmt.Sprintf("kgenText(%s) %s kgenText(%s)", arg(0, 0), o.token, arg(1, 0)), 3
	case v.Op == ir.OpMul && kind.IsFloat(): // rounded, and not fused with an addition
		return call("%s(%s * %s)", goType, arg(0, 5), arg(1, 6))
	case v.Op == ir.OpDiv || v.Op == ir.OpRem:
		if c := v.Args[1]; c.Op == ir.OpConst && c.Const.Bits == 0 { // Go refuses it
			return arg(0, 5) + " " + o.token + " kgenVariable(" + w.constant(c.Const) + ")", 5
		}
	case v.Op == ir.OpLeast || v.Op == ir.OpGreatest:
		return w.extreme(o.call, kind, arg(0, 0), arg(1, 0)), primary
	case v.Op == ir.OpNeg:
		return o.token + arg(0, unary+1), unary
	case v.Op == ir.OpCast:
		return w.cast(kind, from, arg(0, 0)), primary
	case v.Op == ir.OpUnscaled:
		return w.within(v.Args[0], row)
	case v.Op == ir.OpAbs && kind.IsUnsigned():
		return arg(0, primary), primary
	case v.Op == ir.OpAbs && !kind.IsFloat():
		return call("kgenIf(%s < 0, -%s, %s)", arg(0, 4), arg(0, primary), arg(0, 0))
	}
	switch {
	case v.Op.IsInfix() && o.token != "":
		return arg(0, o.strength) + " " + o.token + " " + arg(1, o.strength+1), o.strength
	case o.token != "":
		return o.token + arg(0, unary), unary
	case o.call != "":
		text := arg(0, 0)
		for i := range v.Args[1:] {
			text += ", " + arg(i+1, 0)
		}
		return call("%s(%s)", o.call, text)
	case o.math != "":
		return call("%s(math.%s(float64(%s)))", goType, o.math, arg(0, 0))
	case o.bits != "":
		return call("%s(bits.%s%d(uint%[3]d(%s)))", goType, o.bits, 8*from.Size(), arg(0, 0))
	case o.time != "":
		return call("int32(%s.%s())", timeOf(from, arg(0, 0)), o.time)
	case v.Op == ir.OpTruncate && from == ir.Date:
		return call("int32(kgenDays(%s(%s, %q)))", o.ofTime, timeOf(from, arg(0, 0)), v.Unit())
	case v.Op == ir.OpTruncate:
		return call("%s(%s, %q).UnixMicro()", o.ofTime, timeOf(from, arg(0, 0)), v.Unit())
	case o.ofTime != "":
		return call("%s(%s)", o.ofTime, timeOf(from, arg(0, 0)))
	}
	panic(fmt.Sprintf("gotest: no Go for %v of %v", v.Op, from))
}

// timeOf is a date or timestamp as time.Time.
func timeOf(k ir.Kind, x string) string {
	if k == ir.Date {
		return "kgenDate(" + x + ")"
	}
	return "time.UnixMicro(" + x + ").UTC()"
}

// shiftCount keeps Go from refusing a negative constant.
func (w *writer) shiftCount(v *ir.Value, row string) string {
	if v.Op == ir.OpConst {
		return strconv.FormatUint(v.Const.Bits, 10)
	}
	return w.at(v, row)
}

// extreme is the least or greatest of two.
func (w *writer) extreme(name string, kind ir.Kind, x, y string) string {
	if kind != ir.Char8 {
		return fmt.Sprintf("%s(%s, %s)", name, x, y)
	}
	token := map[string]string{"min": "<=", "max": ">="}[name]
	return fmt.Sprintf("kgenIf(kgenText(%s) %s kgenText(%s), %s, %s)", x, token, y, x, y)
}
