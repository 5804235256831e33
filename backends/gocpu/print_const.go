package gocpu

import (
	"math"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// literal prints c for a place where its type follows from the context.
func literal(c *loop.Const) text {
	v := c.Value
	switch {
	case v.Kind == ir.Bool:
		return text{jen.Lit(v.IsTrue()), operand}
	case v.Kind == ir.Char8:
		return text{jen.Id("0x" + strings.ToUpper(strconv.FormatUint(v.Bits, 16))), operand}
	case v.Kind.IsUnsigned():
		return text{jen.Id(strconv.FormatUint(v.Bits, 10)), operand}
	case v.Kind.IsFloat():
		return floatLiteral(v)
	}
	switch v.Int64() {
	case math.MaxInt64:
		return text{jen.Qual("math", "MaxInt64"), operand}
	case math.MinInt64:
		return text{jen.Qual("math", "MinInt64"), operand}
	}
	return number(strconv.FormatInt(v.Int64(), 10))
}

func number(s string) text {
	if s[0] == '-' {
		return text{jen.Op("-").Id(s[1:]), unaryPrecedence}
	}
	return text{jen.Id(s), operand}
}

func floatLiteral(v ir.Scalar) text {
	f := v.Float64()
	bits := 64
	if v.Kind == ir.F32 {
		bits = 32
	}
	var special *jen.Statement
	switch {
	case math.IsNaN(f):
		special = jen.Qual("math", "NaN").Call()
	case math.IsInf(f, 1):
		special = jen.Qual("math", "Inf").Call(jen.Lit(1))
	case math.IsInf(f, -1):
		special = jen.Qual("math", "Inf").Call(jen.Op("-").Lit(1))
	case f == 0 && math.Signbit(f):
		special = jen.Qual("math", "Copysign").Call(jen.Lit(0), jen.Op("-").Lit(1))
	default:
		return number(strconv.FormatFloat(f, 'g', -1, bits))
	}
	if bits == 32 {
		special = jen.Float32().Call(special)
	}
	return text{special, operand}
}

// typedLiteral prints c for a place where the text must determine the type.
func typedLiteral(c *loop.Const) text {
	t := literal(c)
	switch {
	case c.Value.Kind == ir.Bool, c.Counter, isSpecial(c.Value):
		return t
	case c.Value.Kind == ir.F64 && !isWhole(c.Value):
		return t
	}
	return text{goType(c.Type()).Call(t.code), operand}
}

// isSpecial reports whether v is a float that Go spells as a call, which has a type.
func isSpecial(v ir.Scalar) bool {
	if !v.Kind.IsFloat() {
		return false
	}
	f := v.Float64()
	return math.IsNaN(f) || math.IsInf(f, 0) || f == 0 && math.Signbit(f)
}

// isWhole reports whether the literal of v could be taken for an integer.
func isWhole(v ir.Scalar) bool {
	return !strings.ContainsAny(strconv.FormatFloat(v.Float64(), 'g', -1, 64), ".e")
}

// isZero reports whether c is the value with which Go initializes variables.
func isZero(c *loop.Const) bool { return c.Value.Bits == 0 }

// goType returns the type t in Go.
func goType(t loop.Type) *jen.Statement {
	elem := func() *jen.Statement {
		switch {
		case t.Counter:
			return jen.Int()
		case t.Kind == ir.Char8 && t.IsMemory():
			return jen.Index(jen.Lit(8)).Byte()
		}
		return jen.Id(goKind(t.Kind))
	}
	switch t.Form {
	case loop.Slice:
		return jen.Index().Add(elem())
	case loop.Array:
		return jen.Index(jen.Lit(t.Len)).Add(elem())
	case loop.Vector:
		return vectorType(t)
	case loop.Window:
		return jen.Op("*").Index(jen.Lit(t.Len)).Add(elem())
	}
	return elem()
}

// goKind returns the Go type of a value of kind k.
func goKind(k ir.Kind) string {
	switch k.Stored() {
	case ir.Bool:
		return "bool"
	case ir.I8:
		return "int8"
	case ir.I16:
		return "int16"
	case ir.I32:
		return "int32"
	case ir.I64:
		return "int64"
	case ir.U8:
		return "uint8"
	case ir.U16:
		return "uint16"
	case ir.U32:
		return "uint32"
	case ir.U64, ir.Char8:
		return "uint64"
	case ir.F32:
		return "float32"
	case ir.F64:
		return "float64"
	}
	panic("gocpu: no Go type for " + k.String())
}
