package fuse

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// A table that no cache holds costs a row two misses: where it is entered, and where it is looked up.
// So the rows of a large one, and those that are looked up in it, are partitioned by a hash of their keys first.
// Then nobody makes the whole table: that of a part has few rows, is made in the cache, and looked up
// and forgotten there. Parts have nothing to do with each other, so several workers take them.
// The codes that are found go back to the order of their rows, where the others read them one by one.
//
// Words of key and code move, not the columns of keys: so each row moves once.

// partedTable is a table of parts.
type partedTable struct {
	*partedRows           // words have key and code
	codes       *ir.Value // of the first rows that are looked up; nil until then
}

// partedRows are rows in the order of parts.
type partedRows struct {
	*partition
	on    *ordering // of the rows before
	keys  []*ir.Value
	words *ir.Value // of the rows that have moved
}

// isParted returns whether a table of so many rows has parts, as a bool scalar, nil if it never has.
func (o *ordering) isParted(t rowTable, rows *ir.Value) *ir.Value {
	if o.parted == 0 || !o.parts || !o.entersCodes(t) {
		return nil
	}
	isLarge := o.apply(ir.OpGe, rows, o.integer(rows, uint64(o.parted)))
	isHashed := o.apply(ir.OpEq, t.isDirect, o.constant(ir.BoolScalar(false)))
	if t.isWhole && t.direct != nil { // with more rows than keys, some rows have several partners, and parts are better in any case
		isHashed = o.apply(ir.OpLogicalOr, isHashed, o.apply(ir.OpLt, o.cast(ir.U64, t.direct), rows))
	}
	return o.apply(ir.OpLogicalAnd, isLarge, isHashed)
}

// partsOf moves rows that have a word in the order of parts, by a hash of their keys. They are all rows, if the
// table has parts, and else none.
func (o *ordering) partsOf(t rowTable, keys []*ir.Value, wordOf func(word, row *ir.Value) *ir.Value) *partedRows {
	row := o.rowsIfParted(t, keys[0])
	p := &partedRows{on: &ordering{expansion: o.expansion, pos: o.pos, rows: row.Type.Domain}, keys: keys}
	p.partition = p.on.places(partitionBits, p.digit(), p.digit())
	p.words = p.move(wordOf(p.keyWords(row)[0].value, row))
	p.partition.on.rows.By = p.words
	return p
}

// keyWords returns the words of the keys of rows. What needs them has its own: to read a key anew costs less than
// to store it.
func (p *partedRows) keyWords(row *ir.Value) []word {
	own := make([]*ir.Value, len(p.keys))
	for i, key := range p.keys {
		own[i] = p.on.gather(p.on.pos, key, row)
	}
	return p.on.words(p.on.sortKeysOf(own))
}

// digit returns the part of each row.
func (p *partedRows) digit() *ir.Value {
	return p.on.hashDigit(p.keyWords(p.on.sameRow(p.keys[0], p.on.rows)))
}

// sameRow returns the number of each row in d as one of the rows of x.
func (o *ordering) sameRow(x *ir.Value, d *ir.Domain) *ir.Value {
	row := o.index(x, d)
	row.Type.Target = x.Type.Domain
	return row
}

// rowsIfParted returns the number of each row of x if the table has parts, and else no number.
func (o *ordering) rowsIfParted(t rowTable, x *ir.Value) *ir.Value {
	row := o.index(x, x.Type.Domain)
	of := &ordering{expansion: o.expansion, pos: o.pos, rows: x.Type.Domain}
	return o.sameRow(x, of.sampleOfSize(row, o.apply(ir.OpMul, o.length(x), t.parted)))
}

// matchParts returns the codes that a table of parts has for keys; for each row, if the table has
// parts, and else of no row.
func (o *ordering) matchParts(t rowTable, keys []*ir.Value, in *partedTable) *ir.Value {
	left := o.partsOf(t, keys, func(word, _ *ir.Value) *ir.Value { return word })
	of := func(x *ir.Value) *ir.Value { return o.gather(o.pos, x, o.sameRow(x, in.first.Type.Domain)) }
	from := of(left.first)
	args := []*ir.Value{in.first, o.apply(ir.OpAdd, in.first, in.count), from, o.apply(ir.OpAdd, from, of(left.count)), in.words, left.words}
	codes := o.add(o.pos, ir.Value{Op: ir.OpMatchParts, Args: args, Type: ir.Type{Kind: ir.U32, Domain: left.words.Type.Domain}})
	if in.codes == nil {
		in.codes = codes
	}
	at := left.rank(partitionBits, left.digit())
	at.Type.Target = codes.Type.Domain
	return o.ifParted(t, o.gather(o.pos, codes, at))
}

// distinctParts returns how many different keys a table of parts has, 0 if it has none.
func (o *ordering) distinctParts(t rowTable, in *partedTable) *ir.Value {
	each := o.add(o.pos, ir.Value{Op: ir.OpDistinct, Args: []*ir.Value{in.codes}, Type: ir.Type{Kind: ir.I64, Domain: in.first.Type.Domain}})
	each = o.ifParted(t, o.gather(o.pos, each, o.rowsIfParted(t, each)))
	return o.add(o.pos, ir.Value{Op: ir.OpSum, Args: []*ir.Value{each}, Type: ir.Type{Kind: ir.I64}})
}

// ifParted returns x if the table has parts, and else no row: the plan then leaves out what x is made of.
func (o *ordering) ifParted(t rowTable, x *ir.Value) *ir.Value {
	row := o.index(x, x.Type.Domain)
	of := &ordering{expansion: o.expansion, pos: o.pos, rows: x.Type.Domain}
	none := of.sampleOfSize(row, o.apply(ir.OpMul, t.parted, o.number(0)))
	out := o.newDomain(ir.DomainEither, x.Type.Domain.Name+"_if_parted", x.Type.Domain)
	return o.either(t.parted, x, o.cast(x.Type.Kind, o.apply(ir.OpMul, o.index(row, none), o.number(0))), ir.Type{Kind: x.Type.Kind, Domain: out})
}

// firstOfParts is the operand of OpMatchParts that is words.
const firstOfParts = 4

// matchParts lowers the codes of rows that are looked up by parts.
func (l *lowering) matchParts(v *ir.Value) {
	s := l.stage(Insert, v.Pos, v.Args[0].Type.Domain)
	for _, x := range v.Args[:firstOfParts] {
		l.read(s, x, tile.Element, false)
	}
	for _, x := range v.Args[firstOfParts:] {
		l.read(s, x, tile.Gather, true)
	}
	l.length(s, v.Type.Domain)
	s.roots = append(s.roots, v)
	l.defineResult(s, v)
}

// foundInParts lowers what is found out where rows of parts are looked up.
func (l *lowering) foundInParts(v *ir.Value) {
	s := l.result(v.Args[0]).Writer
	s.roots = append(s.roots, v)
	l.defineResult(s, v)
}

// onlyParts refuses other stages beside that which writes w, whose rows are parts.
func (b *kernelBuilder) onlyParts(w *Value) {
	for s := range b.in {
		if s != w.Writer {
			b.refuse("parts are looked up by themselves, and not beside %s", s.Name)
		}
	}
}

// matchParts stores w, the codes of rows that are looked up by parts, or their partners, and returns how many different
// keys a part has. Workers take parts, not rows, so nothing is folded beside them.
func (b *kernelBuilder) matchParts(w *Value) tile.ID {
	if distinct, ok := b.built[w]; ok {
		return distinct
	}
	b.onlyParts(w)
	v := w.IR
	b.known(w.Domain)
	args := make([]tile.ID, firstOfParts)
	for i := range args {
		args[i] = b.column(v.Args[i])
	}
	streams := make([]int, len(v.Args)-firstOfParts)
	for i, x := range v.Args[firstOfParts:] {
		streams[i] = b.complete(b.graph.result(x), tile.Gather)
	}
	stream := b.Stream(w.Name, w.Type, w.Name, tile.Permute, true)
	if v.Op == ir.OpMatchParts {
		b.built[w] = b.MatchParts(stream, streams[0], streams[1], args[0], args[1], args[2], args[3])
		return b.built[w]
	}
	places := tile.NoPlaces
	for _, written := range w.Writer.Writes {
		if of := written.IR; of != nil && of.Op == ir.OpOrderParts {
			places = b.Stream(written.Name, written.Type, written.Name, tile.Permute, true)
		}
	}
	b.built[w] = b.PartnerParts(stream, places, streams[0], streams[1], args[0], args[1], args[2], args[3])
	return b.built[w]
}
