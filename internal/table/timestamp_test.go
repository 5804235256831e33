package table

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/ir"
)

func TestParseTimestamp(t *testing.T) {
	const noon = 1714564800 // 2024-05-01T12:00:00Z
	for text, want := range map[string]int64{
		"2024-05-01":                       (noon - 12*60*60) * 1e6,
		"2024-05-01T12:00":                 noon * 1e6,
		" 2024-05-01 12:00:07 ":            (noon + 7) * 1e6,
		"2024-05-01t12:00:00z":             noon * 1e6,
		"2024-05-01T12:00:00.25Z":          noon*1e6 + 250000,
		"2024-05-01T12:00:00,000001000Z":   noon*1e6 + 1,
		"2024-05-01T14:30:00+02:30":        noon * 1e6,
		"2024-05-01T14:30:00.5+0230":       noon*1e6 + 500000,
		"2024-05-01T07:00-05":              noon * 1e6,
		"2024-04-30T23:30:00-12:30":        noon * 1e6,
		"1969-12-31T23:59:59.999999Z":      -1,
		"-290308-12-21T19:59:05.224192Z":   math.MinInt64,
		"294247-01-10T04:00:54.775807Z":    math.MaxInt64,
		"294247-01-10T05:00:54.775807+01Z": 0, // refused
	} {
		got, err := parseTimestamp(text, exact)
		if want == 0 {
			if err == nil {
				t.Errorf("%s is %d", text, got)
			}
			continue
		}
		if err != nil || got != want {
			t.Errorf("%s is %d (%v), want %d", text, got, err, want)
		}
	}
}

func TestNoTimestamps(t *testing.T) {
	for text, said := range map[string]string{
		"":                               "the field is empty, but every row needs a timestamp",
		"noon":                           "is not a timestamp (YYYY-MM-DDThh:mm:ssZ)",
		"2024-05-01T":                    "is not a timestamp (",
		"2024-05-01T1:00:00":             "is not a timestamp (",
		"2024-05-01T12:00:0":             "is not a timestamp (",
		"2024-05-01T12-00":               "is not a timestamp (",
		"2024-05-01T12:00:00.":           "is not a timestamp (",
		"2024-05-01T12:00.5":             "is not a timestamp (",
		"2024-05-01T12:00:00+1":          "is not a timestamp (",
		"2024-05-01T12:00:00+01:2":       "is not a timestamp (",
		"2024-05-01T12:00:00Zulu":        "is not a timestamp (",
		"2024-05-01T24:00:00":            "a day has no such time",
		"2024-05-01T23:60:00":            "a day has no such time",
		"2024-05-01T23:59:60Z":           "a day has no such time",
		"2024-02-30T23:59:00Z":           "the calendar has no such day",
		"2024-05-01T12:00:00.0000001Z":   "it has a part of a microsecond",
		"294247-01-10T04:00:54.775808Z":  "is out of range for timestamp; timestamps reach from -290308-12-21T19:59:05.224192Z to 294247-01-10T04:00:54.775807Z",
		"-290308-12-21T19:59:05.224191Z": "is out of range",
		"-290308-12-21T20:00:00+01":      "is out of range",
		"5000000-01-01":                  "is out of range",
		"294247-01-10T00:00:00-09:00":    "is out of range",
	} {
		if s, err := ParseScalar(ir.Timestamp, text); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%q is %d, error %v, want one with %q", text, s.Int64(), err, said)
		}
	}
}

// Parts of a microsecond are rounded to the nearest one, halves to the even one.
func TestRounding(t *testing.T) {
	for fraction, want := range map[string]int64{
		"0000004999": 0, "0000005": 0, "00000050000000001": 1, "0000015": 2, "0000014": 1, "0000025": 2, "000002500": 2, "9999995": 1000000, "1234567": 123457, "5": 500000,
	} {
		at, err := parseTimestamp("1969-12-31T23:59:58."+fraction, rounded)
		if at += 2 * ir.MicrosPerSecond; err != nil || at != want {
			t.Errorf("a fraction .%s is %d microseconds (%v), want %d", fraction, at, err, want)
		}
	}
	for nanos, want := range map[int64]int64{-1: 0, -500: 0, -501: -1, -1500: -2, -2500: -2, -999: -1, 499: 0, 500: 0, 501: 1, 1500: 2, math.MaxInt64: 9223372036854776, math.MinInt64: -9223372036854776} {
		if got, ok := rounded.thousandth(nanos); got != want || !ok {
			t.Errorf("%d nanoseconds are %d microseconds (%v), want %d", nanos, got, ok, want)
		}
		if _, ok := exact.thousandth(nanos); ok {
			t.Errorf("%d nanoseconds are whole microseconds", nanos)
		}
	}
}

// What is written is read back, and is what package time writes.
func TestTimestampsComeBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 100_000 {
		micros := int64(r.Uint64()) >> r.IntN(40)
		if i%3 == 0 {
			micros -= micros % 1000
		}
		text := string(ir.AppendTimestamp(nil, micros))
		if back, err := parseTimestamp(text, exact); err != nil || back != micros {
			t.Fatalf("%d is written %s, which is read as %d (%v)", micros, text, back, err)
		}
		if at, err := time.Parse(time.RFC3339Nano, text); err == nil && at.UnixMicro() != micros {
			t.Fatalf("%d is written %s, which package time reads as %d", micros, text, at.UnixMicro())
		}
	}
}

func BenchmarkParseTimestamp(b *testing.B) {
	for b.Loop() {
		if _, err := parseTimestamp("2024-05-01T12:30:00.125Z", exact); err != nil {
			b.Fatal(err)
		}
	}
}
