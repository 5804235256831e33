package gocpu

import (
	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
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

// beginInsert declares what a worker knows of a table with a limit.
func (g *body) beginInsert(op *tile.Op, _, _ *loop.Var) {
	switch e := g.enteredOf(op); {
	case e != nil:
		g.beginEntered(e)
	case op.IsLimited():
		g.taken[op.Stream] = g.b.Decl("taken", loop.ConstOf(ir.Int(ir.I64, 0)))
	}
}

// insert enters the row in a hash table. Without a limit one worker enters all rows.
func (g *body) insert(i int) {
	op := &g.Ops[i]
	if e := g.enteredOf(op); e != nil {
		g.enterGroup(e)
		return
	}
	t := g.hashTable(op, op.Args[2])
	if op.IsLimited() {
		t.Limit, t.Taken = g.expr(op.Args[3]), g.taken[op.Stream]
		t.Found = g.b.Decl("found", loop.ConstOf(ir.Int(ir.I64, -1)))
		g.values[op.Res[0]] = t.Found
	}
	t.Insert(g.b, g.expr(op.Args[0]), g.expr(op.Args[1]), g.exprs(op.Args[4:]), true)
}

// enter enters the word of the row in a hash table. One worker enters all.
func (g *body) enter(i int) {
	op := &g.Ops[i]
	slot := g.expr(op.Args[1])
	if c, ok := slot.(*loop.Const); ok && c.Value.Int64() < 0 {
		return
	}
	g.hashTable(op, op.Args[2]).Enter(g.b, g.expr(op.Args[0]), slot)
}

// enterCuckoo enters the row in a cuckoo hash table.
func (g *body) enterCuckoo(i int) {
	op := &g.Ops[i]
	var homes []*loop.Var
	for _, stream := range op.Homes {
		homes = append(homes, g.whole[stream])
	}
	g.hashTable(op, op.Args[1]).EnterCuckoo(g.b, homes, g.expr(op.Args[0]), true)
}

func (g *body) hashTable(op *tile.Op, slots tile.ID) backends.HashTable {
	t := backends.HashTable{Memory: g.whole[op.Stream], Slots: g.expr(slots), PartBits: op.PartBits}
	for _, stream := range op.Keys {
		t.Keys = append(t.Keys, g.whole[stream])
	}
	return t
}
