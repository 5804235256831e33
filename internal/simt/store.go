package simt

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// scatterBuffer collects what the rows of a tile store at one place of derived rows.
type scatterBuffer struct {
	place  tile.ID
	base   loop.Expr // the place of the first row of the tile that has one
	end    loop.Expr // behind the place of the last
	offset *loop.Var // per item: from base, or -1; of stores without a region
	stores []int
	values map[int]*loop.Var // of stores without a region: an element per item
}

// pack declares what collected stores collect in the last phase.
func (e *rowBody) pack() {
	for i := range e.Ops {
		if !e.arena.collected[i] {
			continue
		}
		op := &e.Ops[i]
		rows := func() *loop.Var {
			return e.b.Storage(e.Streams[op.Stream].Name+"_rows", loop.ArrayOf(e.items, loop.ScalarOf(e.storedKind(op))))
		}
		if len(op.Args) == 1 {
			e.elements[i] = rows()
			continue
		}
		p := e.scatterOf(op.Args[1])
		p.stores = append(p.stores, i)
		if _, direct := e.arena.regions[i]; direct {
			continue
		}
		if p.offset == nil {
			p.offset = e.b.Storage("offset", loop.ArrayOf(e.items, loop.ScalarOf(ir.I32)))
			e.b.For("item", loop.Int(0), loop.Int(int64(e.items)), func(item *loop.Var) {
				e.b.Store(p.offset, item, number(ir.I32, -1))
			})
		}
		p.values[i] = rows()
	}
}

// scatterOf returns the scatter buffer of a place.
func (e *rowBody) scatterOf(place tile.ID) *scatterBuffer {
	if at := slices.IndexFunc(e.scatters, func(p *scatterBuffer) bool { return p.place == place }); at >= 0 {
		return e.scatters[at]
	}
	p := &scatterBuffer{place: place, values: map[int]*loop.Var{}}
	p.base, p.end = e.span(place)
	e.scatters = append(e.scatters, p)
	return p
}

// span returns the place of the first row of the tile that has one, and the place
// behind the last, if the scheme knows that.
func (e *rowBody) span(place tile.ID) (base, end loop.Expr) {
	base = e.b.Let("base", loop.ToCounter(e.ofState(place, e.earlier)))
	if len(e.whole) > 0 {
		end = e.b.Let("end", loop.ToCounter(e.ofState(place, e.whole)))
	}
	return base, end
}

// ofState returns v where scans have the results of a state.
func (e *rowBody) ofState(v tile.ID, state map[stateKey]loop.Expr) loop.Expr {
	outer := e.values
	e.values = map[tile.ID]loop.Expr{}
	for key, x := range state {
		result := e.Ops[key.op].Res[key.field]
		e.values[result] = widened(x, e.Values[result].Kind)
	}
	x := e.pureOf(v)
	e.values = outer
	return x
}

// pureOf computes v from e.values alone.
func (e *rowBody) pureOf(v tile.ID) loop.Expr {
	if x, ok := e.found(v); ok {
		return x
	}
	op := &e.Ops[e.Values[v].Op]
	if !op.IsMap() {
		return e.pure(op)
	}
	args := make([]loop.Expr, len(op.Args))
	for i, arg := range op.Args {
		args[i] = e.pureOf(arg)
	}
	return e.apply(op, args)
}

// fitsTile reports whether all places of a store lie in the tile: where the kernel counts the
// rows of the domain, they do even if the tile has waited in vain for the place of its first
// row. Places that an earlier kernel has counted do only if that place is right.
func (e *function) fitsTile(store *tile.Op) bool {
	return e.isCounted(store) || e.lowering.abort == ""
}

// collect keeps what a collected store would write.
func (e *rowBody) collect(i int) {
	op := &e.Ops[i]
	x := e.expr(op.Args[0])
	if kind := e.storedKind(op); x.Type().Kind != kind && kind == ir.I32 { // a count
		x = loop.ToKind(kind, x)
	}
	if mine := e.elements[i]; mine != nil {
		e.b.Store(mine, e.item, x)
		return
	}
	p := e.scatterOf(op.Args[1])
	offset := e.b.Let("offset", loop.Sub(loop.ToCounter(e.expr(p.place)), p.base))
	keep := func() {
		if region, direct := e.arena.regions[i]; direct {
			word := e.regionWord(op)
			if e.storesNumber(op) {
				x = e.place
			}
			e.b.Store(e.arenaOf(word), loop.Add(offset, e.arenaStart(region, word)), toWord(word, x))
			return
		}
		e.b.Store(p.offset, e.item, loop.ToKind(ir.I32, offset))
		e.b.Store(p.values[i], e.item, x)
	}
	if e.fitsTile(op) {
		keep()
		return
	}
	e.b.If(loop.Inside(offset, loop.Int(e.rows())), keep, nil)
}

// storesNumber reports whether a collected store writes the number of a row. The tile then keeps which of
// its rows that is, in a word of numberKind: on an H200 the left rows of a join with 2^20 distinct keys
// take 0.79 ms in place of 0.83, as the first-level cache has what local memory leaves.
func (k *kernel) storesNumber(store *tile.Op) bool {
	return k.rows() <= maxNumberedRows && k.isRowNumber(store.Args[0])
}

// isRowNumber reports whether v is the number of the row at hand, of some type.
func (k *kernel) isRowNumber(v tile.ID) bool {
	op := &k.Ops[k.Values[v].Op]
	return op.Kind == tile.Row || op.Kind == tile.Map && op.Operator == ir.OpCast && k.isRowNumber(op.Args[0])
}

// regionWord is the kind of words by which a store's values pass through a region of the arena.
func (k *kernel) regionWord(store *tile.Op) ir.Kind {
	if k.storesNumber(store) {
		return numberKind
	}
	return wordOf(k.storedKind(store))
}

// ofNumber returns the number v of row x of the tile.
func (e *tileBody) ofNumber(v tile.ID, x loop.Expr) loop.Expr {
	op := &e.Ops[e.Values[v].Op]
	if op.Kind == tile.Row {
		return loop.ToKind(e.Values[v].Kind, loop.Add(e.first, loop.ToCounter(x)))
	}
	return e.apply(op, []loop.Expr{e.ofNumber(op.Args[0], x)})
}

// isScattered reports whether stores of the last phase went to the arena directly.
func (e *function) isScattered() bool {
	return len(e.arena.regions)+len(e.arena.inPlace)+len(e.arena.words) > 0
}

// awaitScattered waits for these stores.
func (e *function) awaitScattered() {
	if e.isScattered() {
		e.barrier()
	}
}

// deliver writes what was collected.
func (e *tileBody) deliver() {
	used := e.isScattered()
	for i := range e.arena.words {
		e.deliverWords(&e.arena.words[i])
	}
	for _, p := range e.scatters {
		for _, i := range p.stores {
			if region, direct := e.arena.regions[i]; direct {
				e.deliverPlaces(i, p, region, e.regionWord(&e.Ops[i]))
			}
		}
	}
	for _, p := range e.scatters {
		for _, i := range p.stores {
			if p.values[i] == nil {
				continue
			}
			e.barrierIf(&used)
			word := wordOf(e.storedKind(&e.Ops[i]))
			arena := e.arenaOf(word)
			e.b.For("item", loop.Int(0), loop.Int(int64(e.items)), func(item *loop.Var) {
				at := e.b.Let("at", loop.At(p.offset, item))
				e.b.If(loop.Ge(at, number(ir.I32, 0)), func() {
					e.b.Store(arena, loop.Add(loop.ToCounter(at), e.arenaStart(0, word)), toWord(word, loop.At(p.values[i], item)))
				}, nil)
			})
			e.barrier()
			e.deliverPlaces(i, p, 0, word)
		}
	}
	for i := range e.Ops {
		if e.elements[i] != nil {
			e.barrierIf(&used)
			e.deliverRows(i)
		}
	}
}

// barrierIf waits for the readers of the arena, if it is used. From then on it is.
func (e *function) barrierIf(used *bool) {
	if *used {
		e.barrier()
	}
	*used = true
}

// deliverPlaces writes the values that lie in the arena from byte region on, as words of a kind, in the
// order of their places.
func (e *tileBody) deliverPlaces(i int, p *scatterBuffer, region int64, word ir.Kind) {
	op := &e.Ops[i]
	kind, stream := e.storedKind(op), e.Streams[op.Stream]
	arena, to := e.arenaOf(word), e.arguments.buffer(stream.Buffer, stream.Kind, plan.Writes)
	count := e.b.Let("count", loop.Sub(p.end, p.base))
	if !e.fitsTile(op) {
		count = e.b.Let("count", loop.Least(count, loop.Int(e.rows())))
	}
	closes := e.Domains[op.Domain].Kind == tile.Close
	begin := e.localID
	if closes && e.isOpenStored {
		begin = loop.Add(e.localID, loop.Int(1))
	}
	at := e.b.Decl("at", begin)
	e.b.While(loop.Lt(at, count), func() {
		place := e.b.Let("place", loop.Add(p.base, at))
		write := func() {
			x := loop.Expr(loop.At(arena, loop.Add(at, e.arenaStart(region, word))))
			if word == numberKind {
				x = e.ofNumber(op.Args[0], x)
			} else {
				x = fromWord(kind, x)
			}
			e.b.Store(to, place, loop.ToKind(loop.ScalarOf(stream.Kind).Kind, x))
		}
		if closes && !e.isOpenStored {
			e.b.If(loop.Ge(place, loop.Int(0)), write, nil) // row 0 opens a segment and closes none
		} else {
			write()
		}
		e.b.Assign(at, loop.Add(at, loop.Int(int64(e.workgroup))))
	})
}

// deliverRows writes what was collected for the rows of the base.
func (e *tileBody) deliverRows(i int) {
	op := &e.Ops[i]
	kind, stream := e.storedKind(op), e.Streams[op.Stream]
	l := e.layoutOf(kind)
	var shared loop.Expr
	if column, ok := e.arena.inPlace[i]; ok {
		l = e.placement.layout(e.kernel, kind)
		shared = e.staged(column, l)
	} else {
		shared = e.arenaStart(0, l.word)
	}
	arena, to := e.arenaOf(l.word), e.arguments.buffer(stream.Buffer, stream.Kind, plan.Writes)
	own := e.b.Let("own", loop.Add(loop.Mul(e.localID, loop.Int(int64(l.stride))), shared))
	start := e.b.Let("start", loop.Mul(e.localID, loop.Int(int64(e.items))))
	value := func(item loop.Expr) loop.Expr { return toWord(l.word, loop.At(e.elements[i], item)) }
	element := func(x loop.Expr) loop.Expr {
		return loop.ToKind(loop.ScalarOf(stream.Kind).Kind, fromWord(kind, x))
	}
	if l.wide > 0 { // elements of rows that do not exist are written, but not read
		e.b.For("i", loop.Int(0), loop.Int(int64(e.items/l.wide)), func(i *loop.Var) {
			item := e.b.Let("item", loop.Mul(i, loop.Int(int64(l.wide))))
			values := make([]loop.Expr, l.wide)
			for j := range values {
				values[j] = value(loop.Add(item, loop.Int(int64(j))))
			}
			e.b.StoreWide(arena, loop.Add(own, item), values)
		})
	} else {
		e.b.For("item", loop.Int(0), loop.Int(int64(e.items)), func(item *loop.Var) {
			e.b.If(loop.Lt(loop.Add(start, item), e.count), func() {
				e.b.Store(arena, loop.Add(own, item), value(item))
			}, nil)
		})
	}
	e.barrier()
	single := func() {
		e.b.For("item", loop.Int(0), loop.Int(int64(e.items)), func(item *loop.Var) {
			at := e.b.Let("at", loop.Add(loop.Mul(item, loop.Int(int64(e.workgroup))), e.localID))
			e.b.If(loop.Lt(at, e.count), func() {
				e.b.Store(to, loop.Add(e.first, at), element(loop.At(arena, loop.Add(l.dealt(e.kernel, at), shared))))
			}, nil)
		})
	}
	if l.wide == 0 || loop.Wide(to.T) != l.wide {
		single()
		return
	}
	e.b.If(e.isAligned(l.wide), func() {
		e.eachWide(l.wide, func(at loop.Expr) {
			values := e.b.LoadWide("word", arena, loop.Add(at, shared))
			for j := range values {
				values[j] = element(values[j])
			}
			e.b.StoreWide(to, loop.Add(e.first, at), values)
		})
	}, single)
}
