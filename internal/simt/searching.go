package simt

import "github.com/kgen-go/kgen/internal/tile"

// Where rows have nothing but the key that each looks up in a hash table, and leave nothing but folds, all that a kernel waits for is
// that table. Registers are left to load the buckets of several rows together, as long as a work-item has few rows.

// loneSearch is how the rows of such a kernel look keys up; of another kernel, it is zero.
type loneSearch struct {
	items int  // rows of a work-item, at most
	ahead int  // how many of these load the words that they look at first together
	once  bool // caches keep the table before the keys
	moved bool // rows have moved, so that those which look up at about the same time look at one part of the table
}

// Of 2^28 rows that look 2^20 keys up, those of 32 bits take 2.02 ms in place of 2.33 on an H200, those of 64 bits 2.78 in place of 2.98. With 2 rows of a
// work-item the latter take 2.61, but where slots are keys 2.29 in place of 1.91.
var narrowSearch, longSearch = loneSearch{items: seekItems, ahead: 4}, loneSearch{once: true}

// Of 2^28 rows that have moved, those that look 2^27 hashed keys up take 2.19 ms in place of the 2.40 of 32 rows of a work-item without words ahead, on an
// H200, 2^24 of them 1.88 in place of 2.03, and 2^24 keys that are slots 1.23 in place of 1.40. With words of four rows ahead the first take 2.31.
// Keys of 64 bits lose 0.1.
var movedSearch = loneSearch{items: 16, ahead: 2, moved: true}

// searchesMoved reports whether the rows of a kernel have moved before they look keys up. Work-groups that take every so many-th tile drift apart:
// they want more parts of the table at a time than the second-level cache holds. Those of a tile each begin in the order of the tiles.
func (l *lowering) searchesMoved(t *tile.Kernel) bool {
	return t.Has(func(op *tile.Op) bool { return op.Kind == tile.Match }) &&
		t.Has(func(op *tile.Op) bool { return op.LoadsElement() && l.isTemporary(t.Streams[op.Stream].Buffer) })
}

// loneSearchOf returns how the rows of a kernel look keys up.
func (l *lowering) loneSearchOf(t *tile.Kernel, s shape) (how loneSearch) {
	if !s.keeps || s.localTables != nil || s.remembered > 0 {
		return loneSearch{}
	}
	if l.searchesMoved(t) {
		if t.Has(func(op *tile.Op) bool { return op.Kind == tile.Match && op.Wide }) {
			return loneSearch{moved: true}
		}
		return movedSearch
	}
	columns, searches := 0, 0
	for i := range t.Ops {
		op := &t.Ops[i]
		switch {
		case op.LoadsElement():
			columns++
		case op.Kind == tile.Match && op.Bucket > 0:
			searches++
			how = narrowSearch
			if op.Wide {
				how = longSearch
			}
		}
	}
	if columns != 1 || searches != 1 {
		return loneSearch{}
	}
	return how
}
