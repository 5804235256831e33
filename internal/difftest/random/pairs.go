package random

import (
	"cmp"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// sorted brings rules into the order of their operators.
func sorted(list []rule) []rule {
	slices.SortFunc(list, func(a, b rule) int { return cmp.Compare(a.op, b.op) })
	return list
}

// possiblePairs lists the operators of which one may read what another gives.
func possiblePairs(rules []rule) (pairs [][2]ir.Op) {
	for _, first := range rules {
		for _, second := range rules {
			if slices.ContainsFunc(first.gives, among(second.takes)) && !onlyRows(first.op, second.op) {
				pairs = append(pairs, [2]ir.Op{first.op, second.op})
			}
		}
	}
	return pairs
}

// onlyRows reports whether the second operator takes columns only and the first
// gives a scalar.
func onlyRows(first, second ir.Op) bool { return first == ir.OpLen && readsRows(second) }

// readsRows reports whether an operator reads the rows of a column: it takes no
// scalar, but where that is beside a grouping or another column.
func readsRows(op ir.Op) bool {
	switch op {
	case ir.OpIndex, ir.OpLen, ir.OpRuns, ir.OpGroups, ir.OpStarts, ir.OpRepeat, ir.OpOrder, ir.OpFind, ir.OpJoin,
		ir.OpCompact, ir.OpCount:
		return true
	}
	return op.IsAggregate() && op.Aggregate().GivesRow()
}

// Coverage counts the operators of programs, and the pairs of them.
type Coverage struct {
	Operators map[ir.Op]int
	Pairs     map[[2]ir.Op]int // the second reads the first
}

// Add counts what p has.
func (c *Coverage) Add(p *ir.Pipeline) {
	if c.Operators == nil {
		c.Operators, c.Pairs = map[ir.Op]int{}, map[[2]ir.Op]int{}
	}
	for _, v := range p.Values {
		c.Operators[v.Op]++
		for _, o := range v.Operands() {
			c.Pairs[[2]ir.Op{o.Op, v.Op}]++
		}
	}
}

// Pairs lists the pairs of operators that programs have: the second reads what the
// first gives.
func Pairs() [][2]ir.Op { return possiblePairs((&generator{}).rules()) }
