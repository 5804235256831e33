package gocpu

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// neededOps returns the operations of a range function.
func (k *kernel) neededOps(summary bool) []bool {
	needed := make([]bool, len(k.Ops))
	var need func(v tile.ID)
	mark := func(i int) {
		if needed[i] {
			return
		}
		needed[i] = true
		for _, arg := range k.Ops[i].Args {
			need(arg)
		}
		for d := k.Ops[i].Domain; d > 0; d = k.Domains[d].Parent {
			need(k.Domains[d].Guard)
		}
	}
	need = func(v tile.ID) {
		if v != 0 {
			mark(k.Values[v].Op)
		}
	}
	for i := range k.Ops {
		op := &k.Ops[i]
		switch {
		case op.Epilogue:
		case !summary:
			needed[i] = true
		case op.Kind == tile.Scan && k.analysis.Phase[i] == 0, op.Kind == tile.Reduce && k.analysis.Phase[i] == 0:
			mark(i)
		}
	}
	return needed
}

// parameters adds what the operations read: streams, scalars, lengths and the
// errors buffer. It returns the streams that need a view of the range's rows.
func (g *body) parameters(f *rangeFunc) (views []int) {
	element, whole := map[int]bool{}, map[int]bool{}
	refs := map[string]ir.Kind{}
	checks, halo := false, false
	for i := range g.Ops {
		op := &g.Ops[i]
		if !g.needed[i] || op.Epilogue {
			continue
		}
		switch op.Kind {
		case tile.Load:
			if len(op.Args) == 0 {
				element[op.Stream] = true
			} else {
				whole[op.Stream] = true
			}
		case tile.Store:
			if len(op.Args) == 1 {
				element[op.Stream] = true
			} else {
				whole[op.Stream] = true
			}
		case tile.Update:
			whole[op.Stream] = true
		case tile.ChunkScan:
			for _, s := range op.Totals {
				whole[s] = true
			}
		case tile.Scalar, tile.Length:
			refs[refKey(op)] = g.Values[op.Res[0]].Kind
		case tile.Check:
			checks = checks || op.Domain != tile.Uniform
		case tile.Shift:
			halo = halo || op.Distance < 0
			g.markLoads(op.Args[0], whole)
		case tile.Head:
			for _, key := range op.Args {
				g.markLoads(key, whole)
			}
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
	for i := range g.Ops { // in order, for the same text every time
		if op := &g.Ops[i]; (op.Kind == tile.Scalar || op.Kind == tile.Length) && g.needed[i] && g.scalars[refKey(op)] == nil {
			g.scalars[refKey(op)] = g.b.Param(op.Ref, loop.ScalarOf(refs[refKey(op)]))
			f.args = append(f.args, argument{stream: -1, scalar: refKey(op)})
		}
	}
	if halo {
		name := lengthKey(g.Domains[0].Plan)
		if g.scalars[name] == nil {
			g.scalars[name] = g.b.Param(g.Domains[0].Plan, loop.ScalarOf(ir.I64))
			f.args = append(f.args, argument{stream: -1, scalar: name})
		}
		g.length = loop.ToCounter(g.scalars[name])
	}
	if checks {
		g.errors = g.b.Param("failures", loop.SliceOf(loop.ScalarOf(ir.I64)))
		f.args = append(f.args, argument{stream: -1, scalar: errorsName})
	}
	return views
}

// markLoads marks the streams whose elements v is computed from.
func (k *kernel) markLoads(v tile.ID, streams map[int]bool) {
	op := &k.Ops[k.Values[v].Op]
	if op.Kind == tile.Load {
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
		if !g.needed[s.op] || !g.summary && !s.carried {
			continue
		}
		switch {
		case op.Kind == tile.ChunkScan: // each chunk assigns it
			g.state[s.stateKey] = g.b.Decl(s.name, loop.ConstOf(ir.Scalar{Kind: s.identity.Kind}))
		case g.summary:
			g.state[s.stateKey] = g.b.Decl(s.name, loop.ConstOf(s.identity))
			f.results = append(f.results, s)
		default:
			v := g.b.Param(s.name, loop.ScalarOf(s.identity.Kind))
			v.Changes = true
			g.state[s.stateKey] = v
			f.args = append(f.args, argument{stream: -1, state: &s})
			f.results = append(f.results, s)
		}
	}
	// Where groups are stored before the first row, their states must be known as values.
	for i := range g.Ops {
		if op := &g.Ops[i]; op.Kind == tile.Scan && g.needed[i] && op.Exclusive {
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
	for i := range g.Ops {
		op := &g.Ops[i]
		if !g.needed[i] || op.Epilogue || op.Domain != tile.Uniform || !isPure(op) {
			continue
		}
		if op.Kind == tile.Map || op.Kind == tile.Load {
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

// before declares what the rows hand on to each other besides states: the
// values of the row before the range, and whether a check has failed.
func (g *body) before(lo, hi *loop.Var) {
	deciding := g.decidingKeys()
	for i := range g.Ops {
		op := &g.Ops[i]
		if !g.needed[i] {
			continue
		}
		switch op.Kind {
		case tile.Head:
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
		case tile.Shift:
			if op.Distance == 1 {
				g.declareLast(neighbour{op.Args[0], op.Args[1]}, lo, g.expr(op.Args[1]), nil)
			}
		case tile.Check:
			if op.Domain != tile.Uniform {
				g.failed[op.Site] = g.b.Decl("failed", loop.False)
			}
		}
	}
}

// decidingKeys are the keys that make row 0 a head; another head may share them.
func (g *body) decidingKeys() map[tile.ID]bool {
	deciding := map[tile.ID]bool{}
	for i := range g.Ops {
		if op := &g.Ops[i]; op.Kind == tile.Head && g.needed[i] {
			deciding[g.integerKey(op)] = true
		}
	}
	return deciding
}

// lastState returns the state that holds the key of the row before anyway,
// because a result of the groups is the key; nil if there is none.
func (g *body) lastState(key tile.ID) *loop.Var {
	for i := range g.Ops {
		op := &g.Ops[i]
		if op.Kind == tile.Scan && op.Exclusive && op.Domain == 0 && g.needed[i] && g.KeepsLast(op) && op.Args[len(op.Args)-1] == key {
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
			g.b.Note("row 0 begins a group: before it stands a key that differs")
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
