package bench_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/generated/bench"
	"github.com/kgen-go/kgen/generated/bench/unfused"
)

// columns are the arguments of all workloads.
type columns struct {
	key, value              []int32
	wide                    []int64
	price, discount, amount []float64
}

// workload is a pipeline in both of its forms and as plain loops, which give
// the columns of its result.
type workload struct {
	name           string
	fused, unfused func(c columns, workers int) (any, error)
	plain          func(c columns) []any
}

const (
	limit    = 40
	least    = 3
	from, to = 10, 90
)

var workloads = []workload{
	{"scan_i32",
		func(c columns, w int) (any, error) { return bench.ScanI32(c.value, bench.WithWorkers(w)) },
		func(c columns, w int) (any, error) { return unfused.ScanI32(c.value, unfused.WithWorkers(w)) },
		plainScan},
	{"filter_i32",
		func(c columns, w int) (any, error) { return bench.FilterI32(c.value, limit, bench.WithWorkers(w)) },
		func(c columns, w int) (any, error) { return unfused.FilterI32(c.value, limit, unfused.WithWorkers(w)) },
		plainFilter},
	{"filter_columns",
		func(c columns, w int) (any, error) {
			return bench.FilterColumns(c.value, c.wide, c.price, limit, bench.WithWorkers(w))
		},
		func(c columns, w int) (any, error) {
			return unfused.FilterColumns(c.value, c.wide, c.price, limit, unfused.WithWorkers(w))
		},
		plainFilterColumns},
	{"q6",
		func(c columns, w int) (any, error) {
			return bench.Q6(c.value, c.discount, c.amount, c.price, from, to, bench.WithWorkers(w))
		},
		func(c columns, w int) (any, error) {
			return unfused.Q6(c.value, c.discount, c.amount, c.price, from, to, unfused.WithWorkers(w))
		},
		plainQ6},
	{"count_runs",
		func(c columns, w int) (any, error) { return bench.CountRuns(c.key, bench.WithWorkers(w)) },
		func(c columns, w int) (any, error) { return unfused.CountRuns(c.key, unfused.WithWorkers(w)) },
		func(c columns) []any { r := plainRuns(c); return []any{r.key, r.count} }},
	{"sum_runs",
		func(c columns, w int) (any, error) { return bench.SumRuns(c.key, c.value, bench.WithWorkers(w)) },
		func(c columns, w int) (any, error) { return unfused.SumRuns(c.key, c.value, unfused.WithWorkers(w)) },
		func(c columns) []any { r := plainRuns(c); return []any{r.key, r.count, r.total} }},
	{"extremes",
		func(c columns, w int) (any, error) { return bench.Extremes(c.key, c.value, bench.WithWorkers(w)) },
		func(c columns, w int) (any, error) { return unfused.Extremes(c.key, c.value, unfused.WithWorkers(w)) },
		func(c columns) []any { r := plainRuns(c); return []any{r.key, r.low, r.high} }},
	{"argmin_f64",
		func(c columns, w int) (any, error) { return bench.ArgminF64(oneMore(c.price), bench.WithWorkers(w)) },
		func(c columns, w int) (any, error) {
			return unfused.ArgminF64(oneMore(c.price), unfused.WithWorkers(w))
		},
		func(c columns) []any {
			return []any{int64(slices.Index(oneMore(c.price), slices.Min(oneMore(c.price))))}
		}},
	{"having",
		func(c columns, w int) (any, error) { return bench.Having(c.key, c.value, least, bench.WithWorkers(w)) },
		func(c columns, w int) (any, error) {
			return unfused.Having(c.key, c.value, least, unfused.WithWorkers(w))
		},
		plainHaving},
}

func plainScan(c columns) []any {
	total := make([]int32, len(c.value))
	var sum int32
	for i, x := range c.value {
		sum += x
		total[i] = sum
	}
	return []any{total}
}

func plainFilter(c columns) []any {
	kept := []int32{}
	for _, x := range c.value {
		if x < limit {
			kept = append(kept, x)
		}
	}
	return []any{kept}
}

func plainFilterColumns(c columns) []any {
	y, z := []int64{}, []float64{}
	for i, x := range c.value {
		if x < limit {
			y, z = append(y, c.wide[i]), append(z, c.price[i])
		}
	}
	return []any{y, z}
}

// oneMore returns x and a greater value: there is no least value of no rows.
func oneMore(x []float64) []float64 { return append(slices.Clip(x), 1e9) }

func plainQ6(c columns) []any {
	revenue := 0.0
	for i, day := range c.value {
		if day >= from && day < to && c.discount[i] >= 0.05 && c.discount[i] <= 0.07 && c.amount[i] < 24 {
			revenue += c.price[i] * c.discount[i]
		}
	}
	return []any{revenue}
}

// runs are equal neighbours of the key, with what the workloads compute of them.
type runs struct {
	key          []int32
	count, total []int64
	low, high    []int32
}

func plainRuns(c columns) runs {
	r := runs{key: []int32{}, count: []int64{}, total: []int64{}, low: []int32{}, high: []int32{}}
	for i, key := range c.key {
		if i == 0 || key != c.key[i-1] {
			r.key, r.count, r.total = append(r.key, key), append(r.count, 0), append(r.total, 0)
			r.low, r.high = append(r.low, math.MaxInt32), append(r.high, math.MinInt32)
		}
		last := len(r.key) - 1
		r.count[last]++
		r.total[last] += int64(c.value[i])
		r.low[last], r.high[last] = min(r.low[last], c.value[i]), max(r.high[last], c.value[i])
	}
	return r
}

func plainHaving(c columns) []any {
	r := plainRuns(c)
	key, count, total := []int32{}, []int64{}, []int64{}
	for i := range r.key {
		if r.count[i] >= least {
			key, count, total = append(key, r.key[i]), append(count, r.count[i]), append(total, r.total[i])
		}
	}
	return []any{key, count, total}
}

// lengthsOf are distributions of keys, by the lengths of their runs.
var lengthsOf = map[string]func(r *rand.Rand) int{
	"all distinct":         func(*rand.Rand) int { return 1 },
	"one run":              func(*rand.Rand) int { return math.MaxInt },
	"short":                func(r *rand.Rand) int { return 1 + r.IntN(5) },
	"a block long":         func(*rand.Rand) int { return block },
	"longer than a block":  func(*rand.Rand) int { return block + 7 },
	"two blocks and short": func(r *rand.Rand) int { return []int{1, 2, 2*block + 1}[r.IntN(3)] },
	"short and long":       func(r *rand.Rand) int { return []int{1, 2, 3, 15, 16, 17, 3000}[r.IntN(7)] },
}

// block is the number of rows that a worker handles at once.
const block = 32768

func makeColumns(rows int, length func(*rand.Rand) int) columns {
	r := rand.New(rand.NewPCG(uint64(rows), 5))
	c := columns{key: make([]int32, rows), value: make([]int32, rows), wide: make([]int64, rows),
		price: make([]float64, rows), discount: make([]float64, rows), amount: make([]float64, rows)}
	left, key := 0, int32(-1)
	for i := range rows {
		if left == 0 {
			left, key = length(r), key+1
		}
		left--
		c.key[i], c.value[i], c.wide[i] = key&3, r.Int32N(100), int64(i)
		c.price[i], c.discount[i], c.amount[i] = float64(r.IntN(1000)), float64(r.IntN(11))/100, float64(r.IntN(50))
	}
	return c
}

// Both forms of every workload give what plain loops give, at the borders of
// blocks and for runs that cross them, on one worker and on several. The race
// detector watches in .ci/run.
func TestWorkloads(t *testing.T) {
	sizes := []int{0, 1, 2, 17, 1025, block - 1, block, block + 1, 2*block - 1, 2 * block, 2*block + 1, 3*block - 1, 4*block + 1}
	for name, length := range lengthsOf {
		t.Run("runs "+name, func(t *testing.T) {
			for _, rows := range sizes {
				c := makeColumns(rows, length)
				for _, w := range workloads {
					want := w.plain(c)
					for workers := 1; workers <= 4; workers++ {
						if workers > 1 && rows < 2*block {
							continue // too few for a second
						}
						fused, err := w.fused(c, workers)
						requireColumns(t, fmt.Sprintf("%s of %d rows with %d workers", w.name, rows, workers), fused, err, want)
						if workers == 1 || workers == 3 {
							plain, err := w.unfused(c, workers)
							requireColumns(t, fmt.Sprintf("unfused %s of %d rows with %d workers", w.name, rows, workers), plain, err, want)
						}
					}
				}
			}
		})
	}
}

// requireColumns compares the fields of a result with columns.
func requireColumns(t *testing.T, what string, result any, err error, want []any) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	fields := reflect.ValueOf(result)
	if fields.NumField() != len(want) {
		t.Fatalf("%s: %d columns, want %d", what, fields.NumField(), len(want))
	}
	for i, column := range want {
		got := fields.Field(i).Interface()
		if number, ok := column.(float64); ok {
			if math.Abs(got.(float64)-number) > 1e-9*math.Abs(number) {
				t.Errorf("%s: %v, want %v", what, got, number)
			}
			continue
		}
		if row, ok := column.(int64); ok {
			if got != row {
				t.Errorf("%s: row %v, want %d", what, got, row)
			}
			continue
		}
		if d := difference(got, column); d != "" {
			t.Errorf("%s: column %s has %s", what, fields.Type().Field(i).Name, d)
		}
	}
}

// difference describes the first row in which two columns differ; "" is none.
func difference(got, want any) string {
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	if g.Len() != w.Len() {
		return fmt.Sprintf("%d rows, want %d", g.Len(), w.Len())
	}
	for i := range g.Len() {
		if g.Index(i).Interface() != w.Index(i).Interface() {
			return fmt.Sprintf("%v in row %d, want %v", g.Index(i), i, w.Index(i))
		}
	}
	return ""
}
