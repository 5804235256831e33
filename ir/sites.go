package ir

import "fmt"

// sites lists the checks of p that run-time data can fail. They are numbered
// by value, so operands come first; a value's own checks are in the order of
// its operands (bins: first the size, then the rows).
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

// checks returns what of v can fail.
func (f *facts) checks(v *Value) []Site {
	site := func(kind CheckKind, d *Domain, format string, args ...any) Site {
		return Site{Kind: kind, Domain: d, Message: fmt.Sprintf(format, args...)}
	}
	text := func(i int) string { return shortText(v.Args[i]) }
	switch v.Op {
	case OpDiv, OpRem:
		if v.Type.Kind.IsInteger() && !f.ranges[v.Args[1].ID].excludesZero() {
			return []Site{site(CheckDivideByZero, v.Type.Domain,
				"%s: division by zero (&& and select do not guard it: divide by select(%s == 0, 1, %[2]s), or compact both operands first)",
				expressionText(v), text(1))}
		}
	case OpGather:
		if f.indexUnproven(v) {
			return []Site{site(CheckIndexRange, v.Type.Domain,
				"%s: index out of range (drop such rows first, where i = %s: i[i >= 0 && i < len(%s)])", expressionText(v), text(1), text(0))}
		}
	case OpBins:
		return f.binChecks(v)
	case OpRepeat:
		if !f.nonNegative(v.Args[0]) {
			return []Site{site(CheckRepeatLength, v.Args[0].Type.Domain,
				"%s: negative length (write repeat(greatest(%s, 0)))", expressionText(v), text(0))}
		}
	case OpOrder:
		if v.Limit != nil && !f.nonNegative(v.Limit) {
			return []Site{site(CheckLimit, nil, "%s: negative limit (write limit: greatest(%s, 0))", expressionText(v), shortText(v.Limit))}
		}
	case OpAlign:
		if x := v.Args[0].Type; !x.IsScalar() && x.Domain != v.Type.Domain {
			return []Site{site(CheckAlignLength, nil, "%s: [%v] and [%v] differ in length (align needs as many rows in both)",
				expressionText(v), x.Domain, v.Type.Domain)}
		}
	case OpMin, OpMax, OpAvg, OpFirst, OpLast, OpArgmin, OpArgmax:
		if mayBeEmpty(v) {
			right := "give it a value for that: else: 0"
			if v.Op == OpArgmin || v.Op == OpArgmax {
				right = "give every group a row, or drop those without: count(by: g) > 0"
			}
			return []Site{site(CheckEmpty, v.Type.Domain, "%s: %v of no rows (%s)", expressionText(v), v.Op, right)}
		}
	}
	return nil
}

func (f *facts) binChecks(v *Value) []Site {
	var sites []Site
	i, size := shortText(v.Args[0]), shortText(v.Args[1])
	bins := "0.." + size + " - 1"
	if !v.Args[1].Type.IsScalar() {
		bins, size = "row of ["+clip(v.Type.Target.Name)+"]", "len("+size+")"
	} else if !f.nonNegative(v.Args[1]) {
		sites = append(sites, Site{Kind: CheckBinSize,
			Message: fmt.Sprintf("%s: negative size (write greatest(%s, 0))", expressionText(v), size)})
	}
	if f.binUnproven(v) {
		sites = append(sites, Site{Kind: CheckBinRange, Domain: v.Type.Domain,
			Message: fmt.Sprintf("%s: no bin %s (drop such rows first, where i = %s: i[i >= 0 && i < %s])", expressionText(v), bins, i, size)})
	}
	return sites
}

// binUnproven reports whether a row of bins may belong to no bin.
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

// indexUnproven reports whether the index of a gather may be no row.
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

// mayBeEmpty reports whether an aggregate may meet no rows and has no value
// for that. Groups that rows themselves made have rows.
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
