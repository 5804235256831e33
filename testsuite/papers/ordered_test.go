package papers_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// publishedPrograms are the obvious programs for the pipelines of examples/papers.
var publishedPrograms = map[string]published{
	"ordered-aggregation/count_i32":      {plain: countRuns[int32]},
	"ordered-aggregation/count_i64":      {plain: countRuns[int64]},
	"ordered-aggregation/count_f64":      {plain: countRuns[float64]},
	"ordered-aggregation/count_date":     {plain: countRuns[int32]},
	"ordered-aggregation/count_char8":    {plain: countRuns[[8]byte]},
	"ordered-aggregation/totals":         {plain: totalsOfRuns},
	"ordered-aggregation/positions":      {plain: positionsOfRuns},
	"ordered-aggregation/sorted_columns": {plain: sortedColumns},
}

// sameKey reports whether two keys are one group: all NaNs are, and both zeros.
func sameKey[T comparable](a, b T) bool {
	x, isFloat := any(a).(float64)
	if isFloat && math.IsNaN(x) {
		return math.IsNaN(any(b).(float64))
	}
	return a == b
}

// countRuns counts the elements of each run of equal keys, sequentially.
func countRuns[T comparable](in []ir.Column) []any {
	keys, counts := []T{}, []int64{}
	for i, key := range slice[T](in[0]) {
		if i == 0 || !sameKey(key, slice[T](in[0])[i-1]) {
			keys, counts = append(keys, key), append(counts, 0)
		}
		counts[len(counts)-1]++
	}
	return []any{keys, counts}
}

func totalsOfRuns(in []ir.Column) []any {
	runs := countRuns[int32](in)
	value := slice[int32](in[1])
	var total []int64
	var least, greatest []int32
	var mean []float64
	for _, count := range runs[1].([]int64) {
		part := value[:count]
		value = value[count:]
		sum := int64(0)
		for _, v := range part {
			sum += int64(v)
		}
		total, mean = append(total, sum), append(mean, float64(sum)/float64(count))
		least, greatest = append(least, slices.Min(part)), append(greatest, slices.Max(part))
	}
	return append(runs, orEmpty(total), orEmpty(least), orEmpty(greatest), orEmpty(mean))
}

// orEmpty returns a slice that is not nil.
func orEmpty[T any](s []T) []T { return append([]T{}, s...) }

func positionsOfRuns(in []ir.Column) []any {
	key := slice[int32](in[0])
	position := make([]int64, len(key))
	for i := 1; i < len(key); i++ {
		position[i] = position[i-1]
		if key[i] != key[i-1] {
			position[i]++
		}
	}
	return []any{position}
}

func sortedColumns(in []ir.Column) []any {
	quantity, discount := slices.Clone(slice[int64](in[0])), slices.Clone(slice[float64](in[1]))
	shipped, flag := slices.Clone(slice[int32](in[2])), slices.Clone(slice[[8]byte](in[3]))
	slices.Sort(quantity)
	slices.Sort(shipped)
	// Zeros of either sign are equal keys, and NaN is the greatest.
	slices.SortStableFunc(discount, func(a, b float64) int {
		if math.IsNaN(a) || math.IsNaN(b) {
			return cmp.Compare(btoi(math.IsNaN(a)), btoi(math.IsNaN(b)))
		}
		return cmp.Compare(a, b)
	})
	slices.SortFunc(flag, func(a, b [8]byte) int { return slices.Compare(a[:], b[:]) })
	return []any{quantity, discount, shipped, flag}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Algorithms 5 and 6 of the paper on ordered aggregation as printed, for one thread after the other. ps has an element more
// than there are rows, where algorithm 5 reads one past the last chunk.
func printedAlgorithm5(ps []int, rows, intent int, out []int) {
	for first := 0; first < rows; first += intent {
		last, local := first+intent, 1
		for i := first; i < last; i++ {
			if ps[i] == ps[i+1] {
				out[ps[i]] += local
				local = 1
			} else {
				local++
			}
		}
		out[ps[last-1]] += local - 1
	}
}

func printedAlgorithm6(ps []int, rows, intent int, out []int) {
	for first := 0; first < rows; first += intent {
		at := 0
		position, count := make([]int, intent), make([]int, intent)
		position[0], count[0] = ps[first], 1
		for i := first + 1; i < first+intent; i++ {
			if ps[i] != ps[i-1] {
				at++
				position[at], count[at] = ps[i], 1
			} else {
				count[at]++
			}
		}
		out[position[0]] += count[0]
		for i := 1; i < at; i++ {
			out[position[i]] = count[i]
		}
		out[position[at]] += count[at]
	}
}

// The page of ordered aggregation says what the listings of algorithms 5 and 6 give for six rows in chunks of three.
func TestPrintedAlgorithms(t *testing.T) {
	ps := []int{0, 0, 0, 1, 1, 2, 2} // the last is behind the rows
	for _, c := range []struct {
		name  string
		run   func(ps []int, rows, intent int, out []int)
		gives []int
	}{
		{"algorithm 5", printedAlgorithm5, []int{3, 1, 2}},
		{"algorithm 6", printedAlgorithm6, []int{6, 2, 1}},
	} {
		out := make([]int, 3) // 3, 2 and 1 rows
		if c.run(ps, 6, 3, out); !slices.Equal(out, c.gives) {
			t.Errorf("%s gives %v, the page says %v", c.name, out, c.gives)
		}
	}
}
