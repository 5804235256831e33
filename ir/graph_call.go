package ir

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A call is a function with its operands.
type call struct {
	pos    Pos
	op     *function
	args   []operand
	named  map[string]operand
	reduce ReduceOp // of scan and exscan
}

// call checks the number and the names of the operands of c, then builds c.
func (g *graph) call(c *call) operand {
	if !g.operandCount(c) {
		return operand{pos: c.pos}
	}
	for _, a := range c.args {
		switch {
		case a.bad():
			return operand{pos: c.pos}
		case len(a.parts) > 0 && c.op.tuples:
			for _, part := range a.parts {
				if !g.plain(a.pos, part) {
					return operand{pos: c.pos}
				}
			}
		case a.desc && c.op.descending:
		case !g.plain(a.pos, a):
			return operand{pos: c.pos}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.named)) {
		if a := c.named[name]; a.bad() || !(len(a.parts) > 0 && c.op.tuples && name == "in") && !g.plain(a.pos, a) {
			return operand{pos: c.pos}
		}
	}
	return c.op.build(g, c)
}

func (g *graph) operandCount(c *call) bool {
	f := c.op
	for _, name := range slices.Sorted(maps.Keys(c.named)) {
		if !slices.Contains(f.named, name) {
			g.fail(c.named[name].pos, unexpectedNameHint(f, name), "%s takes no %s:", f.name, clip(name))
			return false
		}
	}
	if n := len(c.args); n < f.least || n > f.most {
		found := n
		if c.reduce != ReduceNone {
			found++
		}
		hint := "it is written " + f.signature()
		if n == 2 && f.op == OpMin {
			hint = "the lesser of two values, row by row, is least(x, y)"
		} else if n == 2 && f.op == OpMax {
			hint = "the greater of two values, row by row, is greatest(x, y)"
		}
		g.fail(c.pos, hint, "%s takes %s, found %d", f.name, f.operandText(), found)
		return false
	}
	if f.needed {
		for _, name := range f.named {
			if _, ok := c.named[name]; !ok {
				g.fail(c.pos, "it is written "+f.signature(), "%s lacks %s:", f.name, name)
				return false
			}
		}
	}
	return true
}

func (f *function) operandText() string {
	switch {
	case f.operation:
		return "an operation and 1 operand"
	case f.most == 1 && f.least == 1:
		return "1 operand"
	case f.most == unlimited:
		return fmt.Sprintf("1 operand or more, up to %d", unlimited)
	case f.most != f.least:
		return fmt.Sprintf("%d or %d operands", f.least, f.most) // count
	}
	return fmt.Sprintf("%d operands", f.least)
}

func unexpectedNameHint(f *function, name string) string {
	switch {
	case name == "else" && f.op.IsAggregate() && f.op.Aggregate().NoRows == NoRowsIdentity:
		return fmt.Sprintf("the %s of no rows is %s", f.name, f.op.Aggregate().identity())
	case len(f.named) == 0:
		return "it is written " + f.signature()
	}
	return fmt.Sprintf("it takes %s:", strings.Join(f.named, ": and "))
}
