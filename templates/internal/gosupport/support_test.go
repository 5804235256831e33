package support

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
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

// Groups of shards are merged by key, as a map would collect them.
func TestFoldPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	keys := []float64{math.Inf(-1), -2, 0, 1.5, math.Inf(1), math.NaN()}
	shard := func() (key []float64, rows []int64, last []string) {
		for _, k := range keys {
			if random.IntN(2) == 0 {
				key, rows, last = append(key, k), append(rows, random.Int64N(3)), append(last, fmt.Sprint(random.IntN(100)))
			}
		}
		return key, rows, last
	}
	for range 200 {
		key, rows, last := shard()
		laterKey, laterRows, laterLast := shard()
		var wantKey []float64
		var wantRows []int64
		var wantLast []string
		for _, k := range keys {
			same := func(other float64) bool { return other == k || other != other && k != k }
			i, j := slices.IndexFunc(key, same), slices.IndexFunc(laterKey, same)
			switch {
			case i >= 0 && j >= 0:
				wantKey, wantRows = append(wantKey, k), append(wantRows, rows[i]+laterRows[j])
				wantLast = append(wantLast, map[bool]string{true: last[i], false: laterLast[j]}[laterRows[j] == 0])
			case i >= 0:
				wantKey, wantRows, wantLast = append(wantKey, k), append(wantRows, rows[i]), append(wantLast, last[i])
			case j >= 0:
				wantKey, wantRows, wantLast = append(wantKey, k), append(wantRows, laterRows[j]), append(wantLast, laterLast[j])
			}
		}
		pairs := kgenPairGroups(len(key), len(laterKey), func(i, j int) int { return kgenOrder(key[i], laterKey[j]) })
		gotKey := kgenFoldPairs(key, laterKey, pairs, nil, nil, kgenFoldFirst)
		gotLast := kgenFoldPairs(last, laterLast, pairs, rows, laterRows, kgenFoldLast)
		gotRows := kgenFoldPairs(rows, laterRows, pairs, nil, nil, kgenFoldSum)
		if fmt.Sprint(gotKey, gotRows, gotLast) != fmt.Sprint(wantKey, wantRows, wantLast) {
			t.Fatalf("%v %v %q and %v %v %q give %v %v %q, want %v %v %q", key, rows, last, laterKey, laterRows, laterLast, gotKey, gotRows, gotLast, wantKey, wantRows, wantLast)
		}
	}
}

// Keys have one order: NaN is last, zeros are equal, false is before true.
func TestOrderOfKeys(t *testing.T) {
	floats := []float64{math.Inf(-1), -1, 0, 1, math.Inf(1), math.NaN()}
	for i, a := range floats {
		for j, b := range floats {
			if got := kgenOrder(a, b); got != cmp.Compare(i, j) {
				t.Errorf("%v and %v: %d", a, b, got)
			}
		}
	}
	if kgenOrder(math.Copysign(0, -1), 0) != 0 || kgenOrder(-1, int8(1)) >= 0 {
		t.Error("zeros differ, or -1 is not before 1")
	}
	if kgenOrderBools(false, true) >= 0 || kgenOrderBools(true, false) <= 0 || kgenOrderBools(true, true) != 0 {
		t.Error("false is not before true")
	}
	if kgenOrderBytes([8]byte{0, 200}, [8]byte{1}) >= 0 || kgenOrderBytes([8]byte{200}, [8]byte{1}) <= 0 {
		t.Error("bytes are not unsigned, from the first one on")
	}
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
			kgenFork(nil, workers, rows, 8, func(worker, lo, hi int) {
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
			kgenInOrder(nil, workers, rows, 5, func(blocks *kgenBlocks) {
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

// Each worker has every so manieth block, if blocks are dealt.
func TestDealtBlocks(t *testing.T) {
	for _, rows := range []int{0, 1, 4, 5, 1003} {
		for workers := 1; workers < 9; workers++ {
			by := make([]int, (rows+4)/5)
			kgenInOrder(nil, workers, rows, 5, func(blocks *kgenBlocks) {
				worker := blocks.deal()
				for blocks.next() {
					blocks.await()
					by[blocks.number] = worker
					blocks.release()
				}
			})
			for number, worker := range by {
				if want := number % min(workers, len(by)); worker != want {
					t.Fatalf("%d rows, %d workers: worker %d has block %d", rows, workers, worker, number)
				}
			}
		}
	}
}

// Memory moves when no earlier block copies to it any more.
func TestSettleWaitsForEarlierBlocks(t *testing.T) {
	const rows, block = 40, 10
	inTurn := make([]chan bool, rows/block+1)
	for i := range inTurn {
		inTurn[i] = make(chan bool)
	}
	var copied atomic.Int64
	kgenInOrder(&kgenCall{}, 2, rows, block, func(blocks *kgenBlocks) {
		for blocks.next() {
			number := blocks.number
			blocks.await()
			close(inTurn[number])
			blocks.settle()
			if earlier := copied.Load(); earlier != number {
				t.Errorf("block %d may move memory when %d of %d blocks before it are done", number, earlier, number)
			}
			blocks.release()
			if number%2 == 0 {
				<-inTurn[number+1]
				time.Sleep(time.Millisecond)
			}
			copied.Add(1)
			blocks.done()
		}
	})
}

// Columns that grow keep what they have, and soon have room for what all rows will need, but hardly more.
func TestGrow(t *testing.T) {
	const rows, block = 1 << 20, 1 << 12
	for _, c := range []struct {
		name       string
		results    func(row int) int // of rows 0 to row
		moves, all int               // at most
	}{
		{"one of 64", func(row int) int { return row / 64 }, 3, rows/64*17/16 + block + 1},
		{"all", func(row int) int { return row }, 2, rows + 1},
		{"none", func(row int) int { return 0 }, 2, block + 1},
		{"the second half", func(row int) int { return max(row-rows/2, 0) }, 20, rows/2 + rows/4},
		{"the first half", func(row int) int { return min(row, rows/2) }, 2, rows + 1},
	} {
		var column []int64
		used, moves := 0, 0
		for lo := 0; lo < rows; lo += block {
			n := min(used+block+1, rows)
			grown := kgenGrow(column, 1, used, n, lo, rows)
			if len(grown) < n {
				t.Fatalf("%s: %d elements of %d", c.name, len(grown), n)
			}
			if len(column) > 0 && &grown[0] != &column[0] || len(column) == 0 {
				moves++
			}
			column = grown
			for next := c.results(lo + block); used < next; used++ {
				column[used] = int64(used)
			}
		}
		for i, x := range column[:used] {
			if x != int64(i) {
				t.Fatalf("%s: element %d is %d", c.name, i, x)
			}
		}
		if moves > c.moves || len(column) > c.all {
			t.Errorf("%s: %d moves, room for %d; want %d and %d at most", c.name, moves, len(column), c.moves, c.all)
		}
	}
}

func TestWorkersOption(t *testing.T) {
	call := func(options ...Option) *kgenCall { c := kgenBegin(options); return &c }
	if got := kgenWorkers(call(WithWorkers(3)), 99, 100); got != 1 {
		t.Errorf("few rows: %d workers", got)
	}
	if got := kgenWorkers(call(WithWorkers(3)), 100, 100); got != 3 {
		t.Errorf("%d workers, want 3", got)
	}
	if got := kgenWorkers(call(WithWorkers(math.MaxInt)), 100, 100); got != 100 { // else kgenFork overflows
		t.Errorf("%d workers for 100 rows", got)
	}
	for _, n := range []int{0, -1, math.MinInt} {
		if got := kgenWorkers(call(WithWorkers(3), WithWorkers(n)), 100, 100); got != runtime.GOMAXPROCS(0) {
			t.Errorf("WithWorkers(%d): %d workers", n, got)
		}
	}
}

func TestAllocator(t *testing.T) {
	memory := make([]uint64, 4)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&memory[0])), 32)
	asked := 0
	var give []byte
	call := kgenBegin([]Option{WithAllocator(func(bytes int) []byte { asked = bytes; return give }), {}})
	old := make([]int32, 1, 3)
	if got := kgenColumn(&call, old, 3); &got[0] != &old[0] || len(got) != 3 || asked != 0 {
		t.Error("memory was not used again")
	}
	give = bytes
	if got := kgenColumn(&call, old, 7); len(got) != 7 || asked != 28 || call.err != nil || unsafe.Pointer(&got[0]) != unsafe.Pointer(&memory[0]) {
		t.Errorf("%d rows, asked for %d bytes, error %v", len(got), asked, call.err)
	}
	for _, bad := range [][]byte{nil, bytes[:27], bytes[1:]} {
		call.err = nil
		if give = bad; kgenColumn(&call, old, 7) != nil || call.err == nil {
			t.Errorf("%d bytes were taken for 28", len(bad))
		}
	}
}

func TestScratch(t *testing.T) {
	var scratch Scratch
	run := func(n int) (int32s []int32, bools []bool) {
		call := kgenBegin([]Option{WithScratch(&scratch)})
		return kgenTemporary[int32](&call, n), kgenTemporary[bool](&call, 2*n)
	}
	a, b := run(10)
	c, d := run(9)
	if &a[0] != &c[0] || &b[0] != &d[0] || len(c) != 9 || len(d) != 18 {
		t.Error("memory was not used again")
	}
	if allocated := testing.AllocsPerRun(10, func() { run(10) }); allocated > 0 {
		t.Errorf("%v allocations a call", allocated)
	}
	call := kgenBegin([]Option{WithScratch(&scratch)})
	if other := kgenTemporary[float64](&call, 5); len(other) != 5 { // of another function
		t.Error("no memory for another type")
	}
	call = kgenBegin(nil)
	if len(kgenTemporary[bool](&call, 5)) != 5 || len(scratch.columns) != 2 {
		t.Error("no memory without scratch")
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
}

func testFill[T comparable](t *testing.T, value T) {
	const cached = 1 << 22
	for _, bytes := range []int{0, 8, 4088, 4096, 4104, 3*4096 + 8, cached, cached + 8} {
		n := bytes / int(unsafe.Sizeof(value))
		column := make([]T, n+1)
		kgenFill(column[:n], value)
		for i, got := range column {
			if (got == value) != (i < n) {
				t.Fatalf("%T: element %d of %d is %v", value, i, n, got)
			}
		}
	}
}

func TestFill(t *testing.T) {
	testFill(t, int8(-1))
	testFill(t, uint16(7))
	testFill(t, float32(2.5))
	testFill(t, int64(math.MaxInt64))
}

func TestFewest(t *testing.T) {
	differs := func(from int) func(int) string {
		return func(rows int) string {
			if rows < from {
				return ""
			}
			return fmt.Sprint(rows, " differ")
		}
	}
	for _, c := range []struct {
		rows, from int
		difference string
		fewest     int
	}{{200, 0, "0 differ", 0}, {200, 1, "1 differ", 1}, {200, 7, "7 differ", 7}, {200, 200, "200 differ", 200}, {200, 201, "", 200}} {
		if difference, fewest := kgenFewest(c.rows, differs(c.from)); difference != c.difference || fewest != c.fewest {
			t.Errorf("%d rows, of which %d differ: %q with %d", c.rows, c.from, difference, fewest)
		}
	}
}

// Large columns of a call begin at places of a page of their own, and have no more room than rows.
func TestColumnsApart(t *testing.T) {
	const page, n = 4096, 10_000
	call := kgenCall{}
	seen := map[uintptr]bool{}
	for range 12 {
		column := kgenColumn[int64](&call, nil, n)
		if len(column) != n || cap(column) != n {
			t.Fatalf("%d rows, room for %d", len(column), cap(column))
		}
		line := uintptr(unsafe.Pointer(&column[0])) % page / 64
		if seen[line] {
			t.Errorf("two columns begin at line %d of a page", line)
		}
		seen[line] = true
	}
	if small := kgenColumn[int64](&call, nil, 10); cap(small) != 10 || call.large != 12 {
		t.Errorf("room for %d rows, %d large columns", cap(small), call.large)
	}
}

// Lengths whose bytes no integer counts are refused; they do not wrap around to less memory.
func TestColumnsThatNoMemoryHas(t *testing.T) {
	for _, n := range []int{math.MaxInt, math.MaxInt / 4, math.MaxInt / 8, math.MaxInt/8 - 10, math.MaxInt/8 - 2*kgenLarge} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("there is memory for %d rows", n)
				}
			}()
			kgenPlaced[int64](1, n)
		}()
	}
}
