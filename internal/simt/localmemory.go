package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// A work-item's rows are consecutive, but neighbouring work-items should touch
// neighbouring elements of global memory. So tiles pass through an arena of local
// memory: on the way in (load.go), and on the way out to their dense places in a
// derived domain (store.go).

// registerBudget is how many bytes a row's columns may take in registers, summed
// over the rows of a work-item.
const registerBudget = 448

// localBudget is how many bytes of local memory a work-group may take: what all
// but the smallest devices have, so that three work-groups fit most compute units.
// fallbackBudget is that of a fallback, which OpenCL 1.2 asks of every device.
const localBudget, fallbackBudget = 44 << 10, 31 << 10

// itemChoices are the rows of a work-item that are tried, the best first: those
// that wide accesses read without conflicts of banks come before their like.
var itemChoices = []int{20, 12, 10, 8, 6, 4, 2}

// minDirectItems is the least number of rows of a work-item with which all results
// lie in local memory at once. With fewer, they are held in registers.
const minDirectItems = 6

// seekItems are the most rows of a work-item that looks rows up: fewer registers let more
// work-items run at once, and wait for memory.
const seekItems = 8

// expandItems are those of a work-item whose rows repeat others, toldItems if words tell them, which take twice the local memory (8, 16 and 20 took
// 1.2 to 1.4 times as long on an H200), and orderedItems where those of a work-item
// lie together, or it holds what is stored at places behind further cuts. Of the latter, fewer rows lie in
// local memory at once: 6 and 20 took 1.1 to 1.4 times as long on an H200.
const expandItems, toldItems, orderedItems = 20, 12, 12

// compactItems are the rows of a work-item of a kernel that only selects rows, on
// devices without subgroups. The selected rows go to local memory at once, and take
// no more of it than the column did.
const compactItems = 28

// narrowItems are the rows of a work-item in rounds over columns of fewer bytes a row than
// narrowBytes, by which rows are selected: the exchange of a round costs more than its rows.
const narrowItems, narrowBytes = 28, 4

// maxWide is how many columns pass through the arena by wide accesses. Each has a
// branch for tiles that are not whole, and compilers for CPUs (PoCL 3.1) take
// minutes over a dozen of them between barriers.
const maxWide = 6

// arena is what passes through local memory, and how.
type arena struct {
	staged    map[int]bool  // streams
	halo      map[int]bool  // those of which the row before the first is needed
	collected map[int]bool  // Store operations
	regions   map[int]int64 // of those to derived domains, the first byte of a region of their own, if they have one
	inPlace   map[int]int   // of those of rows of the base, the stream whose column in the ring they replace
	bytes     int64
	vector    int   // rows that neighbouring work-items take in turn, of columns that they hold without an arena; or 0
	stage     int64 // bytes of each subgroup behind the columns of a stage of the ring
	words     []rowWords
}

func newArena() arena {
	return arena{staged: map[int]bool{}, halo: map[int]bool{}, collected: map[int]bool{}, regions: map[int]int64{}, inPlace: map[int]int{}}
}

// planArena decides what passes through local memory, and how many rows a work-item
// has, and work-items a work-group, if the schedule leaves that open.
func (k *kernel) planArena(items int, aligned func(stream int) bool) {
	k.tryWorkgroup(items, aligned)
	k.placement.grow(k, items, aligned)
}

// tryWorkgroup is planArena for a work-group of some size.
func (k *kernel) tryWorkgroup(items int, aligned func(stream int) bool) {
	k.arena, k.selected, k.strategy, k.unstaged = newArena(), selected{}, inOrder{}, false
	if !k.needsOrder() {
		k.items = max(items, 1)
		switch {
		case items > 0:
		case k.Has((*tile.Op).HasWords):
			k.items = toldItems
		case k.Has(k.countsEnds):
			k.items = expandItems
		case !k.gathersWords() && !k.gathersMuch() && !k.Has(isSearch):
			k.items = 4
		}
		if k.walks() || k.mostTogether() > 1 {
			k.holdRows(items, aligned)
		} else {
			k.planWords(items)
		}
		return
	}
	columns, stores := k.columnsToStage(aligned), k.storesToCollect()
	k.singly = len(columns)+len(stores) > maxWide
	if k.hasChunks() {
		items = int(k.Chunk) / k.workgroup
	}
	choices, direct := []int{items}, []int{items}
	if items == 0 {
		choices = itemChoices
		switch {
		case k.Has(k.countsEnds), k.holdsPlaces:
			choices = choices[slices.Index(choices, orderedItems):]
		case k.Has((*tile.Op).Seeks):
			choices = choices[slices.Index(choices, seekItems):]
		}
		direct = choices[:slices.IndexFunc(choices, func(n int) bool { return n < minDirectItems })]
		if k.holdsPlaces {
			direct = direct[:1]
		}
	}
	if k.placement.compacts(k) && k.compacts(stores) && (items == 0 && !k.Has((*tile.Op).Seeks) || items == compactItems) &&
		k.tryItems([]int{compactItems}, func() bool { return k.tryArena(columns, stores, true) }) {
		return
	}
	if k.trySelection(direct, columns) ||
		k.tryItems(direct, func() bool { return k.tryArena(columns, stores, true) }) ||
		k.tryItems(choices, func() bool { return k.tryArena(columns, stores, false) }) ||
		k.tryArena(columns, nil, false) {
		return
	}
	k.unstaged = len(columns) > 0
	k.tryArena(nil, nil, false)
}

// isSearch reports whether each load of the operation waits for the one before: rows do so at the same
// time if each has a work-item. By a program 2^20 rows with keys of their own enter a hash table in 37 us in place of 42 then, 2^18 in 25 in place of 31,
// on an H200.
func isSearch(op *tile.Op) bool {
	return op.Kind == tile.Search || !op.Direct && (op.Kind == tile.Enter || op.Kind == tile.Insert && !op.IsLimited())
}

// muchGathered is how many loads of a row from anywhere are many: work-items of one row each have as many on their way as others.
const muchGathered = 8

// gathersMuch reports whether rows load much from anywhere.
func (k *kernel) gathersMuch() bool {
	loads := 0
	for range k.With((*tile.Op).LoadsAt, func(op *tile.Op) bool { return op.Domain != tile.Uniform }) {
		loads++
	}
	return loads >= muchGathered
}

// tryItems tries some numbers of rows of a work-item, and reports whether one fits.
func (k *kernel) tryItems(choices []int, try func() bool) bool {
	return slices.ContainsFunc(choices, func(items int) bool {
		k.items = items
		return try()
	})
}

// trySelection tries to plan a kernel that only selects rows as such.
func (k *kernel) trySelection(choices []int, columns []tile.Staged) bool {
	if k.selected = k.findSelected(); len(k.selections) == 0 {
		return false
	}
	workgroup, singly := k.workgroup, k.singly
	columns = slices.DeleteFunc(slices.Clone(columns), func(s tile.Staged) bool { return !k.isEarly(s.Stream) })
	k.singly = len(columns) > maxWide
	if k.segmentWorkgroup > 0 && len(k.segments.scans) > 0 {
		k.workgroup = k.segmentWorkgroup
	}
	k.strategy = selecting{}
	if k.isNarrowRing(columns) && len(choices) > 1 {
		choices = append([]int{narrowItems}, choices...)
	}
	if k.tryItems(choices, func() bool { return k.trySelected(columns) }) {
		return true
	}
	k.selected, k.strategy, k.workgroup, k.singly = selected{}, inOrder{}, workgroup, singly
	return false
}

// isNarrowRing reports whether the ring has few bytes of each row.
func (k *kernel) isNarrowRing(columns []tile.Staged) bool {
	bytes := 0
	for _, s := range columns {
		bytes += k.Streams[s.Stream].Kind.Size()
	}
	_, isRing := k.placement.(*ring)
	return isRing && bytes > 0 && bytes < narrowBytes
}

// columnsToStage lists the columns that can pass through the arena.
func (k *kernel) columnsToStage(aligned func(stream int) bool) (columns []tile.Staged) {
	for _, s := range tile.Analyze(k.Kernel).Staged {
		if aligned(s.Stream) && k.placement.canStage(k.Streams[s.Stream].Kind) {
			columns = append(columns, s)
		}
	}
	return columns
}

// storesToCollect lists the stores that can pass through the arena.
func (k *kernel) storesToCollect() (stores []int) {
	for i := range k.Ops {
		if k.canCollect(i) {
			stores = append(stores, i)
		}
	}
	return stores
}

// compacts reports whether the kernel stores the rows that it selects, and does
// nothing else.
func (k *kernel) compacts(stores []int) bool {
	for i := range k.Ops {
		op := &k.Ops[i]
		if (op.IsReduction() || !op.Epilogue && op.HasEffect()) && !slices.Contains(stores, i) {
			return false
		}
	}
	isOther := func(d tile.Domain) bool { return d.Kind != tile.Compact }
	atRow := func(i int) bool { return len(k.Ops[i].Args) != 2 }
	return len(stores) > 0 && len(k.cuts) == 1 && !slices.ContainsFunc(k.Domains[1:], isOther) && !slices.ContainsFunc(stores, atRow)
}

// tryArena plans the arena for k.items rows a work-item, and reports whether
// registers and local memory suffice.
func (k *kernel) tryArena(columns []tile.Staged, stores []int, direct bool) bool {
	p := newArena()
	registers, outside := 0, int64(0)
	for _, s := range columns {
		kind := k.Streams[s.Stream].Kind
		p.staged[s.Stream], p.halo[s.Stream] = true, s.Before > 0
		p.bytes = max(p.bytes, k.placement.columnBytes(k, kind))
		registers += kind.Size()
	}
	places := map[tile.ID]bool{}
	for _, i := range stores {
		op := &k.Ops[i]
		kind := k.storedKind(op)
		p.collected[i] = true
		if stream, ok := k.placement.placeFor(k, p, i); ok {
			p.inPlace[i] = stream
			registers += kind.Size()
			continue
		}
		if len(op.Args) == 2 && direct {
			p.regions[i] = outside
			outside += aligned16(k.rows() * int64(k.regionWord(op).Size()))
			continue
		}
		p.bytes = max(p.bytes, k.layoutOf(kind).bytes)
		registers += kind.Size()
		if len(op.Args) == 2 && !places[op.Args[1]] {
			places[op.Args[1]] = true
			registers += 4
		}
	}
	p.bytes = max(p.bytes, outside)
	return k.settle(p, registers)
}

// freeColumn returns a staged column that suits, of which no other work-item needs
// a row.
func (k *kernel) freeColumn(p arena, suits func(stream int) bool) (stream int, ok bool) {
	for i := range k.Streams {
		if p.staged[i] && !p.halo[i] && suits(i) {
			return i, true
		}
	}
	return 0, false
}

// settle makes p the arena if it fits local memory and k.items rows a work-item, of
// so many bytes each, fit registers. It reports whether they do.
func (k *kernel) settle(p arena, registers int) bool {
	if registers*k.items > registerBudget || !k.placement.fit(k, p) {
		return false
	}
	k.arena = p
	return true
}

// stateBytes returns the local memory that the states of a cut take at most.
func (k *kernel) stateBytes() int64 {
	most := 0
	for cut := range k.cuts {
		most = max(most, k.stateOf(k.cuts[cut]).bytes()*k.collective.elements(k))
	}
	return int64(most)
}

func aligned16(bytes int64) int64 {
	return (bytes + loop.WideBytes - 1) / loop.WideBytes * loop.WideBytes
}

// wordOf is the kind of words by which elements of kind k pass through the arena.
func wordOf(k ir.Kind) ir.Kind {
	if k.Size() == 8 {
		return ir.U64
	}
	return ir.U32
}

// storedKind is the kind in which a store's values pass through the arena.
func (k *kernel) storedKind(op *tile.Op) ir.Kind {
	if k.isNarrow(op.Args[0]) {
		return ir.I32
	}
	return k.Streams[op.Stream].Kind
}

// layout is how the rows of a tile lie in the arena, as words.
type layout struct {
	word   ir.Kind
	wide   int   // elements that one access moves, or 0
	stride int   // from one work-item's rows to the next one's, in words
	bytes  int64 // of a tile
}

func (k *kernel) layoutOf(kind ir.Kind) layout {
	l := layout{word: wordOf(kind), stride: k.items, wide: loop.Wide(loop.SliceOf(loop.ScalarOf(kind)).In(loop.Global))}
	// Accesses of 16 bytes have no bank conflicts if work-items lie an odd number of
	// them apart. If they move two elements each, they pay off anyway.
	if l.wide > 0 && (k.singly || k.items%l.wide != 0 || l.wide > 2 && k.items/l.wide%2 == 0) {
		l.wide = 0
	}
	if l.wide == 0 && k.items%2 == 0 { // a free word avoids bank conflicts
		l.stride++
	}
	l.bytes = aligned16(int64(k.workgroup*l.stride) * int64(l.word.Size()))
	return l
}

// canCollect reports whether operation i stores, in the last phase, what can be collected.
func (k *kernel) canCollect(i int) bool {
	op := &k.Ops[i]
	return op.Does(tile.Writes) && !op.Epilogue && k.phase[i] >= len(k.cuts) && k.canCollectLast(op)
}

// canCollectLast reports whether an operation that stores does so at each row of the base, or at a place that
// ascends row by row and is known from the state of a scan alone.
func (k *kernel) canCollectLast(op *tile.Op) bool {
	if len(op.Args) == 1 {
		return op.Domain == 0
	}
	return k.Streams[op.Stream].Access == tile.Place && k.isOfState(op.Args[1])
}

// isOfState reports whether v is computed from results of scans and from what
// is the same for every row.
func (k *kernel) isOfState(v tile.ID) bool {
	if k.Values[v].Domain == tile.Uniform {
		return true
	}
	op := &k.Ops[k.Values[v].Op]
	if op.Cuts() {
		return op.Exclusive
	}
	return op.IsMap() && !slices.ContainsFunc(op.Args, func(arg tile.ID) bool { return !k.isOfState(arg) })
}

// arenaName is what the arena is called.
const arenaName = "local_arena"

// arenaOf returns the arena as words.
func (e *function) arenaOf(word ir.Kind) *loop.Var {
	base := e.local[arenaName]
	if base == nil {
		base = &loop.Var{Name: arenaName, T: loop.ArrayOf(int(e.arenaBytes())/ir.U32.Size(), loop.ScalarOf(ir.U32)).In(loop.Local)}
		e.local[arenaName] = base
	}
	if word == ir.U32 {
		return base
	}
	return e.arenaView(base, word)
}

// arenaView returns the arena, or other words of 32 bits, as words of another kind.
func (e *function) arenaView(base *loop.Var, word ir.Kind) *loop.Var {
	view := base.Name + "_" + word.String()
	if e.local[view] == nil {
		e.local[view] = &loop.Var{Name: view, T: loop.ArrayOf(base.T.Len*base.T.Kind.Size()/word.Size(), loop.ScalarOf(word)).In(loop.Local)}
		e.over[view] = base
	}
	return e.local[view]
}

// arenaStart returns the word at which byte region of the tile's arena lies.
func (e *function) arenaStart(region int64, word ir.Kind) loop.Expr {
	return e.residence.start(e, region, word)
}

// arenaBytes returns the size of the arena in this function.
func (e *function) arenaBytes() int64 {
	return e.residence.bytes(e)
}

// bytes leaves out the numbers of selected rows in a launch that only folds.
func (workgroupTile) bytes(e *function) int64 {
	if len(e.selections) > 0 && !e.effects {
		return e.selections[0].region
	}
	return e.arena.bytes
}

// toWord and fromWord pass an element through a word of the arena.
func toWord(word ir.Kind, x loop.Expr) loop.Expr {
	if k := x.Type().Kind; k == word {
		return x
	} else if k.IsFloat() || k == ir.Char8 {
		x = loop.BitsOf(x)
	}
	return loop.ToKind(word, x)
}

func fromWord(k ir.Kind, x loop.Expr) loop.Expr {
	switch k {
	case x.Type().Kind:
		return x
	case ir.Bool:
		return loop.Ne(x, number(x.Type().Kind, 0))
	case ir.F32, ir.F64, ir.Char8:
		return loop.FromBits(k, x)
	}
	return loop.ToKind(loop.ScalarOf(k).Kind, x)
}
