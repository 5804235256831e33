package gotest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// hints say which arguments are worth trying.
type hints struct {
	near    map[*ir.Value][]ir.Scalar // constants that a parameter is compared or combined with
	of      map[*ir.Value]limit       // the rows or bins that a parameter says
	divides map[*ir.Value]bool        // integers that are divisors
	sizes   map[*ir.Value]bool        // numbers of bins
	exact   bool                      // sums of floats decide something: they must be exact
	signs   bool                      // floats are multiplied over rows
}

// limit is how many rows there are: of a domain, as a scalar says, or fixed.
type limit struct {
	domain *ir.Domain
	scalar *ir.Value
	fixed  int64
}

func hintsOf(p *ir.Pipeline) *hints {
	h := &hints{near: map[*ir.Value][]ir.Scalar{}, of: map[*ir.Value]limit{}, divides: map[*ir.Value]bool{}, sizes: map[*ir.Value]bool{},
		exact: len(p.Warnings) > 0}
	for _, v := range p.Values {
		switch v.Op {
		case ir.OpGather:
			if d := v.Args[0].Type.Domain; d.Kind == ir.DomainParam {
				h.limit(v.Args[1], limit{domain: d})
			}
		case ir.OpBins:
			h.bins(v)
		case ir.OpRepeat: // a few rows for any arguments
			h.small(v.Args[0], map[*ir.Value]bool{})
		case ir.OpDiv, ir.OpRem:
			if v.Type.Kind.IsInteger() {
				for _, p := range origins(v.Args[1]) {
					h.divides[p] = true
				}
			}
			h.exact = h.exact || p.Inexact(v.Args[1])
		case ir.OpSqrt:
			h.exact = h.exact || p.Inexact(v)
		}
		h.signs = h.signs || v.FloatFold() == ir.ReduceMul
		if v.Op.IsElementwise() {
			h.constants(v)
			decides := !v.Type.Kind.IsFloat() || v.Op == ir.OpSelect
			h.exact = h.exact || decides && slices.ContainsFunc(v.Args, p.Inexact)
		}
	}
	return h
}

func (h *hints) bins(v *ir.Value) {
	switch size := v.Args[1]; {
	case !size.Type.IsScalar():
		if size.Type.Domain.Kind == ir.DomainParam {
			h.limit(v.Args[0], limit{domain: size.Type.Domain})
		}
	case size.Op == ir.OpConst:
		h.limit(v.Args[0], limit{fixed: size.Const.Int64()})
	case size.Op == ir.OpParam:
		h.sizes[size] = true
		h.limit(v.Args[0], limit{scalar: size})
	default: // computed: a few bins for any arguments
		h.small(size, map[*ir.Value]bool{})
	}
}

// small makes integers that v is computed from few and near 0, and floats whole.
func (h *hints) small(v *ir.Value, seen map[*ir.Value]bool) {
	if seen[v] {
		return
	}
	seen[v] = true
	switch {
	case v.Op != ir.OpParam:
	case v.Type.Kind.IsFloat():
		h.exact = true
	case v.Type.IsScalar():
		h.sizes[v] = true
	case v.Type.Kind.IsInteger() && h.of[v] == (limit{}):
		h.of[v] = limit{fixed: mostBins}
	}
	for _, arg := range v.Operands() {
		h.small(arg, seen)
	}
}

// mostBins is about how many there are where data says.
const mostBins = 40

func (h *hints) limit(v *ir.Value, l limit) {
	for _, p := range origins(v) {
		h.of[p] = l
	}
}

// mostNear is how many constants a parameter is drawn near to.
const mostNear = 8

// constants notes the constants of v for the parameters that the other operands
// are computed from.
func (h *hints) constants(v *ir.Value) {
	for _, c := range v.Args {
		if c.Op != ir.OpConst {
			continue
		}
		seen := map[*ir.Value]bool{}
		for _, arg := range v.Args {
			h.nearTo(arg, c.Const, seen)
		}
	}
}

func (h *hints) nearTo(v *ir.Value, c ir.Scalar, seen map[*ir.Value]bool) {
	if seen[v] {
		return
	}
	seen[v] = true
	if v.Op == ir.OpParam && v.Type.Kind == c.Kind && len(h.near[v]) < mostNear && !slices.Contains(h.near[v], c) {
		h.near[v] = append(h.near[v], c)
	}
	for _, arg := range v.Args {
		h.nearTo(arg, c, seen)
	}
}

// origins returns the integer parameters whose elements v selects.
func origins(v *ir.Value) []*ir.Value {
	switch {
	case v.Op == ir.OpParam && v.Type.Kind.IsInteger():
		return []*ir.Value{v}
	case v.Op == ir.OpCompact, v.Op == ir.OpGather, v.Op == ir.OpCast:
		return origins(v.Args[0])
	}
	return nil
}

// draw returns the call that makes a column of n rows for parameter v.
func (w *writer) draw(v *ir.Value, n string) string {
	kind, goType := v.Type.Kind, goTypeOf(v.Type.Kind)
	near := ""
	for _, c := range w.hints.near[v] {
		if kind == ir.Char8 {
			b := c.Bytes()
			near += fmt.Sprintf(", %q", strings.TrimRight(string(b[:]), "\x00"))
		} else {
			near += ", " + w.bare(c)
		}
	}
	l, limited := w.hints.of[v]
	switch {
	case limited && l.domain != nil:
		return fmt.Sprintf("kgenIndices[%s](d, %s, %s)", goType, n, w.lengths[l.domain])
	case limited && l.scalar != nil:
		return fmt.Sprintf("kgenIndices[%s](d, %s, int(k.in.%s))", goType, n, w.names[l.scalar])
	case limited:
		return fmt.Sprintf("kgenIndices[%s](d, %s, %d)", goType, n, l.fixed)
	case w.hints.divides[v]:
		return fmt.Sprintf("kgenDivisors[%s](d, %s)", goType, n)
	}
	switch {
	case kind == ir.Bool:
		return fmt.Sprintf("kgenBools(d, %s)", n)
	case kind == ir.Char8:
		return fmt.Sprintf("kgenTexts(d, %s%s)", n, near)
	case kind == ir.Date:
		return fmt.Sprintf("kgenIntegers[int32](d, %s%s, 8766)", n, near) // a day of 1994
	case kind == ir.Timestamp:
		return fmt.Sprintf("kgenTimestamps(d, %s%s)", n, near)
	case kind.IsFloat() && w.hints.signs:
		return fmt.Sprintf("kgenSigns[%s](d, %s)", goType, n)
	case kind.IsFloat() && w.hints.exact:
		return fmt.Sprintf("kgenWholes[%s](d, %s)", goType, n)
	case kind.IsFloat():
		return fmt.Sprintf("kgenFloats[%s](d, %s%s)", goType, n, near)
	}
	return fmt.Sprintf("kgenIntegers[%s](d, %s%s)", goType, n, near)
}
