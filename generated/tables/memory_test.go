package tables_test

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/generated/tables"
)

// There is room for as many sessions as there are events, the last of which is open at the end.
func TestMemoryOfEachRow(t *testing.T) {
	for _, rows := range []int{1, 32767, 32768, 32769, 65536, 65537, 200_000} {
		list := make([]int64, rows)
		for i := range list {
			list[i] = int64(i)
		}
		for workers := 1; workers <= 2; workers++ {
			result, err := tables.RichSessions(list, list, list, 0, 0, tables.WithWorkers(workers))
			if err != nil || !slices.Equal(result.User, list) || !slices.Equal(result.Total, list) {
				t.Errorf("%d workers: %d sessions of %d rows, %v", workers, len(result.User), rows, err)
			}
		}
	}
}

// Results of a call and what it stores between its kernels take as much memory as there are rows of them, not as many
// as it reads.
func TestMemoryFits(t *testing.T) {
	const rows = 1 << 19
	list, few := make([]int64, rows), make([]int32, rows)
	for i := range list {
		list[i] = int64(i / 8)
		few[i] = int32(i % 16)
	}
	for name, call := range map[string]func(options ...tables.Option) (any, error){
		"sessions": func(options ...tables.Option) (any, error) {
			return tables.RichSessions(list, list, list, 1, 7*rows/8, options...)
		},
		"orders": func(options ...tables.Option) (any, error) {
			return tables.LargeOrders(list, few, list, 15, 0, options...)
		},
		"rows": func(options ...tables.Option) (any, error) {
			return tables.WideRows(few, list, list, list, list, 1, options...)
		},
		"groups": func(options ...tables.Option) (any, error) { return tables.LongSums(list, list, options...) },
	} {
		var results []any
		for workers := 1; workers <= 2; workers++ {
			t.Run(fmt.Sprintf("%s, %d workers", name, workers), func(t *testing.T) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				result, err := call(tables.WithWorkers(workers))
				runtime.ReadMemStats(&after)
				if err != nil {
					t.Fatal(err)
				}
				const most = rows * 8 // one column of all rows
				if taken := after.TotalAlloc - before.TotalAlloc; taken > most*uint64(workers) {
					t.Errorf("%d bytes allocated for %d rows, want %d at most", taken, rows, most*workers)
				}
				results = append(results, result)
			})
		}
		if !reflect.DeepEqual(results[0], results[1]) {
			t.Errorf("%s: one worker and two differ", name)
		}
	}
}
