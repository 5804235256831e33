package vector

import "github.com/kgen-go/kgen/internal/tile"

// mostMoves ends the walk of rows that others move in a cuckoo table.
const mostMoves = 192

// enterCuckoo links the entry of rows in a cuckoo hash table; see the operation Cuckoo.
func (l *linker) enterCuckoo(op *tile.Op) {
	l.serial = true
	table, n, rows := &l.streams[op.Stream], l.count(op.Domain), l.full(op.Args[0], op.Domain).(*vector[int64])
	slots := l.value(op.Args[1], op.Domain)
	var homes []*stream
	for _, home := range op.Homes {
		homes = append(homes, &l.streams[home])
	}
	var same []func(x, y int64) bool
	for _, key := range op.Keys {
		s := &l.streams[key]
		same = append(same, newRegister(s.kind, 1).keys(s))
	}
	isEqual := func(x, y int64) bool {
		for _, equals := range same {
			if !equals(x, y) {
				return false
			}
		}
		return true
	}
	enter := func(slot []int64, row int64) bool {
		for move := range mostMoves {
			at := elements[int64](homes[move%len(homes)])[row]
			held := slot[at]
			if held == free {
				slot[at] = row
				return true
			}
			if isEqual(row, held) {
				slot[at] = min(row, held)
				return true
			}
			slot[at], row = row, held
		}
		return false
	}
	l.ordered(func() {
		if *n == 0 {
			return
		}
		slot := elements[int64](table)
		for _, row := range rows.rows[:*n] {
			if !enter(slot, row) {
				slot[int64(slots.bits(0))-1] = row
			}
		}
	})
}
