package ctext

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// floatLiteral prints v exactly: in decimal if that is short or the dialect
// requires it, else in hexadecimal with the shortest decimal in a comment.
// Values without a literal are made from their bits.
func (p *printer) floatLiteral(v ir.Scalar, suffix string) text {
	if v.Kind == ir.F64 {
		p.needs[plan.CapFP64] = true
	}
	f := v.Float64()
	bits := v.Kind.Size() * 8
	if math.IsNaN(f) || math.IsInf(f, 0) {
		word := map[ir.Kind]ir.Kind{ir.F32: ir.U32, ir.F64: ir.U64}[v.Kind]
		return p.bits(v.Kind, fmt.Sprintf("0x%x%s", v.Bits, p.dialect.Suffix[word]))
	}
	precedence := operandPrecedence
	if math.Signbit(f) {
		precedence = unaryPrecedence
	}
	if f == math.Trunc(f) && math.Abs(f) < 1<<24 {
		return text{string: strconv.FormatFloat(f, 'f', 1, bits) + suffix, precedence: precedence}
	}
	decimal := strconv.FormatFloat(f, 'g', -1, bits)
	if p.dialect.Decimal {
		return text{string: decimal + suffix, precedence: precedence}
	}
	hex := strconv.FormatFloat(f, 'x', -1, bits)
	// Go writes exponents with at least two digits.
	hex = strings.Replace(strings.Replace(hex, "p+0", "p+", 1), "p-0", "p-", 1)
	return text{string: hex + suffix + " /* " + decimal + " */", precedence: precedence}
}

// bits prints a value of kind k that has the bits of x.
func (p *printer) bits(k ir.Kind, x string) text {
	return text{string: fmt.Sprintf("%s(%s)", p.dialect.Bits[k], x), precedence: unaryPrecedence}
}
