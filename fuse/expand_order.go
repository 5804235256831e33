package fuse

import "github.com/kgen-go/kgen/ir"

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

	target  *ir.Domain // whose rows the numbers are, if not those of rows
	numbers *ir.Value  // of each row, if it does not come along
	chooses bool       // the kernel that finds extremes of the keys comes before the choice of a way
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

// sort sorts rows by keys. Beside is what a row brings along: its number, of which
// only a word of 32 bits may differ. The word of the keys is kept if kept is set.
func (o *ordering) sort(keys []*ir.Value, desc []bool, beside *ir.Value, kept bool) (out sortedRows) {
	words := o.words(keys, desc)
	counted := o.words(keys, desc) // once more: it costs less than to store the first word for its first pass
	measured := counted
	if o.chooses {
		measured = o.words(keys, desc)
	}
	out.number = beside
	for i, w := range words {
		key := w.value
		if i > 0 {
			key = o.gather(o.pos, key, o.rowOf(out.number))
			counted[i], measured[i] = w, w
		}
		out = o.passes(counted[i], measured[i], key, out.number, i+1 == len(words), kept && len(words) == 1)
	}
	return out
}

// passes sorts rows by the digits of a word. The last passes of all give the rows as
// the caller wants them.
func (o *ordering) passes(w, measured word, key, beside *ir.Value, isLast, kept bool) (out sortedRows) {
	digits := (w.bits + o.radix - 1) / o.radix
	before := o.before(w.value, digits)
	isPacked := o.fitsBeside(w)
	if isPacked {
		high := o.apply(ir.OpShl, o.cast(ir.U64, beside), o.constant(ir.Int(ir.U64, numberBits)))
		key = o.apply(ir.OpOr, high, o.cast(ir.U64, key))
	}
	var spread *ir.Value
	if o.short && digits > 2 {
		spread = o.spread(measured.value)
	}
	for digit := range digits {
		rank := ir.Value{Op: ir.OpRank, Args: []*ir.Value{key, before}, Shift: int64(digit * o.radix), Split: o.radix,
			Type: ir.Type{Kind: ir.I64, Domain: o.rows, Target: o.rows}}
		if digit > 0 {
			rank.Limit = spread
		}
		place := o.add(o.pos, rank)
		move := func(x *ir.Value) *ir.Value {
			moved := scattered(x, place)
			if isLast && digit+1 == digits {
				moved.Limit, moved.Type.Domain = o.limit, o.out
			}
			return o.add(o.pos, moved)
		}
		isEnd := digit+1 == digits
		if !isEnd || kept {
			key = move(key)
		}
		if isPacked && isEnd {
			beside = o.cast(ir.U32, o.apply(ir.OpShr, key, o.constant(ir.Int(ir.U64, numberBits))))
		}
		if isEnd && isLast && !kept {
			beside = o.rowOf(beside)
			if o.numbers != nil {
				beside = o.cast(ir.I64, o.gather(o.pos, o.numbers, beside))
				beside.Type.Target = o.target
			}
		}
		if !isPacked || isEnd && !kept { // else it moves with the key
			beside = move(beside)
		}
	}
	out.number = beside
	if kept {
		out.word = key
		if isPacked {
			out.word = o.cast(ir.U32, key)
		}
	}
	return out
}

// fitsBeside reports whether the number of a row, which has to be short, fits one
// word with its keys, whose digits end where the number begins.
func (o *ordering) fitsBeside(w word) bool {
	return o.short && w.bits <= numberBits && numberBits%o.radix == 0
}

// row returns the numbers of the rows as they come along.
func (o *ordering) row(keys []*ir.Value) *ir.Value {
	row := o.add(o.pos, ir.Value{Op: ir.OpIndex, Args: keys[:1], Type: ir.Type{Kind: ir.I64, Domain: o.rows, Target: o.rows}})
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
	if row.Type.Target = o.rows; o.target != nil && o.numbers == nil {
		row.Type.Target = o.target
	}
	return row
}

// scattered is x with its rows moved.
func scattered(x, place *ir.Value) ir.Value {
	return ir.Value{Op: ir.OpScatter, Args: []*ir.Value{x, place}, Type: x.Type}
}

// spread returns how many of the lowest bits differ among words: digits above them
// need no pass.
func (o *ordering) spread(x *ir.Value) *ir.Value {
	equal := o.cast(ir.I64, o.apply(ir.OpLeadingzeros, o.apply(ir.OpXor, o.extreme(ir.OpMin, x), o.extreme(ir.OpMax, x))))
	width := ir.Int(ir.I64, int64(8*x.Type.Kind.Size()))
	return o.apply(ir.OpSub, o.constant(width), equal)
}

// extreme returns the least or the greatest row of x, an unsigned integer; 0 of none.
func (o *ordering) extreme(op ir.Op, x *ir.Value) *ir.Value {
	return o.add(o.pos, ir.Value{Op: op, Args: []*ir.Value{x}, Else: o.integer(x, 0), Type: ir.Type{Kind: x.Type.Kind}})
}

// before returns, for each value of each digit of x, how many digits of rows come
// before: those of the digits on its right, and of lesser value.
func (o *ordering) before(x *ir.Value, digits int) *ir.Value {
	results := int64(digits) << o.radix
	d := o.newDomain(ir.DomainBins, o.rows.Name+"_digits", nil)
	d.By = o.add(o.pos, ir.Value{Op: ir.OpDigits, Args: []*ir.Value{x, o.constant(ir.Int(ir.I64, results))}, Shift: int64(o.radix), Type: ir.Type{Kind: ir.I64, Domain: d}})
	return o.add(o.pos, ir.Value{Op: ir.OpExscan, Reduce: ir.ReduceAdd, Args: []*ir.Value{d.By}, Type: d.By.Type})
}

// words joins the keys, the last one in the least significant bits of the first word.
func (o *ordering) words(keys []*ir.Value, desc []bool) (list []word) {
	for i := len(keys) - 1; i >= 0; i-- {
		x, width := o.unsigned(keys[i])
		if desc[i] {
			x = o.apply(ir.OpXor, x, o.integer(x, 1<<width-1))
		}
		if n := len(list); n > 0 && list[n-1].bits+width <= maxWord {
			last := &list[n-1]
			last.value = o.cast(ir.U64, last.value)
			high := o.apply(ir.OpShl, o.cast(ir.U64, x), o.constant(ir.Int(ir.U64, int64(last.bits))))
			last.value = o.apply(ir.OpOr, last.value, high)
			last.bits += width
			continue
		}
		list = append(list, word{x, width})
	}
	for i, w := range list {
		if w.bits <= 32 {
			list[i].value = o.cast(ir.U32, w.value)
		}
	}
	return list
}

// unsigned maps a key to an unsigned integer of the same order, of so many bits. Of
// floats, both zeros are equal, and NaN is greater than all else.
func (o *ordering) unsigned(key *ir.Value) (x *ir.Value, width int) {
	width = widthOf(key.Type.Kind)
	sign := uint64(1) << (width - 1)
	switch k := key.Type.Kind; {
	case k == ir.Bool:
		return o.cast(ir.U32, key), width
	case k.IsFloat():
		b := o.apply(ir.OpBits, key)
		below := o.apply(ir.OpGt, b, o.integer(b, sign)) // -0.0, whose bits are the sign, is not below 0.0
		x = o.choose(below, o.apply(ir.OpComplement, b), o.apply(ir.OpOr, b, o.integer(b, sign)))
		return o.choose(o.apply(ir.OpEq, key, key), x, o.integer(b, sign|(sign-1))), width
	case k == ir.Char8:
		return o.apply(ir.OpBits, key), width
	case k == ir.Date:
		return o.flipped(o.cast(ir.I32, key), width), width
	case k.IsSigned():
		return o.flipped(key, width), width
	case width < 32:
		return o.cast(ir.U32, key), width
	}
	return key, width
}

// flipped returns a signed integer of so many bits as an unsigned one: with the other
// sign.
func (o *ordering) flipped(x *ir.Value, width int) *ir.Value {
	to := map[int]ir.Kind{8: ir.U8, 16: ir.U16, 32: ir.U32, 64: ir.U64}[width]
	x = o.cast(to, x)
	if width < 32 {
		x = o.cast(ir.U32, x)
	}
	return o.apply(ir.OpXor, x, o.integer(x, 1<<(width-1)))
}

// apply applies an element-wise operator to rows.
func (o *ordering) apply(op ir.Op, args ...*ir.Value) *ir.Value {
	return o.add(o.pos, ir.Value{Op: op, Args: args, Type: ir.Type{Kind: op.Gives(args[0].Type.Kind), Domain: args[0].Type.Domain}})
}

func (o *ordering) choose(condition, x, y *ir.Value) *ir.Value {
	return o.add(o.pos, ir.Value{Op: ir.OpSelect, Args: []*ir.Value{condition, x, y}, Type: ir.Type{Kind: x.Type.Kind, Domain: x.Type.Domain}})
}

func (o *ordering) cast(to ir.Kind, x *ir.Value) *ir.Value {
	if x.Type.Kind == to {
		return x
	}
	return o.add(o.pos, ir.Value{Op: ir.OpCast, Args: []*ir.Value{x}, Type: ir.Type{Kind: to, Domain: x.Type.Domain}})
}

// integer returns a constant of the type of x, an unsigned integer.
func (o *ordering) integer(x *ir.Value, i uint64) *ir.Value {
	return o.constant(ir.Scalar{Kind: x.Type.Kind, Bits: i})
}

func (e *expansion) constant(s ir.Scalar) *ir.Value {
	if e.constants[s] == nil {
		e.constants[s] = e.add(ir.Pos{}, ir.Value{Op: ir.OpConst, Const: s, Type: ir.Type{Kind: s.Kind}})
	}
	return e.constants[s]
}
