package ir

import (
	"fmt"
	"strconv"
)

// sites lists the checks of p that run-time data can fail. Checks are numbered in
// the order of values, so those of operands come first. The checks of one value
// are in the order of its operands (bins: first the size, then the rows).
func (f *facts) sites(p *Pipeline) []Site {
	var sites []Site
	for _, v := range p.Values {
		for _, s := range f.checks(v) {
			s.Number, s.Value, s.Pos = len(sites), v, v.Pos
			sites = append(sites, s)
		}
	}
	return sites
}

// checks returns the checks of v that can fail.
func (f *facts) checks(v *Value) []Site {
	site := func(kind CheckKind, d *Domain, format string, args ...any) Site {
		return Site{Kind: kind, Domain: d, Message: fmt.Sprintf(format, args...)}
	}
	text := func(i int) string { return shortText(v.Args[i]) }
	switch v.Op {
	case OpDiv, OpRem:
		if v.Type.Kind.IsInteger() && !f.ranges[v.Args[1].ID].excludesZero() {
			return []Site{site(CheckDivideByZero, v.Type.Domain,
				"division by zero in %s; && and select around it do not guard: divide by select(d == 0, 1, d), where d is %s, or compact both operands first",
				expressionText(v), text(1))}
		}
	case OpGather:
		if f.indexUnproven(v) {
			right := fmt.Sprintf("first keep the rows where %s is in 0..len(%s) - 1", text(1), text(0))
			if op, distance, ok := neighbour(v); ok {
				right = fmt.Sprintf("write %v(%s, %s, fill)", op, text(0), distance)
			}
			return []Site{site(CheckIndexRange, v.Type.Domain, "index out of range in %s; %s", expressionText(v), right)}
		}
	case OpBins:
		return f.binChecks(v)
	case OpRepeat:
		if !f.nonNegative(v.Args[0]) {
			return []Site{site(CheckRepeatLength, v.Args[0].Type.Domain,
				"negative length in %s; write greatest(%s, 0)", expressionText(v), text(0))}
		}
	case OpOrder:
		if v.Limit != nil && !f.nonNegative(v.Limit) {
			return []Site{site(CheckLimit, nil, "negative limit in %s; write greatest(%s, 0)", expressionText(v), shortText(v.Limit))}
		}
	case OpAlign:
		if x := v.Args[0].Type; !x.IsScalar() && x.Domain != v.Type.Domain {
			return []Site{site(CheckAlignLength, nil, "different lengths in %s; align needs as many rows in [%s] as in [%s]",
				expressionText(v), clip(x.Domain.Name), clip(v.Type.Domain.Name))}
		}
	}
	if v.Op.IsAggregate() && v.Op.Aggregate().NoRows != NoRowsIdentity && mayBeEmpty(v) {
		right := "write else: and the value of no rows"
		switch noElse := v.Op.Aggregate().NoRows == NoRowsFail; {
		case noElse && v.By != nil:
			right = "every group needs a row"
		case noElse:
			right = "it needs a row"
		}
		return []Site{site(CheckEmpty, v.Type.Domain, "no rows in %s; %s", expressionText(v), right)}
	}
	return nil
}

// neighbour reports whether a gather is x[index(x) - k] or x[index(x) + k] with a
// constant k, which prev and next have for all rows.
func neighbour(v *Value) (op Op, distance string, ok bool) {
	i := v.Args[1]
	if i.Op != OpAdd && i.Op != OpSub {
		return 0, "", false
	}
	row, k := i.Args[0], i.Args[1]
	if i.Op == OpAdd && row.Op == OpConst {
		row, k = k, row
	}
	if row.Op != OpIndex || row.Type.Target != v.Args[0].Type.Domain || k.Op != OpConst || k.Const.Int64() < 0 {
		return 0, "", false
	}
	op = OpNext
	if i.Op == OpSub {
		op = OpPrev
	}
	return op, shortText(k), true
}

func (f *facts) binChecks(v *Value) []Site {
	var sites []Site
	size := v.Args[1]
	last := shortText(size) + " - 1"
	if r := f.ranges[size.ID]; r.bounded && r.lo == r.hi {
		last = strconv.FormatInt(r.lo-1, 10)
	}
	if !size.Type.IsScalar() {
		last = "len(" + shortText(size) + ") - 1"
	} else if !f.nonNegative(size) {
		sites = append(sites, Site{Kind: CheckBinSize,
			Message: fmt.Sprintf("negative size in %s; write greatest(%s, 0)", expressionText(v), shortText(size))})
	}
	if f.binUnproven(v) {
		sites = append(sites, Site{Kind: CheckBinRange, Domain: v.Type.Domain,
			Message: fmt.Sprintf("no such bin in %s; first keep the rows where %s is in 0..%s", expressionText(v), shortText(v.Args[0]), last)})
	}
	return sites
}

// binUnproven reports whether a row of bins may lie outside all bins.
func (f *facts) binUnproven(v *Value) bool {
	i, size := v.Args[0], v.Args[1]
	switch {
	case !size.Type.IsScalar():
		return i.Type.Target != size.Type.Domain
	case size.Op == OpLen && i.Type.Target != nil && i.Type.Target == size.Args[0].Type.Domain:
		return false
	}
	s := f.ranges[size.ID]
	return !s.bounded || s.lo < 1 || !f.ranges[i.ID].within(0, s.lo-1)
}

// indexUnproven reports whether the index of a gather may be out of range.
func (f *facts) indexUnproven(v *Value) bool {
	x, i := v.Args[0], v.Args[1]
	if i.Type.Target == x.Type.Domain {
		return false
	}
	d := x.Type.Domain
	if d.Kind != DomainBins {
		return true
	}
	size := f.ranges[d.By.Args[1].ID]
	return !size.bounded || size.lo < 1 || !f.ranges[i.ID].within(0, size.lo-1)
}

// mayBeEmpty reports whether an aggregate without else: may have no rows. Groups
// that are made of rows always have some.
func mayBeEmpty(v *Value) bool {
	if v.Else != nil {
		return false
	}
	if v.By == nil {
		return true
	}
	switch v.By.Op {
	case OpRuns, OpStarts, OpGroups, OpIndex:
		return false
	case OpOrder:
		return v.By.Limit != nil // without a limit every row is in the order
	}
	return true
}
