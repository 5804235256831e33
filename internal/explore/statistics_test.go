package explore

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The ranks are those of published tables of confidence intervals for the median
// (Conover, table A3 gives the same for 95 %).
func TestIntervalRank(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 0, 5: 0, 6: 1, 8: 1, 9: 2, 11: 2, 12: 3, 15: 4, 20: 6, 25: 8, 30: 10, 50: 18, 100: 40} {
		if got := intervalRank(n); got != want {
			t.Errorf("%d samples: rank %d, want %d", n, got, want)
		}
	}
}

func TestSummarize(t *testing.T) {
	s := Summarize([]int64{9, 1, 8, 2, 7, 3, 6, 4, 5})
	if s.Median != 5 || s.Low != 2 || s.High != 8 || !s.Known || s.Width() != 0.6 {
		t.Errorf("%+v", s)
	}
	if s = Summarize([]int64{4, 2}); s.Median != 3 || s.Low != 2 || s.High != 4 || s.Known || !math.IsInf(s.Width(), 1) {
		t.Errorf("%+v", s)
	}
	if s = Summarize(nil); s != (Summary{}) || !math.IsInf(s.Width(), 1) {
		t.Errorf("%+v", s)
	}
}

// The interval covers the median of what samples are drawn from about as often as
// it says, for a distribution with a long tail.
func TestCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const trials = 4000
	covered := 0
	for range trials {
		samples := make([]int64, 21)
		for i := range samples {
			samples[i] = int64(1e6 * math.Exp(r.NormFloat64())) // its median is 1e6
		}
		if s := Summarize(samples); s.Low <= 1e6 && 1e6 <= s.High {
			covered++
		}
	}
	if share := float64(covered) / trials; share < confidence || share > 0.985 {
		t.Errorf("covered in %.3f of all trials", share)
	}
}

func TestRatio(t *testing.T) {
	times := func(median, spread float64) Summary {
		return Summary{Median: median, Low: median - spread, High: median + spread, Count: 20, Known: true}
	}
	few := times(100, 1)
	few.Known = false
	for _, c := range []struct {
		before, after Summary
		want          Verdict
	}{
		{times(100, 1), times(110, 1), Slower},
		{times(100, 1), times(90, 1), Faster},
		{times(100, 6), times(110, 6), Alike},
		{times(100, 1), few, Unknown},
		{Summary{}, times(1, 0), Unknown},
	} {
		if got := ratioOf(c.before, c.after); got.Verdict != c.want || got.Low > got.Value || got.High < got.Value {
			t.Errorf("%+v and %+v: %+v, want %s", c.before, c.after, got, c.want)
		}
	}
}
