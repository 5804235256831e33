package gocpu

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// kernel is a tile program and the decisions of its lowering.
type kernel struct {
	*tile.Kernel
	analysis           *tile.Analysis
	uses               []int                 // per value: how many operations and domains use it
	sinkDomain         []int                 // per operation: the domain in whose rows it is computed, at the deepest
	source             func(ir.Pos) string   // the source line of a position, or ""
	small              map[string]int64      // buffers that have few elements for sure, and their lengths
	lengths            map[string]plan.Expr  // of the plan's buffers, but those in whose place a launch binds others
	split              map[int]bool          // conjunctions whose conditions are tested one by one
	branchlessSegments int                   // the domain of segments that are stored for every row (see findBranchlessSegments), or 0
	closing            int                   // the domain of segments of which blocks hold whole ones (see closing.go), or 0
	written            *rangeFunc            // the function of all rows, if later launches call it too
	summarized         *rangeFunc            // the function of the summary, likewise
	simd               bool                  // ranges begin with what vectors can handle
	vectors            map[string]*loop.Func // by the name of a range function: the function of vectors that it calls
	boundsStores       bool                  // ranges share outputs: a store past the end of its own part belongs to the next range
}

func newKernel(t *tile.Kernel, source func(ir.Pos) string, p *plan.Plan, simd bool) *kernel {
	k := &kernel{Kernel: t, analysis: tile.Analyze(t), source: source, small: smallBuffers(p), lengths: map[string]plan.Expr{}, simd: simd, vectors: map[string]*loop.Func{}}
	for _, b := range p.Buffers {
		k.lengths[b.Name] = b.Length
	}
	plan.WalkSteps(p.Steps, func(s *plan.Step) {
		if s.Launch == nil || s.Launch.Kernel != t.Name {
			return
		}
		for _, arg := range s.Launch.Bind { // one function is for all launches, whatever memory they bind
			delete(k.lengths, arg.Name)
		}
	})
	k.sinkPure()
	k.branchlessSegments = k.findBranchlessSegments()
	if !k.splits() || k.hasLate() {
		k.closing = k.Closing()
	}
	k.boundsStores = (k.splits() || k.turns() > 1) && (!k.relocates() || k.hasLate()) && !k.relocatesSegments()
	return k
}

// sinkPure sinks each pure operation to the deepest domain that holds all its
// uses, so that values that only selected rows need are computed for them alone.
func (k *kernel) sinkPure() {
	k.uses = k.CountUses()
	k.sinkDomain = make([]int, len(k.Ops))
	deepest := make([]int, len(k.Values)) // where all uses so far are
	for i := range deepest {
		deepest[i] = unused
	}
	use := func(v tile.ID, domain int) {
		if v != 0 {
			deepest[v] = k.common(deepest[v], domain)
		}
	}
	k.split = map[int]bool{}
	for d := len(k.Domains) - 1; d > 0; d-- {
		domain := k.Domains[d]
		if domain.Kind == tile.Close {
			use(domain.Open, d)
		}
		if !k.sumsOnly(d) {
			if domain.Kind == tile.Compact && k.isCheapConjunction(domain.Guard) {
				for _, v := range k.conditions(domain.Guard) {
					use(v, domain.Parent)
				}
				k.conjunctions(domain.Guard)
				continue
			}
			use(domain.Guard, domain.Parent)
			continue
		}
		first, rest := k.splitGuard(domain.Guard)
		for _, v := range first {
			use(v, domain.Parent)
		}
		for _, v := range rest {
			use(v, d)
		}
		k.conjunctions(domain.Guard)
	}
	for i := len(k.Ops) - 1; i >= 0; i-- {
		op := &k.Ops[i]
		k.sinkDomain[i] = op.Domain
		if k.split[i] {
			continue
		}
		if op.IsPure() && op.Domain >= 0 && len(op.Res) == 1 {
			if d := deepest[op.Res[0]]; d >= 0 {
				k.sinkDomain[i] = d
			}
		}
		for _, arg := range op.Args {
			use(arg, k.sinkDomain[i])
		}
	}
}

// unused is the common domain of no uses.
const unused = -2

// common returns the deepest domain whose rows include those of both.
func (k *kernel) common(a, b int) int {
	if a == unused {
		return b
	}
	if a == tile.Uniform || b == tile.Uniform {
		return tile.Uniform
	}
	for a != b {
		if a < b {
			a, b = b, a
		}
		a = k.Domains[a].Parent
	}
	return a
}

// findBranchlessSegments returns the domain of segments whose results can be
// stored for every row, over the results of the row before: then no branch depends
// on where segments end. The results must be states, numbered by a count of heads
// and used nowhere else, and nothing else may happen when a segment closes. 0 is
// none.
func (k *kernel) findBranchlessSegments() int {
	if len(k.Domains) != 2 || k.Domains[1].Kind != tile.Close || len(k.analysis.Cuts) != 1 {
		return 0
	}
	const segments = 1
	counted := false
	for i := range k.Ops {
		op := &k.Ops[i]
		if op.Epilogue {
			continue
		}
		switch {
		case op.Does(tile.Reports), op.Does(tile.Combines), op.Does(tile.Claims), op.IsReduction(), op.IsChunkwise():
			return 0
		case op.Does(tile.Writes) && k.sinkDomain[i] != segments:
			return 0
		case op.LoadsAt(), op.Seeks():
			return 0
		case op.Cuts():
			if !op.Exclusive || op.Domain != 0 {
				return 0
			}
			for _, result := range op.Res {
				if !k.usedOnlyIn(result, segments) {
					return 0
				}
			}
			counted = counted || op.Monoid.Kind == tile.Fold
		case k.sinkDomain[i] == segments && op.IsDear():
			return 0
		}
	}
	if !counted {
		return 0
	}
	return segments
}

// usedOnlyIn reports whether all uses of v are in domain d, or after the rows.
func (k *kernel) usedOnlyIn(v tile.ID, d int) bool {
	for i := range k.Ops {
		op := &k.Ops[i]
		for _, arg := range op.Args {
			if arg == v && !op.Epilogue && k.sinkDomain[i] != d {
				return false
			}
		}
	}
	return true
}
