package fuse

import "github.com/kgen-go/kgen/ir"

// Packed columns that follow an order are slow to gather from anywhere in memory. So rows move ahead of their sort,
// packed, in the order of the digit by which its last pass sorts them. All rows with one value of it then lie in one
// region of memory, and the gather takes its rows from one region after the other. The order is the same: a pass is
// stable, and that digit is the highest of the keys. All digits have been counted before, and are those of the rows
// that have moved, too.

// aheadRows are rows that move ahead of their sort.
type aheadRows struct {
	from    *ordering      // of the rows before
	on      *ordering      // of the rows that have moved
	columns []*ir.Value    // that are packed
	packed  []packedColumn // likewise, where the rows have moved
}

// mostAhead is how many bytes of other columns rows have that move ahead of their sort. Of 64 bytes a gather takes
// hardly longer from anywhere; see docs/performance/sort.md.
const mostAhead = 32

// movesAhead reports whether rows move ahead of a sort by a word that columns of so many bytes follow.
func (o *ordering) movesAhead(w word, columns []*ir.Value, bytes int) bool {
	return o.short && o.parts && len(columns) > 1 && w.bits <= maxWord && bytes <= mostAhead
}

// followAhead sorts rows that move ahead, and gathers columns, which it enters in l. It returns one of them.
// A work-group sorts few rows by itself as they come.
func (o *ordering) followAhead(keys []sortKey, l *leaving, columns []*ir.Value) *ir.Value {
	sortsFew := len(l.columns) == 0
	moved := *o
	moved.rows = o.newDomain(ir.DomainOrder, o.rows.Name+"_moved", o.rows)
	moved.ahead = &aheadRows{from: o, on: &moved, columns: columns}
	number := moved.rowOf(moved.sort(keys, nil, !sortsFew).number)
	for i, x := range columns {
		l.columns[x] = o.fromWords(moved.ahead.packed[i], number, x.Type.Kind)
	}
	if !sortsFew {
		return l.columns[columns[0]]
	}
	isFew := o.isFew(keys[0].column)
	few, at := o.rowOf(o.few(keys, o.row(keys))), o.inWords(columns, o.rows, nil)
	for i, x := range columns {
		made := l.columns[x]
		l.columns[x] = o.either(isFew, o.fromWords(at[i], few, x.Type.Kind), made, made.Type)
	}
	return l.columns[columns[0]]
}

// move moves the key of each row and packs its columns there. It returns what the sort begins with: the keys, and the
// numbers of the rows that have moved.
func (a *aheadRows) move(key, before *ir.Value, s *sorting) (moved, number *ir.Value) {
	place := a.from.place(carried{key: key}, before, 0, turn{of: s, part: aheadPass})
	moved = a.from.add(a.from.pos, ir.Value{Op: ir.OpScatter, Args: []*ir.Value{key, place}, Type: ir.Type{Kind: key.Type.Kind, Domain: a.on.rows}})
	a.on.rows.By = moved
	a.packed = a.from.inWords(a.columns, a.on.rows, place)
	return moved, a.on.cast(ir.U32, a.on.index(moved, a.on.rows))
}
