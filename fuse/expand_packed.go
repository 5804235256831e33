package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// A core sorts words of 64 bits: as many bits of the keys as there is room for, above the number
// of the row. Of each key only the range that its rows have takes bits, so most keys fit whole.
// Else the last bits of the keys are left out. Then rows whose words have equal keys, which are
// neighbours, are tied, and may lie in a wrong order. They are sorted again, by all bits, and take the
// places of tied rows in that order. As a rule they are few. If they are more than half of the rows,
// all rows are sorted again.

// packing is how keys are packed into words.
type packing struct {
	rows    *ir.Domain // that are numbered
	radix   *ir.Value  // scalars: how many bits a digit has at most,
	number  *ir.Value  // how many a word has for the number of the row,
	used    *ir.Value  // how many it uses above for the keys, and
	dropped *ir.Value  // how many bits of the keys are left out
}

// manyRows is by how many bits there are more rows than in a sample if a pass that is saved pays for four times
// as many counters, and if workers can have their own.
const manyRows = 5

// packedKey is a key, or a part of one, without what all rows share.
type packedKey struct {
	value *ir.Value // of 64 bits
	low   int       // the lowest bit that is used, and
	bits  *ir.Value // scalar: how many are
	mask  *ir.Value // scalar: which these are; nil if no others are set
}

// isPacked reports whether keys are packed: on a core, unless they are so narrow that their range
// would cost more to find than it saves.
func (o *ordering) isPacked(keys []sortKey) bool {
	bits := 0
	for _, key := range keys {
		bits += key.width
	}
	return !o.short && bits > numberBits
}

// sortPacked sorts rows by keys, and returns their numbers. If they have numbers of their own, ascending, those
// are of rows that have the keys all, else all are keys.
func (o *ordering) sortPacked(keys, all []sortKey) *ir.Value {
	word, p := o.pack(keys, all)
	sorted := o.sortWords(word, p)

	// Neighbours whose bits are equal are tied unless these are all bits.
	bits := o.apply(ir.OpShr, sorted, p.number)
	number := o.numberIn(sorted, p)
	equal := func(op ir.Op) *ir.Value {
		neighbour := o.add(o.pos, ir.Value{Op: op, Args: []*ir.Value{bits, o.constant(ir.Scalar{Kind: ir.U64, Bits: 1<<64 - 1})}, Shift: 1, Type: bits.Type})
		return o.apply(ir.OpEq, bits, neighbour)
	}
	isTied := o.apply(ir.OpLogicalAnd, o.apply(ir.OpGt, p.dropped, o.number(0)), o.apply(ir.OpLogicalOr, equal(ir.OpPrev), equal(ir.OpNext)))
	row := o.index(number, o.rows)
	tied, every := o.selected("_tied", isTied), o.selected("_all", o.apply(ir.OpGe, row, o.number(0)))
	count := o.add(o.pos, ir.Value{Op: ir.OpLen, Args: []*ir.Value{tied(row)}, Type: ir.Type{Kind: ir.I64}})
	few := o.apply(ir.OpLe, count, o.apply(ir.OpShr, o.length(number), o.number(1)))
	isFew := o.choose(few, o.number(1), o.number(0))
	again := &ordering{expansion: o.expansion, pos: o.pos, of: number.Type.Target}
	again.rows = o.newDomain(ir.DomainEither, number.Type.Target.Name+"_again", o.rows)
	again.out = again.rows
	either := func(x, unsorted *ir.Value) *ir.Value {
		return o.either(isFew, tied(x), every(unsorted), ir.Type{Kind: ir.I64, Domain: again.rows, Target: x.Type.Target})
	}
	numbers, place := either(number, o.ownNumber(keys)), either(row, o.row(keys))
	settled := again.sortNumbered(o.keysAt(all, numbers), numbers)

	v := ir.Value{Op: ir.OpScatter, Limit: o.limit, Args: []*ir.Value{settled, place, number, row}, Type: number.Type}
	v.Type.Domain = o.out
	return o.add(o.pos, v)
}

// pack returns the keys and the number of each row in one word; see sortPacked.
func (o *ordering) pack(keys, all []sortKey) (*ir.Value, packing) {
	last := o.apply(ir.OpGreatest, o.apply(ir.OpSub, o.length(all[0].column), o.number(1)), o.number(1))
	room := o.cast(ir.I64, o.apply(ir.OpLeadingzeros, o.cast(ir.U64, last)))
	isMany := o.apply(ir.OpGe, o.length(keys[0].column), o.number(o.sample<<manyRows))
	p := packing{rows: all[0].column.Type.Domain, number: o.apply(ir.OpSub, o.number(64), room), radix: o.choose(isMany, o.number(int64(o.manyRadix)), o.number(int64(o.radix)))}
	var parts []packedKey
	rising := 0 // how many parts may move up: those of the last key have at most its own lower bits behind
	for _, key := range keys {
		rising = len(parts)
		parts = append(parts, o.packKey(key)...)
	}
	total, behind := o.number(0), make([]*ir.Value, len(parts)) // bits of all keys, and of those behind each
	for i, part := range slices.Backward(parts) {
		behind[i] = total
		total = o.apply(ir.OpAdd, part.bits, total)
	}
	// What does not fit has ties anyway, so a pass by the few bits that are left over is not worth it.
	p.used = o.choose(o.apply(ir.OpLe, total, room), total, o.apply(ir.OpSub, room, o.apply(ir.OpRem, room, p.radix)))
	p.dropped = o.apply(ir.OpSub, total, p.used)
	full, none := o.constant(ir.Scalar{Kind: ir.U64, Bits: 1<<64 - 1}), o.constant(ir.Int(ir.U64, 0))
	var word *ir.Value
	for i, part := range parts {
		shift := o.apply(ir.OpSub, o.apply(ir.OpSub, behind[i], p.dropped), o.number(int64(part.low)))
		moved := func(x *ir.Value) *ir.Value {
			if i < rising {
				x = o.apply(ir.OpShl, x, o.apply(ir.OpGreatest, shift, o.number(0)))
			}
			return o.apply(ir.OpShr, x, o.apply(ir.OpGreatest, o.apply(ir.OpNeg, shift), o.number(0)))
		}
		x := moved(part.value)
		if len(parts) > 1 { // a part may be left out altogether
			mask := full
			if part.mask != nil {
				mask = moved(part.mask)
			}
			isIn := o.apply(ir.OpGt, o.apply(ir.OpAdd, behind[i], part.bits), p.dropped)
			x = o.apply(ir.OpAnd, x, o.choose(isIn, mask, none))
		}
		if word != nil {
			x = o.apply(ir.OpOr, word, x)
		}
		word = x
	}
	return o.apply(ir.OpOr, o.apply(ir.OpShl, word, p.number), o.cast(ir.U64, o.ownNumber(keys))), p
}

// ownNumber returns the numbers that rows have for the caller.
func (o *ordering) ownNumber(keys []sortKey) *ir.Value {
	if o.numbers != nil {
		return o.numbers
	}
	return o.row(keys)
}

// packKey returns a key, in parts, without what all rows share.
func (o *ordering) packKey(key sortKey) []packedKey {
	switch key.column.Type.Kind {
	case ir.Bool:
		return []packedKey{{value: o.cast(ir.U64, o.rising(key)), bits: o.number(1)}}
	case ir.Char8:
		return o.packBytes(key)
	}
	least, greatest := o.extreme(ir.OpMin, o.rising(key)), o.extreme(ir.OpMax, o.rising(key))
	span := o.cast(ir.U64, o.apply(ir.OpSub, greatest, least))
	bits := o.apply(ir.OpSub, o.number(64), o.cast(ir.I64, o.apply(ir.OpLeadingzeros, span)))
	return []packedKey{{value: o.cast(ir.U64, o.apply(ir.OpSub, o.rising(key), least)), bits: bits}}
}

// packBytes returns the bytes of a text, each without the highest bits that all rows share:
// letters need 5 bits, or 6.
func (o *ordering) packBytes(key sortKey) []packedKey {
	fold := func(op ir.Op) *ir.Value {
		x := o.rising(key)
		return o.add(o.pos, ir.Value{Op: op, Args: []*ir.Value{x}, Type: ir.Type{Kind: x.Type.Kind}})
	}
	differing := o.apply(ir.OpAndNot, fold(ir.OpAny), fold(ir.OpAll)) // bits that are set in some rows, and not in all
	text, one := o.rising(key), o.constant(ir.Int(ir.U64, 1))
	var parts []packedKey
	for at := key.width - 8; at >= 0; at -= 8 {
		low := o.number(int64(at))
		bits := o.apply(ir.OpAnd, o.apply(ir.OpShr, differing, low), o.integer(text, 0xff))
		width := o.apply(ir.OpSub, o.number(64), o.cast(ir.I64, o.apply(ir.OpLeadingzeros, bits)))
		mask := o.apply(ir.OpShl, o.apply(ir.OpSub, o.apply(ir.OpShl, one, width), one), low)
		parts = append(parts, packedKey{value: text, low: at, bits: width, mask: mask})
	}
	return parts
}

// numberIn returns the number of the row of a packed word.
func (o *ordering) numberIn(word *ir.Value, p packing) *ir.Value {
	one := o.constant(ir.Int(ir.U64, 1))
	number := o.cast(ir.I64, o.apply(ir.OpAnd, word, o.apply(ir.OpSub, o.apply(ir.OpShl, one, p.number), one)))
	number.Type.Target = p.rows
	return number
}

// sortWords sorts packed words by the bits of their keys.
func (o *ordering) sortWords(word *ir.Value, p packing) *ir.Value {
	ceilDiv := func(x, y *ir.Value) *ir.Value {
		return o.apply(ir.OpDiv, o.apply(ir.OpSub, o.apply(ir.OpAdd, x, y), o.number(1)), y)
	}
	count := ceilDiv(p.used, p.radix)
	width := ceilDiv(p.used, o.apply(ir.OpGreatest, count, o.number(1)))
	s := &sorting{radix: o.manyRadix, most: (maxWord + o.radix - 1) / o.radix, first: p.number, count: count, width: width, isTight: o.manyRadix > o.radix,
		bases: []*ir.Value{p.radix, p.used}}
	before := o.before(word, s.most, nil, s)
	moved := func(from *ir.Value, part sortPart) *ir.Value {
		return o.move(carried{key: from}, o.place(carried{key: from}, before, 0, turn{of: s, part: part})).key
	}
	first := moved(word, firstPass)
	middle := moved(first, middlePass)
	v := ir.Value{Op: ir.OpScatter, Type: word.Type}
	v.Args = append(v.Args, middle, o.place(carried{key: middle}, before, 0, turn{of: s, part: lastPass}))
	v.Args = append(v.Args, word, o.place(carried{key: word}, before, 0, turn{of: s, part: onlyPass}))
	row := o.index(word, o.rows)
	o.turns[row] = turn{of: s, part: noPass}
	v.Args = append(v.Args, word, row)
	return o.add(o.pos, v)
}
