package fuse

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Program is a fused pipeline as back ends take it: the host program, and the
// tile program of each of its kernels. Tile programs have a type that is internal
// to this module.
type Program struct {
	Fusion  *Fusion
	Plan    *plan.Plan
	Kernels []*tile.Kernel // of Plan.Kernels, in the same order
	Groups  [][]*Stage     // their stages; groups of the Fusion that nothing needs are gone
}

// Program returns the plan of f and its kernels. It works backwards from the
// results: a kernel stores only values that a later kernel loads, and a kernel that
// nothing needs is dropped.
func (f *Fusion) Program() (*Program, error) {
	p := &Program{Fusion: f}
	m := &planner{Graph: f.Graph, demanded: map[*Value]bool{}, domains: map[*ir.Domain]bool{}, either: map[*Value]*Value{}, scopes: map[string][]branch{}}
	for _, w := range f.Graph.Values {
		m.demanded[w] = f.Graph.outputs[w] && !(w.Kind == Lengths && m.plannedLimit(w.Of) != nil)
	}
	for _, s := range f.Graph.Pipeline.Sites {
		if s.Kind == ir.CheckAlignLength {
			m.demandLength(s.Value.Args[0].Type.Domain)
			m.demandLength(s.Value.Type.Domain)
		}
	}
	for _, r := range f.Graph.Pipeline.Results {
		if d := r.Value.Type.Domain; d != nil && d.Kind == ir.DomainOrder {
			m.demandLength(d)
		}
	}
	for i := len(f.Groups) - 1; i >= 0; i-- {
		name, group := fmt.Sprintf("%s_kernel%d", f.Graph.Pipeline.Name, i+1), f.Groups[i]
		build := func() (*tile.Kernel, error) {
			return f.Graph.build(name, group, func(w *Value) bool { return m.demanded[w] }, f.Level == LevelAuto)
		}
		k, err := build()
		if err != nil {
			return nil, err
		}
		if s := group[0]; s.Kind == Either {
			m.demandEither(s)
		}
		if !k.Has((*tile.Op).HasEffect) {
			continue
		}
		if !k.Has(func(op *tile.Op) bool { return op.Domain != tile.Uniform }) { // rows are not needed
			group = slices.DeleteFunc(slices.Clone(group), func(s *Stage) bool { return s.Domain != nil })
			if k, err = build(); err != nil {
				return nil, err
			}
		}
		m.demand(k, group)
		p.Kernels = append(p.Kernels, k)
		p.Groups = append(p.Groups, group)
	}
	slices.Reverse(p.Kernels)
	slices.Reverse(p.Groups)
	m.joinWays(p)
	for i, k := range p.Kernels {
		k.Name = fmt.Sprintf("%s_kernel%d", f.Graph.Pipeline.Name, i+1)
	}
	m.errors = "errors"
	for f.Graph.byName[m.errors] != nil {
		m.errors += "_"
	}
	m.reuse(p)
	m.findScopes(p)
	p.Plan = m.plan(f.Level, p)
	return p, nil
}

// planner assembles a plan.
type planner struct {
	*Graph
	demanded map[*Value]bool
	domains  map[*ir.Domain]bool // those whose length the plan must know
	errors   string              // the buffer of failed rows
	out      *plan.Plan

	either     map[*Value]*Value   // by what one of two ways makes: the result, which lies in the same memory
	scopes     map[string][]branch // in which buffers are used
	sizedByWay []sized
	choices    []choice // in which the last kernel stands
}

// made returns the names of the domains whose rows or length the kernel of some
// stages makes. Before its launch only a bound of their length is known.
func (m *planner) made(k *tile.Kernel, stages []*Stage) map[string]bool {
	made := map[string]bool{}
	for _, d := range k.Domains[1:] {
		made[d.Plan] = true
	}
	for _, s := range stages {
		if s.Kind == Offset && s.prefix.Of != nil {
			made[m.DomainName(s.prefix.Of)] = true
		}
	}
	return made
}

// isMade reports whether a kernel makes the rows of d, or those of which d has words or every so many.
func (m *planner) isMade(made map[string]bool, d *ir.Domain) bool {
	return made[m.DomainName(d)] || (d.Kind == ir.DomainWords || d.Kind == ir.DomainEvery) && m.isMade(made, d.Parent)
}

// demand marks what k, the kernel of some stages, reads.
func (m *planner) demand(k *tile.Kernel, stages []*Stage) {
	made := m.made(k, stages)
	if of := turnOf(stages).of; of != nil {
		for _, scalar := range of.known() {
			m.demanded[m.result(scalar)] = true
		}
	}
	for _, s := range k.Streams {
		w := m.byName[s.Buffer]
		if !s.Write {
			m.demanded[w] = true
			continue
		}
		if !m.isMade(made, w.Domain) {
			m.demandLength(w.Domain)
		}
	}
	for _, op := range k.Ops {
		switch op.Kind {
		case tile.Scalar:
			if w := m.byName[op.Ref]; w != nil {
				m.demanded[w] = true
			}
		case tile.Length, tile.Update:
			for d, name := range m.domainNames {
				if name == op.Ref || name == op.Bins {
					m.demandLength(d)
				}
			}
		}
	}
	for d, name := range m.domainNames {
		if base := k.Domains[0].Plan; base == name || base == name+"_chunks" {
			m.demandLength(d)
		}
	}
}

func (m *planner) demandLength(d *ir.Domain) {
	m.domains[d] = true
	if m.plannedLimit(d) != nil {
		m.demandLength(d.Parent)
	} else if w := m.writer[key{kind: Lengths, of: d}]; w != nil {
		m.demanded[w] = true
	} else if d.Kind == ir.DomainOrder || d.Kind == ir.DomainWords || d.Kind == ir.DomainEvery {
		m.demandLength(d.Parent)
	}
}

// plan writes down ports, domains, buffers, kernels and steps.
func (m *planner) plan(level string, p *Program) *plan.Plan {
	m.out = &plan.Plan{Version: plan.Version, Pipeline: m.Pipeline.Name, Level: level}
	for _, d := range m.Pipeline.Domains {
		if d.Kind == ir.DomainParam {
			m.domains[d] = true
		}
	}
	for _, r := range m.Pipeline.Results {
		if d := r.Value.Type.Domain; d != nil {
			m.domains[d] = true
		}
	}
	for _, s := range m.Pipeline.Sites {
		if s.Domain != nil {
			m.domains[s.Domain] = true
		}
	}
	for _, d := range m.Pipeline.Domains {
		if m.domains[d] {
			m.out.Domains = append(m.out.Domains, m.domain(d))
		}
	}
	m.parameters()
	m.steps(p)
	m.results()
	for _, s := range m.Pipeline.Sites[:m.sites()] {
		site := plan.Site{Number: s.Number, Position: s.Pos.Base().String(),
			Kind: strconv.Itoa(int(s.Kind)), Message: s.Message}
		if s.Domain != nil {
			site.Domain = m.DomainName(s.Domain)
		}
		if s.Kind == ir.CheckAlignLength { // lengths are known to the host
			x, y := plan.Len(m.DomainName(s.Value.Args[0].Type.Domain)), plan.Len(m.DomainName(s.Value.Type.Domain))
			site.When = plan.Lt(plan.Const(0), plan.Max(plan.Sub(x, y), plan.Sub(y, x)))
		}
		m.out.Sites = append(m.out.Sites, site)
	}
	return m.out
}

// domain describes d. If nothing needs its length but only its bound, Len is the bound.
func (m *planner) domain(d *ir.Domain) plan.Domain {
	out := plan.Domain{Name: m.DomainName(d), Ordered: d.Ordered()}
	if d.Kind == ir.DomainParam {
		return out
	}
	out.Bound = m.bound(d)
	switch w := m.writer[key{kind: Lengths, of: d}]; {
	case m.plannedLimit(d) != nil:
		out.Len = plan.Min(plan.Max(m.condition(m.plannedLimit(d)), plan.Const(0)), plan.Len(m.DomainName(d.Parent)))
	case d.Kind == ir.DomainEither && m.domains[d]:
		from := m.sources[d]
		first, second := plan.Len(m.DomainName(from[0])), plan.Len(m.DomainName(from[1]))
		if m.isTable(from[0]) && m.room(from[0]).String() != m.room(from[1]).String() { // both tables have a length, whichever is made
			isSecond := m.isSecond(d)
			out.Len = plan.Add(plan.Mul(first, plan.Sub(plan.Const(1), isSecond)), plan.Mul(second, isSecond))
			break
		}
		out.Len = plan.Max(first, second) // the length of the one that is not made is 0
	case w != nil && m.demanded[w]:
		out.Len = plan.Var(w.Name)
	case d.Kind == ir.DomainWords:
		out.Len = plan.Mul(plan.Len(m.DomainName(d.Parent)), plan.Const(int64(d.Width)))
	case d.Kind == ir.DomainEvery:
		out.Len = plan.CeilDiv(plan.Len(m.DomainName(d.Parent)), plan.Const(int64(d.Width)))
	case d.Kind == ir.DomainOrder && m.domains[d]:
		out.Len = plan.Len(m.DomainName(d.Parent))
	default:
		out.Len = out.Bound
	}
	return out
}

// maxBound is the greatest bound of a length that says more than that it is a number.
const maxBound = 1 << 16

// mostRows returns how many rows d has at most, where its length is computed and types and
// operators tell a small bound.
func (g *Graph) mostRows(d *ir.Domain) (most int64, ok bool) {
	if !isSized(d) || g.writer[key{kind: Lengths, of: d}] == nil {
		return 0, false
	}
	least, most, ok := g.Pipeline.Range(d.By.Args[1])
	return most, ok && least >= 0 && most <= maxBound
}

// bound returns an expression that the length of d never exceeds.
func (m *planner) bound(d *ir.Domain) plan.Expr {
	switch d.Kind {
	case ir.DomainParam:
		return plan.Len(m.DomainName(d))
	case ir.DomainEither:
		first, second := m.bound(m.sources[d][0]), m.bound(m.sources[d][1])
		if first.String() == second.String() {
			return first
		}
		return plan.Max(first, second)
	case ir.DomainWords:
		return plan.Mul(m.bound(d.Parent), plan.Const(int64(d.Width)))
	case ir.DomainEvery:
		return plan.CeilDiv(m.bound(d.Parent), plan.Const(int64(d.Width)))
	case ir.DomainBins, ir.DomainRepeat, ir.DomainJoin:
		size, w := d.By.Args[1], m.writer[key{kind: Lengths, of: d}]
		if w == nil {
			return m.condition(size)
		}
		if most, ok := m.mostRows(d); ok {
			return plan.Const(most)
		}
		if isBounded(d) {
			return m.bound(d.Parent)
		}
		return plan.Var(w.Name)
	case ir.DomainMask:
		if d.Room > 0 {
			return plan.Min(m.bound(d.Parent), plan.Const(d.Room))
		}
	}
	return m.bound(d.Parent)
}

func (m *planner) parameters() {
	for i, v := range m.Pipeline.Params {
		port := plan.Port{Name: v.Name, Direction: plan.In, Kind: plan.Kind(m.declared.Params[i].Type.Kind.String())}
		if v.Literal != nil {
			port.Text = plan.Literal(strconv.Quote(*v.Literal))
		}
		if v.Type.Domain != nil {
			port.Domain, port.Buffer = m.DomainName(v.Type.Domain), v.Name
			m.out.Buffers = append(m.out.Buffers, plan.Buffer{Name: v.Name, Kind: port.Kind.Stored(), Role: plan.Input})
		} else {
			port.Scalar = v.Name
			if v.Const.Kind != ir.Invalid && v.Const.Kind != ir.Text {
				port.Default = literal(v.Const)
			}
			m.out.Scalars = append(m.out.Scalars, plan.Scalar{Name: v.Name, Kind: port.Kind.Stored()})
		}
		m.out.Ports = append(m.out.Ports, port)
	}
}

func (m *planner) results() {
	for i, r := range m.Pipeline.Results {
		port := plan.Port{Name: r.Label, Direction: plan.Out, Kind: plan.Kind(m.declared.Results[i].Value.Type.Kind.String())}
		name := r.Value.Name
		if w := m.result(r.Value); w != nil {
			name = w.Name
		}
		switch {
		case r.Value.Type.Domain != nil:
			port.Domain, port.Buffer = m.DomainName(r.Value.Type.Domain), name
		case r.Value.Op == ir.OpConst:
			port.Scalar = "constant_" + r.Label
			m.out.Scalars = append(m.out.Scalars, plan.Scalar{Name: port.Scalar, Kind: port.Kind.Stored(), Init: literal(r.Value.Const)})
		default:
			port.Scalar = name
		}
		if depth := m.depth(r.Value, map[*ir.Value]bool{}); r.Value.Type.Kind.IsFloat() && !depth.IsZero() {
			port.Depth = depth
		}
		m.out.Ports = append(m.out.Ports, port)
	}
}

// depth bounds the chain of float additions behind v: one per row of each
// domain that is summed or scanned on the way; none where v is exact.
func (m *planner) depth(v *ir.Value, seen map[*ir.Value]bool) plan.Expr {
	var total plan.Expr
	add := func(e plan.Expr) {
		switch {
		case e.IsZero():
		case total.IsZero():
			total = e
		default:
			total = plan.Add(total, e)
		}
	}
	if seen[v] || !m.Pipeline.Inexact(v) {
		return total
	}
	seen[v] = true
	for _, o := range v.Operands() {
		add(m.depth(o, seen))
	}
	if v.FloatFold() != ir.ReduceNone && !m.Pipeline.IsReproducible(v) {
		rows := v.Args[0].Type.Domain
		if rows == nil {
			rows = v.By.Type.Domain
		}
		add(m.bound(rows))
	}
	return total
}

// sites returns how many checks there are. Behind them are those that two ways make.
func (m *planner) sites() (n int) {
	for _, s := range m.Pipeline.Sites {
		n = max(n, s.Number+1)
	}
	return n
}

// steps allocates each kernel's outputs and launches it.
func (m *planner) steps(p *Program) {
	step := func(s plan.Step) { m.out.Steps = append(m.out.Steps, s) }
	if n := m.sites(); n > 0 {
		m.out.Buffers = append(m.out.Buffers, plan.Buffer{Name: m.errors, Kind: plan.I64, Length: plan.Const(int64(n)), Role: plan.Errors})
		step(plan.Step{Alloc: &plan.Alloc{Buffer: m.errors}})
		step(plan.Step{Init: &plan.Init{Buffer: m.errors}})
	}
	shared, moved := sharing{}, map[series][][]string{}
	allocated := map[*Value]bool{}
	for i, k := range p.Kernels {
		made := m.made(k, p.Groups[i])
		list := m.stepsOf(p.Groups[i])
		step := func(s plan.Step) { *list = append(*list, s) }
		for _, s := range k.Streams {
			if !s.Write {
				continue
			}
			w := m.byName[s.Buffer]
			isNew := !allocated[w]
			if isNew {
				allocated[w] = true
				m.addBuffer(p.Groups[i], w, m.isMade(made, w.Domain))
			}
			if s.Access == tile.Scatter && (isNew || w.Writer.Kind == Either) { // the other way may have left something there
				step(plan.Step{Init: &plan.Init{Buffer: w.Name}})
			}
		}
		for _, op := range k.Ops {
			if op.Kind == tile.StoreScalar {
				kind := k.Values[op.Args[0]].Kind
				scalar := plan.Scalar{Name: op.Ref, Kind: plan.Kind(kind.String())}
				if len(p.Groups[i][0].ways) > 0 {
					scalar.Init = literal(ir.Scalar{Kind: kind})
				}
				isKnown := slices.ContainsFunc(m.out.Scalars, func(s plan.Scalar) bool { return s.Name == op.Ref }) // the other way's
				if !isKnown {
					m.out.Scalars = append(m.out.Scalars, scalar)
				}
			}
		}
		kernel := plan.Kernel{Name: k.Name, Stages: names(p.Groups[i]), Variants: []plan.Variant{{Entry: k.Name}}}
		launch := plan.Launch{Kernel: k.Name, Rows: m.rows(k)}
		if pass, turn := passOf(p.Groups[i]), turnOf(p.Groups[i]); pass != nil || turn.of != nil {
			m.addScalars(m.digitShift, m.digitNumber)
			kernel.Variants[0].Args = argumentsOf(k)
			launch.Kernel, launch.Bind = shared.kernel(k)
			m.out.Kernels = append(m.out.Kernels, kernel)
			others := func(group []*Stage) bool { return turn.of == nil || turnOf(group).of != turn.of }
			isEnd := pass != nil && m.isLastPass(pass) && slices.ContainsFunc(p.Groups[i+1:], others)
			if turn.of != nil {
				*list = append(*list, m.turnSteps(turn, k, launch, moved, isEnd)...)
				continue
			}
			digit := pass.Shift / int64(pass.Split)
			*list = append(*list, m.passSteps(plan.Const(pass.Shift), plan.Const(digit), launch)...)
			if isEnd {
				step(unmoved)
			}
			continue
		}
		m.out.Kernels = append(m.out.Kernels, kernel)
		step(plan.Step{Launch: &launch})
	}
	m.allocateByWay(p)
	step(plan.Step{CheckErrors: &plan.CheckErrors{}})
	step(plan.Step{Return: &plan.Return{}})
}

// rows returns how many rows a launch of k spans.
func (m *planner) rows(k *tile.Kernel) plan.Expr {
	base := k.Domains[0].Plan
	if base == "" {
		return plan.Const(1)
	}
	for _, name := range m.domainNames {
		if base == name+"_chunks" {
			return plan.CeilDiv(plan.Len(name), plan.Const(ChunkRows))
		}
	}
	return plan.Len(base)
}
