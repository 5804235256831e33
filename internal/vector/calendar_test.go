package vector

import (
	"math"
	"testing"
	"time"
)

func TestCivil(t *testing.T) {
	check := func(date int32) {
		of := time.Unix(int64(date)*24*60*60, 0).UTC()
		if y, m, d := civil(date); int(y) != of.Year() || int(m) != int(of.Month()) || int(d) != of.Day() {
			t.Fatalf("date %d: %d-%d-%d, want %v", date, y, m, d, of)
		}
	}
	for date := int32(-200000); date <= 200000; date++ {
		check(date)
	}
	for date := int64(math.MinInt32); date <= math.MaxInt32; date += 99991 {
		check(int32(date))
	}
	check(math.MinInt32)
	check(math.MaxInt32)
}

func TestSelectRows(t *testing.T) {
	room := make([]int32, 64+eight)
	for seed := range uint64(2000) {
		flags := make([]uint8, seed%64)
		bits := seed * 0x9E3779B97F4A7C15
		if seed%5 == 0 {
			bits = math.MaxUint64
		}
		var want []int32
		for i := range flags {
			if flags[i] = uint8(bits >> i & 1); flags[i] != 0 {
				want = append(want, int32(i))
			}
		}
		got := selectRows(room, flags)
		if len(got) != len(want) {
			t.Fatalf("flags %v: rows %v", flags, got)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("flags %v: rows %v", flags, got)
			}
		}
	}
}
