package interp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// randomFloat covers all exponents of kind k, subnormals among them, and often
// repeats an exponent so that sums cancel.
func randomFloat(random *rand.Rand, k ir.Kind) float64 {
	for {
		var f float64
		switch random.IntN(3) {
		case 0:
			f = ir.Scalar{Kind: k, Bits: random.Uint64() >> (64 - 8*k.Size())}.Float64()
		case 1:
			f = math.Ldexp(float64(random.IntN(1<<20)-1<<19), random.IntN(60)-30)
		default:
			f = floatOf(k, uint64(random.IntN(1<<20))) // subnormal
		}
		if f-f == 0 { // finite
			return ir.Float(k, f).Float64()
		}
	}
}

// A big.Float of 2400 bits holds any sum of these floats.
func exactly(k ir.Kind, sum *big.Float) float64 {
	if k == ir.F32 {
		f, _ := sum.Float32()
		return float64(f)
	}
	f, _ := sum.Float64()
	return f
}

func TestExactSumAgreesWithBigFloat(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct{ from, to ir.Kind }{{ir.F64, ir.F64}, {ir.F32, ir.F64}, {ir.F32, ir.F32}} {
		sum := &exactSum{from: test.from, to: test.to}
		for range 3000 {
			sum.reset()
			want := new(big.Float).SetPrec(2400)
			for range random.IntN(12) {
				f := randomFloat(random, test.from)
				if random.IntN(4) == 0 { // cancel all but a little
					f = ir.Float(test.from, -exactly(test.from, want)).Float64()
					if math.IsInf(f, 0) {
						continue
					}
				}
				sum.add(ir.Float(test.from, f).Bits)
				want.Add(want, new(big.Float).SetFloat64(f))
				got := floatOf(test.to, sum.value()) // also that value may be read on the way
				if w := exactly(test.to, want); got != w {
					t.Fatalf("%v to %v: sum is %g, want %g", test.from, test.to, got, w)
				}
			}
		}
	}
}

func TestExactSumSpecialValues(t *testing.T) {
	inf, nan, negativeZero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	half := math.Ldexp(1, -53) // half a unit in the last place of 1
	for _, test := range []struct {
		in   []float64
		want float64
	}{
		{nil, 0},
		{[]float64{negativeZero, negativeZero}, 0},
		{[]float64{1e308, 1e308, -1e308}, 1e308}, // no overflow on the way
		{[]float64{math.MaxFloat64, math.MaxFloat64}, inf},
		{[]float64{-math.MaxFloat64, -math.MaxFloat64}, -inf},
		{[]float64{1e100, 1, -1e100}, 1},
		{[]float64{1, half}, 1},                                      // a tie goes to even
		{[]float64{1, half, 5e-324}, math.Nextafter(1, 2)},           // past the tie
		{[]float64{1, half, 0x1p-70}, math.Nextafter(1, 2)},          // by bits just behind the leading 64
		{[]float64{math.Nextafter(1, 2), half}, 1 + 2*(2*half)},      // a tie goes to even, upwards
		{[]float64{math.Nextafter(1, 2), half, -5e-324}, 1 + 2*half}, // before the tie
		{[]float64{5e-324, 5e-324}, 1e-323},
		{[]float64{5e-324, -5e-324}, 0},
		{[]float64{inf, 1, inf}, inf},
		{[]float64{-inf, 1e308, 1e308}, -inf},
		{[]float64{inf, -inf}, nan},
		{[]float64{-inf, 1, inf}, nan},
		{[]float64{1, nan, inf}, nan},
	} {
		sum := &exactSum{from: ir.F64, to: ir.F64}
		for _, f := range test.in {
			sum.add(math.Float64bits(f))
		}
		if got := sum.value(); !same(ir.F64, got, math.Float64bits(test.want)) {
			t.Errorf("sum of %g is %g, want %g", test.in, math.Float64frombits(got), test.want)
		}
	}
}

// Carries must be settled before digits overflow; pretend many have been added.
func TestExactSumSettlesInTime(t *testing.T) {
	sum := &exactSum{from: ir.F64, to: ir.F64}
	for i := range sum.digit[:60] {
		sum.digit[i] = 1<<62 - 1 // what 2^30 summands leave at most
	}
	sum.unsettled = 1<<30 - 1
	sum.add(math.Float64bits(5e-324))
	for i, d := range sum.digit[:len(sum.digit)-1] {
		if d < 0 || d > math.MaxUint32 {
			t.Fatalf("digit %d is %#x after a carry was due", i, d)
		}
	}
	if sum.unsettled != 0 {
		t.Errorf("%d unsettled after a carry", sum.unsettled)
	}
}

func TestProductAgreesWithBigRat(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, k := range []ir.Kind{ir.F32, ir.F64} {
		for range 500 {
			p := &product{kind: k}
			p.reset()
			want := new(big.Rat).SetInt64(1)
			for range 1 + random.IntN(8) {
				f := randomFloat(random, k)
				if f == 0 {
					continue
				}
				p.add(ir.Float(k, f).Bits)
				want.Mul(want, new(big.Rat).SetFloat64(f))
				w, _ := want.Float64()
				if k == ir.F32 {
					single, _ := want.Float32()
					w = float64(single)
				}
				if got := floatOf(k, p.value()); got != w {
					t.Fatalf("product is %g, want %g", got, w)
				}
			}
		}
	}
}

func TestProductSpecialValues(t *testing.T) {
	inf, nan, negativeZero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, test := range []struct {
		in   []float64
		want float64
	}{
		{nil, 1},
		{[]float64{1e200, 1e200, 1e-200}, 1e200}, // no overflow on the way
		{[]float64{1e200, -1e200}, -inf},
		{[]float64{1e-200, -1e-200}, negativeZero},
		{[]float64{-2, 0}, negativeZero},
		{[]float64{-2, negativeZero}, 0},
		{[]float64{inf, -2}, -inf},
		{[]float64{inf, 0}, nan},
		{[]float64{0, 5, inf}, nan},
		{[]float64{1, nan}, nan},
		{[]float64{5e-324, 0.5}, 0},        // a tie goes to even
		{[]float64{1.5e-323, 0.5}, 1e-323}, // 3 units, halved, go to 2
	} {
		p := &product{kind: ir.F64}
		p.reset()
		for _, f := range test.in {
			p.add(math.Float64bits(f))
		}
		if got := p.value(); !same(ir.F64, got, math.Float64bits(test.want)) {
			t.Errorf("product of %g is %g, want %g", test.in, math.Float64frombits(got), test.want)
		}
	}
}

// Rounding this product to f64 first would make it a tie of f32.
func TestProductRoundsOnce(t *testing.T) {
	p := &product{kind: ir.F32}
	p.reset()
	for _, f := range []float64{15687442, 15642192, 8511148} {
		p.add(ir.Float(ir.F32, f).Bits)
	}
	if got := float32(floatOf(ir.F32, p.value())); got != 2.0885163e+21 {
		t.Errorf("product is %g", got)
	}
}

// The exponent of this product leaves the range of big.Float and comes back.
func TestProductOfManyExtremes(t *testing.T) {
	p := &product{kind: ir.F64}
	p.reset()
	const many = 2_500_000
	tiny, huge := math.Float64bits(0x1p-1000), math.Float64bits(0x1p1000)
	for range many {
		p.add(tiny)
	}
	if got := math.Float64frombits(p.value()); got != 0 {
		t.Errorf("product of tiny values is %g", got)
	}
	for range many {
		p.add(huge)
	}
	p.add(math.Float64bits(3))
	if got := math.Float64frombits(p.value()); got != 3 {
		t.Errorf("product is %g, want 3", got)
	}
}
