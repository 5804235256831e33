package simt

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/plan"
)

// Where rows wait for a prefix, a work-group does not walk over the tiles of others. Its rows
// combine in tables of their own all the same, if these are small: else all rows of all
// tiles would wait for each other at a few places of global memory. The first row of each of
// 16 bins, among selected rows, took 150 times as long on an H100.

// tileBins is how many elements such a table has at most: a tile has many times as many rows.
// Where a work-item is a work-group, a tile has fewer rows, and no row waits for another.
const tileBins, serialTileBins = 256, 16

// tileTableBytes are bytes of local memory for all of them.
const tileTableBytes = 8 << 10

// planTileTables plans the tables of t that each tile has in local memory; nil if there are
// none. What they take is not there for columns.
func (l *lowering) planTileTables(t *tile.Kernel, s *shape) *localTables {
	if l.schedule.Table == plan.Global || l.schedule.Tables() && !s.combinesByRow() || !t.Has((*tile.Op).IsPrefix) || t.Has((*tile.Op).Counts) {
		return nil
	}
	if _, ok := s.placement.(workgroupPlacement); !ok {
		return nil
	}
	most := int64(tileBins)
	if s.isSerial {
		most = serialTileBins
	}
	p := &localTables{perTile: true, slices: 1}
	for i, op := range t.With(isTableUpdate) {
		if first := p.like(t, op); first != nil {
			first.others = append(first.others, i)
			continue
		}
		table := l.localTable(t, i, op)
		if table == nil || !table.isKnown || table.length > most {
			continue
		}
		table.copies, table.elements, table.window = 1, table.length, nil
		if p.bytes+table.bytes(1) <= tileTableBytes {
			p.tables, p.bytes = append(p.tables, table), p.bytes+table.bytes(1)
		}
	}
	if len(p.tables) == 0 {
		return nil
	}
	p.choose(t, p.tables, tileTableBytes, l.copiesOfCounts(t))
	s.budget -= p.bytes
	return p
}

// name is what the words of the tables are called: they are the arena, or beside it.
func (p *localTables) name() string {
	if p.perTile {
		return "local_tables"
	}
	return arenaName
}
