package fuse

import (
	"math"

	"github.com/kgen-go/kgen/ir"
)

// Few rows of a table whose slots turn out to be no keys enter it as words at once, where the pipeline searches one table alone: a hash that tells the key,
// above the number of the row and its code. So the least word of a key is that of its first row, no slot is visited again to look for
// what its row has, and a search leaves out the bits of rows. Where these and codes have more than the 32 bits below a hash, words have numbers of rows, and
// a second visit puts codes in their place.

// hashedWords returns the words of the hashes and codes of a table where slots are no keys, whose rows have these codes. They are those of a column
// as c says or, if that is nil, ascend with the rows.
func (o *ordering) hashedWords(t rowTable, code *ir.Value, c *coding) *ir.Value {
	many := o.sortedWords(t, code)
	return o.either(o.isSmall(t.keys[0]), o.enteredWords(t, c), many, many.Type)
}

// enteredWords is hashedWords of rows as they come. What words are made of is computed where they enter.
func (o *ordering) enteredWords(t rowTable, c *coding) *ir.Value {
	rows := t.keys[0].Type.Domain
	row := func() *ir.Value { return o.cast(ir.U32, o.index(t.keys[0], rows)) }
	enter := func(low *ir.Value) *ir.Value {
		hash := o.narrowHash(o.words(o.sortKeysOf(t.keys))[0])
		args := []*ir.Value{o.shortSlot(t, hash), t.hashed, o.wordWith(hash, low)}
		return o.add(o.pos, ir.Value{Op: ir.OpEnter, Args: args, AnyOrder: true, Split: t.bucket, Type: ir.Type{Kind: ir.U64, Domain: t.sorted.slots}})
	}
	withRow := func() *ir.Value { return enter(o.apply(ir.OpAdd, row(), o.constant(ir.Int(ir.U32, 1)))) }
	switch {
	case c == nil:
		return withRow()
	case c.column == nil:
		return enter(o.codeOfRow(*c, nil))
	}
	code := o.cast(ir.U32, o.codeOfRow(*c, o.index(t.keys[0], rows)))
	both := enter(o.apply(ir.OpOr, o.apply(ir.OpShl, row(), c.bits), code))

	words := withRow()
	first := o.rowOfCode(o.cast(ir.U32, words))
	first.Type.Target = rows
	isTaken := o.apply(ir.OpNe, words, o.integer(words, 0))
	hash := o.apply(ir.OpShr, words, o.integer(words, codeBits))
	again := o.choose(isTaken, o.wordWith(hash, o.codeOfRow(*c, first)), o.integer(words, 0))
	return o.either(o.isAtOnce(t, c), both, again, both.Type)
}

// isAtOnce returns a scalar that is above 0 if rows and codes fit words below a hash.
func (o *ordering) isAtOnce(t rowTable, c *coding) *ir.Value {
	if c.atOnce == nil {
		bits := o.apply(ir.OpAdd, o.bitsUpTo(o.apply(ir.OpSub, o.length(t.keys[0]), o.number(1))), o.cast(ir.I64, c.bits))
		fits := o.apply(ir.OpLe, bits, o.number(codeBits))
		if c.fits != nil {
			fits = o.apply(ir.OpLogicalAnd, fits, c.fits)
		}
		c.atOnce = o.choose(fits, o.number(1), o.number(0))
	}
	return c.atOnce
}

// withoutRow returns the codes that searches have found, without the numbers of rows above them.
func (o *ordering) withoutRow(t rowTable, c *coding, found *ir.Value) *ir.Value {
	if !t.entersWords || c.column == nil {
		return found
	}
	hasRows := o.apply(ir.OpGt, o.apply(ir.OpLeast, o.isAtOnce(t, c), o.isSmall(t.keys[0])), o.number(0))
	one := o.constant(ir.Int(ir.U64, 1))
	low := o.cast(ir.U32, o.apply(ir.OpSub, o.apply(ir.OpShl, one, o.cast(ir.U64, c.bits)), one))
	return o.apply(ir.OpAnd, found, o.choose(hasRows, low, o.integer(low, 1<<codeBits-1)))
}

// leastCodes returns the codes of the first rows in slots that are keys, by the codes of all rows that have moved: the least word of a slot has that of its first row, so
// no row is looked up again.
func (o *ordering) leastCodes(t rowTable, code *ir.Value) *ir.Value {
	word := o.wordWith(o.index(code, code.Type.Domain), code)
	args := []*ir.Value{t.rows.Args[0], t.rows.Args[1], word}
	words := o.add(o.pos, ir.Value{Op: ir.OpEnter, Args: args, AnyOrder: true, Direct: true, Type: ir.Type{Kind: ir.U64, Domain: t.rows.Type.Domain}})
	isTaken := o.apply(ir.OpNe, words, o.integer(words, math.MaxUint64))
	return o.choose(isTaken, o.cast(ir.U32, words), o.constant(ir.Int(ir.U32, 0)))
}
