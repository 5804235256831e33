package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Decimals become the i64 that stand for them, before all else: no stage, kernel or
// buffer has any. Only the ports of the plan say what their numbers mean.

// withoutDecimals returns p without decimals; p itself if it has none.
func withoutDecimals(p *ir.Pipeline, options Options) *ir.Pipeline {
	if !slices.ContainsFunc(p.Values, func(v *ir.Value) bool { return v.Type.Kind.IsDecimal() }) {
		return p
	}
	e := newExpansion(p, options)
	for _, v := range p.Values {
		switch {
		case v.Op == ir.OpParam:
			made := *v
			e.parameter(&made)
			e.values[v] = &made
		case convertsDecimals(v):
			d := decimals{ordering{expansion: e, pos: v.Pos}}
			made := d.convert(v, e.column(v.Args[0]))
			if made.Name == "" && made.Op != ir.OpConst {
				made.Name = v.Name
			}
			e.values[v] = made
		default:
			e.copy(v)
		}
		if made := e.values[v]; v.Type.Kind.IsDecimal() {
			made.Type.Kind = ir.I64
			for _, constant := range []*ir.Scalar{&made.Const, &made.Missing} {
				if constant.Kind.IsDecimal() {
					constant.Kind = ir.I64
				}
			}
		}
	}
	q := e.pipeline()
	q.Params = q.Values[:len(p.Params):len(p.Params)]
	return q
}

// convertsDecimals reports whether v takes a decimal to another type, or the reverse.
func convertsDecimals(v *ir.Value) bool {
	return v.Op == ir.OpUnscaled || v.Op == ir.OpCast && (v.Type.Kind.IsDecimal() || v.Args[0].Type.Kind.IsDecimal())
}

// decimals converts unscaled numbers, which are i64.
type decimals struct{ ordering }

// convert computes v of what its operand becomes.
func (d decimals) convert(v, x *ir.Value) *ir.Value {
	switch from, to := v.Args[0].Type.Kind, v.Type.Kind; {
	case v.Op == ir.OpUnscaled:
		return x
	case from.IsDecimal() && to.IsDecimal():
		return d.rescale(x, to.Scale()-from.Scale())
	case from.IsDecimal() && to.IsFloat():
		x = d.cast(ir.F64, x)
		if scale := from.Scale(); scale > 0 {
			x = d.apply(ir.OpDiv, x, d.float(float64(ir.PowerOfTen(scale))))
		}
		return d.cast(to, x)
	case from.IsDecimal():
		if scale := from.Scale(); scale > 0 {
			x = d.apply(ir.OpDiv, x, d.power(scale))
		}
		return d.cast(to, x)
	case from.IsFloat():
		x = d.apply(ir.OpMul, d.cast(ir.F64, x), d.float(float64(ir.PowerOfTen(to.Scale()))))
		whole := d.apply(ir.OpTrunc, x)
		half := func(sign float64) *ir.Value { return d.float(sign / 2) }
		return d.rounded(d.cast(ir.I64, whole), d.apply(ir.OpSub, x, whole), half)
	default:
		return d.rescale(d.cast(ir.I64, x), to.Scale())
	}
}

// rescale adds digits after the point, or takes some away.
func (d decimals) rescale(x *ir.Value, digits int) *ir.Value {
	switch {
	case digits == 0:
		return x
	case digits > 0:
		return d.apply(ir.OpMul, x, d.power(digits))
	}
	unit := d.power(-digits)
	half := func(sign float64) *ir.Value { return d.number(int64(sign) * unit.Const.Int64() / 2) }
	return d.rounded(d.apply(ir.OpDiv, x, unit), d.apply(ir.OpRem, x, unit), half)
}

// rounded is the whole number that is nearest to one that was cut, with what was cut off
// it; of two, that away from zero.
func (d decimals) rounded(whole, rest *ir.Value, half func(sign float64) *ir.Value) *ir.Value {
	up := d.cast(ir.I64, d.apply(ir.OpGe, rest, half(1)))
	down := d.cast(ir.I64, d.apply(ir.OpLe, rest, half(-1)))
	return d.apply(ir.OpSub, d.apply(ir.OpAdd, whole, up), down)
}

func (d decimals) power(n int) *ir.Value { return d.number(ir.PowerOfTen(n)) }

func (d decimals) float(f float64) *ir.Value { return d.constant(ir.Float(ir.F64, f)) }
