package gocpu

import (
	"iter"
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// neededOps returns the operations of a range function: a summary needs what
// folds into states before the first cut.
func (k *kernel) neededOps(f form, cut int) []bool {
	if f == firstHead {
		guard := k.Values[k.Domains[k.closing].Guard].Op
		return k.NeededBy(func(i int) bool { return i == guard })
	}
	summary := f == summary
	digits := map[int]bool{} // a summary counts these, and needs no places
	for _, op := range k.With((*tile.Op).Counts) {
		digits[k.Values[op.Args[0]].Op] = true
	}
	needed := k.NeededBy(func(i int) bool {
		op := &k.Ops[i]
		if op.Epilogue || !summary {
			return !op.Epilogue
		}
		return digits[i] || op.IsRunning() && !op.IsChunkwise() && k.analysis.Phase[i] == cut && (cut == 0 || op.Cuts())
	})
	for i := range k.With((*tile.Op).Counts) {
		needed[i] = true
	}
	return needed
}

// parameters adds what the operations read: streams, scalars, lengths and the
// errors buffer. It returns the streams that need a view of the range's rows.
func (g *body) parameters(f *rangeFunc) (views []int) {
	views = g.streamParameters(f)
	g.scalarParameters(f)
	for _, op := range g.rowOps() {
		if _, distance := op.Seen(); distance < 0 { // the last rows have no rows after them
			g.lengthParameter(f)
			break
		}
	}
	if g.partitioned() != nil {
		g.lengthParameter(f)
	}
	if g.checksRows() {
		g.errors = g.b.Param("failures", loop.SliceOf(loop.ScalarOf(ir.I64)))
		f.args = append(f.args, argument{stream: -1, scalar: errorsKey})
	}
	return views
}

// rowOps iterates over the operations of this body that come before the epilogue.
func (g *body) rowOps() iter.Seq2[int, *tile.Op] {
	return func(yield func(int, *tile.Op) bool) {
		for i, op := range g.With() {
			if g.needed[i] && !op.Epilogue && !yield(i, op) {
				return
			}
		}
	}
}

// streamParameters adds the streams that rows touch, and returns those of which
// a row touches its own element.
func (g *body) streamParameters(f *rangeFunc) (views []int) {
	element, whole := map[int]bool{}, map[int]bool{}
	for _, op := range g.rowOps() {
		if place, ok := op.Touches(); ok && place == 0 {
			element[op.Stream] = true
		} else if ok {
			whole[op.Stream] = true
		}
		if op.Seeks() || op.Does(tile.Claims) {
			whole[op.Stream] = true
		}
		for _, s := range slices.Concat(op.Totals, op.Keys, op.Homes) {
			whole[s] = true
		}
		for _, f := range op.Folds {
			whole[f.To] = true
		}
		if op.HasPlaces() {
			whole[op.Places] = true
		}
		values, _ := op.Seen()
		if op.Nests() || op.ByParts() {
			values = op.Args
		}
		for _, v := range values {
			g.markLoads(v, whole)
		}
	}
	for s, stream := range g.Streams {
		if !element[s] && !whole[s] {
			continue
		}
		t := loop.SliceOf(loop.ScalarOf(stream.Kind))
		if !stream.Write {
			t = t.AsReadOnly()
		}
		g.whole[s] = g.b.Param(streamName(stream), t)
		f.args = append(f.args, argument{stream: s})
		if element[s] {
			views = append(views, s)
		}
	}
	return views
}

// scalarParameters adds the scalars and lengths of the plan that rows use.
func (g *body) scalarParameters(f *rangeFunc) {
	for _, op := range g.rowOps() {
		if op.Ref == "" || g.scalars[refKey(op)] != nil {
			continue
		}
		g.scalars[refKey(op)] = g.b.Param(op.Ref, loop.ScalarOf(g.Values[op.Res[0]].Kind))
		f.args = append(f.args, argument{stream: -1, scalar: refKey(op)})
	}
}

// lengthParameter adds the length of the base domain, if it is not there yet.
func (g *body) lengthParameter(f *rangeFunc) {
	name := lengthKey(g.Domains[0].Plan)
	if g.scalars[name] == nil {
		g.scalars[name] = g.b.Param(g.Domains[0].Plan, loop.ScalarOf(ir.I64))
		f.args = append(f.args, argument{stream: -1, scalar: name})
	}
	g.length = loop.ToCounter(g.scalars[name])
}

// checksRows reports whether rows of this body can fail a check.
func (g *body) checksRows() bool {
	for _, op := range g.rowOps() {
		if op.Does(tile.Reports) && op.Domain != tile.Uniform {
			return true
		}
	}
	return false
}

// markLoads marks the streams whose elements v is computed from.
func (k *kernel) markLoads(v tile.ID, streams map[int]bool) {
	op := &k.Ops[k.Values[v].Op]
	if op.IsLoad() {
		streams[op.Stream] = true
	}
	for _, arg := range op.Args {
		k.markLoads(arg, streams)
	}
}

// states adds the running states: as parameters of the rows, which carry on
// where the range before ended, and as variables of a summary, which starts
// from nothing.
func (g *body) states(f *rangeFunc) {
	for _, s := range g.kernel.states() {
		op := &g.Ops[s.op]
		isSummed := g.summary && g.analysis.Phase[s.op] == g.summed
		if !g.needed[s.op] || !isSummed && !s.carried {
			continue
		}
		switch {
		case op.IsChunkwise(): // each chunk assigns it
			g.state[s.stateKey] = g.b.Decl(s.name, loop.ConstOf(ir.Scalar{Kind: s.identity.Kind}))
		case isSummed:
			g.state[s.stateKey] = g.b.Decl(s.name, loop.ConstOf(s.identity))
			f.results = append(f.results, s)
		default:
			v := g.b.Param(s.name, loop.ScalarOf(s.identity.Kind))
			v.Changes = true
			g.state[s.stateKey] = v
			f.args = append(f.args, argument{stream: -1, state: &s})
			if !g.summary {
				f.results = append(f.results, s)
			}
		}
	}
	// Where segments are stored before the first row, their states must be known as values.
	for i, op := range g.With((*tile.Op).Cuts) {
		if g.needed[i] && op.Exclusive {
			for field, result := range op.Res {
				if v := g.state[stateKey{i, field}]; v != nil {
					g.values[result] = v
				}
			}
		}
	}
}

// uniform computes what is the same for every row.
func (g *body) uniform() {
	for _, op := range g.rowOps() {
		if op.Domain == tile.Uniform && op.IsPure() && !op.IsKnownBefore() {
			g.values[op.Res[0]] = g.b.Let(g.name(op.Res[0]), g.pure(op))
		}
	}
}

// uniformValues returns the values that no row changes.
func (g *body) uniformValues() map[tile.ID]loop.Expr {
	kept := map[tile.ID]loop.Expr{}
	for v, x := range g.values {
		if g.Values[v].Domain == tile.Uniform {
			kept[v] = x
		}
	}
	return kept
}

// begin declares what a row hands on to the next besides states: the values that
// operations see at the row before, and whether a check has failed.
func (g *body) begin(lo, hi *loop.Var) {
	for i := range g.Ops {
		if begin := emitterOf(g.Ops[i].Kind).begin; begin != nil && g.needed[i] {
			begin(g, &g.Ops[i], lo, hi)
		}
	}
}

// beginHead declares the keys of the row before.
func (g *body) beginHead(op *tile.Op, lo, hi *loop.Var) {
	deciding := g.decidingKeys()
	for _, key := range op.Args {
		if s := g.lastState(key); s != nil {
			g.last[neighbour{value: key}] = s
			g.startState(s, key, key == g.integerKey(op), lo, hi)
			continue
		}
		g.declareLast(neighbour{value: key}, lo, loop.ConstOf(ir.Scalar{Kind: g.Values[key].Kind}), func(last *loop.Var) {
			if deciding[key] {
				g.b.If(loop.Lt(lo, hi), func() { g.b.Assign(last, loop.Apply(ir.OpComplement, g.at(key, lo))) }, nil)
			}
		})
	}
}

// beginShift declares the value of the row before.
func (g *body) beginShift(op *tile.Op, lo, _ *loop.Var) {
	if op.Distance != 1 {
		return
	}
	if s := g.lastOfSegment(op); s != nil {
		g.last[neighbour{op.Args[0], op.Args[1]}] = s
		g.b.If(loop.Eq(lo, loop.Int(0)), func() { g.b.Assign(s, g.expr(op.Args[1])) }, nil)
		return
	}
	g.declareLast(neighbour{op.Args[0], op.Args[1]}, lo, g.expr(op.Args[1]), nil)
}

// lastOfSegment returns the state that holds what a shift by one row sees, in a kernel of
// whole segments, which read it for these alone; nil if there is none.
func (g *body) lastOfSegment(shift *tile.Op) *loop.Var {
	if g.closing == 0 || g.summary {
		return nil
	}
	for _, op := range g.With((*tile.Op).SeesNeighbours) {
		if !op.IsHead() && op.Args[0] == shift.Args[0] && op.Args[1] != shift.Args[1] {
			return nil
		}
	}
	return g.lastState(shift.Args[0])
}

// beginCheck declares whether a row has failed.
func (g *body) beginCheck(op *tile.Op, _, _ *loop.Var) {
	if op.Domain != tile.Uniform {
		g.failed[op.Site] = g.b.Decl("failed", loop.False)
	}
}

// decidingKeys are the keys that make row 0 a head; another head may share them.
func (g *body) decidingKeys() map[tile.ID]bool {
	deciding := map[tile.ID]bool{}
	for i, op := range g.With((*tile.Op).IsHead) {
		if g.needed[i] {
			deciding[g.integerKey(op)] = true
		}
	}
	return deciding
}

// lastState returns the state that holds the key of the row before anyway,
// because a result of the segments is the key; nil if there is none.
func (g *body) lastState(key tile.ID) *loop.Var {
	for i, op := range g.With((*tile.Op).Cuts) {
		if op.Exclusive && op.Domain == 0 && g.needed[i] && g.KeepsLast(op) && op.Args[len(op.Args)-1] == key {
			return g.state[stateKey{i, len(op.Res) - 1}]
		}
	}
	return nil
}

// startState makes s, which is the key of the row before where there is one,
// differ from the key of row 0. A summary starts without the rows before.
func (g *body) startState(s *loop.Var, key tile.ID, differs bool, lo, hi *loop.Var) {
	if g.summary {
		g.b.If(loop.Gt(lo, loop.Int(0)), func() { g.b.Assign(s, g.at(key, loop.Sub(lo, loop.Int(1)))) }, nil)
	}
	if differs {
		g.b.If(loop.And(loop.Eq(lo, loop.Int(0)), loop.Lt(lo, hi)), func() {
			g.b.Note("row 0 begins a group: the key before it is set to one that differs")
			g.b.Assign(s, loop.Apply(ir.OpComplement, g.at(key, lo)))
		}, nil)
	}
}

// declareLast declares the value of the row before the range; before row 0 it
// is initial, unless atStart makes it something else.
func (g *body) declareLast(n neighbour, lo *loop.Var, initial loop.Expr, atStart func(*loop.Var)) {
	if g.last[n] != nil {
		return
	}
	last := g.b.Decl("last_"+g.name(n.value), initial)
	g.last[n] = last
	var otherwise func()
	if atStart != nil {
		otherwise = func() { atStart(last) }
	}
	g.b.If(loop.Gt(lo, loop.Int(0)), func() { g.b.Assign(last, g.at(n.value, loop.Sub(lo, loop.Int(1)))) }, otherwise)
}
