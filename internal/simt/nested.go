package simt

import (
	"fmt"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Nested loops compare the rows of a tile with a block of other rows at a time, which the
// work-group has copied to local memory. So work-items read each other row from there, and
// the work-group reads it from global memory once.

// nestedOthers is how many other rows are in local memory at a time.
const nestedOthers = 1024

// nestedBytes returns the local memory that nested loops take: for a block, and for what the
// rows of the tile have found.
func (k *kernel) nestedBytes(op *tile.Op) int64 {
	bytes := int64(k.sourcePlaces() * ir.I64.Size())
	for _, stream := range op.Keys {
		bytes += int64(nestedOthers * k.Streams[stream].Kind.Size())
	}
	return bytes
}

// nestedLoop is an operation of nested loops.
type nestedLoop struct {
	keys   []tile.ID
	others tile.ID // how many other rows there are

	begin func(row loop.Expr) loop.Expr                            // what a row has found before any other row
	equal func(found loop.Expr, other loop.Expr) (after loop.Expr) // and after another row with equal keys
}

// nestedOf returns operation i.
func (e *rowBody) nestedOf(i int) nestedLoop {
	op := &e.Ops[i]
	switch {
	case op.Kind == tile.Pairs:
		return nestedLoop{op.Args[2:], op.Args[1],
			func(row loop.Expr) loop.Expr { return e.at(op.Args[0], row) },
			func(found, other loop.Expr) loop.Expr {
				e.b.Store(e.stream(op.Stream), loop.ToCounter(found), loop.ToKind(ir.I64, other))
				return loop.Add(found, number(ir.I64, 1))
			}}
	case op.First:
		return nestedLoop{op.Args[1:], op.Args[0],
			func(loop.Expr) loop.Expr { return number(ir.I64, -1) },
			func(found, other loop.Expr) loop.Expr {
				return loop.Choose(loop.Lt(found, number(ir.I64, 0)), loop.ToKind(ir.I64, other), found)
			}}
	}
	return nestedLoop{op.Args[1:], op.Args[0],
		func(loop.Expr) loop.Expr { return number(ir.I64, 0) },
		func(found, _ loop.Expr) loop.Expr { return loop.Add(found, number(ir.I64, 1)) }}
}

// compare compares a row with other rows from first to end, whose keys are in columns. Other
// rows are numbered from before on.
func (e *rowBody) compare(n nestedLoop, row loop.Expr, columns []*loop.Var, first, end, before loop.Expr, found *loop.Var) {
	keys := make([]loop.Expr, len(n.keys))
	for i, key := range n.keys {
		keys[i] = e.b.Let("key", e.at(key, row))
	}
	backends.Compare(e.b, columns, keys, first, end, func(other loop.Expr) {
		e.b.Assign(found, n.equal(found, loop.Add(before, other)))
	})
}

// nestTogether compares all rows of the tile by operation i. It returns what they have found,
// at their sourcePlace.
func (e *rowBody) nestTogether(i int) *loop.Var {
	op, n := &e.Ops[i], e.nestedOf(i)
	all := e.localArray(fmt.Sprintf("found_%d", i), ir.I64, e.sourcePlaces())
	var blocks []*loop.Var
	for k, stream := range op.Keys {
		blocks = append(blocks, e.localArray(fmt.Sprintf("others_%d_%d", i, k), e.Streams[stream].Kind, nestedOthers))
	}
	eachOwn := func(body func(place, row loop.Expr)) {
		e.b.For("item", loop.Int(0), loop.Int(int64(e.items)), func(item *loop.Var) {
			at := e.b.Let("at", loop.Add(loop.Mul(e.localID, loop.Int(int64(e.items))), item))
			e.b.If(loop.Lt(at, e.count), func() { body(e.b.Let("place", e.sourcePlace(at)), e.b.Let("row", loop.Add(e.first, at))) }, nil)
		})
	}
	others := e.b.Let("others", loop.ToCounter(e.expr(n.others)))
	before := e.b.Decl("before", loop.Int(0))
	e.barrier() // behind the tile before
	eachOwn(func(place, row loop.Expr) { e.b.Store(all, place, n.begin(row)) })
	e.b.While(loop.Lt(before, others), func() {
		length := e.b.Let("length", loop.Least(loop.Sub(others, before), loop.Int(nestedOthers)))
		other := e.b.Decl("other", e.localID)
		e.b.While(loop.Lt(other, length), func() {
			for k, stream := range op.Keys {
				e.b.Store(blocks[k], other, loop.At(e.stream(stream), loop.Add(before, other)))
			}
			e.b.Assign(other, loop.Add(other, loop.Int(int64(e.workgroup))))
		})
		e.barrier()
		eachOwn(func(place, row loop.Expr) {
			found := e.b.Decl("found", loop.At(all, place))
			e.compare(n, row, blocks, loop.Int(0), length, before, found)
			e.b.Store(all, place, found)
		})
		e.barrier()
		e.b.Assign(before, loop.Add(before, loop.Int(nestedOthers)))
	})
	e.barrier()
	return all
}

// nestAlone compares the row at hand by operation i, and returns what it has found.
func (e *rowBody) nestAlone(i int) loop.Expr {
	op, n := &e.Ops[i], e.nestedOf(i)
	var columns []*loop.Var
	for _, stream := range op.Keys {
		columns = append(columns, e.stream(stream))
	}
	found := e.b.Decl("found", n.begin(e.row))
	e.compare(n, e.row, columns, loop.Int(0), loop.ToCounter(e.expr(n.others)), loop.Int(0), found)
	return found
}

// partners returns how many partners a row has, or the first one.
func (e *rowBody) partners(op *tile.Op) loop.Expr {
	i := e.Values[op.Res[0]].Op
	if all := e.nestedLoops[i]; all != nil && e.now != atEnd {
		return loop.At(all, e.sourcePlace(e.place))
	}
	return e.nestAlone(i)
}

// pairs stores the partners of the row, unless the rows of the tile have done so together.
func (e *rowBody) pairs(i int) {
	if e.nestedLoops[i] == nil {
		e.nestAlone(i)
	}
}
