package bench_test

import (
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/generated/bench"
	"github.com/kgen-go/kgen/generated/bench/unfused"
)

// short makes runs of a few rows.
func short(r *rand.Rand) int { return 1 + r.IntN(5) }

func TestColumnsOfDifferentLength(t *testing.T) {
	_, err := bench.SumRuns([]int32{1, 2, 3}, []int32{1, 2})
	if err == nil || !strings.Contains(err.Error(), "value has 2 rows") || !strings.Contains(err.Error(), "key has 3") {
		t.Errorf("got error %v", err)
	}
	_, err = bench.Q6(nil, nil, nil, []float64{1}, 0, 1)
	if err == nil || !strings.Contains(err.Error(), "price has 1 rows") {
		t.Errorf("got error %v", err)
	}
}

func TestNoRows(t *testing.T) {
	for _, key := range [][]int32{nil, {}} {
		result, err := bench.SumRuns(key, key)
		if err != nil || len(result.Key) != 0 || len(result.Count) != 0 || len(result.Total) != 0 {
			t.Errorf("got %+v, %v", result, err)
		}
		if q6, err := bench.Q6(key, nil, []float64{}, nil, 0, 1); err != nil || q6.Revenue != 0 {
			t.Errorf("got %+v, %v", q6, err)
		}
	}
}

// Any number of workers is accepted and gives the same.
func TestNumbersOfWorkers(t *testing.T) {
	c := makeColumns(3*block+5, short)
	want, err := bench.SumRuns(c.key, c.value, bench.WithWorkers(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{-1, 0, 2, 5, 1000} {
		got, err := bench.SumRuns(c.key, c.value, bench.WithWorkers(workers))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers give another result; error %v", workers, err)
		}
	}
}

// A result that is used again keeps its memory, and has the lengths of the
// last call, larger or smaller.
func TestResultUsedAgain(t *testing.T) {
	large, small := makeColumns(5000, short), makeColumns(100, short)
	var result bench.SumRunsResult
	for _, c := range []columns{small, large, small, {}, large} {
		if err := bench.SumRunsInto(&result, c.key, c.value); err != nil {
			t.Fatal(err)
		}
		want := plainRuns(c)
		requireColumns(t, "sum_runs", result, nil, []any{want.key, want.count, want.total})
	}
	many := makeColumns(3*block, short)
	option := bench.WithWorkers(1)
	if err := bench.SumRunsInto(&result, many.key, many.value, option); err != nil {
		t.Fatal(err)
	}
	memory := &result.Key[0]
	for range 3 {
		if err := bench.SumRunsInto(&result, many.key, many.value, option); err != nil || &result.Key[0] != memory {
			t.Errorf("the result moved; error %v", err)
		}
	}
}

// Into allocates nothing on one worker when dst is large enough, with scratch
// where there is something to store on the way.
func TestNoAllocation(t *testing.T) {
	c := makeColumns(3*block, short)
	var (
		sums      bench.SumRunsResult
		revenue   bench.Q6Result
		apart     unfused.SumRunsResult
		scratch   unfused.Scratch
		different unfused.HavingResult
		memory    unfused.Scratch
	)
	for name, call := range map[string]func() error{
		"SumRuns": func() error { return bench.SumRunsInto(&sums, c.key, c.value, bench.WithWorkers(1)) },
		"Q6": func() error {
			return bench.Q6Into(&revenue, c.value, c.discount, c.amount, c.price, from, to, bench.WithWorkers(1))
		},
		"few rows": func() error { return bench.SumRunsInto(&sums, c.key[:100], c.value[:100]) },
		"SumRuns unfused": func() error {
			return unfused.SumRunsInto(&apart, c.key, c.value, unfused.WithWorkers(1), unfused.WithScratch(&scratch))
		},
		"Having unfused": func() error {
			return unfused.HavingInto(&different, c.key, c.value, least, unfused.WithWorkers(1), unfused.WithScratch(&memory))
		},
	} {
		allocated := testing.AllocsPerRun(5, func() {
			if err := call(); err != nil {
				t.Error(err)
			}
		})
		if allocated > 0 {
			t.Errorf("%s: %v allocations a call", name, allocated)
		}
	}
	many := testing.AllocsPerRun(5, func() {
		if err := unfused.SumRunsInto(&apart, c.key, c.value, unfused.WithWorkers(1)); err != nil {
			t.Error(err)
		}
	})
	if many == 0 {
		t.Error("without scratch nothing is allocated either: the test measures nothing")
	}
}

// Scratch may be used with other data, and other functions, in between.
func TestScratchUsedAgain(t *testing.T) {
	large, small := makeColumns(3*block, short), makeColumns(100, short)
	var scratch unfused.Scratch
	for _, c := range []columns{small, large, small, {}, large} {
		for _, workers := range []int{1, 3} {
			options := []unfused.Option{unfused.WithWorkers(workers), unfused.WithScratch(&scratch)}
			sums, err := unfused.SumRuns(c.key, c.value, options...)
			runs := plainRuns(c)
			requireColumns(t, "sum_runs", sums, err, []any{runs.key, runs.count, runs.total})
			having, err := unfused.Having(c.key, c.value, least, options...)
			requireColumns(t, "having", having, err, plainHaving(c))
		}
	}
}

func TestNilDestination(t *testing.T) {
	err := bench.SumRunsInto(nil, []int32{1}, []int32{1})
	if err == nil || err.Error() != "bench.kg:20:1: SumRunsInto: dst is nil; give it a *SumRunsResult to fill in" {
		t.Errorf("got error %v", err)
	}
}

// Columns come from the allocator where the destination has no room for them.
func TestAllocator(t *testing.T) {
	c := makeColumns(1000, short)
	want := plainRuns(c)
	given := map[*byte]bool{}
	allocate := bench.WithAllocator(func(bytes int) []byte {
		memory := make([]byte, bytes)
		given[&memory[0]] = true
		return memory
	})
	var result bench.SumRunsResult
	err := bench.SumRunsInto(&result, c.key, c.value, allocate)
	requireColumns(t, "sum_runs", result, err, []any{want.key, want.count, want.total})
	if !given[(*byte)(unsafe.Pointer(&result.Key[0]))] || !given[(*byte)(unsafe.Pointer(&result.Total[0]))] || len(given) != 3 {
		t.Errorf("the allocator was asked %d times", len(given))
	}
	err = bench.SumRunsInto(&result, c.key, c.value, allocate)
	requireColumns(t, "sum_runs", result, err, []any{want.key, want.count, want.total})
	if len(given) != 3 {
		t.Errorf("the allocator was asked %d times", len(given))
	}
	var fresh bench.SumRunsResult
	err = bench.SumRunsInto(&fresh, c.key, c.value, bench.WithAllocator(func(int) []byte { return nil }))
	if err == nil || !strings.Contains(err.Error(), "bench.kg:20:1: SumRuns: the allocator gave 0 bytes") || fresh.Key != nil {
		t.Errorf("got error %v", err)
	}
}

// A failed call leaves no trace in the memory of the result's next use.
func TestResultAfterError(t *testing.T) {
	c := makeColumns(50, short)
	var result bench.SumRunsResult
	if err := bench.SumRunsInto(&result, c.key, c.value[1:]); err == nil {
		t.Fatal("no error")
	}
	err := bench.SumRunsInto(&result, c.key, c.value)
	want := plainRuns(c)
	requireColumns(t, "sum_runs", result, err, []any{want.key, want.count, want.total})
}

// Many goroutines may call the same functions over the same columns.
func TestCallsAtOnce(t *testing.T) {
	c := makeColumns(2*block+9, short)
	var calls sync.WaitGroup
	for n := range 2 * runtime.GOMAXPROCS(0) {
		calls.Go(func() {
			for _, w := range workloads {
				got, err := w.fused(c, 1+n%3)
				requireColumns(t, w.name, got, err, w.plain(c))
			}
		})
	}
	calls.Wait()
}
