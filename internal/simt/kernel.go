package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// kernel is a tile program with what lowering has to know about it.
type kernel struct {
	*tile.Kernel
	shape
	phase  []int    // per operation: how many cuts, or masks, it comes after
	cuts   [][]int  // the Scan and ChunkScan operations of each cut
	masks  int      // phases behind the first that are those of rows that masks keep; see filtering.go
	listed int      // the domain whose rows are listed for the last of these; 0 if none; see listing.go
	used   []uint64 // per value: the phases that use it, a bit each
	uses   []int    // per value: how many operations and domains use it
	lines  func(ir.Pos) string

	arena      arena
	strategy   strategy
	collective collective

	selected

	beside      *kernel // what is stored beside the cuts; nil if nothing
	holdsPlaces bool    // stores at places wait for a later cut

	spread   map[int]string // per operation Source: the buffer in which rows are told their sources; see spread.go
	together []int          // operations Source, Partners and Pairs whose results the rows of a tile find together

	unstaged bool // columns do not fit the arena or registers

	share plan.Expr // the items of a work-item that it has in all tiles but the last, if the plan chooses; see fewrows.go

	singly bool // columns pass through the arena without wide accesses
}

// shape is the tile of a kernel.
type shape struct {
	workgroup, items int
	isOpen           bool // the schedule leaves the size of work-groups to the kernel
	isSerial         bool // a work-group is a work-item, since the device runs them one after the other
	segmentWorkgroup int  // size of work-groups that fold the rows between selected ones, or 0
	subgroup         Subgroup
	budget           int64  // bytes of local memory of a work-group
	variant          string // of aggregation in tables
	sources          string // how rows find the row that they repeat
	long             bool   // rows are numbered past 2^31, see launch_parts.go
	placement        placement
	localTables      *localTables // nil if no table lies in local memory
	claims           bool         // rows claim numbers, and nothing else is left of them but what is stored there
	lone             loneSearch   // zero if rows have more than a key to look up
	keeps            bool         // work-items keep the folds of their rows from tile to tile
	places                        // of what a work-group remembers of each limited table
	ownBytes         int64        // of global memory that each work-group has for that; 0 if it is in local memory
	ranks            *ranks       // nil if no rows move by a digit
	near             []int        // streams: tables that each work-group has in local memory
}

// rowItems returns how many work-items of a work-group take rows.
func (s shape) rowItems() int {
	switch {
	case s.ranks == nil:
		return s.workgroup
	case s.ranks.room > 0:
		return min(s.workgroup, countedRows)
	}
	return s.workgroup - s.ranks.lookBack*s.subgroup.Width
}

// rows returns the rows of a tile.
func (s shape) rows() int64 { return int64(s.rowItems()) * int64(s.items) }

// newKernel prepares a tile program. A shape without items leaves their number
// open; aligned reports whether a stream certainly has an element for each row.
func newKernel(t *tile.Kernel, s shape, lines func(ir.Pos) string, aligned func(stream int) bool) *kernel {
	k := &kernel{Kernel: t, shape: s, lines: lines}
	if s.ranks != nil {
		k.planRanks()
		return k
	}
	k.phase, k.cuts = t.Phases((*tile.Op).IsPrefix)
	k.storeLast()
	k.countUses()
	k.collective = s.collectiveOf()
	k.planArena(s.items, aligned)
	k.filter()
	k.useRecomputed()
	k.planSources()
	return k
}

// heldForStores is how many bytes of a row a work-item may hold for stores that wait for further cuts, and heldForPlaces
// how many for those at places in derived domains, too: they all lie in local memory at once, which has as many
// for few rows of a work-item.
const heldForStores, heldForPlaces = 16, 28

// storeLast moves stores of rows between cuts behind the last one, where they pass through local memory. Before it they
// would be as many rows apart as a work-item has, and the next cut would wait until they are seen.
func (k *kernel) storeLast() {
	last, held := len(k.cuts), 0
	for i := range k.Ops {
		op := &k.Ops[i]
		if op.Kind != tile.Store || op.Epilogue || k.phase[i] == 0 || k.phase[i] == last {
			continue
		}
		size, most := k.storedKind(op).Size(), heldForStores
		if len(op.Args) == 2 {
			size, most = wordOf(k.storedKind(op)).Size(), heldForPlaces
		}
		if k.canCollectLast(op) && held+size <= most {
			held += size
			k.phase[i] = last
			k.holdsPlaces = k.holdsPlaces || len(op.Args) == 2
		}
	}
}

// hasChunks reports whether tiles have to be the chunks of the tile program.
func (k *kernel) hasChunks() bool {
	return k.Has((*tile.Op).IsChunkwise)
}

// maxPhases is how many phases the sets of phases can hold.
const maxPhases = 63

// phases returns how many phases the kernel has.
func (k *kernel) phases() int { return k.lastPhase() + 1 }

func (k *kernel) lastPhase() int { return len(k.cuts) + k.masks }

// countUses finds where values are used. A scan uses its elements twice: in its
// own phase for the fold of the tile, and in the next phase row by row.
func (k *kernel) countUses() {
	k.used, k.uses = make([]uint64, len(k.Values)), make([]int, len(k.Values))
	use := func(v tile.ID, phases uint64) {
		k.used[v] |= phases
		k.uses[v]++
	}
	for i := range k.Ops {
		op := &k.Ops[i]
		if op.Epilogue {
			continue
		}
		phases := uint64(1) << k.phase[i]
		if op.IsPrefix() {
			phases |= phases << 1
		}
		for _, arg := range op.Args {
			use(arg, phases)
		}
		for _, condition := range k.Conditions(op.Domain) {
			use(condition, phases)
		}
	}
}

// known returns the phase in which v is first known.
func (k *kernel) known(v tile.ID) int {
	i := k.Values[v].Op
	if k.Ops[i].IsPrefix() {
		return k.phase[i] + 1
	}
	return k.phase[i]
}

// isFree reports whether v costs nothing to compute again.
func (k *kernel) isFree(v tile.ID) bool {
	op := &k.Ops[k.Values[v].Op]
	switch {
	case k.Values[v].Domain == tile.Uniform, op.LoadsElement() && k.arena.staged[op.Stream]:
		return true
	}
	return op.IsPure() && len(op.Args) == 0 && !op.IsLoad()
}

// maxRecomputed is how many operators a value may take that is computed again
// in a later phase instead of being kept.
const maxRecomputed = 3

// isRecomputed reports whether v is computed again, from columns that work-items
// hold anyway, and not kept. A bool is kept, as a bit: compilers would keep a
// recomputed one in a register. A number that is kept is kept in as few bits as it has.
func (k *kernel) isRecomputed(v tile.ID) bool {
	return k.isFree(v) || k.Values[v].Kind != ir.Bool && k.operators(v) <= maxRecomputed || k.isWidened(v)
}

// useRecomputed enters the operands of recomputed values as used in each phase that
// computes those again.
func (k *kernel) useRecomputed() {
	for v := len(k.Values) - 1; v > 0; v-- {
		if id := tile.ID(v); !k.isFree(id) && k.isRecomputed(id) {
			for _, arg := range k.Ops[k.Values[v].Op].Args {
				k.used[arg] |= k.used[v]
			}
		}
	}
}

// operators returns how many cheap operators v takes, or more than maxRecomputed
// if it takes anything else.
func (k *kernel) operators(v tile.ID) int {
	if k.isFree(v) || k.Values[v].Kind == ir.Bool {
		return 0
	}
	n, op := 1, &k.Ops[k.Values[v].Op]
	if !op.IsMap() || op.Operator.Cost() == ir.Dear || op.Operator.Cost() != ir.Cheap && !k.followsRow(v) {
		return maxRecomputed + 1
	}
	for _, arg := range op.Args {
		if n += k.operators(arg); n > maxRecomputed {
			break
		}
	}
	return n
}

// followsRow reports whether v follows from the number of the row alone.
func (k *kernel) followsRow(v tile.ID) bool {
	op := &k.Ops[k.Values[v].Op]
	if k.Values[v].Domain == tile.Uniform || op.Kind == tile.Row {
		return true
	}
	return op.IsMap() && !slices.ContainsFunc(op.Args, func(arg tile.ID) bool { return !k.followsRow(arg) })
}

// isHeld reports whether work-items hold column v, and the row before theirs.
func (k *kernel) isHeld(v tile.ID) bool {
	load := &k.Ops[k.Values[v].Op]
	return load.LoadsElement() && k.arena.halo[load.Stream]
}

// needsOrder reports whether consecutive rows have to lie in one work-item.
func (k *kernel) needsOrder() bool {
	return len(k.cuts) > 0 || k.wantsNeighbours() || k.Has((*tile.Op).FoldsInOrder)
}

// reductions lists the Reduce operations.
func (k *kernel) reductions() (list []int) {
	for i := range k.Ops {
		if k.Ops[i].IsReduction() {
			list = append(list, i)
		}
	}
	return list
}

// hasEnd reports whether something remains to be done after all rows.
func (k *kernel) hasEnd() bool {
	return slices.ContainsFunc(k.Ops, func(op tile.Op) bool { return op.Epilogue || op.IsReduction() }) ||
		slices.ContainsFunc(k.Domains, func(d tile.Domain) bool { return d.Kind == tile.Close })
}

// gridScans returns those of a cut's operations that go on across tiles.
func (k *kernel) gridScans(cut int) (list []int) {
	for _, i := range k.cuts[cut] {
		if k.Ops[i].Cuts() {
			list = append(list, i)
		}
	}
	return list
}

// gridCuts lists the cuts that go on across tiles.
func (k *kernel) gridCuts() (list []int) {
	for cut := range k.cuts {
		if len(k.gridScans(cut)) > 0 {
			list = append(list, cut)
		}
	}
	return list
}
