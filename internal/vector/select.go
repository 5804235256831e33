package vector

import "github.com/kgen-go/kgen/ir"

// comparer is a register that is compared with a bound: an element for each row, or one for all.
type comparer interface {
	// selectBy returns the places of the first n rows that compare so with the bound, in room for as many.
	selectBy(operator ir.Op, bound register, room []int32, n int) []int32
	// refineBy keeps those of some places at which rows compare so with a bound of all of them.
	refineBy(operator ir.Op, bound register, places []int32) []int32
	// anyBy returns a function that reports whether any of the first n rows, which are integers and one at least, compares
	// so with a bound of all of them; it is nil for a comparison that neither the least nor the greatest
	// row decides.
	anyBy(operator ir.Op, bound register) func(n int) bool
}

func (v *vector[T]) selectBy(operator ir.Op, bound register, room []int32, n int) []int32 {
	if n == 0 {
		return room[:0]
	}
	rows, bounds := v.rows[:n], bound.(*vector[T]).rows
	if len(bounds) > 1 {
		return selectPairs(operator, room, rows, bounds)
	}
	c, k := bounds[0], 0
	room = room[:n]
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

// selectPairs is selectBy for rows that have a bound each.
func selectPairs[T number](operator ir.Op, room []int32, rows, bounds []T) []int32 {
	if operator == ir.OpGt || operator == ir.OpGe {
		operator, rows, bounds = mirror[operator], bounds, rows
	}
	room, bounds = room[:len(rows)], bounds[:len(rows)]
	k := 0
	switch operator {
	case ir.OpEq:
		for i, x := range rows {
			room[k] = int32(i)
			k += int(truth(x == bounds[i]))
		}
	case ir.OpNe:
		for i, x := range rows {
			room[k] = int32(i)
			k += int(truth(x != bounds[i]))
		}
	case ir.OpLt:
		for i, x := range rows {
			room[k] = int32(i)
			k += int(truth(x < bounds[i]))
		}
	default:
		for i, x := range rows {
			room[k] = int32(i)
			k += int(truth(x <= bounds[i]))
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

func (v *vector[T]) anyBy(operator ir.Op, bound register) func(n int) bool {
	c := bound.(*vector[T])
	switch operator {
	case ir.OpLt:
		return func(n int) bool { return leastOfAll(v.rows[0], v.rows[:n]) < c.rows[0] }
	case ir.OpLe:
		return func(n int) bool { return leastOfAll(v.rows[0], v.rows[:n]) <= c.rows[0] }
	case ir.OpGt:
		return func(n int) bool { return greatestOfAll(v.rows[0], v.rows[:n]) > c.rows[0] }
	case ir.OpGe:
		return func(n int) bool { return greatestOfAll(v.rows[0], v.rows[:n]) >= c.rows[0] }
	}
	return nil
}
