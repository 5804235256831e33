package interp

import (
	"math"

	"github.com/kgen-go/kgen/ir"
)

// floatOf returns the value of x, the bits of float kind k.
func floatOf(k ir.Kind, x uint64) float64 { return ir.Scalar{Kind: k, Bits: x}.Float64() }

// isSigned reports whether the bits of kind k are ordered as signed integers.
func isSigned(k ir.Kind) bool { return k.IsSigned() || k.IsCoded() }

// isNegative reports whether an integer of kind k is below zero.
func isNegative(k ir.Kind, x uint64) bool { return isSigned(k) && int64(x) < 0 }

// keyRank maps a key to a number. Unsigned order of the numbers is the total
// order of keys, and equal keys have equal numbers: -0.0 equals 0.0, NaN
// equals NaN and follows +infinity.
func keyRank(k ir.Kind, x uint64) uint64 {
	const sign = 1 << 63
	switch {
	case k.IsFloat():
		f := floatOf(k, x)
		switch {
		case f != f:
			return math.MaxUint64
		case f < 0: // false for -0.0, whose rank becomes that of 0.0
			return ^math.Float64bits(f)
		}
		return math.Float64bits(f) | sign
	case isSigned(k):
		return x ^ sign
	}
	return x
}

// less is the operator < : IEEE for floats, bytes for char8, false before true.
func less(k ir.Kind, a, b uint64) bool {
	switch {
	case k.IsFloat():
		return floatOf(k, a) < floatOf(k, b)
	case isSigned(k):
		return int64(a) < int64(b)
	}
	return a < b
}

// equal is the operator ==.
func equal(k ir.Kind, a, b uint64) bool {
	if k.IsFloat() {
		return floatOf(k, a) == floatOf(k, b)
	}
	return a == b
}

// least is the lesser value; of floats -0.0 is less than 0.0, and a NaN wins.
func least(k ir.Kind, a, b uint64) uint64 {
	if k.IsFloat() {
		return ir.Float(k, min(floatOf(k, a), floatOf(k, b))).Bits
	}
	if less(k, b, a) {
		return b
	}
	return a
}

// greatest is the greater value, by the same order; a NaN wins.
func greatest(k ir.Kind, a, b uint64) uint64 {
	if k.IsFloat() {
		return ir.Float(k, max(floatOf(k, a), floatOf(k, b))).Bits
	}
	if less(k, a, b) {
		return b
	}
	return a
}

// extremes returns the smallest and the largest value of kind k, infinities
// for floats.
func extremes(k ir.Kind) (low, high uint64) {
	switch {
	case k.IsFloat():
		return ir.Float(k, math.Inf(-1)).Bits, ir.Float(k, math.Inf(1)).Bits
	case k == ir.Bool:
		return 0, 1
	case isSigned(k):
		half := int64(1) << (8*k.Size() - 1)
		return uint64(-half), uint64(half - 1)
	}
	return 0, math.MaxUint64 >> (64 - 8*k.Size())
}
