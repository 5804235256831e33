package fuse

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// ChunkRows is the length of the chunks that a partial scan works in where its
// stages do not share a kernel: large enough that the chunks' totals are few.
const ChunkRows = 4096

// Reason is the error of [Graph.Build]: why stages cannot share a kernel.
type Reason struct{ Text string }

// Error returns the text of r.
func (r *Reason) Error() string { return r.Text }

// kernelBuilder builds the tile program of a set of stages. Legality is what
// it can build: a request that it cannot meet within one pass over the base
// rows raises a *Reason, which Build returns.
type kernelBuilder struct {
	*tile.Builder
	graph   *Graph
	in      map[*Stage]bool
	ways    ways // to which its stages belong
	base    *ir.Domain
	domains map[*ir.Domain]int
	columns map[*ir.Value]tile.ID
	scalars [2]map[*ir.Value]tile.ID // before the rows, and after them
	built   map[*Value]tile.ID       // values between stages that are no results
	again   bool                     // what is cheap is computed again, in place of being loaded

	ranked   *ir.Value       // by whose digit rows move
	edgeRows map[edgeKey]int // domains of first and last rows of segments
}

// Build returns the tile program of a kernel that runs a set of stages and stores
// the values for which demanded returns true, or the [*Reason] why no such kernel
// exists. A tile program is internal to this module: package backends passes it
// to emitters, and programs outside the module can only test for the reason.
func (g *Graph) Build(name string, stages []*Stage, demanded func(*Value) bool) (k *tile.Kernel, reason error) {
	return g.build(name, stages, demanded, false)
}

// build is Build. With again, the kernel computes cheap columns of other kernels itself,
// as computesAgain says.
func (g *Graph) build(name string, stages []*Stage, demanded func(*Value) bool, again bool) (k *tile.Kernel, reason error) {
	b := &kernelBuilder{graph: g, in: map[*Stage]bool{}, domains: map[*ir.Domain]int{}, columns: map[*ir.Value]tile.ID{},
		scalars: [2]map[*ir.Value]tile.ID{{}, {}}, built: map[*Value]tile.ID{}, again: again, edgeRows: map[edgeKey]int{}}
	for _, s := range stages {
		b.in[s] = true
	}
	defer func() {
		if r := recover(); r != nil {
			illegal, ok := r.(*Reason)
			if !ok {
				panic(r)
			}
			k, reason = nil, illegal
		}
	}()
	b.oneWay(stages)
	b.ways = stages[0].ways
	if stages[0].Kind == Either {
		return tile.NewBuilder(name, "", "scalars").Finish(), nil
	}
	b.oneTurn(stages)
	b.start(name, stages)
	for _, s := range stages {
		b.Stage, b.Pos = s.Name, s.Pos
		b.stage(s, demanded)
	}
	b.Kernel.Stages = names(stages)
	k = b.Finish()
	b.movesOnly(k)
	if g.keptAtOnce {
		k = k.KeptAtOnce()
	}
	return k, nil
}

func names(stages []*Stage) []string {
	list := make([]string, len(stages))
	for i, s := range stages {
		list[i] = s.Name
	}
	return list
}

// refuse ends the build with a reason.
func (b *kernelBuilder) refuse(format string, args ...any) {
	panic(&Reason{fmt.Sprintf(format, args...)})
}

// start finds the domain that the kernel is based on: the one from which the
// stages in it derive all others.
func (b *kernelBuilder) start(name string, stages []*Stage) {
	derived := map[*ir.Domain]bool{}
	for _, s := range stages {
		if s.Out != nil {
			derived[s.Out] = true
		}
	}
	var base *Stage
	for _, s := range stages {
		if s.Domain == nil || derived[s.Domain] {
			continue
		}
		if base != nil && base.Domain != s.Domain {
			b.readsTables(s)
			b.refuse("%s runs over %s and %s over %s: neither set of rows is made from the other here",
				base.Name, b.graph.DomainName(base.Domain), s.Name, b.graph.DomainName(s.Domain))
		}
		base = s
	}
	if base == nil {
		if len(derived) > 0 {
			b.refuse("no stage here runs over complete rows")
		}
		b.Builder = tile.NewBuilder(name, "", "scalars")
		return
	}
	b.base = base.Domain
	if w := b.graph.writer[key{kind: Lengths, of: b.base}]; w != nil && b.in[w.Writer] {
		b.refuse("%s runs over as many rows as %s computes, and their number is known only after it", base.Name, w.Writer.Name)
	}
	domain := b.graph.DomainName(b.base)
	if base.Kind == Offset && len(stages) == 1 {
		domain += "_chunks"
	}
	b.Builder = tile.NewBuilder(name, domain, domain)
	b.Kernel.Chunk = ChunkRows
	b.domains[b.base] = 0
}

// readsTables refuses to read tables beside the rows that fill them.
func (b *kernelBuilder) readsTables(s *Stage) {
	for _, use := range s.Reads {
		if w := use.Value.Writer; w != nil && w.Kind == Aggregate && w.Out == nil {
			b.filled(use.Value)
		}
	}
}

// stage stores what others need of s, and makes its checks.
func (b *kernelBuilder) stage(s *Stage, demanded func(*Value) bool) {
	switch s.Kind {
	case Partial:
		if !b.in[s.prefix.Add] {
			b.chunkScan(s.prefix, demanded)
		}
		return
	case Offset:
		b.offset(s.prefix, demanded)
		return
	case Add:
		b.row(s.Domain) // the rows must be streamed even if nothing is stored
	}
	for _, v := range s.roots {
		if s.Kind != Reduce && s.Kind != ScalarMap && s.Kind != Pass && s.Kind != Insert && s.Kind != Nested && (s.Kind != Aggregate || s.Out != nil) && b.graph.hasChecks(v) {
			b.column(v)
		}
	}
	for _, w := range s.Writes {
		switch {
		case demanded(w):
			b.store(s, w)
		case w.Domain == nil && len(b.sitesOf(w)) > 0:
			b.scalarOf(w) // for its checks
		}
	}
}

// sitesOf returns the checks that computing w makes.
func (b *kernelBuilder) sitesOf(w *Value) []ir.Site {
	if w.Kind == Result {
		return b.graph.sites[w.IR]
	}
	if w.Kind == Lengths && isComputed(w.Of) {
		return b.graph.sites[w.Of.By]
	}
	return nil
}

// hasChecks reports whether v, or anything inlined in it, is checked.
func (g *Graph) hasChecks(v *ir.Value) bool {
	seen := map[*ir.Value]bool{}
	var visit func(v *ir.Value) bool
	visit = func(v *ir.Value) bool {
		if seen[v] {
			return false
		}
		seen[v] = true
		return len(g.sites[v]) > 0 || slices.ContainsFunc(v.Operands(), func(o *ir.Value) bool { return g.result(o) == nil && visit(o) })
	}
	return visit(v)
}

// store writes w, a value of s, to its buffer or scalar.
func (b *kernelBuilder) store(s *Stage, w *Value) {
	if w.Domain == nil {
		b.StoreScalar(w.Name, b.scalarOf(w))
		return
	}
	switch {
	case s.Kind == Aggregate && s.Out == nil:
		b.table(w)
		return
	case s.Kind == Histogram:
		b.histogram(s, w)
		return
	case s.Kind == Insert && w.IR.Op == ir.OpCuckoo:
		b.cuckoo(w)
		return
	case s.Kind == Insert && w.IR.Op == ir.OpEnter:
		b.enter(w)
		return
	case s.Kind == Insert && w.IR.Op == ir.OpEnterParts:
		b.enterParts(w)
		return
	case s.Kind == Insert && (w.IR.Op == ir.OpMatchParts || w.IR.Op == ir.OpPartnerParts):
		b.matchParts(w)
		return
	case s.Kind == Insert && w.IR.Op == ir.OpOrderParts:
		b.matchParts(b.graph.result(w.IR.Args[0]))
		return
	case s.Kind == Insert && w.IR.Op == ir.OpGroupParts:
		b.groupParts(w)
		return
	case s.Kind == Insert && (w.IR.Op == ir.OpFoldParts || w.IR.Op == ir.OpPlaceParts):
		b.groupParts(b.graph.result(w.IR.Args[0]))
		return
	case s.Kind == Insert && w.IR.Op == ir.OpDistinct:
		of := b.graph.result(w.IR.Args[0])
		distinct := b.matchParts
		if of.IR.Op == ir.OpGroupParts {
			distinct = b.groupParts
		}
		b.Store(b.Stream(w.Name, w.Type, w.Name, tile.Element, true), distinct(of))
		return
	case s.Kind == Insert && w.IR.By == nil:
		b.insert(w)
		return
	case s.Kind == Insert:
		b.table(w)
		return
	case s.Kind == Nested:
		b.pairs(w)
		return
	case s.Kind == Pass:
		b.scatter(s, w)
		return
	case s.Kind == Pack:
		b.pack(w)
		return
	}
	var x tile.ID
	switch w.Kind {
	case Result:
		x = b.column(w.IR)
	case Heads:
		x = b.head(w.Of)
	case Places:
		x = b.placeColumn(w.Of)
	default:
		b.refuse("%s is stored by its scan", w.Name)
	}
	d := b.row(w.Domain)
	if d == 0 {
		b.Store(b.Stream(w.Name, w.Type, w.Name, tile.Element, true), x)
		return
	}
	if room := w.Domain.Room; room > 0 {
		b.StoreClaimed(d, b.Stream(w.Name, w.Type, w.Name, tile.Permute, true), x, b.place(w.Domain), room)
		return
	}
	b.StoreAt(d, b.Stream(w.Name, w.Type, w.Name, tile.Place, true), x, b.place(w.Domain))
}

// scalarOf returns the scalar w, after all rows.
func (b *kernelBuilder) scalarOf(w *Value) tile.ID {
	if w.Kind == Lengths {
		return b.lengthAfter(w.Of)
	}
	return b.scalar(w.IR, true)
}

// row returns the kernel's domain of d's rows, deriving it if its rows are made here.
func (b *kernelBuilder) row(d *ir.Domain) int {
	if d == nil {
		return tile.Uniform
	}
	if index, ok := b.domains[d]; ok {
		return index
	}
	if s := b.maker(d); s != nil {
		if s.Kind == Compact {
			return b.deriveCompact(d)
		}
		return b.deriveGroups(d, s)
	}
	b.refuse("the rows of %s are not made here", b.graph.DomainName(d))
	return 0
}

// maker returns a stage here that makes the rows of d, or nil.
func (b *kernelBuilder) maker(d *ir.Domain) *Stage {
	for s := range b.in {
		if s.Out == d {
			return s
		}
	}
	return nil
}

func (b *kernelBuilder) deriveCompact(d *ir.Domain) int {
	parent := b.row(d.Parent)
	guard := b.column(d.By)
	b.domains[d] = b.Derive(tile.Compact, parent, guard, b.graph.DomainName(d), b.graph.DomainName(d))
	return b.domains[d]
}

// deriveGroups derives the rows of contiguous groups: a segment closes at the head
// of the next one.
func (b *kernelBuilder) deriveGroups(d *ir.Domain, s *Stage) int {
	p := b.graph.prefixes[key{kind: Result, ir: d.By}]
	parent := b.row(s.Domain)
	name := b.graph.DomainName(d)
	if b.in[p.Partial] && b.in[p.Add] {
		head, begun := b.head(d), b.begun(p)
		index := b.Derive(tile.Close, parent, head, name, name)
		b.CountBy(index, begun)
		b.domains[d] = index
		return index
	}
	slot := b.column(d.By)
	if parent != 0 {
		b.refuse("the groups of %s are numbered elsewhere, by rows that are not complete here", name)
	}
	b.halo(slot, d.By)
	head := b.Head(slot)
	last := b.Scan(parent, tile.NewLast(ir.I64), true, name+"_open", b.Const(ir.BoolScalar(true)), slot)
	index := b.Derive(tile.Close, parent, head, name, name)
	b.Kernel.Domains[index].Open, b.Kernel.Domains[index].Position = last[0], last[1]
	b.domains[d] = index
	return index
}

// begun returns how many segments began before the row.
func (b *kernelBuilder) begun(p *Prefix) tile.ID {
	d := b.row(p.Domain)
	one := b.Map(d, ir.OpCast, ir.I64, "", b.head(p.Of))
	return b.Scan(d, addition(), true, b.graph.DomainName(p.Of)+"_begun", one)[0]
}

// place returns the row's number in d, for the rows of d.
func (b *kernelBuilder) place(d *ir.Domain) tile.ID {
	index := b.row(d)
	if index == 0 {
		return b.Row()
	}
	if at := b.Kernel.Domains[index].Position; at != 0 {
		return at
	}
	p := b.graph.prefixes[key{kind: Places, of: d}]
	if b.in[p.Add] && b.in[p.Partial] {
		if d.Room > 0 {
			at := b.Claim(index, b.graph.DomainName(d)+"_place")
			b.Kernel.Domains[index].Position = at
			return at
		}
		at := b.Scan(index, addition(), true, b.graph.DomainName(d)+"_place", b.Int(1))[0]
		b.CountBy(index, at)
		return at
	}
	at := b.placeColumn(d)
	b.Kernel.Domains[index].Position = at
	return at
}

// placeColumn returns, for every row of d's parent, how many rows before are in d.
func (b *kernelBuilder) placeColumn(d *ir.Domain) tile.ID {
	w := b.graph.writer[key{kind: Places, of: d}]
	p := b.graph.prefixes[key{kind: Places, of: d}]
	if !b.in[p.Add] {
		return b.load(w)
	}
	if id, ok := b.built[w]; ok {
		return id
	}
	id := b.prefixFields(p)[0]
	b.built[w] = id
	return id
}

// head returns whether the row begins a segment of d.
func (b *kernelBuilder) head(d *ir.Domain) tile.ID {
	w := b.graph.writer[key{kind: Heads, of: d}]
	if !b.in[w.Writer] {
		return b.load(w)
	}
	if id, ok := b.built[w]; ok {
		return id
	}
	v := d.By
	parent := b.row(v.Type.Domain)
	var head tile.ID
	switch {
	case v.Op == ir.OpStarts:
		first := b.Map(parent, ir.OpEq, ir.Bool, "", b.place(v.Type.Domain), b.Int(0))
		head = b.Map(parent, ir.OpLogicalOr, ir.Bool, "head", first, b.operand(v.Args[0]))
	case parent == 0:
		keys := make([]tile.ID, len(v.Args))
		for i, arg := range v.Args {
			keys[i] = b.operand(arg)
			b.halo(keys[i], arg)
		}
		head = b.Head(keys...)
	default:
		head = b.headOfDerived(parent, v)
	}
	b.built[w] = head
	return head
}

// headOfDerived compares the keys with those of the last row of a derived
// domain, which may be far away: the last keys are a prefix of their own.
func (b *kernelBuilder) headOfDerived(parent int, v *ir.Value) tile.ID {
	var head tile.ID
	for i, arg := range v.Args {
		x := b.operand(arg)
		last := b.Scan(parent, tile.NewLast(arg.Type.Kind), true, "last", b.Const(ir.BoolScalar(true)), x)
		if i == 0 {
			head = b.Map(parent, ir.OpNot, ir.Bool, "", last[0])
		}
		head = b.Map(parent, ir.OpLogicalOr, ir.Bool, "", head, b.differ(parent, arg.Type.Kind, last[1], x))
	}
	return head
}

// differ compares keys: NaN equals NaN.
func (b *kernelBuilder) differ(domain int, k ir.Kind, x, y tile.ID) tile.ID {
	unequal := b.Map(domain, ir.OpNe, ir.Bool, "", x, y)
	if !k.IsFloat() {
		return unequal
	}
	number := b.Map(domain, ir.OpLogicalOr, ir.Bool, "",
		b.Map(domain, ir.OpEq, ir.Bool, "", x, x), b.Map(domain, ir.OpEq, ir.Bool, "", y, y))
	return b.Map(domain, ir.OpLogicalAnd, ir.Bool, "", unequal, number)
}

// halo requires that x, which is v, can be computed for a neighbouring base row.
func (b *kernelBuilder) halo(x tile.ID, v *ir.Value) {
	if !b.Kernel.Recomputable(x) {
		b.refuse("a neighbour of %s may be a row of another tile, which is not there before %s is stored", label(v), label(v))
	}
}

// label names a value in messages.
func label(v *ir.Value) string {
	if v.Name != "" {
		return v.Name
	}
	return v.Op.String()
}

// load reads w, which an earlier kernel stored or the caller gave.
func (b *kernelBuilder) load(w *Value) tile.ID {
	w = b.madeHere(w)
	if id, ok := b.built[w]; ok {
		return id
	}
	var id tile.ID
	if d := b.row(w.Domain); d == 0 {
		id = b.Load(b.Stream(w.Name, w.Type, w.Name, tile.Element, false))
	} else {
		id = b.LoadAt(d, b.Stream(w.Name, w.Type, w.Name, tile.Place, false), b.place(w.Domain), false)
	}
	b.built[w] = id
	return id
}

// complete returns the stream of w, of which all rows must be stored before.
func (b *kernelBuilder) complete(w *Value, access tile.Access) int {
	if w.Writer != nil && b.in[w.Writer] {
		b.refuse("every row of %s must be there first: %s ends a kernel", w.Name, w.Writer.Name)
	}
	w = b.madeHere(w)
	return b.Stream(w.Name, w.Type, w.Name, access, false)
}
