package fuse

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// On cores, partitioned rows with narrow keys are combined part by part. A worker makes a table of the groups of a
// part in its cache, folds their rows, and leaves the groups one behind the other where the rows of the part begin. So
// nothing has room for more groups than there are, and no number of them is too many. A row moves in one word, if
// what aggregates read fits beside its key. Parts are few: a processor keeps the pages of some alone at hand.
//
// Parts are ranges of keys, so that their groups are sorted in the cache, too, and follow each other in the
// order of all. A sample gives the range of the keys; if too many of its different keys are of one part, parts are those of a hash.

// groupPartBits are the bits of the part of a row.
const groupPartBits = 5

// leastEven is of how many keys of a sample one at most may be of one part.
const leastEven = 4

// partedGroups is groups of rows that are combined part by part.
type partedGroups struct {
	*ordering // of the rows that have moved
	keys      []sortKey
	word      word       // of the keys
	out       *ir.Domain // the groups, if no way before makes them
	size      *ir.Value  // scalar: how many there are
	moved     *partition
	words     *ir.Value // of the rows that have moved
	low       *ir.Value // a column that comes along; nil if there is none
	lows      *ir.Value // that, in the low bits of the words or in words of its own
	keyWords  *ir.Value // those of the groups, where the rows of their part begin
	keyAt, at *ir.Value // of each group, in the order of parts: where its key and its folds are
	folded    map[tableKey]*ir.Value
	wide      bool // folds have at least 32 bits, as what atomic operations combine
}

// groupedByParts returns groups v by parts; nil if something asks more of them than folds of their rows.
func (o *ordering) groupedByParts(v *ir.Value, keys []sortKey, in *partRange, out *ir.Domain) *partedGroups {
	words := o.words(keys)
	if in == nil || !o.onlyFolds(v, keys) {
		return nil
	}
	p := o.places(groupPartBits, in.part(o, words[0]), in.part(o, o.words(keys)[0]))
	p.keys = keys
	for _, key := range keys {
		p.columns = append(p.columns, key.column)
	}
	g := &partedGroups{ordering: p.on, keys: keys, word: words[0], out: out, moved: p, low: o.lowOf(v, keys), folded: map[tableKey]*ir.Value{}}
	word := o.cast(ir.U32, o.words(keys)[0].value)
	if g.low != nil {
		word = o.wordWith(word, o.cast(ir.U32, g.low))
	}
	g.words = p.move(word)
	g.lows = g.words
	p.on.rows.By = g.words
	each := g.group(p.first, o.apply(ir.OpAdd, p.first, p.count), o.dividedGroups(), 0)
	source, begin := o.expanded(repetition{length: each}, o.newDomain(ir.DomainBins, o.rows.Name+"_distinct", nil))
	g.keyAt = g.placesOf(source, begin, p.first)
	places := o.add(o.pos, ir.Value{Op: ir.OpPlaceParts, Args: []*ir.Value{g.keyWords}, Type: ir.Type{Kind: ir.I64, Domain: p.on.rows, Target: p.on.rows}})
	g.at = o.gather(o.pos, places, g.keyAt)
	return g
}

// group finds the groups of parts between some places, and returns how many each has. Keys of one part share so many high bits.
func (g *partedGroups) group(first, end *ir.Value, divided int, shared int64) (each *ir.Value) {
	g.keyWords = g.add(g.pos, ir.Value{Op: ir.OpGroupParts, Args: []*ir.Value{first, end, g.words}, Split: divided, Shift: shared, Type: ir.Type{Kind: ir.U32, Domain: g.rows}})
	each = g.add(g.pos, ir.Value{Op: ir.OpDistinct, Args: []*ir.Value{g.keyWords}, Type: ir.Type{Kind: ir.I64, Domain: first.Type.Domain}})
	distinct := g.sum(each)
	g.size = g.choose(g.apply(ir.OpLe, distinct, g.number(math.MaxInt32)), g.apply(ir.OpGreatest, distinct, g.number(0)), g.number(0))
	return each
}

// placesOf returns the place of the key of each group, in the order of parts: of which part it is, and which group is the first of each part.
func (g *partedGroups) placesOf(part, begin, first *ir.Value) *ir.Value {
	offset := g.apply(ir.OpSub, g.gather(g.pos, first, part), g.gather(g.pos, begin, part))
	at := g.apply(ir.OpAdd, g.index(part, part.Type.Domain), offset)
	at.Type.Target = g.rows
	return at
}

// dividedGroups returns how many groups may divide a part: with all that they have in tables and columns, so many leave
// most of a cache that holds a table of parted rows.
func (o *ordering) dividedGroups() int { return int(max(o.parted/rowsPerDivided, leastDivided)) }

const (
	rowsPerDivided = 64 // of the rows of the smallest table that has parts
	leastDivided   = 32 // as few, in tests, still tell whether most rows bring new ones
)

// partRange says in which range of a word each part has its keys.
type partRange struct {
	least, shift *ir.Value // scalars: the least word of a sample, and the bits of a word within a part
	isEven       *ir.Value // a scalar above 0 if parts have about as many groups each
}

// part returns the part of each row with a word.
func (r *partRange) part(o *ordering, w word) *ir.Value {
	x := o.apply(ir.OpSub, o.apply(ir.OpGreatest, w.value, o.cast(ir.U32, r.least)), o.cast(ir.U32, r.least))
	return o.apply(ir.OpLeast, o.apply(ir.OpShr, x, o.cast(ir.U32, r.shift)), o.integer(x, 1<<groupPartBits-1))
}

// partsOfGroups returns the range of parts of groups by a sample of keys, of which the least and what the greatest
// exceeds it by are known; nil if groups with such keys never have parts.
func (s *sampledRows) partsOfGroups(least, span *ir.Value) *partRange {
	o := s.ordering
	if o.short || o.parted == 0 || !s.isNarrow {
		return nil
	}
	width := o.apply(ir.OpSub, o.number(codeBits), o.cast(ir.I64, o.apply(ir.OpLeadingzeros, span)))
	shift := o.apply(ir.OpGreatest, o.apply(ir.OpSub, width, o.number(groupPartBits)), o.number(0))
	known := func(x *ir.Value) *ir.Value {
		made := o.choose(o.apply(ir.OpGt, s.distinct, o.number(0)), x, o.number(0)) // there is a sample
		made.By = s.isLong
		return made
	}
	r := &partRange{least: known(o.cast(ir.I64, least)), shift: known(shift)}
	of := &ordering{expansion: o.expansion, pos: o.pos, rows: s.table.Type.Domain}
	isTaken := o.isTaken(s.table)
	row := o.choose(isTaken, o.cast(ir.I64, s.table), o.number(0))
	row.Type.Target = s.at.Type.Domain
	inSample := partRange{least: o.cast(ir.I64, least), shift: shift}
	part := inSample.part(of, word{o.gather(o.pos, s.words[0].value, row), s.words[0].bits})
	part = o.choose(isTaken, part, o.integer(part, 1<<groupPartBits)) // one more is of free slots
	parts := o.newDomain(ir.DomainBins, o.rows.Name+"_sample_parts", nil)
	parts.By = o.add(o.pos, ir.Value{Op: ir.OpDigits, Args: []*ir.Value{part, o.number(2 << groupPartBits)}, Shift: groupPartBits + 1, Type: ir.Type{Kind: ir.I64, Domain: parts}})
	groups := o.choose(o.apply(ir.OpLt, o.index(parts.By, parts), o.number(1<<groupPartBits)), parts.By, o.number(0))
	most := o.add(o.pos, ir.Value{Op: ir.OpMax, Args: []*ir.Value{groups}, Else: o.number(0), Type: ir.Type{Kind: ir.I64}})
	r.isEven = s.found(o.apply(ir.OpLe, o.apply(ir.OpMul, most, o.number(leastEven)), s.distinct))
	return r
}

// onlyFolds reports whether all that groups v are for are their keys and folds of their rows.
func (o *ordering) onlyFolds(v *ir.Value, keys []sortKey) bool {
	if o.isReturned(v) || slices.ContainsFunc(keys, func(key sortKey) bool { return !isInvertible(key.column.Type.Kind) }) {
		return false
	}
	for _, user := range o.from.Values {
		if slices.Contains(user.Args, v) || user.Else == v || user.Limit == v {
			return false
		}
		if user.By == v && !o.isKeyOf(user, keys) && !isFold(user) {
			return false
		}
	}
	return true
}

// isKeyOf reports whether an aggregate is a key of its groups.
func (o *ordering) isKeyOf(v *ir.Value, keys []sortKey) bool {
	switch v.Op {
	case ir.OpFirst, ir.OpLast, ir.OpMin, ir.OpMax: // all rows of a group have one key
		x := o.values[v.Args[0]]
		return slices.ContainsFunc(keys, func(key sortKey) bool { return key.column == x })
	}
	return false
}

// isFold reports whether v follows from folds of one column of the rows of groups that are not empty, and of their number.
func isFold(v *ir.Value) bool {
	if !v.Op.IsAggregate() {
		return false
	}
	if a := v.Op.Aggregate(); a.GivesRow() || a.IsEdge() {
		return false
	}
	return len(v.Args) == 0 || !v.Args[0].Type.IsScalar() && (v.Args[0].Type.Kind.IsInteger() || v.Args[0].Type.Kind.IsFloat() || v.Args[0].Type.Kind == ir.Bool)
}

// lowOf returns the first column that folds by v need, if it fits beside a key, and has been written; else nil.
func (o *ordering) lowOf(v *ir.Value, keys []sortKey) *ir.Value {
	for _, user := range o.from.Values {
		if user.By != v || len(user.Args) == 0 || o.isKeyOf(user, keys) {
			continue
		}
		x := o.values[user.Args[0]]
		if x == nil || x.Type.IsScalar() {
			continue
		}
		if x = unwidened(x); x.Type.Kind.IsInteger() && x.Type.Kind.Size() <= codeBits/8 {
			return x
		}
	}
	return nil
}

// condition returns how many groups there are.
func (g *partedGroups) condition() *ir.Value { return g.size }

// target returns the groups, whether they are made by parts or otherwise.
func (g *partedGroups) target() *ir.Domain { return g.out }

// numbers is for groups of which nothing is asked that needs them.
func (g *partedGroups) numbers() *ir.Value { panic("fuse: groups by parts do not number rows") }

// aggregate writes an aggregate by the groups.
func (g *partedGroups) aggregate(v *ir.Value) *ir.Value {
	if g.isKeyOf(v, g.keys) {
		columns := map[*ir.Value]*ir.Value{}
		held := g.gather(v.Pos, g.keyWords, g.keyAt)
		g.keysOf(g.cast(g.word.value.Type.Kind, held), g.keys, columns)
		return columns[g.values[v.Args[0]]]
	}
	a := v.Op.Aggregate()
	result := g.field(v, a.State[0])
	if a.Finish == ir.FinishQuotient {
		result = g.apply(ir.OpDiv, g.cast(ir.F64, result), g.cast(ir.F64, g.field(v, a.State[1])))
	}
	return result
}

// field writes a field of the state of an aggregate by the groups.
func (g *partedGroups) field(v *ir.Value, f ir.StateField) *ir.Value {
	kind := kindOf(f, v)
	made := ir.Value{Op: ir.OpFoldParts, Args: []*ir.Value{g.keyWords}, Reduce: f.Fold, Type: ir.Type{Kind: g.foldedAs(kind), Domain: g.rows}}
	at := tableKey{fold: f.Fold, kind: made.Type.Kind}
	if len(v.Args) > 0 && f.Element == ir.ElementArgument {
		at.x = unwidened(g.column(v.Args[0]))
		if at.x == g.low {
			made.Args, made.Const = append(made.Args, g.lows), ir.Scalar{Kind: at.x.Type.Kind}
		} else {
			made.Args = append(made.Args, g.moved.move(at.x))
		}
	}
	if g.folded[at] == nil {
		g.folded[at] = g.add(v.Pos, made)
	}
	x := g.gather(v.Pos, g.folded[at], g.at)
	if made.Type.Kind == kind {
		return x
	}
	return g.ofBits(g.cast(ir.U32, x), kind)
}

// foldedAs returns the kind of a fold of some kind.
func (g *partedGroups) foldedAs(kind ir.Kind) ir.Kind {
	switch {
	case !g.wide || kind.Size() >= codeBits/8:
		return kind
	case kind.IsInteger() && !kind.IsUnsigned():
		return ir.I32
	}
	return ir.U32
}

// wordsOfParts is the operand of OpGroupParts that is words.
const wordsOfParts = 2

// groupParts lowers groups that are made by parts.
func (l *lowering) groupParts(v *ir.Value) {
	s := l.stage(Insert, v.Pos, v.Args[0].Type.Domain)
	for _, x := range v.Args[:wordsOfParts] {
		l.read(s, x, tile.Element, l.options.Short) // a work-group takes a part, not a row
	}
	l.read(s, v.Args[wordsOfParts], tile.Gather, true)
	l.length(s, v.Type.Domain)
	s.roots = append(s.roots, v)
	l.defineResult(s, v)
}

// foldParts lowers a fold of their rows, which is made where these are found.
func (l *lowering) foldParts(v *ir.Value) {
	s := l.result(v.Args[0]).Writer
	for _, x := range v.Args[1:] {
		l.read(s, x, tile.Gather, true)
	}
	s.roots = append(s.roots, v)
	l.defineResult(s, v)
}

// groupParts stores w, the words of the keys of groups that are made by parts, and all folds of their rows, and
// returns how many groups a part has.
func (b *kernelBuilder) groupParts(w *Value) tile.ID {
	if distinct, ok := b.built[w]; ok {
		return distinct
	}
	b.onlyParts(w)
	v := w.IR
	b.known(w.Domain)
	first, end := b.column(v.Args[0]), b.column(v.Args[1])
	streams := []int{b.complete(b.graph.result(v.Args[wordsOfParts]), tile.Gather)}
	var folds []tile.PartFold
	places := tile.NoPlaces
	for _, written := range w.Writer.Writes {
		of := written.IR
		if of != nil && of.Op == ir.OpPlaceParts {
			places = b.Stream(written.Name, written.Type, written.Name, tile.Permute, true)
		}
		if of == nil || of.Op != ir.OpFoldParts {
			continue
		}
		f := tile.PartFold{Monoid: tile.NewFold(of.Reduce, written.Type), From: tile.OnlyRows, Kind: of.Const.Kind}
		for _, x := range of.Args[1:] {
			if f.From = b.complete(b.graph.result(x), tile.Gather); !slices.Contains(streams, f.From) {
				streams = append(streams, f.From)
			}
		}
		f.To = b.Stream(written.Name, written.Type, written.Name, tile.Permute, true)
		folds = append(folds, f)
	}
	stream := b.Stream(w.Name, w.Type, w.Name, tile.Permute, true)
	b.built[w] = b.GroupParts(stream, places, streams, folds, v.Split, int(v.Shift), first, end)
	return b.built[w]
}
