package papers_test

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/table/generate"
	"github.com/kgen-go/kgen/ir"
)

func init() {
	publishedPrograms["hash-aggregation/sums"] = published{plain: sumsByKey[int32], data: keysToSum}
	publishedPrograms["hash-aggregation/sorted_sums"] = published{plain: sumsByKey[int32], data: keysToSum}
	publishedPrograms["hash-aggregation/sums_i64"] = published{plain: sumsByKey[int64]}
	publishedPrograms["hash-aggregation/distinct"] = published{plain: func(in []ir.Column) []any {
		keys := slices.Clone(slice[int32](in[0]))
		slices.Sort(keys)
		return []any{slices.Compact(keys)}
	}}
	publishedPrograms["hash-aggregation/table"] = published{plain: func(in []ir.Column) []any {
		total, rows := make([]int64, slice[int64](in[2])[0]), make([]int64, slice[int64](in[2])[0])
		for i, g := range slice[int32](in[0]) {
			total[g] += int64(slice[int32](in[1])[i])
			rows[g]++
		}
		return []any{total, rows}
	}, data: placesToSum}
}

// placesToSum are keys below the number of places, of which some have no row.
func placesToSum(t *testing.T, p *ir.Pipeline) (list [][]ir.Column) {
	for _, size := range []int64{1, 7, 16, 5000} {
		for _, rows := range []int64{1, 40, 290} {
			keys, err := generate.Ints(generate.IntsOptions{Rows: rows, Names: []string{"g", "a"}, Kind: ir.I32, Distribution: generate.Uniform, Values: size, Seed: 1})
			r := relations{tables: map[string]generate.Generator{"n": made(t, keys, err)}, set: map[string]ir.Scalar{"size": ir.Int(ir.I64, size)}}
			list = append(list, r.columns(t, p))
		}
	}
	return list
}

// sumsByKey adds up the second column by the first in a map. The interpreter gives the groups in the order of their keys.
func sumsByKey[K cmp.Ordered](in []ir.Column) []any {
	sums := map[K]int64{}
	for i, g := range slice[K](in[0]) {
		switch a := in[1].Slice.(type) {
		case []int32:
			sums[g] += int64(a[i])
		case []int64:
			sums[g] += a[i]
		}
	}
	keys, totals := slices.Sorted(maps.Keys(sums)), []int64{}
	for _, key := range keys {
		totals = append(totals, sums[key])
	}
	return []any{orEmpty(keys), totals}
}

// keysToSum are random columns, and keys of each distribution of the paper at several cardinalities.
func keysToSum(t *testing.T, p *ir.Pipeline) [][]ir.Column {
	list := anyData(t, p)
	for _, o := range []generate.IntsOptions{
		{Distribution: generate.Uniform, Values: 1}, {Distribution: generate.Uniform, Values: 16}, {Distribution: generate.Uniform, Values: 1 << 30},
		{Distribution: generate.Zipf, Values: 1 << 16, S: 1.1}, {Distribution: generate.Uniform, Values: 1000, Sorted: true},
	} {
		o.Rows, o.Names, o.Kind, o.Seed = 5000, []string{"g", "a"}, ir.I32, 1
		keys, err := generate.Ints(o)
		list = append(list, relations{tables: map[string]generate.Generator{"n": made(t, keys, err)}}.columns(t, p))
	}
	return list
}
