package gotest

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/ir"
)

// goTypes are the types of elements in Go.
var goTypes = map[ir.Kind]string{
	ir.Bool: "bool", ir.I8: "int8", ir.I16: "int16", ir.I32: "int32", ir.I64: "int64",
	ir.U8: "uint8", ir.U16: "uint16", ir.U32: "uint32", ir.U64: "uint64",
	ir.F32: "float32", ir.F64: "float64", ir.Date: "int32", ir.Char8: "[8]byte",
}

// writer writes the test file of one pipeline.
type writer struct {
	strings.Builder
	pipeline *ir.Pipeline
	entry    backends.Entry
	hints    *hints
	fresh    *backends.Names
	names    map[*ir.Value]string  // of variables
	lengths  map[*ir.Domain]string // expressions
	uses     map[*ir.Value]int     // operands and results that a value is
	scaled   bool                  // the reference returns the scale of float sums
	fault    error
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// bare is a constant whose type its context gives.
func (w *writer) bare(c ir.Scalar) string {
	switch {
	case c.Kind == ir.Bool:
		return strconv.FormatBool(c.IsTrue())
	case c.Kind == ir.Char8:
		b := c.Bytes()
		return fmt.Sprintf("kgenBytes8(%q)", strings.TrimRight(string(b[:]), "\x00"))
	case c.Kind.IsUnsigned():
		return strconv.FormatUint(c.Bits, 10)
	case !c.Kind.IsFloat():
		return strconv.FormatInt(c.Int64(), 10)
	}
	f, bits := c.Float64(), 64
	if c.Kind == ir.F32 {
		bits = 32
	}
	special := ""
	switch {
	case math.IsNaN(f):
		special = "math.NaN()"
	case math.IsInf(f, 0):
		special = fmt.Sprintf("math.Inf(%d)", int(math.Copysign(1, f)))
	case f == 0 && math.Signbit(f):
		special = "math.Copysign(0, -1)"
	default:
		return strconv.FormatFloat(f, 'g', -1, bits)
	}
	return goTypes[c.Kind] + "(" + special + ")"
}

// constant is a constant with its type.
func (w *writer) constant(c ir.Scalar) string {
	text := w.bare(c)
	if c.Kind == ir.Bool || c.Kind == ir.Char8 || strings.HasPrefix(text, "float") {
		return text
	}
	return goTypes[c.Kind] + "(" + text + ")"
}

// variable declares the variable of v.
func (w *writer) variable(v *ir.Value) string {
	name := v.Name
	for _, r := range w.pipeline.Results {
		if name == "" && r.Value == v {
			name = r.Label
		}
	}
	if name == "" {
		name = "x"
	}
	w.names[v] = w.fresh.Fresh(name)
	return w.names[v]
}

// at returns the expression of v for a row of its domain.
func (w *writer) at(v *ir.Value, row string) string {
	text, _ := w.within(v, row)
	return text
}

// operand is v within an operator that binds as strongly as strength.
func (w *writer) operand(v *ir.Value, row string, strength int) string {
	text, own := w.within(v, row)
	if own < strength {
		return "(" + text + ")"
	}
	return text
}

const (
	unary   = 6
	primary = 7
)

// within returns the expression of v and how strongly it binds.
func (w *writer) within(v *ir.Value, row string) (text string, strength int) {
	if name, ok := w.names[v]; ok {
		if v.Type.IsScalar() {
			return name, primary
		}
		return name + "[" + row + "]", primary
	}
	if v.Op == ir.OpConst {
		return w.constant(v.Const), primary
	}
	return w.elementwise(v, row)
}

type infix struct {
	token    string
	strength int
}

var infixes = map[ir.Op]infix{
	ir.OpMul: {"*", 5}, ir.OpDiv: {"/", 5}, ir.OpRem: {"%", 5},
	ir.OpAnd: {"&", 5}, ir.OpAndNot: {"&^", 5},
	ir.OpAdd: {"+", 4}, ir.OpSub: {"-", 4}, ir.OpOr: {"|", 4}, ir.OpXor: {"^", 4},
	ir.OpEq: {"==", 3}, ir.OpNe: {"!=", 3}, ir.OpLt: {"<", 3}, ir.OpLe: {"<=", 3}, ir.OpGt: {">", 3}, ir.OpGe: {">=", 3},
	ir.OpLogicalAnd: {"&&", 2}, ir.OpLogicalOr: {"||", 1},
}

// elementwise returns the expression of an element-wise operator. Go computes
// with constants exactly, and refuses what does not fit: where all operands are
// constants they are made variables.
func (w *writer) elementwise(v *ir.Value, row string) (text string, strength int) {
	constants := true
	for _, arg := range v.Args {
		constants = constants && arg.Op == ir.OpConst
	}
	_, isInfix := infixes[v.Op]
	arg := func(i, strength int) string {
		if c := v.Args[i]; isInfix && !constants && c.Op == ir.OpConst && !(v.Op == ir.OpMul && c.Type.Kind.IsFloat()) { // typed by the other
			return w.bare(c.Const)
		}
		if constants && v.Args[i].Op == ir.OpConst {
			return "kgenVariable(" + w.constant(v.Args[i].Const) + ")"
		}
		return w.operand(v.Args[i], row, strength)
	}
	kind, from := v.Type.Kind, v.Args[0].Type.Kind
	goType := goTypes[kind]
	call := func(format string, args ...any) (string, int) { return fmt.Sprintf(format, args...), primary }
	switch v.Op {
	case ir.OpShl, ir.OpShr:
		token := map[ir.Op]string{ir.OpShl: "<<", ir.OpShr: ">>"}[v.Op]
		return fmt.Sprintf("%s %s (uint64(%s) & %d)", arg(0, 5), token, w.shiftCount(v.Args[1], row), 8*kind.Size()-1), 5
	case ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe:
		if from == ir.Char8 {
			return fmt.Sprintf("kgenText(%s) %s kgenText(%s)", arg(0, 0), infixes[v.Op].token, arg(1, 0)), 3
		}
	case ir.OpMul:
		if kind.IsFloat() { // rounded, and not fused with an addition
			return call("%s(%s * %s)", goType, arg(0, 5), arg(1, 6))
		}
	case ir.OpDiv:
		if c := v.Args[1]; c.Op == ir.OpConst && c.Const.Bits == 0 { // Go refuses it
			return arg(0, 5) + " / kgenVariable(" + w.constant(c.Const) + ")", 5
		}
	case ir.OpRem:
		if c := v.Args[1]; c.Op == ir.OpConst && c.Const.Bits == 0 {
			return arg(0, 5) + " % kgenVariable(" + w.constant(c.Const) + ")", 5
		}
	case ir.OpLeast, ir.OpGreatest:
		name := map[ir.Op]string{ir.OpLeast: "min", ir.OpGreatest: "max"}[v.Op]
		return w.extreme(name, kind, arg(0, 0), arg(1, 0)), primary
	case ir.OpNeg:
		return "-" + arg(0, unary+1), unary
	case ir.OpComplement:
		return "^" + arg(0, unary), unary
	case ir.OpNot:
		return "!" + arg(0, unary), unary
	case ir.OpCast:
		return w.cast(kind, from, arg(0, 0)), primary
	case ir.OpAbs:
		switch {
		case kind.IsFloat():
			return call("%s(math.Abs(float64(%s)))", goType, arg(0, 0))
		case kind.IsUnsigned():
			return arg(0, primary), primary
		}
		return call("kgenIf(%s < 0, -%s, %s)", arg(0, 4), arg(0, primary), arg(0, 0))
	case ir.OpSqrt:
		return call("%s(math.Sqrt(float64(%s)))", goType, arg(0, 0))
	case ir.OpYear, ir.OpMonth, ir.OpDay:
		method := map[ir.Op]string{ir.OpYear: "Year", ir.OpMonth: "Month", ir.OpDay: "Day"}[v.Op]
		return call("int32(kgenDate(%s).%s())", arg(0, 0), method)
	case ir.OpSelect:
		return call("kgenIf(%s, %s, %s)", arg(0, 0), arg(1, 0), arg(2, 0))
	}
	in, ok := infixes[v.Op]
	if !ok {
		return w.refuse(v), primary
	}
	return arg(0, in.strength) + " " + in.token + " " + arg(1, in.strength+1), in.strength
}

func (w *writer) refuse(v *ir.Value) string {
	if w.fault == nil {
		w.fault = fmt.Errorf("%s: no test can be printed for %s", v.Pos.Base(), v.Op)
	}
	return "0"
}

// shiftCount keeps Go from refusing a negative constant.
func (w *writer) shiftCount(v *ir.Value, row string) string {
	if v.Op == ir.OpConst {
		return strconv.FormatUint(v.Const.Bits, 10)
	}
	return w.at(v, row)
}

// extreme is the least or greatest of two; of floats NaN, and -0.0 is less than
// 0.0, as Go has it.
func (w *writer) extreme(name string, kind ir.Kind, x, y string) string {
	if kind != ir.Char8 {
		return fmt.Sprintf("%s(%s, %s)", name, x, y)
	}
	token := map[string]string{"min": "<=", "max": ">="}[name]
	return fmt.Sprintf("kgenIf(kgenText(%s) %s kgenText(%s), %s, %s)", x, token, y, x, y)
}

func (w *writer) cast(to, from ir.Kind, x string) string {
	switch {
	case from == ir.Bool && to != ir.Bool:
		return fmt.Sprintf("kgenNumber[%s](%s)", goTypes[to], x)
	case from.IsFloat() && to.IsInteger():
		low, high := limits(to)
		return fmt.Sprintf("kgenSaturated[%s](float64(%s), %s, %s)", goTypes[to], x, low, high)
	}
	return fmt.Sprintf("%s(%s)", goTypes[to], x)
}

// limits are the least and the greatest value of an integer type.
func limits(k ir.Kind) (low, high string) {
	bits := 8 * k.Size()
	if k.IsUnsigned() {
		return "0", fmt.Sprintf("math.MaxUint%d", bits)
	}
	return fmt.Sprintf("math.MinInt%d", bits), fmt.Sprintf("math.MaxInt%d", bits)
}
