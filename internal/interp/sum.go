package interp

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/kgen-go/kgen/ir"
)

// accumulator folds rows into one value.
type accumulator interface {
	reset()
	add(x uint64)
	value() uint64
}

// fold is the accumulator of an operation without rounding.
type fold struct {
	identity, state uint64
	combine         func(a, b uint64) uint64
}

func (f *fold) reset()        { f.state = f.identity }
func (f *fold) add(x uint64)  { f.state = f.combine(f.state, x) }
func (f *fold) value() uint64 { return f.state }

// exactSum adds floats without rounding. It is a fixed-point number: digit i
// counts units of 2^(32i-1074), the least of which is the smallest float.
// Digits run past 32 bits, and below zero, until carry settles them. The
// number holds 2^63 floats of any size.
type exactSum struct {
	from, to   ir.Kind // of the summands and of the rounded sum
	unit       float64 // what summands are rounded to multiples of, for a reproducible sum; 0 if they are not
	digit      [68]int64
	unsettled  int // summands since the last carry
	up, down   bool
	notANumber bool
}

func (s *exactSum) reset() { *s = exactSum{from: s.from, to: s.to, unit: s.unit} }

func (s *exactSum) add(x uint64) {
	f := floatOf(s.from, x)
	switch {
	case f != f:
		s.notANumber = true
		return
	case math.IsInf(f, 1):
		s.up = true
		return
	case math.IsInf(f, -1):
		s.down = true
		return
	}
	if s.unit != 0 {
		f = math.RoundToEven(f/s.unit) * s.unit
	}
	raw := math.Float64bits(f)
	mantissa, shift := raw&(1<<52-1), raw>>52&(1<<11-1)
	if shift > 0 { // a normal number has a hidden bit; a subnormal one counts the same units
		mantissa |= 1 << 52
		shift--
	}
	sign := int64(1)
	if math.Signbit(f) {
		sign = -1
	}
	low, high := mantissa<<(shift%32), mantissa>>(64-shift%32)
	digits := s.digit[shift/32:]
	digits[0] += sign * int64(low&math.MaxUint32)
	digits[1] += sign * int64(low>>32)
	digits[2] += sign * int64(high)
	if s.unsettled++; s.unsettled == 1<<30 {
		s.carry()
	}
}

// carry brings all digits but the last, which keeps the sign, into [0, 2^32).
func (s *exactSum) carry() {
	last := len(s.digit) - 1
	for i := range last {
		s.digit[i+1] += s.digit[i] >> 32
		s.digit[i] &= math.MaxUint32
	}
	s.unsettled = 0
}

// value returns the sum, rounded to nearest even once.
func (s *exactSum) value() uint64 {
	switch {
	case s.notANumber || s.up && s.down:
		return ir.Float(s.to, math.NaN()).Bits
	case s.up:
		return ir.Float(s.to, math.Inf(1)).Bits
	case s.down:
		return ir.Float(s.to, math.Inf(-1)).Bits
	}
	s.carry()
	magnitude, sign := *s, 1.0
	if s.digit[len(s.digit)-1] < 0 {
		for i := range magnitude.digit {
			magnitude.digit[i] = -magnitude.digit[i]
		}
		magnitude.carry()
		sign = -1
	}
	return ir.Float(s.to, sign*magnitude.round()).Bits
}

// round returns a settled number >= 0 rounded to s.to. Its 64 leading bits
// decide; the last of them is a sticky bit for all lower bits. A subnormal
// result has fewer bits, and nothing is lost.
func (s *exactSum) round() float64 {
	top := len(s.digit) - 1
	for top >= 0 && s.digit[top] == 0 {
		top--
	}
	if top < 0 {
		return 0
	}
	digit := func(i int) uint64 {
		if i < 0 {
			return 0
		}
		return uint64(s.digit[i])
	}
	leading := digit(top)<<32 | digit(top-1)
	zeros := bits.LeadingZeros64(leading)
	leading = leading<<zeros | digit(top-2)>>(32-zeros)
	rest := digit(top-2) << zeros & math.MaxUint32
	for i := range top - 2 {
		rest |= digit(i)
	}
	if rest != 0 {
		leading |= 1
	}
	rounded := float64(leading)
	if s.to == ir.F32 {
		rounded = float64(float32(leading))
	}
	return math.Ldexp(rounded, 32*(top-1)-1074-zeros)
}

// product multiplies floats of one kind to productBits bits. The exponent is
// kept apart, because big.Float's own has only 32 bits.
type product struct {
	kind       ir.Kind
	mantissa   big.Float
	exponent   int64
	negative   bool
	zero, inf  bool
	notANumber bool
}

const productBits = 2048

func (p *product) reset() {
	*p = product{kind: p.kind}
	p.mantissa.SetPrec(productBits).SetInt64(1)
}

func (p *product) add(x uint64) {
	f := floatOf(p.kind, x)
	if f != f {
		p.notANumber = true
		return
	}
	p.negative = p.negative != math.Signbit(f)
	switch f = math.Abs(f); {
	case f == 0:
		p.zero = true
	case math.IsInf(f, 1):
		p.inf = true
	default:
		p.mantissa.Mul(&p.mantissa, new(big.Float).SetFloat64(f))
		p.exponent += int64(p.mantissa.MantExp(&p.mantissa))
	}
}

func (p *product) value() uint64 {
	const far = 1 << 12 // past the exponents of any float
	magnitude := math.NaN()
	switch {
	case p.notANumber || p.zero && p.inf:
	case p.zero || p.exponent < -far:
		magnitude = 0
	case p.inf || p.exponent > far:
		magnitude = math.Inf(1)
	default:
		exact := new(big.Float).SetMantExp(&p.mantissa, int(p.exponent))
		if p.kind == ir.F32 {
			f, _ := exact.Float32()
			magnitude = float64(f)
		} else {
			magnitude, _ = exact.Float64()
		}
	}
	if p.negative {
		magnitude = -magnitude
	}
	return ir.Float(p.kind, magnitude).Bits
}
