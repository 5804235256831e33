package random

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// groupRules are the groupings and aggregates.
func groupRules() []rule {
	list := []rule{
		{op: ir.OpRuns, takes: all, gives: rowKinds, make: keyed(ir.OpRuns)},
		{op: ir.OpGroups, takes: all, gives: rowKinds, make: keyed(ir.OpGroups)},
		{op: ir.OpStarts, takes: bools, gives: rowKinds, make: starts},
		{op: ir.OpBins, takes: integers, gives: rowKinds, make: bins},
		{op: ir.OpRepeat, gives: rowKinds, make: repeat}, // it reads the guard of its lengths,
		{op: ir.OpCount, takes: bools, gives: rowKinds, make: count},
	}
	for _, op := range ir.Aggregates() {
		if op == ir.OpCount {
			continue
		}
		var takes, gives []ir.Kind
		for _, k := range all {
			if a := op.Aggregate(); a.Takes(k) {
				takes = append(takes, k)
				if result := a.Result(k); !slices.Contains(gives, result) {
					gives = append(gives, result)
				}
			}
		}
		list = append(list, rule{op: op, takes: takes, gives: gives, make: func(g *generator) *value { return aggregate(g, op, takes) }})
	}
	return list
}

// grouping names the groups of v; columns over them come from first.
func (g *generator) grouping(v *value, full bool) *value {
	if v == nil {
		return nil
	}
	v.target = g.domainOf(v, func(d *domain) {
		d.full = full
		d.column = func(g *generator, k ir.Kind) *value {
			x := g.over(k, v.domain)
			if x == nil {
				return nil
			}
			if d.full {
				return g.add(value{op: ir.OpFirst, kind: k, domain: d}, "first($1, by: $2)", x, v)
			}
			return g.add(value{op: ir.OpFirst, kind: k, domain: d}, "first($1, by: $2, else: $3)", x, v, g.literal(k))
		}
	})
	return v
}

// keyed is runs and groups.
func keyed(op ir.Op) func(*generator) *value {
	return func(g *generator) *value {
		k := g.column()
		if k == nil {
			return nil
		}
		keys := []*value{k}
		for len(keys) < 3 && g.r.IntN(3) == 0 {
			if other := g.pick(func(v *value) bool { return v.domain == k.domain }); other != k {
				keys = append(keys, other)
			}
		}
		text := op.String() + "(" + strings.Join([]string{"$1", "$2", "$3"}[:len(keys)], ", ") + ")"
		return g.grouping(g.add(value{op: op, kind: ir.I64, domain: k.domain, scans: op == ir.OpRuns}, text, keys...), true)
	}
}

// keyedByFloats makes runs of floats and aggregates of the keys themselves: keys
// that are equal need not have equal bits.
func keyedByFloats(g *generator, rules []rule) {
	find := func(op ir.Op) int { return slices.IndexFunc(rules, func(r rule) bool { return r.op == op }) }
	key := g.over(floats[g.r.IntN(len(floats))], g.domains[0])
	if key == nil || find(ir.OpRuns) < 0 {
		return
	}
	computed := []ir.Op{ir.OpCast, ir.OpNeg, ir.OpAbs, ir.OpScan, ir.OpAlign, ir.OpCompact}
	if i := find(computed[g.r.IntN(len(computed))]); i >= 0 && g.r.IntN(2) == 0 {
		g.wanted = key
		v := g.statement(rules[i])
		g.wanted = nil
		if v != nil && v.kind.IsFloat() && !v.isScalar() && !v.inline {
			key = v
		}
	}
	keys, text := []*value{key}, "runs($1)"
	if other := g.over(g.kind(), key.domain); g.r.IntN(3) == 0 && other != nil {
		keys, text = append(keys, other), "runs($2, $1)"
	}
	by := g.grouping(g.add(value{op: ir.OpRuns, kind: ir.I64, domain: key.domain, scans: true}, text, keys...), true)
	for _, op := range ir.Aggregates() {
		if find(op) >= 0 && op.Aggregate().Takes(key.kind) && g.r.IntN(2) == 0 {
			g.aggregateOf(op, key, by)
		}
	}
}

func starts(g *generator) *value {
	m := g.mask(nil)
	if m == nil {
		return nil
	}
	return g.grouping(g.add(value{op: ir.OpStarts, kind: ir.I64, domain: m.domain, scans: true}, "starts($1)", m), true)
}

// bins mostly brings the rows into the bins.
func bins(g *generator) *value {
	i := g.pick(func(v *value) bool { return v.kind.IsInteger() && !v.isScalar() })
	if i == nil {
		return nil
	}
	if g.r.IntN(6) == 0 {
		y := g.column()
		return g.add(value{op: ir.OpBins, kind: ir.I64, domain: i.domain, target: y.domain}, "bins($1, $2)", i, y)
	}
	v := value{op: ir.OpBins, kind: ir.I64, domain: i.domain}
	var made *value
	switch size := g.pick(func(v *value) bool { return v.kind.IsInteger() && v.isScalar() }); {
	case size != nil && g.r.IntN(3) == 0:
		made = g.add(v, "bins(i64($1) & 7, greatest(least(i64($2), 20), 1))", i, size)
	case g.r.IntN(4) == 0:
		made = g.add(v, "bins($1, 5)", i)
	case g.r.IntN(3) == 0:
		made = g.add(v, "bins($1 & 15, 17)", i)
	case g.r.IntN(3) == 0:
		size := "511, 600" // more than the windows of few bins
		if g.r.IntN(4) == 0 {
			size = "16383, 16390" // and than local memory may have
		}
		made = g.add(v, "bins(i64($1) & "+size+")", i)
	default:
		made = g.add(v, "bins($1 & 3, 4)", i)
	}
	return g.grouping(made, false)
}

func repeat(g *generator) *value {
	length := g.pick(func(v *value) bool { return v.kind.IsInteger() && !v.isScalar() })
	if length == nil {
		return nil
	}
	v := g.add(value{op: ir.OpRepeat, kind: ir.I64, target: length.domain, scans: true}, "repeat($1 & 3)", length)
	v.domain = g.domainOf(v, func(d *domain) {
		d.column = func(g *generator, k ir.Kind) *value {
			x := g.over(k, v.target)
			if x == nil {
				return nil
			}
			return g.add(value{op: ir.OpGather, kind: k, domain: d, target: x.target}, "$1[$2]", x, v)
		}
	})
	return v
}

// by picks a grouping of rows of d, or of any where d is nil.
func (g *generator) by(d *domain) *value {
	return g.pick(func(v *value) bool {
		return v.target != nil && !v.isScalar() && (d == nil || v.domain == d)
	})
}

// aggregate is an aggregate of kinds, of all rows or by a grouping. Where there
// may be no rows, most have a value for that.
func aggregate(g *generator, op ir.Op, kinds []ir.Kind) *value {
	fits := func(v *value) bool { return among(kinds)(v.kind) && !v.isScalar() }
	var x, by *value
	if g.r.IntN(3) > 0 {
		if by = g.by(nil); by != nil {
			x = g.pick(func(v *value) bool { return fits(v) && v.domain == by.domain && v != by })
			if x == nil || g.r.IntN(8) == 0 {
				k := kinds[g.r.IntN(len(kinds))]
				x = g.typed(g.like(k, by.domain))
			}
		}
	}
	if x == nil {
		if x = g.pick(fits); x == nil {
			return nil
		}
		if g.r.IntN(2) == 0 {
			wanted := g.wanted
			g.wanted = nil
			by = g.by(x.domain)
			g.wanted = wanted
		}
	}
	return g.aggregateOf(op, x, by)
}

func (g *generator) aggregateOf(op ir.Op, x, by *value) *value {
	a := op.Aggregate()
	v := value{op: op, kind: a.Result(x.kind)}
	full := false
	if a.GivesRow() {
		v.target = x.domain
		if by != nil {
			v.target = by.domain
		}
	}
	text, operands := op.String()+"($1", []*value{x}
	if by != nil {
		text, operands, v.domain = text+", by: $2", append(operands, by), by.target
		full = by.target.full && (by.op == ir.OpRuns || by.op == ir.OpStarts || by.op == ir.OpGroups)
	}
	if a.NoRows == ir.NoRowsElse {
		if chance := g.r.IntN(8); !full && chance > 0 || chance == 1 {
			text, operands = fmt.Sprintf("%s, else: $%d", text, len(operands)+1), append(operands, g.scalar(v.kind))
		}
	}
	return g.add(v, text+")", operands...)
}

// count counts true rows, or the rows of groups.
func count(g *generator) *value {
	v := value{op: ir.OpCount, kind: ir.I64}
	by := g.by(nil)
	mask := g.mask(nil)
	switch chance := g.r.IntN(3); {
	case by != nil && chance == 0:
		v.domain = by.target
		return g.add(v, "count(by: $1)", by)
	case by != nil && mask != nil && chance == 1:
		if mask.domain != by.domain {
			mask = g.mask(by.domain)
		}
		if mask == nil {
			return nil
		}
		v.domain = by.target
		return g.add(v, "count($1, by: $2)", mask, by)
	case mask != nil:
		return g.add(v, "count($1)", mask)
	}
	return nil
}
