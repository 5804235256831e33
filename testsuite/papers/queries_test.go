package papers_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/table/generate"
	"github.com/kgen-go/kgen/ir"
)

func init() {
	for name, program := range map[string]published{
		"radix-partition/partition":     {plain: partition[uint32, int32](fieldOf), data: keysToPart},
		"radix-partition/partition_u64": {plain: partition[uint64, int64](fieldOf), data: keysToPart},
		"radix-partition/partition4":    {plain: partition[uint32, int32](lowBits(2))},
		"radix-partition/partition4096": {plain: partition[uint32, int32](lowBits(12))},
		"radix-partition/keys":          {plain: partitionKeys, data: keysToPart},
		"radix-partition/histogram":     {plain: func(in []ir.Column) []any { return partitionKeys(in)[1:] }, data: keysToPart},

		"wisconsin/projection":       {plain: projection, data: wisconsin},
		"wisconsin/expressions":      {plain: expressions, data: wisconsin},
		"wisconsin/scans":            {plain: scans, data: wisconsin},
		"wisconsin/scan_in_steps":    {plain: func(in []ir.Column) []any { return scans(in)[:1] }, data: severalChunks},
		"wisconsin/aggregates":       {plain: aggregates, data: wisconsin},
		"wisconsin/greatest_values":  {plain: greatestValues, data: wisconsin},
		"wisconsin/aggregates_large": {plain: aggregatesLarge, data: wisconsinRows(generate.Large)},
		"wisconsin/selection":        {plain: selection, data: wisconsin},
		"wisconsin/half_small":       {plain: half, data: wisconsinRows(generate.Small)},
		"wisconsin/half_numbers":     {plain: half, data: wisconsinRows(generate.Numbers)},
		"wisconsin/half_standard":    {plain: half, data: wisconsinRows(generate.Standard)},
		"wisconsin/half_large":       {plain: half, data: wisconsinRows(generate.Large)},
		"wisconsin/buckets":          {plain: buckets, data: wisconsin},
		"wisconsin/joined":           {plain: joined, data: wisconsin},
		"wisconsin/nested":           {plain: nested, data: wisconsin},
		"wisconsin/band":             {plain: band, data: wisconsin},
		"wisconsin/integrated":       {plain: integrated, data: wisconsin},
		"wisconsin/sorted":           {plain: sortedDescending, data: wisconsin},
	} {
		publishedPrograms[name] = program
	}
}

// A field is a shift and how many bits there are from there on.
type field struct{ shift, bits uint32 }

// fieldOf is the field that the last two scalars give.
func fieldOf(in []ir.Column) field {
	last := len(in) - 1
	return field{slice[uint32](in[last-1])[0], slice[uint32](in[last])[0]}
}

func lowBits(bits uint32) func([]ir.Column) field {
	return func([]ir.Column) field { return field{0, bits} }
}

// keysToPart are random keys with fields at both ends and in the middle.
func keysToPart(_ *testing.T, p *ir.Pipeline) (list [][]ir.Column) {
	for i, in := range anyData(nil, p) {
		f := []field{{0, 1}, {0, 3}, {7, 5}, {20, 12}, {31, 1}}[i%5]
		last := len(in) - 1
		in[last-1], in[last] = ir.Column{Kind: ir.U32, Slice: []uint32{f.shift}}, ir.Column{Kind: ir.U32, Slice: []uint32{f.bits}}
		list = append(list, in)
	}
	return list
}

// deal returns the rows of each part.
func deal[K uint32 | uint64](keys []K, f field) [][]int {
	parts := make([][]int, 1<<f.bits)
	for row, key := range keys {
		part := (key >> f.shift) % K(len(parts))
		parts[part] = append(parts[part], row)
	}
	return parts
}

// laid returns the rows of all parts, how many each has and where each starts.
func laid(parts [][]int) (rows []int, counts, starts []int64) {
	counts, starts = []int64{}, []int64{}
	for _, part := range parts {
		counts, starts = append(counts, int64(len(part))), append(starts, int64(len(rows)))
		rows = append(rows, part...)
	}
	return rows, counts, starts
}

func gather[T any](column []T, rows []int) []T {
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = column[row]
	}
	return out
}

func partition[K uint32 | uint64, V any](of func([]ir.Column) field) func(in []ir.Column) []any {
	return func(in []ir.Column) []any {
		rows, counts, starts := laid(deal(slice[K](in[0]), of(in)))
		return []any{gather(slice[K](in[0]), rows), gather(slice[V](in[1]), rows), counts, starts}
	}
}

func partitionKeys(in []ir.Column) []any {
	rows, counts, starts := laid(deal(slice[uint32](in[0]), fieldOf(in)))
	return []any{gather(slice[uint32](in[0]), rows), counts, starts}
}

// wisconsin are relations with 0.6 times as many rows beside them.
func wisconsin(t *testing.T, p *ir.Pipeline) (list [][]ir.Column) {
	return wisconsinOf(t, p, generate.Standard)
}

// wisconsinRows returns the data of pipelines over rows of a size.
func wisconsinRows(size string) func(*testing.T, *ir.Pipeline) [][]ir.Column {
	return func(t *testing.T, p *ir.Pipeline) [][]ir.Column { return wisconsinOf(t, p, size) }
}

func wisconsinOf(t *testing.T, p *ir.Pipeline, size string) (list [][]ir.Column) {
	for _, rows := range []int64{1, 2, 40, 1700} {
		large, err := generate.Wisconsin(rows, size, 1)
		large = made(t, large, err)
		small, err := generate.Wisconsin((rows*3+4)/5, size, 2)
		small = made(t, small, err)
		r := relations{
			tables: map[string]generate.Generator{"n": large, "m": small},
			bind:   map[string]string{"small_unique1": "unique1", "small_unique2": "unique2", "small_tid": "tid", "small_stringu2": "stringu2"},
		}
		in := r.columns(t, p)
		for i, v := range p.Params {
			if v.Type.IsScalar() {
				in[i] = ir.NewColumn(v.Type.Kind, 1)
				in[i].Set(0, v.Const)
			}
		}
		list = append(list, in)
	}
	return list
}

func each[A, B, R any](a []A, b []B, f func(A, B) R) []R {
	out := make([]R, len(a))
	for i := range a {
		out[i] = f(a[i], b[i])
	}
	return out
}

func sumOf(a, b int32) int32                { return a + b }
func productOf(a int32, b float32) float32  { return float32(a) * b / 100 }
func quotientOf(a int32, b float32) float32 { return float32(a) / (0.173 + b) }

func projection(in []ir.Column) []any {
	return []any{each(slice[int32](in[0]), slice[int32](in[1]), sumOf)}
}

func expressions(in []ir.Column) []any {
	unique1, unique2 := slice[int32](in[0]), slice[int32](in[1])
	even := each(unique1, unique2, func(_, x int32) bool { return x%2 == 0 })
	return []any{each(unique1, unique2, sumOf), even, each(unique1, slice[float32](in[3]), productOf), each(unique1, slice[float32](in[2]), quotientOf)}
}

func scans(in []ir.Column) []any {
	inclusive, exclusive := []int64{}, []int64{}
	sum := int64(0)
	for _, two := range slice[int32](in[0]) {
		exclusive = append(exclusive, sum)
		if two == 0 {
			sum++
		}
		inclusive = append(inclusive, sum)
	}
	return []any{inclusive, exclusive}
}

// severalChunks are relations of no, one and several chunks of a scan.
func severalChunks(*testing.T, *ir.Pipeline) (list [][]ir.Column) {
	for _, rows := range []int{0, 1, 40, 1024, 1025, 2600} {
		two := make([]int32, rows)
		for i := range two {
			two[i] = int32(i*i/3) % 2
		}
		list = append(list, []ir.Column{{Kind: ir.I32, Slice: two}})
	}
	return list
}

func aggregates(in []ir.Column) []any {
	sum := int64(0)
	for _, x := range slice[int32](in[0]) {
		sum += int64(x)
	}
	most := slices.Max(each(slice[int32](in[0]), slice[float32](in[1]), productOf))
	return []any{[]float32{most}, []int64{sum}, []float64{float64(sum) / float64(in[0].Len())}, []int32{slices.Min(slice[int32](in[0]))}}
}

func aggregatesLarge(in []ir.Column) []any {
	sum, most := int64(0), math.Inf(-1)
	for i, x := range slice[int64](in[0]) {
		sum += x
		most = max(most, float64(x)*slice[float64](in[1])[i]/100)
	}
	return []any{[]float64{most}, []int64{sum}, []float64{float64(sum) / float64(in[0].Len())}, []int64{slices.Min(slice[int64](in[0]))}}
}

func greatestValues(in []ir.Column) []any {
	whole, most := int32(math.MinInt32), float32(math.Inf(-1))
	for i, x := range slice[int32](in[0]) {
		whole = max(whole, int32(productOf(x, slice[float32](in[2])[i])))
		most = max(most, quotientOf(x, slice[float32](in[1])[i]))
	}
	return []any{[]int32{whole}, []float32{most}}
}

func selection(in []ir.Column) []any {
	var rows []int
	for i, unique1 := range slice[int32](in[1]) {
		if unique1 > 1000 && unique1 < 6000 && slice[int32](in[2])[i]%2 == 0 && slice[int32](in[3])[i] == 0 {
			rows = append(rows, i)
		}
	}
	return gatherAll(in, rows)
}

// half keeps rows whose unique1 is even: the second column, but of rows without an identifier.
func half(in []ir.Column) []any {
	unique1 := in[1]
	if len(in) == 13 {
		unique1 = in[0]
	}
	var rows []int
	for i := range unique1.Len() {
		if unique1.At(i).Int64()%2 == 0 {
			rows = append(rows, i)
		}
	}
	return gatherAll(in, rows)
}

// gatherAll returns some rows of all columns.
func gatherAll(in []ir.Column, rows []int) (results []any) {
	for _, c := range in {
		switch column := c.Slice.(type) {
		case []int32:
			results = append(results, gather(column, rows))
		case []int64:
			results = append(results, gather(column, rows))
		case []float32:
			results = append(results, gather(column, rows))
		case []float64:
			results = append(results, gather(column, rows))
		case [][8]byte:
			results = append(results, gather(column, rows))
		}
	}
	return results
}

func buckets(in []ir.Column) []any {
	unique1, load := slice[int32](in[0]), slice[int64](in[2])[0]
	parts := make([][]int, max((int64(len(unique1))+load-1)/load, 1))
	overfull := int64(0)
	for row, key := range unique1 {
		part := int64(key) % int64(len(parts))
		parts[part] = append(parts[part], row)
	}
	for _, part := range parts {
		if len(part) > 512 {
			overfull++
		}
	}
	rows, counts, starts := laid(parts)
	return []any{gather(unique1, rows), gather(slice[int32](in[1]), rows), counts, starts, []int64{overfull}}
}

// pairs returns the rows of all pairs that hold accepts, by loops over both relations.
func pairs(left, right []int32, accepts func(l, r int32) bool) (l, r []int) {
	for i, x := range left {
		for j, y := range right {
			if accepts(x, y) {
				l, r = append(l, i), append(r, j)
			}
		}
	}
	return l, r
}

func equal(a, b int32) bool { return a == b }

func joined(in []ir.Column) []any {
	l, r := pairs(slice[int32](in[0]), slice[int32](in[3]), equal)
	return []any{gather(slice[int32](in[0]), l), gather(slice[int32](in[1]), l), gather(slice[[8]byte](in[2]), l),
		gather(slice[int32](in[4]), r), gather(slice[[8]byte](in[5]), r)}
}

func nested(in []ir.Column) []any {
	l, r := pairs(slice[int32](in[0]), slice[int32](in[2]), equal)
	return []any{gather(slice[int32](in[0]), l), gather(slice[int32](in[1]), l), gather(slice[int32](in[3]), r)}
}

func band(in []ir.Column) []any {
	most := slice[int32](in[4])[0]
	l, r := pairs(slice[int32](in[0]), slice[int32](in[2]), func(a, b int32) bool { return a-b <= most && b-a <= most })
	return []any{gather(slice[int32](in[1]), l), gather(slice[int32](in[3]), r)}
}

func integrated(in []ir.Column) []any {
	unique1, ten := slice[int32](in[0]), slice[float32](in[1])
	l, _ := pairs(unique1, slice[int32](in[2]), func(a, b int32) bool { return a == b && a < 6000 && b > 1000 })
	most := float32(0)
	for at, row := range l {
		if p := productOf(unique1[row], ten[row]); at == 0 || p > most {
			most = p
		}
	}
	return []any{[]float32{most}, []int64{int64(len(l))}}
}

func sortedDescending(in []ir.Column) []any {
	rows := make([]int, in[0].Len())
	for i := range rows {
		rows[i] = i
	}
	unique1 := slice[int32](in[0])
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(unique1[b], unique1[a]) })
	return []any{gather(unique1, rows), gather(slice[[8]byte](in[1]), rows)}
}
