package kerneltest

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// Devices that interpret kernels take long to sort, in many passes, and to begin tables of
// many bins. So tests run such pipelines at two levels each, unfused and another in turn,
// and on emulated work-groups by small digits; most tests leave them out of their samples.

// Sorts reports whether p sorts rows.
func Sorts(p *ir.Pipeline) bool {
	return Joins(p) || slices.ContainsFunc(p.Values, func(v *ir.Value) bool { return v.Op == ir.OpOrder || v.Op == ir.OpGroups })
}

// Joins reports whether p makes pairs of rows.
func Joins(p *ir.Pipeline) bool {
	return slices.ContainsFunc(p.Values, func(v *ir.Value) bool { return v.Op == ir.OpJoin })
}

// MostRows returns how many rows p may get. Products of many floats overflow in
// intermediate results, even if the result does not; joins of rows that all have equal
// keys make pairs of all rows, and joins of these again; repeats make many rows too.
func MostRows(p *ir.Pipeline) int {
	rows, pairs := 1000, 1
	for _, v := range p.Values {
		switch {
		case v.Reduce == ir.ReduceMul && v.Type.Kind.IsFloat():
			return 15
		case v.Op == ir.OpJoin, v.Op == ir.OpRepeat:
			pairs++
		}
	}
	if pairs == 1 {
		return math.MaxInt
	}
	for math.Pow(float64(rows), float64(pairs)) > 10_000 {
		rows--
	}
	return rows
}

// SkipsLevel reports whether a test leaves level j of entry i out.
func SkipsLevel(p *ir.Pipeline, i, j int) bool {
	return (Sorts(p) || HasManyBins(p)) && i%len(fuse.Levels) != j && fuse.Levels[j] != fuse.LevelNone
}

// HasManyBins reports whether p has a table of many bins, for all that p says.
func HasManyBins(p *ir.Pipeline) bool {
	return slices.ContainsFunc(p.Values, func(v *ir.Value) bool {
		return v.Op == ir.OpBins && v.Args[1].Type.IsScalar() && v.Args[1].Const.Kind.IsInteger() && v.Args[1].Const.Int64() > 1000
	})
}

// SkipsSorts reports whether a test leaves p out of its sample.
func SkipsSorts(p *ir.Pipeline) bool { return Sorts(p) && !sample.Everything() }

// VariantsOf returns the variants of aggregation that can change a pipeline:
// all if it has groups, else the last.
func VariantsOf(p *ir.Pipeline, variants ...string) []string {
	if slices.ContainsFunc(p.Values, func(v *ir.Value) bool { return v.Op.IsAggregate() && v.By != nil }) {
		return variants
	}
	return variants[len(variants)-1:]
}
