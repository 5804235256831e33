package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// A placement plans the local memory of a kernel's tiles. A tile belongs to a
// work-group, and its columns pass through an arena. Under scheme=persistent it
// belongs to a subgroup, and its columns lie in a stage of a ring.
type placement interface {
	// canStage reports whether columns of a kind can pass through local memory.
	canStage(kind ir.Kind) bool
	// layout is how the rows of a staged column lie.
	layout(k *kernel, kind ir.Kind) layout
	// columnBytes is what a staged column takes of the arena.
	columnBytes(k *kernel, kind ir.Kind) int64
	// placeFor returns a staged column that a store of the base's rows can replace
	// once work-items hold the column.
	placeFor(k *kernel, p arena, store int) (stream int, ok bool)
	// reserve adds bytes for folds to p and returns where they begin.
	reserve(p *arena, bytes int64) (at int64)
	// fit reports whether local memory suffices for an arena.
	fit(k *kernel, p arena) bool
	// grow looks for a better size of work-groups after the first attempt.
	grow(k *kernel, items int, aligned func(stream int) bool)
	// compacts reports whether kernels that only select rows put all of them in the
	// arena at once.
	compacts(k *kernel) bool
	// numbers reports whether rows selected from a derived domain are numbered.
	numbers(k *kernel) bool
	// refuse says why the schedule leaves no placement.
	refuse(k *kernel, s plan.Schedule) error
}

// workgroupPlacement is an arena that the columns of a work-group's tile pass through.
type workgroupPlacement struct{}

func (workgroupPlacement) canStage(ir.Kind) bool { return true }

func (workgroupPlacement) layout(k *kernel, kind ir.Kind) layout { return k.layoutOf(kind) }

func (workgroupPlacement) columnBytes(k *kernel, kind ir.Kind) int64 { return k.layoutOf(kind).bytes }

func (workgroupPlacement) placeFor(*kernel, arena, int) (stream int, ok bool) { return 0, false }

func (workgroupPlacement) reserve(p *arena, bytes int64) (at int64) {
	at = p.bytes
	p.bytes += bytes
	return at
}

func (workgroupPlacement) fit(k *kernel, p arena) bool { return p.bytes+k.stateBytes() <= k.budget }

func (workgroupPlacement) grow(*kernel, int, func(stream int) bool) {}

func (workgroupPlacement) compacts(k *kernel) bool { return !k.collective.inRegisters() }

// With subgroups, rows that go to local memory at once are faster, unless they have columns
// that are not read before it is known which rows are selected.
func (workgroupPlacement) numbers(k *kernel) bool {
	return !k.collective.inRegisters() || k.readsLate()
}

func (workgroupPlacement) refuse(*kernel, plan.Schedule) error { return nil }

// A residence is where emitted text finds what the work-items of a tile share.
type residence interface {
	// scope is that of a barrier among them.
	scope() loop.Scope
	// bytes returns the size of the arena.
	bytes(e *function) int64
	// start returns the word of the arena at which byte region of it lies.
	start(e *function, region int64, word ir.Kind) loop.Expr
	// column returns the word of the arena at which the tile's rows of a staged
	// column begin.
	column(e *tileBody, i int, word ir.Kind) loop.Expr
	// reserved returns the word of the arena at which bytes lie that the placement
	// has reserved at byte at.
	reserved(e *function, at, bytes int64, word ir.Kind) loop.Expr
	// shareCounts makes the counts of selections uniform among the work-items that
	// share a tile. A barrier has to come before count is called.
	shareCounts(e *selectionBody, st *state, total []loop.Expr) (count func(p selection) loop.Expr)
	// dealsWide reports whether work-items load columns by wide accesses.
	dealsWide() bool
	// takeBefore takes the row before the work-item's rows.
	takeBefore(e *tileBody, h haloRow)
}

// workgroupTile is a tile that a work-group shares.
type workgroupTile struct{}

func (workgroupTile) scope() loop.Scope { return loop.WorkgroupScope }

func (workgroupTile) start(_ *function, region int64, word ir.Kind) loop.Expr {
	return loop.Int(region / int64(word.Size()))
}

func (workgroupTile) column(e *tileBody, i int, word ir.Kind) loop.Expr {
	return loop.Int(e.stagedAt[i] / int64(word.Size()))
}

func (t workgroupTile) reserved(e *function, at, _ int64, word ir.Kind) loop.Expr {
	return t.start(e, at, word)
}

func (workgroupTile) dealsWide() bool { return true }

func (workgroupTile) takeBefore(e *tileBody, h haloRow) {
	e.b.Store(h.mine, loop.Int(0), e.before[h.stream])
	h.dealt(nil)
}
