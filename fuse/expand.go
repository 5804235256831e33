package fuse

import (
	"cmp"
	"slices"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// expand returns p without order, groups, repeat, find and join, and without parts of
// timestamps and decimals, which it composes of other operators, and what the plan may
// leave out of that; p itself if it has none.
func expand(p *ir.Pipeline, options Options) (*ir.Pipeline, map[*ir.Value]turn) {
	isComposed := func(v *ir.Value) bool {
		switch v.Op {
		case ir.OpOrder, ir.OpGroups, ir.OpRepeat, ir.OpFind, ir.OpJoin:
			return true
		}
		return false
	}
	p = withoutFloatSums(withoutCalendar(withoutDecimals(p, options), options), options)
	e := newExpansion(p, options)
	if !slices.ContainsFunc(p.Values, func(v *ir.Value) bool { return isComposed(v) || e.isManyBins(v) }) {
		return p, nil
	}
	for _, v := range p.Values {
		e.value(v)
	}
	return e.pipeline(), e.turns
}

// newExpansion returns an expansion of p that has its domains.
func newExpansion(p *ir.Pipeline, options Options) *expansion {
	e := &expansion{
		from:       p,
		radix:      cmp.Or(options.Radix, DefaultRadix),
		manyRadix:  max(options.RadixOfMany, cmp.Or(options.Radix, DefaultRadix)),
		fewRows:    int64(options.Few),
		short:      options.Short,
		wide:       options.Short && options.Wide,
		lengths:    options.Short && options.Lengths,
		entered:    options.Short || options.Entered,
		cores:      options.Cores,
		parted:     options.Parted,
		bins:       int64(cmp.Or(options.Bins, DefaultBins)),
		hash:       int64(options.Hash),
		hashGroups: int64(cmp.Or(options.HashGroups, DefaultHashGroups)),
		probing:    options.Probing,
		sample:     int64(cmp.Or(options.Sample, DefaultSample)),
		leastMoved: int64(cmp.Or(options.Moved, DefaultMoved)),
		values:     map[*ir.Value]*ir.Value{},
		domains:    map[*ir.Domain]*ir.Domain{nil: nil},
		groups:     map[*ir.Value]grouped{},
		gathered:   map[[2]*ir.Value]*ir.Value{},
		packed:     map[[2]*ir.Value]packedColumn{},
		packedBy:   map[*ir.Value]bool{},
		followed:   map[*ir.Value]map[*ir.Value]*ir.Value{},
		eithers:    map[[2]*ir.Value]*ir.Value{},
		constants:  map[ir.Scalar]*ir.Value{},
		turns:      map[*ir.Value]turn{},
		checked:    map[*ir.Value]*ir.Value{},
		written:    map[*ir.Value]bool{},
		lookups:    map[*ir.Value]*lookup{},
		looks:      map[*ir.Value]*movedLooks{},
		coded:      map[[2]*ir.Value]*codedTable{},
		slotBits:   map[*ir.Value]*ir.Value{},
		columnOf:   map[*ir.Value]*ir.Value{},
		rowTables:  map[string]rowTable{},
		sides:      map[string]sortedSide{},
		partnersOf: map[string]partners{},
		rowWordsOf: map[*ir.Value]*ir.Value{},
		codeTables: map[codesKey]codeTables{},
		wordsOf:    map[string][]*ir.Value{},
		joins:      map[*ir.Value]*joined{},
		pairs:      map[*ir.Value]*paired{},
		begins:     map[*ir.Value]*ir.Value{},
		segments:   map[*ir.Value]*ir.Value{},

		binnedRows:  map[*ir.Value]*binnedRows{},
		alsoChecked: map[*ir.Value][]*ir.Value{},
	}
	if options.Short {
		e.strategy = options.Strategy
	}
	if e.short {
		e.claimed = options.Claimed
	}
	e.parts = e.entered && options.Partitions && e.strategy == ""
	e.windows = options.Short && (options.Partitions || options.Windows) && e.strategy == "" && options.Sample >= 0
	if e.entered {
		e.samples = options.Sample >= 0 && (options.Partitions || e.strategy != "") && e.strategy != plan.Partitioned
	}
	for _, d := range p.Domains {
		e.domain(d)
	}
	return e
}

// expansion is a pipeline that is written anew.
type expansion struct {
	from       *ir.Pipeline
	radix      int   // bits that a digit of keys has
	manyRadix  int   // and of many rows that are packed into words
	short      bool  // see Options
	claimed    int64 // likewise, 0 without short
	wide       bool  // see Options
	lengths    bool  // see Options
	entered    bool  // rows of groups are combined while their keys are entered in a hash table
	cores      bool  // see Options
	fewRows    int64 // up to how many rows are sorted by insertion
	parted     int64
	bins       int64
	hash       int64
	hashGroups int64
	parts      bool   // whether rows of groups may be partitioned by their bins
	windows    bool   // likewise rows of bins(...)
	samples    bool   // whether few groups are told from many by a sample
	strategy   string // see Options
	probing    string // see Options
	sample     int64
	leastMoved int64 // see Options
	list       []*ir.Value
	added      []*ir.Domain // that from does not have
	values     map[*ir.Value]*ir.Value
	domains    map[*ir.Domain]*ir.Domain
	groups     map[*ir.Value]grouped
	gathered   map[[2]*ir.Value]*ir.Value            // by column and index
	packed     map[[2]*ir.Value]packedColumn         // likewise, of from
	packedBy   map[*ir.Value]bool                    // orders of from whose columns have been packed
	followed   map[*ir.Value]map[*ir.Value]*ir.Value // per order of from: the columns that its sort leaves in order
	eithers    map[[2]*ir.Value]*ir.Value            // by what makes them
	constants  map[ir.Scalar]*ir.Value
	turns      map[*ir.Value]turn      // of histograms and of the places to which rows move
	checked    map[*ir.Value]*ir.Value // by a value of from: what makes its check, if that is not what it becomes
	begins     map[*ir.Value]*ir.Value // of repeats: the first row of each row's repetitions
	segments   map[*ir.Value]*ir.Value // of repeats: the rows of each source row, as segments
	written    map[*ir.Value]bool      // values of from
	lookups    map[*ir.Value]*lookup   // by finds, and by their rows that masks keep
	looks      map[*ir.Value]*movedLooks
	coded      map[[2]*ir.Value]*codedTable // by the rows of slots and the column
	slotBits   map[*ir.Value]*ir.Value      // of slots that are taken, by their rows
	columnOf   map[*ir.Value]*ir.Value      // by finds: the column of from that their table has
	rowTables  map[string]rowTable          // by the columns of their keys
	sides      map[string]sortedSide        // likewise
	partnersOf map[string]partners          // likewise, of joins
	rowWordsOf map[*ir.Value]*ir.Value      // by the rows of tables
	codeTables map[codesKey]codeTables
	wordsOf    map[string][]*ir.Value // likewise, of nested loops
	joins      map[*ir.Value]*joined  // by joins
	pairs      map[*ir.Value]*paired  // by columns of pairs that are stored when they are needed

	binnedRows  map[*ir.Value]*binnedRows // by bins of from
	alsoChecked map[*ir.Value][]*ir.Value // by a value of from: what makes its check, too, where other ways are taken
}

// grouped is what groups becomes: its rows in the order of their keys, where the rows
// of a group are neighbours.
type grouped struct {
	order   *ir.Value               // the sorted rows; nil if a column came along in place of their numbers
	runs    *ir.Value               // their groups
	columns map[*ir.Value]*ir.Value // those that are there in the order of the rows
	ways    []groupWay              // other ways to make the groups, the first to be chosen first
}

// groupWay is a way to make groups without sorting all rows.
type groupWay interface {
	condition() *ir.Value            // an i64 scalar: not 0 if the way can be taken
	target() *ir.Domain              // the groups, be they made in this way or a later one
	aggregate(v *ir.Value) *ir.Value // an aggregate by them
	numbers() *ir.Value              // the number of each row's group
}

// domain returns what d becomes. Its By is set when all values are there.
func (e *expansion) domain(d *ir.Domain) *ir.Domain {
	if made, ok := e.domains[d]; ok {
		return made
	}
	made := *d
	if d.Kind == ir.DomainParam {
		e.domains[d] = d
		return d
	}
	made.Parent = e.domain(d.Parent)
	e.domains[d] = &made
	return &made
}

// add appends a value at pos.
func (e *expansion) add(pos ir.Pos, v ir.Value) *ir.Value {
	v.ID, v.Pos = len(e.list), pos
	e.list = append(e.list, &v)
	return &v
}

// parameter takes a parameter over; they come first in both pipelines.
func (e *expansion) parameter(v *ir.Value) {
	e.list = append(e.list, v)
	e.values[v] = v
}

// value writes v anew, unless it is there.
func (e *expansion) value(v *ir.Value) {
	if e.written[v] {
		return
	}
	e.written[v] = true
	switch {
	case v.Op == ir.OpParam:
		e.parameter(v)
	case v.Op == ir.OpOrder:
		keys := e.sortKeys(v)
		o := ordering{expansion: e, pos: v.Pos, rows: keys[0].column.Type.Domain, out: e.domain(v.Type.Domain)}
		if v.Limit != nil {
			o.limit = e.column(v.Limit)
		}
		switch {
		case o.limit != nil && o.sample > 0:
			e.values[v] = o.least(keys)
		case o.short && o.limit == nil:
			e.values[v] = o.follow(v, keys)
		case o.isPacked(keys):
			e.values[v] = o.fewOr(keys, func() *ir.Value { return o.row(keys) }, func() *ir.Value { return o.sortPacked(keys, keys) })
		default:
			e.values[v] = o.sortFew(keys, func() *ir.Value { return o.row(keys) })
		}
		e.values[v].Name = v.Name
	case v.Op == ir.OpGroups:
		e.group(v)
	case v.Op == ir.OpRepeat:
		e.repeat(v)
	case e.gatherFollowed(v):
	case e.gatherPacked(v):
	case e.lookUp(v):
	case v.Op == ir.OpFind:
		e.find(v)
	case v.Op == ir.OpJoin:
		e.join(v)
	case v.Op == ir.OpLeft, v.Op == ir.OpRight:
		e.side(v)
	case e.foldPairs(v):
	case e.foldMoved(v):
	case e.ofFoldMoved(v):
	case e.pair(v):
	case v.By != nil && v.By.Op == ir.OpGroups:
		e.aggregate(v)
	case v.By != nil && e.isOfPartitioned(v, v.By) && e.isManyBins(v.By):
		e.aggregateBins(v)
	case v.By != nil && v.By.Op == ir.OpRepeat && !v.Op.IsAggregate():
		e.scanRepeated(v)
	default:
		e.copy(v)
	}
}

// copy writes v with the same operator.
func (e *expansion) copy(v *ir.Value) {
	made := *v
	made.Type.Domain, made.Type.Target = e.domain(v.Type.Domain), e.domain(v.Type.Target)
	made.Args = e.columns(v.Args)
	for _, operand := range []**ir.Value{&made.By, &made.Else, &made.Limit} {
		if *operand != nil {
			*operand = e.column(*operand)
		}
	}
	e.values[v] = e.add(v.Pos, made)
}

// columns returns what operands become.
func (e *expansion) columns(list []*ir.Value) []*ir.Value {
	made := make([]*ir.Value, len(list))
	for i, v := range list {
		made[i] = e.column(v)
	}
	return made
}

// column returns what v becomes as an operand. The number of each row's group goes
// back to the place from which the order took the row, and a column of pairs is stored.
func (e *expansion) column(v *ir.Value) *ir.Value {
	if p := e.pairs[v]; p != nil && e.values[v] == nil {
		e.values[v] = e.stored(v, p)
	}
	g, ok := e.groups[v]
	if ok && e.values[v] == nil {
		e.values[v] = e.add(v.Pos, ir.Value{Op: ir.OpScatter, Args: []*ir.Value{g.runs, g.order},
			Type: ir.Type{Kind: ir.I64, Domain: e.domain(v.Type.Domain), Target: g.runs.Type.Target}})
		for _, way := range slices.Backward(g.ways) {
			e.values[v] = e.either(way.condition(), way.numbers(), e.values[v], ir.Type{Kind: ir.I64, Domain: e.domain(v.Type.Domain), Target: way.target()})
		}
	}
	return e.values[v]
}

// group writes groups(k, ...) as runs of the sorted keys.
func (e *expansion) group(v *ir.Value) {
	keys := e.sortKeys(v)
	rows := keys[0].column.Type.Domain
	sorted := e.newDomain(ir.DomainOrder, rows.Name+"_sorted", rows)
	o := ordering{expansion: e, pos: v.Pos, rows: rows, out: sorted}
	g := grouped{columns: map[*ir.Value]*ir.Value{}}
	target := e.domain(v.Type.Target)
	target = o.otherWays(v, &g, keys, target)
	var out sortedRows
	o.anyOrder = o.inAnyOrder(v, keys)
	if column := o.beside(v, keys); column != nil {
		out = o.sort(keys, o.bitsOf(column), true)
		g.columns[column] = o.ofBits(out.number, column.Type.Kind)
	} else {
		out = o.sort(keys, o.row(keys), true)
		g.order = o.rowOf(out.number)
	}
	sorted.By = out.number
	target.Kind, target.Parent = ir.DomainRuns, sorted
	runs := ir.Value{Op: ir.OpRuns, Name: v.Name, Type: ir.Type{Kind: ir.I64, Domain: sorted, Target: target}}
	if out.word != nil {
		runs.Args = []*ir.Value{out.word}
		o.keysOf(out.word, keys, g.columns)
	} else {
		for _, key := range keys {
			runs.Args = append(runs.Args, e.sortedColumn(v.Pos, g, key.column))
		}
	}
	g.runs = e.add(v.Pos, runs)
	target.By = g.runs
	e.groups[v] = g
}

// otherWays adds the ways in which groups v of keys may be made without sorting all rows. It
// returns the domain of groups that are made by sorting, of which out are some.
func (o *ordering) otherWays(v *ir.Value, g *grouped, keys []sortKey, out *ir.Domain) *ir.Domain {
	name, made := out.Name, []*ir.Domain{out}
	var s groupSample
	hashKeys := o.hashedKeys(keys)
	if o.samples && len(hashKeys) > 0 {
		s = o.sampleOf(hashKeys)
	}
	divide := func() {
		out.Kind, out.Parent, out.By = ir.DomainEither, o.rows, nil
		out = &ir.Domain{Name: name + "_runs"}
		made = append(made, out)
	}
	r := o.rangeOf(keys, s.isNarrow)
	if r != nil {
		g.ways, o.chooses = append(g.ways, o.binned(r, out)), s.isNarrow == nil
		divide()
	}
	add := func(way groupWay, size, tried *ir.Value) {
		size.By = tried
		g.ways = append(g.ways, way)
		divide()
	}
	hash := func(way *hashed, tried *ir.Value) { add(way, way.size, tried) }
	switch {
	case len(hashKeys) == 0:
	case o.strategy == plan.Partitioned:
		hash(o.partitioned(v, hashKeys, out, halfOfRows, nil))
	case o.strategy != "":
		hash(o.hashed(hashKeys, out, nil, o.roomForFew(), s.few), s.isFew)
		hash(o.hashed(hashKeys, out, nil, halfOfRows, nil), nil)
	default:
		hash(o.hashed(hashKeys, out, nil, o.roomForFew(), s.few), s.isFew)
		if bins := o.binnedParts(v, r, out); bins != nil {
			g.ways = append(g.ways, bins)
			divide()
		}
		if s.isSome == nil {
			break
		}
		if way := o.groupedByParts(v, hashKeys, s.parts, out); way != nil {
			add(way, way.size, s.parts.isEven)
		}
		hash(o.partitioned(v, hashKeys, out, o.roomForSome(), s.isSome))
		if s.isSpread == nil {
			break
		}
		if way := o.groupedByHighBits(v, hashKeys, out); way != nil {
			add(way, way.size, s.isSpread)
		}
	}
	for i, d := range slices.Backward(made[1:]) { // what others are made of comes first
		if i+2 < len(made) {
			d.Name = name + "_spread"
		}
		o.added = append(o.added, d)
	}
	return out
}

// sortedColumn returns x in the order of the rows of g.
func (e *expansion) sortedColumn(pos ir.Pos, g grouped, x *ir.Value) *ir.Value {
	if known := g.columns[x]; known != nil {
		return known
	}
	if from := unwidened(x); from != x {
		sorted := e.sortedColumn(pos, g, from)
		return e.add(pos, ir.Value{Op: ir.OpCast, Args: []*ir.Value{sorted}, Type: ir.Type{Kind: x.Type.Kind, Domain: sorted.Type.Domain}})
	}
	return e.gather(pos, x, g.order)
}

// unwidened returns the column of which x has the same integers in more bits, or x. What moves
// is the narrower.
func unwidened(x *ir.Value) *ir.Value {
	for x.Op == ir.OpCast && x.Type.Kind.IsInteger() && x.Args[0].Type.Kind.IsInteger() && x.Args[0].Type.Kind.Size() < x.Type.Kind.Size() {
		x = x.Args[0]
	}
	return x
}

// aggregate writes an aggregate by groups.
func (e *expansion) aggregate(v *ir.Value) {
	g := e.groups[v.By]
	made := e.aggregateRuns(v, g)
	for _, way := range slices.Backward(g.ways) {
		made = e.either(way.condition(), way.aggregate(v), made, ir.Type{Kind: made.Type.Kind, Domain: way.target(), Target: made.Type.Target})
	}
	made.Name = v.Name
	e.values[v] = made
}

// aggregateRuns writes an aggregate by groups over the sorted rows. The rows of a
// group are still in their order there.
func (e *expansion) aggregateRuns(v *ir.Value, g grouped) *ir.Value {
	made := *v
	made.Name, made.By = "", g.runs
	made.Type.Domain = g.runs.Type.Target
	made.Args = e.columns(v.Args)
	for i, arg := range made.Args {
		if !arg.Type.IsScalar() {
			made.Args[i] = e.sortedColumn(v.Pos, g, arg)
		}
	}
	if v.Else != nil {
		made.Else = e.column(v.Else)
	}
	if !v.Op.Aggregate().GivesRow() {
		made.Type.Target = e.domain(v.Type.Target)
		return e.add(v.Pos, made)
	}
	made.Type.Target = g.order.Type.Domain
	return e.gather(v.Pos, g.order, e.add(v.Pos, made))
}

// either returns x if a condition is not 0, else y, as a column or a scalar of a type.
func (e *expansion) either(condition, x, y *ir.Value, t ir.Type) *ir.Value {
	at := [2]*ir.Value{x, y}
	if e.eithers[at] == nil {
		e.eithers[at] = e.add(y.Pos, ir.Value{Op: ir.OpEither, Args: at[:], Limit: condition, Type: t})
	}
	return e.eithers[at]
}

// gather returns x at the rows of an index column.
func (e *expansion) gather(pos ir.Pos, x, index *ir.Value) *ir.Value {
	if word := holding(x); word != x && e.short {
		o := ordering{expansion: e, pos: pos}
		return o.cast(x.Type.Kind, e.gather(pos, word, index))
	}
	at := [2]*ir.Value{x, index}
	if e.gathered[at] == nil {
		e.gathered[at] = e.add(pos, ir.Value{Op: ir.OpGather, Args: []*ir.Value{x, index},
			Type: ir.Type{Kind: x.Type.Kind, Domain: index.Type.Domain, Target: x.Type.Target}})
	}
	return e.gathered[at]
}

// isReturned reports whether v, of from, is a result.
func (e *expansion) isReturned(v *ir.Value) bool {
	return slices.ContainsFunc(e.from.Results, func(r ir.Result) bool { return r.Value == v })
}

// newDomain returns a domain that the user's pipeline does not have.
func (e *expansion) newDomain(kind ir.DomainKind, name string, parent *ir.Domain) *ir.Domain {
	d := &ir.Domain{Kind: kind, Name: name, Parent: parent}
	e.added = append(e.added, d)
	return d
}

// pipeline returns what was written.
func (e *expansion) pipeline() *ir.Pipeline {
	p := *e.from
	p.Domains, p.Results, p.Sites = nil, slices.Clone(e.from.Results), slices.Clone(e.from.Sites)
	for i, r := range p.Results {
		p.Results[i].Value = e.column(r.Value)
	}
	p.Values = e.list // with those that column has added
	for i, s := range p.Sites {
		p.Sites[i].Value, p.Sites[i].Domain = e.values[s.Value], e.domain(s.Domain)
		if checked := e.checked[s.Value]; checked != nil {
			p.Sites[i].Value = checked
		}
		for _, also := range e.alsoChecked[s.Value] {
			again := p.Sites[i]
			again.Value = also
			p.Sites = append(p.Sites, again)
		}
	}
	for _, d := range e.from.Domains {
		made := e.domain(d)
		if by := e.values[d.By]; by != nil && made != d && made.Kind == d.Kind {
			made.By = by
		}
		// What it is made of comes first.
		for made.Kind == ir.DomainEither && len(e.added) > 0 && (e.added[0].Parent == nil || slices.Contains(p.Domains, e.added[0].Parent)) {
			p.Domains, e.added = append(p.Domains, e.added[0]), e.added[1:]
		}
		p.Domains = append(p.Domains, made)
	}
	p.Domains = append(p.Domains, e.added...)
	for i, d := range p.Domains {
		d.ID = i
	}
	return p.Analyzed()
}
