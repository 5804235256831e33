package generate

import "math"

// The functions here return the same bits on every machine. Functions of package
// math do not: some processors have versions of their own. The relative error is
// about 1e-15.

const (
	ln2High = 6.93147180369123816490e-01 // the upper 33 bits of ln 2
	ln2Low  = 1.90821492927058770002e-10 // the rest
	// maxExponent is where exponential stops growing, far above what Zipf needs.
	maxExponent = 700
)

// atanhSeries returns atanh(z) / z from the square w of z, which is at most
// 0.0295.
func atanhSeries(w float64) float64 {
	sum := 1.0 / 23
	sum = 1.0/21 + float64(sum*w)
	sum = 1.0/19 + float64(sum*w)
	sum = 1.0/17 + float64(sum*w)
	sum = 1.0/15 + float64(sum*w)
	sum = 1.0/13 + float64(sum*w)
	sum = 1.0/11 + float64(sum*w)
	sum = 1.0/9 + float64(sum*w)
	sum = 1.0/7 + float64(sum*w)
	sum = 1.0/5 + float64(sum*w)
	sum = 1.0/3 + float64(sum*w)
	return 1 + float64(sum*w)
}

// logarithm returns ln x for a normal number x > 0.
func logarithm(x float64) float64 {
	bits := math.Float64bits(x)
	exponent := int64(bits>>52) - 1023
	m := math.Float64frombits(bits&(1<<52-1) | 1023<<52) // 1 to 2
	if m > math.Sqrt2 {
		m, exponent = m/2, exponent+1
	}
	z := (m - 1) / (m + 1)
	e := float64(exponent)
	low := float64(float64(2*z)*atanhSeries(float64(z*z))) + float64(e*ln2Low)
	return float64(e*ln2High) + low
}

// logRatio returns ln(1 + t) / t for t > -1.
func logRatio(t float64) float64 {
	if t < -0.25 || t > 0.4 {
		return logarithm(1+t) / t
	}
	z := t / (2 + t)
	return float64(2*atanhSeries(float64(z*z))) / (2 + t)
}

// exponential returns e^x for x from -maxExponent to maxExponent, and beyond
// them the value at the limit.
func exponential(x float64) float64 {
	x = max(min(x, maxExponent), -maxExponent)
	k := math.Floor(x/math.Ln2 + 0.5)
	r := (x - float64(k*ln2High)) - float64(k*ln2Low) // at most ln 2 / 2
	sum := 1 + float64(r*expRatioSeries(r))
	return sum * math.Float64frombits(uint64(int64(k)+1023)<<52)
}

// expRatio returns (e^x - 1) / x.
func expRatio(x float64) float64 {
	if x < -0.35 || x > 0.35 {
		return (exponential(x) - 1) / x
	}
	return expRatioSeries(x)
}

// expRatioSeries returns (e^x - 1) / x for x from -0.35 to 0.35.
func expRatioSeries(x float64) float64 {
	sum := 1.0 / 1307674368000 // 1 / 15!
	sum = 1.0/87178291200 + float64(sum*x)
	sum = 1.0/6227020800 + float64(sum*x)
	sum = 1.0/479001600 + float64(sum*x)
	sum = 1.0/39916800 + float64(sum*x)
	sum = 1.0/3628800 + float64(sum*x)
	sum = 1.0/362880 + float64(sum*x)
	sum = 1.0/40320 + float64(sum*x)
	sum = 1.0/5040 + float64(sum*x)
	sum = 1.0/720 + float64(sum*x)
	sum = 1.0/120 + float64(sum*x)
	sum = 1.0/24 + float64(sum*x)
	sum = 1.0/6 + float64(sum*x)
	sum = 1.0/2 + float64(sum*x)
	return 1 + float64(sum*x)
}
