package vector

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// chain is x + c as an integer of some kind, where c is the same for all rows: what keys become so
// that the least is 0, a row's place in a table, and the way back. One loop computes it.
type chain struct {
	of    tile.ID   // x
	terms []term    // c
	kind  ir.Kind   // of the sum
	by    []tile.ID // what the operations give of which it consists, the last one first
}

// term is a value that is added or taken away.
type term struct {
	of    tile.ID
	minus bool
}

// chainOf returns the chain that v is, if it is one of several operations that take time.
func (l *linker) chainOf(v tile.ID) (c chain, ok bool) {
	domain, loops := l.Values[v].Domain, 0
	c = chain{of: v, kind: l.Values[v].Kind.Stored()}
	for first := true; ; first = false {
		op := &l.Ops[l.Values[c.of].Op]
		if _, waits := l.later[c.of]; !waits && !first || op.Kind != tile.Map || op.Domain != domain {
			break
		}
		from := op.Args[0]
		switch k := l.Values[from].Kind.Stored(); op.Operator {
		case ir.OpCast:
			isWidened := first && k.Size() < c.kind.Size() && c.kind.Size() == 8
			if !k.IsInteger() || !c.kind.IsInteger() || !isWidened && k.Size() != c.kind.Size() {
				return c, loops > 1
			}
			if isWidened {
				c.kind, loops = k, loops+1
			}
		case ir.OpAdd, ir.OpSub:
			varies, uniform, is := l.withUniform(c.of, op.Operator)
			if !is || !c.kind.IsInteger() || op.Operator == ir.OpSub && varies != from {
				return c, loops > 1
			}
			from, loops = varies, loops+1
			c.terms = append(c.terms, term{uniform, op.Operator == ir.OpSub})
		default:
			return c, loops > 1
		}
		c.by = append(c.by, c.of)
		c.of = from
	}
	return c, loops > 1
}

// chained links a chain, if an operation ends one.
func (l *linker) chained(op *tile.Op) (register, bool) {
	if op.Kind != tile.Map || op.Domain == tile.Uniform {
		return nil, false
	}
	c, ok := l.chainOf(op.Res[0])
	if !ok {
		return nil, false
	}
	l.spare(c.by[1:])
	n := l.count(op.Domain)
	wide := l.Values[op.Res[0]].Kind.Size() > c.kind.Size()
	var sum register
	switch x := l.cast(c.kind, l.value(c.of, op.Domain), n).(type) {
	case *vector[int8]:
		sum = linkChain(l, x, c.terms, wide, n)
	case *vector[int16]:
		sum = linkChain(l, x, c.terms, wide, n)
	case *vector[int32]:
		sum = linkChain(l, x, c.terms, wide, n)
	case *vector[int64]:
		sum = linkChain(l, x, c.terms, wide, n)
	case *vector[uint8]:
		sum = linkChain(l, x, c.terms, wide, n)
	case *vector[uint16]:
		sum = linkChain(l, x, c.terms, wide, n)
	case *vector[uint32]:
		sum = linkChain(l, x, c.terms, wide, n)
	case *vector[uint64]:
		sum = linkChain(l, x, c.terms, wide, n)
	}
	return l.cast(l.Values[op.Res[0]].Kind, sum, n), true
}

// spare says that the operations are not needed for one of their readers, each of the one before.
func (l *linker) spare(values []tile.ID) {
	for _, v := range values {
		if l.left[v]--; l.left[v] > 0 {
			return
		}
	}
}

func linkChain[T integer](l *linker, x *vector[T], terms []term, wide bool, n *int) register {
	values := make([]register, len(terms))
	for i, t := range terms {
		values[i] = l.value(t.of, tile.Uniform)
	}
	sum := func() (c T) {
		for i, t := range terms {
			if bits := values[i].bits(0); t.minus {
				c -= T(bits)
			} else {
				c += T(bits)
			}
		}
		return c
	}
	if wide {
		dst := &vector[int64]{room: l.batch}
		l.add(func() { addWide(dst.sized(*n), x.rows, sum()) })
		return dst
	}
	dst := &vector[T]{room: l.batch}
	l.add(func() { add(dst.sized(*n), x.rows, []T{sum()}) })
	return dst
}

// addWide is add where sums become more bits.
func addWide[T integer](dst []int64, x []T, c T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = int64(x[i] + c)
	}
}

// product links the product of two narrow integers that are widened for it alone, if an operation is one.
func (l *linker) product(op *tile.Op) (register, bool) {
	if op.Kind != tile.Map || op.Operator != ir.OpMul || l.Values[op.Res[0]].Kind != ir.I64 {
		return nil, false
	}
	x, ok := l.isWidened(op.Args[0])
	y, also := l.isWidened(op.Args[1])
	if !ok || !also || l.Values[x].Kind.Stored() != ir.I32 || l.Values[y].Kind.Stored() != ir.I32 {
		return nil, false
	}
	l.left[op.Args[0]], l.left[op.Args[1]] = 0, 0
	n := l.count(op.Domain)
	return link2(l, l.batch, n, l.full(x, op.Domain).(*vector[int32]), l.full(y, op.Domain).(*vector[int32]), multiplyWide), true
}

// multiplyWide is multiply where products have more bits.
func multiplyWide(dst []int64, x, y []int32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = int64(x[i]) * int64(y[i])
	}
}

// plusRow links a sum of a value and the row's number, if an operation is one.
func (l *linker) plusRow(op *tile.Op) (register, bool) {
	if op.Kind != tile.Map || op.Operator != ir.OpAdd || op.Domain != 0 || l.closes > 0 {
		return nil, false
	}
	for i, v := range op.Args {
		if other := op.Args[1-i]; l.Ops[l.Values[v].Op].Kind == tile.Row && l.isOnlyFor(v) && l.Values[other].Domain != tile.Uniform {
			x, base := l.value(other, 0).(*vector[int64]), &l.domains[0]
			return link1(l, l.batch, &base.n, x, func(dst, x []int64) { addRow(dst, x, base.first) }), true
		}
	}
	return nil, false
}

// addRow adds numbers of consecutive rows.
func addRow(dst, x []int64, first int64) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + first + int64(i)
	}
}
