package interp

import (
	"cmp"
	"math"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// Ascending values of each kind that orders in a way of its own; neighbours in
// a row are equal keys.
var ascending = [][][]ir.Scalar{
	{
		{ir.Float(ir.F64, math.Inf(-1))}, {ir.Float(ir.F64, -2)}, {ir.Float(ir.F64, -5e-324)},
		{ir.Float(ir.F64, math.Copysign(0, -1)), ir.Float(ir.F64, 0)},
		{ir.Float(ir.F64, 5e-324)}, {ir.Float(ir.F64, 3)}, {ir.Float(ir.F64, math.Inf(1))},
		{ir.Float(ir.F64, math.NaN()), {Kind: ir.F64, Bits: 0xfff8000000000001}},
	},
	{
		{ir.Float(ir.F32, math.Inf(-1))}, {ir.Float(ir.F32, -1e-45)},
		{ir.Float(ir.F32, math.Copysign(0, -1)), ir.Float(ir.F32, 0)},
		{ir.Float(ir.F32, 1e-45)}, {ir.Float(ir.F32, math.Inf(1))},
		{ir.Float(ir.F32, math.NaN()), {Kind: ir.F32, Bits: 0xffc00001}},
	},
	{{ir.Int(ir.I64, math.MinInt64)}, {ir.Int(ir.I64, -1)}, {ir.Int(ir.I64, 0)}, {ir.Int(ir.I64, math.MaxInt64)}},
	{{ir.Int(ir.I8, -128)}, {ir.Int(ir.I8, -1)}, {ir.Int(ir.I8, 0)}, {ir.Int(ir.I8, 127)}},
	{{ir.Int(ir.U64, 0)}, {ir.Int(ir.U64, math.MaxInt64)}, {ir.Int(ir.U64, math.MinInt64)}, {ir.Int(ir.U64, -1)}},
	{{ir.Int(ir.Date, -1)}, {ir.Int(ir.Date, 0)}},
	{{ir.Char8Scalar("")}, {ir.Char8Scalar("A")}, {ir.Char8Scalar("AA")}, {ir.Char8Scalar("B")}, {ir.Char8Scalar("\xff")}},
	{{ir.BoolScalar(false)}, {ir.BoolScalar(true)}},
}

func TestKeyOrder(t *testing.T) {
	for _, classes := range ascending {
		for i, left := range classes {
			for j, right := range classes {
				for _, a := range left {
					for _, b := range right {
						got := cmp.Compare(keyRank(a.Kind, a.Bits), keyRank(b.Kind, b.Bits))
						if got != cmp.Compare(i, j) {
							t.Errorf("%v: keys %#x and %#x compare %d", a.Kind, a.Bits, b.Bits, got)
						}
					}
				}
			}
		}
	}
}

// Comparison operators agree with the key order but for NaN, which is unequal
// to all and neither less nor greater.
func TestComparisonOperators(t *testing.T) {
	for _, classes := range ascending {
		for i, left := range classes {
			for j, right := range classes {
				for _, a := range left {
					for _, b := range right {
						ordered := !a.Kind.IsFloat() || a.Float64() == a.Float64() && b.Float64() == b.Float64()
						for op, want := range map[ir.Op]bool{
							ir.OpEq: ordered && i == j, ir.OpNe: !ordered || i != j,
							ir.OpLt: ordered && i < j, ir.OpLe: ordered && i <= j,
							ir.OpGt: ordered && i > j, ir.OpGe: ordered && i >= j,
						} {
							if got := applyBinary(op, a.Kind, ir.Bool, a.Bits, b.Bits) == 1; got != want {
								t.Errorf("%v: operator %d of %#x and %#x is %v", a.Kind, op, a.Bits, b.Bits, got)
							}
						}
					}
				}
			}
		}
	}
}

// least and greatest agree with the key order, but tell the zeros apart and
// let NaN win.
func TestLeastAndGreatest(t *testing.T) {
	for _, classes := range ascending {
		var values []ir.Scalar
		for _, class := range classes {
			values = append(values, class...) // -0.0 stands before 0.0
		}
		for i, a := range values {
			for j, b := range values {
				low, high := values[min(i, j)], values[max(i, j)]
				if k := a.Kind; k.IsFloat() && high.Float64() != high.Float64() {
					low = high
				}
				if got := least(a.Kind, a.Bits, b.Bits); !same(a.Kind, got, low.Bits) {
					t.Errorf("%v: least of %#x and %#x is %#x", a.Kind, a.Bits, b.Bits, got)
				}
				if got := greatest(a.Kind, a.Bits, b.Bits); !same(a.Kind, got, high.Bits) {
					t.Errorf("%v: greatest of %#x and %#x is %#x", a.Kind, a.Bits, b.Bits, got)
				}
			}
		}
	}
}

func TestExtremesBoundTheirKind(t *testing.T) {
	for _, test := range []struct {
		kind      ir.Kind
		low, high uint64
	}{
		{ir.Bool, 0, 1},
		{ir.I8, ir.Int(ir.I8, -128).Bits, 127},
		{ir.I32, ir.Int(ir.I32, math.MinInt32).Bits, math.MaxInt32},
		{ir.I64, 1 << 63, math.MaxInt64},
		{ir.U8, 0, 255},
		{ir.U32, 0, math.MaxUint32},
		{ir.U64, 0, math.MaxUint64},
		{ir.Date, ir.Int(ir.Date, math.MinInt32).Bits, math.MaxInt32},
		{ir.Char8, 0, math.MaxUint64},
		{ir.F32, 0xff800000, 0x7f800000},
	} {
		if low, high := extremes(test.kind); low != test.low || high != test.high {
			t.Errorf("%v ranges from %#x to %#x, want %#x to %#x", test.kind, low, high, test.low, test.high)
		}
	}
}
