package random

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// rowRules are the operators that choose, move and number rows.
func rowRules() []rule {
	return []rule{
		{op: ir.OpCompact, takes: all, gives: all, make: compact},
		{op: ir.OpGather, takes: all, gives: all, make: gather},
		{op: ir.OpIndex, takes: all, gives: rowKinds, make: func(g *generator) *value {
			x := g.column()
			if x == nil {
				return nil
			}
			return g.add(value{op: ir.OpIndex, kind: ir.I64, domain: x.domain, target: x.domain}, "index($1)", x)
		}},
		{op: ir.OpLen, takes: all, gives: rowKinds, make: func(g *generator) *value {
			x := g.column()
			if x == nil {
				return nil
			}
			return g.add(value{op: ir.OpLen, kind: ir.I64}, "len($1)", x)
		}},
		{op: ir.OpPrev, takes: all, gives: all, make: neighbour(ir.OpPrev)},
		{op: ir.OpNext, takes: all, gives: all, make: neighbour(ir.OpNext)},
		{op: ir.OpScan, takes: all, gives: all, make: scan(ir.OpScan)},
		{op: ir.OpExscan, takes: all, gives: all, make: scan(ir.OpExscan)},
		{op: ir.OpAlign, takes: all, gives: all, make: align},
	}
}

// column picks any column.
func (g *generator) column() *value {
	return g.pick(func(v *value) bool { return !v.isScalar() })
}

// mask returns a named bool column, over d where it is not nil.
func (g *generator) mask(d *domain) *value {
	m := g.pick(func(v *value) bool {
		return v.kind == ir.Bool && !v.isScalar() && !v.inline && (d == nil || v.domain == d)
	})
	if m != nil || d == nil {
		return m
	}
	return g.statement(rule{op: ir.OpLt, make: func(g *generator) *value {
		k := ordered[g.r.IntN(len(ordered))]
		x := g.over(k, d)
		if x == nil {
			return nil
		}
		y := g.like(k, d)
		if y == x { // all that is made of the rows that pass would be empty
			y = g.literal(k)
		}
		return g.add(value{op: ir.OpLt, kind: ir.Bool, domain: d}, "$1 < $2", x, y)
	}})
}

// compacted returns the domain of a mask, named m; the same for each use of it.
func (g *generator) compacted(m *value) *domain {
	return g.domainOf(m, func(d *domain) {
		d.column = func(g *generator, k ir.Kind) *value {
			x := g.over(k, m.domain)
			if x == nil {
				return nil
			}
			return g.compaction(x, m, d)
		}
	})
}

// made begins the names of domains that operators make.
const made = "of "

// domainOf returns the domain that v makes; prepare completes a new one.
func (g *generator) domainOf(v *value, prepare func(*domain)) *domain {
	key := made + v.text
	for _, d := range g.domains {
		if d.name == key {
			return d
		}
	}
	d := &domain{name: key}
	prepare(d)
	g.domains = append(g.domains, d)
	return d
}

func (g *generator) compaction(x, m *value, d *domain) *value {
	return g.add(value{op: ir.OpCompact, kind: x.kind, domain: d, target: x.target}, "$1[$2]", x, m)
}

func compact(g *generator) *value {
	var x, m *value
	if g.wanted != nil && g.wanted.kind == ir.Bool && !g.wanted.isScalar() && g.r.IntN(2) == 0 {
		m = g.wanted
		x = g.over(g.kind(), m.domain)
	} else if x = g.column(); x != nil {
		m = g.mask(x.domain)
	}
	if x == nil || m == nil || m.inline {
		return nil
	}
	return g.compaction(x, m, g.compacted(m))
}

// gather mostly keeps its index within the rows.
func gather(g *generator) *value {
	x := g.column()
	if x == nil {
		return nil
	}
	wanted := g.wanted
	if wanted == x {
		g.wanted = nil
	}
	defer func() { g.wanted = wanted }()
	at := g.pick(func(v *value) bool { return v.target == x.domain && !v.isScalar() })
	if at != nil && g.r.IntN(3) > 0 {
		return g.add(value{op: ir.OpGather, kind: x.kind, domain: at.domain, target: x.target}, "$1[$2]", x, at)
	}
	at = g.pick(func(v *value) bool { return v.kind.IsInteger() })
	if at == nil {
		return nil
	}
	v := value{op: ir.OpGather, kind: x.kind, domain: at.domain, target: x.target}
	switch {
	case g.r.IntN(4) == 0 && (at.target == nil || at.target == x.domain):
		return g.add(v, "$1[$2]", x, at)
	case at.kind.IsUnsigned() && at.kind != ir.U64:
		return g.add(v, "$1[i64($2) % greatest(len($1), 1)]", x, at)
	}
	return g.add(v, "$1[greatest(least(i64($2), len($1) - 1), 0)]", x, at)
}

func neighbour(op ir.Op) func(*generator) *value {
	return func(g *generator) *value {
		x := g.column()
		if x == nil {
			return nil
		}
		wanted := g.wanted
		if wanted == x {
			g.wanted = nil
		}
		fill := g.scalar(x.kind)
		g.wanted = wanted
		distance := []int{0, 1, 1, 1, 1, 1, 2, 3, 7, 33}[g.r.IntN(10)]
		return g.add(value{op: op, kind: x.kind, domain: x.domain}, fmt.Sprintf("%s($1, %d, $2)", op, distance), x, fill)
	}
}

func scan(op ir.Op) func(*generator) *value {
	return func(g *generator) *value {
		operations := func(k ir.Kind) string {
			switch {
			case k == ir.Bool:
				return "and or xor"
			case k.IsFloat():
				return "add add mul min max"
			case k.IsInteger():
				return "add add mul min max and or xor"
			case k.IsDecimal():
				return "add min max"
			}
			return "min max"
		}
		v := value{op: op}
		var x, by *value
		if g.r.IntN(3) == 0 {
			by = g.pick(func(v *value) bool { return v.scans })
		}
		if by != nil {
			k := g.kind()
			if g.wanted != nil && g.wanted.kind != by.kind {
				k = g.wanted.kind
			}
			x, v.domain = g.typed(g.like(k, by.domain)), by.domain
		} else {
			if x = g.column(); x == nil {
				return nil
			}
			v.domain = x.domain
		}
		if op == ir.OpExscan && x.kind == ir.Text { // there is no text that it could begin with
			return nil
		}
		v.kind = x.kind
		list := strings.Fields(operations(v.kind))
		text := fmt.Sprintf("%s(%s, $1", op, list[g.r.IntN(len(list))])
		if by != nil {
			return g.add(v, text+", by: $2)", x, by)
		}
		return g.add(v, text+")", x)
	}
}

// align mostly repeats a scalar or stays in its domain, since it fails where
// lengths differ.
func align(g *generator) *value {
	x := g.pick(func(v *value) bool { return true })
	if x == nil {
		return nil
	}
	wanted := g.wanted
	g.wanted = nil
	defer func() { g.wanted = wanted }()
	to := g.column()
	if to == nil {
		return nil
	}
	if made := func(d *domain) bool { return strings.HasPrefix(d.name, made) }; !x.isScalar() && x.domain != to.domain &&
		(made(x.domain) || made(to.domain)) && g.r.IntN(6) > 0 {
		return nil
	}
	return g.add(value{op: ir.OpAlign, kind: x.kind, domain: to.domain}, "align($1, to: $2)", x, to)
}
