package ir

import (
	"fmt"
	"iter"
)

// subscript returns x[i]: a compaction if i is a bool, else a gather.
func (g *graph) subscript(pos Pos, x, i operand) operand {
	if !g.plain(pos, x) || !g.plain(pos, i) {
		return operand{pos: pos}
	}
	i = g.typed(i)
	if i.bad() {
		return operand{pos: pos}
	}
	if x.untyped() || x.typ().IsScalar() {
		return g.fail(pos, "only columns are indexed", "%v is a scalar and has no rows", x)
	}
	if i.kind() == Bool {
		return g.compact(pos, x, i)
	}
	if !i.kind().IsInteger() {
		return g.fail(i.pos, castHint(i, I64), "index %v is %v, neither a bool mask nor integers", i, i.typ())
	}
	from := x.typ().Domain
	if to := i.typ().Target; to != nil && to != from {
		return g.fail(pos, fmt.Sprintf("index a column over [%s] with it, or cast it with i64(...) to have it checked at run time", clip(to.Name)),
			"%v points into %s, and %v is over %s", i, to.Origin(), x, from.Origin())
	}
	return g.value(pos, Value{
		Op:   OpGather,
		Type: Type{Kind: x.kind(), Domain: i.typ().Domain, Target: x.typ().Target},
		Args: []*Value{x.value, i.value},
	})
}

func (g *graph) compact(pos Pos, x, mask operand) operand {
	from := x.typ().Domain
	switch d := mask.typ().Domain; {
	case d == nil:
		return g.fail(pos, fmt.Sprintf("a mask is a column; to choose one of two values write select(%v, a, b)", mask), "mask %v is a scalar", mask)
	case d != from:
		g.mismatch(pos, x, mask)
		return operand{pos: pos}
	}
	target := x.typ().Target
	if x.value.Op == OpFind && proves(mask.value, x.value) {
		target = x.value.Args[x.value.Split].Type.Domain
	}
	return g.value(pos, Value{
		Op:   OpCompact,
		Type: Type{Kind: x.kind(), Domain: g.domainOf(DomainMask, mask.value, from), Target: target},
		Args: []*Value{x.value, mask.value},
	})
}

// proves reports whether mask has the conjunct find >= 0.
func proves(mask, find *Value) bool {
	for l := range literals(mask, true) {
		c := l.condition
		if l.holds && c.Op == OpGe && c.Args[0] == find && c.Args[1].Op == OpConst && c.Args[1].Const.Bits == 0 {
			return true
		}
	}
	return false
}

// A literal is a condition that is known to hold, or not to hold.
type literal struct {
	condition *Value
	holds     bool
}

// literals yields the literals that follow from condition having the value holds:
// the operands of && if it is true, and of || if it is false. In a chain that
// grows by one condition per statement, the latest condition comes first.
func literals(condition *Value, holds bool) iter.Seq[literal] {
	return func(yield func(literal) bool) {
		seen := map[literal]bool{}
		for open := []literal{{condition, holds}}; len(open) > 0; {
			l := open[len(open)-1]
			open = open[:len(open)-1]
			if seen[l] {
				continue
			}
			seen[l] = true
			args := l.condition.Args
			switch op := l.condition.Op; {
			case op == OpLogicalAnd && l.holds, op == OpLogicalOr && !l.holds:
				open = append(open, literal{args[0], l.holds}, literal{args[1], l.holds})
			case op == OpNot:
				open = append(open, literal{args[0], !l.holds})
			case !yield(l):
				return
			}
		}
	}
}

// field returns x.left or x.right.
func (g *graph) field(pos Pos, x operand, name string) operand {
	if x.bad() {
		return x
	}
	if x.kind() != Pair {
		return g.fail(pos, "only join(a, b) has fields: left and right", "%v has no field %s", x, clip(name))
	}
	join := x.value
	switch name {
	case "left":
		return g.value(pos, Value{Op: OpLeft, Type: Type{I64, join.Type.Domain, join.Args[0].Type.Domain}, Args: []*Value{join}})
	case "right":
		return g.value(pos, Value{Op: OpRight, Type: Type{I64, join.Type.Domain, join.Args[join.Split].Type.Domain}, Args: []*Value{join}})
	}
	return g.fail(pos, "a join has the fields left and right", "join %v has no field %s", x, clip(name))
}

func buildIndex(g *graph, c *call) operand {
	x := c.args[0]
	if !g.column(x, "index") {
		return operand{pos: c.pos}
	}
	d := x.typ().Domain
	return g.value(c.pos, Value{Op: OpIndex, Type: Type{I64, d, d}, Args: []*Value{x.value}})
}

func buildLen(g *graph, c *call) operand {
	x := c.args[0]
	if !g.column(x, "len") {
		return operand{pos: c.pos}
	}
	return g.value(c.pos, Value{Op: OpLen, Type: Type{Kind: I64}, Args: []*Value{x.value}})
}

// buildNeighbour builds prev(x, k, fill) and next(x, k, fill).
func buildNeighbour(g *graph, c *call) operand {
	x, k, fill := c.args[0], g.as(c.args[1], I64), c.args[2]
	if k.bad() || !g.column(x, c.op.name) {
		return operand{pos: c.pos}
	}
	if k.value.Op != OpConst || !k.kind().IsInteger() || k.value.Const.Int64() < 0 {
		return g.fail(k.pos, "it is a constant >= 0"+otherNeighbour(c.op.op, x, k, fill), "the distance of %s is %v", c.op.name, k)
	}
	if !g.scalarOf(&fill, x.kind(), "the fill of "+c.op.name) {
		return operand{pos: c.pos}
	}
	return g.value(c.pos, Value{
		Op:    c.op.op,
		Type:  Type{Kind: x.kind(), Domain: x.typ().Domain},
		Args:  []*Value{x.value, fill.value},
		Shift: k.value.Const.Int64(),
	})
}

// otherNeighbour says how prev and next are written at another distance: the other
// of the two if it is negative, or a gather that stays within the column if it is
// known only at run time.
func otherNeighbour(op Op, x, k, fill operand) string {
	switch {
	case !k.kind().IsInteger():
		return ""
	case k.value.Op == OpConst && op == OpPrev:
		return fmt.Sprintf("; rows further on are those of next(%v, %d, %v)", x, -k.value.Const.Int64(), fill)
	case k.value.Op == OpConst:
		return fmt.Sprintf("; rows before are those of prev(%v, %d, %v)", x, -k.value.Const.Int64(), fill)
	case op == OpPrev:
		return fmt.Sprintf("; for one >= 0 that is known at run time write select(index(%[1]v) < %[2]v, %[3]v, %[1]v[greatest(index(%[1]v) - %[2]v, 0)])", x, k, fill)
	}
	return fmt.Sprintf("; for one >= 0 that is known at run time write select(index(%[1]v) + %[2]v < len(%[1]v), %[1]v[least(index(%[1]v) + %[2]v, len(%[1]v) - 1)], %[3]v)", x, k, fill)
}

// buildScan builds scan(op, x, by: g) and exscan(op, x, by: g).
func buildScan(g *graph, c *call) operand {
	x := g.typed(c.args[0])
	if x.bad() {
		return x
	}
	what := fmt.Sprintf("%s(%v, ...)", c.op.name, c.reduce)
	if k := x.kind(); !reduces(c.reduce, k) {
		hint := fmt.Sprintf("%s takes add mul min max of numbers, add min max of decimals, min max of dates, timestamps, texts and char8, and or xor of integers, and or of bools", c.op.name)
		if k == Bool {
			hint = fmt.Sprintf("number the true rows with %s(%v, i64(%v)), or count them with count(%v)", c.op.name, c.reduce, x, x)
		}
		return g.fail(c.pos, hint, "%s of %v, which is %v", what, x, x.typ())
	}
	by, hasBy := c.named["by"]
	if c.op.op == OpExscan && x.kind() == Text { // the code of its identity would be in no dictionary
		hint := ""
		if !hasBy {
			hint = fmt.Sprintf("prev(scan(%v, %v), 1, \"\") begins with a text of yours", c.reduce, x)
		}
		return g.fail(c.pos, hint, "%s of %v, which is %v, has no text to begin with", what, x, x.typ())
	}
	if hasBy && !g.contiguous(by, c.op.name) {
		return operand{pos: c.pos}
	}
	rows, ok := g.rows(c, x)
	if !ok {
		return operand{pos: c.pos}
	}
	return g.value(c.pos, Value{
		Op:     c.op.op,
		Type:   Type{Kind: x.kind(), Domain: rows},
		Args:   []*Value{x.value},
		By:     by.value,
		Reduce: c.reduce,
	})
}

// reduces reports whether r is an operation on kind k.
func reduces(r ReduceOp, k Kind) bool {
	switch r {
	case ReduceAdd:
		return k.IsNumeric() || k.IsDecimal()
	case ReduceMul:
		return k.IsNumeric()
	case ReduceMin, ReduceMax:
		return k.IsNumeric() || k.IsCoded() || k == Char8
	case ReduceAnd, ReduceOr, ReduceXor:
		return k.IsInteger() || k == Bool
	}
	return false
}

// contiguous requires a grouping whose groups are contiguous rows.
func (g *graph) contiguous(by operand, what string) bool {
	if !g.grouping(by, what) {
		return false
	}
	switch by.value.Op {
	case OpRuns, OpStarts, OpRepeat:
		return true
	}
	g.fail(by.pos, "by: takes what runs, starts or repeat gave; for another grouping g sort first: p = order(g), then runs(g[p])",
		"the groups of %s are neighbouring rows, and those of %v need not be", what, by)
	return false
}

func buildAlign(g *graph, c *call) operand {
	x, to := g.typed(c.args[0]), c.named["to"]
	if x.bad() || !g.column(to, "to:") {
		return operand{pos: c.pos}
	}
	return g.value(c.pos, Value{
		Op:   OpAlign,
		Type: Type{Kind: x.kind(), Domain: to.typ().Domain},
		Args: []*Value{x.value, to.value},
	})
}
