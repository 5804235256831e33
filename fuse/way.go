package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Some results can be made in one of two ways, and what is read at run time decides
// which is better. An Either stage stands where both ways end. It has no kernel: a
// column that it defines is the memory that the kernels of both ways write. A stage
// that only one way needs runs under the condition of that way.

// way is one of two ways to make columns.
type way struct {
	condition *ir.Value // an i64 scalar; 0 is the second way
	second    bool
}

// sources are the domains of whose rows those of a DomainEither are made, by way.
type sources [2]*ir.Domain

// either lowers a column that is made in one of two ways.
func (l *lowering) either(v *ir.Value) {
	s := l.shareAfter(nil, groupKey{kind: Either, domain: v.Type.Domain, place: v.Limit}, v, v.Operands()...)
	s.roots = append(s.roots, v)
	l.read(s, v.Limit, tile.Element, true)
	for _, x := range v.Args {
		l.read(s, x, tile.Gather, true)
	}
	x, y := v.Args[0].Type, v.Args[1].Type
	l.eitherLength(s, v.Type.Domain, sources{x.Domain, y.Domain})
	l.eitherLength(s, v.Type.Target, sources{x.Target, y.Target})
	w := l.defineResult(s, v)
	for _, x := range v.Args {
		if fill := l.result(x).Fill; fill.Kind != ir.Invalid { // of a table
			w.Fill = fill
		}
	}
}

// eitherLength defines the length of d, if s is the first to meet it: rows are made of
// those of one of two domains.
func (l *lowering) eitherLength(s *Stage, d *ir.Domain, from sources) {
	if d == nil || d.Kind != ir.DomainEither || from[0] == d || l.sources[d][0] != nil {
		return
	}
	l.sources[d] = from
	for _, source := range from {
		if l.writer[key{kind: Lengths, of: source}] == nil {
			panic("fuse: nothing says how many rows " + l.DomainName(source) + " has")
		}
		l.length(s, source)
	}
	l.define(&Value{Kind: Lengths, Of: d, Name: l.DomainName(d) + "_length", Type: ir.I64}, s)
}

// findWays finds the stages that only one way needs. Rows are selected in any case if
// the condition is how many they are.
func (g *Graph) findWays() {
	for _, s := range slices.Backward(g.Stages) {
		if s.Kind == Either {
			continue
		}
		var found *way
		always := false
		for _, w := range s.Writes {
			always = always || g.outputs[w]
			for _, reader := range g.readBy[w] {
				needed := reader.way
				if reader.Kind == Either {
					needed = g.neededFor(reader, w)
				}
				if needed == nil || found != nil && *found != *needed {
					always = true
				}
				found = needed
			}
		}
		if !always && found != nil && !g.decides(s, found.condition) {
			s.way = found
		}
	}
}

// decides reports whether a condition depends on how many rows s makes.
func (g *Graph) decides(s *Stage, condition *ir.Value) bool {
	length := g.writer[key{kind: Lengths, of: s.Out}]
	return s.Out != nil && length != nil && (length.Writer == g.result(condition).Writer || g.Needs(g.result(condition).Writer, length.Writer))
}

// neededFor returns the way for which s, an Either stage, reads w; nil if it is both
// or their condition.
func (g *Graph) neededFor(s *Stage, w *Value) *way {
	ends := func(i int) bool { // a way
		return slices.ContainsFunc(s.roots, func(v *ir.Value) bool { return g.result(v.Args[i]) == w }) ||
			slices.ContainsFunc(s.Writes, func(made *Value) bool {
				return made.Kind == Lengths && g.writer[key{kind: Lengths, of: g.sources[made.Of][i]}] == w
			})
	}
	first, second := ends(0), ends(1)
	if first == second {
		return nil
	}
	return &way{s.roots[0].Limit, second}
}

// oneWay refuses to join stages that do not run under the same condition, or the end
// of two ways with anything.
func (b *kernelBuilder) oneWay(stages []*Stage) {
	first := stages[0]
	for _, s := range stages[1:] {
		switch {
		case s.Kind == Either || first.Kind == Either:
			b.refuse("what two ways make is read after the kernels of either")
		case (s.way == nil) != (first.way == nil) || s.way != nil && *s.way != *first.way:
			b.refuse("%s and %s do not run under the same condition", first.Name, s.Name)
		}
	}
}

// demandEither marks what the ways of an Either stage have to store.
func (m *planner) demandEither(s *Stage) {
	for _, w := range s.Writes {
		if !m.demanded[w] {
			continue
		}
		m.demanded[m.result(s.roots[0].Limit)] = true
		if w.Kind == Lengths {
			continue
		}
		for _, x := range w.IR.Args {
			made := m.result(x)
			m.demanded[made] = true
			m.either[made] = w
		}
		m.demandLength(w.Domain)
	}
	for _, w := range s.Writes {
		if w.Kind == Lengths && m.demanded[w] {
			for _, d := range m.sources[w.Of] {
				m.demandLength(d)
			}
		}
	}
}

// joinWays gives the columns that one of two ways makes the memory of the result, and
// brings the kernels of each condition together, those of the first way first.
func (m *planner) joinWays(p *Program) {
	var kernels []*tile.Kernel
	var groups [][]*Stage
	waiting := map[*ir.Value][2][]int{} // kernels by their condition
	var take func(i int)
	run := func(condition *ir.Value) {
		ways := waiting[condition]
		delete(waiting, condition)
		for _, i := range slices.Concat(ways[0], ways[1]) {
			take(i)
		}
	}
	take = func(i int) {
		for _, v := range m.Pipeline.Values {
			ways := waiting[v]
			if slices.ContainsFunc(slices.Concat(ways[0], ways[1]), func(j int) bool { return m.needsAny(p.Groups[i], p.Groups[j]) }) {
				run(v)
			}
		}
		kernels, groups = append(kernels, p.Kernels[i]), append(groups, p.Groups[i])
	}
	for i, group := range p.Groups {
		if w := group[0].way; w != nil {
			ways := waiting[w.condition]
			at := 0
			if w.second {
				at = 1
			}
			ways[at] = append(ways[at], i)
			waiting[w.condition] = ways
			continue
		}
		take(i)
	}
	for _, v := range m.Pipeline.Values {
		run(v)
	}
	p.Kernels, p.Groups = kernels, groups
	for _, k := range p.Kernels {
		for i := range k.Streams {
			if w := m.either[m.byName[k.Streams[i].Buffer]]; w != nil {
				k.Streams[i].Buffer = w.Name
			}
		}
	}
}

// findShared finds the buffers that kernels use under more than one test of a
// condition: what both ways make, the memory of several sorts, and what one way reads
// again after both have made something else.
func (m *planner) findShared(p *Program) {
	test, usedAt := 0, map[string]int{}
	for i, k := range p.Kernels {
		w := p.Groups[i][0].way
		if i > 0 && (w == nil || p.Groups[i-1][0].way == nil || w.condition != p.Groups[i-1][0].way.condition) {
			test++
		}
		for _, s := range k.Streams {
			at, used := usedAt[s.Buffer]
			m.isShared[s.Buffer] = m.isShared[s.Buffer] || used && at != test || m.byName[s.Buffer].Writer != nil && m.byName[s.Buffer].Writer.Kind == Either
			usedAt[s.Buffer] = test
		}
	}
}

// needsAny reports whether a stage of group needs one of others.
func (g *Graph) needsAny(group, others []*Stage) bool {
	return slices.ContainsFunc(group, func(s *Stage) bool {
		return slices.ContainsFunc(others, func(t *Stage) bool { return g.Needs(s, t) })
	})
}

// stepsOf returns the list to which the steps of a kernel of some stages belong. The
// kernels of both ways of a condition are neighbours.
func (m *planner) stepsOf(stages []*Stage) *[]plan.Step {
	w := stages[0].way
	if w == nil {
		m.choice, m.choiceOf = nil, nil
		return &m.out.Steps
	}
	if m.choiceOf != w.condition {
		m.choice, m.choiceOf = &plan.If{Cond: plan.Lt(plan.Const(0), plan.Var(m.result(w.condition).Name))}, w.condition
		m.out.Steps = append(m.out.Steps, plan.Step{If: m.choice})
	}
	if w.second {
		return &m.choice.Else
	}
	return &m.choice.Then
}
