package bench_test

import (
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/generated/bench"
)

// short makes runs of a few rows.
func short(r *rand.Rand) int { return 1 + r.IntN(5) }

func TestColumnsOfDifferentLength(t *testing.T) {
	_, err := bench.SumRuns([]int32{1, 2, 3}, []int32{1, 2})
	if err == nil || !strings.Contains(err.Error(), "value has 2 rows") || !strings.Contains(err.Error(), "have 3") {
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
	allocated := testing.AllocsPerRun(10, func() {
		if err := bench.SumRunsInto(&result, small.key, small.value); err != nil {
			t.Error(err)
		}
	})
	if allocated > 0 {
		t.Errorf("%v allocations a call", allocated)
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
