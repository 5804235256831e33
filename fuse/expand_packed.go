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
	number  *ir.Value // scalars: how many bits a word has for the number of the row,
	used    *ir.Value // how many it uses above for the keys, and
	dropped *ir.Value // how many bits of the keys are left out
}

// manyRows is by how many bits there are more rows than in a sample if a pass that is saved pays for four times
// as many counters, and if workers can have their own.
const manyRows = 5

// packedKey is a key without what all rows share.
type packedKey struct {
	value *ir.Value // of 64 bits
	bits  *ir.Value // scalar: how many of them are used
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

// sortPacked sorts rows by keys, and returns their numbers.
func (o *ordering) sortPacked(keys []sortKey) *ir.Value {
	word, p := o.pack(keys)
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
	tied, all := o.selected("_tied", isTied), o.selected("_all", o.apply(ir.OpGe, row, o.number(0)))
	count := o.add(o.pos, ir.Value{Op: ir.OpLen, Args: []*ir.Value{tied(row)}, Type: ir.Type{Kind: ir.I64}})
	few := o.apply(ir.OpLe, count, o.apply(ir.OpShr, o.length(number), o.number(1)))
	isFew := o.choose(few, o.number(1), o.number(0))
	again := &ordering{expansion: o.expansion, pos: o.pos, of: o.rows}
	again.rows = o.newDomain(ir.DomainEither, o.rows.Name+"_again", o.rows)
	again.out = again.rows
	either := func(x *ir.Value) *ir.Value {
		return o.either(isFew, tied(x), all(o.index(number, o.rows)), ir.Type{Kind: ir.I64, Domain: again.rows, Target: o.rows})
	}
	numbers, place := either(number), either(row)
	settled := again.sortNumbered(o.keysAt(keys, numbers), numbers)

	v := ir.Value{Op: ir.OpScatter, Limit: o.limit, Args: []*ir.Value{settled, place, o.numberOf(number), row}, Type: number.Type}
	v.Type.Domain = o.out
	return o.add(o.pos, v)
}

// pack returns the keys and the number of each row in one word.
func (o *ordering) pack(keys []sortKey) (*ir.Value, packing) {
	rows := o.length(keys[0].column)
	last := o.apply(ir.OpGreatest, o.apply(ir.OpSub, rows, o.number(1)), o.number(1))
	room := o.cast(ir.I64, o.apply(ir.OpLeadingzeros, o.cast(ir.U64, last)))
	p := packing{number: o.apply(ir.OpSub, o.number(64), room)}
	var parts []packedKey
	for _, key := range keys {
		parts = append(parts, o.packKey(key)...)
	}
	total, behind := o.number(0), make([]*ir.Value, len(parts)) // bits of all keys, and of those behind each
	for i, part := range slices.Backward(parts) {
		behind[i] = total
		total = o.apply(ir.OpAdd, part.bits, total)
	}
	p.used = o.apply(ir.OpLeast, total, room)
	p.dropped = o.apply(ir.OpSub, total, p.used)
	var word *ir.Value
	for i, part := range parts {
		shift := o.apply(ir.OpSub, behind[i], p.dropped)
		up, down := o.apply(ir.OpGreatest, shift, o.number(0)), o.apply(ir.OpGreatest, o.apply(ir.OpNeg, shift), o.number(0))
		x := o.apply(ir.OpShr, o.apply(ir.OpShl, part.value, up), down)
		if len(parts) > 1 { // a key may be left out altogether
			isIn := o.apply(ir.OpLt, down, part.bits)
			x = o.apply(ir.OpAnd, x, o.choose(isIn, o.constant(ir.Scalar{Kind: ir.U64, Bits: 1<<64 - 1}), o.constant(ir.Int(ir.U64, 0))))
		}
		if word != nil {
			x = o.apply(ir.OpOr, word, x)
		}
		word = x
	}
	row := o.cast(ir.U64, o.index(keys[0].column, o.rows))
	return o.apply(ir.OpOr, o.apply(ir.OpShl, word, p.number), row), p
}

// packKey returns a key, in parts, without what all rows share.
func (o *ordering) packKey(key sortKey) []packedKey {
	switch key.column.Type.Kind {
	case ir.Bool:
		return []packedKey{{o.cast(ir.U64, o.rising(key)), o.number(1)}}
	case ir.Char8:
		return o.packBytes(key)
	}
	least, greatest := o.extreme(ir.OpMin, o.rising(key)), o.extreme(ir.OpMax, o.rising(key))
	span := o.cast(ir.U64, o.apply(ir.OpSub, greatest, least))
	bits := o.apply(ir.OpSub, o.number(64), o.cast(ir.I64, o.apply(ir.OpLeadingzeros, span)))
	return []packedKey{{o.cast(ir.U64, o.apply(ir.OpSub, o.rising(key), least)), bits}}
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
		mask := o.apply(ir.OpSub, o.apply(ir.OpShl, one, width), one)
		parts = append(parts, packedKey{o.apply(ir.OpAnd, o.apply(ir.OpShr, text, low), mask), width})
	}
	return parts
}

// numberIn returns the number of the row of a packed word.
func (o *ordering) numberIn(word *ir.Value, p packing) *ir.Value {
	one := o.constant(ir.Int(ir.U64, 1))
	number := o.cast(ir.I64, o.apply(ir.OpAnd, word, o.apply(ir.OpSub, o.apply(ir.OpShl, one, p.number), one)))
	number.Type.Target = o.rows
	return number
}

// sortWords sorts packed words by the bits of their keys.
func (o *ordering) sortWords(word *ir.Value, p packing) *ir.Value {
	ceilDiv := func(x, y *ir.Value) *ir.Value {
		return o.apply(ir.OpDiv, o.apply(ir.OpSub, o.apply(ir.OpAdd, x, y), o.number(1)), y)
	}
	isMany := o.apply(ir.OpGe, o.length(word), o.number(o.sample<<manyRows))
	count := ceilDiv(p.used, o.choose(isMany, o.number(int64(o.manyRadix)), o.number(int64(o.radix))))
	width := ceilDiv(p.used, o.apply(ir.OpGreatest, count, o.number(1)))
	s := &sorting{radix: o.manyRadix, most: (maxWord + o.radix - 1) / o.radix, first: p.number, count: count, width: width, isTight: o.manyRadix > o.radix}
	before := o.before(word, s.most, nil, s)
	moved := func(from *ir.Value, part sortPart) *ir.Value {
		return o.move(carried{both: from}, o.place(carried{both: from}, before, 0, turn{s, part})).both
	}
	first := moved(word, firstPass)
	middle := moved(first, middlePass)
	v := ir.Value{Op: ir.OpScatter, Type: word.Type}
	v.Args = append(v.Args, middle, o.place(carried{both: middle}, before, 0, turn{s, lastPass}))
	v.Args = append(v.Args, word, o.place(carried{both: word}, before, 0, turn{s, onlyPass}))
	row := o.index(word, o.rows)
	o.turns[row] = turn{s, noPass}
	v.Args = append(v.Args, word, row)
	return o.add(o.pos, v)
}
