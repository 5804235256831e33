package vector

// Loops over hash tables whose rows have one key, as most have. The others compare their keys
// one after the other, each by a function.

// lone is a register that is the only key of a hash table.
type lone interface {
	// seek gives each row the slot of its key, from its own slot on, or free.
	seek(keys *stream, table, own, to []int64)
	// enter enters rows, and returns how many slots are taken; it stops at more than most.
	enter(keys *stream, table, own, rows []int64, taken, most int64) int64
}

func (v *vector[T]) seek(keys *stream, table, own, to []int64) {
	held, last := elements[T](keys), int64(len(v.rows)-1)
	own = own[:len(to)]
	for i, first := range own {
		x := v.rows[min(int64(i), last)]
		to[i] = seekOne(x, held, table, first)
	}
}

// seekOne returns the slot of a key. Where rows were left out, others may have taken all slots.
func seekOne[T number](x T, held []T, table []int64, first int64) int64 {
	for at := first; ; {
		row := table[at]
		if row == free {
			return free
		}
		if sameKey(x, held[row]) {
			return at
		}
		if at = (at + 1) & int64(len(table)-1); at == first {
			return free
		}
	}
}

func (v *vector[T]) enter(keys *stream, table, own, rows []int64, taken, most int64) int64 {
	held, last, mask := elements[T](keys), int64(len(v.rows)-1), int64(len(table)-1)
	rows = rows[:len(own)]
	for i, at := range own {
		if taken > most {
			break
		}
		x, entered := v.rows[min(int64(i), last)], rows[i]
		for {
			row := table[at]
			if row == free {
				table[at] = entered
				taken++
				break
			}
			if sameKey(x, held[row]) {
				table[at] = min(row, entered)
				break
			}
			at = (at + 1) & mask
		}
	}
	return taken
}
