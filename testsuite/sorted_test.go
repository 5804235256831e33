package testsuite

import (
	"slices"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// Devices that interpret kernels take long to sort, in many passes. So tests run
// pipelines that sort at two levels each, unfused and another in turn, and on emulated
// work-groups by small digits; most tests leave them out of their samples.

// sorts reports whether p sorts rows.
func sorts(p *ir.Pipeline) bool {
	return joins(p) || slices.ContainsFunc(p.Values, func(v *ir.Value) bool { return v.Op == ir.OpOrder || v.Op == ir.OpGroups })
}

// joins reports whether p makes pairs of rows.
func joins(p *ir.Pipeline) bool {
	return slices.ContainsFunc(p.Values, func(v *ir.Value) bool { return v.Op == ir.OpJoin })
}

// expands reports whether p makes many more rows than it gets.
func expands(p *ir.Pipeline) bool {
	return joins(p) || slices.ContainsFunc(p.Values, func(v *ir.Value) bool { return v.Op == ir.OpRepeat })
}

// skipsLevel reports whether a test leaves level j of entry i out.
func skipsLevel(p *ir.Pipeline, i, j int) bool {
	return sorts(p) && i%len(fuse.Levels) != j && fuse.Levels[j] != fuse.LevelNone
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
