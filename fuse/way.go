package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Some results can be made in one of two ways, and what is read at run time decides
// which is better. An Either stage stands where both ways end. It has no kernel: a
// column that it defines is the memory that the kernels of both ways write, and a scalar
// is that which they set. A stage that only one way needs runs under the condition of that way. Ways nest: one of two
// may divide again.

// way is one of two ways to make columns.
type way struct {
	condition *ir.Value // an i64 scalar; up to 0 is the second way
	second    bool
}

// ways are those to which a stage belongs, the outermost first; none if it always runs.
type ways []way

// and returns the ways to what belongs to one more.
func (w ways) and(inner way) ways { return append(w[:len(w):len(w)], inner) }

// common returns the ways to which both belong. An attempt is made where its way is taken, too, and
// where a later way needs it that others divide from the first.
func (w ways) common(other ways) ways {
	for i := range w {
		switch {
		case i == len(other):
			return w[:i]
		case w[i] == other[i]:
		case w[i] == other[i].attempt():
			return w[:i+1]
		case w[i].attempt() == other[i]:
			return other[:i+1]
		case !w[i].second && other[i+1:].tries(w[i].attempt()):
			return w[:i].and(w[i].attempt())
		case !other[i].second && w[i+1:].tries(other[i].attempt()):
			return w[:i].and(other[i].attempt())
		default:
			return w[:i:i].both(w[i:], other[i:])
		}
	}
	return w
}

// both adds those ways of a list that another one has, too, further in or out. Their conditions are found out in any case.
func (w ways) both(list, other ways) ways {
	for _, x := range list {
		if x.condition.By == nil && slices.Contains(other, x) {
			w = append(w, x)
		}
	}
	return w
}

// tries reports whether one of the ways has an attempt.
func (w ways) tries(attempt way) bool {
	return slices.ContainsFunc(w, func(x way) bool { return !x.second && x.attempt() == attempt })
}

// attempt returns the way to find out the condition of a first way that is only found out
// under another; else the way itself.
func (w way) attempt() way {
	if w.second || w.condition.By == nil {
		return w
	}
	return way{condition: w.condition.By}
}

// sources are the domains of whose rows those of a DomainEither are made, by way.
type sources [2]*ir.Domain

// either lowers a column that is made in one of two ways.
func (l *lowering) either(v *ir.Value) {
	s := l.shareAfter(nil, groupKey{kind: Either, domain: v.Type.Domain, place: v.Limit}, v, v.Operands()...)
	s.roots = append(s.roots, v)
	eachCondition(v.Limit, func(c, _ *ir.Value) { l.read(s, c, tile.Element, true) })
	for _, x := range v.Args {
		l.read(s, x, tile.Gather, true)
	}
	x, y := v.Args[0].Type, v.Args[1].Type
	l.eitherLength(s, v.Limit, v.Type.Domain, sources{x.Domain, y.Domain})
	l.eitherLength(s, v.Limit, v.Type.Target, sources{x.Target, y.Target})
	w := l.defineResult(s, v)
	for _, x := range v.Args {
		if fill := l.result(x).Fill; fill.Kind != ir.Invalid { // of a table
			w.Fill = fill
		}
	}
}

// eitherLength defines the length of d, if s is the first to meet it: rows are made of
// those of one of two domains.
func (l *lowering) eitherLength(s *Stage, condition *ir.Value, d *ir.Domain, from sources) {
	if d == nil || d.Kind != ir.DomainEither || from[0] == d || l.sources[d][0] != nil {
		return
	}
	l.sources[d], l.chosenBy[d] = from, condition
	for _, source := range from {
		if l.writer[key{kind: Lengths, of: source}] == nil {
			panic("fuse: nothing says how many rows " + l.DomainName(source) + " has")
		}
		l.length(s, source)
	}
	l.define(&Value{Kind: Lengths, Of: d, Name: l.DomainName(d) + "_length", Type: ir.I64}, s)
}

// findWays finds the ways to which stages belong: those to which all that needs them
// does. Rows are selected in any case if the condition is how many they are, and scalars
// that need no other stage cost nothing.
func (g *Graph) findWays() {
	isIdle := map[*Stage]bool{} // nothing needs what they write, so they belong where that is that they read
	for _, s := range slices.Backward(g.Stages) {
		if s.Kind == ScalarMap && len(s.before()) == 0 {
			continue
		}
		var found ways
		isNeeded := len(s.Writes) == 0
		for _, w := range s.Writes {
			if g.outputs[w] {
				found, isNeeded = nil, true
			}
			for _, reader := range g.readBy[w] {
				if isIdle[reader] {
					continue
				}
				needed := reader.ways
				if reader.Kind == Either {
					needed = g.neededFor(reader, w)
				}
				if isNeeded {
					needed = found.common(needed)
				}
				found, isNeeded = needed, true
			}
		}
		if i := slices.IndexFunc(found, func(w way) bool { return g.decides(s, w.condition) }); i >= 0 {
			of := found[i]
			if found = found[:i]; of != of.attempt() {
				found = found.and(of.attempt())
			}
		}
		isSize := slices.ContainsFunc(s.Writes, func(w *Value) bool { return w.Kind == Lengths }) // which memory may need
		s.ways, isIdle[s] = found, !isNeeded && !isSize
	}
	for _, s := range g.Stages {
		if isIdle[s] {
			s.ways = deepest(s.before())
		}
		g.computeEarly(s)
	}
}

// deepest returns the ways of that of some stages which belongs to most.
func deepest(stages []*Stage) (found ways) {
	for _, s := range stages {
		if len(s.ways) > len(found) {
			found = s.ways
		}
	}
	return found
}

// computeEarly computes scalars where those are computed from which alone they follow: that
// costs nothing, and a kernel of the way may need them to begin with.
func (g *Graph) computeEarly(s *Stage) {
	before := s.before()
	if s.Kind != ScalarMap || len(before) == 0 || slices.ContainsFunc(before, func(b *Stage) bool { return b.Kind != ScalarMap && b.Kind != Reduce }) {
		return
	}
	s.ways = deepest(before)
}

// decides reports whether a condition depends on how many rows s makes.
func (g *Graph) decides(s *Stage, condition *ir.Value) bool {
	length, by := g.writer[key{kind: Lengths, of: s.Out}], g.result(condition)
	return s.Out != nil && length != nil && by != nil && (length.Writer == by.Writer || g.Needs(by.Writer, length.Writer))
}

// neededFor returns the ways for which s, an Either stage, reads w: one of the two that
// it ends, unless it is both or their condition.
func (g *Graph) neededFor(s *Stage, w *Value) ways {
	ends := func(i int) bool { // a way
		return slices.ContainsFunc(s.roots, func(v *ir.Value) bool { return g.result(v.Args[i]) == w }) ||
			slices.ContainsFunc(s.Writes, func(made *Value) bool {
				return made.Kind == Lengths && g.writer[key{kind: Lengths, of: g.sources[made.Of][i]}] == w
			})
	}
	condition := s.roots[0].Limit
	isCondition, needed := false, s.ways
	eachCondition(condition, func(c, under *ir.Value) {
		switch {
		case w != g.result(c):
			return
		case c == condition && under != nil:
			needed = s.ways.and(way{condition: under})
		case under != nil && c == condition.By && !g.cores: // for the condition of this way alone; emitted Go would have memory for what it reads outside of both
			needed = s.ways.and(way{condition: under})
		case under != nil: // for the conditions of several ways, of which one may be in another
			needed = ways{way{condition: under}}
		}
		isCondition = true
	})
	first, second := ends(0), ends(1)
	if isCondition || first == second {
		return needed
	}
	return s.ways.and(way{condition, second})
}

// oneWay refuses to join stages that do not run under the same condition, or the end
// of two ways with anything.
func (b *kernelBuilder) oneWay(stages []*Stage) {
	first := stages[0]
	for _, s := range stages[1:] {
		switch {
		case s.Kind == Either || first.Kind == Either:
			b.refuse("what two ways make is read after the kernels of either")
		case !slices.Equal(s.ways, first.ways):
			b.refuse("%s and %s do not run under the same condition", first.Name, s.Name)
		}
	}
}

// madeHere returns the column that holds w for a kernel of one of the two ways to make w:
// that of its own way. The kernel may read it under its own name, too, and both names are of
// the same memory.
func (b *kernelBuilder) madeHere(w *Value) *Value {
	for w.Kind == Result && w.Writer != nil && w.Writer.Kind == Either {
		at := slices.IndexFunc(b.ways, func(of way) bool { return of.condition == w.IR.Limit })
		if at < 0 {
			break
		}
		made := w.IR.Args[0]
		if b.ways[at].second {
			made = w.IR.Args[1]
		}
		if made.Type.Domain != w.Domain {
			break
		}
		w = b.graph.result(made)
	}
	return w
}

// demandEither marks what the ways of an Either stage have to store.
func (m *planner) demandEither(s *Stage) {
	for _, w := range s.Writes {
		if !m.demanded[w] {
			continue
		}
		eachCondition(s.roots[0].Limit, func(c, _ *ir.Value) {
			if c.Op == ir.OpLen {
				m.demandLength(c.Args[0].Type.Domain)
			} else {
				m.demanded[m.result(c)] = true
			}
		})
		if w.Kind == Lengths {
			continue
		}
		for _, x := range w.IR.Args {
			made := m.result(x)
			if other := m.either[made]; other != nil && other != w {
				panic("fuse: " + made.Name + " would have to be " + other.Name + " and " + w.Name)
			}
			m.demanded[made] = true
			m.either[made] = w
		}
		if w.Domain != nil {
			m.demandLength(w.Domain)
		}
	}
	for _, w := range s.Writes {
		if w.Kind == Lengths && m.demanded[w] {
			for _, d := range m.sources[w.Of] {
				m.demandLength(d)
			}
		}
	}
}

// joinWays gives what one of two ways makes the memory of the result, or its name, and
// brings the kernels of each condition together, those of the first way first.
func (m *planner) joinWays(p *Program) {
	all := make([]int, len(p.Kernels))
	for i := range all {
		all[i] = i
	}
	var kernels []*tile.Kernel
	var groups [][]*Stage
	for _, i := range m.arranged(p.Groups, all, 0) {
		kernels, groups = append(kernels, p.Kernels[i]), append(groups, p.Groups[i])
	}
	p.Kernels, p.Groups = kernels, groups
	for _, k := range p.Kernels {
		for i := range k.Streams {
			for w := m.either[m.byName[k.Streams[i].Buffer]]; w != nil; w = m.either[w] {
				k.Streams[i].Buffer = w.Name
			}
		}
		for i := range k.Ops { // a scalar of the plan is both that a way makes and the result
			for w := m.either[m.byName[k.Ops[i].Ref]]; w != nil; w = m.either[w] {
				k.Ops[i].Ref = w.Name
			}
		}
	}
}

// arranged returns the order of a list of kernels that all belong to the same ways, so
// many as depth says, if to more. Kernels under a condition wait until one that is not
// needs them.
func (m *planner) arranged(groups [][]*Stage, list []int, depth int) (order []int) {
	waiting := map[*ir.Value][2][]int{} // kernels by their condition
	var take func(i int)
	run := func(condition *ir.Value) {
		branches, ok := waiting[condition]
		if !ok {
			return
		}
		delete(waiting, condition)
		for _, branch := range branches {
			for _, i := range m.arranged(groups, branch, depth+1) {
				take(i)
			}
		}
	}
	take = func(i int) {
		for _, v := range m.Pipeline.Values {
			branches := waiting[v]
			if slices.ContainsFunc(slices.Concat(branches[0], branches[1]), func(j int) bool { return m.needsAny(groups[i], groups[j]) }) {
				run(v)
			}
		}
		order = append(order, i)
	}
	for _, i := range list {
		if of := groups[i][0].ways; len(of) > depth {
			w := of[depth]
			branches := waiting[w.condition]
			at := 0
			if w.second {
				at = 1
			}
			branches[at] = append(branches[at], i)
			waiting[w.condition] = branches
			continue
		}
		take(i)
	}
	for _, v := range m.Pipeline.Values {
		run(v)
	}
	return order
}

// branch is one of the branches of a test of a condition.
type branch struct {
	test   int
	second bool
}

// findScopes finds the branches in which each buffer is used: those that have all kernels
// that use it, or where two ways end that make it. What kernels use under more than one
// test of a condition is outside of that: what both ways make, the memory of several sorts,
// and what one way reads again after both have made something else.
func (m *planner) findScopes(p *Program) {
	var last []branch // of the kernel before
	tests := 0
	for i, k := range p.Kernels {
		now := make([]branch, len(p.Groups[i][0].ways))
		isSame := i > 0 // as before, up to here
		for depth, w := range p.Groups[i][0].ways {
			isSame = isSame && depth < len(last) && w.condition == p.Groups[i-1][0].ways[depth].condition
			if isSame {
				now[depth].test = last[depth].test
			} else {
				tests++
				now[depth].test = tests
			}
			now[depth].second = w.second
			isSame = isSame && now[depth] == last[depth]
		}
		for _, s := range k.Streams {
			m.use(s.Buffer, now)
		}
		last = now
	}
}

// use notes that a kernel in some branches uses a buffer.
func (m *planner) use(buffer string, in []branch) {
	scope, isUsed := m.scopes[buffer]
	if !isUsed {
		scope = in
		if w := m.byName[buffer].Writer; w != nil && w.Kind == Either {
			scope = in[:min(len(in), len(w.ways))]
		}
	}
	n := 0
	for n < len(scope) && n < len(in) && scope[n] == in[n] {
		n++
	}
	m.scopes[buffer] = scope[:n]
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
	for depth, w := range stages[0].ways {
		if depth == len(m.choices) || m.choices[depth].condition != w.condition {
			m.choices = m.choices[:depth]
			step := &plan.If{Cond: plan.Lt(plan.Const(0), m.condition(w.condition))}
			list := m.stepsAt(depth)
			*list = append(*list, plan.Step{If: step})
			m.choices = append(m.choices, choice{w, step})
		}
		if m.choices[depth].way != w {
			m.choices = m.choices[:depth+1]
			m.choices[depth].way = w
		}
	}
	m.choices = m.choices[:len(stages[0].ways)]
	return m.stepsAt(len(m.choices))
}

// choice is a step of which a branch is being written.
type choice struct {
	way
	step *plan.If
}

// stepsAt returns the list of steps that is so deep in the branches being written.
func (m *planner) stepsAt(depth int) *[]plan.Step {
	if depth == 0 {
		return &m.out.Steps
	}
	c := m.choices[depth-1]
	if c.second {
		return &c.step.Else
	}
	return &c.step.Then
}
