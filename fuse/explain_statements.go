package fuse

import (
	"cmp"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// statements lists what the user wrote of which s is a part.
func (g *Graph) statements(s *Stage) []Statement {
	list := []Statement{}
	add := func(v *ir.Value, pos ir.Pos) {
		statement := Statement{g.written(v, pos), pos.Line, pos.Column}
		if statement.Text != "" && !slices.Contains(list, statement) {
			list = append(list, statement)
		}
	}
	for _, v := range s.roots {
		add(v, v.Pos)
	}
	if len(list) == 0 {
		add(nil, s.Pos)
	}
	slices.SortStableFunc(list, func(a, b Statement) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return list
}

// written returns what the user wrote at a position: the operation that v stands for,
// or else the largest expression. What the compiler makes of an expression has its
// position.
func (g *Graph) written(v *ir.Value, pos ir.Pos) string {
	var largest *ir.Value
	for _, w := range g.declared.Values {
		if w.Pos != pos || w.Op == ir.OpConst {
			continue
		}
		if v != nil && w.Op == v.Op {
			largest = w
			break
		}
		largest = w
	}
	switch {
	case largest == nil:
		return ""
	case largest.Name != "" && largest.Op != ir.OpParam:
		return largest.Name + " = " + largest.Expression()
	}
	return largest.Expression()
}
