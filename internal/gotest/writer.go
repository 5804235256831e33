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
	ir.F32: "float32", ir.F64: "float64", ir.Date: "int32", ir.Text: "int32", ir.Timestamp: "int64", ir.Char8: "[8]byte",
}

// goTypeOf is the type of an element of kind k in Go.
func goTypeOf(k ir.Kind) string { return goTypes[k.Stored()] }

// writer writes the test file of one pipeline.
type writer struct {
	strings.Builder
	pipeline *ir.Pipeline
	entry    backends.Entry
	hints    *hints
	fresh    *backends.Names
	names    map[*ir.Value]string  // of variables
	rights   map[*ir.Value]string  // of joins: the variable of the right rows
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
	return goTypeOf(c.Kind) + "(" + special + ")"
}

// constant is a constant with its type.
func (w *writer) constant(c ir.Scalar) string {
	text := w.bare(c)
	if c.Kind == ir.Bool || c.Kind == ir.Char8 || strings.HasPrefix(text, "float") {
		return text
	}
	return goTypeOf(c.Kind) + "(" + text + ")"
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
	if !v.Op.IsElementwise() {
		return w.refuse(v), primary
	}
	return w.elementwise(v, row)
}

func (w *writer) refuse(v *ir.Value) string {
	if w.fault == nil {
		w.fault = fmt.Errorf("%s: no test can be printed for %s", v.Pos.Base(), v.Op)
	}
	return "0"
}

func (w *writer) cast(to, from ir.Kind, x string) string {
	switch {
	case from.IsDecimal() && to.IsDecimal():
		return fmt.Sprintf("kgenRescale(%s, %d, %d)", x, from.Scale(), to.Scale())
	case from.IsDecimal() && to.IsFloat():
		return fmt.Sprintf("%s(float64(%s) / 1e%d)", goTypeOf(to), x, from.Scale())
	case from.IsDecimal():
		return fmt.Sprintf("%s((%s) / 1e%d)", goTypeOf(to), x, from.Scale())
	case to.IsDecimal() && from.IsFloat():
		low, high := limits(ir.I64)
		return fmt.Sprintf("kgenSaturated[int64](math.Round(float64(%s) * 1e%d), %s, %s)", x, to.Scale(), low, high)
	case to.IsDecimal():
		return fmt.Sprintf("(%s * 1e%d)", w.cast(ir.I64, from, x), to.Scale())
	case from == ir.Bool && to != ir.Bool:
		return fmt.Sprintf("kgenNumber[%s](%s)", goTypeOf(to), x)
	case from == ir.Timestamp && to == ir.Date:
		return fmt.Sprintf("int32(kgenDays(%s))", timeOf(from, x))
	case from == ir.Date && to == ir.Timestamp:
		return fmt.Sprintf("kgenDate(%s).UnixMicro()", x)
	case from.IsFloat() && to.IsInteger():
		low, high := limits(to)
		return fmt.Sprintf("kgenSaturated[%s](float64(%s), %s, %s)", goTypeOf(to), x, low, high)
	}
	return fmt.Sprintf("%s(%s)", goTypeOf(to), x)
}

// limits are the least and the greatest value of an integer type.
func limits(k ir.Kind) (low, high string) {
	bits := 8 * k.Size()
	if k.IsUnsigned() {
		return "0", fmt.Sprintf("math.MaxUint%d", bits)
	}
	return fmt.Sprintf("math.MinInt%d", bits), fmt.Sprintf("math.MaxInt%d", bits)
}
