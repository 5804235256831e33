package gocpu

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// kernel is a tile program with what lowering decides about it.
type kernel struct {
	*tile.Kernel
	analysis *tile.Analysis
	uses     []int               // per value: how many operations and domains use it
	home     []int               // per operation: the domain in whose rows it is computed, at the deepest
	source   func(ir.Pos) string // the source line of a position, or ""
	split    map[int]bool        // conjunctions whose conditions are tested one by one
	after    int                 // the domain of groups stored row by row (see afterForm), or 0
	limited  bool                // ranges share outputs: a store past the end of its own part belongs to the next range
}

func newKernel(t *tile.Kernel, source func(ir.Pos) string) *kernel {
	k := &kernel{Kernel: t, analysis: tile.Analyze(t), source: source}
	k.place()
	k.after = k.afterForm()
	k.limited = k.splits() && !k.relocates() && !k.relocatesGroups()
	return k
}

// isPure reports whether the operation is arithmetic that may be computed
// anywhere between its operands and its use.
func isPure(op *tile.Op) bool {
	switch op.Kind {
	case tile.Const, tile.Scalar, tile.Length, tile.Row, tile.Map:
		return true
	case tile.Load:
		return true
	}
	return false
}

// place counts uses and sinks each pure operation to the deepest domain that
// holds all its uses: what only selected rows need is computed for them alone.
func (k *kernel) place() {
	k.countUses()
	k.home = make([]int, len(k.Ops))
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
		k.home[i] = op.Domain
		if k.split[i] {
			continue
		}
		if isPure(op) && op.Domain >= 0 && len(op.Res) == 1 {
			if d := deepest[op.Res[0]]; d >= 0 {
				k.home[i] = d
			}
		}
		for _, arg := range op.Args {
			use(arg, k.home[i])
		}
	}
}

// countUses counts, per value, the operations and domains that use it.
func (k *kernel) countUses() {
	k.uses = make([]int, len(k.Values))
	for _, op := range k.Ops {
		for _, arg := range op.Args {
			k.uses[arg]++
		}
	}
	for _, d := range k.Domains[1:] {
		k.uses[d.Guard]++
		k.uses[d.Open]++
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

// inside reports whether domain d is outer or derived from it.
func (k *kernel) inside(d, outer int) bool {
	for d > outer && d > 0 {
		d = k.Domains[d].Parent
	}
	return d == outer
}

// afterForm returns the domain of groups whose results can be stored for every
// row, over those of the row before: then no branch depends on where groups
// end. It needs results that are states, numbered by a count of heads, used
// nowhere else, and nothing more to do when a group closes. 0 is none.
func (k *kernel) afterForm() int {
	if len(k.Domains) != 2 || k.Domains[1].Kind != tile.Close || len(k.analysis.Cuts) != 1 {
		return 0
	}
	const group = 1
	counted := false
	for i := range k.Ops {
		op := &k.Ops[i]
		if op.Epilogue {
			continue
		}
		switch {
		case op.Kind == tile.Check, op.Kind == tile.Update, op.Kind == tile.Reduce, op.Kind == tile.ChunkScan:
			return 0
		case op.Kind == tile.Store && k.home[i] != group:
			return 0
		case op.Kind == tile.Load && len(op.Args) > 0:
			return 0
		case op.Kind == tile.Scan:
			if !op.Exclusive || op.Domain != 0 {
				return 0
			}
			for _, result := range op.Res {
				if !k.usedOnlyIn(result, group) {
					return 0
				}
			}
			counted = counted || op.Monoid.Kind == tile.Fold
		case op.Kind == tile.Map && k.home[i] == group && op.Operator.Cost() == ir.Dear:
			return 0
		}
	}
	if !counted {
		return 0
	}
	return group
}

// usedOnlyIn reports whether all uses of v are in domain d, or after the rows.
func (k *kernel) usedOnlyIn(v tile.ID, d int) bool {
	for i := range k.Ops {
		op := &k.Ops[i]
		for _, arg := range op.Args {
			if arg == v && !op.Epilogue && k.home[i] != d {
				return false
			}
		}
	}
	return true
}
