package interp

import (
	"math"
	"testing"
	"time"
)

// Every day of some 1100 years, and a sample of all that a date can hold,
// against the standard library.
func TestCivilAgreesWithTime(t *testing.T) {
	check := func(days int64) {
		year, month, day := civil(days)
		want := time.Unix(days*86400, 0).UTC()
		if year != int64(want.Year()) || month != int64(want.Month()) || day != int64(want.Day()) {
			t.Fatalf("day %d is %d-%02d-%02d, want %s", days, year, month, day, want.Format("2006-01-02"))
		}
	}
	for days := int64(-800_000); days < 400_000; days++ {
		check(days)
	}
	for days := int64(math.MinInt32); days <= math.MaxInt32; days += 9973 {
		check(days)
	}
	check(math.MaxInt32)
}

func TestCivilKnownDays(t *testing.T) {
	for _, test := range []struct{ days, year, month, day int64 }{
		{0, 1970, 1, 1},
		{-1, 1969, 12, 31},
		{11016, 2000, 2, 29},
		{-719528, 0, 1, 1},
		{-719529, -1, 12, 31},
		{math.MinInt32, -5877641, 6, 23},
		{math.MaxInt32, 5881580, 7, 11},
	} {
		if y, m, d := civil(test.days); y != test.year || m != test.month || d != test.day {
			t.Errorf("day %d is %d-%02d-%02d, want %d-%02d-%02d", test.days, y, m, d, test.year, test.month, test.day)
		}
	}
}
