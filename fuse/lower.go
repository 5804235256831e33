package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/internal/naming"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Lower turns a pipeline into stages.
func Lower(p *ir.Pipeline, options Options) *Graph {
	declared := p
	p, turns := expand(p, options)
	l := &lowering{options: options, Graph: &Graph{Pipeline: p, declared: declared, rows: options.Rows, strategy: options.Strategy, cores: options.Cores, keptAtOnce: options.KeptAtOnce && !options.Cores, claims: options.Short && options.Claimed > 0, turns: turns, ascending: map[*ir.Value]bool{}, writer: map[key]*Value{}, prefixes: map[key]*Prefix{}, sites: map[*ir.Value][]ir.Site{}, sources: map[*ir.Domain]sources{}, chosenBy: map[*ir.Domain]*ir.Value{}},
		users: map[*ir.Value][]*ir.Value{}, isResult: map[*ir.Value]bool{}, names: naming.Taken{}, group: map[groupKey]*Stage{}, computed: map[computed]bool{}, tables: map[tableKey]*Value{}, slots: map[*ir.Value]*Value{}}
	for _, v := range p.Values {
		for _, o := range v.Operands() {
			l.users[o] = append(l.users[o], v)
		}
		if v.Name != "" {
			l.names[v.Name] = true
		}
	}
	for _, r := range p.Results {
		l.isResult[r.Value] = true
	}
	for _, v := range p.Values {
		if v.Op == ir.OpEither {
			eachCondition(v.Limit, func(c, _ *ir.Value) { l.isResult[c] = c.Op != ir.OpLen }) // of the plan
			for _, x := range v.Args {
				l.isResult[x] = l.isResult[x] || x.Type.IsScalar()
			}
		}
	}
	l.nameSorts()
	for _, s := range p.Sites {
		l.sites[s.Value] = append(l.sites[s.Value], s)
	}
	l.digitShift, l.digitNumber, l.digitWidth = l.names.Fresh("digit_shift", "_"), l.names.Fresh("digit_number", "_"), l.names.Fresh("digit_width", "_")
	if options.Few == 0 { // else it is known
		l.orderRoom = l.names.Fresh("order_room", "_")
	}
	l.nameDomains()
	sizes := entered(p)
	for _, v := range p.Values {
		l.lower(v)
		for _, table := range sizes[v] {
			l.sizedLength(table, table.Type.Domain)
		}
	}
	l.finish()
	return l.Graph
}

// entered returns, by their sizes, tables in which words are entered: a kernel that computes
// the words may enter them, too, if how many slots there are is known before.
func entered(p *ir.Pipeline) map[*ir.Value][]*ir.Value {
	sizes := map[*ir.Value][]*ir.Value{}
	for _, v := range p.Values {
		if v.Op == ir.OpEnter || v.Op == ir.OpInsert || v.Op == ir.OpEnterParts {
			sizes[v.Args[1]] = append(sizes[v.Args[1]], v)
		}
	}
	return sizes
}

type lowering struct {
	*Graph
	options  Options
	users    map[*ir.Value][]*ir.Value
	isResult map[*ir.Value]bool
	names    naming.Taken
	group    map[groupKey]*Stage
	computed map[computed]bool
	tables   map[tableKey]*Value  // of the groupings that have tables
	slots    map[*ir.Value]*Value // per size of tables: the length that these have
}

// computed is a value that a stage computes.
type computed struct {
	stage *Stage
	value *ir.Value
}

// groupKey finds the stage that aggregates or compactions over one domain share.
type groupKey struct {
	kind   StageKind
	domain *ir.Domain
	out    *ir.Domain
	table  bool      // what it writes are tables, not rows of groups that it closes
	second bool      // it reads what tables of the same groups hold
	place  *ir.Value // to which rows move; the condition of two ways, or of a fold; the grouping of a table
}

// isRowWise reports whether v is computed within a Map or Mask stage: from the
// same row of its operands, from neighbours, or by a gather.
func isRowWise(v *ir.Value) bool {
	switch v.Op {
	case ir.OpGather, ir.OpPrev, ir.OpNext, ir.OpIndex, ir.OpAlign, ir.OpBins, ir.OpExpand, ir.OpPlaced, ir.OpSearch, ir.OpProbe, ir.OpMatch, ir.OpPartners:
		return true
	}
	return v.Op.IsElementwise()
}

// inlined reports whether v is computed inside its user's stage: it is trivial,
// or it has one user, which works row by row on the same domain.
func (l *lowering) inlined(v *ir.Value) bool {
	switch {
	case v.Op == ir.OpConst || v.Op == ir.OpParam || v.Op == ir.OpRoom || v.Op == ir.OpLen && !l.isResult[v] || v.Op == ir.OpRank:
		return true
	case isEntered(v):
		return true
	case !isRowWise(v) || l.isResult[v]:
		return false
	case v.Op == ir.OpIndex:
		return !l.isTable(v)
	case v.Type.IsScalar():
		// Scalars are cheap to recompute, but a check is made once.
		return len(l.sites[v]) == 0 && v.Op.IsElementwise()
	}
	users := l.users[v]
	if l.onlySorts(v) {
		return true // passes alone may read what others before them have moved; see turnSteps
	}
	if len(users) != 1 {
		return len(users) == 0
	}
	u := users[0]
	switch u.Op {
	case ir.OpGather: // the index works row by row, the table does not
		return u.Args[1] == v && u.Type.Domain == v.Type.Domain
	case ir.OpPrev, ir.OpNext, ir.OpIndex, ir.OpAlign, ir.OpLen:
		return false
	case ir.OpPack:
		return true
	}
	return u.Op.IsElementwise() && u.Type.Domain == v.Type.Domain
}

// onlySorts reports whether nothing but passes of sorts needs v, which they compute.
func (l *lowering) onlySorts(v *ir.Value) bool {
	isCheap := v.Op.IsElementwise() || v.Op == ir.OpGather && (l.options.Short || v.Args[1].Op == ir.OpIndex) // others look at rows twice
	if !isCheap || l.isResult[v] || len(l.users[v]) == 0 {
		return false
	}
	return !slices.ContainsFunc(l.users[v], func(u *ir.Value) bool { return !sorts(u, v) && (!u.Op.IsElementwise() || !l.onlySorts(u)) })
}

// sorts reports whether u is of a pass that sorts rows of v, or counts its digits again.
func sorts(u, v *ir.Value) bool {
	switch u.Op {
	case ir.OpRank:
		return u.Args[0] == v
	case ir.OpScatter: // every other operand is a place
		return slices.Index(u.Args, v)%2 == 0
	case ir.OpDigits:
		return u.Args[0] != v
	}
	return false
}

// isTable reports whether an operator reads any row of v, and needs it complete.
func (l *lowering) isTable(v *ir.Value) bool {
	for _, u := range l.users[v] {
		switch u.Op {
		case ir.OpGather, ir.OpAlign, ir.OpSearch:
			if u.Args[0] == v {
				return true
			}
		case ir.OpInsert, ir.OpProbe, ir.OpPartners, ir.OpPairs:
			if slices.Contains(storedKeysOf(u), v) {
				return true
			}
		case ir.OpCuckoo:
			return true
		case ir.OpEnterParts:
			return true
		case ir.OpMatchParts, ir.OpPartnerParts:
			if slices.Contains(u.Args[firstOfParts:], v) {
				return true
			}
		case ir.OpGroupParts:
			if u.Args[wordsOfParts] == v {
				return true
			}
		case ir.OpFoldParts:
			return true
		}
		if u.Op.IsAggregate() && u.Op.Aggregate().IsEdge() && u.Args[0] == v {
			return true
		}
	}
	return false
}

// lower adds the stages that compute v, if it is not inlined.
func (l *lowering) lower(v *ir.Value) {
	switch v.Op {
	case ir.OpParam:
		if v.Type.Domain != nil {
			l.define(&Value{Kind: Result, IR: v, Name: v.Name, Type: v.Type.Kind, Domain: v.Type.Domain}, nil)
		}
		return
	case ir.OpCompact:
		l.compact(v)
		l.limitsBeside(v)
		return
	case ir.OpRuns, ir.OpStarts:
		l.grouping(v)
		return
	case ir.OpScan, ir.OpExscan:
		l.scan(v)
		return
	case ir.OpDigits:
		l.digits(v)
		return
	case ir.OpScatter:
		l.scatter(v)
		return
	case ir.OpPack:
		l.pack(v)
		return
	case ir.OpEither:
		l.either(v)
		return
	case ir.OpInsert, ir.OpCollect, ir.OpEnter:
		l.insert(v)
		return
	case ir.OpCuckoo:
		l.cuckoo(v)
		return
	case ir.OpPairs:
		l.pairs(v)
		return
	case ir.OpEnterParts:
		l.enterParts(v)
		return
	case ir.OpMatchParts, ir.OpPartnerParts:
		l.matchParts(v)
		return
	case ir.OpOrderParts:
		l.foundInParts(v)
		return
	case ir.OpGroupParts:
		l.groupParts(v)
		return
	case ir.OpPlaceParts, ir.OpFoldParts:
		l.foldParts(v)
		return
	case ir.OpDistinct:
		l.foundInParts(v)
		return
	case ir.OpBins:
		l.sizedLength(v, v.Type.Target)
	case ir.OpExpand:
		l.sizedLength(v, v.Type.Domain)
	}
	switch {
	case l.inlined(v):
	case v.Op.IsAggregate():
		l.aggregate(v)
	case v.Type.IsScalar():
		s := l.stage(ScalarMap, v.Pos, nil)
		l.root(s, v)
	default:
		kind := Map
		if l.isFlag(v) {
			kind = Mask
		}
		l.root(l.stage(kind, v.Pos, v.Type.Domain), v)
	}
}

// isFlag reports whether v selects rows.
func (l *lowering) isFlag(v *ir.Value) bool {
	for _, u := range l.users[v] {
		if u.Op == ir.OpCompact && u.Args[1] == v {
			return true
		}
	}
	return false
}

// stage appends a stage.
func (l *lowering) stage(kind StageKind, pos ir.Pos, domain *ir.Domain) *Stage {
	s := &Stage{Index: len(l.Stages), Kind: kind, Pos: pos, Domain: domain}
	l.Stages = append(l.Stages, s)
	if domain != nil {
		l.use(s, l.writer[key{kind: Lengths, of: domain}], tile.Element, false)
	}
	return s
}

// define adds a value that s writes; s is nil for parameters.
func (l *lowering) define(v *Value, s *Stage) *Value {
	v.Writer = s
	if s != nil {
		v.Name = l.names.Fresh(v.Name, "_")
		s.Writes = append(s.Writes, v)
	}
	l.Values = append(l.Values, v)
	k := key{kind: v.Kind, of: v.Of, field: v.Field}
	if v.Kind == Result || v.Kind == States {
		k.ir = v.IR
	}
	if v.Kind != Partials && v.Kind != Totals && v.Kind != Offsets {
		l.writer[k] = v
	}
	return v
}

// use records that s reads v.
func (l *lowering) use(s *Stage, v *Value, access Access, whole bool) {
	if v == nil || v.Writer == s {
		return
	}
	for i := range s.Reads {
		if s.Reads[i].Value == v {
			s.Reads[i].Access = max(s.Reads[i].Access, access)
			s.Reads[i].Whole = s.Reads[i].Whole || whole
			return
		}
	}
	s.Reads = append(s.Reads, Use{v, access, whole})
}

// root makes s compute v, a row-wise value, and all that is inlined in it.
func (l *lowering) root(s *Stage, v *ir.Value) {
	s.roots = append(s.roots, v)
	l.operands(s, v)
	l.defineResult(s, v)
}

func (l *lowering) defineResult(s *Stage, v *ir.Value) *Value {
	return l.define(&Value{Kind: Result, IR: v, Name: l.ownName(v, string(s.Kind)), Type: v.Type.Kind, Domain: v.Type.Domain}, s)
}

// ownName is resultName for the value that v is, which has that name for itself.
func (l *lowering) ownName(v *ir.Value, otherwise string) string {
	delete(l.names, v.Name)
	return l.resultName(v, otherwise)
}

// resultName returns v's name, its label, or otherwise.
func (l *lowering) resultName(v *ir.Value, otherwise string) string {
	if v.Name != "" {
		return v.Name
	}
	for _, r := range l.Pipeline.Results {
		if r.Value == v {
			return r.Label
		}
	}
	return otherwise
}

// read makes s read v, or compute it if v is inlined.
func (l *lowering) read(s *Stage, v *ir.Value, access Access, whole bool) {
	if w := l.result(v); w != nil {
		l.use(s, w, access, whole || v.Type.IsScalar())
		return
	}
	l.operands(s, v)
}

// operands records the values that s reads to compute v.
func (l *lowering) operands(s *Stage, v *ir.Value) {
	if at := (computed{s, v}); l.computed[at] {
		return // a scalar that several others use is met many times
	} else {
		l.computed[at] = true
	}
	switch v.Op {
	case ir.OpGather:
		l.read(s, v.Args[0], tile.Gather, true)
		l.read(s, v.Args[1], tile.Element, false)
		l.length(s, v.Args[0].Type.Domain)
	case ir.OpPrev, ir.OpNext:
		l.read(s, v.Args[0], tile.Halo, false)
		l.read(s, v.Args[1], tile.Element, false)
	case ir.OpIndex: // the row's own number
		l.rows(s, v.Type.Domain)
	case ir.OpLen:
		l.length(s, v.Args[0].Type.Domain)
	case ir.OpAlign:
		x, y := v.Args[0], v.Args[1]
		if x.Type.IsScalar() {
			l.read(s, x, tile.Element, false)
			l.rows(s, y.Type.Domain)
			return
		}
		l.read(s, x, tile.Place, x.Type.Domain != y.Type.Domain)
		l.length(s, x.Type.Domain)
	case ir.OpBins:
		l.read(s, v.Args[0], tile.Element, false)
		l.length(s, v.Type.Target)
	case ir.OpExpand, ir.OpPlaced:
		l.read(s, v.Args[0], tile.Gather, true)
		if len(v.Args) > 2 {
			for _, x := range v.Args[2:] {
				l.read(s, x, tile.Gather, true)
			}
		} else {
			l.length(s, v.Type.Target)
		}
		l.rows(s, v.Type.Domain)
	case ir.OpSearch:
		l.read(s, v.Args[0], tile.Gather, true)
		for _, x := range v.Args[1:] {
			l.read(s, x, tile.Element, false)
		}
	case ir.OpPartners:
		l.nested(s, v)
	case ir.OpProbe:
		l.read(s, v.Args[0], tile.Gather, true)
		l.tableKeys(s, v)
		l.length(s, v.Args[0].Type.Domain)
		for _, x := range v.Args[1 : firstKey+len(keysOfTable(v))] {
			l.read(s, x, tile.Element, false)
		}
	case ir.OpMatch:
		l.read(s, v.Args[0], tile.Gather, true)
		slots := v.Args[0].Type.Domain
		if slots.Kind == ir.DomainWords {
			slots = slots.Parent
		}
		l.length(s, slots)
		for _, x := range v.Args[1:] {
			l.read(s, x, tile.Element, false)
		}
	case ir.OpRank:
		l.read(s, v.Args[0], tile.Element, false)
		if len(v.Args) > 1 {
			l.read(s, v.Args[1], tile.Gather, true)
		}
		l.length(s, v.Type.Domain)
	default:
		operands := v.Operands()
		if v.Op.IsElementwise() {
			operands = v.Args // not a condition of the plan
		}
		for _, arg := range operands {
			l.read(s, arg, tile.Element, false)
		}
	}
}

// rows makes s, which runs over d, wait for the number of its rows if a stage
// computes it. s may read no column of d that it would wait for.
func (l *lowering) rows(s *Stage, d *ir.Domain) {
	if isComputed(d) {
		l.length(s, d)
	}
}

// length makes s read the length of d, unless it is known from the start.
func (l *lowering) length(s *Stage, d *ir.Domain) {
	_, length := l.Graph.length(d)
	l.use(s, length, tile.Element, true)
}
