package gocpu

import (
	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Segments are long or short. If most blocks of rows lie within one segment, it
// pays to test for that first and fold a block at once. If segments are short, the
// test is in vain. So rows are handled in windows, each in the form that fits the
// number of segments that began in the window before.
const (
	windowRows = 1024
	denseHeads = windowRows / 16 // heads in a window above which the next one is dense
	sparseRun  = 16              // rows that are tested at once
)

// hasWindows reports whether k stores segments row by row and their heads are
// found by comparing integers, of which several compare at once.
func (k *kernel) hasWindows() bool {
	if k.branchlessSegments == 0 || k.Has((*tile.Op).Cuts, func(op *tile.Op) bool { return len(op.Monoid.Fields) > 2 }) { // fields are folded one by one
		return false
	}
	heads := 0
	for _, op := range k.With((*tile.Op).SeesNeighbours) {
		if !op.IsHead() {
			return false
		}
		heads++
		for _, key := range op.Args {
			if kind := k.Values[key].Kind; !kind.IsInteger() && !kind.IsCoded() {
				return false
			}
		}
	}
	return heads == 1 && !k.Has((*tile.Op).IsRowNumber) && k.Domains[k.branchlessSegments].Guard == k.Ops[k.headOp()].Res[0]
}

// headOp returns the number of the operation that finds heads.
func (k *kernel) headOp() int {
	for i := range k.With((*tile.Op).IsHead) {
		return i
	}
	panic("gocpu: no head")
}

// begunOp returns the number of the operation that counts heads.
func (k *kernel) begunOp() int {
	return k.Values[k.Domains[k.branchlessSegments].Counter].Op
}

// windowFunctions writes the functions of dense and sparse rows, and the one
// that calls them, which it returns first; the list has callees first.
func (k *kernel) windowFunctions(name string) (*rangeFunc, []*loop.Func) {
	dense := k.rangeFunction(name+"_dense", denseRows)
	sparse := k.rangeFunction(name+"_sparse", sparseRows)
	g, r, _ := k.newRange(name, windows, 0)
	g.storeCarried()
	args := func(lo, hi loop.Expr) []loop.Expr {
		list := []loop.Expr{lo, hi}
		for _, a := range r.args {
			switch {
			case a.stream >= 0:
				list = append(list, g.whole[a.stream])
			case a.state != nil:
				list = append(list, g.state[a.state.stateKey])
			default:
				list = append(list, g.scalars[a.scalar])
			}
		}
		return list
	}
	results := make([]*loop.Var, len(r.results))
	for i, s := range r.results {
		results[i] = g.state[s.stateKey]
	}
	call := func(f *rangeFunc, lo, hi loop.Expr) {
		g.b.Add(&loop.Do{Results: results, Call: &loop.Call{Callee: f.Signature(), Args: args(lo, hi)}})
	}
	begun := g.state[stateKey{k.begunOp(), 0}]
	isDense := g.b.Decl("dense", loop.True)
	g.b.ForStep("window", r.lo, r.hi, windowRows, func(window *loop.Var) {
		end := g.b.Let("end", loop.Least(loop.Add(window, loop.Int(windowRows)), r.hi))
		before := g.b.Decl("before", begun)
		g.b.If(isDense, func() { call(dense, window, end) }, func() { call(sparse, window, end) })
		g.b.Assign(isDense, loop.Gt(loop.Sub(begun, before), loop.ConstOf(ir.Int(ir.I64, denseHeads))))
	})
	g.end(r)
	return r, []*loop.Func{dense.Func, sparse.Func, r.Func}
}

// blocks handles the rows of the views in blocks as long as there are enough;
// a block within one segment is folded at once. What is left stays in the views.
func (g *body) blocks(views []int) {
	outer := map[int]*loop.Var{}
	for _, s := range views {
		outer[s] = g.view[s]
	}
	g.b.While(loop.Ge(loop.LenOf(outer[views[0]]), loop.Int(sparseRun)), func() {
		for _, s := range views {
			g.view[s] = g.b.Window(streamName(g.Streams[s])+"_block", outer[s], loop.Int(0), sparseRun)
			g.b.Cut(outer[s], loop.Int(sparseRun), nil)
		}
		g.b.If(g.withoutHead(), func() { g.foldBlock() }, func() { g.run(loop.Int(sparseRun)) })
	})
	for _, s := range views {
		g.view[s] = outer[s]
	}
}

// rest handles the rows that are fewer than a block.
func (g *body) rest(views []int) { g.run(loop.LenOf(g.view[views[0]])) }

// atRow returns v for row r of the block.
func (g *body) atRow(v tile.ID, r int) loop.Expr {
	kept, index := g.values, g.index
	g.values, g.index = g.uniformValues(), loop.Int(int64(r))
	x := g.expr(v)
	g.values, g.index = kept, index
	return x
}

// withoutHead returns whether all keys of the block are those of the row before.
func (g *body) withoutHead() loop.Expr {
	var none loop.Expr = loop.True
	for _, key := range g.Ops[g.headOp()].Args {
		last := g.last[neighbour{value: key}]
		bits := make([]loop.Expr, sparseRun)
		for r := range bits {
			bits[r] = loop.Apply(ir.OpXor, g.atRow(key, r), last)
		}
		none = loop.And(none, loop.Eq(balanced(ir.OpOr, bits), loop.To(last.T, loop.Int(0))))
	}
	return none
}

// balanced combines a list in a tree, for short chains of dependence.
func balanced(operator ir.Op, list []loop.Expr) loop.Expr {
	if len(list) == 1 {
		return list[0]
	}
	half := len(list) / 2
	return loop.Apply(operator, balanced(operator, list[:half]), balanced(operator, list[half:]))
}

// foldBlock adds a block without a head to the open segment, and stores it.
func (g *body) foldBlock() {
	for i, op := range g.With((*tile.Op).Cuts) {
		if !g.needed[i] {
			continue
		}
		for f := range op.Res {
			s := g.state[stateKey{i, f}]
			other, restarts := op.Monoid.Restart(f)
			switch {
			case s == nil || !restarts: // the count of heads stays
			case op.Monoid.Kind == tile.Segmented:
				g.foldRows(s, other, op.Args[f])
			case g.KeepsLast(op):
				g.b.Assign(s, g.atRow(op.Args[f], sparseRun-1))
			}
		}
	}
	g.values = g.uniformValues()
	for i := range g.With((*tile.Op).Cuts) {
		if g.needed[i] {
			g.seeStates(i)
		}
	}
	g.storeSegments()
	g.values = g.uniformValues()
}

// foldRows folds x of all rows of the block into s. Integer sums are made in a
// tree; floats are added one after another, as elsewhere.
func (g *body) foldRows(s *loop.Var, combine *tile.Expr, x tile.ID) {
	if c, ok := g.atRow(x, 0).(*loop.Const); ok && combine.Operator == ir.OpAdd && s.T.Kind.IsInteger() {
		g.b.Assign(s, loop.Add(s, loop.ConstOf(ir.Int(s.T.Kind, sparseRun*c.Value.Int64()))))
		return
	}
	if combine.Operator == ir.OpAdd && s.T.Kind.IsInteger() {
		rows := make([]loop.Expr, sparseRun)
		for r := range rows {
			rows[r] = g.atRow(x, r)
		}
		g.b.Assign(s, loop.Add(s, balanced(ir.OpAdd, rows)))
		return
	}
	kept := g.values
	g.b.For("i", loop.Int(0), loop.Int(sparseRun), func(i *loop.Var) {
		g.values, g.index = g.uniformValues(), i
		now := func(int) loop.Expr { return s }
		g.b.Assign(s, backends.Combine(combine, now, func(int) loop.Expr { return g.expr(x) }))
	})
	g.values = kept
}
