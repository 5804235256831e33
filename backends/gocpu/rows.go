package gocpu

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// body writes the statements of a kernel's rows into a function, or those of
// the last segments into the driver.
type body struct {
	*kernel
	b       *loop.Builder
	summary bool                    // only what the cut's state and reductions need
	summed  int                     // that cut
	needed  []bool                  // operations of this body
	values  map[tile.ID]loop.Expr   // what has been computed for this row
	state   map[stateKey]*loop.Var  // running states
	scalars map[string]loop.Expr    // the plan's scalars and lengths, by name
	whole   map[int]*loop.Var       // streams, all rows
	view    map[int]*loop.Var       // streams cut to the rows of the range
	last    map[neighbour]*loop.Var // values of the row before
	failed  map[int]*loop.Var       // per site: whether a row of this range failed
	counts  map[tile.ID]*loop.Var   // per rank: how many rows before have each digit
	words   *loop.Var               // of a summary that sorts few rows: their words, in order
	sources map[tile.ID]sourceRows  // per source
	nested  map[*tile.Op]*nested    // per operation of nested loops
	parted  *loop.Var               // memory for the table of a part
	partner partnerTable            // that of the keys of a join
	grouped groupTable              // that of the groups of a part
	entered []*entered              // tables with a limit, of rows in any order
	taken   map[int]*loop.Var       // per table of partitioned rows: how many of its slots these rows have taken
	bits    map[loop.Expr]loop.Expr // heads as numbers
	slot    *loop.Var               // of the open segment, in place of the count of segments that have begun; may be nil
	errors  *loop.Var               // the errors buffer
	index   loop.Expr               // of the row in the views
	first   loop.Expr               // number of the views' first row
	length  loop.Expr               // of the base domain
	noted   string                  // the source line written last
	remarks []string                // on the function
	closes  int                     // the domain whose last segment closes, after all rows
	ending  []func()                // what must happen at the end of a row, latest operation first
}

// neighbour names a value of the row before, as a head or a shift sees it: they
// differ before row 0.
type neighbour struct {
	value tile.ID
	fill  tile.ID // what a shift sees there; 0 for a head
}

// block writes the rows of domain d: its operations, the rows derived from
// them, and then the updates of states that others saw before this row.
func (g *body) block(d int) {
	outer := g.ending
	g.ending = nil
	g.rowOf(d)
	if g.branchlessSegments != 0 && d == 0 && !g.summary {
		g.finishRow()
		g.storeSegments()
	} else {
		for child := d + 1; child < len(g.Domains); child++ {
			if g.Domains[child].Parent == d {
				g.child(child)
			}
		}
		g.finishRow()
	}
	g.ending = outer
}

// rowOf writes the operations of a row of domain d.
func (g *body) rowOf(d int) {
	for i := range g.Ops {
		if g.needed[i] && g.sinkDomain[i] == d && !g.Ops[i].Epilogue && !g.split[i] {
			g.op(i, d)
		}
	}
}

// finishRow runs the deferred updates: later operations first, because a
// state may feed the update of a later one.
func (g *body) finishRow() {
	for i := len(g.ending) - 1; i >= 0; i-- {
		g.ending[i]()
	}
	g.ending = nil
}

// child writes the rows of a derived domain.
func (g *body) child(d int) {
	domain := g.Domains[d]
	if !g.hasRows(d) {
		return
	}
	if domain.Kind == tile.Close {
		if g.summary && g.summed == 0 {
			return
		}
		g.b.If(loop.And(g.expr(domain.Guard), g.expr(domain.Open)), func() { g.block(d) }, nil)
		return
	}
	switch {
	case g.branchFree(d):
		g.compact(d)
	case g.sumsOnly(d):
		g.sumSelected(d)
	default:
		g.b.If(g.expr(domain.Guard), func() { g.block(d) }, nil)
	}
}

// hasRows reports whether anything of this body happens for the rows of d.
func (g *body) hasRows(d int) bool {
	for i := range g.Ops {
		if g.needed[i] && !g.Ops[i].Epilogue && g.Inside(g.sinkDomain[i], d) && g.sinkDomain[i] != tile.Uniform {
			return true
		}
	}
	return false
}

// numbersRows reports whether rows need their numbers. Forms that shrink the
// views of the rows do not know them.
func (g *body) numbersRows() bool {
	for i := range g.With((*tile.Op).IsRowNumber) {
		if g.needed[i] {
			return true
		}
	}
	return false
}

// op writes operation i, unless it is written where it is used.
func (g *body) op(i, d int) {
	op := &g.Ops[i]
	switch {
	case op.IsPure(), op.IsReduction(), op.Exclusive, op.Does(tile.Writes) && g.Domains[d].Kind == tile.Close: // states: their names say it
	default:
		g.note(op)
	}
	if row := emitterOf(op.Kind).row; row != nil {
		row(g, i)
		return
	}
	v := op.Res[0]
	if _, known := g.values[v]; known {
		return // the place of a rank
	}
	if g.uses[v] == 1 && (g.Values[v].Name == "" || !op.IsMap()) && !op.Checked && !op.Seeks() {
		return // written where it is used
	}
	g.values[v] = g.b.Let(g.name(v), g.pure(op))
}

// expr returns the value v for this row.
func (g *body) expr(v tile.ID) loop.Expr {
	if x, ok := g.values[v]; ok {
		return x
	}
	op := &g.Ops[g.Values[v].Op]
	return g.pure(op)
}

func (g *body) exprs(list []tile.ID) []loop.Expr {
	args := make([]loop.Expr, len(list))
	for i, v := range list {
		args[i] = g.expr(v)
	}
	return args
}

// pure returns the expression of a pure operation.
func (g *body) pure(op *tile.Op) loop.Expr { return emitterOf(op.Kind).value(g, op) }

// rowAt is the number of the row, as a counter.
func (g *body) rowAt() loop.Expr { return loop.Add(g.first, g.index) }

// number casts x to kind k, from the number that a head already is if it is one.
func (g *body) number(k ir.Kind, x loop.Expr) loop.Expr {
	if bit, ok := g.bits[x]; ok {
		x = bit
	}
	return loop.ToKind(k, x)
}

// load reads a stream at the row, or anywhere.
func (g *body) load(op *tile.Op) loop.Expr {
	if len(op.Args) == 0 {
		return loop.At(g.view[op.Stream], g.index)
	}
	return g.loadAt(op, g.expr(op.Args[0]))
}

// loadAt reads a stream at a place, which may lie outside if the operation is
// checked.
func (g *body) loadAt(op *tile.Op, at loop.Expr) loop.Expr {
	memory := g.whole[op.Stream]
	if !op.Checked {
		return loop.At(memory, loop.ToCounter(at))
	}
	if c, ok := at.(*loop.Const); ok && c.Value.Int64() < 0 { // which is nowhere, and Go refuses it
		return loop.ConstOf(ir.Scalar{Kind: memory.T.Kind})
	}
	return g.b.LoadInside(g.name(op.Res[0]), memory, at, loop.LenOf(memory), loop.Counter)
}

// foldAtEnd folds the row when all operations have seen the states before it.
func (g *body) foldAtEnd(i int) { g.ending = append(g.ending, func() { g.fold(i) }) }

// markHead names whether the row is a head.
func (g *body) markHead(i int) {
	op := &g.Ops[i]
	head := g.b.Let("head", g.head(op))
	g.values[op.Res[0]] = head
	if g.branchlessSegments != 0 { // counted, and a mask: Go would make the number twice
		g.bits[head] = g.b.Let("began", loop.ToCounter(head))
	}
}

// head returns whether a key differs from that of the row before. Before row 0
// stands a value that differs.
func (g *body) head(op *tile.Op) loop.Expr {
	var head loop.Expr = loop.False
	for _, key := range op.Args {
		x := g.expr(key)
		if _, ok := x.(*loop.Var); !ok {
			x = g.b.Let(g.name(key), x)
			g.values[key] = x
		}
		last := g.last[neighbour{value: key}]
		head = loop.Or(head, loop.KeyNe(x, last))
		if last != g.lastState(key) { // else the scan updates it
			g.ending = append(g.ending, func() { g.b.Assign(last, x) })
		}
	}
	if g.integerKey(op) == 0 {
		head = loop.Or(loop.Eq(g.rowAt(), loop.Int(0)), head)
	}
	return head
}

// integerKey returns a key of the head that has a value which differs from it
// for sure: its complement; 0 if there is none.
func (g *body) integerKey(op *tile.Op) tile.ID {
	for _, key := range op.Args {
		if k := g.Values[key].Kind; k.IsInteger() || k.IsCoded() {
			return key
		}
	}
	return 0
}

// shift names the value of another base row.
func (g *body) shift(i int) {
	op := &g.Ops[i]
	g.values[op.Res[0]] = g.shifted(op)
}

func (g *body) shifted(op *tile.Op) loop.Expr {
	x, fill := op.Args[0], op.Args[1]
	if op.Distance == 1 {
		if _, ok := g.values[x]; !ok {
			g.values[x] = g.b.Let(g.name(x), g.expr(x))
		}
		last := g.last[neighbour{x, fill}]
		if g.lastOfSegment(op) == nil {
			g.ending = append(g.ending, func() { g.b.Assign(last, g.expr(x)) })
		}
		return g.b.Let("previous", last)
	}
	y := g.b.Decl("neighbour", g.expr(fill))
	row := g.rowAt()
	at := loop.Sub(row, loop.Int(op.Distance))
	exists := loop.Ge(row, loop.Int(op.Distance))
	if op.Distance < 0 {
		at = loop.Add(row, loop.Int(-op.Distance))
		exists = loop.Lt(row, loop.Sub(g.length, loop.Int(-op.Distance)))
	}
	g.b.If(exists, func() { g.b.Assign(y, g.at(x, at)) }, nil)
	return y
}

// at computes v, which is recomputable, for another base row.
func (g *body) at(v tile.ID, row loop.Expr) loop.Expr {
	there := *g
	there.values, there.view, there.first, there.index = g.uniformValues(), g.whole, loop.Int(0), row
	return there.expr(v)
}

// store writes a value at the row, or at its place in a derived domain.
func (g *body) store(i int) {
	op := &g.Ops[i]
	if len(op.Args) == 1 {
		g.b.Store(g.view[op.Stream], g.index, g.expr(op.Args[0]))
		return
	}
	g.b.Store(g.whole[op.Stream], loop.ToCounter(g.expr(op.Args[1])), g.expr(op.Args[0]))
}

// checkRow reports the row if it fails a check.
func (g *body) checkRow(i int) { g.check(&g.Ops[i]) }

// check reports the first failing row of the range; rows ascend, so one report is enough.
func (g *body) check(op *tile.Op) {
	seen := g.failed[op.Site]
	failed := g.expr(op.Args[0])
	site := loop.Int(int64(op.Site))
	if seen == nil { // before or after the rows, where there are no other goroutines
		g.b.If(failed, func() { g.b.Store(g.errors, site, loop.Least(loop.At(g.errors, site), g.expr(op.Args[1]))) }, nil)
		return
	}
	g.b.If(loop.And(failed, loop.Not(seen)), func() {
		g.b.Assign(seen, loop.True)
		g.b.Atomic(loop.AtomicMin, g.errors, site, g.expr(op.Args[1]))
	}, nil)
}
