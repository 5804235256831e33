package simt

import (
	"math/bits"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/ir/loop"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/tile"
)

// A work-item's rows are consecutive, but neighbouring work-items should touch
// neighbouring elements of global memory. So tiles pass through local memory: on
// the way in, a column at a time, from rows dealt out one by one to rows that
// lie together; on the way out, from the rows that have a place in a derived
// domain to those places, which are dense.

// budget is how many bytes a row's columns may take in registers, summed over
// the rows of a work-item.
const budget = 448

// localBudget is how many bytes of local memory a group may take: what all
// devices of some size have, with room for three groups a unit on most.
const localBudget = 44 << 10

// itemChoices are the rows of a work-item that are tried, the best first.
var itemChoices = []int{16, 12, 8, 4, 2}

// planPool decides what passes through local memory, and how many rows a work-item
// has where the schedule leaves that open.
func (k *kernel) planPool(items int, aligned func(stream int) bool) {
	k.staged, k.halo, k.exchanged = map[int]bool{}, map[int]bool{}, map[int]bool{}
	if !k.needsOrder() {
		k.items = max(items, 1)
		if items == 0 {
			k.items = 4
		}
		return
	}
	in, out, widest := k.columns(aligned)
	switch {
	case k.hasChunks():
		k.items = int(k.Chunk) / k.workgroup
	case items > 0:
		k.items = items
	default:
		k.items = itemChoices[len(itemChoices)-1]
		for _, choice := range itemChoices {
			if k.fits(choice, in+out, widest) {
				k.items = choice
				break
			}
		}
	}
	k.word = ir.U32
	if widest > 4 {
		k.word = ir.U64
	}
	if !k.fits(k.items, in, widest) {
		return
	}
	for _, s := range tile.Analyze(k.Kernel).Staged {
		if aligned(s.Stream) {
			k.staged[s.Stream], k.halo[s.Stream] = true, s.Before > 0
		}
	}
	if !k.fits(k.items, in+out, widest) {
		return
	}
	for i := range k.Ops {
		if k.canExchange(i) {
			k.exchanged[i] = true
		}
	}
}

// columns returns the bytes a row that could pass through local memory on the
// way in and out, and the widest element among them.
func (k *kernel) columns(aligned func(stream int) bool) (in, out, widest int) {
	for _, s := range tile.Analyze(k.Kernel).Staged {
		if aligned(s.Stream) {
			size := k.Streams[s.Stream].Kind.Size()
			in, widest = in+size, max(widest, size)
		}
	}
	places := map[tile.ID]bool{}
	for i := range k.Ops {
		if !k.canExchange(i) {
			continue
		}
		size := k.Streams[k.Ops[i].Stream].Kind.Size()
		out, widest = out+size, max(widest, size)
		if args := k.Ops[i].Args; len(args) == 2 && !places[args[1]] {
			places[args[1]] = true
			out += 4
		}
	}
	return in, out, widest
}

// fits reports whether columns of so many bytes a row fit registers, and the
// pool and the states of a cut local memory.
func (k *kernel) fits(items, bytes, widest int) bool {
	word := 4
	if widest > 4 {
		word = 8
	}
	local := (k.workgroup*items + k.workgroup) * word
	states := 0
	for cut := range k.cuts {
		size := 0
		for _, key := range k.fields(k.cuts[cut]) {
			size += k.kind(key).Size() * (k.workgroup + 2*rakes(k.workgroup))
		}
		states = max(states, size)
	}
	return bytes*items <= budget && local+states <= localBudget
}

// canExchange reports whether operation i stores, in the last phase, at each row
// of the base, or at a place that ascends row by row and is known from the state
// of a scan alone.
func (k *kernel) canExchange(i int) bool {
	op := &k.Ops[i]
	switch {
	case op.Kind != tile.Store || op.Epilogue || k.phase[i] < len(k.cuts):
		return false
	case len(op.Args) == 1:
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
	switch op.Kind {
	case tile.Scan:
		return op.Exclusive
	case tile.Map:
		for _, arg := range op.Args {
			if !k.isOfState(arg) {
				return false
			}
		}
		return true
	}
	return false
}

// pool returns the local memory, in words.
func (e *emission) pool() *loop.Var {
	const name = "pool"
	if e.local[name] == nil {
		e.local[name] = &loop.Var{Name: name, T: loop.ArrayOf(int(e.kernel.rows())+e.workgroup, loop.ScalarOf(e.word)).In(loop.Local)}
	}
	return e.local[name]
}

// dealt returns where row at of the tile lies in the pool, and own where item of
// this work-item's rows does: a word is left free behind each work-item's rows
// where banks would collide.
func (e *emission) dealt(at loop.Expr) loop.Expr {
	switch shift := bits.TrailingZeros(uint(e.items)); {
	case e.items%2 != 0:
		return at
	case e.items == 1<<shift:
		return loop.Add(at, loop.Apply(ir.OpShr, at, loop.Int(int64(shift))))
	}
	return loop.Add(at, loop.Div(at, loop.Int(int64(e.items))))
}

func (e *emission) own(item loop.Expr) loop.Expr {
	stride := e.items
	if stride%2 == 0 {
		stride++
	}
	return loop.Add(loop.Mul(e.lane, loop.Int(int64(stride))), item)
}

// toWord and fromWord pass an element through a word of the pool.
func (e *emission) toWord(x loop.Expr) loop.Expr {
	if k := x.Type().Kind; k.IsFloat() || k == ir.Char8 {
		x = loop.BitsOf(x)
	}
	return loop.ToKind(e.word, x)
}

func (e *emission) fromWord(k ir.Kind, x loop.Expr) loop.Expr {
	switch k {
	case ir.Bool:
		return loop.Ne(x, number(e.word, 0))
	case ir.F32:
		return loop.FromBits(k, loop.ToKind(ir.U32, x))
	case ir.F64, ir.Char8:
		return loop.FromBits(k, x)
	}
	return loop.ToKind(loop.ScalarOf(k).Kind, x)
}

// stage brings the tile's part of each staged column to the work-items.
func (e *emission) stage() {
	for i := range e.Streams {
		if !e.staged[i] {
			continue
		}
		memory, pool, kind := e.stream(i), e.pool(), e.Streams[i].Kind
		before := 0
		if e.halo[i] {
			before = 1
		}
		mine := e.b.Storage(e.Streams[i].Name+"_rows", loop.ArrayOf(e.items+before, loop.ScalarOf(kind)))
		e.columns[i] = mine
		e.b.For("item", loop.Int(0), loop.Int(int64(e.items)), func(item *loop.Var) {
			at := e.b.Let("at", loop.Add(loop.Mul(item, loop.Int(int64(e.workgroup))), e.lane))
			e.b.If(loop.Lt(at, e.count), func() {
				e.b.Store(pool, e.dealt(at), e.toWord(loop.At(memory, loop.Add(e.first, at))))
			}, nil)
		})
		e.b.Barrier(loop.GroupScope)
		start := e.b.Let("start", loop.Mul(e.lane, loop.Int(int64(e.items))))
		e.b.For("item", loop.Int(0), loop.Int(int64(e.items)), func(item *loop.Var) {
			e.b.If(loop.Lt(loop.Add(start, item), e.count), func() {
				e.b.Store(mine, loop.Add(item, loop.Int(int64(before))), e.fromWord(kind, loop.At(pool, e.own(item))))
			}, nil)
		})
		if before > 0 {
			e.b.If(loop.And(loop.Gt(start, loop.Int(0)), loop.Lt(start, e.count)), func() {
				e.b.Store(mine, loop.Int(0), e.fromWord(kind, loop.At(pool, e.dealt(loop.Sub(start, loop.Int(1))))))
			}, func() {
				e.b.If(loop.And(loop.Eq(e.lane, loop.Int(0)), loop.Gt(e.first, loop.Int(0))), func() {
					e.b.Store(mine, loop.Int(0), loop.At(memory, loop.Sub(e.first, loop.Int(1))))
				}, nil)
			})
		}
		e.b.Barrier(loop.GroupScope)
	}
}

// parcel is what the rows of a work-item store at one sort of place.
type parcel struct {
	place  tile.ID
	base   loop.Expr // the place of the first row of the tile that has one
	end    loop.Expr // behind that of the last
	offset *loop.Var // per item: behind base, or -1
	stores []int
	values []*loop.Var // per store: an element per item
}

// pack declares what exchanged stores collect in the last phase.
func (e *emission) pack() {
	for i := range e.Ops {
		if !e.exchanged[i] {
			continue
		}
		op := &e.Ops[i]
		kind := e.Streams[op.Stream].Kind
		mine := e.b.Storage(e.Streams[op.Stream].Name+"_rows", loop.ArrayOf(e.items, loop.ScalarOf(kind)))
		if len(op.Args) == 1 {
			e.elements[i] = mine
			continue
		}
		var p *parcel
		for _, known := range e.parcels {
			if known.place == op.Args[1] {
				p = known
			}
		}
		if p == nil {
			p = &parcel{place: op.Args[1], offset: e.b.Storage("offset", loop.ArrayOf(e.items, loop.ScalarOf(ir.I32)))}
			p.base = e.b.Let("base", e.ofState(op.Args[1], e.earlier))
			p.end = e.b.Let("end", e.ofState(op.Args[1], e.whole))
			e.parcels = append(e.parcels, p)
			e.b.For("item", loop.Int(0), loop.Int(int64(e.items)), func(item *loop.Var) {
				e.b.Store(p.offset, item, number(ir.I32, -1))
			})
		}
		p.stores = append(p.stores, i)
		p.values = append(p.values, mine)
	}
}

// ofState returns v where scans have the results of a state.
func (e *emission) ofState(v tile.ID, state map[stateKey]loop.Expr) loop.Expr {
	outer := e.values
	e.values = map[tile.ID]loop.Expr{}
	for key, x := range state {
		e.values[e.Ops[key.op].Res[key.field]] = x
	}
	x := e.pureOf(v)
	e.values = outer
	return x
}

// pureOf computes v from e.values alone.
func (e *emission) pureOf(v tile.ID) loop.Expr {
	if x, ok := e.uniform[v]; ok {
		return x
	}
	if x, ok := e.values[v]; ok {
		return x
	}
	op := &e.Ops[e.Values[v].Op]
	if op.Kind != tile.Map {
		return e.pure(op)
	}
	args := make([]loop.Expr, len(op.Args))
	for i, arg := range op.Args {
		args[i] = e.pureOf(arg)
	}
	return e.apply(op, args)
}

// collect keeps what an exchanged store would write.
func (e *emission) collect(i int) {
	if mine := e.elements[i]; mine != nil {
		e.b.Store(mine, e.item, e.expr(e.Ops[i].Args[0]))
		return
	}
	for _, p := range e.parcels {
		for j, store := range p.stores {
			if store == i {
				e.b.Store(p.offset, e.item, loop.ToKind(ir.I32, loop.Sub(loop.ToCounter(e.expr(p.place)), loop.ToCounter(p.base))))
				e.b.Store(p.values[j], e.item, e.expr(e.Ops[i].Args[0]))
			}
		}
	}
}

// deliver writes what was collected.
func (e *emission) deliver() {
	for i := range e.Ops {
		if e.elements[i] != nil {
			e.deliverRows(i)
		}
	}
	for _, p := range e.parcels {
		count := e.b.Let("count", loop.Sub(loop.ToCounter(p.end), loop.ToCounter(p.base)))
		for j, i := range p.stores {
			pool, stream := e.pool(), e.Streams[e.Ops[i].Stream]
			e.b.For("item", loop.Int(0), loop.Int(int64(e.items)), func(item *loop.Var) {
				at := e.b.Let("at", loop.At(p.offset, item))
				e.b.If(loop.Ge(at, number(ir.I32, 0)), func() {
					e.b.Store(pool, loop.ToCounter(at), e.toWord(loop.At(p.values[j], item)))
				}, nil)
			})
			e.b.Barrier(loop.GroupScope)
			to := e.arguments.buffer(stream.Buffer, stream.Kind, plan.Writes)
			at := e.b.Decl("at", e.lane)
			e.b.While(loop.Lt(at, count), func() {
				place := e.b.Let("place", loop.Add(loop.ToCounter(p.base), at))
				e.b.If(loop.Ge(place, loop.Int(0)), func() { // the first group of all has none before it
					e.b.Store(to, place, e.fromWord(stream.Kind, loop.At(pool, at)))
				}, nil)
				e.b.Assign(at, loop.Add(at, loop.Int(int64(e.workgroup))))
			})
			e.b.Barrier(loop.GroupScope)
		}
	}
}

// deliverRows writes what was collected for the rows of the base.
func (e *emission) deliverRows(i int) {
	pool, stream := e.pool(), e.Streams[e.Ops[i].Stream]
	e.b.For("item", loop.Int(0), loop.Int(int64(e.items)), func(item *loop.Var) {
		e.b.If(loop.Lt(loop.Add(loop.Mul(e.lane, loop.Int(int64(e.items))), item), e.count), func() {
			e.b.Store(pool, e.own(item), e.toWord(loop.At(e.elements[i], item)))
		}, nil)
	})
	e.b.Barrier(loop.GroupScope)
	to := e.arguments.buffer(stream.Buffer, stream.Kind, plan.Writes)
	e.b.For("item", loop.Int(0), loop.Int(int64(e.items)), func(item *loop.Var) {
		at := e.b.Let("at", loop.Add(loop.Mul(item, loop.Int(int64(e.workgroup))), e.lane))
		e.b.If(loop.Lt(at, e.count), func() {
			e.b.Store(to, loop.Add(e.first, at), e.fromWord(stream.Kind, loop.At(pool, e.dealt(at))))
		}, nil)
	})
	e.b.Barrier(loop.GroupScope)
}
