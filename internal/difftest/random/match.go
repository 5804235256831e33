package random

import "github.com/kgen-go/kgen/ir"

// matchRules are the operators that sort and match rows.
func matchRules() []rule {
	return []rule{
		{op: ir.OpOrder, takes: all, gives: rowKinds, make: order},
		{op: ir.OpFind, takes: all, make: find},
		{op: ir.OpJoin, takes: all, make: joined},
	}
}

func order(g *generator) *value {
	k := g.column()
	if k == nil {
		return nil
	}
	text, operands := "order($1", []*value{k}
	if g.r.IntN(2) == 0 {
		text = "order(desc($1)"
	}
	if other := g.pick(func(v *value) bool { return v.domain == k.domain }); g.r.IntN(3) == 0 {
		text, operands = text+", $2", append(operands, other)
	}
	if g.r.IntN(3) == 0 {
		text += ", limit: 7"
	}
	v := g.add(value{op: ir.OpOrder, kind: ir.I64, target: k.domain}, text+")", operands...)
	v.domain = g.domainOf(v, func(d *domain) { d.column = g.through(v, d) })
	return v
}

// through returns columns over d, the domain of the index column v.
func (g *generator) through(v *value, d *domain) func(*generator, ir.Kind) *value {
	return func(g *generator, k ir.Kind) *value {
		x := g.over(k, v.target)
		if x == nil {
			return nil
		}
		return g.add(value{op: ir.OpGather, kind: k, domain: d, target: x.target}, "$1[$2]", x, v)
	}
}

// keys picks two columns of one kind, over any domains.
func (g *generator) keys() (left, right *value) {
	left = g.column()
	if left == nil {
		return nil, nil
	}
	return left, g.pick(func(v *value) bool { return v.kind == left.kind && !v.isScalar() })
}

// find gives what was found as plain numbers: a mask could prove them rows.
func find(g *generator) *value {
	left, right := g.keys()
	if left == nil {
		return nil
	}
	return g.add(value{op: ir.OpFind, kind: ir.I64, domain: left.domain}, "find($1, in: $2) + 1", left, right)
}

// joined makes a join and both its fields; the left one stands for it.
func joined(g *generator) *value {
	left, right := g.keys()
	if left == nil {
		return nil
	}
	return g.joinOf([]*value{left}, []*value{right})
}

// joinOf joins by some keys of each side.
func (g *generator) joinOf(left, right []*value) *value {
	text, operands := matching("join(%s, %s)", left, right)
	j := g.add(value{op: ir.OpJoin, kind: ir.Pair}, text, operands...)
	g.pool = g.pool[:len(g.pool)-1] // it has no other use
	field := g.add(value{op: ir.OpLeft, kind: ir.I64, target: left[0].domain}, "$1.left", j)
	d := g.domainOf(field, func(d *domain) { d.column = g.through(field, d) })
	field.domain = d
	g.add(value{op: ir.OpRight, kind: ir.I64, domain: d, target: right[0].domain}, "$1.right", j)
	return field
}
