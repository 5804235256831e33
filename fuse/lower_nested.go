package fuse

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// nested makes s read what nested loops do: a row's own keys, and those of all other rows.
func (l *lowering) nested(s *Stage, v *ir.Value) {
	others := keysOfTable(v)
	for _, x := range v.Args[:len(v.Args)-len(others)] {
		l.read(s, x, tile.Element, false)
	}
	l.tableKeys(s, v)
	l.length(s, others[0].Type.Domain)
}

// pairs lowers the rows that each row is paired with.
func (l *lowering) pairs(v *ir.Value) {
	s := l.stage(Nested, v.Pos, v.Args[0].Type.Domain)
	l.nested(s, v)
	l.length(s, v.Type.Domain)
	s.roots = append(s.roots, v)
	l.defineResult(s, v)
}

// partners returns how many rows each row is paired with, or the first one.
func (b *kernelBuilder) partners(v *ir.Value) tile.ID {
	keys := b.alone(v.Args[:v.Split])
	return b.Partners(b.keyStreams(v), b.lengthBefore(keysOfTable(v)[0].Type.Domain), keys, v.Reduce == ir.ReduceMin)
}

// pairs stores w, the rows that each row is paired with.
func (b *kernelBuilder) pairs(w *Value) {
	v := w.IR
	b.known(w.Domain)
	args := b.alone(v.Args[:1+v.Split])
	stream := b.Stream(w.Name, w.Type, w.Name, tile.Permute, true)
	b.Pairs(stream, b.keyStreams(v), args[0], b.lengthBefore(keysOfTable(v)[0].Type.Domain), args[1:])
}

// alone returns operands of nested loops. All rows of a tile are compared at the same time,
// ahead of their turn, so they have to be complete rows, and operands are computed of nothing
// but columns. There is no prefix beside them, for which some schemes compute rows twice.
func (b *kernelBuilder) alone(operands []*ir.Value) []tile.ID {
	for s := range b.in {
		if s.prefix != nil {
			b.refuse("%s may need all rows twice, and nested loops are to run once", s.prefix.result.Name)
		}
	}
	if d := operands[0].Type.Domain; b.row(d) != 0 {
		b.refuse("rows of %s are compared with others only when all of them are there", b.graph.DomainName(d))
	}
	list := make([]tile.ID, len(operands))
	for i, x := range operands {
		list[i] = b.column(x)
		if !b.Kernel.Recomputable(list[i]) {
			b.refuse("rows are compared ahead of their turn, when %s is not there before it is stored", label(x))
		}
	}
	return list
}
