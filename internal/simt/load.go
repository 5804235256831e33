package simt

import (
	"math/bits"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// stage loads the tile's rows of each staged column, as many columns at a time as
// fit the arena.
func (e *tileBody) stage() {
	if e.arena.vector > 0 {
		e.declareHeld()
		e.loadHeld(0, nil)
		return
	}
	var columns []int
	used := int64(0)
	for _, i := range e.stagedReads() {
		bytes := e.layoutOf(e.Streams[i].Kind).bytes
		if used+bytes > e.arena.bytes {
			e.loadColumns(columns)
			columns, used = nil, 0
		}
		columns, used = append(columns, i), used+bytes
	}
	e.loadColumns(columns)
}

// stagedReads lists the staged columns that a row of this function needs.
func (e *function) stagedReads() (list []int) {
	reads := e.reads()
	for i := range e.Streams {
		if e.arena.staged[i] && reads[i] {
			list = append(list, i)
		}
	}
	return list
}

// reads returns the streams that a row of this function needs. A launch that only
// folds does not need columns that are only copied to results.
func (e *function) reads() map[int]bool {
	streams := map[int]bool{}
	for i, needed := range e.needed(e.until, e.effects) {
		if op := &e.Ops[i]; needed && op.IsLoad() {
			streams[op.Stream] = true
		}
	}
	return streams
}

// needed returns the operations that the phases up to until need for what they fold
// and, with effects, for what they write.
func (k *kernel) needed(until int, effects bool) []bool {
	return k.NeededBy(func(i int) bool {
		op := &k.Ops[i]
		return !op.Epilogue && k.phase[i] <= until && (op.IsRunning() || effects && op.HasEffect())
	})
}

func (e *tileBody) loadColumns(streams []int) {
	if len(streams) == 0 {
		return
	}
	at := int64(0)
	for _, i := range streams {
		if e.arena.halo[i] {
			e.readBefore(i)
		}
	}
	for _, i := range streams {
		e.stagedAt[i] = at
		at += e.layoutOf(e.Streams[i].Kind).bytes
		e.deal(i)
	}
	e.barrier()
	for _, i := range streams {
		e.take(i)
	}
	if !e.retention.keepsColumns(e.function) {
		e.barrier()
	}
}

// staged returns the word of the arena at which the tile of a staged column begins.
func (e *tileBody) staged(i int, l layout) loop.Expr {
	return e.residence.column(e, i, l.word)
}

// deal loads a column into the arena.
func (e *tileBody) deal(i int) {
	l := e.placement.layout(e.kernel, e.Streams[i].Kind)
	memory, arena, base := e.stream(i), e.arenaOf(l.word), e.staged(i, l)
	single := func() {
		e.b.For("item", loop.Int(0), loop.Int(int64(e.items)), func(item *loop.Var) {
			at := e.b.Let("at", loop.Add(loop.Mul(item, loop.Int(int64(e.workgroup))), e.localID))
			place := loop.Add(base, l.dealt(e.kernel, at))
			e.b.If(loop.Lt(at, e.count), func() {
				e.b.Store(arena, place, toWord(l.word, loop.At(memory, loop.Add(e.first, at))))
			}, func() { // work-items take rows that do not exist, too
				e.b.Store(arena, place, loop.ConstOf(ir.Scalar{Kind: l.word}))
			})
		})
	}
	if l.wide == 0 || !e.residence.dealsWide() {
		single()
		return
	}
	e.b.If(e.isAligned(l.wide), func() {
		e.eachWide(l.wide, func(at loop.Expr) {
			values := e.b.LoadWide(e.Streams[i].Name, memory, loop.Add(e.first, at))
			for j := range values {
				values[j] = toWord(l.word, values[j])
			}
			e.b.StoreWide(arena, loop.Add(base, at), values)
		})
	}, single)
}

// isAligned reports whether the tile has all its rows and begins at a boundary of
// wide accesses.
func (e *tileBody) isAligned(wide int) loop.Expr {
	all := loop.Eq(e.count, loop.Int(e.kernel.rows()))
	if wide == 1 {
		return all
	}
	return loop.And(all, loop.Eq(loop.Apply(ir.OpAnd, e.first, loop.Int(int64(wide-1))), loop.Int(0)))
}

// eachWide calls body for the wide accesses of a work-item to a tile of global memory.
func (e *function) eachWide(wide int, body func(at loop.Expr)) {
	e.b.For("i", loop.Int(0), loop.Int(int64(e.items/wide)), func(i *loop.Var) {
		body(e.b.Let("at", loop.Mul(loop.Add(loop.Mul(i, loop.Int(int64(e.workgroup))), e.localID), loop.Int(int64(wide)))))
	})
}

// dealt returns where row at of the tile lies in a layout.
func (l layout) dealt(k *kernel, at loop.Expr) loop.Expr {
	if l.stride == k.items {
		return at
	}
	if shift := bits.TrailingZeros(uint(k.items)); k.items == 1<<shift {
		return loop.Add(at, loop.Apply(ir.OpShr, at, loop.Int(int64(shift))))
	}
	return loop.Add(at, loop.Div(at, loop.Int(int64(k.items))))
}

// take reads a column's rows of this work-item, and the row before if it is
// needed.
func (e *tileBody) take(i int) {
	kind := e.Streams[i].Kind
	l := e.placement.layout(e.kernel, kind)
	memory, arena, base := e.stream(i), e.arenaOf(l.word), e.staged(i, l)
	before := 0
	if e.arena.halo[i] {
		before = 1
	}
	mine := e.b.Storage(e.Streams[i].Name+"_rows", loop.ArrayOf(e.items+before, loop.ScalarOf(kind)))
	e.columns[i] = mine
	start := e.b.Let("start", loop.Mul(e.localID, loop.Int(int64(e.items))))
	own := e.b.Let("own", loop.Add(base, loop.Mul(e.localID, loop.Int(int64(l.stride)))))
	if l.wide > 0 {
		e.b.For("i", loop.Int(0), loop.Int(int64(e.items/l.wide)), func(i *loop.Var) {
			item := e.b.Let("item", loop.Mul(i, loop.Int(int64(l.wide))))
			for j, x := range e.b.LoadWide("word", arena, loop.Add(own, item)) {
				e.b.Store(mine, loop.Add(item, loop.Int(int64(j+before))), fromWord(kind, x))
			}
		})
	} else {
		e.b.For("item", loop.Int(0), loop.Int(int64(e.items)), func(item *loop.Var) {
			e.b.Store(mine, loop.Add(item, loop.Int(int64(before))), fromWord(kind, loop.At(arena, loop.Add(own, item))))
		})
	}
	if before == 0 {
		return
	}
	storeBefore := func(at loop.Expr) { e.b.Store(mine, loop.Int(0), fromWord(kind, loop.At(arena, at))) }
	dealt := func(otherwise func()) {
		e.b.If(loop.And(loop.Gt(start, loop.Int(0)), loop.Lt(start, e.count)), func() {
			last := loop.Add(base, l.dealt(e.kernel, loop.Sub(start, loop.Int(1))))
			storeBefore(last)
		}, otherwise)
	}
	e.residence.takeBefore(e, haloRow{i, memory, mine, start, own, storeBefore, dealt})
}

// haloRow is the row before those that a work-item takes of a column.
type haloRow struct {
	stream     int
	memory     *loop.Var // the column
	mine       *loop.Var // the work-item's rows, this one first
	start, own loop.Expr // the first of them, in the tile and in the arena
	store      func(at loop.Expr)
	dealt      func(otherwise func()) // store it from the tile, if that has it
}

// takeColumns takes all staged columns.
func (e *tileBody) takeColumns() {
	for _, i := range e.stagedReads() {
		e.take(i)
	}
}

// readBefore reads a column's row before the tile. It does so before the tile is
// loaded: afterwards, all work-items would wait for memory a second time.
func (e *tileBody) readBefore(i int) {
	kind := e.Streams[i].Kind
	e.before[i] = e.b.Decl(e.Streams[i].Name+"_before", loop.ConstOf(ir.Scalar{Kind: kind}))
	isFirst := loop.And(loop.Eq(e.localID, loop.Int(0)), loop.Gt(e.first, loop.Int(0)))
	e.b.If(isFirst, func() { e.b.Assign(e.before[i], loop.At(e.stream(i), loop.Sub(e.first, loop.Int(1)))) }, nil)
}
