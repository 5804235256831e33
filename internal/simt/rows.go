package simt

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// eachRow runs body for each of this work-item's rows. All exist if the tile is
// whole.
func (e *rowBody) eachRow(whole bool, body func()) {
	e.b.For("item", loop.Int(0), loop.Int(int64(e.items)), func(item *loop.Var) {
		e.converge()
		e.atItem(item, whole, body)
	})
}

// atItem runs body for the row that this work-item has as an item, if it exists.
func (e *rowBody) atItem(item loop.Expr, whole bool, body func()) {
	e.isWhole, e.item = whole, item
	e.values = map[tile.ID]loop.Expr{}
	at := loop.Add(loop.Mul(e.localID, loop.Int(int64(e.items))), item)
	if !e.needsOrder() {
		at = e.heldAt(e.localID, item)
	}
	at = e.b.Let("at", at)
	e.place, e.row = at, loop.Add(e.first, at)
	e.rowBefore = loop.Sub(e.row, loop.Int(1))
	if whole {
		body()
	} else {
		e.b.If(loop.Lt(at, e.count), body, nil)
	}
}

// stream returns the buffer of a stream.
func (e *function) stream(i int) *loop.Var {
	s := e.Streams[i]
	return e.arguments.buffer(s.Buffer, s.Kind, streamAccess(s))
}

// element reads a stream at a row of the base. A column over another domain is
// checked to be as long. If that check fails, it may be shorter.
func (e *rowBody) element(op *tile.Op, row loop.Expr) loop.Expr {
	if mine := e.columns[op.Stream]; mine != nil && e.now != atEnd {
		halo := loop.Int(0)
		if e.arena.halo[op.Stream] {
			halo = loop.Int(1)
		}
		switch row {
		case e.row:
			return loop.At(mine, loop.Add(e.item, halo))
		case e.rowBefore:
			return loop.At(mine, e.item)
		}
	}
	if e.lowering.reaches(e.lowering.bufferLength(e.Streams[op.Stream].Buffer), e.Domains[0].Plan) {
		return loop.At(e.stream(op.Stream), loop.ToCounter(row))
	}
	checked := *op
	checked.Checked = true
	return e.loadAt(&checked, loop.ToKind(ir.I64, row))
}

// loadAt reads a stream anywhere, and checks a place that may be outside.
func (e *function) loadAt(op *tile.Op, at loop.Expr) loop.Expr {
	if !op.Checked {
		return loop.At(e.stream(op.Stream), loop.To(e.indexOf(op.Stream), at))
	}
	return e.loadInside(e.name(op.Res[0]), op.Stream, at)
}

// indexOf returns the type of an index of a stream.
func (e *function) indexOf(stream int) loop.Type {
	if e.Streams[stream].Long {
		return loop.ScalarOf(ir.I64)
	}
	return loop.Counter
}

// tableElements returns how many elements rows may combine in the table of an operation.
func (e *function) tableElements(op *tile.Op) loop.Expr {
	if op.Bins != "" {
		return e.length(op.Bins)
	}
	return e.elementsOf(op.Stream)
}

// elementsOf returns how many elements a stream's buffer has.
func (e *function) elementsOf(stream int) loop.Expr {
	buffer := e.Streams[stream].Buffer
	return e.arguments.value(buffer+"_elements", e.lowering.bufferLength(buffer))
}

// length returns the length of a domain of the plan.
func (e *function) length(domain string) loop.Expr {
	if n, ok := e.lowering.logical.Constant(plan.Len(domain)); ok {
		return loop.ConstOf(ir.Int(ir.I64, n))
	}
	return e.arguments.value(domain+"_length", plan.Len(domain))
}

// head reports whether a key differs from that of the row before.
func (e *rowBody) head(op *tile.Op) loop.Expr {
	keys := e.exprs(op.Args)
	differs := func() (any loop.Expr) {
		for i, key := range op.Args {
			differs := loop.KeyNe(keys[i], e.at(key, e.rowBefore))
			if any == nil {
				any = differs
			} else {
				any = loop.Or(any, differs)
			}
		}
		return any
	}
	if e.now != atEnd && !slices.ContainsFunc(op.Args, func(key tile.ID) bool { return !e.isHeld(key) }) {
		first := loop.Eq(e.row, loop.Int(0))
		if e.isWhole { // row 0 can only be a work-item's first
			first = loop.And(loop.Eq(e.item, loop.Int(0)), first)
		}
		return loop.Or(first, differs())
	}
	head := e.b.Decl("head", loop.True)
	e.b.If(loop.Gt(e.row, loop.Int(0)), func() { e.b.Assign(head, differs()) }, nil)
	return head
}

// shift returns the value of another row of the base.
func (e *rowBody) shift(op *tile.Op) loop.Expr {
	x, fill := op.Args[0], op.Args[1]
	y := e.b.Decl("neighbour", e.expr(fill))
	most := int64(plan.MaxRows) // beyond all rows either way
	if e.long {
		most = math.MaxInt64 / 2
	}
	distance := min(max(op.Distance, -most), most)
	row := e.row
	if row == nil { // behind all others
		row = loop.ToCounter(e.length(e.Domains[0].Plan))
	}
	at, exists := loop.Sub(row, loop.Int(distance)), loop.Ge(row, loop.Int(distance))
	if distance < 0 {
		length := loop.ToCounter(e.length(e.Domains[0].Plan))
		at, exists = loop.Add(e.row, loop.Int(-distance)), loop.Lt(e.row, loop.Sub(length, loop.Int(-distance)))
	}
	if op.Distance == 1 && e.now != atEnd {
		at = e.rowBefore
	}
	e.b.If(exists, func() { e.b.Assign(y, e.at(x, at)) }, nil)
	return y
}

// at computes v, which is recomputable, for another row of the base.
func (e *rowBody) at(v tile.ID, row loop.Expr) loop.Expr {
	if e.Values[v].Domain == tile.Uniform {
		return e.expr(v)
	}
	op := &e.Ops[e.Values[v].Op]
	switch {
	case op.Kind == tile.Row:
		return loop.ToKind(ir.I64, row)
	case op.LoadsElement():
		return e.element(op, row)
	case op.LoadsAt():
		return e.loadAt(op, e.at(op.Args[0], row))
	case op.IsMap():
		args := make([]loop.Expr, len(op.Args))
		for i, arg := range op.Args {
			args[i] = e.at(arg, row)
		}
		return e.apply(op, args)
	}
	panic("simt: " + op.Kind.String() + " cannot be computed for another row")
}

// store writes a value at the row, or at its place in a derived domain.
func (e *rowBody) store(op *tile.Op) {
	at := e.row
	if len(op.Args) == 2 {
		at = loop.To(e.indexOf(op.Stream), e.expr(op.Args[1]))
	}
	store := func() { e.b.Store(e.stream(op.Stream), at, e.asStored(op, e.expr(op.Args[0]))) }
	if op.Room > 0 {
		e.b.If(loop.Lt(at, loop.To(at.Type(), loop.Int(op.Room))), store, nil)
		return
	}
	store()
}

// asStored returns a value in the kind of the column that an operation stores it to: counts may
// be shorter there.
func (k *kernel) asStored(op *tile.Op, x loop.Expr) loop.Expr {
	if k.Streams[op.Stream].Kind == ir.I32 {
		return loop.ToKind(ir.I32, x)
	}
	return x
}

// fold adds the row's elements to the state of this work-item's rows.
func (e *rowBody) fold(i int) {
	if e.scanner.defers(e.function, i) {
		return
	}
	op := &e.Ops[i]
	e.advance(e.folds, i, e.ifCounted(op, e.exprs(op.Args)))
}

// replay names the results of a scan for a row of the phase after its cut. Replay
// adds the row to the state first; for an exclusive scan, block adds it last.
func (e *rowBody) replay(i int) {
	op := &e.Ops[i]
	elements := e.exprs(op.Args)
	if !op.Exclusive {
		e.advance(e.running, i, elements)
	}
	for f, result := range op.Res {
		if e.uses[result] > 0 || e.now == atEnd && e.running[stateKey{i, f}] != nil {
			x := widened(e.running[stateKey{i, f}], e.Values[result].Kind)
			e.values[result] = e.b.Let(e.name(result), x) // a copy: the state goes on changing
			if e.now != atEnd && e.crosses(result) {
				e.keep(result)
			}
		}
	}
	if op.Exclusive && e.now == atEnd {
		e.advance(e.running, i, elements)
	}
}
