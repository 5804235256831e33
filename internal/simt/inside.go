package simt

import (
	"math"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// Places in memory are numbers of 64 bits, with -1 for none. Most that are computed for each row
// come from numbers of 32 bits, as those of slots do, and few buffers have more elements than
// these can tell. Then numbers of 32 bits are compared, which takes half of the instructions
// and registers.

// loadInside returns the element of a stream at a place, or zero if there is none.
func (e *function) loadInside(name string, stream int, at loop.Expr) *loop.Var {
	elements := e.elementsOf(stream)
	if short, ok := e.shorts.place(at); ok && !e.long && !e.Streams[stream].Long {
		at, elements = short, loop.ToKind(ir.U32, elements)
	}
	if near, isNear := e.near[stream]; isNear {
		at = e.b.Let("at", at)
		x := e.b.Decl(name, loop.ConstOf(ir.Scalar{Kind: e.Streams[stream].Kind}))
		e.b.If(loop.Inside(at, elements), func() { e.b.Assign(x, loop.At(near.memory, near.place(loop.ToCounter(at)))) }, nil)
		return x
	}
	return e.b.LoadInside(name, e.stream(stream), at, elements, e.indexOf(stream))
}

// shortPlaces are places that have names, as numbers of 32 bits.
type shortPlaces map[*loop.Var]loop.Expr

// note notes that v has the value of x, if that is such a place and stays it.
func (s shortPlaces) note(v, x loop.Expr) {
	name, isNew := v.(*loop.Var)
	if short, ok := s.place(x); ok && isNew && v != x {
		changes := false
		loop.WalkExpr(short, func(x loop.Expr) {
			v, isVar := x.(*loop.Var)
			changes = changes || isVar && v.Changes
		})
		if !changes {
			s[name] = short
		}
	}
}

// place returns a place as a number of 32 bits, the greatest one if it is -1; ok is false
// if it may be another number.
func (s shortPlaces) place(at loop.Expr) (short loop.Expr, ok bool) {
	switch x := at.(type) {
	case *loop.Var:
		short, ok = s[x]
		return short, ok
	case *loop.Const:
		i := x.Value.Int64()
		return number(ir.U32, int64(uint32(i))), -1 <= i && i < math.MaxUint32
	case *loop.Cast:
		if kind := x.X.Type().Kind; !x.Bits && kind.IsUnsigned() && kind.Size() <= ir.U32.Size() {
			return loop.ToKind(ir.U32, x.X), true
		}
	case *loop.Select:
		then, isShort := s.place(x.Then)
		otherwise, areShort := s.place(x.Else)
		if isShort && areShort {
			return loop.Choose(x.Cond, then, otherwise), true
		}
	}
	return nil, false
}
