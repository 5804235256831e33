package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Columns that aggregates of groups read have to be in the order of the sorted rows.
// A gather by the numbers of the rows costs more than a pass. Keys follow from the
// sorted word, and one narrow column can come along in place of the numbers.

// beside returns the column that comes along with the rows of groups v in place of
// their numbers; nil if that is not worth it, or if numbers are needed.
func (o *ordering) beside(v *ir.Value, keys []sortKey) (column *ir.Value) {
	w := word{}
	for _, key := range keys {
		w.bits += key.width
	}
	if !o.fitsBeside(w) || o.isReturned(v) {
		return nil
	}
	for _, user := range o.from.Values {
		if slices.Contains(user.Args, v) || user.Else == v || user.Limit == v || user.By == v && user.Op.Aggregate() != nil && user.Op.Aggregate().GivesRow() {
			return nil
		}
		if user.By != v {
			continue
		}
		for _, arg := range user.Args {
			if arg.Type.IsScalar() {
				continue
			}
			x := o.column(arg)
			if x == nil {
				return nil
			}
			x = unwidened(x)
			if isInvertible(x.Type.Kind) && slices.ContainsFunc(keys, func(key sortKey) bool { return key.column == x }) {
				continue
			}
			if column != nil && column != x || !isInvertible(x.Type.Kind) || x.Type.Kind.Size() > numberBits/8 {
				return nil
			}
			column = x
		}
	}
	return column
}

// isInvertible reports whether a key follows from the unsigned integer that stands
// for it in sorting.
func isInvertible(k ir.Kind) bool { return k.IsInteger() || k == ir.Bool || k.IsCoded() }

// bitsOf returns a column as 32 bits, and ofBits a column from its bits.
func (o *ordering) bitsOf(x *ir.Value) *ir.Value {
	return o.cast(ir.U32, o.cast(x.Type.Kind.Stored(), x))
}

func (o *ordering) ofBits(x *ir.Value, k ir.Kind) *ir.Value {
	if k == ir.Bool {
		return o.apply(ir.OpNe, x, o.integer(x, 0))
	}
	return o.cast(k, o.cast(k.Stored(), x))
}

// keysOf adds the keys that follow from their word to columns.
func (o *ordering) keysOf(word *ir.Value, keys []sortKey, columns map[*ir.Value]*ir.Value) {
	for i, key := range keys {
		if isInvertible(key.column.Type.Kind) {
			columns[key.column] = o.keyOfWord(word, keys, i)
		}
	}
}

// keyOfWord returns a key from the word of all.
func (o *ordering) keyOfWord(word *ir.Value, keys []sortKey, i int) *ir.Value {
	shift := 0
	for _, key := range keys[i+1:] { // the last one has the lowest bits
		shift += key.width
	}
	if shift > 0 {
		word = o.apply(ir.OpShr, word, o.integer(word, uint64(shift)))
	}
	if width := keys[i].width; width < 8*word.Type.Kind.Size() {
		word = o.apply(ir.OpAnd, word, o.integer(word, 1<<width-1))
	}
	return o.ofWord(word, keys[i])
}

// ofWord returns a key from the unsigned integer to which it was mapped.
func (o *ordering) ofWord(x *ir.Value, key sortKey) *ir.Value {
	k := key.column.Type.Kind
	if key.isDesc {
		x = o.apply(ir.OpXor, x, o.integer(x, 1<<key.width-1))
	}
	if key.least != 0 {
		x = o.cast(wordOf(8*k.Size()), x)
		x = o.apply(ir.OpAdd, x, o.integer(x, uint64(key.least)))
	}
	return o.ofBits(x, k)
}
