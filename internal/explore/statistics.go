package explore

import (
	"math"
	"slices"
)

// confidence is the probability that an interval covers the median.
const confidence = 0.95

// Summary is what samples say about the median of what they are drawn from.
type Summary struct {
	Median float64 `json:"median_ns"`
	Low    float64 `json:"low_ns"` // Low to High is the confidence interval of the median, at 95 %,
	High   float64 `json:"high_ns"`
	Count  int     `json:"count"`
	Known  bool    `json:"known"` // if there are samples enough for one; else all samples lie in it
}

// Summarize returns the median of samples and its confidence interval between two
// order statistics, which holds for every distribution (Conover, Practical
// Nonparametric Statistics, 3rd edition, section 3.2).
func Summarize(samples []int64) Summary {
	n := len(samples)
	if n == 0 {
		return Summary{}
	}
	sorted := slices.Sorted(slices.Values(samples))
	s := Summary{Count: n, Median: (float64(sorted[(n-1)/2]) + float64(sorted[n/2])) / 2}
	rank := intervalRank(n)
	s.Known = rank > 0
	rank = max(rank, 1)
	s.Low, s.High = float64(sorted[rank-1]), float64(sorted[n-rank])
	return s
}

// intervalRank returns the largest k so that the k-th smallest and the k-th largest
// of n samples enclose the median with the confidence, or 0 if the smallest and the
// largest do not. The number of samples below the median is binomial.
func intervalRank(n int) int {
	outside := 1 - confidence
	logHalf := float64(n) * math.Ln2
	below, rank := 0.0, 0
	for k := range n / 2 {
		below += math.Exp(logChoose(n, k) - logHalf)
		if 2*below > outside {
			break
		}
		rank = k + 1
	}
	return rank
}

// logChoose returns the logarithm of n choose k.
func logChoose(n, k int) float64 {
	all, _ := math.Lgamma(float64(n + 1))
	chosen, _ := math.Lgamma(float64(k + 1))
	rest, _ := math.Lgamma(float64(n - k + 1))
	return all - chosen - rest
}

// Width returns half of the confidence interval in relation to the median: 0.02 is
// ±2 %. It is infinite where there are too few samples.
func (s Summary) Width() float64 {
	if !s.Known || s.Median <= 0 {
		return math.Inf(1)
	}
	return (s.High - s.Low) / 2 / s.Median
}

// Verdict says how a time relates to an earlier one.
type Verdict string

// leastEffect is the difference below which times are alike, however well they are
// known: so much differs between two starts of a program.
const leastEffect = 0.01

// The verdicts. The first two need confidence intervals that do not meet.
const (
	Slower  Verdict = "slower"
	Faster  Verdict = "faster"
	Alike   Verdict = "alike"   // no difference is shown
	Unknown Verdict = "unknown" // one of them has too few samples
)

// Ratio is a quotient of two medians with bounds.
type Ratio struct {
	Value   float64 `json:"ratio"` // new time over old time: above 1 is slower
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Verdict Verdict `json:"verdict"`
}

// ratioOf compares two times. The bounds are those of both intervals at their
// worst, so they hold with at least 90 % confidence.
func ratioOf(before, after Summary) Ratio {
	if before.Count == 0 || after.Count == 0 || before.Low <= 0 {
		return Ratio{Verdict: Unknown}
	}
	r := Ratio{Value: after.Median / before.Median, Low: after.Low / before.High, High: after.High / before.Low, Verdict: Alike}
	switch {
	case !before.Known || !after.Known:
		r.Verdict = Unknown
	case r.Low > 1 && r.Value > 1+leastEffect:
		r.Verdict = Slower
	case r.High < 1 && r.Value < 1-leastEffect:
		r.Verdict = Faster
	}
	return r
}
