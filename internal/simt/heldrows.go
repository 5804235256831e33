package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Where rows may be taken in any order, a work-item loads its rows of each column
// straight into registers, before it does anything with them: so many bytes at a
// time, a vector, that neighbouring work-items touch neighbouring vectors.

// heldBudget is how many bytes of columns a work-item holds. In a work-group of
// 1,024, two of which a compute unit is to run, that is half of its registers.
const heldBudget = 64

// heldAlone is the same for a work-group that remembers keys, and is alone on its compute unit: with 8 rows of 12 bytes in place
// of 4, 2^28 rows of 16 and 4,096 keys of 8 bytes took 0.84 and 1.58 ms in place of 0.90 and 1.66 on an H200.
const heldAlone = 96

// maxHeldItems is the most rows of a work-item if the schedule leaves them open: with
// 64 rows of a column of bytes, histograms took 1.5 times as long on an H200.
const maxHeldItems = 32

// holdRows plans which columns work-items hold, and how many rows.
func (k *kernel) holdRows(items int, aligned func(stream int) bool) {
	widest, bytes := 0, 0
	var streams []int
	for _, s := range tile.Analyze(k.Kernel).Staged {
		if size := k.Streams[s.Stream].Kind.Size(); s.Before == 0 && aligned(s.Stream) {
			streams = append(streams, s.Stream)
			widest = max(widest, size)
			if !k.isListedColumn(s.Stream) {
				bytes += size
			}
		}
	}
	if len(streams) == 0 {
		return
	}
	vector := loop.WideBytes / widest
	if k.storesRows() {
		vector = 1
	}
	if most := k.mostTogether(); most > 0 {
		vector = min(vector, most)
	}
	if items == 0 {
		budget := heldBudget
		if k.workgroup < maxWorkItems/2 || k.filters() && listedDomain(k.Kernel, k.shape) == 0 { // few rows need the later columns
			budget *= 2
		}
		most := maxHeldItems
		if k.lone.items > 0 {
			most = k.lone.items
		}
		if k.remembered > 0 || k.mostTogether() > 0 && k.Has((*tile.Op).Seeks) {
			most = seekItems
		}
		if k.localTables != nil && len(k.localTables.entered) > 0 && k.localTables.bytes > sharedBudget {
			budget = max(budget, heldAlone)
		}
		k.items = min(max(budget/bytes/vector*vector, vector), most)
	}
	if k.items%vector != 0 || k.items*bytes > registerBudget {
		return
	}
	k.arena.vector = vector
	for _, i := range streams {
		k.arena.staged[i] = true
	}
}

// storesRows reports whether rows are stored in their order: neighbouring work-items store neighbours at once, where
// with vectors these would lie a vector apart. On an H200 a column of 8 bytes stored beside the loads of four rows at once
// took 120 us more for 2^24 rows than in a kernel of its own.
func (k *kernel) storesRows() bool {
	return k.Has(func(op *tile.Op) bool {
		return op.Kind == tile.Store && op.Domain == 0 && !op.Epilogue && len(op.Args) == 1
	})
}

// declareHeld declares the columns that work-items hold.
func (e *tileBody) declareHeld() {
	for _, i := range e.stagedReads() {
		e.columns[i] = e.b.Storage(e.Streams[i].Name+"_rows", loop.ArrayOf(e.items, loop.ScalarOf(e.Streams[i].Kind)))
	}
}

// loadHeld loads those that a phase is the first to read, of rows with a bit in kept, or of all
// if that is nil.
func (e *tileBody) loadHeld(phase int, kept loop.Expr) {
	streams := slices.DeleteFunc(e.stagedReads(), func(i int) bool { return e.firstRead(i) != phase })
	if len(streams) == 0 {
		return
	}
	vector := e.arena.vector
	e.b.If(e.isAligned(vector), func() {
		for _, i := range streams {
			e.loadVectors(i, kept)
		}
	}, func() {
		for _, i := range streams {
			e.b.For("item", loop.Int(0), loop.Int(int64(e.items)), func(item *loop.Var) {
				at := e.b.Let("at", e.heldAt(e.localID, item))
				e.b.If(loop.Lt(at, e.count), func() {
					e.b.Store(e.columns[i], item, loop.At(e.stream(i), loop.Add(e.first, at)))
				}, nil)
			})
		}
	})
}

// vector returns how many neighbouring rows of a vector a work-item has.
func (k *kernel) vector() int { return max(k.arena.vector, 1) }

// heldAt returns the row of the tile that a work-item has as an item.
func (k *kernel) heldAt(localID, item loop.Expr) loop.Expr {
	vector := k.vector()
	if vector == 1 {
		return loop.Add(loop.Mul(item, loop.Int(int64(k.workgroup))), localID)
	}
	first := k.vectorAt(localID, loop.Div(item, loop.Int(int64(vector))))
	return loop.Add(loop.Mul(first, loop.Int(int64(vector))), loop.Apply(ir.OpAnd, item, loop.Int(int64(vector-1))))
}

// vectorAt returns the vector of the tile that a work-item has as one of its own: neighbours have neighbours. Those of few work-items
// lie together where these have rows of one group, then, if rows of groups do.
func (k *kernel) vectorAt(localID, own loop.Expr) loop.Expr {
	if !k.holdsTogether() {
		return loop.Add(loop.Mul(own, loop.Int(int64(k.workgroup))), localID)
	}
	together := int64(k.items/k.arena.vector) * heldTogether
	first := loop.Mul(loop.Div(localID, loop.Int(heldTogether)), loop.Int(together))
	return loop.Add(loop.Add(first, loop.Mul(own, loop.Int(heldTogether))), loop.Apply(ir.OpAnd, localID, loop.Int(heldTogether-1)))
}

// heldTogether is how many work-items have rows that lie together: those of a subgroup, as a rule.
const heldTogether = 32

// holdsTogether reports whether so few work-items have rows that lie together: where rows are partitioned, and neighbours may be of one group.
func (k *kernel) holdsTogether() bool {
	return k.workgroup%heldTogether == 0 && k.Has(func(op *tile.Op) bool { return op.IsLimited() && op.PartBits > 0 })
}

// loadVectors loads the whole vectors of a column, those with a row in kept.
func (e *tileBody) loadVectors(i int, kept loop.Expr) {
	kind, vector := e.Streams[i].Kind, e.arena.vector
	held := e.columns[i]
	each := func(body func(start, item loop.Expr)) { // the first row of each vector
		e.b.For("vector", loop.Int(0), loop.Int(int64(e.items/vector)), func(v *loop.Var) {
			at := loop.Mul(e.vectorAt(e.localID, v), loop.Int(int64(vector)))
			start, item := e.b.Let("start", loop.Add(e.first, at)), e.b.Let("item", loop.Mul(v, loop.Int(int64(vector))))
			if kept == nil || e.items == vector { // the caller knows that one is kept
				body(start, item)
				return
			}
			own := loop.Apply(ir.OpShr, kept, loop.ToKind(ir.U32, item))
			isAny := loop.Ne(loop.Apply(ir.OpAnd, own, number(ir.U32, 1<<vector-1)), number(ir.U32, 0))
			e.b.If(isAny, func() { body(start, item) }, nil)
		})
	}
	memory, load := e.stream(i), e.b.LoadWide
	if e.lone.once {
		load = e.b.LoadWideOnce
	}
	word, words := e.wordsOf(kind, vector)
	switch {
	case words == 0: // less than a word
		each(func(start, item loop.Expr) {
			for j := range vector {
				e.b.Store(held, loop.Add(item, loop.Int(int64(j))), loop.At(memory, loop.Add(start, loop.Int(int64(j)))))
			}
		})
		return
	case loop.Wide(memory.T) == vector:
		each(func(start, item loop.Expr) {
			for j, x := range load(e.Streams[i].Name, memory, start) {
				e.b.Store(held, loop.Add(item, loop.Int(int64(j))), x)
			}
		})
		return
	}
	view := e.arguments.readWords(e.Streams[i].Buffer, word)
	in := word.Size() / kind.Size() // elements of a word
	each(func(start, item loop.Expr) {
		at := loop.Div(start, loop.Int(int64(in)))
		var list []loop.Expr
		if words == 1 {
			list = []loop.Expr{e.b.Let("word", loop.At(view, at))}
		} else {
			list = load("word", view, at)
		}
		for w, x := range list {
			for j := range in {
				e.b.Store(held, loop.Add(item, loop.Int(int64(w*in+j))), elementOfWord(kind, x, j))
			}
		}
	})
}

// wordsOf returns the words that a vector of elements is read as, and how many
// there are: one, or as many as a wide access has; 0 if a vector is less than a word.
func (e *function) wordsOf(kind ir.Kind, vector int) (word ir.Kind, words int) {
	switch bytes := vector * kind.Size(); {
	case vector == 1: // an element as it is
	case bytes == loop.WideBytes && kind.Size() == 8:
		return ir.U64, 2
	case bytes == loop.WideBytes:
		return ir.U32, 4
	case bytes == 8:
		return ir.U64, 1
	case bytes == 4:
		return ir.U32, 1
	}
	return ir.Invalid, 0
}

// elementOfWord returns element j of those that lie in a word.
func elementOfWord(kind ir.Kind, word loop.Expr, j int) loop.Expr {
	wide := word.Type().Kind
	switch {
	case kind == ir.Char8:
		return loop.FromBits(kind, swapBytes(word))
	case kind.Size() == wide.Size():
		return fromWord(kind, word)
	}
	bits := int64(8 * kind.Size())
	x := loop.Apply(ir.OpShr, word, number(wide, int64(j)*bits))
	if wide == ir.U64 {
		x = loop.ToKind(ir.U32, x)
	}
	if kind.Size() == 4 {
		return fromWord(kind, x)
	}
	return fromWord(kind, loop.Apply(ir.OpAnd, x, number(ir.U32, 1<<bits-1)))
}
