package simt

import (
	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Operations that look for something in memory loop until they have found it.

// search finds an element in an ascending column.
func (e *rowBody) search(op *tile.Op) loop.Expr {
	return backends.Search(e.b, e.stream(op.Stream), e.expr(op.Args[1]), e.expr(op.Args[2]), e.expr(op.Args[0]))
}

// source returns the row that a row repeats: as it is told, from what the tile has found, or by a
// search.
func (e *rowBody) source(op *tile.Op) loop.Expr {
	i := e.Values[op.Res[0]].Op
	if told, ok := e.spread[i]; ok && e.now != atEnd {
		return loop.ToKind(ir.I64, loop.At(e.arguments.buffer(told, ir.I32, plan.Reads), e.row))
	}
	if found := e.sources[i]; found != nil && e.now != atEnd {
		return loop.ToKind(ir.I64, found.at(e))
	}
	row := loop.ToKind(ir.I64, e.row)
	source := backends.Search(e.b, e.stream(op.Stream), e.expr(op.Args[0]), e.expr(op.Args[1]), row)
	if op.Width > 0 {
		among, begin := e.sourceAmong(op, loop.ToCounter(source), row)
		e.begins[i] = begin
		return loop.ToKind(ir.I64, among)
	}
	return source
}

// placed returns where the word of the row's source says that something begins, and as many behind as rows before have that source.
func (e *rowBody) placed(op *tile.Op) loop.Expr {
	i := e.Values[op.Args[0]].Op
	if found := e.sources[i]; found != nil && e.now != atEnd {
		return loop.Add(found.told.at(e), loop.ToKind(ir.U32, e.place))
	}
	source := &e.Ops[i]
	word := loop.At(e.stream(source.Keys[0]), loop.ToCounter(e.expr(op.Args[0])))
	return e.toldFrom(source, word, loop.Sub(loop.ToCounter(e.begins[i]), e.row))
}

// probe finds a slot of a hash table.
func (e *rowBody) probe(op *tile.Op) loop.Expr {
	t := e.hashTable(op, e.stream(op.Stream), e.expr(op.Args[1]))
	return t.Probe(e.b, e.name(op.Res[0]), e.expr(op.Args[2]), e.expr(op.Args[3]), e.expr(op.Args[0]), e.exprs(op.Args[4:]))
}

// match finds a code in a hash table.
func (e *rowBody) match(op *tile.Op) loop.Expr {
	first := e.firstWords[e.Values[op.Res[0]].Op]
	t := e.matched(op)
	if len(op.Args) > 4 {
		t.Rest = e.expr(op.Args[4])
	}
	return t.Match(e.b, e.name(op.Res[0]), e.expr(op.Args[2]), e.expr(op.Args[0]), e.expr(op.Args[3]), first)
}

// matched returns the hash table of a match, without what is compared there.
func (e *rowBody) matched(op *tile.Op) backends.HashTable {
	t := e.hashTable(op, e.stream(op.Stream), e.expr(op.Args[1]))
	t.Bucket, t.IsWide = op.Bucket, op.Wide
	return t
}

// insert enters the row in a hash table.
func (e *rowBody) insert(i int) {
	op := &e.Ops[i]
	if op.IsLimited() {
		e.enter(i)
		return
	}
	s := e.Streams[op.Stream]
	t := e.hashTable(op, e.arguments.buffer(s.Buffer, s.Kind, plan.ReadsWrites), e.expr(op.Args[2]))
	if op.Direct {
		e.takeSlot(op, t.Memory)
		return
	}
	t.Looks = isNarrow(t.Keys)
	t.Insert(e.b, e.expr(op.Args[0]), e.expr(op.Args[1]), e.exprs(op.Args[4:]), false)
}

// takeSlot leaves the least of what rows enter in one slot there. Nobody asks whose a slot was, so nobody waits to hear.
func (e *rowBody) takeSlot(op *tile.Op, memory *loop.Var) {
	e.b.Atomic(loop.AtomicMin, memory, e.expr(op.Args[1]), loop.To(memory.T.Elem(), e.expr(op.Args[0])))
}

// enterWord enters a word in a hash table. Nothing but the word in a slot is looked at, so a row waits for one access to each.
func (e *rowBody) enterWord(i int) {
	op := &e.Ops[i]
	s := e.Streams[op.Stream]
	t := e.hashTable(op, e.arguments.buffer(s.Buffer, s.Kind, plan.ReadsWrites), e.expr(op.Args[2]))
	if op.Direct {
		e.takeSlot(op, t.Memory)
		return
	}
	t.Bucket = op.Bucket
	t.EnterLeast(e.b, e.expr(op.Args[0]), e.expr(op.Args[1]))
}

// narrowKeys are the bytes of keys of which there are so few that many rows of any long column meet. To look first
// took 1.1 to 1.2 times as long on an H200 where each row had a key of its own, and a fifteenth where 2^20 had 256.
const narrowKeys = 2

// isNarrow reports whether keys take few bytes together.
func isNarrow(keys []*loop.Var) bool {
	bytes := 0
	for _, key := range keys {
		bytes += key.T.Kind.Size()
	}
	return len(keys) > 0 && bytes <= narrowKeys
}

// enterCuckoo enters the row in a cuckoo hash table.
func (e *rowBody) enterCuckoo(i int) {
	op := &e.Ops[i]
	s := e.Streams[op.Stream]
	var homes []*loop.Var
	for _, stream := range op.Homes {
		homes = append(homes, e.stream(stream))
	}
	t := e.hashTable(op, e.arguments.buffer(s.Buffer, s.Kind, plan.ReadsWrites), e.expr(op.Args[1]))
	t.EnterCuckoo(e.b, homes, e.expr(op.Args[0]), false)
}

func (e *function) hashTable(op *tile.Op, memory *loop.Var, slots loop.Expr) backends.HashTable {
	t := backends.HashTable{Memory: memory, Slots: slots}
	for _, stream := range op.Keys {
		t.Keys = append(t.Keys, e.stream(stream))
	}
	return t
}
