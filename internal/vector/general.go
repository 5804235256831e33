package vector

import (
	"fmt"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

func errNoFold(operator ir.Op) error {
	return fmt.Errorf("internal error: no vector form of a fold by %v", operator)
}

// general is the state of any monoid: its expressions run for one row at a time.
type general struct {
	identity   []ir.Scalar
	now, later []register
	next       []register
	steps      *section
}

func (l *linker) newGeneral(m *tile.Monoid) folder {
	g := &general{identity: m.Identity}
	in := l.newLinker(0)
	for _, f := range m.Fields {
		g.now = append(g.now, newRegister(f.Kind, 1))
		g.later = append(g.later, newRegister(f.Kind, 1))
	}
	for _, e := range m.Combine {
		g.next = append(g.next, g.expression(in, e))
	}
	g.steps = in.section
	return g
}

func (g *general) expression(l *linker, e *tile.Expr) register {
	switch {
	case e.Operator == ir.OpConst:
		r := newRegister(e.Const.Kind, 1)
		r.set(e.Const.Bits)
		return r
	case e.Operator == ir.OpInvalid && e.Side == tile.A:
		return g.now[e.Field]
	case e.Operator == ir.OpInvalid:
		return g.later[e.Field]
	}
	args, uniform := make([]register, len(e.Args)), make([]bool, len(e.Args))
	for i, arg := range e.Args {
		args[i], uniform[i] = g.expression(l, arg), true
	}
	return l.apply(e.Operator, e.Kind, args, uniform, &one)
}

func (g *general) reset() {
	for i, r := range g.now {
		r.set(g.identity[i].Bits)
	}
}

func (g *general) state(field int) uint64 { return g.now[field].bits(0) }

func (g *general) scan(elements, outs []register, exclusive bool) func(low, high int) {
	give := func(row int) {
		for field, out := range outs {
			if out != nil {
				out.put(row, g.state(field))
			}
		}
	}
	return func(low, high int) {
		for row := low; row < high; row++ {
			if exclusive {
				give(row)
			}
			g.see(elements, row)
			if !exclusive {
				give(row)
			}
		}
	}
}

// see folds one row.
func (g *general) see(elements []register, row int) {
	for field, x := range elements {
		g.later[field].window(min(row, x.size()-1), x)
	}
	g.steps.runAll()
	var bits [8]uint64
	state := bits[:0]
	for _, r := range g.next {
		state = append(state, r.bits(0))
	}
	for field, x := range state {
		g.now[field].set(x)
	}
}

func (g *general) reduce(elements []register) func(n int) {
	scan := g.scan(elements, make([]register, len(elements)), true)
	return func(n int) { scan(0, n) }
}
