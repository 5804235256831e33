package fuse

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Of a row that is found, often only a column is wanted, and whether there is a row. The
// table then has codes of these, so that a search reads memory in one place. The code of
// a row is 1 more than the word of the column exceeds the least one of all rows; where that
// has 33 bits, it is 1 more than the number of the row.

// coding says what the codes of the rows in a table are.
type coding struct {
	column *ir.Value // of e.from; nil if only that is asked, whether there is a row
	least  *ir.Value // scalar: the least word of the column; nil if that is 0
	fits   *ir.Value // scalar: whether codes have what words exceed that by, not the numbers of rows; nil if they always do
	short  *ir.Value // scalar: whether no code has more than 8 bits; nil if that is not asked
	bits   *ir.Value // scalar: how many bits codes have; nil without a column
	atOnce *ir.Value // see isAtOnce; nil until it is wanted
}

// lookup is a search of which only codes are read.
type lookup struct {
	coding
	code *ir.Value  // 0 if no row is found; nil if it is not wanted so far, and bits tell
	bits *bitLookup // nil if the code tells whether a row is found
}

// columnBits is the most bits of a column that has codes.
const columnBits = 32

// lookedUp returns the one narrow column that is read at the rows that find has found, nil
// if none is; ok is false if more is asked of it. v is find, or its rows that masks keep.
func (e *expansion) lookedUp(find, v *ir.Value) (column *ir.Value, ok bool) {
	ok = !e.isReturned(v)
	for _, u := range e.from.Values {
		if !ok {
			break
		}
		if !slices.Contains(u.Operands(), v) || isFoundTest(u, v) {
			continue
		}
		x := (*ir.Value)(nil)
		switch {
		case u.Op == ir.OpCompact && u.Args[0] == v && u.Args[1] != v:
			x, ok = e.lookedUp(find, u)
			if x == nil {
				continue
			}
		case u.Op == ir.OpGather && u.Args[1] == v && u.Args[0] != v && !u.Type.IsScalar() && isInvertible(u.Type.Kind) && 8*u.Type.Kind.Size() <= columnBits:
			x = u.Args[0]
			ok = !slices.ContainsFunc(e.from.Sites, func(s ir.Site) bool { return s.Value == u }) && !e.follows(x, find)
		default:
			return nil, false
		}
		ok = ok && (column == nil || column == x)
		column = x
	}
	return column, ok
}

// follows reports whether x is computed from find, directly or not, or will be by columns
// that tables have.
func (e *expansion) follows(x, find *ir.Value) bool {
	seen := map[*ir.Value]bool{}
	var visit func(x *ir.Value) bool
	visit = func(x *ir.Value) bool {
		if x == find {
			return true
		}
		if x == nil || seen[x] {
			return false
		}
		seen[x] = true
		return slices.ContainsFunc(x.Operands(), visit) || visit(e.columnOf[x])
	}
	return visit(x)
}

// early writes x, and what it is computed from, before its turn.
func (e *expansion) early(x *ir.Value) *ir.Value {
	if !e.written[x] {
		for _, operand := range x.Operands() {
			e.early(operand)
		}
		e.value(x)
	}
	return e.column(x)
}

// isFoundTest reports whether u tests if v, which finds rows, has found one.
func isFoundTest(u, v *ir.Value) bool {
	if u.Op != ir.OpGe && u.Op != ir.OpLt || u.Args[0] != v || u.Args[1].Op != ir.OpConst {
		return false
	}
	return u.Args[1].Const.Int64() == 0
}

// lookup looks up the codes of rows with keys.
func (o *ordering) lookup(t rowTable, keys []*ir.Value, column *ir.Value) *lookup {
	if o.entersCodes(t) {
		c := o.codingOf(column)
		code := o.codeIn(t, keys, o.enteredCodes(t, column, func(row *ir.Value) *ir.Value { return o.codeOfRow(c, row) }))
		return &lookup{coding: c, code: code}
	}
	in := o.codedTableOf(t, column)
	return &lookup{coding: in.coding, code: o.codeOf(in, keys)}
}

// lookupOfBits is lookup where masks ask bits.
func (o *ordering) lookupOfBits(t rowTable, keys []*ir.Value, column *ir.Value) *lookup {
	in := o.codedTableOf(t, column)
	return &lookup{coding: in.coding, bits: &bitLookup{in, keys}}
}

// codedTableOf returns the table with the codes of a column.
func (o *ordering) codedTableOf(t rowTable, column *ir.Value) *codedTable {
	at := [2]*ir.Value{t.rows, column}
	if o.coded[at] == nil {
		c := o.codingOf(column)
		o.coded[at] = &codedTable{coding: c, of: t, codesOf: eachWay(func(way rowTable) *ir.Value { return o.codes(way, c) })}
	}
	return o.coded[at]
}

// codeFor returns the codes of what is looked up.
func (o *ordering) codeFor(l *lookup) *ir.Value {
	if l.code == nil {
		l.code = o.codeOf(l.bits.in, l.bits.keys)
	}
	return l.code
}

// tested compares what tells whether rows are found with 0.
func (o *ordering) tested(l *lookup, op ir.Op) *ir.Value {
	if l.bits != nil {
		return l.bits.tested(o, op)
	}
	return o.apply(op, l.code, o.constant(ir.Int(l.code.Type.Kind, 0)))
}

// codedTable is a table with the codes of a column, which whoever looks them up shares.
type codedTable struct {
	coding
	of                  rowTable
	codesOf             func(way rowTable) *ir.Value
	words, codes, bytes *ir.Value // of slots: the words of keys and codes, and codes alone, also of one byte; nil until they are wanted
}

// wordsIn, codesIn and bytesIn return what is wanted of a table.
func (c *codedTable) wordsIn(o *ordering) *ir.Value {
	if c.words == nil {
		c.words = o.wordsWith(c.of, c.codesOf, &c.coding)
	}
	return c.words
}

func (c *codedTable) codesIn(o *ordering) *ir.Value {
	if c.codes == nil {
		c.codes = o.ofSlots(c.of, c.codesOf)
	}
	return c.codes
}

func (c *codedTable) bytesIn(o *ordering) *ir.Value {
	if c.bytes == nil {
		c.bytes = o.ofSlots(c.of, func(way rowTable) *ir.Value { return o.cast(ir.U8, c.codesOf(way)) })
	}
	return c.bytes
}

// codeOf returns the codes of the rows with keys, or 0. If slots are
// keys, and a scalar says that all codes are short, a table of bytes is read: what searches are
// bound by is how much of a table the caches hold.
func (o *ordering) codeOf(in *codedTable, keys []*ir.Value) *ir.Value {
	t := in.of
	if !t.hasWords() {
		slot, codes := o.probe(t, keys), in.codesIn(o)
		isFound := o.apply(ir.OpGe, slot, o.number(0))
		return o.choose(isFound, o.atSlot(codes, slot), o.constant(ir.Int(codes.Type.Kind, 0)))
	}
	code := o.withoutRow(t, &in.coding, o.matchWords(t, o.words(o.sortKeysOf(keys)), in.wordsIn(o)))
	codes := in.codesIn(o)
	code = o.cast(codes.Type.Kind, code)
	if t.least == nil {
		return code
	}
	slot := o.choose(t.isDirect, o.directSlot(t, keys), o.number(-1))
	at := func(codes, slot *ir.Value) *ir.Value { // of a slot that does not exist, 0 is gathered
		slot.Type.Target = codes.Type.Domain
		return o.gather(o.pos, codes, slot)
	}
	if in.short == nil {
		return o.choose(t.isDirect, at(codes, slot), code)
	}
	short := at(in.bytesIn(o), o.choose(in.short, slot, o.number(-1)))
	long := at(codes, o.choose(in.short, o.number(-1), slot))
	return o.choose(t.isDirect, o.choose(in.short, o.cast(ir.U32, short), long), code)
}

// codingOf returns what the codes of a column are.
func (o *ordering) codingOf(column *ir.Value) coding {
	c := coding{column: column}
	if column != nil && 8*column.Type.Kind.Size() == columnBits {
		word := o.wordOf(o.early(column))
		c.least = o.extreme(ir.OpMin, word)
		span := o.apply(ir.OpSub, o.extreme(ir.OpMax, word), c.least)
		c.fits = o.apply(ir.OpNe, span, o.integer(span, 1<<columnBits-1))
		c.fits.Likely = true
		c.short = o.apply(ir.OpLt, span, o.integer(span, math.MaxUint8))
		c.bits = o.cast(ir.U32, o.bitsUpTo(o.apply(ir.OpAdd, o.cast(ir.I64, span), o.number(1))))
	} else if column != nil {
		c.bits = o.constant(ir.Int(ir.U32, int64(8*column.Type.Kind.Size()+1)))
	}
	return c
}

// codes returns the codes of slots of a table made in one way; of one that is free, 0.
func (o *ordering) codes(t rowTable, c coding) *ir.Value {
	if t.isSorted {
		return o.codeOfRow(c, o.index(t.keys[0], t.keys[0].Type.Domain))
	}
	isTaken, at := o.rowOfSlot(t)
	code := o.constant(ir.Int(ir.U8, 1))
	switch {
	case c.column == nil:
	case t.moved != nil && c.least != nil: // nothing asks then which row it was
		moved := t.moved.column(o.codeOfRow(c, o.index(c.column, c.column.Type.Domain)))
		if t.rows.Direct {
			return o.leastCodes(t, moved)
		}
		code = o.gather(o.pos, moved, at)
	default:
		code = o.encode(c, o.gather(o.pos, t.columnIn(o.early(c.column)), at), t.rows)
	}
	return o.choose(isTaken, code, o.constant(ir.Int(code.Type.Kind, 0)))
}

// encode returns the codes of rows with some values of the column.
func (o *ordering) encode(c coding, values, row *ir.Value) *ir.Value {
	code := o.wordOf(values)
	if c.least != nil {
		code = o.choose(c.fits, o.apply(ir.OpSub, code, c.least), o.cast(ir.U32, row))
	}
	return o.apply(ir.OpAdd, code, o.integer(code, 1))
}

// wordOf returns a column of at most 32 bits as unsigned integers of the same order.
func (o *ordering) wordOf(x *ir.Value) *ir.Value {
	return o.unsigned(o.sortKeysOf([]*ir.Value{x})[0])
}

// lookUp writes what reads a row that is found from the table alone.
func (e *expansion) lookUp(v *ir.Value) bool {
	o := &ordering{expansion: e, pos: v.Pos}
	at := func(i int) *lookup {
		if i >= len(v.Args) {
			return nil
		}
		return e.lookups[v.Args[i]]
	}
	var made *ir.Value
	switch l := at(0); {
	case v.Op == ir.OpCompact && l != nil:
		kept, isKept, d := &lookup{coding: l.coding}, e.column(v.Args[1]), e.domain(v.Type.Domain)
		if l.bits != nil {
			kept.bits = l.bits.compact(o, isKept, d)
		} else {
			kept.code = o.compact(l.code, isKept, d)
		}
		e.lookups[v] = kept
		return true
	case v.Op == ir.OpGather && at(1) != nil:
		made = o.decode(at(1))
		made.Type.Target = e.domain(v.Type.Target)
	case l != nil:
		op := ir.OpNe
		if v.Op == ir.OpLt {
			op = ir.OpEq
		}
		made = o.tested(l, op)
	default:
		return false
	}
	made.Name = v.Name
	e.values[v] = made
	return true
}

// decode returns the column of a lookup, of rows that are found.
func (o *ordering) decode(l *lookup) *ir.Value {
	column := o.column(l.column)
	code := o.codeFor(l)
	number := o.apply(ir.OpSub, code, o.integer(code, 1))
	key := o.sortKeysOf([]*ir.Value{column})[0]
	if l.least == nil {
		return o.ofWord(number, key)
	}
	found := o.ofWord(o.apply(ir.OpAdd, number, l.least), key)
	row := o.choose(l.fits, o.number(-1), o.cast(ir.I64, number)) // -1 is not read
	row.Type.Target = column.Type.Domain
	return o.choose(l.fits, found, o.gather(o.pos, column, row))
}
