package fuse

import (
	"maps"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Packed columns that follow an order are slow to gather from anywhere in memory. So many rows move ahead of their sort,
// packed, in the order of the digit by which its last pass sorts them. All rows with one value of it then lie in one
// region of memory, and the gather takes its rows from one region after the other. The order is the same: a pass is
// stable, and that digit is the highest of the keys. All digits have been counted before, and are those of the rows
// that have moved, too. Few rows, which caches hold, are sorted as they come.

// mostAhead is how many bytes of other columns rows have that move ahead of their sort. Of 64 bytes a gather takes
// hardly longer from anywhere; see docs/performance/sort.md.
const mostAhead = 32

// movesAhead reports whether many rows move ahead of a sort by a word that columns of so many bytes follow.
func (o *ordering) movesAhead(w word, columns []*ir.Value, bytes int) bool {
	return o.short && o.parts && o.leastMoved > 0 && len(columns) > 1 && w.bits <= maxWord && bytes <= mostAhead
}

// aheadRows are rows that move ahead of their sort.
type aheadRows struct {
	*ordering
	keys    []sortKey
	columns []*ir.Value    // that are packed
	packed  []packedColumn // likewise, where the rows have moved
}

// followAhead sorts rows and gathers columns that follow them, which it enters in l: rows as they come if they are not many, else
// those that move ahead. It returns one of the columns.
func (o *ordering) followAhead(keys []sortKey, l *leaving, columns []*ir.Value) *ir.Value {
	sortsFew, counts := len(l.columns) == 0, &counted{}
	way := func(sort func(o *ordering) (number *ir.Value, at []packedColumn)) map[*ir.Value]*ir.Value {
		of, left := *o, *l
		left.columns = maps.Clone(l.columns)
		of.leaves, of.counts = &left, counts
		number, at := sort(&of)
		for i, x := range columns {
			left.columns[x] = o.fromWords(at[i], o.rowOf(number), x.Type.Kind)
		}
		return left.columns
	}
	asTheyCome := way(func(o *ordering) (*ir.Value, []packedColumn) {
		return o.sort(keys, o.row(keys), !sortsFew).number, o.inWords(columns, o.rows, nil)
	})
	moved := way(func(o *ordering) (*ir.Value, []packedColumn) {
		o.ahead = &aheadRows{ordering: o, keys: keys, columns: columns}
		number := o.sort(keys, nil, !sortsFew).number
		return number, o.ahead.packed
	})
	o.oneOf(l, columns, keys, o.isSmall(keys[0].column), asTheyCome, moved)
	if sortsFew {
		few := way(func(o *ordering) (*ir.Value, []packedColumn) {
			return o.few(o.words(keys), o.row(keys)), o.inWords(columns, o.rows, nil)
		})
		o.oneOf(l, columns, keys, o.isFew(keys[0].column), few, maps.Clone(l.columns))
	}
	return l.columns[columns[0]]
}

// oneOf enters in l columns that are made in one of two ways.
func (o *ordering) oneOf(l *leaving, columns []*ir.Value, keys []sortKey, condition *ir.Value, first, second map[*ir.Value]*ir.Value) {
	all := slices.Clone(columns)
	for _, key := range keys {
		all = append(all, key.column)
	}
	for _, x := range all {
		if made := first[x]; made != nil {
			l.columns[x] = o.either(condition, made, second[x], made.Type)
		}
	}
}

// move moves rows to the digit of the last pass, of the word of their keys, and packs their columns there. It returns what
// the sort begins with: the word of each row that has moved, and its number.
func (a *aheadRows) move(word, before *ir.Value, s *sorting) (moved, number *ir.Value) {
	place := a.place(carried{key: word}, before, 0, turn{of: s, part: aheadPass})
	keys := slices.Clone(a.keys)
	for i, key := range keys {
		keys[i].column = a.add(a.pos, ir.Value{Op: ir.OpScatter, Args: []*ir.Value{key.column, place}, Type: key.column.Type})
	}
	a.packed = a.inWords(a.columns, a.rows, place)
	return a.words(keys)[0].value, a.row(keys)
}
