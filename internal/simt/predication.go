package simt

import (
	"maps"
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Where a row counts only if a condition holds, compilers for CPUs may leave a branch, which a core guesses wrong for many rows,
// and which keeps them from computing several rows at once. PoCL 5 leaves one for flag && key % 3 != 0: 5.3 ns a row, and .8 where both
// are computed. Five folds of filtered rows took 7.0, and 1.5 where each row is folded, those that do not pass as identities. So
// where work-groups are one work-item, what is cheap is computed for all rows.

// cheapOperations is how many operations at most are computed for rows that may not need them.
const cheapOperations = 32

// bothSides has the operators that compute both operands where others may decide by the first.
var bothSides = map[ir.Op]ir.Op{ir.OpLogicalAnd: ir.OpAnd, ir.OpLogicalOr: ir.OpOr}

// ofBothSides returns x, what an operation computes, with both operands computed if that is cheap.
func (e *rowBody) ofBothSides(op *tile.Op, x loop.Expr) loop.Expr {
	both := bothSides[op.Operator]
	if of, isLeft := x.(*loop.Binary); isLeft && both != ir.OpInvalid && e.isSerial && e.now != atEnd && e.isCheap(op.Args[1]) {
		return loop.Apply(both, of.X, of.Y)
	}
	return x
}

// isCheap reports whether a value of the row at hand may as well be computed where it is not needed.
func (e *rowBody) isCheap(values ...tile.ID) bool {
	left := cheapOperations
	var isCheap func(v tile.ID) bool
	isCheap = func(v tile.ID) bool {
		if _, isKnown := e.found(v); isKnown || v == 0 || e.Values[v].Domain == tile.Uniform || e.crosses(v) && e.known(v) < e.now {
			return true
		}
		left--
		op := &e.Ops[e.Values[v].Op]
		return left >= 0 && (op.LoadsElement() || op.IsRowNumber() || op.IsMap() && (!op.IsDear() || e.DividesByConstant(op)) && !slices.ContainsFunc(op.Args, func(arg tile.ID) bool { return !isCheap(arg) }))
	}
	return !slices.ContainsFunc(values, func(v tile.ID) bool { return !isCheap(v) })
}

// addsUp reports whether all that the phase at hand does for the rows of d is to fold what is cheap.
func (e *rowBody) addsUp(d int) bool {
	if !e.isSerial || e.now == atEnd || e.Domains[d].Kind != tile.Compact || !e.isCheap(e.Domains[d].Guard) {
		return false
	}
	for i := range e.Ops {
		op := &e.Ops[i]
		if op.Epilogue || op.Domain == tile.Uniform || !e.Inside(op.Domain, d) || !e.isHere(i) {
			continue
		}
		switch {
		case op.IsReduction() || op.Cuts() && e.now == e.phase[i]:
			if !isNumber(op.Monoid) || !e.isCheap(op.Args...) {
				return false
			}
		case op.HasEffect() && !op.IsRunning():
			if e.effects {
				return false
			}
		case op.IsRunning() || !e.isCheap(op.Res...):
			return false
		}
	}
	for inner := d + 1; inner < len(e.Domains); inner++ {
		if domain := &e.Domains[inner]; e.Inside(inner, d) && e.isBusy(inner) && !(domain.Kind == tile.Compact && e.isCheap(domain.Guard)) {
			return false
		}
	}
	return !slices.ContainsFunc(e.selections, func(s selection) bool { return e.Inside(s.parent, d) })
}

// isNumber reports whether a state is a number that an operator of processors combines in hardly longer than a guess takes. The extreme of
// floats looks for NaN and the signs of zeros, one row after the other.
func isNumber(m *tile.Monoid) bool {
	return m.Kind == tile.Fold && (!m.Fields[0].Kind.IsFloat() || m.Combine[0].Operator == ir.OpAdd || m.Combine[0].Operator == ir.OpMul)
}

// counted runs body for rows of which only those count that pass a condition.
func (e *rowBody) counted(condition loop.Expr, body func()) {
	outer, values := e.counts, e.values
	if outer != nil {
		condition = loop.Apply(ir.OpAnd, outer, condition)
	}
	e.counts, e.values = e.b.Let("counts", condition), maps.Clone(values)
	body()
	e.counts, e.values = outer, values
}

// ifCounted returns the elements of a fold as rows that do not count have them. They are named, since a load within a choice is
// a branch.
func (e *rowBody) ifCounted(op *tile.Op, elements []loop.Expr) []loop.Expr {
	if e.counts != nil {
		for f, identity := range op.Monoid.Identity {
			if _, isConst := elements[f].(*loop.Const); !isConst {
				elements[f] = e.b.Let("element", elements[f])
			}
			elements[f] = loop.Choose(e.counts, elements[f], loop.ConstOf(identity))
		}
	}
	return elements
}
