package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Rows of more groups than local memory or a cache holds are partitioned first: a pass moves them
// in the order of some bits of a hash of their keys, with all columns that aggregates read. Then
// neighbours are rows of few groups. A work-group's tables in local memory hold these, and
// what global memory combines is little: once per group, and where parts begin and end. On cores
// a part of the table lies in a cache while its rows are entered.
//
// A sample tells whether that is worth it. Of very many groups each has few rows, and a sort
// is as fast.

// partitionBits are the most bits by which rows move, and those of a hash: the bits of a pass.
const partitionBits = 8

// mostPartitioned is the most groups of partitioned rows on cores: more of one part than this many
// divided by the number of parts leave the caches.
const mostPartitioned = 1 << 24

// leastOfPart is for how many groups a part of a table on cores has room at least.
const leastOfPart = 32

// lessPartitioned is how many times fewer rows a group needs than one without a partition.
const lessPartitioned = 8

// roomForSome returns the room of a table of rows that have been partitioned: for a few times as
// many groups as a sample takes for too many, and more than need no partition.
func (o *ordering) roomForSome() room {
	rowsPerGroup := max(o.hash/lessPartitioned, 1)
	if !o.short {
		return room{rowsPerGroup: rowsPerGroup, rowsPerWide: rowsPerGroup, most: mostPartitioned}
	}
	return room{rowsPerGroup: rowsPerGroup, rowsPerWide: 2 * rowsPerGroup, most: 2 * max(o.mostSome(), o.hashGroups)}
}

// partition is rows that lie in the order of some bits: those of a hash of their keys, or the high
// bits of their bins.
type partition struct {
	*ordering             // of the rows before
	keys      []sortKey   // of these
	columns   []*ir.Value // likewise
	on        *ordering   // of the rows that have moved
	movedKeys []sortKey   // of these
	first     *ir.Value   // of each part: the place of its first row
	count     *ir.Value   // likewise: how many rows it has
	place     *ir.Value   // to which each row moves
	moved     map[*ir.Value]*ir.Value
	numbered  *ir.Value // the number of each row; nil until something needs it
}

// partitioned returns groups v by a hash table with some room, of rows that are partitioned before. If about is not nil, it says how many
// groups a sample has, or 0 if that is too many; then all rows tell whether there are few enough.
func (o *ordering) partitioned(v *ir.Value, keys []sortKey, out *ir.Domain, has room, about *ir.Value) (h *hashed, tried *ir.Value) {
	p := o.partition(keys, partitionBits, o.hashDigit(o.words(keys)), o.hashDigit(o.words(keys)), o.beside(v, keys))
	p.place.AnyOrder = o.inAnyOrder(v, keys)
	tried = about
	if o.short && about != nil {
		rare := o.rareKeys(keys, p.count)
		words := o.words(keys)
		most := o.mostGroups(o.length(keys[0].column), len(words) == 1 && words[0].bits <= codeBits, has)
		tried, has.upTo = rare.areFew(o, most), rare.mostGroups(o)
		tried.By = about
	}
	return p.on.hashed(p.movedKeys, out, p, has, about), tried
}

// partition moves rows in the order of a digit of so many bits, which is written anew where it is
// needed again: it costs less to compute than to store. A key of 32 bits and a column beside it, if not nil, move in one word.
func (o *ordering) partition(keys []sortKey, bits int, digit, again, beside *ir.Value) *partition {
	p := o.places(bits, digit, again)
	p.keys = keys
	if key := keys[0].column; beside != nil && (key.Type.Kind == ir.I32 || key.Type.Kind == ir.U32) {
		word := p.move(o.besideKey(o.bitsOf(beside), o.bitsOf(key)))
		high := o.apply(ir.OpShr, word, o.integer(word, numberBits))
		p.moved[key], p.moved[beside] = o.cast(key.Type.Kind, word), o.ofBits(o.cast(ir.U32, high), beside.Type.Kind)
	}
	for _, key := range keys {
		p.columns = append(p.columns, key.column)
	}
	p.movedKeys = slices.Clone(keys)
	for i, key := range keys {
		p.movedKeys[i].column = p.move(key.column)
	}
	p.on.rows.By = p.movedKeys[0].column
	return p
}

// places is a partition that moves no column yet.
func (o *ordering) places(bits int, digit, again *ir.Value) *partition {
	p := &partition{ordering: o, moved: map[*ir.Value]*ir.Value{}}
	p.on = &ordering{expansion: o.expansion, pos: o.pos, rows: o.newDomain(ir.DomainOrder, o.rows.Name+"_partitioned", o.rows)}
	counts := o.newDomain(ir.DomainBins, o.rows.Name+"_parts", nil)
	counts.By = o.add(o.pos, ir.Value{Op: ir.OpDigits, Args: []*ir.Value{digit, o.number(1 << bits)}, Shift: int64(bits), Type: ir.Type{Kind: ir.I64, Domain: counts}})
	p.first = o.add(o.pos, ir.Value{Op: ir.OpExscan, Reduce: ir.ReduceAdd, Args: []*ir.Value{counts.By}, Type: counts.By.Type})
	p.count = counts.By
	p.place = p.rank(bits, again)
	return p
}

// inAnyOrder reports whether rows of groups, or bins, may be combined in any order: nothing but keys and exact folds is
// asked of these.
func (o *ordering) inAnyOrder(v *ir.Value, keys []sortKey) bool {
	isKey := func(arg *ir.Value) bool {
		x := o.column(arg)
		return x != nil && isInvertible(x.Type.Kind) && slices.ContainsFunc(keys, func(key sortKey) bool { return key.column == x })
	}
	minds := func(user *ir.Value) bool {
		switch {
		case user.By != v:
			return false
		case !user.Op.IsAggregate() || user.Op.Aggregate().GivesRow():
			return true
		case user.Op == ir.OpFirst || user.Op == ir.OpLast:
			return !isKey(user.Args[0])
		}
		return slices.ContainsFunc(user.Args, func(arg *ir.Value) bool { return arg.Type.Kind.IsFloat() })
	}
	return !slices.ContainsFunc(o.from.Values, minds)
}

// rank returns the place to which each row moves by a digit of so many bits.
func (p *partition) rank(bits int, digit *ir.Value) *ir.Value {
	return p.add(p.pos, ir.Value{Op: ir.OpRank, Args: []*ir.Value{digit, p.first}, Split: bits, Type: ir.Type{Kind: ir.I64, Domain: p.rows, Target: p.rows}})
}

// hashDigit returns the bits of the hash by which a row moves: the highest, so that rows that lie
// together enter slots that lie together.
func (o *ordering) hashDigit(words []word) *ir.Value {
	hash, bits := o.hashOf(words), uint64(64)
	if len(words) == 1 && words[0].bits <= codeBits {
		hash, bits = o.narrowHash(words[0]), codeBits
	}
	return o.cast(ir.U32, o.apply(ir.OpShr, hash, o.integer(hash, bits-partitionBits)))
}

// move returns a column in the order of the partitioned rows.
func (p *partition) move(x *ir.Value) *ir.Value {
	if x.Type.IsScalar() {
		return x
	}
	if from := unwidened(x); from != x {
		return p.cast(x.Type.Kind, p.move(from))
	}
	if p.moved[x] == nil {
		t := x.Type
		t.Domain = p.on.rows
		p.moved[x] = p.add(p.pos, ir.Value{Op: ir.OpScatter, Args: []*ir.Value{x, p.place}, Type: t})
	}
	return p.moved[x]
}

// numbers returns, of each row that has moved, the number that it had before.
func (p *partition) numbers() *ir.Value {
	if p.numbered == nil {
		p.numbered = p.index(p.columns[0], p.rows)
	}
	return p.move(p.numbered)
}
