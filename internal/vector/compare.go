package vector

import (
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// isOwn reports whether a flag is not computed yet, and one selection alone reads it.
func (l *linker) isOwn(flag tile.ID) bool {
	_, waits := l.later[flag]
	return waits && l.left[flag] == 1
}

// comparison returns what a flag compares, if it does that, and whether nothing but one step reads the
// flag, and so none need store it. Of what is the same for all rows and what is not, the latter comes first.
func (l *linker) comparison(flag tile.ID, domain int) (c compared, ok bool) {
	op := &l.Ops[l.Values[flag].Op]
	if !l.isOwn(flag) || op.Kind != tile.Map || op.Domain != domain || domain == tile.Uniform {
		return compared{}, false
	}
	switch op.Operator {
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe:
	default:
		return compared{}, false
	}
	c = compared{op.Operator, op.Args[0], op.Args[1]}
	if l.Values[c.rows].Domain == tile.Uniform {
		c = compared{mirror[op.Operator], op.Args[1], op.Args[0]}
	}
	return c, l.Values[c.rows].Domain != tile.Uniform
}

// anyHolds returns a function that reports whether a flag holds for any of the first rows of a domain,
// without computing the flags, or nil.
func (l *linker) anyHolds(flag tile.ID, domain int) func(n int) bool {
	c, ok := l.comparison(flag, domain)
	if !ok || !l.Values[c.rows].Kind.IsInteger() || l.Values[c.bound].Domain != tile.Uniform {
		return nil
	}
	return l.value(c.rows, domain).anyBy(c.operator, l.value(c.bound, domain))
}

// conditions are those that must all hold for a flag to hold. They are looked at in turn, so later ones
// cost little where earlier ones take few rows.
type conditions struct {
	uniform []tile.ID  // flags of all rows
	simple  []compared // comparisons that nothing else reads
	others  []tile.ID
}

// compared is a comparison of rows with a bound, which each row or all of them have.
type compared struct {
	operator    ir.Op
	rows, bound tile.ID
}

// inverse has the comparisons of integers that hold where others do not.
var inverse = map[ir.Op]ir.Op{ir.OpEq: ir.OpNe, ir.OpNe: ir.OpEq, ir.OpLt: ir.OpGe, ir.OpGe: ir.OpLt, ir.OpGt: ir.OpLe, ir.OpLe: ir.OpGt}

// split adds the conditions of which a flag is the conjunction.
func (l *linker) split(flag tile.ID, domain int, c *conditions) {
	if l.Values[flag].Domain == tile.Uniform {
		c.uniform = append(c.uniform, flag)
		return
	}
	if and := l.mapped(flag, ir.OpLogicalAnd); and != nil && l.isOwn(flag) && and.Domain == domain {
		for _, arg := range and.Args {
			l.split(arg, domain, c)
		}
		return
	}
	if compares, is := l.comparisonOrNot(flag, domain); is && l.Values[compares.bound].Domain == tile.Uniform {
		c.simple = append(c.simple, compares)
		return
	}
	c.others = append(c.others, flag)
}

// comparisonOrNot is comparison, or that of integers which a flag denies.
func (l *linker) comparisonOrNot(flag tile.ID, domain int) (c compared, ok bool) {
	not := l.mapped(flag, ir.OpNot)
	if not == nil {
		return l.comparison(flag, domain)
	}
	c, ok = l.comparison(not.Args[0], domain)
	c.operator = inverse[c.operator]
	return c, ok && l.isOwn(flag) && !l.Values[c.rows].Kind.IsFloat()
}

// unless returns the operands of a flag that is the disjunction of one of rows and one that all rows have.
func (l *linker) unless(flag tile.ID, domain int) (ofRow, always tile.ID, ok bool) {
	or := l.mapped(flag, ir.OpLogicalOr)
	if or == nil || or.Domain != domain || !l.isOwn(flag) {
		return 0, 0, false
	}
	return l.withUniform(flag, ir.OpLogicalOr)
}

// selectCompared links the selection of a domain, if its guard has several conditions or is a comparison.
func (l *linker) selectCompared(d *tile.Domain, s *span, parent *int) bool {
	guard, always, mayTakeAll := l.unless(d.Guard, d.Parent)
	if !mayTakeAll {
		guard = d.Guard
	}
	var c conditions
	l.split(guard, d.Parent, &c)
	if len(c.simple) == 0 && len(c.others) == 1 { // of two columns; later ones are computed for rows that are left
		if compares, is := l.comparisonOrNot(c.others[0], d.Parent); is {
			c.simple, c.others = append(c.simple, compares), nil
		}
	}
	if len(c.simple) == 0 && len(c.uniform)+len(c.others) < 2 {
		return false
	}
	takesAll := func() bool { return false }
	if mayTakeAll {
		flag := l.value(always, tile.Uniform).(*vector[uint8])
		takesAll = func() bool { return flag.rows[0] != 0 }
	}
	var flags []*vector[uint8]
	for _, v := range c.uniform {
		flags = append(flags, l.value(v, tile.Uniform).(*vector[uint8]))
	}
	holds := func() bool {
		return !takesAll() && !slices.ContainsFunc(flags, func(flag *vector[uint8]) bool { return flag.rows[0] == 0 })
	}
	switch {
	case len(c.simple) > 0:
		x, bound := l.value(c.simple[0].rows, d.Parent), l.value(c.simple[0].bound, d.Parent)
		operator := c.simple[0].operator
		l.add(func() {
			s.grow(*parent)
			n := 0
			if holds() {
				n = *parent
			}
			s.take(x.selectBy(operator, bound, s.sel.room, n), *parent)
		})
		c.simple = c.simple[1:]
	case len(c.others) > 0:
		l.add(func() { s.take(s.sel.room[:0], *parent) })
		l.branch(holds, d.Parent, c.others[:1], func(values []register) {
			guard := values[0].(*vector[uint8])
			l.add(func() { s.selects(guard.rows, *parent) })
		})
		c.others = c.others[1:]
	default:
		l.add(func() {
			s.take(s.sel.room[:0], *parent)
			if holds() {
				s.takeAll(*parent)
			}
		})
	}
	for _, c := range c.simple {
		x, bound := l.value(c.rows, d.Parent), l.value(c.bound, tile.Uniform)
		l.add(func() { s.take(x.refineBy(c.operator, bound, s.sel.rows), *parent) })
	}
	for _, v := range c.others {
		l.refine(v, d.Parent, s, parent)
	}
	if mayTakeAll { // the conditions have left no row, and so cost nothing
		l.add(func() {
			if takesAll() {
				s.takeAll(*parent)
			}
		})
	}
	return true
}

// takeAll makes all rows of a parent the domain's.
func (s *span) takeAll(parent int) {
	s.grow(parent)
	s.take(s.sel.room[:parent], parent)
	for i := range s.sel.rows {
		s.sel.rows[i] = int32(i)
	}
}

// refine links the selection of those rows, among such as are selected, for which a flag holds. Where it
// depends on the row alone, it is computed for these only.
func (l *linker) refine(flag tile.ID, domain int, s *span, parent *int) {
	if l.isOfRow(flag) {
		holds := l.ofSelected(flag, domain, s, map[tile.ID]register{}).(*vector[uint8])
		l.add(func() {
			if rows := s.sel.rows; len(rows) > 0 {
				s.take(keep(rows, holds.rows), *parent)
			}
		})
		return
	}
	l.branch(func() bool { return s.n > 0 }, domain, []tile.ID{flag}, func(values []register) {
		holds := values[0].(*vector[uint8])
		l.add(func() { s.take(keepAt(s.sel.rows, holds.rows), *parent) })
	})
}

// isOfRow reports whether what waits to be computed for a value depends on the row alone.
func (l *linker) isOfRow(v tile.ID) bool {
	if _, waits := l.later[v]; !waits {
		return true
	}
	op := &l.Ops[l.Values[v].Op]
	if op.Kind != tile.Map && op.Kind != tile.Load && op.Kind != tile.Row {
		return false
	}
	return !slices.ContainsFunc(op.Args, func(arg tile.ID) bool { return !l.isOfRow(arg) })
}

// ofSelected links the computation of a value for rows of a domain that are selected so far.
func (l *linker) ofSelected(v tile.ID, domain int, s *span, made map[tile.ID]register) register {
	if l.Values[v].Domain == tile.Uniform {
		return l.value(v, tile.Uniform)
	}
	if made[v] != nil {
		return made[v]
	}
	op := &l.Ops[l.Values[v].Op]
	switch _, waits := l.later[v]; {
	case !waits || op.Domain != domain || op.Kind == tile.Load && len(op.Args) == 0:
		made[v] = l.value(v, domain).compacted(l, &s.sel)
	case op.Kind == tile.Row:
		numbers, first := &vector[int64]{room: l.batch}, &l.domains[0].first
		l.add(func() { numbersOf(numbers.sized(s.n), s.sel.rows, *first) })
		made[v] = numbers
	default:
		made[v] = l.pure(op, nil, &s.n, func(arg tile.ID) register { return l.ofSelected(arg, domain, s, made) })
	}
	return made[v]
}

// numbersOf gives the numbers of rows at places behind a first one.
func numbersOf(to []int64, places []int32, first int64) {
	to = to[:len(places)]
	for i, p := range places {
		to[i] = first + int64(p)
	}
}

// keep keeps the places whose flags hold.
func keep(places []int32, flags []uint8) []int32 {
	flags = flags[:len(places)]
	k := 0
	for i, p := range places {
		places[k] = p
		k += int(flags[i])
	}
	return places[:k]
}

// keepAt keeps the places at which flags hold.
func keepAt(places []int32, flags []uint8) []int32 {
	k := 0
	for _, p := range places {
		places[k] = p
		k += int(flags[p])
	}
	return places[:k]
}
