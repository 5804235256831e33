package random

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// lookedUp finds rows by one to three keys, once or as often as a star query does, and asks
// only whether a row is there, and for columns of those that are: tables may hold these in
// place of rows. Some rows are joined by such keys instead.
func lookedUp(g *generator) {
	d := g.domains[0]
	var finds, hits []*value
	var rights []*domain
	for range 1 + g.r.IntN(3) {
		left, right := g.tuples(d, g.domains[g.r.IntN(len(g.domains))])
		if left == nil {
			continue
		}
		if g.r.IntN(4) == 0 {
			g.joinOf(left, right)
			continue
		}
		text, operands := matching("find(%s, in: %s)", left, right)
		f := g.add(value{op: ir.OpFind, kind: ir.I64, domain: d}, text, operands...)
		g.pool = g.pool[:len(g.pool)-1] // a mask could prove it rows, which only this knows
		hits = append(hits, g.named(g.add(value{op: ir.OpGe, kind: ir.Bool, domain: d}, "$1 >= 0", f)))
		finds, rights = append(finds, f), append(rights, right[0].domain)
	}
	if len(finds) == 0 {
		return
	}
	mask := hits[0]
	if operands := hits; len(hits) > 1 || g.r.IntN(2) == 0 {
		if m := g.mask(d); m != nil {
			operands = append(operands, m)
		}
		mask = g.named(g.add(value{op: ir.OpLogicalAnd, kind: ir.Bool, domain: d}, conjunction(len(operands)), operands...))
	}
	kept := g.compacted(mask)
	for i, f := range finds {
		columns := g.r.IntN(3)
		if columns == 0 { // it is asked only whether a row is there
			continue
		}
		at := g.add(value{op: ir.OpCompact, kind: ir.I64, domain: kept, target: rights[i]}, "$1[$2]", f, mask)
		if g.r.IntN(4) > 0 { // nothing else asks for the row
			g.pool = g.pool[:len(g.pool)-1]
		}
		for range columns {
			kind := g.kind()
			if g.r.IntN(2) == 0 {
				kind = narrow[g.r.IntN(len(narrow))]
			}
			if x := g.over(kind, rights[i]); x != nil {
				g.add(value{op: ir.OpGather, kind: x.kind, domain: kept, target: x.target}, "$1[$2]", x, at)
			}
		}
	}
}

// narrow are kinds of which tables hold a column.
var narrow = []ir.Kind{ir.I8, ir.U8, ir.I16, ir.U16, ir.I32, ir.U32, ir.Date}

// tuples picks one to three columns over d, and as many of the same kinds over another domain, or
// over rows of it that a mask keeps.
func (g *generator) tuples(d, other *domain) (left, right []*value) {
	if g.r.IntN(3) == 0 {
		if m := g.mask(other); m != nil && !m.inline {
			other = g.compacted(m)
		}
	}
	for range 1 + g.r.IntN(3) {
		kind := g.kind()
		l, r := g.over(kind, d), g.over(kind, other)
		if l == nil || r == nil {
			break
		}
		left, right = append(left, l), append(right, r)
	}
	return left, right
}

// matching puts the keys of both sides into a form, as tuples if there are several.
func matching(form string, left, right []*value) (text string, operands []*value) {
	side := func(keys []*value, from int) string {
		var list []string
		for i := range keys {
			list = append(list, fmt.Sprintf("$%d", from+i))
		}
		if len(list) == 1 {
			return list[0]
		}
		return "(" + strings.Join(list, ", ") + ")"
	}
	return fmt.Sprintf(form, side(left, 1), side(right, 1+len(left))), append(append(operands, left...), right...)
}

// conjunction is $1 && $2 and so on of n operands.
func conjunction(n int) string {
	list := []string{"$1"}
	for i := 2; i <= n; i++ {
		list = append(list, fmt.Sprintf("$%d", i))
	}
	return strings.Join(list, " && ")
}
