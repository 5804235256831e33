package testsuite

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// Devices that interpret kernels take long to sort, in many passes, and to begin tables of
// many bins. So tests run such pipelines at two levels each, unfused and another in turn, and on emulated
// work-groups by small digits; most tests leave them out of their samples.

// sorts reports whether p sorts rows.
func sorts(p *ir.Pipeline) bool {
	return joins(p) || slices.ContainsFunc(p.Values, func(v *ir.Value) bool { return v.Op == ir.OpOrder || v.Op == ir.OpGroups })
}

// joins reports whether p makes pairs of rows.
func joins(p *ir.Pipeline) bool {
	return slices.ContainsFunc(p.Values, func(v *ir.Value) bool { return v.Op == ir.OpJoin })
}

// mostRows returns how many rows p may get. Products of many floats overflow in
// intermediate results, even if the result does not; joins of rows that all have equal
// keys make pairs of all rows, and joins of these again; repeats make many rows too.
func mostRows(p *ir.Pipeline) int {
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

// skipsLevel reports whether a test leaves level j of entry i out.
func skipsLevel(p *ir.Pipeline, i, j int) bool {
	return (sorts(p) || hasManyBins(p)) && i%len(fuse.Levels) != j && fuse.Levels[j] != fuse.LevelNone
}

// hasManyBins reports whether p has a table of many bins, for all that p says.
func hasManyBins(p *ir.Pipeline) bool {
	return slices.ContainsFunc(p.Values, func(v *ir.Value) bool {
		return v.Op == ir.OpBins && v.Args[1].Type.IsScalar() && v.Args[1].Const.Kind.IsInteger() && v.Args[1].Const.Int64() > 1000
	})
}

// skipsSorts reports whether a test leaves p out of its sample.
func skipsSorts(p *ir.Pipeline) bool { return sorts(p) && !sample.Everything() }

// emulatedOptions returns how pipelines are compiled for emulated devices. The rows of
// the corpus have keys of a small range. So their groups are sorted at one level alone,
// unfused.
func emulatedOptions(level, variant string) compile.Options {
	s := plan.Schedule{Variant: variant, Radix: 2}
	if level == fuse.LevelNone {
		s.Groups = plan.Sort
	}
	options := compile.For(level, s)
	options.Sample = 1
	return options
}
