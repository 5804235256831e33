package fuse

import (
	"math/bits"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Rows are sorted by the digits of their keys, the least significant first, each
// pass stable (Knuth, The Art of Computer Programming, volume 3, section 5.2.5).
// Keys are first mapped to unsigned integers of the same order and joined to words
// of up to 64 bits. A pass moves a row to the place that is the number of rows with
// lesser digits, from the digits' histograms, and of earlier rows with an equal one.

// ordering writes one sort.
type ordering struct {
	*expansion
	pos   ir.Pos
	rows  *ir.Domain // that are sorted
	out   *ir.Domain // the sorted rows
	limit *ir.Value  // the most rows of out, or nil

	of         *ir.Domain                       // of which they are some, if the numbers are those of its rows
	numbers    *ir.Value                        // of each row in of, if it does not come along
	leaves     *leaving                         // what the last passes leave, if columns follow without a gather
	columnWord func(beside *ir.Value) *ir.Value // the word of a row from what comes along; nil if it comes along, too
	ahead      *aheadRows                       // the rows have moved before; nil if they are as they come
	counts     *counted                         // that another way to sort the rows shares; nil if there is none
	isMain     bool                             // the rows are those of the pipeline, and may be many
	isNarrow   bool                             // numbers stay as they come along
	bits       *ir.Value                        // scalar: how many low bits of keys may differ, nil if that is not known before
	isHash     bool                             // keys are hashes, which differ in all bits
	kept       func(key *ir.Value) *ir.Value    // what the last pass leaves of a key; nil for the key
	anyOrder   bool                             // rows of equal keys may lie in any order
	isWhole    bool                             // tables of rows have no parts
	chooses    bool                             // the kernel that finds extremes of the keys comes before the choice of a way
}

// sortKey is a column by which rows are sorted.
type sortKey struct {
	column *ir.Value
	least  int64 // that its integers can be, and
	width  int   // the bits of what they exceed that by; else of an element
	isDesc bool
}

// sortKeys returns the keys of an order or of groups.
func (e *expansion) sortKeys(v *ir.Value) []sortKey {
	keys := e.sortKeysOf(e.columns(v.Args))
	for i, arg := range v.Args {
		keys[i].isDesc = v.Desc != nil && v.Desc[i]
		if lo, hi, ok := e.from.CheckedRange(arg); ok {
			keys[i].least, keys[i].width = lo, bits.Len64(uint64(hi)-uint64(lo))
			if lo > 0 && bits.Len64(uint64(hi)) == keys[i].width {
				keys[i].least = 0
			}
		}
	}
	return keys
}

// sortKeysOf returns keys that may have any value.
func (e *expansion) sortKeysOf(columns []*ir.Value) []sortKey {
	keys := make([]sortKey, len(columns))
	for i, x := range columns {
		keys[i] = sortKey{column: x, width: 8 * x.Type.Kind.Size()}
		switch k := x.Type.Kind; {
		case k == ir.Bool:
			keys[i].width = 1
		case k.IsSigned(), k.IsCoded():
			keys[i].least = -1 << (keys[i].width - 1)
		}
	}
	return keys
}

// word is a part of the keys, as an unsigned integer.
type word struct {
	value *ir.Value
	bits  int
}

// maxWord is the most bits of a word.
const maxWord = 64

// sortedRows are rows in the order of their keys.
type sortedRows struct {
	number *ir.Value // of the row, or what is beside in place of that
	word   *ir.Value // the keys, if they fit one word and were to be kept
}

// sort sorts rows by keys. Beside is what a row brings along: its number, of which only a word of 32 bits may
// differ, or nothing. The word of the keys, of which there is one in these cases, is kept if kept is set.
func (o *ordering) sort(keys []sortKey, beside *ir.Value, kept bool) (out sortedRows) {
	words := o.words(keys)
	out.number = beside
	counted := o.words(keys) // once more: it costs less than to store the first word for its first pass
	measured := counted
	if o.chooses {
		measured = o.words(keys)
	}
	for i, w := range words {
		key := w.value
		if i > 0 {
			key = o.gather(o.pos, key, o.rowOf(out.number))
			counted[i], measured[i] = w, w
		}
		out = o.passes(counted[i], measured[i], w.value, key, out.number, i+1 == len(words), kept && len(words) == 1)
		o.anyOrder = false // from now on rows are in that of the words so far
	}
	return out
}

// row returns the numbers of the rows as they come along.
func (o *ordering) row(keys []sortKey) *ir.Value {
	row := o.index(keys[0].column, o.rows)
	if !o.short {
		return row
	}
	return o.cast(ir.U32, row)
}

// numberBits is how many bits the number of a row has while rows move. A key of as
// many bits lies beside it in one word.
const numberBits = 32

// rowOf returns the numbers of rows from those that came along.
func (o *ordering) rowOf(number *ir.Value) *ir.Value {
	if !o.short {
		return number
	}
	row := o.cast(ir.I64, number)
	row.Type.Target = o.rows
	return row
}

// numberOf returns the number that a sorted row has for the caller.
func (o *ordering) numberOf(beside *ir.Value) *ir.Value {
	number := o.rowOf(beside)
	if o.numbers != nil {
		number = o.cast(ir.I64, o.gather(o.pos, o.numbers, number))
	}
	if o.of != nil {
		number.Type.Target = o.of
	}
	return number
}

// words joins the keys, the last one in the least significant bits of the first word.
func (o *ordering) words(keys []sortKey) (list []word) {
	for _, key := range slices.Backward(keys) {
		x := o.rising(key)
		if n := len(list); n > 0 && list[n-1].bits+key.width <= maxWord {
			last := &list[n-1]
			last.value = o.cast(ir.U64, last.value)
			high := o.apply(ir.OpShl, o.cast(ir.U64, x), o.constant(ir.Int(ir.U64, int64(last.bits))))
			last.value = o.apply(ir.OpOr, last.value, high)
			last.bits += key.width
			continue
		}
		list = append(list, word{x, key.width})
	}
	for i, w := range list {
		if w.bits <= 32 {
			list[i].value = o.cast(ir.U32, w.value)
		}
	}
	return list
}

// rising maps a key to an unsigned integer that is less if its row comes earlier.
func (o *ordering) rising(key sortKey) *ir.Value {
	x := o.unsigned(key)
	if key.isDesc {
		x = o.apply(ir.OpXor, x, o.integer(x, 1<<key.width-1))
	}
	return x
}

// unsigned maps a key to an unsigned integer of the same order. Of floats, both zeros
// are equal, and NaN is greater than all else.
func (o *ordering) unsigned(key sortKey) *ir.Value {
	x := key.column
	switch k := x.Type.Kind; {
	case k.IsFloat():
		sign := uint64(1) << (key.width - 1)
		b := o.apply(ir.OpBits, x)
		below := o.apply(ir.OpGt, b, o.integer(b, sign)) // -0.0, whose bits are the sign, is not below 0.0
		x = o.choose(below, o.apply(ir.OpComplement, b), o.apply(ir.OpOr, b, o.integer(b, sign)))
		return o.choose(o.apply(ir.OpEq, key.column, key.column), x, o.integer(b, sign|(sign-1)))
	case k == ir.Char8:
		return o.apply(ir.OpBits, x)
	case k.IsCoded():
		x = o.cast(k.Stored(), x)
	}
	x = o.cast(wordOf(key.width), x)
	if key.least != 0 {
		x = o.apply(ir.OpSub, x, o.integer(x, uint64(key.least)))
	}
	return x
}

// wordOf returns the kind of a word of so many bits.
func wordOf(bits int) ir.Kind {
	if bits <= 32 {
		return ir.U32
	}
	return ir.U64
}

// apply applies an element-wise operator to rows, or to rows and scalars.
func (o *ordering) apply(op ir.Op, args ...*ir.Value) *ir.Value {
	return o.add(o.pos, ir.Value{Op: op, Args: args, Type: ir.Type{Kind: op.Gives(args[0].Type.Kind), Domain: rowsOf(args)}})
}

func (o *ordering) choose(condition, x, y *ir.Value) *ir.Value {
	args := []*ir.Value{condition, x, y}
	return o.add(o.pos, ir.Value{Op: ir.OpSelect, Args: args, Type: ir.Type{Kind: x.Type.Kind, Domain: rowsOf(args)}})
}

// rowsOf returns the domain of operands, some of which may be scalars; nil if all are.
func rowsOf(args []*ir.Value) *ir.Domain {
	for _, arg := range args {
		if arg.Type.Domain != nil {
			return arg.Type.Domain
		}
	}
	return nil
}

func (o *ordering) cast(to ir.Kind, x *ir.Value) *ir.Value {
	if x.Type.Kind == to {
		return x
	}
	return o.add(o.pos, ir.Value{Op: ir.OpCast, Args: []*ir.Value{x}, Type: ir.Type{Kind: to, Domain: x.Type.Domain}})
}

// index returns the numbers of the rows of d, beside another column.
func (o *ordering) index(x *ir.Value, d *ir.Domain) *ir.Value {
	return o.add(o.pos, ir.Value{Op: ir.OpIndex, Args: []*ir.Value{x}, Type: ir.Type{Kind: ir.I64, Domain: d, Target: d}})
}

// compact returns the rows of x that are kept, which are those of d.
func (o *ordering) compact(x, isKept *ir.Value, d *ir.Domain) *ir.Value {
	t := x.Type
	t.Domain = d
	return o.add(o.pos, ir.Value{Op: ir.OpCompact, Args: []*ir.Value{x, isKept}, Type: t})
}

// number returns a constant of i64.
func (o *ordering) number(i int64) *ir.Value { return o.constant(ir.Int(ir.I64, i)) }

// integer returns a constant of the type of x, an unsigned integer.
func (o *ordering) integer(x *ir.Value, i uint64) *ir.Value {
	if x.Type.Kind == ir.U32 {
		i = uint64(uint32(i))
	}
	return o.constant(ir.Scalar{Kind: x.Type.Kind, Bits: i})
}

func (e *expansion) constant(s ir.Scalar) *ir.Value {
	if e.constants[s] == nil {
		e.constants[s] = e.add(ir.Pos{}, ir.Value{Op: ir.OpConst, Const: s, Type: ir.Type{Kind: s.Kind}})
	}
	return e.constants[s]
}
