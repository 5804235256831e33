package interp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// signedTruth and unsignedTruth compute operators with Go's arithmetic of the
// width itself, where wrapping is the language's own.
func signedTruth[T int8 | int16 | int32 | int64](op ir.Op, x, y T, width int) T {
	count := ((int(y) % width) + width) % width
	switch op {
	case ir.OpAdd:
		return x + y
	case ir.OpSub:
		return x - y
	case ir.OpMul:
		return x * y
	case ir.OpDiv:
		return x / y
	case ir.OpRem:
		return x % y
	case ir.OpAnd:
		return x & y
	case ir.OpOr:
		return x | y
	case ir.OpXor:
		return x ^ y
	case ir.OpAndNot:
		return x &^ y
	case ir.OpShl:
		return x << count
	case ir.OpShr:
		return x >> count
	case ir.OpLeast:
		return min(x, y)
	case ir.OpGreatest:
		return max(x, y)
	}
	panic(op)
}

func unsignedTruth[T uint8 | uint16 | uint32 | uint64](op ir.Op, x, y T, width int) T {
	switch op {
	case ir.OpAdd:
		return x + y
	case ir.OpSub:
		return x - y
	case ir.OpMul:
		return x * y
	case ir.OpDiv:
		return x / y
	case ir.OpRem:
		return x % y
	case ir.OpAnd:
		return x & y
	case ir.OpOr:
		return x | y
	case ir.OpXor:
		return x ^ y
	case ir.OpAndNot:
		return x &^ y
	case ir.OpShl:
		return x << (y % T(width))
	case ir.OpShr:
		return x >> (y % T(width))
	case ir.OpLeast:
		return min(x, y)
	case ir.OpGreatest:
		return max(x, y)
	}
	panic(op)
}

var integerOps = []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv, ir.OpRem, ir.OpAnd, ir.OpOr, ir.OpXor,
	ir.OpAndNot, ir.OpShl, ir.OpShr, ir.OpLeast, ir.OpGreatest}

// truth computes an integer operator on two scalars of kind k.
func truth(op ir.Op, k ir.Kind, a, b uint64) uint64 {
	switch k {
	case ir.I8:
		return uint64(int64(signedTruth(op, int8(a), int8(b), 8)))
	case ir.I16:
		return uint64(int64(signedTruth(op, int16(a), int16(b), 16)))
	case ir.I32:
		return uint64(int64(signedTruth(op, int32(a), int32(b), 32)))
	case ir.I64:
		return uint64(signedTruth(op, int64(a), int64(b), 64))
	case ir.U8:
		return uint64(unsignedTruth(op, uint8(a), uint8(b), 8))
	case ir.U16:
		return uint64(unsignedTruth(op, uint16(a), uint16(b), 16))
	case ir.U32:
		return uint64(unsignedTruth(op, uint32(a), uint32(b), 32))
	}
	return unsignedTruth(op, a, b, 64)
}

// edges are values of kind k at which arithmetic changes behaviour, and random
// ones.
func edges(random *rand.Rand, k ir.Kind) []uint64 {
	low, high := extremes(k)
	values := []uint64{low, low + 1, high, high - 1, high / 2, 0, 1, 2, 7, ir.Int(k, -1).Bits, ir.Int(k, -7).Bits,
		ir.Int(k, 31).Bits, ir.Int(k, 32).Bits, ir.Int(k, 33).Bits, ir.Int(k, 63).Bits, ir.Int(k, 65).Bits}
	for range 30 {
		values = append(values, ir.Int(k, int64(random.Uint64())).Bits)
	}
	return values
}

func TestIntegerOperatorsAgreeWithGo(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for k := ir.I8; k <= ir.U64; k++ {
		values := edges(random, k)
		for _, op := range integerOps {
			for _, a := range values {
				for _, b := range values {
					if b == 0 && (op == ir.OpDiv || op == ir.OpRem) {
						if got := applyBinary(op, k, k, a, b); got != 0 {
							t.Errorf("%v: %d by zero gives %d, want 0", k, int64(a), got)
						}
						continue
					}
					if got, want := applyBinary(op, k, k, a, b), truth(op, k, a, b); got != want {
						t.Fatalf("%v: operator %d of %d and %d is %d, want %d", k, op, int64(a), int64(b), int64(got), int64(want))
					}
				}
			}
		}
	}
}

func TestSmallestInteger(t *testing.T) {
	for _, k := range []ir.Kind{ir.I8, ir.I16, ir.I32, ir.I64} {
		low, _ := extremes(k)
		minusOne := ir.Int(k, -1).Bits
		if got := applyBinary(ir.OpDiv, k, k, low, minusOne); got != low {
			t.Errorf("%v: MinInt / -1 is %d", k, int64(got))
		}
		if got := applyBinary(ir.OpRem, k, k, low, minusOne); got != 0 {
			t.Errorf("%v: MinInt %% -1 is %d", k, int64(got))
		}
		if got := applyUnary(ir.OpAbs, k, k, low); got != low {
			t.Errorf("%v: abs(MinInt) is %d", k, int64(got))
		}
		if got := applyUnary(ir.OpNeg, k, k, low); got != low {
			t.Errorf("%v: -MinInt is %d", k, int64(got))
		}
	}
}

func TestUnaryOperators(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	negativeZero := math.Copysign(0, -1)
	f32, f64 := func(f float64) ir.Scalar { return ir.Float(ir.F32, f) }, func(f float64) ir.Scalar { return ir.Float(ir.F64, f) }
	for i, test := range []struct {
		op      ir.Op
		x, want ir.Scalar
	}{
		{ir.OpNeg, ir.Int(ir.I32, 5), ir.Int(ir.I32, -5)},
		{ir.OpNeg, ir.Int(ir.U8, 5), ir.Int(ir.U8, 251)},
		{ir.OpNeg, f64(0), f64(negativeZero)},
		{ir.OpNeg, f32(1.5), f32(-1.5)},
		{ir.OpComplement, ir.Int(ir.I8, 5), ir.Int(ir.I8, -6)},
		{ir.OpComplement, ir.Int(ir.U16, 5), ir.Int(ir.U16, 65530)},
		{ir.OpNot, ir.BoolScalar(true), ir.BoolScalar(false)},
		{ir.OpNot, ir.BoolScalar(false), ir.BoolScalar(true)},
		{ir.OpAbs, ir.Int(ir.I16, -300), ir.Int(ir.I16, 300)},
		{ir.OpAbs, ir.Int(ir.U64, -1), ir.Int(ir.U64, -1)},
		{ir.OpAbs, f64(negativeZero), f64(0)},
		{ir.OpAbs, f32(-inf), f32(inf)},
		{ir.OpSqrt, f64(2), f64(math.Sqrt2)},
		{ir.OpFloor, f64(-0.5), f64(-1)},
		{ir.OpFloor, f32(2.75), f32(2)},
		{ir.OpFloor, f64(negativeZero), f64(negativeZero)},
		{ir.OpFloor, f64(-inf), f64(-inf)},
		{ir.OpFloor, f64(nan), f64(nan)},
		{ir.OpFloor, f32(-math.SmallestNonzeroFloat32), f32(-1)},
		{ir.OpCeil, f64(-0.5), f64(negativeZero)},
		{ir.OpCeil, f64(0.5), f64(1)},
		{ir.OpCeil, f32(8388607.5), f32(8388608)},
		{ir.OpCeil, f32(inf), f32(inf)},
		{ir.OpTrunc, f64(-1.75), f64(-1)},
		{ir.OpTrunc, f64(-0.75), f64(negativeZero)},
		{ir.OpTrunc, f64(1e300), f64(1e300)},
		{ir.OpRound, f64(0.5), f64(0)},
		{ir.OpRound, f64(1.5), f64(2)},
		{ir.OpRound, f64(2.5), f64(2)},
		{ir.OpRound, f64(-0.3), f64(negativeZero)},
		{ir.OpRound, f64(-1.5), f64(-2)},
		{ir.OpRound, f64(0.49999999999999994), f64(0)},
		{ir.OpRound, f32(8388609), f32(8388609)},
		{ir.OpRound, f64(4503599627370497.5), f64(4503599627370498)},
		{ir.OpRound, f32(nan), f32(nan)},
		{ir.OpPopcount, ir.Int(ir.U8, 0), ir.Int(ir.U8, 0)},
		{ir.OpPopcount, ir.Int(ir.I8, -1), ir.Int(ir.I8, 8)},
		{ir.OpPopcount, ir.Int(ir.I16, -2), ir.Int(ir.I16, 15)},
		{ir.OpPopcount, ir.Int(ir.U32, 0xf0f1), ir.Int(ir.U32, 9)},
		{ir.OpPopcount, ir.Int(ir.I64, math.MinInt64), ir.Int(ir.I64, 1)},
		{ir.OpPopcount, ir.Int(ir.U64, -1), ir.Int(ir.U64, 64)},
		{ir.OpLeadingzeros, ir.Int(ir.I8, 0), ir.Int(ir.I8, 8)},
		{ir.OpLeadingzeros, ir.Int(ir.I8, -128), ir.Int(ir.I8, 0)},
		{ir.OpLeadingzeros, ir.Int(ir.U16, 1), ir.Int(ir.U16, 15)},
		{ir.OpLeadingzeros, ir.Int(ir.I32, 255), ir.Int(ir.I32, 24)},
		{ir.OpLeadingzeros, ir.Int(ir.U64, 1<<32), ir.Int(ir.U64, 31)},
		{ir.OpLeadingzeros, ir.Int(ir.I64, 0), ir.Int(ir.I64, 64)},
		{ir.OpTrailingzeros, ir.Int(ir.U8, 0), ir.Int(ir.U8, 8)},
		{ir.OpTrailingzeros, ir.Int(ir.I8, -128), ir.Int(ir.I8, 7)},
		{ir.OpTrailingzeros, ir.Int(ir.I16, 0), ir.Int(ir.I16, 16)},
		{ir.OpTrailingzeros, ir.Int(ir.I16, -256), ir.Int(ir.I16, 8)},
		{ir.OpTrailingzeros, ir.Int(ir.U32, 12), ir.Int(ir.U32, 2)},
		{ir.OpTrailingzeros, ir.Int(ir.I64, 1<<40), ir.Int(ir.I64, 40)},
		{ir.OpSqrt, f32(2), f32(1.41421356)},
		{ir.OpSqrt, f64(negativeZero), f64(negativeZero)},
		{ir.OpSqrt, f64(-1), f64(nan)},
	} {
		if got := applyUnary(test.op, test.x.Kind, test.want.Kind, test.x.Bits); !same(test.want.Kind, got, test.want.Bits) {
			t.Errorf("%d: operator %d of %+v is %#x, want %#x", i, test.op, test.x, got, test.want.Bits)
		}
	}
	if got := applyUnary(ir.OpYear, ir.Date, ir.I32, ir.Int(ir.Date, -1).Bits); got != 1969 {
		t.Errorf("year(date -1) is %d", got)
	}
}

// Every operation of f32 rounds to f32; through f64 these would differ.
func TestSinglePrecisionRounds(t *testing.T) {
	f := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	if got := applyBinary(ir.OpAdd, ir.F32, ir.F32, f(1<<24), f(1)); got != f(1<<24) {
		t.Errorf("2^24 + 1 is %g", floatOf(ir.F32, got))
	}
	if got := applyBinary(ir.OpDiv, ir.F32, ir.F32, f(1), f(3)); got != 0x3eaaaaab {
		t.Errorf("1/3 is %#x", got)
	}
	if got := applyBinary(ir.OpMul, ir.F32, ir.F32, f(16777215), f(16777215)); got != f(0x1.fffffcp+47) {
		t.Errorf("(2^24 - 1)^2 is %g", floatOf(ir.F32, got))
	}
	if got := applyBinary(ir.OpSub, ir.F32, ir.F32, f(1), f(1e-10)); got != f(1) {
		t.Errorf("1 - 1e-10 is %g", floatOf(ir.F32, got))
	}
	if got := applyBinary(ir.OpMul, ir.F32, ir.F32, f(1e-45), f(0.75)); got != f(1e-45) {
		t.Errorf("a subnormal became %g", floatOf(ir.F32, got))
	}
	if got := applyBinary(ir.OpSub, ir.F64, ir.F64, ir.Float(ir.F64, 1<<53).Bits, ir.Float(ir.F64, -1).Bits); floatOf(ir.F64, got) != 1<<53 {
		t.Errorf("2^53 + 1 is %g", floatOf(ir.F64, got))
	}
}

func TestDateArithmetic(t *testing.T) {
	day := ir.Int(ir.Date, 10).Bits
	if got := applyBinary(ir.OpAdd, ir.Date, ir.Date, day, ir.Int(ir.I32, -30).Bits); int64(got) != -20 {
		t.Errorf("date + i32 is %d", int64(got))
	}
	if got := applyBinary(ir.OpSub, ir.Date, ir.I32, day, ir.Int(ir.Date, 40).Bits); int64(got) != -30 {
		t.Errorf("date - date is %d", int64(got))
	}
	if got := applyBinary(ir.OpAdd, ir.Date, ir.Date, ir.Int(ir.Date, math.MaxInt32).Bits, 1); int64(got) != math.MinInt32 {
		t.Errorf("dates do not wrap: %d", int64(got))
	}
}

func TestCasts(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	f32, f64 := func(f float64) ir.Scalar { return ir.Float(ir.F32, f) }, func(f float64) ir.Scalar { return ir.Float(ir.F64, f) }
	for _, test := range []struct{ from, want ir.Scalar }{
		{ir.Int(ir.I32, 300), ir.Int(ir.I8, 44)},
		{ir.Int(ir.I32, 200), ir.Int(ir.I8, -56)},
		{ir.Int(ir.I8, -1), ir.Int(ir.U64, -1)},
		{ir.Int(ir.I8, -1), ir.Int(ir.U16, 65535)},
		{ir.Int(ir.U32, 1<<32-1), ir.Int(ir.I64, 1<<32-1)},
		{ir.Int(ir.U32, 1<<32-1), ir.Int(ir.I32, -1)},
		{ir.BoolScalar(true), ir.Int(ir.U8, 1)},
		{ir.BoolScalar(true), f32(1)},
		{ir.BoolScalar(false), f64(0)},
		{f64(2.9), ir.Int(ir.I32, 2)},
		{f64(-2.9), ir.Int(ir.I32, -2)},
		{f64(-0.9), ir.Int(ir.U8, 0)},
		{f64(-5), ir.Int(ir.U64, 0)},
		{f64(nan), ir.Int(ir.I64, 0)},
		{f32(nan), ir.Int(ir.U8, 0)},
		{f64(inf), ir.Int(ir.I8, 127)},
		{f64(-inf), ir.Int(ir.I8, -128)},
		{f64(127.99), ir.Int(ir.I8, 127)},
		{f64(128), ir.Int(ir.I8, 127)},
		{f64(-128.99), ir.Int(ir.I8, -128)},
		{f64(-129), ir.Int(ir.I8, -128)},
		{f64(255.99), ir.Int(ir.U8, 255)},
		{f64(256), ir.Int(ir.U8, 255)},
		{f64(1e300), ir.Int(ir.I64, math.MaxInt64)},
		{f64(-1e300), ir.Int(ir.I64, math.MinInt64)},
		{f64(1 << 63), ir.Int(ir.I64, math.MaxInt64)},
		{f64(-1 << 63), ir.Int(ir.I64, math.MinInt64)},
		{f64(1<<63 - 1024), ir.Int(ir.I64, 1<<63-1024)},
		{f64(1 << 63), ir.Int(ir.U64, math.MinInt64)},
		{f64(1 << 64), ir.Int(ir.U64, -1)},
		{f64(1<<64 - 2048), ir.Int(ir.U64, -2048)},
		{f32(inf), ir.Int(ir.U32, 1<<32-1)},
		{f64(1e300), f32(inf)},
		{f64(1 + 0x1p-24), f32(1)}, // a tie goes to even
		{f64(1e-46), f32(0)},
		{f32(1e-45), f64(0x1p-149)},
		{ir.Int(ir.Date, 77), ir.Int(ir.Date, 77)},
	} {
		if got := cast(test.from.Kind, test.want.Kind, test.from.Bits); !same(test.want.Kind, got, test.want.Bits) {
			t.Errorf("%v(%v %#x) is %#x, want %#x", test.want.Kind, test.from.Kind, test.from.Bits, got, test.want.Bits)
		}
	}
}

// Integers become floats by one rounding, which big.Float does by its own means.
func TestIntegerToFloatRoundsOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for _, k := range []ir.Kind{ir.I64, ir.U64} {
		for range 20000 {
			x := random.Uint64() >> random.IntN(64)
			if random.IntN(2) == 0 { // near a tie of f32, nearer than f64 can tell
				ulp := uint64(1) << 40
				if k == ir.I64 {
					ulp >>= 1
				}
				x = ulp<<23 | x%(ulp<<23)&^(ulp-1) + ulp/2 + uint64(random.IntN(3)) - 1
			}
			exact := new(big.Float).SetPrec(64)
			if k == ir.I64 {
				exact.SetInt64(int64(x))
			} else {
				exact.SetUint64(x)
			}
			want32, _ := exact.Float32()
			want64, _ := exact.Float64()
			if got := cast(k, ir.F32, x); floatOf(ir.F32, got) != float64(want32) {
				t.Fatalf("f32(%v %d) is %g, want %g", k, x, floatOf(ir.F32, got), want32)
			}
			if got := cast(k, ir.F64, x); floatOf(ir.F64, got) != want64 {
				t.Fatalf("f64(%v %d) is %g, want %g", k, x, floatOf(ir.F64, got), want64)
			}
		}
	}
}
