package simt

import (
	"math"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Short lengths lie in words, of which a lane has one: those of eight rows, four bits each. Where these rows end is added up in bytes of
// two words, of every second row each, so that hardly an instruction is spent on a row before it is counted. Lengths that words
// do not tell are read themselves.

// Masks of words.
const (
	everySecondShort = 0x0f0f0f0f
	onePerByte       = 0x01010101
	onePerShort      = math.MaxUint32 / ir.LongLength
)

// countShorts is countBySubgroups by such words.
func (e *rowBody) countShorts(op *tile.Op, st *state, first, end, stop loop.Expr, found *tileSources) {
	u32 := func(x int64) loop.Expr { return number(ir.U32, x) }
	few := e.b.Decl("few", loop.Add(first, &loop.ID{Kind: loop.SubgroupID}))
	lengths := e.b.Storage("lengths", loop.ArrayOf(ir.ShortsOfWord, e.heldLength(op)))
	eachLength := func(body func(j *loop.Var)) { e.b.For("j", loop.Int(0), loop.Int(ir.ShortsOfWord), body) }
	e.b.While(loop.Le(few, end), func() {
		source := e.b.Let("source", loop.Add(loop.Mul(few, loop.Int(int64(op.Width))), loop.Mul(sublane(), loop.Int(ir.ShortsOfWord))))
		begin := e.b.Let("begin", loop.Sub(loop.ToCounter(e.endBefore(op, few)), e.first))
		shorts := e.b.Decl("shorts", u32(0)) // of rows that do not exist, which so end with the last one, behind the tile
		e.b.If(loop.Lt(source, stop), func() {
			e.b.Assign(shorts, loop.At(e.stream(op.Keys[1]), loop.Div(source, loop.Int(ir.ShortsOfWord))))
		}, nil)
		odd := e.b.Let("odd", loop.Apply(ir.OpAnd, loop.Apply(ir.OpShr, shorts, u32(ir.ShortBits)), u32(everySecondShort)))
		pairs := loop.Add(loop.Apply(ir.OpAnd, shorts, u32(everySecondShort)), odd)
		endsOfOdd := e.b.Let("ends_of_odd", loop.Mul(pairs, u32(onePerByte)))
		endsOfEven := e.b.Let("ends_of_even", loop.Sub(endsOfOdd, odd))
		sum := e.b.Decl("sum_of_lengths", loop.ToCounter(loop.Apply(ir.OpShr, endsOfOdd, u32(24))))
		isLong := loop.Expr(shorts)
		for bit := int64(1); bit < ir.ShortBits; bit++ {
			isLong = loop.Apply(ir.OpAnd, isLong, loop.Apply(ir.OpShr, shorts, u32(bit)))
		}
		anyLong := e.b.Let("any_long", loop.Ne(loop.Apply(ir.OpAnd, isLong, u32(onePerShort)), u32(0)))
		e.b.If(anyLong, func() {
			e.loadLengths(op, lengths, source, stop)
			e.b.Assign(sum, loop.Int(0))
			eachLength(func(j *loop.Var) { e.b.Assign(sum, loop.Add(sum, loop.At(lengths, j))) })
		}, nil)
		scanned := e.scanSubgroup(st, []loop.Expr{loop.ToKind(ir.I32, sum)}, e.subgroup.Width)
		place := e.b.Decl("place", loop.Add(begin, loop.Sub(loop.ToCounter(scanned[0]), sum)))
		e.b.If(anyLong, func() {
			eachLength(func(j *loop.Var) {
				e.b.Assign(place, loop.Add(place, loop.At(lengths, j)))
				e.countEnd(found.shared, place)
			})
		}, func() { e.countShortEnds(place, sum, endsOfEven, endsOfOdd, found) })
		e.b.Assign(few, loop.Add(few, loop.Int(int64(e.workgroup/e.subgroup.Width))))
	})
}

// countShortEnds counts where the rows of a word end, behind a place in the tile. Each few lanes begin with another row: if lengths are alike,
// they then count in different banks of local memory.
func (e *rowBody) countShortEnds(place, sum, even, odd loop.Expr, found *tileSources) {
	distance := e.b.Let("distance", loop.Div(sublane(), loop.Int(max(int64(e.subgroup.Width)/ir.ShortsOfWord, 1))))
	by := e.b.Let("turn", loop.ToKind(ir.U32, loop.Mul(loop.Div(distance, loop.Int(2)), loop.Int(8))))
	turned := func(x loop.Expr) loop.Expr {
		return loop.Apply(ir.OpOr, loop.Apply(ir.OpShr, x, by), loop.Apply(ir.OpShl, x, loop.Sub(number(ir.U32, 32), by)))
	}
	even, odd = e.b.Let("even", turned(even)), e.b.Let("odd", turned(odd))
	swaps := e.b.Let("swaps", loop.Ne(loop.Apply(ir.OpAnd, distance, loop.Int(1)), loop.Int(0)))
	ends := []loop.Expr{e.b.Let("some", loop.Choose(swaps, odd, even)), e.b.Let("others", loop.Choose(swaps, even, odd))}
	each := func(count func(place loop.Expr)) {
		e.b.For("j", loop.Int(0), loop.Int(ir.ShortsOfWord/2), func(j *loop.Var) {
			for _, x := range ends {
				byte := loop.Apply(ir.OpAnd, loop.Apply(ir.OpShr, x, loop.ToKind(ir.U32, loop.Mul(j, loop.Int(8)))), number(ir.U32, 255))
				count(e.b.Let("ends_at", loop.Add(place, loop.ToCounter(byte))))
			}
		})
	}
	isInside := loop.And(loop.Ge(place, loop.Int(0)), loop.Lt(loop.Add(place, sum), e.count))
	e.b.If(isInside, func() {
		each(func(place loop.Expr) {
			e.b.Atomic(loop.AtomicAdd, found.shared, e.sourcePlace(place), number(ir.I32, 1))
		})
	}, func() {
		each(func(place loop.Expr) { e.countEnd(found.shared, place) })
	})
}
