package ir

import "fmt"

// grouping requires an index column as a by: operand.
func (g *graph) grouping(by operand, what string) bool {
	if !g.plain(by.pos, by) {
		return false
	}
	if by.untyped() || by.typ().Target == nil || by.typ().IsScalar() {
		g.fail(by.pos, groupingHint(by), "by: of %s takes a grouping, and %v is %v", what, by, by.typ())
		return false
	}
	return true
}

// groupingHint says how key becomes a grouping.
func groupingHint(key operand) string {
	if key.untyped() || key.typ().IsScalar() {
		return "a grouping is a column that runs(k), groups(k), starts(m), bins(i, size) or repeat(n) gave"
	}
	hint := fmt.Sprintf("write by: groups(%v), or by: runs(%[1]v) where equal keys are neighbours", key)
	if key.kind().IsInteger() {
		hint += fmt.Sprintf(", or by: bins(%v, size) where they are in 0..size - 1", key)
	}
	return hint
}

// rows returns the domain that an aggregate or scan of x reads: that of x, or that
// of the grouping, over which a scalar x is repeated.
func (g *graph) rows(c *call, x operand) (*Domain, bool) {
	by, hasBy := c.named["by"]
	if !hasBy {
		if x.typ().IsScalar() {
			g.fail(c.pos, fmt.Sprintf("add by: to repeat it over a grouping, or write align(%v, to: y)", x), "%s of the scalar %v", c.op.name, x)
			return nil, false
		}
		return x.typ().Domain, true
	}
	if !g.grouping(by, c.op.name) {
		return nil, false
	}
	return g.sameDomain(c.pos, by, x)
}

// aggregate returns an aggregate of x with a result of kind k.
func (g *graph) aggregate(c *call, k Kind, x operand) operand {
	rows, ok := g.rows(c, x)
	if !ok {
		return operand{pos: c.pos}
	}
	v := Value{Op: c.op.op, Type: Type{Kind: k}, Args: []*Value{x.value}}
	if by, ok := c.named["by"]; ok {
		v.By = by.value
		v.Type.Domain = by.typ().Target
	}
	if orElse, ok := c.named["else"]; ok {
		if !g.scalarOf(&orElse, k, "else: of "+c.op.name) {
			return operand{pos: c.pos}
		}
		v.Else = orElse.value
	}
	if c.op.op.Aggregate().GivesRow() {
		v.Type.Target = rows
	}
	return g.value(c.pos, v)
}

// buildAggregate builds an aggregate of a column by its row in the table.
func buildAggregate(g *graph, c *call) operand {
	x := g.typed(c.args[0])
	if x.bad() {
		return x
	}
	a := c.op.op.Aggregate()
	switch k := x.kind(); {
	case c.op.op == OpAvg && k.IsDecimal():
		return g.average(c, x)
	case a.takes.has(k):
		return g.aggregate(c, a.Result(k), x)
	}
	hint := fmt.Sprintf(a.hint, x)
	switch {
	case x.kind().IsDecimal():
		hint = fmt.Sprintf("each factor adds digits after the point: write %s(f64(%v))", c.op.name, x)
	case a.takes&numbers == numbers && x.kind() != Bool:
		hint = c.op.name + " takes numbers"
	}
	return g.fail(c.pos, hint, "%s of %v, which is %v", c.op.name, x, x.typ())
}

func buildCount(g *graph, c *call) operand {
	by, hasBy := c.named["by"]
	if len(c.args) == 1 {
		mask := g.typed(c.args[0])
		if mask.bad() {
			return mask
		}
		if mask.kind() != Bool {
			hint := fmt.Sprintf("no value is ever missing, so all rows count: len(%v), or count(by: g) for a grouping", mask)
			if !mask.untyped() && mask.typ().Target != nil {
				hint = fmt.Sprintf("write count(by: %v)", mask)
			}
			return g.fail(c.pos, hint, "count takes a mask, and %v is %v", mask, mask.typ())
		}
		return g.aggregate(c, I64, mask)
	}
	if !hasBy {
		return g.fail(c.pos, "write count(mask), count(by: g), count(mask, by: g) or len(x)", "count of nothing")
	}
	if !g.grouping(by, "count") {
		return operand{pos: c.pos}
	}
	return g.value(c.pos, Value{Op: OpCount, Type: Type{I64, by.typ().Target, nil}, By: by.value})
}

// keys requires columns of one domain.
func (g *graph) keys(c *call, keys []operand) ([]*Value, *Domain, bool) {
	values := make([]*Value, len(keys))
	for i, k := range keys {
		if !g.column(k, c.op.name) {
			return nil, nil, false
		}
		values[i] = k.value
	}
	d, ok := g.sameDomain(c.pos, keys...)
	return values, d, ok
}

// buildGroups builds runs and groups.
func buildGroups(g *graph, c *call) operand {
	keys, d, ok := g.keys(c, c.args)
	if !ok {
		return operand{pos: c.pos}
	}
	o := g.value(c.pos, Value{Op: c.op.op, Type: Type{Kind: I64, Domain: d}, Args: keys})
	kind := DomainRuns
	if c.op.op == OpGroups {
		kind = DomainGroups
	}
	o.value.Type.Target = g.domainOf(kind, o.value, d)
	return o
}

func buildStarts(g *graph, c *call) operand {
	mask := c.args[0]
	if !g.column(mask, "starts") || !g.mask(mask, "starts") {
		return operand{pos: c.pos}
	}
	d := mask.typ().Domain
	o := g.value(c.pos, Value{Op: OpStarts, Type: Type{Kind: I64, Domain: d}, Args: []*Value{mask.value}})
	o.value.Type.Target = g.domainOf(DomainStarts, o.value, d)
	return o
}

func buildBins(g *graph, c *call) operand {
	i, size := c.args[0], c.args[1]
	if !g.integerColumn(i, "bins") {
		return operand{pos: c.pos}
	}
	d := i.typ().Domain
	if size.value != nil && !size.typ().IsScalar() {
		target := size.typ().Domain
		return g.value(c.pos, Value{Op: OpBins, Type: Type{I64, d, target}, Args: []*Value{i.value, size.value}})
	}
	if !g.integerScalar(&size, "the size of bins") {
		return operand{pos: c.pos}
	}
	o := g.value(c.pos, Value{Op: OpBins, Type: Type{Kind: I64, Domain: d}, Args: []*Value{i.value, size.value}})
	o.value.Type.Target = g.domainOf(DomainBins, o.value, nil)
	return o
}

// integerScalar requires a scalar of any integer type. Constants become i64.
func (g *graph) integerScalar(o *operand, what string) bool {
	*o = g.as(*o, I64)
	if !g.scalarOf(o, Invalid, what) {
		return false
	}
	if !o.kind().IsInteger() {
		g.fail(o.pos, castHint(*o, I64), "%s is an integer, and %v is %v", what, *o, o.typ())
		return false
	}
	return true
}

func buildRepeat(g *graph, c *call) operand {
	length := c.args[0]
	if !g.integerColumn(length, "repeat") {
		return operand{pos: c.pos}
	}
	d := length.typ().Domain
	o := g.value(c.pos, Value{Op: OpRepeat, Type: Type{Kind: I64, Target: d}, Args: []*Value{length.value}})
	o.value.Type.Domain = g.domainOf(DomainRepeat, o.value, d)
	return o
}

func buildOrder(g *graph, c *call) operand {
	desc := make([]bool, len(c.args))
	for i, k := range c.args {
		desc[i] = k.desc
	}
	keys, d, ok := g.keys(c, c.args)
	if !ok {
		return operand{pos: c.pos}
	}
	v := Value{Op: OpOrder, Type: Type{Kind: I64, Target: d}, Args: keys, Desc: desc}
	if limit, ok := c.named["limit"]; ok {
		if !g.integerScalar(&limit, "limit:") {
			return operand{pos: c.pos}
		}
		v.Limit = limit.value
	}
	o := g.value(c.pos, v)
	o.value.Type.Domain = g.domainOf(DomainOrder, o.value, d)
	return o
}

// keyPair requires two keys, columns or tuples, with equal numbers of columns and
// equal types.
func (g *graph) keyPair(c *call, left, right operand) (all []*Value, split int, ok bool) {
	tuple := func(o operand) []operand {
		if len(o.parts) > 0 {
			return o.parts
		}
		return []operand{o}
	}
	l, r := tuple(left), tuple(right)
	if len(l) != len(r) {
		g.fail(c.pos, "both keys need the same number of columns", "%s of keys with %d and %d columns", c.op.name, len(l), len(r))
		return nil, 0, false
	}
	a, _, ok1 := g.keys(c, l)
	b, _, ok2 := g.keys(c, r)
	if !ok1 || !ok2 {
		return nil, 0, false
	}
	for i := range l {
		if _, ok := g.sameKind(c.pos, c.op.name, &l[i], &r[i]); !ok {
			return nil, 0, false
		}
	}
	return append(a, b...), len(a), true
}

func buildFind(g *graph, c *call) operand {
	keys, split, ok := g.keyPair(c, c.args[0], c.named["in"])
	if !ok {
		return operand{pos: c.pos}
	}
	return g.value(c.pos, Value{Op: OpFind, Type: Type{Kind: I64, Domain: keys[0].Type.Domain}, Args: keys, Split: split})
}

func buildJoin(g *graph, c *call) operand {
	keys, split, ok := g.keyPair(c, c.args[0], c.args[1])
	if !ok {
		return operand{pos: c.pos}
	}
	o := g.value(c.pos, Value{Op: OpJoin, Type: Type{Kind: Pair}, Args: keys, Split: split})
	o.value.Type.Domain = g.domainOf(DomainJoin, o.value, keys[0].Type.Domain)
	return o
}
