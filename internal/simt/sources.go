package simt

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// The rows of a tile find the rows that they repeat together, in local memory. Bounds for the first row
// and the last one say which repeated rows may end in the tile. Each of these is counted at the row where it
// ends, and a running sum over the tile tells each row how many have ended: that takes a load per repeated
// row, and no search. A work-item adds up neighbouring counters; where the order of rows does not matter, it
// then handles rows a work-group's work-items apart, so that neighbours reach for neighbouring elements.

// tileSources are the sources of a tile's rows.
type tileSources struct {
	shared *loop.Var    // that of each row of the tile, at its sourcePlace
	held   *loop.Var    // those of the work-item's rows, in registers, if they lie together
	told   *tileSources // likewise what words tell of the source, less the row's number in the tile; nil if there are none
}

// mostEnds is how many rows may end per row of the tile on average. More are seen if most
// repeated rows have no repetitions.
const mostEnds = 8

// mostSteps is how often a work-group adds lengths up for a tile, if more rows end in it than that: by searches it
// takes about as long then.
const mostSteps = 128

// planSources finds what rows find together, be it by nested loops: what local memory has room for. Subgroups
// that have tiles of their own search.
func (k *kernel) planSources() {
	k.together = nil
	made := *k.Kernel // others may lower it, too
	made.Ops = slices.Clone(k.Ops)
	if _, ok := k.placement.(workgroupPlacement); !ok {
		return
	}
	bytes := k.arena.bytes + k.stateBytes() + int64(ir.I32.Size()*k.collective.elements(k))
	if k.localTables != nil {
		bytes += k.localTables.bytes + k.localTables.beside
	}
	for i := range k.Ops {
		more := int64(0)
		switch op := &k.Ops[i]; {
		case k.countsEnds(op):
			more = k.sourceBytes(op)
		case op.Nests():
			more = k.nestedBytes(op)
		}
		if more == 0 || bytes+more > k.budget {
			continue
		}
		bytes += more
		if k.Ops[i].Kind == tile.Source {
			made.Ops[i].Monoid = tile.NewFold(ir.ReduceAdd, ir.I64) // of counts
			if k.Ops[i].HasWords() {
				made.Ops[i].Monoid = tile.NewProduct(made.Ops[i].Monoid, tile.NewFold(ir.ReduceMax, ir.I64)) // of places
			}
		}
		k.together = append(k.together, i)
	}
	if len(k.together) > 0 {
		k.Kernel = &made
	}
}

// countsEnds reports whether rows may find their sources by counted ends.
func (k *kernel) countsEnds(op *tile.Op) bool {
	return op.Kind == tile.Source && k.sources != plan.Search && !k.spreads(op)
}

// sourceBytes returns the local memory that the sources of a tile take.
func (k *kernel) sourceBytes(op *tile.Op) int64 {
	bytes := int64(k.sourcePlaces() * ir.I32.Size())
	if op.HasWords() {
		bytes *= 2
	}
	return bytes
}

// sourcePlace returns where row at of a tile has its counter. Without wide accesses a place is free
// behind the rows of each work-item, which avoids bank conflicts.
func (k *kernel) sourcePlace(at loop.Expr) loop.Expr {
	if k.countsWide() {
		return at
	}
	return loop.Add(at, loop.Div(at, loop.Int(int64(k.items))))
}

func (k *kernel) sourcePlaces() int {
	if k.countsWide() {
		return k.workgroup * k.items
	}
	return k.workgroup * (k.items + 1)
}

// countsWide reports whether a work-item accesses several counters at a time.
func (k *kernel) countsWide() bool { return k.items%wideCounters == 0 }

// wideCounters is how many counters a wide access moves.
const wideCounters = loop.WideBytes / 4

// findSources finds the sources of the tile's rows, for operations that rows of this
// function need.
func (e *rowBody) findSources() {
	needed := e.needed(e.until, e.effects)
	for _, i := range e.together {
		switch {
		case !needed[i]:
		case e.Ops[i].Nests():
			e.nestedLoops[i] = e.nestTogether(i)
		default:
			e.sources[i] = e.sourcesOf(i)
		}
	}
}

func (e *rowBody) sourcesOf(i int) *tileSources {
	op := &e.Ops[i]
	last := loop.Sub(loop.Add(e.first, e.count), loop.Int(1))
	first := e.b.Let("first_source", loop.ToCounter(e.at(op.Args[0], e.first)))
	end := e.b.Let("end_of_sources", loop.ToCounter(e.at(op.Args[1], loop.Greatest(last, loop.Int(0)))))
	width := int64(max(op.Width, 1))
	most := loop.Int(mostEnds * e.kernel.rows())
	if op.Width > 0 {
		most = loop.Int(max(mostSteps*lengthsTogether*int64(e.workgroup), mostEnds*e.kernel.rows()) / width)
	}
	areMany := e.b.Let("are_many", loop.Gt(loop.Sub(end, first), most))
	found := &tileSources{shared: e.localArray(fmt.Sprintf("sources_%d", i), ir.I32, e.sourcePlaces())}
	if op.HasWords() {
		found.told = &tileSources{shared: e.localArray(fmt.Sprintf("told_%d", i), ir.U32, e.sourcePlaces())}
	}
	if e.keeps || e.localTables != nil || e.chunk > 1 {
		e.barrier() // behind the tile before
	}
	e.b.If(areMany, func() { e.searchTogether(op, found) }, func() {
		if found.told != nil {
			e.clearCounters(found.told.shared)
		}
		e.clearCounters(found.shared)
		e.barrier()
		if op.Width > 0 {
			e.countSums(i, first, end, found)
		} else {
			e.countEnds(op, first, end, found.shared)
		}
		e.barrier()
		if op.HasWords() {
			e.spreadHeads(i, found)
		} else {
			e.addCounters(i, found.shared, loop.Mul(first, loop.Int(width)))
		}
	})
	e.barrier() // others find sources, too
	if e.needsOrder() {
		found.hold(e)
	}
	return found
}

// hold brings what the work-item's rows have found to registers.
func (found *tileSources) hold(e *rowBody) {
	found.held = e.b.Storage("source_rows", loop.ArrayOf(e.items, loop.ScalarOf(found.shared.T.Kind)))
	e.eachCounter(found.shared, func(item, source loop.Expr) { e.b.Store(found.held, item, source) })
	if found.told != nil {
		found.told.hold(e)
	}
}

// at returns what the row at hand has found.
func (found *tileSources) at(e *rowBody) loop.Expr {
	if found.held != nil {
		return loop.At(found.held, e.item)
	}
	return loop.At(found.shared, e.sourcePlace(e.place))
}

// eachCounter runs body for as many neighbouring counters as a work-item has rows.
func (e *rowBody) eachCounter(counters *loop.Var, body func(item, count loop.Expr)) {
	start := e.b.Let("start", e.sourcePlace(loop.Mul(e.localID, loop.Int(int64(e.items)))))
	if e.countsWide() {
		e.b.For("i", loop.Int(0), loop.Int(int64(e.items/wideCounters)), func(i *loop.Var) {
			item := e.b.Let("item", loop.Mul(i, loop.Int(wideCounters)))
			for j, count := range e.b.LoadWide("count", counters, loop.Add(start, item)) {
				body(loop.Add(item, loop.Int(int64(j))), count)
			}
		})
		return
	}
	e.b.For("item", loop.Int(0), loop.Int(int64(e.items)), func(item *loop.Var) {
		body(item, loop.At(counters, loop.Add(start, item)))
	})
}

// sumBefore returns the sum of what the work-items before this one have, and that of all.
func (e *rowBody) sumBefore(i int, own loop.Expr) (before, all loop.Expr) {
	st := single(e.kernel, slot{stateKey: stateKey{i, 0}, kind: ir.I32, counts: true})
	sums, total := e.blockScan(st, []loop.Expr{own}, duringScan{})
	return sums[0], total[0]
}

// addCounters adds the counters up from first on, so that they are sources.
func (e *rowBody) addCounters(i int, counters *loop.Var, first loop.Expr) {
	sum, sums := e.b.Decl("sum", number(ir.I32, 0)), e.b.Storage("sums", loop.ArrayOf(e.items, loop.ScalarOf(ir.I32)))
	e.eachCounter(counters, func(item, count loop.Expr) {
		e.b.Assign(sum, loop.Add(sum, count))
		e.b.Store(sums, item, sum)
	})
	ended, _ := e.sumBefore(i, sum)
	before := e.b.Let("before", loop.Add(ended, loop.ToKind(ir.I32, first)))
	source := func(item loop.Expr) loop.Expr { return loop.Add(before, loop.At(sums, item)) }
	start := e.b.Let("start", e.sourcePlace(loop.Mul(e.localID, loop.Int(int64(e.items)))))
	if !e.countsWide() {
		e.b.For("item", loop.Int(0), loop.Int(int64(e.items)), func(item *loop.Var) {
			e.b.Store(counters, loop.Add(start, item), source(item))
		})
		return
	}
	e.b.For("i", loop.Int(0), loop.Int(int64(e.items/wideCounters)), func(i *loop.Var) {
		item, sources := e.b.Let("item", loop.Mul(i, loop.Int(wideCounters))), make([]loop.Expr, wideCounters)
		for j := range sources {
			sources[j] = source(loop.Add(item, loop.Int(int64(j))))
		}
		e.b.StoreWide(counters, loop.Add(start, item), sources)
	})
}

// searchedTogether is how many rows a work-item searches for at a time, so that their loads overlap: more
// take registers that all tiles then do without.
const searchedTogether = 2

// searchTogether finds the sources of the tile's rows by binary searches. Neighbouring work-items search for
// neighbouring rows, whose loads mostly meet, and leave what they find where counters are.
func (e *rowBody) searchTogether(op *tile.Op, sources *tileSources) {
	rows := searchedTogether
	if e.items%rows != 0 {
		rows = 1
	}
	e.b.For("some", loop.Int(0), loop.Int(int64(e.items/rows)), func(some *loop.Var) {
		place := e.b.Let("place", loop.Add(loop.Mul(some, loop.Int(int64(rows*e.workgroup))), e.localID))
		e.searchSome(op, place, rows, sources)
	})
}

// searchSome is searchTogether for so many rows, of which one is at place in the tile, and each other one a
// work-group's work-items further.
func (e *rowBody) searchSome(op *tile.Op, place loop.Expr, rows int, sources *tileSources) {
	ends, last := e.stream(op.Stream), loop.Greatest(loop.Sub(loop.Add(e.first, e.count), loop.Int(1)), loop.Int(0))
	at, left := e.b.Storage("search_at", loop.ArrayOf(rows, loop.Counter)), e.b.Storage("left", loop.ArrayOf(rows, loop.Counter))
	most := e.b.Decl("most", loop.Int(0))
	eachRow := func(body func(i, place, row loop.Expr)) {
		e.b.For("i", loop.Int(0), loop.Int(int64(rows)), func(i *loop.Var) {
			own := e.b.Let("own", loop.Add(place, loop.Mul(i, loop.Int(int64(e.workgroup)))))
			body(i, own, loop.Least(loop.Add(e.first, own), last))
		})
	}
	eachRow(func(i, _, row loop.Expr) {
		row = e.b.Let("row", row)
		first := e.b.Let("first", loop.ToCounter(e.at(op.Args[0], row)))
		e.b.Store(at, i, first)
		e.b.Store(left, i, loop.Sub(loop.ToCounter(e.at(op.Args[1], row)), first))
		e.b.Assign(most, loop.Greatest(most, loop.At(left, i)))
	})
	e.b.While(loop.Gt(most, loop.Int(0)), func() {
		eachRow(func(i, _, row loop.Expr) {
			remaining := e.b.Let("remaining", loop.At(left, i))
			half := e.b.Let("half", loop.Sub(remaining, loop.Div(remaining, loop.Int(2))))
			next := e.b.Let("next", loop.Add(loop.At(at, i), half))
			middle := loop.ToKind(ir.I64, loop.At(ends, loop.Greatest(loop.Sub(next, loop.Int(1)), loop.Int(0))))
			e.b.If(loop.Le(middle, loop.ToKind(ir.I64, row)), func() { e.b.Store(at, i, next) }, nil)
			e.b.Store(left, i, loop.Sub(remaining, half))
		})
		e.b.Assign(most, loop.Div(most, loop.Int(2)))
	})
	eachRow(func(i, place, row loop.Expr) {
		found := loop.Expr(loop.At(at, i))
		if op.Width > 0 {
			source, begin := e.sourceAmong(op, found, loop.ToKind(ir.I64, row))
			if sources.told != nil {
				e.b.Store(sources.told.shared, e.sourcePlace(place), e.toldFrom(op, loop.At(e.stream(op.Keys[0]), source), loop.Sub(loop.ToCounter(begin), e.first)))
			}
			found = source
		}
		e.b.Store(sources.shared, e.sourcePlace(place), loop.ToKind(ir.I32, found))
	})
}

// clearCounters sets this work-item's counters, or as many, to 0.
func (e *rowBody) clearCounters(ended *loop.Var) {
	zero := number(ended.T.Kind, 0)
	if e.countsWide() {
		e.eachWide(wideCounters, func(at loop.Expr) { e.b.StoreWide(ended, at, []loop.Expr{zero, zero, zero, zero}) })
		return
	}
	e.b.For("item", loop.Int(0), loop.Int(int64(e.items+1)), func(item *loop.Var) {
		e.b.Store(ended, loop.Add(loop.Mul(item, loop.Int(int64(e.workgroup))), e.localID), zero)
	})
}

// countEnds counts at each row of the tile how many repeated rows end there; at the first
// one, those that end before it, too.
func (e *rowBody) countEnds(op *tile.Op, first, end loop.Expr, ended *loop.Var) {
	source := e.b.Decl("source", loop.Add(first, e.localID))
	e.b.While(loop.Lt(source, end), func() {
		e.countEnd(ended, e.b.Let("place", loop.Sub(loop.ToKind(ir.I64, loop.At(e.stream(op.Stream), source)), loop.ToKind(ir.I64, e.first))))
		e.b.Assign(source, loop.Add(source, loop.Int(int64(e.workgroup))))
	})
}

// countEnd counts a row that ends so many rows behind the first of the tile.
func (e *rowBody) countEnd(ended *loop.Var, place loop.Expr) {
	none, count := loop.Expr(loop.Int(0)), e.count
	if place.Type() != loop.Counter {
		none, count = number(ir.I64, 0), loop.ToKind(ir.I64, e.count)
	}
	e.b.If(loop.Lt(place, count), func() {
		at := e.b.Let("at", loop.ToCounter(loop.Greatest(place, none)))
		e.b.Atomic(loop.AtomicAdd, ended, e.sourcePlace(at), number(ir.I32, 1))
	}, nil)
}
