package vector

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// comparer is a register that is compared with what all rows have.
type comparer interface {
	// selectBy returns the places of the first n rows that compare so with a bound, in room for
	// as many.
	selectBy(operator ir.Op, bound register, room []int32, n int) []int32
	// refineBy keeps those of some places at which rows compare so.
	refineBy(operator ir.Op, bound register, places []int32) []int32
}

// comparison returns what a flag compares with what all rows have, if it does that, and whether
// nothing but one selection reads the flag, and so no step need store it.
func (l *linker) comparison(flag tile.ID, domain int) (varies tile.ID, bound tile.ID, operator ir.Op, ok bool) {
	op := &l.Ops[l.Values[flag].Op]
	if _, waits := l.later[flag]; !waits || op.Kind != tile.Map || op.Domain != domain || l.left[flag] != 1 {
		return 0, 0, 0, false
	}
	switch op.Operator {
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe:
	default:
		return 0, 0, 0, false
	}
	if varies, bound, ok = l.withUniform(flag, op.Operator); !ok {
		return 0, 0, 0, false
	}
	operator = op.Operator
	if bound == op.Args[0] {
		operator = mirror[operator]
	}
	return varies, bound, operator, true
}

// compared is a comparison of rows with what is the same for all.
type compared struct {
	operator      ir.Op
	rows, uniform tile.ID
}

// comparisons returns those of which a flag is the conjunction, if it is one and nothing but a
// selection reads them.
func (l *linker) comparisons(flag tile.ID, domain int) (list []compared, ok bool) {
	if rows, bound, operator, is := l.comparison(flag, domain); is {
		return []compared{{operator, rows, bound}}, true
	}
	and := l.mapped(flag, ir.OpLogicalAnd)
	if _, waits := l.later[flag]; and == nil || !waits || and.Domain != domain || l.left[flag] != 1 {
		return nil, false
	}
	for _, arg := range and.Args {
		some, ok := l.comparisons(arg, domain)
		if !ok {
			return nil, false
		}
		list = append(list, some...)
	}
	return list, true
}

// selectCompared links the selection of a domain by comparisons, if these are its guard. Each looks
// only at the rows that those before have taken.
func (l *linker) selectCompared(d *tile.Domain, s *span, parent *int) bool {
	list, ok := l.comparisons(d.Guard, d.Parent)
	if !ok {
		return false
	}
	for i, c := range list {
		x, limit := l.value(c.rows, d.Parent), l.value(c.uniform, tile.Uniform)
		l.add(func() {
			if i > 0 {
				s.take(x.refineBy(c.operator, limit, s.sel.rows), *parent)
				return
			}
			s.grow(*parent)
			s.take(x.selectBy(c.operator, limit, s.sel.room, *parent), *parent)
		})
	}
	return true
}

func (v *vector[T]) selectBy(operator ir.Op, bound register, room []int32, n int) []int32 {
	rows, c := v.rows[:n], bound.(*vector[T]).rows[0]
	room = room[:n]
	k := 0
	switch operator {
	case ir.OpEq:
		for i, x := range rows {
			room[k] = int32(i)
			k += int(truth(x == c))
		}
	case ir.OpNe:
		for i, x := range rows {
			room[k] = int32(i)
			k += int(truth(x != c))
		}
	case ir.OpLt:
		for i, x := range rows {
			room[k] = int32(i)
			k += int(truth(x < c))
		}
	case ir.OpLe:
		for i, x := range rows {
			room[k] = int32(i)
			k += int(truth(x <= c))
		}
	case ir.OpGt:
		for i, x := range rows {
			room[k] = int32(i)
			k += int(truth(x > c))
		}
	default:
		for i, x := range rows {
			room[k] = int32(i)
			k += int(truth(x >= c))
		}
	}
	return room[:k]
}

func (v *vector[T]) refineBy(operator ir.Op, bound register, places []int32) []int32 {
	rows, c := v.rows, bound.(*vector[T]).rows[0]
	k := 0
	switch operator {
	case ir.OpEq:
		for _, p := range places {
			places[k] = p
			k += int(truth(rows[p] == c))
		}
	case ir.OpNe:
		for _, p := range places {
			places[k] = p
			k += int(truth(rows[p] != c))
		}
	case ir.OpLt:
		for _, p := range places {
			places[k] = p
			k += int(truth(rows[p] < c))
		}
	case ir.OpLe:
		for _, p := range places {
			places[k] = p
			k += int(truth(rows[p] <= c))
		}
	case ir.OpGt:
		for _, p := range places {
			places[k] = p
			k += int(truth(rows[p] > c))
		}
	default:
		for _, p := range places {
			places[k] = p
			k += int(truth(rows[p] >= c))
		}
	}
	return places[:k]
}
