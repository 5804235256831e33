package support

import (
	"math"
	"testing"
	"time"
)

func TestCalendarAgreesWithTime(t *testing.T) {
	check := func(date int32) {
		t.Helper()
		day := time.Unix(int64(date)*86400, 0).UTC()
		if y, m, d := kgenYear(date), kgenMonth(date), kgenDay(date); int(y) != day.Year() || int(m) != int(day.Month()) || int(d) != day.Day() {
			t.Fatalf("date %d: %d-%d-%d, want %v", date, y, m, d, day)
		}
	}
	for date := int32(-300000); date <= 300000; date++ {
		check(date)
	}
	for date := int64(math.MinInt32); date <= math.MaxInt32; date += 99991 {
		check(int32(date))
	}
	check(math.MinInt32)
	check(math.MaxInt32)
}

func TestTruncate(t *testing.T) {
	for _, c := range []struct {
		x    float64
		i8   int8
		i64  int64
		u8   uint8
		u64  uint64
		i32b int32
	}{
		{math.NaN(), 0, 0, 0, 0, 0},
		{-1.9, -1, -1, 0, 0, -1},
		{-0.5, 0, 0, 0, 0, 0},
		{127.9, 127, 127, 127, 127, 127},
		{300, 127, 300, 255, 300, 300},
		{-300, -128, -300, 0, 0, -300},
		{math.Inf(1), 127, math.MaxInt64, 255, math.MaxUint64, math.MaxInt32},
		{math.Inf(-1), -128, math.MinInt64, 0, 0, math.MinInt32},
		{1 << 63, 127, math.MaxInt64, 255, 1 << 63, math.MaxInt32},
		{1<<63 - 1024, 127, 1<<63 - 1024, 255, 1<<63 - 1024, math.MaxInt32},
		{-1 << 63, -128, math.MinInt64, 0, 0, math.MinInt32},
		{1<<64 - 2048, 127, math.MaxInt64, 255, 1<<64 - 2048, math.MaxInt32},
	} {
		if got := kgenTruncate[int8](c.x, math.MinInt8, math.MaxInt8); got != c.i8 {
			t.Errorf("int8 of %v: %d, want %d", c.x, got, c.i8)
		}
		if got := kgenTruncate[int64](c.x, math.MinInt64, math.MaxInt64); got != c.i64 {
			t.Errorf("int64 of %v: %d, want %d", c.x, got, c.i64)
		}
		if got := kgenTruncate[uint8](c.x, 0, math.MaxUint8); got != c.u8 {
			t.Errorf("uint8 of %v: %d, want %d", c.x, got, c.u8)
		}
		if got := kgenTruncate[uint64](c.x, 0, math.MaxUint64); got != c.u64 {
			t.Errorf("uint64 of %v: %d, want %d", c.x, got, c.u64)
		}
		if got := kgenTruncate[int32](c.x, math.MinInt32, math.MaxInt32); got != c.i32b {
			t.Errorf("int32 of %v: %d, want %d", c.x, got, c.i32b)
		}
	}
}

func TestKeys(t *testing.T) {
	negative := math.Copysign(0, -1)
	order := []float64{math.Inf(-1), -1, 0, 1, math.Inf(1), math.NaN()}
	for i, x := range order {
		for j, y := range order {
			if kgenKeyLess(x, y) != (i < j) || kgenKeyEqual(x, y) != (i == j) {
				t.Errorf("%v and %v: less %v, equal %v", x, y, kgenKeyLess(x, y), kgenKeyEqual(x, y))
			}
		}
	}
	if !kgenKeyEqual(negative, 0) || kgenKeyLess(negative, 0) {
		t.Error("-0.0 and 0.0 are two keys")
	}
}

func TestForkCoversEachRowOnce(t *testing.T) {
	for _, rows := range []int{0, 1, 7, 8, 9, 64, 1000} {
		for workers := 1; workers < 9; workers++ {
			seen := make([]int, rows)
			used := make([]bool, workers)
			kgenFork(workers, rows, 8, func(worker, lo, hi int) {
				used[worker] = true
				if lo%8 != 0 {
					t.Errorf("cut at %d", lo)
				}
				for i := lo; i < hi; i++ {
					seen[i]++
				}
			})
			for i, n := range seen {
				if n != 1 {
					t.Fatalf("%d rows, %d workers: row %d seen %d times", rows, workers, i, n)
				}
			}
			if !used[0] {
				t.Errorf("%d rows: worker 0 did not run", rows)
			}
		}
	}
}

func TestChainTakesTurnsInOrder(t *testing.T) {
	for _, rows := range []int{0, 1, 4, 5, 1003} {
		for workers := 1; workers < 9; workers++ {
			seen := make([]int, rows)
			end := 0
			kgenInOrder(workers, rows, 5, func(blocks *kgenBlocks) {
				for blocks.next() {
					blocks.await()
					if blocks.lo != end {
						t.Errorf("block at %d follows row %d", blocks.lo, end)
					}
					end = blocks.hi
					blocks.release()
					for i := blocks.lo; i < blocks.hi; i++ {
						seen[i]++
					}
				}
			})
			for i, n := range seen {
				if n != 1 {
					t.Fatalf("%d rows, %d workers: row %d seen %d times", rows, workers, i, n)
				}
			}
			if end != rows {
				t.Errorf("%d rows, %d workers: ended at %d", rows, workers, end)
			}
		}
	}
}

func TestWorkersOption(t *testing.T) {
	options := []Option{WithWorkers(3)}
	if got := kgenWorkers(options, 99, 100); got != 1 {
		t.Errorf("few rows: %d workers", got)
	}
	if got := kgenWorkers(options, 100, 100); got != 3 {
		t.Errorf("%d workers, want 3", got)
	}
	if got := kgenWorkers([]Option{WithWorkers(0)}, 100, 100); got < 1 {
		t.Errorf("%d workers", got)
	}
}

func TestCheckErrorText(t *testing.T) {
	e := &CheckError{Row: 7, Position: "a.kg:3:9", Message: "division by zero", Domain: "n"}
	if got := e.Error(); got != "a.kg:3:9: division by zero (row 7 of n)" {
		t.Error(got)
	}
	e.Domain = ""
	if got := e.Error(); got != "a.kg:3:9: division by zero" {
		t.Error(got)
	}
}

func TestIntegers(t *testing.T) {
	if kgenAbs(int8(math.MinInt8)) != math.MinInt8 || kgenAbs(int64(-5)) != 5 || kgenAbs(uint8(200)) != 200 {
		t.Error("abs")
	}
	if kgenBit[int32](true) != 1 || kgenBit[uint8](false) != 0 || kgenSelect(true, 1, 2) != 1 || kgenSelect(false, 1, 2) != 2 {
		t.Error("bit or select")
	}
	if s := kgenSlice(make([]int, 1, 8), 5); len(s) != 5 || cap(s) != 8 {
		t.Error("memory was not reused")
	}
}
