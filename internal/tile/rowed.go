package tile

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// RowField returns the field of a state that says of which row it is, or -1 of an operation that has none. States combine in any
// order then, if that of the lesser row is the earlier one, and one without a row, -1, the later.
func (m *Monoid) RowField() int {
	last := len(m.Fields) - 1
	isPick := m.Kind == Ordered && last == 2 && m.Fields[0].Kind == ir.Bool && m.Fields[last] == rowField && m.Identity[last] == ir.Int(ir.I64, -1)
	if isPick || m.IsRowOfExtreme() {
		return last
	}
	return -1
}

// FoldsInOrder reports whether a reduction combines the states of rows in their order alone.
func (op *Op) FoldsInOrder() bool {
	return op.IsReduction() && op.Monoid.Kind != Fold && op.Monoid.RowField() < 0
}

var rowField = Field{Name: "row", Kind: ir.I64}

// isPick reports whether m is a monoid of [NewFirst] or [NewLast], and which state has precedence.
func (m *Monoid) isPick() (preferred Side, ok bool) {
	if m.Kind != Ordered || len(m.Fields) != 2 || m.Fields[0].Kind != ir.Bool || m.Combine[1].Operator != ir.OpSelect {
		return A, false
	}
	choice := m.Combine[1].Args
	preferred = choice[0].Side
	return preferred, choice[0].IsField(preferred, 0) && choice[1].IsField(preferred, 1) && choice[2].IsField(1-preferred, 1)
}

// withRow is a monoid of NewFirst or NewLast whose states have their row.
func (m *Monoid) withRow(preferred Side) *Monoid {
	return &Monoid{Kind: m.Kind, Fields: append(slices.Clone(m.Fields), rowField), Identity: append(slices.Clone(m.Identity), ir.Int(ir.I64, -1)),
		Combine: append(slices.Clone(m.Combine), apply(ir.OpSelect, ir.I64, field(preferred, 0, ir.Bool), field(preferred, 2, ir.I64), field(1-preferred, 2, ir.I64)))}
}

// Rowed returns a kernel without cuts in which the states of all reductions that keep one row say which: these
// combine in any order of the rows.
func (k *Kernel) Rowed() *Kernel {
	isPicking := func(op *Op) bool {
		if !op.IsReduction() {
			return false
		}
		_, ok := op.Monoid.isPick()
		return ok
	}
	if k.CountCuts() > 0 || !k.Has(isPicking) {
		return k
	}
	out := *k
	row := ID(len(k.Values))
	out.Values = append(slices.Clone(k.Values), Value{Kind: ir.I64, Name: "row"})
	for v := range k.Values[1:] {
		out.Values[v+1].Op++
	}
	out.Ops = append([]Op{{Kind: Row, Res: []ID{row}}}, k.Ops...)
	for i := range out.Ops {
		op := &out.Ops[i]
		if !isPicking(op) {
			continue
		}
		preferred, _ := op.Monoid.isPick()
		result := ID(len(out.Values))
		out.Values = append(out.Values, Value{Kind: ir.I64, Name: "row", Domain: out.Values[op.Res[0]].Domain, Op: i})
		op.Monoid, op.Args, op.Res = op.Monoid.withRow(preferred), append(slices.Clone(op.Args), row), append(slices.Clone(op.Res), result)
	}
	return &out
}
