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
}

// comparison returns what a flag compares with what all rows have, if it does that, and whether
// nothing but one selection reads the flag, and so no step need store it.
func (l *linker) comparison(flag tile.ID, domain int) (varies tile.ID, bound tile.ID, operator ir.Op, ok bool) {
	op := &l.Ops[l.Values[flag].Op]
	if _, waits := l.later[flag]; !waits || op.Kind != tile.Map || op.Domain != domain || l.uses[flag] != 1 {
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

// selectCompared links the selection of a domain by a comparison, if its guard is one.
func (l *linker) selectCompared(d *tile.Domain, s *span, parent *int) bool {
	varies, bound, operator, ok := l.comparison(d.Guard, d.Parent)
	if !ok {
		return false
	}
	x, limit := l.value(varies, d.Parent), l.value(bound, tile.Uniform)
	l.add(func() {
		s.grow(*parent)
		s.take(x.selectBy(operator, limit, s.sel.room, *parent), *parent)
	})
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
