package gocpu

import (
	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
)

// search finds an element in an ascending column.
func (g *body) search(op *tile.Op) loop.Expr {
	return backends.Search(g.b, g.whole[op.Stream], g.expr(op.Args[1]), g.expr(op.Args[2]), g.expr(op.Args[0]))
}

// probe finds a slot of a hash table.
func (g *body) probe(op *tile.Op) loop.Expr {
	return g.hashTable(op, op.Args[1]).Probe(g.b, g.name(op.Res[0]), g.expr(op.Args[2]), g.expr(op.Args[3]), g.expr(op.Args[0]), g.exprs(op.Args[4:]))
}

// match finds a code in a hash table.
func (g *body) match(op *tile.Op) loop.Expr {
	return g.hashTable(op, op.Args[1]).Match(g.b, g.name(op.Res[0]), g.expr(op.Args[2]), g.expr(op.Args[0]), g.expr(op.Args[3]), nil)
}

// insert enters the row in a hash table. One worker enters all rows.
func (g *body) insert(i int) {
	op := &g.Ops[i]
	g.hashTable(op, op.Args[2]).Insert(g.b, g.expr(op.Args[0]), g.expr(op.Args[1]), g.exprs(op.Args[3:]), true)
}

func (g *body) hashTable(op *tile.Op, slots tile.ID) backends.HashTable {
	t := backends.HashTable{Memory: g.whole[op.Stream], Slots: g.expr(slots)}
	for _, stream := range op.Keys {
		t.Keys = append(t.Keys, g.whole[stream])
	}
	return t
}
