package gocpu

import (
	"maps"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Rows that repeat others come in order, and so do their sources: those of one follow each other. What follows from the source
// alone is computed for the first of them, and held for the rest.

// sourceRows is what the rows so far know of their source.
type sourceRows struct {
	source  *loop.Var             // a counter
	until   *loop.Var             // the row at which the next one begins
	follows map[tile.ID]bool      // the values that follow from it
	held    map[tile.ID]*loop.Var // those of them that others read
}

// beginSource finds the source of the first row.
func (g *body) beginSource(op *tile.Op, lo, _ *loop.Var) {
	before := backends.Search(g.b, g.whole[op.Stream], g.at(op.Args[0], lo), g.at(op.Args[1], lo), loop.ToKind(ir.I64, lo))
	s := sourceRows{source: g.b.Decl("source", loop.ToCounter(before)), until: g.b.Decl("until", loop.ToKind(ir.I64, lo)),
		follows: g.following(op), held: map[tile.ID]*loop.Var{}}
	for i := range g.Ops {
		for _, v := range g.Ops[i].Args {
			if g.needed[i] && s.follows[v] && !g.follow(&g.Ops[i], s.follows) && s.held[v] == nil && v != op.Res[0] {
				s.held[v] = g.b.Decl(g.name(v), loop.ConstOf(ir.Scalar{Kind: g.Values[v].Kind}))
			}
		}
	}
	g.sources[op.Res[0]] = s
}

// following returns the values of base rows that follow from a source alone, the source among them.
func (g *body) following(op *tile.Op) map[tile.ID]bool {
	follows := map[tile.ID]bool{op.Res[0]: true}
	for i := range g.Ops {
		if g.needed[i] && g.sinkDomain[i] == 0 && g.follow(&g.Ops[i], follows) {
			follows[g.Ops[i].Res[0]] = true
		}
	}
	return follows
}

// follow reports whether a pure operation has operands that follow from a source, and no others that differ from row to row.
func (g *body) follow(op *tile.Op, follows map[tile.ID]bool) bool {
	if !op.IsPure() || len(op.Res) != 1 {
		return false
	}
	found := false
	for _, v := range op.Args {
		if !follows[v] && g.Ops[g.Values[v].Op].Domain != tile.Uniform {
			return false
		}
		found = found || follows[v]
	}
	return found
}

// nextSource names the row that this one repeats.
func (g *body) nextSource(i int) {
	op := &g.Ops[i]
	ends, s := g.whole[op.Stream], g.sources[op.Res[0]]
	row := g.b.Let("row", loop.ToKind(ir.I64, g.rowAt()))
	end := loop.ToCounter(g.expr(op.Args[1]))
	g.b.If(loop.Ge(row, s.until), func() {
		g.b.While(loop.Lt(s.source, end), func() {
			g.b.Assign(s.until, loop.ToKind(ir.I64, loop.At(ends, s.source)))
			g.b.If(loop.Gt(s.until, row), g.b.Break, nil)
			g.b.Assign(s.source, loop.Add(s.source, loop.Int(1)))
		})
		outer := maps.Clone(g.values)
		g.values[op.Res[0]] = g.b.Let(g.name(op.Res[0]), loop.ToKind(ir.I64, s.source))
		for j := range g.Ops {
			if g.needed[j] && len(g.Ops[j].Res) == 1 && g.Ops[j].Res[0] != op.Res[0] && s.follows[g.Ops[j].Res[0]] {
				g.op(j, 0)
				if v := g.Ops[j].Res[0]; s.held[v] != nil {
					g.b.Assign(s.held[v], g.expr(v))
				}
			}
		}
		g.values = outer
	}, nil)
	for v, held := range s.held {
		g.values[v] = held
	}
	g.values[op.Res[0]] = loop.ToKind(ir.I64, s.source)
}
