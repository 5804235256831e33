package simt

import "github.com/kgen-go/kgen/internal/tile"

// In a kernel with a cut a work-item has consecutive rows, so what neighbours store at once would lie as many rows apart.
// Columns that follow from elements of their row alone need no such order: they are left out of the tile program that is
// planned, and at the end of each tile another one stores them, in which neighbouring work-items take neighbouring rows.
// No column passes through local memory for it, and what both programs read is in a cache by then.

// besideOf plans the tile program of what is stored beside the cuts of k, for the same tiles.
func besideOf(k *kernel, t *tile.Kernel, aligned func(stream int) bool) *kernel {
	s := shape{placement: workgroupPlacement{}, workgroup: k.workgroup, items: k.items, subgroup: k.subgroup, budget: k.budget, long: k.long}
	beside := newKernel(t, s, k.lines, aligned)
	beside.arena = newArena()
	return beside
}

// storeBeside stores the columns that are stored beside the cuts, of the rows of the tile.
func (s *launches) storeBeside(e *rowBody) {
	if s.beside == nil {
		return
	}
	b := newBody(s.beside, s.lowering, "")
	b.b, b.arguments, b.local, b.over, b.localID = e.b, e.arguments, e.local, e.over, e.localID
	b.tile, b.first, b.count, b.effects, b.lastNote = e.tile, e.first, e.count, true, e.lastNote
	b.nameUniform()
	b.loopRows(0)
	e.lastNote = b.lastNote
}
