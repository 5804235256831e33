package simt

import (
	"cmp"
	"math"
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Tables of few elements lie in local memory. Each work-group fills a table of its
// own while it walks over its tiles, and combines that table with the one in global
// memory once, at its end. Neighbouring work-items use different copies of an
// element, so that rows of one bin do not wait for each other: copy c of bin b is
// element b*copies + c, and a work-item uses copy (its number modulo copies).

// localTable is a table in local memory.
type localTable struct {
	op       int    // the Update
	others   []int  // those that fill it, too
	size     string // its length, as an expression
	length   int64  // its elements; if isKnown is not set, no more than that, and 0 if nothing is known
	isKnown  bool
	elements int64 // for which there is memory: length, or those of its cache, or as many as may lie here as a whole
	copies   int64 // of each element; 1 if the length is not known: as many as fit
	form     elementForm
	at       int64    // the first of its words in local memory, of 32 bits
	cache    *cache   // nil if the whole table lies in local memory for certain
	entered  *entered // the limited table by whose slots rows combine, or nil
	window   *window  // the elements that lie here at a time, if rows come in their order; or nil
}

// Limits of copies: enough for 1,024 bins of one value, and for the counts of
// columns of bytes, whose rows come four times as fast as those of others.
const maxCopies, maxCopiesOfBytes = 8, 32

// A table that counts each row several times, as the digits of its key, has more copies: otherwise rows wait for banks of
// local memory, not for global memory. They fit the least budget.
const copiesOfDigits, leastDigits = 16, 4

// launchedBudgets are bytes of local memory that the tables of a work-group may take
// if a launch brings them. With all but the last, a compute unit of a large GPU runs
// two work-groups of 1,024.
var launchedBudgets = []int64{64 << 10, 112 << 10, 160 << 10}

// sharedBudget is the most with which a compute unit runs two work-groups.
const sharedBudget = 112 << 10

// gathers reports whether an operation reads memory at any place. The more local memory
// a kernel of such operations leaves, the more of what they read stays near.
func gathers(op *tile.Op) bool {
	return op.IsLoad() && !op.LoadsElement() || op.Kind == tile.Match || op.Kind == tile.Probe
}

// unknownTable is how many bytes a table may take whose elements are not known.
const unknownTable = 16 << 10

// localTables are the tables of a kernel that lie in local memory.
type localTables struct {
	tables  []*localTable
	caches  []*cache
	windows []*window
	entered []*entered // with their tables, which come first
	taken   int64      // bytes of these
	bytes   int64
	slices  int64 // of each window, a power of two: so many work-groups take the same tiles
	beside  int64 // bytes of local memory that the kernel takes for reductions
	perTile bool  // a work-group takes one tile, whose rows wait for those of others; see localtable_tile.go

	// Of the function at hand.
	words  map[ir.Kind]*loop.Var // all tables as words
	unread map[int]*lateLength   // per table whose length is not known, by its operation
}

// planTables plans the tables of t that lie in local memory; nil if none does.
func (l *lowering) planTables(t *tile.Kernel, s *shape) *localTables {
	if l.schedule.Table == plan.Global || l.schedule.Tables() && !s.combinesByRow() || !l.hasTablesOnly(t) {
		return nil
	}
	workgroup := s.workgroup
	if s.isOpen {
		workgroup = l.foldingWorkgroup()
	}
	p := &localTables{}
	p.planEntered(l, t, s)
	p.slices = 1
	p.beside = s.rememberedBytes(l, t) + besideTables(t, *s, workgroup) + listBytes(t, *s, workgroup)
	budgets := []int64{l.budget() - p.beside}
	if l.target.LaunchedLocal > 0 && l.suffix == "" {
		budgets = l.launchedBudgets()
		if len(p.entered) > 0 && s.ownBytes == 0 {
			budgets = []int64{min(enteredBudget, l.target.LaunchedLocal)}
		}
	}
	others := &localTables{}
	for i, op := range t.With(isTableUpdate) {
		if slices.ContainsFunc(p.entered, func(e *entered) bool { return t.Ops[e.op].Res[0] == op.Args[0] }) || op.BySlot && (l.schedule.Groups == plan.Shared || l.isIndependent()) {
			continue
		}
		if first := others.like(t, op); first != nil {
			first.others = append(first.others, i)
			continue
		}
		if table := l.localTable(t, i, op); table != nil {
			others.tables = append(others.tables, table)
		}
	}
	// The smallest tables come first: each that fits saves the same work.
	slices.SortStableFunc(others.tables, func(a, b *localTable) int { return cmp.Compare(a.mostElements(), b.mostElements()) })
	all, copiesOfCounts := others.tables, l.copiesOfCounts(t)
	best, most := budgets[0], []int64{-1}
	for _, budget := range budgets { // more memory has to give more
		p.choose(t, all, budget, copiesOfCounts)
		has := p.has()
		isMore := slices.Compare(has, most) > 0
		if budget > budgets[0] && t.Has(gathers) {
			isMore = has[0] > most[0] && !t.Has(updatesKept) // a whole table
		}
		if isMore {
			best, most = budget, has
		}
	}
	p.choose(t, all, best, copiesOfCounts)
	if !p.slice(l, t, all, budgets[len(budgets)-1], copiesOfCounts) {
		p.choose(t, all, best, copiesOfCounts)
	}
	if len(p.tables) == 0 {
		return nil
	}
	p.shareWindows()
	s.workgroup = workgroup
	l.asksMuch = l.asksMuch || workgroup > flatWorkgroup || p.bytes+p.beside > fallbackBudget
	return p
}

// updatesKept reports whether an operation combines rows that masks keep: fewer than those that
// gather, for which more local memory leaves less of the first-level cache.
func updatesKept(op *tile.Op) bool { return isTableUpdate(op) && op.Domain > 0 }

// launchedBudgets are those that a launch can bring.
func (l *lowering) launchedBudgets() []int64 {
	most := l.target.LaunchedLocal
	if most < launchedBudgets[0] {
		return []int64{most}
	}
	return slices.DeleteFunc(slices.Clone(launchedBudgets), func(budget int64) bool { return budget > most })
}

// like returns a table that an operation can fill, too, or nil.
func (p *localTables) like(k *tile.Kernel, op *tile.Op) *localTable {
	for _, t := range p.tables {
		if k.Ops[t.op].Stream == op.Stream && t.form == formOf(k, op) {
			return t
		}
	}
	return nil
}

// besideTables returns an upper bound of the local memory that the reductions of t
// take.
func besideTables(t *tile.Kernel, s shape, workgroup int) (bytes int64) {
	s.workgroup = workgroup
	elements := int64(s.collectiveOf().elements(&kernel{Kernel: t, shape: s}))
	for _, op := range t.With((*tile.Op).IsReduction) {
		for _, f := range op.Monoid.Fields {
			bytes += aligned16(elements * int64(f.Kind.Size()))
		}
	}
	return bytes
}

// copiesOfCounts returns how many copies a count has at most.
func (l *lowering) copiesOfCounts(t *tile.Kernel) int64 {
	for _, op := range t.With((*tile.Op).LoadsElement) {
		if t.Streams[op.Stream].Kind.Size() > 1 {
			if l.target.MergesCounts {
				return 1
			}
			return maxCopies
		}
	}
	return maxCopiesOfBytes
}

// isTableUpdate reports whether an operation combines a row into a table at any
// place.
func isTableUpdate(op *tile.Op) bool {
	return op.Does(tile.Combines) && !op.Epilogue && !op.Contiguous
}

// hasTablesOnly reports whether the rows of t may be taken in any order, and none
// waits for others.
func (l *lowering) hasTablesOnly(t *tile.Kernel) bool {
	return !t.Has((*tile.Op).IsPrefix) && !t.Has((*tile.Op).Counts) && !t.Has(func(op *tile.Op) bool {
		return op.FoldsInOrder() || op.Does(tile.Combines) && op.Contiguous
	})
}

// localTable returns the table of an operation, or nil if it cannot lie in local
// memory.
func (l *lowering) localTable(t *tile.Kernel, i int, op *tile.Op) *localTable {
	size := l.tableLength(t, op)
	table := &localTable{op: i, size: size.String(), form: formOf(t, op)}
	if table.length, table.isKnown = l.logical.Constant(size); table.isKnown {
		if table.length <= 0 || table.length > plan.MaxRows {
			return nil
		}
		if op.WindowBits > 0 && table.length > 1<<op.WindowBits {
			table.window = l.windowOf(t, op)
		}
		return table
	}
	if most, ok := l.logical.Constant(l.logical.Bound(size)); ok {
		table.length = most
	}
	table.window = l.windowOf(t, op)
	return table
}

// tableLength returns how many elements rows may combine in the table of an operation.
func (l *lowering) tableLength(t *tile.Kernel, op *tile.Op) plan.Expr {
	if op.Bins != "" {
		return plan.Len(op.Bins)
	}
	return l.bufferLength(t.Streams[op.Stream].Buffer)
}

// mostElements returns how many elements may lie in local memory as a whole. What
// fewer elements leave is for their copies.
func (t *localTable) mostElements() int64 {
	if t.window != nil {
		return t.window.elements // in all slices
	}
	if t.isKnown {
		return t.length
	}
	return max(t.length, t.unknownElements())
}

// hasCopies reports whether elements may have copies whose number the plan knows.
func (t *localTable) hasCopies() bool { return t.isKnown || t.window != nil }

// unknownElements returns how many elements lie in local memory of a table that may
// be of any length.
func (t *localTable) unknownElements() int64 {
	copied, single := t.form.words()
	elements := int64(1)
	for elements*2*4*int64(copied+single) <= unknownTable {
		elements *= 2
	}
	return elements
}

// bytes returns the local memory that the table takes with some copies.
func (t *localTable) bytes(copies int64) int64 {
	copied, single := t.form.words()
	return 4 * (aligned16(t.elements*copies*int64(copied)) + aligned16(t.elements*int64(single)))
}

// choose takes the tables that fit a budget, or have a cache that does, and gives
// them copies.
func (p *localTables) choose(k *tile.Kernel, all []*localTable, budget, copiesOfCounts int64) {
	fixed := len(p.tables)
	for fixed > 0 && p.tables[fixed-1].entered == nil {
		fixed--
	}
	p.tables, p.caches, p.bytes = p.tables[:fixed:fixed], nil, p.taken
	bounded := int64(0)             // bytes of tables whose length has a bound
	unknown := int64(math.MaxInt64) // elements of others; tables of one length can share a cache
	for _, t := range all {
		t.copies, t.elements, t.cache = 1, t.mostElements(), nil
		if t.window != nil {
			t.elements /= p.slices
		}
		if !t.isKnown && t.window == nil && t.length > 0 {
			bounded += t.bytes(1)
		}
		if !t.isKnown && t.window == nil {
			unknown = min(unknown, t.unknownElements())
		}
	}
	for _, t := range all {
		if (t.isKnown || t.window != nil || t.length > 0 && bounded <= budget) && p.bytes+t.bytes(1) <= budget {
			p.tables, p.bytes = append(p.tables, t), p.bytes+t.bytes(1)
			continue
		}
		if len(t.others) > 0 {
			continue // each of its operations would need a cache of its own
		}
		if t.window != nil {
			continue // global memory takes the rows, which lie together there, too
		}
		if t.elements = unknown; t.isKnown {
			t.elements = cacheSlots
		}
		if c, more := p.cacheFor(k, t); p.bytes+t.bytes(1)+more <= budget {
			if t.cache = c; more > 0 {
				p.caches = append(p.caches, c)
			}
			c.first = min(c.first, t.op)
			p.tables, p.bytes = append(p.tables, t), p.bytes+t.bytes(1)+more
		}
	}
	p.copy(budget, maxCopies, func(t *localTable) bool { return t.hasCopies() && !t.form.isCount() })
	p.copy(budget, copiesOfCounts, func(t *localTable) bool { return t.hasCopies() && t.form.isCount() })
	p.copy(budget, copiesOfDigits, func(t *localTable) bool {
		return t.hasCopies() && t.form.isCount() && len(t.others)+1 >= leastDigits
	})
	at := p.taken / 4
	for _, t := range p.tables[fixed:] {
		t.at = at
		at += t.bytes(t.copies) / 4
	}
	for _, c := range p.caches {
		c.at = at
		at += c.slots
	}
}

// copy doubles the copies of some tables as long as all of them fit.
func (p *localTables) copy(budget, limit int64, of func(t *localTable) bool) {
	for copies := int64(2); copies <= limit; copies *= 2 {
		more := int64(0)
		for _, t := range p.tables {
			if of(t) && copies > t.copies {
				more += t.bytes(copies) - t.bytes(t.copies)
			}
		}
		if p.bytes+more > budget {
			return
		}
		p.bytes += more
		for _, t := range p.tables {
			if of(t) {
				t.copies = max(t.copies, copies)
			}
		}
	}
}

// has says what there is room for: how many whole tables, how many others, and the
// fewest copies of a table that is not a count.
func (p *localTables) has() []int64 {
	whole, least := int64(0), int64(maxCopies)
	for _, t := range p.tables {
		if t.cache != nil {
			continue
		}
		whole++
		if !t.form.isCount() {
			least = min(least, t.copies)
		}
	}
	return []int64{whole, int64(len(p.tables)), least}
}

// hasWide reports whether any of the tables has words of 64 bits.
func (p *localTables) hasWide(of func(t *localTable) bool) bool {
	return slices.ContainsFunc(p.tables, func(t *localTable) bool {
		copied, _ := t.form.words()
		return copied == 2 && of(t)
	})
}

// localTableOf returns the table of an operation, or nil if it is in global memory, as all
// are for what is done after all rows.
func (e *function) localTableOf(op *tile.Op) *localTable {
	if !e.tabled {
		return nil
	}
	for _, t := range e.localTables.tables {
		if op == &e.Ops[t.op] || slices.ContainsFunc(t.others, func(i int) bool { return op == &e.Ops[i] }) {
			return t
		}
	}
	return nil
}

// foldingWorkgroup is the size of work-groups that share a table or a fold: the more
// work-items do, the fewer of these are combined in the end. A fallback takes what all
// devices have.
func (l *lowering) foldingWorkgroup() int {
	switch {
	case l.suffix != "":
		return flatWorkgroup
	case l.target.LaunchedLocal > 0:
		return 1024
	}
	return 512
}
