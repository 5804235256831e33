package ir

import "fmt"

// exactness says whether devices may disagree about a value.
type exactness uint8

const (
	exact   exactness = iota
	settled           // depends on an inexact value only by decisions that are warned about
	inexact           // a float sum or product, or computed from one
)

// Inexact reports whether v is computed from a float sum, product, average or
// scan, whose last bits depend on the order of the rows' terms.
func (p *Pipeline) Inexact(v *Value) bool { return p.known().exactness[v.ID] != exact }

// IsReproducible reports whether v is a float sum, average or running sum that p promises
// to be the same on every device, bit for bit. Products never are.
func (p *Pipeline) IsReproducible(v *Value) bool {
	return p.Reproducible && v.FloatFold() == ReduceAdd
}

// WithReproducible returns p with reproducible float sums, or without.
func (p *Pipeline) WithReproducible(reproducible bool) *Pipeline {
	made := *p
	made.Reproducible = reproducible
	made.facts = analyze(&made)
	made.Warnings = made.facts.warnings
	return &made
}

// traceInexact follows inexact values through p, and warns where one decides a
// mask, key, index or integer, so that devices may differ by more than
// rounding. What follows from such a decision is not warned about again.
func (f *facts) traceInexact(p *Pipeline) []Error {
	var warnings []Error
	for _, v := range p.Values {
		worst := exact
		for i, o := range v.Operands() {
			e := f.exactness[o.ID]
			if v.Op == OpIndex || v.Op == OpLen { // they see rows, not values
				e = f.rowsOf(o)
			}
			if e == inexact && decides(v, i) {
				e = settled
				if !p.expanded {
					warnings = append(warnings, Error{
						Pos:  v.Pos,
						Msg:  fmt.Sprintf("%s depends on %s, a float sum or product, or computed from one: devices may decide differently", expressionText(v), shortText(o)),
						Hint: "compute with integers instead, such as cents; float sums and products of whole numbers are exact below 2^53",
					})
				}
			}
			worst = max(worst, e)
		}
		if v.FloatFold() != ReduceNone && !p.IsReproducible(v) {
			worst = inexact
		}
		f.exactness[v.ID] = worst
	}
	return warnings
}

// rowsOf says whether devices may disagree about which rows column v has.
func (f *facts) rowsOf(v *Value) exactness {
	if by := v.Type.Domain.By; by != nil && f.exactness[by.ID] != exact {
		return settled
	}
	return exact
}

// decides reports whether operand i of v chooses or moves rows, or is rounded
// to a whole number.
func decides(v *Value, i int) bool {
	switch v.Op {
	case OpCompact, OpGather:
		return i == 1
	case OpSelect:
		return i == 0
	case OpRuns, OpStarts, OpGroups, OpOrder, OpFind, OpJoin:
		return true
	}
	if v.Op.IsAggregate() {
		return v.Op.Aggregate().decides
	}
	if !v.Op.IsElementwise() || !v.Op.row().steps {
		return false
	}
	return v.Args[i].Type.Kind.IsFloat() && (v.Op != OpCast || v.Type.Kind.IsInteger() || v.Type.Kind.IsDecimal())
}
