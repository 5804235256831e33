package ir

import "fmt"

// sites lists the checks of p that run-time data can fail.
func (f *facts) sites(p *Pipeline) []Site {
	var sites []Site
	for _, v := range p.Values {
		add := func(kind CheckKind, d *Domain, format string, args ...any) {
			sites = append(sites, Site{Number: len(sites), Kind: kind, Value: v, Pos: v.Pos, Domain: d, Message: fmt.Sprintf(format, args...)})
		}
		switch v.Op {
		case OpDiv, OpRem:
			if v.Type.Kind.IsInteger() {
				add(CheckDivideByZero, v.Type.Domain, "division by zero")
			}
		case OpGather:
			if v.Args[1].Type.Target == nil {
				add(CheckIndexRange, v.Type.Domain, "index out of range")
			}
		case OpBins:
			if v.Args[1].Type.IsScalar() {
				add(CheckBinSize, nil, "negative size of bins")
			}
			add(CheckBinRange, v.Type.Domain, "bin out of range")
		case OpRepeat:
			add(CheckRepeatLength, v.Args[0].Type.Domain, "negative length")
		case OpOrder:
			if v.Limit != nil {
				add(CheckLimit, nil, "negative limit")
			}
		case OpAlign:
			if !v.Args[0].Type.IsScalar() {
				add(CheckAlignLength, nil, "different lengths")
			}
		case OpMin, OpMax, OpAvg, OpFirst, OpLast, OpArgmin, OpArgmax:
			if v.Else == nil {
				add(CheckEmpty, v.Type.Domain, "no rows")
			}
		}
	}
	return sites
}
